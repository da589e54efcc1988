/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making the chains of a query from its sources and stages. */
#ifndef TRACESH_ENGINE_BUILD_H
#define TRACESH_ENGINE_BUILD_H

#include "engine/nodes.h"

/* build_query - entries into e->by_event for every event of @q's sources; 0, or -1 with a diag */
int build_query(struct engine *e, struct qrun *q);

#endif
