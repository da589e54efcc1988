/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pages of one CPU of a file, one after the other, plain or decompressed chunk by chunk.
 * Private to feed/.
 */
#ifndef TRACESH_FEED_CURSOR_H
#define TRACESH_FEED_CURSOR_H

#include "feed/container.h"
#include "feed/feed.h"

struct cursor {
	struct page_iter it; /* in the current page */
	/* the head: the record that comes next on this CPU */
	const uint8_t *data;
	uint32_t len;
	uint16_t id;
	uint16_t buffer;
	int cpu;
	int64_t missed; /* lost before the head, records skipped meanwhile included */

	uint64_t lost;  /* numbers found in pages so far */
	uint64_t spots; /* losses without a number so far */
	struct container *ct;
	const struct cont_cpu *where;
	struct origin layout; /* page_start() wants one */
	uint8_t *buf;         /* what was read or decompressed: pages */
	size_t cap, have, pos;
	uint64_t off, end; /* of the file, what is still to be read */
	uint32_t chunks;   /* still to come */
	bool chunked, begun, partial;
};

/* memory for compressed chunks, one for all cursors of a feed */
struct chunk_mem {
	uint8_t *p;
	size_t cap;
};

void cursor_init(struct cursor *c, struct container *ct, unsigned buffer, unsigned cpu,
		 size_t readahead);
/* cursor_page - the next page that has a sane header into c->it; false at the end. Counts into @st.
 */
bool cursor_page(struct cursor *c, struct chunk_mem *mem, struct feed_stats *st);
void cursor_free(struct cursor *c);
/* cursor_losses - at a CPU's end: what per_cpu/cpuN/stats knows of losses and the pages did not
 * tell */
static inline void cursor_losses(const struct cont_cpu *w, uint64_t lost, uint64_t spots,
				 struct feed_stats *st)
{
	st->lost += w->lost_at_end;
	if (w->overrun > lost) {
		st->lost += w->overrun - lost;
		st->lost_spots -= spots; /* now they have a number */
	}
}

#endif
