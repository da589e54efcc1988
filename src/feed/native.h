/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers of a file behind feed_open_file(). Private to feed/. */
#ifndef TRACESH_FEED_NATIVE_H
#define TRACESH_FEED_NATIVE_H

#include "feed/container.h"
#include "feed/feed.h"

/* feed_native - our own reader over @ct (takes a reference); @c NULL: every record is given with ev
 * NULL */
struct feed *feed_native(struct container *ct, struct catalog *c, struct origin *o);
/* feed_libtracecmd - the same records through libtracecmd; NULL when it cannot open the file */
struct feed *feed_libtracecmd(struct container *ct, struct catalog *c, struct origin *o);

/* the events of an origin by id, and which of them are wanted */
struct idmap {
	struct event **ev; /* n pointers */
	uint8_t *kind;     /* n: 0 unknown id, 1 wanted, 2 not wanted */
	unsigned n;
};

void idmap_init(struct idmap *m, struct catalog *c, const struct origin *o);
void idmap_want(struct idmap *m, const uint8_t *by_index, unsigned n);
void idmap_free(struct idmap *m);

/* feed_time - a time of the ring buffer to ns as trace-cmd does: TSC2NSEC, then offsets */
static inline uint64_t feed_time(const struct container *ct, uint64_t ts)
{
	if (ct->has_tsc2nsec)
		ts = (uint64_t)(((unsigned __int128)ts * ct->tsc_mult) >> ct->tsc_shift);
	return ts + (uint64_t)ct->ts_offset;
}

#endif
