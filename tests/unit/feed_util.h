/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of feed/ share: a session with a catalog, records kept for comparison. */
#ifndef TRACESH_TESTS_FEED_UTIL_H
#define TRACESH_TESTS_FEED_UTIL_H

#include "feed/feed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* libtracecmd leaks what its sscanf("%ms") calls gave it */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:vsscanf\nleak:libtracecmd\nleak:libtraceevent\n";
}

struct world {
	struct session s;
	struct arena *arena;
	struct diags diags;
	struct catalog *c;
	struct buf err; /* what the session wrote */
	size_t errlen;
};

static inline void world_open(struct world *w)
{
	memset(w, 0, sizeof(*w));
	session_init(&w->s);
	w->s.verbosity = -1;
	w->arena = arena_new();
	diags_init(&w->diags, w->arena);
	w->s.diags = &w->diags;
	w->s.set.reader = READER_NATIVE;
	w->c = catalog_new(&w->s);
}

static inline void world_close(struct world *w)
{
	catalog_free(w->c);
	arena_free(w->arena);
	session_free(&w->s);
}

/* the code of the last diagnostic, "" when there is none */
static inline const char *world_code(const struct world *w)
{
	return w->diags.n ? w->diags.v[w->diags.n - 1].code : "";
}

struct kept {
	uint64_t ts, hash;
	int64_t missed;
	char event[40];
	uint32_t len;
	int cpu;
	uint16_t buffer;
};

struct taken {
	struct kept *v;
	size_t n;
	struct feed_stats stats;
	const struct feed_ops *ops; /* tells which reader it was */
};

#define TAKE_MAX 2000000 /* no file of the tests has as many records */

static inline uint64_t fnv(const uint8_t *p, size_t n)
{
	uint64_t h = 14695981039346656037ull;

	while (n--)
		h = (h ^ *p++) * 1099511628211ull;
	return h;
}

/* take_feed - all records of a feed; frees the feed */
static inline struct taken take_feed(struct feed *f)
{
	struct taken t = {0};
	struct rec r;
	int rc;

	while ((rc = feed_next(f, &r)) > 0 && t.n < TAKE_MAX) {
		struct kept *k;

		if ((t.n & (t.n - 1)) == 0)
			t.v = realloc(t.v, (t.n ? 2 * t.n : 1) * sizeof(*t.v));
		k = &t.v[t.n++];
		memset(k, 0, sizeof(*k));
		assert_non_null(r.ev);
		snprintf(k->event, sizeof(k->event), "%s", r.ev->name);
		k->ts = r.ts;
		k->hash = fnv(r.data, r.len);
		k->missed = r.missed;
		k->len = r.len;
		k->cpu = r.cpu;
		k->buffer = r.buffer;
	}
	assert_int_equal(rc, 0);
	t.stats = f->stats;
	t.ops = f->ops;
	assert_int_equal(t.stats.events, t.n);
	feed_free(f);
	return t;
}

/* take - all records of a file with one of the readers; fails the test when it cannot be opened */
static inline struct taken take(const char *path, enum reader_kind reader)
{
	struct world w;
	struct feed *f;
	struct taken t;

	world_open(&w);
	w.s.set.reader = reader;
	f = feed_open_file(&w.s, w.c, path);
	if (!f)
		fail_msg("%s: %s", path, w.diags.n ? w.diags.v[0].msg : "no diag");
	t = take_feed(f);
	world_close(&w);
	return t;
}

static inline void take_free(struct taken *t)
{
	free(t->v);
}

/* same_stats - field by field, there is padding between them */
static inline void same_stats(const struct feed_stats *a, const struct feed_stats *b)
{
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->unknown, b->unknown);
	assert_int_equal(a->lost, b->lost);
	assert_int_equal(a->lost_spots, b->lost_spots);
	assert_int_equal(a->cut_bytes, b->cut_bytes);
	assert_int_equal(a->bad_pages, b->bad_pages);
	assert_int_equal(a->cut, b->cut);
}

/* same_records - and in the same order */
static inline void same_records(const char *what, const struct taken *a, const struct taken *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t k = 0; k < a->n; k++) {
		if (memcmp(&a->v[k], &b->v[k], sizeof(a->v[k])) != 0)
			fail_msg("%s: record %zu: %s cpu %d at %llu, other: %s cpu %d at %llu",
				 what, k, a->v[k].event, a->v[k].cpu,
				 (unsigned long long)a->v[k].ts, b->v[k].event, b->v[k].cpu,
				 (unsigned long long)b->v[k].ts);
	}
}

/* temp_file - a name for a file of this test program; the caller unlinks it */
static inline const char *temp_file(char *buf, size_t size, const char *what)
{
	const char *dir = getenv("TMPDIR");

	snprintf(buf, size, "%s/tracesh-test-%d-%s", dir ? dir : "/tmp", (int)getpid(), what);
	return buf;
}

static inline void write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

#endif
