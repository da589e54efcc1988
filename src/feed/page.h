/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The page decoder: one sub-buffer of the ring buffer to records. Shared by the live path and the
 * native trace.dat reader; it trusts nothing: every length is checked, it always makes progress.
 */
#ifndef TRACESH_FEED_PAGE_H
#define TRACESH_FEED_PAGE_H

#include "catalog/catalog.h"

struct page_iter {
	const uint8_t *p, *end; /* next byte, end of committed data */
	uint64_t ts;            /* of the last record given */
	int64_t missed;         /* from the page header: 0 none, > 0 number, -1 unknown number */
	bool swap;
	bool bad; /* the page ended at corrupt data */
};

/* page_start - 0, or -EINVAL when the header makes no sense (an empty page is fine: no records) */
int page_start(struct page_iter *it, const struct origin *o, const void *page, uint32_t size);
/* page_next - 1 with data (starting at common_type), its length and it->ts set; 0 at the end (see
 * it->bad) */
int page_next(struct page_iter *it, const uint8_t **data, uint32_t *len);

#endif
