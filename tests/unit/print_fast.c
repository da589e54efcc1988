/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events as text by print programs and by libtraceevent: the same bytes, for the records of the
 * files and for made-up records of every format that is in them.
 */
#include "feed_util.h"

#include "base/io.h"
#include "base/num.h"

#include <inttypes.h>

static const char *const files[] = {
	"v6-small", "v7-zstd",      "v6-instances", "v7-instances",
	"v6-lost",  "v6-clock-tsc", "v7-none",      "v7-overwrite",
};

#define NFILES (sizeof(files) / sizeof(*files))

struct pair {
	struct world fast, slow;
	struct feed *f, *s;
};

static void pair_open(struct pair *p, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/data/%s.dat", name);
	world_open(&p->fast);
	world_open(&p->slow);
	p->slow.s.set.slow_print = true;
	p->f = feed_open_file(&p->fast.s, p->fast.c, path);
	p->s = feed_open_file(&p->slow.s, p->slow.c, path);
	assert_non_null(p->f);
	assert_non_null(p->s);
}

static void pair_close(struct pair *p)
{
	feed_free(p->f);
	feed_free(p->s);
	world_close(&p->fast);
	world_close(&p->slow);
}

/* @r of the fast world, printed in both */
static void same_text(struct pair *p, const struct rec *r, struct buf *a, struct buf *b)
{
	struct rec q = *r;

	q.ev = catalog_event(p->slow.c, r->ev->index);
	q.origin = q.ev->origin;
	assert_string_equal(q.ev->name, r->ev->name);
	buf_clear(a);
	buf_clear(b);
	rec_print(r, a);
	rec_print(&q, b);
	if (a->len != b->len || memcmp(buf_str(a), buf_str(b), a->len) != 0)
		fail_msg("%s (%s): \"%s\" is not \"%s\"", r->ev->name, r->ev->print_fmt, buf_str(a),
			 buf_str(b));
}

static void records_of_the_files(void **state)
{
	struct buf a = {0}, b = {0};

	(void)state;
	for (size_t i = 0; i < NFILES; i++) {
		struct pair p;
		struct rec r;
		size_t n = 0;

		pair_open(&p, files[i]);
		while (feed_next(p.f, &r) > 0) {
			same_text(&p, &r, &a, &b);
			n++;
		}
		assert_true(n > 0);
		pair_close(&p);
	}
	buf_free(&a);
	buf_free(&b);
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

static void same_digits(uint64_t v)
{
	char have[NUM_MAX + 1], want[NUM_MAX + 1];

	have[num_dec(have, v)] = 0;
	snprintf(want, sizeof(want), "%" PRIu64, v);
	assert_string_equal(have, want);
	have[num_hex(have, v)] = 0;
	snprintf(want, sizeof(want), "%" PRIx64, v);
	assert_string_equal(have, want);
}

static void digits_as_by_printf(void **state)
{
	uint64_t x = 88172645463325252ull, p = 1;

	(void)state;
	for (unsigned i = 0; i < 20; i++, p *= 10) {
		same_digits(p - 1);
		same_digits(p);
		same_digits(p + 1);
	}
	for (unsigned i = 0; i < 64; i++) {
		same_digits((1ull << i) - 1);
		same_digits(1ull << i);
	}
	same_digits(UINT64_MAX);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t v = next(&x);

		same_digits(v >> v % 64);
	}
}

/* Bytes for a record of @e: mostly small numbers and short words, sometimes anything. */
static uint32_t invent(struct event *e, uint64_t *x, uint8_t *d, bool swap)
{
	uint32_t n = e->min_size + (uint32_t)(next(x) % 40), at = e->min_size;

	for (uint32_t i = 0; i < n; i++)
		d[i] = next(x) % 3 ? 0 : next(x) % 2 ? (uint8_t)next(x) : (uint8_t)(next(x) % 8);
	for (unsigned i = 0; i < e->nfields; i++) {
		const struct field *f = &e->fields[i];
		bool dyn = f->kind == FK_DYN || f->kind == FK_DYN_ARRAY;

		if (strcmp(f->name, "common_type") == 0) {
			uint16_t id = swap ? bswap_16((uint16_t)e->id) : (uint16_t)e->id;

			memcpy(d + f->offset, &id, 2);
		}
		for (uint32_t k = 0; f->kind == FK_STRING && k < f->size; k++)
			d[f->offset + k] = next(x) % 9 ? (uint8_t)('a' + next(x) % 26) : 0;
		if ((dyn || f->kind == FK_REL || f->kind == FK_REL_ARRAY) && f->size == 4) {
			uint32_t len = (uint32_t)(next(x) % (n - at + 1)), loc;

			for (uint32_t k = 0; k < len; k++)
				d[at + k] = (uint8_t)(' ' + next(x) % 95);
			if (len && next(x) % 4)
				d[at + len - 1] = 0;
			loc = (dyn ? at : at - f->offset - 4) | len << 16;
			if (swap)
				loc = bswap_32(loc);
			memcpy(d + f->offset, &loc, 4);
			at += len;
		}
	}
	return n;
}

static void invented_records_of_every_format(void **state)
{
	uint64_t x = 0x9e3779b97f4a7c15ull;
	struct buf a = {0}, b = {0};
	unsigned events = 0;

	(void)state;
	for (size_t i = 0; i < NFILES; i++) {
		struct pair p;

		pair_open(&p, files[i]);
		for (unsigned k = 0; k < catalog_nevents(p.fast.c); k++) {
			struct event *e = catalog_event(p.fast.c, k);
			uint8_t data[70000];

			/* the function plugin keeps what it saw: what it writes depends on it */
			if (event_load(e) || e->min_size > 4096 || event_id(e) < 0)
				continue;
			events++;
			for (int n = 0; n < 40; n++) {
				struct rec r = {.ev = e,
						.origin = e->origin,
						.data = data,
						.ts = 1,
						.cpu = 1};

				r.len = invent(e, &x, data, e->origin->big_endian);
				same_text(&p, &r, &a, &b);
			}
		}
		pair_close(&p);
	}
	assert_true(events > 1000);
	buf_free(&a);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_as_by_printf),
		cmocka_unit_test(records_of_the_files),
		cmocka_unit_test(invented_records_of_every_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
