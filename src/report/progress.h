/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line on standard error while a long file is read: only on a terminal, only after two seconds.
 */
#ifndef TRACESH_REPORT_PROGRESS_H
#define TRACESH_REPORT_PROGRESS_H

#include "base/session.h"

struct progress {
	struct session *s;
	uint64_t start, next; /* ns of io_now() */
	bool shown;
};

/* progress_start - work begins now */
void progress_start(struct progress *p, struct session *s);
/**
 * progress_update - call it every few thousand events
 * @done, @total: bytes; @total 0: not known
 */
void progress_update(struct progress *p, uint64_t events, uint64_t done, uint64_t total);
/* progress_at - the same at time @now (of io_now()) */
void progress_at(struct progress *p, uint64_t now, uint64_t events, uint64_t done, uint64_t total);
/* progress_end - erase the line; before results are written, and at the end */
void progress_end(struct progress *p);

#endif
