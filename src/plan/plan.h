/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From checked queries to the writes that make the kernel do its share. */
#ifndef TRACESH_PLAN_PLAN_H
#define TRACESH_PLAN_PLAN_H

#include "base/buf.h"
#include "base/session.h"
#include "catalog/catalog.h"
#include "check/query.h"
#include "plan/write.h"

/**
 * plan_live - the writes of a live run of @n queries together
 * @wanted: WANT_ flags for each event index, @nevents long: what the engine takes
 * Everything happens in an instance of our own, whose name is not in use yet. The plan lives in
 * @a. Returns NULL after pushing diags into s->diags (a task that does not exist, CPUs that
 * cannot be read, events that cannot be recorded).
 */
struct plan *plan_live(struct session *s, struct catalog *c, struct arena *a,
		       struct query *const *q, unsigned n, const uint8_t *wanted, unsigned nevents);

/* plan_print - the writes as shell lines in order, then their undo in its order, with the reason
 * of each as a comment; @root is the tracefs directory */
void plan_print(const struct plan *p, const char *root, struct buf *out);

/* plan_print_query - a line for the source and for each stage: where it runs and why */
void plan_print_query(const struct query *q, struct buf *out);

#endif
