/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `info` shows of a file: the container's words and one pass over all pages. Makes no origin,
 * so that a file can be looked at without becoming a source.
 */
#include "feed/native.h"

int feed_file_info(struct session *s, struct catalog *c, const char *path, struct feed_info *out)
{
	struct container *ct = container_open(s, path);
	const char **names;
	struct feed *f;
	struct rec r;

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
	f = feed_native(ct, NULL, NULL);
	while (feed_next(f, &r) > 0) {
		if (f->stats.events == 1)
			out->first_ts = r.ts;
		out->last_ts = r.ts > out->last_ts ? r.ts : out->last_ts;
	}
	out->events = f->stats.events;
	out->lost = f->stats.lost;
	out->lost_spots = f->stats.lost_spots;
	out->cut_bytes = f->stats.cut_bytes;
	out->cut = f->stats.cut;
	out->bad_pages = f->stats.bad_pages;
	out->why = ct->why;
	feed_free(f);
	catalog_keep(c, container_put, ct);
	return 0;
}
