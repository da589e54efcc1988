/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page decoder: header of a sub-buffer, then its events one by one. Owns the ring buffer's
 * binary layout; knows neither files nor what is in a record. Allocates nothing.
 */
#include "feed/page_step.h"

#include <errno.h>

/* bits of the commit word; the kernel uses the same bits for 32- and 64-bit words */
#define COMMIT_MISSED (1u << 31)
#define COMMIT_MISSED_STORED (1u << 30)
#define COMMIT_MASK ((1u << 27) - 1)

int page_start(struct page_iter *it, const struct origin *o, const void *page, uint32_t size)
{
	const uint8_t *p = page;
	uint32_t word, commit, room, have;
	bool swap = o->big_endian;

	memset(it, 0, sizeof(*it));
	it->swap = swap;
	it->p = it->end = p;
	if ((o->commit_size != 4 && o->commit_size != 8) || o->commit_off < 8 ||
	    o->commit_off > size || size - o->commit_off < o->commit_size || o->data_off > size ||
	    o->data_off < o->commit_off + o->commit_size)
		return -EINVAL;
	it->ts = page_u64(p, swap);
	if (o->commit_size == 8) {
		uint64_t wide = page_u64(p + o->commit_off, swap);

		if (wide >> 32 && (int64_t)wide >> 31 != -1)
			return -EINVAL;
		word = (uint32_t)wide;
	} else {
		word = page_u32(p + o->commit_off, swap);
	}
	commit = word & COMMIT_MASK;
	have = size - o->data_off;
	room = o->page_size > size ? o->page_size - o->data_off : have;
	if (commit > room)
		return -EINVAL;
	it->p = p + o->data_off;
	if (commit > have) { /* a page cut short: what is there can be read */
		it->bad = true;
		commit = have;
	}
	it->end = it->p + commit;
	if (word & COMMIT_MISSED) {
		it->missed = -1;
		/* the number is a long behind the data, if there was room for it */
		if ((word & COMMIT_MISSED_STORED) && have - commit >= o->commit_size) {
			uint64_t n = o->commit_size == 8 ? page_u64(it->end, swap)
							 : page_u32(it->end, swap);

			if (n > 0 && n <= INT64_MAX)
				it->missed = (int64_t)n;
		}
	}
	return 0;
}

int page_next(struct page_iter *it, const uint8_t **data, uint32_t *len)
{
	return page_step(it, data, len);
}
