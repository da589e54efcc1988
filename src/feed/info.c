/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `info` shows of a file: the container's words, its first and last times, and what one pass
 * over all pages tells. Makes no origin, so that a file can be looked at without becoming a source.
 */
#include "feed/cursor.h"
#include "feed/native.h"
#include "feed/page_step.h"

#include <stdlib.h>

/* files up to this size are read through whether asked for or not */
#define SMALL (4u << 20)

/* The time of the first record that @c comes to, or of the last; false if there is none. */
static bool time_at(struct cursor *c, struct chunk_mem *mem, bool last, uint64_t *ts)
{
	struct feed_stats st = {0};
	bool any = false;

	while (cursor_page(c, mem, &st)) {
		const uint8_t *data;
		uint32_t len;

		while (page_step(&c->it, &data, &len)) {
			if (len < 2)
				continue;
			*ts = c->it.ts;
			any = true;
			if (!last)
				return !st.cut;
		}
	}
	return any && !st.cut;
}

/* to the last chunk; false: the sizes of chunks make no sense */
static bool to_last_chunk(struct cursor *c)
{
	uint8_t head[8];
	uint64_t off = c->off + 4;
	uint32_t n;

	if (container_pread(c->ct, head, 4, c->off) != 4)
		return false;
	n = page_u32(head, c->ct->swap);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t next;

		if (off > c->end || c->end - off < 8 || container_pread(c->ct, head, 8, off) != 8)
			return false;
		next = off + 8 + page_u32(head, c->ct->swap);
		if (i + 1 == n) {
			c->off = off;
			c->begun = true;
			c->chunks = 1;
		}
		off = next;
	}
	return n && off <= c->end;
}

/* The times of a CPU by its first page and its last ones; false: only reading all of it can tell.
 */
static bool cpu_times(struct container *ct, unsigned buffer, unsigned cpu, struct feed_info *out)
{
	const struct cont_buffer *b = &ct->buffers[buffer];
	struct chunk_mem mem = {0};
	struct cursor c;
	uint64_t first = 0, last = 0;
	bool ok;

	if (!b->cpus[cpu].size)
		return true;
	cursor_init(&c, ct, buffer, cpu, b->page_size);
	ok = time_at(&c, &mem, false, &first);
	cursor_free(&c);
	cursor_init(&c, ct, buffer, cpu, b->page_size);
	if (ok && b->chunked)
		ok = to_last_chunk(&c);
	else if (ok && c.end - c.off > b->page_size)
		c.off = c.end - b->page_size;
	ok = ok && time_at(&c, &mem, true, &last);
	cursor_free(&c);
	free(mem.p);
	if (!ok)
		return false;
	first = feed_time(ct, first);
	last = feed_time(ct, last);
	if (!out->has_times || first < out->first_ts)
		out->first_ts = first;
	if (!out->has_times || last > out->last_ts)
		out->last_ts = last;
	out->has_times = true;
	return true;
}

/* Without reading all of it; false: that is the only way. */
static bool at_a_glance(struct container *ct, struct feed_info *out)
{
	if (ct->cut)
		return false;
	for (size_t i = 0; i < ct->nbuffers; i++) {
		for (size_t k = 0; k < ct->buffers[i].ncpus; k++) {
			const struct cont_cpu *c = &ct->buffers[i].cpus[k];

			if (!cpu_times(ct, (unsigned)i, (unsigned)k, out))
				return false;
			out->lost += c->overrun + c->lost_at_end;
		}
	}
	return true;
}

static void count(struct container *ct, struct feed_info *out)
{
	struct feed *f = feed_native(ct, NULL, NULL);
	struct rec r;

	out->first_ts = out->last_ts = 0;
	while (feed_next(f, &r) > 0) {
		if (f->stats.events == 1)
			out->first_ts = r.ts;
		out->last_ts = r.ts > out->last_ts ? r.ts : out->last_ts;
	}
	out->counted = true;
	out->events = f->stats.events;
	out->has_times = out->events > 0;
	out->lost = f->stats.lost;
	out->lost_spots = f->stats.lost_spots;
	out->cut_bytes = f->stats.cut_bytes;
	out->cut = f->stats.cut;
	out->bad_pages = f->stats.bad_pages;
	feed_free(f);
}

int feed_file_info(struct session *s, struct catalog *c, const char *path, enum info_depth depth,
		   struct feed_info *out)
{
	struct container *ct = container_open(s, path);
	const char **names;

	memset(out, 0, sizeof(*out));
	if (!ct)
		return -1;
	names = ARENA_ARRAY(ct->arena, const char *, ct->nbuffers);
	for (size_t i = 0; i < ct->nbuffers; i++) {
		unsigned n = (unsigned)ct->buffers[i].ncpus;

		names[i] = ct->buffers[i].name;
		out->cpus = n > out->cpus ? n : out->cpus;
	}
	out->path = ct->path;
	out->version = ct->version;
	out->compression = ct->compression ? ct->compression : "none";
	out->uname = ct->uname;
	out->clock = ct->clock;
	out->has_tsc2nsec = ct->has_tsc2nsec;
	out->long_size = ct->long_size;
	out->big_endian = ct->file_big;
	out->page_size = ct->page_size;
	out->size = ct->size;
	out->nbuffers = (unsigned)ct->nbuffers;
	out->buffers = names;
	if (depth == INFO_COUNT || (depth == INFO_AUTO && ct->size <= SMALL) ||
	    !at_a_glance(ct, out))
		count(ct, out);
	out->why = ct->why;
	catalog_keep(c, container_put, ct);
	return 0;
}
