/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring buffer of a running kernel as a feed. */
#ifndef TRACESH_FEED_LIVE_H
#define TRACESH_FEED_LIVE_H

#include "feed/feed.h"

/**
 * feed_open_live - the buffers of all CPUs of a trace instance, merged by time
 * @instance_path: its whole path; origin: that of the tracefs it is in
 * feed_next() gives what is older than a few ms, 0 when there is nothing of that kind now. The
 * feed's fd becomes readable when a buffer has filled to the instance's buffer_percent; a caller
 * should look in by itself a few times a second as well.
 * NULL with a diag "refused". feed_free() must come before the instance is removed.
 */
struct feed *feed_open_live(struct session *s, struct catalog *c, struct origin *o,
			    const char *instance_path);

/* feed_live_stop - tracing was switched off: from now on feed_next() gives all that is left,
 * whatever its time, and 0 is the end; stats.lost is then what the kernel says */
void feed_live_stop(struct feed *f);

/* feed_live_tap - @fn(@arg, cpu, page, bytes) gets each sub-buffer before its records are given;
 * for a feed as feed_open_live() returned it, not wrapped */
void feed_live_tap(struct feed *f, void (*fn)(void *arg, int cpu, const void *page, uint32_t len),
		   void *arg);

#endif
