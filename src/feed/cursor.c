/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One CPU's pages. Owns reading and decompressing with bounded memory, and the counting of what
 * could not be read or was lost; knows nothing of events.
 */
#include "feed/cursor.h"
#include "feed/page_step.h"

#include <stdlib.h>
#include <zstd.h>

#define CHUNK_MAX ((uint32_t)64 << 20) /* of pages in a chunk, compressed or not */

void cursor_init(struct cursor *c, struct container *ct, unsigned buffer, unsigned cpu,
		 size_t readahead)
{
	const struct cont_buffer *b = &ct->buffers[buffer];

	memset(c, 0, sizeof(*c));
	c->ct = ct;
	c->where = &b->cpus[cpu];
	c->cpu = c->where->cpu;
	c->buffer = (uint16_t)buffer;
	c->off = c->where->off;
	c->end = c->off + c->where->size;
	c->chunked = b->chunked;
	container_origin_layout(ct, b, &c->layout);
	if (!c->chunked) {
		c->cap = readahead / b->page_size * b->page_size;
		if (c->cap < b->page_size)
			c->cap = b->page_size;
		if (c->cap > c->where->size)
			c->cap = (size_t)c->where->size;
	}
}

void cursor_free(struct cursor *c)
{
	free(c->buf);
	c->buf = NULL;
	c->cap = c->have = c->pos = 0;
}

static void cut(struct feed_stats *st, uint64_t bytes)
{
	st->cut = true;
	st->cut_bytes += bytes;
}

/* give_up - nothing more can be read from here on */
static bool give_up(struct cursor *c, struct feed_stats *st)
{
	cut(st, c->end - c->off);
	c->off = c->end;
	return false;
}

static bool fill_plain(struct cursor *c, struct feed_stats *st)
{
	size_t n = c->cap;
	int64_t got;

	if (c->off >= c->end)
		return false;
	if (n > c->end - c->off)
		n = (size_t)(c->end - c->off);
	if (!c->buf && !(c->buf = malloc(c->cap)))
		return give_up(c, st);
	got = container_pread(c->ct, c->buf, n, c->off);
	if (got <= 0)
		return give_up(c, st);
	c->off += (uint64_t)got;
	c->have = (size_t)got;
	if ((size_t)got < n) /* the file became shorter */
		give_up(c, st);
	return true;
}

static bool room(uint8_t **p, size_t *cap, size_t n)
{
	uint8_t *q;

	if (n <= *cap)
		return true;
	q = realloc(*p, n);
	if (!q)
		return false;
	*p = q;
	*cap = n;
	return true;
}

/* one chunk into c->buf; a bad one is skipped where its length is known */
static bool fill_chunk(struct cursor *c, struct chunk_mem *mem, struct feed_stats *st)
{
	bool swap = c->ct->swap;
	uint8_t head[8];

	if (!c->begun) {
		c->begun = true;
		if (c->off >= c->end)
			return false;
		if (c->end - c->off < 4 || container_pread(c->ct, head, 4, c->off) != 4)
			return give_up(c, st);
		c->chunks = page_u32(head, swap);
		c->off += 4;
	}
	while (c->chunks) {
		uint32_t csize, usize;
		unsigned long long content;
		size_t got;

		c->chunks--;
		if (c->end - c->off < 8 || container_pread(c->ct, head, 8, c->off) != 8)
			return give_up(c, st);
		csize = page_u32(head, swap);
		usize = page_u32(head + 4, swap);
		if (csize == 0 || csize > c->end - c->off - 8 || csize > CHUNK_MAX ||
		    usize > CHUNK_MAX || !room(&mem->p, &mem->cap, csize) ||
		    container_pread(c->ct, mem->p, csize, c->off + 8) != csize)
			return give_up(c, st);
		c->off += 8 + (uint64_t)csize;
		content = ZSTD_getFrameContentSize(mem->p, csize);
		got = 0;
		if (usize && content != ZSTD_CONTENTSIZE_ERROR &&
		    (content == ZSTD_CONTENTSIZE_UNKNOWN || content <= usize) &&
		    room(&c->buf, &c->cap, usize))
			got = ZSTD_decompress(c->buf, usize, mem->p, csize);
		if (got == 0 || ZSTD_isError(got)) {
			cut(st, csize);
			continue;
		}
		c->have = got;
		return true;
	}
	if (c->end - c->off > 4) /* the count of chunks was too small; 4: see container_v7.c */
		give_up(c, st);
	return false;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i])
			return false;
	}
	return true;
}

bool cursor_page(struct cursor *c, struct chunk_mem *mem, struct feed_stats *st)
{
	if (c->it.bad) {
		st->cut = true;
		if (!c->partial) /* of a page cut short the missing bytes are counted already */
			st->bad_pages++;
		c->it.bad = false;
	}
	for (;;) {
		uint32_t size = c->layout.page_size;
		const uint8_t *page;

		if (c->pos >= c->have) {
			c->pos = c->have = 0;
			if (!(c->chunked ? fill_chunk(c, mem, st) : fill_plain(c, st)))
				return false;
		}
		page = c->buf + c->pos;
		c->partial = size > c->have - c->pos;
		if (c->partial)
			size = (uint32_t)(c->have - c->pos);
		c->pos += size;
		if (all_zero(page, size < c->layout.data_off ? size : c->layout.data_off)) {
			cut(st, size); /* never written: the file had been given its size before */
			continue;
		}
		if (page_start(&c->it, &c->layout, page, size)) {
			st->cut = true;
			if (c->partial)
				st->cut_bytes += size;
			else
				st->bad_pages++;
			continue;
		}
		if (c->it.missed) {
			if (c->it.missed > 0 && c->missed >= 0 &&
			    c->it.missed <= INT64_MAX - c->missed)
				c->missed += c->it.missed;
			else
				c->missed = -1;
			if (c->it.missed > 0) {
				st->lost += (uint64_t)c->it.missed;
				c->lost += (uint64_t)c->it.missed;
			} else {
				st->lost_spots++;
				c->spots++;
			}
		}
		return true;
	}
}
