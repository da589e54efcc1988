/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a trace.dat tells of the kernel it comes from, read out of tracefs and proc. Private to
 * capture/. */
#ifndef TRACESH_CAPTURE_META_H
#define TRACESH_CAPTURE_META_H

#include "capture/dat.h"

/**
 * meta_read - page and event formats, symbols, printk formats, uname into @d
 * @tracefs: the top directory; @page: of a sub-buffer. What this kernel does not have stays empty.
 * 0 or negative errno when there are no formats at all.
 */
int meta_read(struct dat *d, const char *tracefs, uint32_t page);
/* meta_tsc - how cycles are made ns, when that is the clock and the kernel tells */
void meta_tsc(struct dat *d, const char *clocks);

/* Names of tasks, collected at several times: a later one of the same task replaces it. */
struct meta_tasks {
	struct meta_task *v;
	size_t n, cap;
	size_t kept; /* tasks when they were last sorted */
	unsigned next;
};
/* meta_tasks_now - add all that live */
void meta_tasks_now(struct meta_tasks *t);
/* meta_tasks_saved - add what the kernel noted of those in the trace */
void meta_tasks_saved(struct meta_tasks *t, const char *tracefs);
/* meta_tasks_text - "PID NAME" lines into @out; sorts @t */
void meta_tasks_text(struct meta_tasks *t, struct buf *out);
void meta_tasks_free(struct meta_tasks *t);

#endif
