/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inner loop of the page decoder, inline for the reader that decodes millions of events.
 * Private to feed/; everyone else calls page_next().
 */
#ifndef TRACESH_FEED_PAGE_STEP_H
#define TRACESH_FEED_PAGE_STEP_H

#include "feed/page.h"

#include <byteswap.h>
#include <string.h>

#define PAGE_TYPE_PADDING 29
#define PAGE_TYPE_TIME_EXTEND 30
#define PAGE_TYPE_TIME_STAMP 31
#define PAGE_DELTA_BITS 27
/* the bits of a time that an absolute time stamp cannot hold */
#define PAGE_TS_UPPER 0xf800000000000000ull

static inline uint32_t page_u32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return swap ? bswap_32(v) : v;
}

static inline uint64_t page_u64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return swap ? bswap_64(v) : v;
}

/* page_absolute - a 59-bit time stamp completed from the time before it, as the kernel does */
static inline uint64_t page_absolute(uint64_t stamp, uint64_t before)
{
	if (before & PAGE_TS_UPPER) {
		stamp |= before & PAGE_TS_UPPER;
		if (stamp < before)
			stamp += 1ull << 59;
	}
	return stamp;
}

static inline int page_stop(struct page_iter *it, bool bad)
{
	it->bad |= bad;
	it->p = it->end;
	return 0;
}

/* page_step - page_next() inline. Each turn moves it->p forward by 4 bytes or more, or ends. */
static inline int page_step(struct page_iter *it, const uint8_t **data, uint32_t *len)
{
	const bool swap = it->swap;
	const bool big = swap == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

	for (;;) {
		const uint8_t *p = it->p;
		size_t left = (size_t)(it->end - p);
		uint32_t head, type, delta, n;

		if (left < 4)
			return page_stop(it, left != 0);
		head = page_u32(p, swap);
		p += 4;
		left -= 4;
		if (big) {
			type = head >> PAGE_DELTA_BITS;
			delta = head & ((1u << PAGE_DELTA_BITS) - 1);
		} else {
			type = head & 31;
			delta = head >> 5;
		}
		if (__builtin_expect(type - 1 < PAGE_TYPE_PADDING - 1, 1)) {
			n = type * 4;
			if (n > left)
				return page_stop(it, true);
			it->ts += delta;
			it->p = p + n;
			*data = p;
			*len = n;
			return 1;
		}
		if (type == PAGE_TYPE_PADDING && delta == 0)
			return page_stop(it, false); /* the rest of the page is unused */
		if (left < 4)
			return page_stop(it, true);
		n = page_u32(p, swap);
		switch (type) {
		case PAGE_TYPE_TIME_EXTEND:
			it->ts += ((uint64_t)n << PAGE_DELTA_BITS) + delta;
			it->p = p + 4;
			break;
		case PAGE_TYPE_TIME_STAMP:
			it->ts = page_absolute((((uint64_t)n << PAGE_DELTA_BITS) + delta) &
						       ~PAGE_TS_UPPER,
					       it->ts);
			it->p = p + 4;
			break;
		default: /* data with its length in a word, or a discarded event: the length counts
			    the word */
			if (n < 4 || n > left)
				return page_stop(it, true);
			it->ts += delta;
			n = (n + 3) & ~3u;
			if (n > left)
				n = (uint32_t)left;
			it->p = p + n;
			if (type == 0) {
				*data = p + 4;
				*len = n - 4;
				return 1;
			}
		}
	}
}

#endif
