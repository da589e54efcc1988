/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * More than a thousand cuts and as many random corruptions of recorded files, spread over their
 * headers and data: each is opened and read to its end. Nothing may crash or hang, and no more
 * events come out than the bytes can hold.
 */
#include "feed_util.h"

#include "base/io.h"

static const char *const files[] = {"v6-small", "v6-instances", "v6-lost",
				    "v7-zstd",  "v7-instances", "v7-none"};

#define NFILES (sizeof(files) / sizeof(*files))
#define CUTS 180
#define CORRUPTIONS 200

struct file {
	struct buf bytes;
	size_t data;   /* where data begin, about */
	size_t events; /* when whole */
	bool chunked;
};

static uint64_t rnd(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

struct outcome {
	bool opened;
	uint64_t events, sum;
	bool cut;
};

static struct outcome drain_with(const char *path, const struct file *of, bool check_order,
				 enum reader_kind reader)
{
	/* a plain page has an event in 8 bytes or more; a chunk of 40 KiB comes from 12 bytes or
	 * more */
	uint64_t limit = of->bytes.len / 8 * (of->chunked ? 1000 : 1) + 1000;
	struct outcome o = {0};
	uint64_t last = 0;
	struct world w;
	struct feed *f;
	struct rec r;
	struct buf text = {0};
	int rc;

	world_open(&w);
	w.s.set.reader = reader;
	f = feed_open_file(&w.s, w.c, path);
	if (!f) {
		assert_true(w.diags.errors == 1);
		assert_string_equal(world_code(&w), "bad-file");
		world_close(&w);
		return o;
	}
	o.opened = true;
	while ((rc = feed_next(f, &r)) > 0) {
		assert_non_null(r.ev);
		assert_true(r.len >= 2);
		o.sum += fnv(r.data, r.len); /* every byte can be read */
		event_load(r.ev);
		if (o.events % 50 == 0) {
			buf_clear(&text);
			rec_print(&r, &text);
		}
		if (check_order)
			assert_true(r.ts >= last);
		last = r.ts;
		if (++o.events + f->stats.unknown > limit)
			fail_msg("%s: more events than there can be", path);
	}
	assert_int_equal(rc, 0);
	o.cut = f->stats.cut;
	for (unsigned i = 0; i < catalog_nevents(w.c); i++)
		event_load(catalog_event(w.c, i));
	feed_free(f);
	buf_free(&text);
	world_close(&w);
	return o;
}

static struct outcome drain(const char *path, const struct file *of, bool check_order)
{
	return drain_with(path, of, check_order, READER_AUTO);
}

static int load(void **state)
{
	struct file *v = calloc(NFILES, sizeof(*v));

	for (size_t i = 0; i < NFILES; i++) {
		char path[256];
		struct outcome o;
		const char *p;

		snprintf(path, sizeof(path), "tests/data/%s.dat", files[i]);
		if (io_read_file(path, &v[i].bytes, 1 << 20))
			return -1;
		v[i].chunked = strstr(files[i], "v7-zstd") || strstr(files[i], "v7-inst");
		p = memmem(v[i].bytes.p, v[i].bytes.len, "flyrecord", 10);
		v[i].data = p ? (size_t)(p - v[i].bytes.p) : v[i].bytes.len / 3;
		o = drain(path, &v[i], true);
		v[i].events = o.events;
		if (!o.events || o.cut)
			return -1;
	}
	*state = v;
	return 0;
}

static int unload(void **state)
{
	struct file *v = *state;

	for (size_t i = 0; i < NFILES; i++)
		buf_free(&v[i].bytes);
	free(v);
	return 0;
}

static void cuts_anywhere(void **state)
{
	const struct file *v = *state;
	unsigned opened = 0, cut = 0, refused = 0;
	char path[256];

	temp_file(path, sizeof(path), "cut");
	for (size_t i = 0; i < NFILES; i++) {
		uint64_t seed = 0x9e3779b97f4a7c15ull + i;

		for (unsigned k = 0; k < CUTS; k++) {
			size_t len = v[i].bytes.len, at;
			struct outcome o;

			if (k % 3 == 0) /* header */
				at = rnd(&seed) % (v[i].data + 200);
			else if (k % 3 == 1) /* data */
				at = v[i].data + rnd(&seed) % (len - v[i].data);
			else
				at = len * k / CUTS;
			write_file(path, v[i].bytes.p, at);
			o = drain(path, &v[i], true);
			assert_true(o.events <= v[i].events);
			opened += o.opened;
			refused += !o.opened;
			cut += o.opened && o.cut;
			/* a file that lost bytes says so */
			if (o.opened && at < len)
				assert_true(o.cut);
		}
	}
	unlink(path);
	assert_true(opened + refused >= 1000);
	assert_true(opened > 300 && refused > 200 && cut > 300);
	(void)state;
}

static void random_bytes_anywhere(void **state)
{
	const struct file *v = *state;
	unsigned opened = 0, total = 0;
	char path[256];

	temp_file(path, sizeof(path), "corrupt");
	for (size_t i = 0; i < NFILES; i++) {
		uint64_t seed = 0xd1b54a32d192ed03ull + i;
		size_t len = v[i].bytes.len;
		uint8_t *copy = malloc(len);

		for (unsigned k = 0; k < CORRUPTIONS; k++) {
			unsigned n = 1 + (unsigned)(rnd(&seed) % (k % 2 ? 4 : 64));
			size_t from = k % 3 == 0 ? 0 : k % 3 == 1 ? v[i].data : 0;
			size_t to = k % 3 == 0 ? v[i].data + 200 : len;

			memcpy(copy, v[i].bytes.p, len);
			while (n--) {
				size_t at = from + rnd(&seed) % (to - from);

				switch (rnd(&seed) % 4) {
				case 0: copy[at] ^= (uint8_t)(1 << rnd(&seed) % 8); break;
				case 1: copy[at] = 0xff; break;
				case 2: copy[at] = 0; break;
				default: copy[at] = (uint8_t)rnd(&seed); break;
				}
			}
			if (k % 10 == 9) /* a whole stretch */
				memset(copy + from, (int)rnd(&seed),
				       rnd(&seed) % (to - from < 8192 ? to - from : 8192));
			write_file(path, copy, len);
			opened += drain(path, &v[i], false).opened;
			total++;
		}
		free(copy);
	}
	unlink(path);
	assert_true(total >= 1000);
	assert_true(opened > 600);
}

/* numbers that decide over lengths, offsets and counts take extreme values, one at a time */
static void extreme_numbers_in_the_metadata(void **state)
{
	static const uint64_t extreme[] = {0,
					   1,
					   0x7fffffff,
					   0x80000000,
					   0xffffffff,
					   0x7fffffffffffffff,
					   0xffffffffffffffff,
					   0xfffffffffffffff0};
	const struct file *v = *state;
	char path[256];

	temp_file(path, sizeof(path), "extreme");
	for (size_t i = 0; i < NFILES; i++) {
		size_t len = v[i].bytes.len, table = v[i].data;
		uint8_t *copy = malloc(len);
		size_t at[24], n = 0;

		for (size_t k = 0; k < 5; k++)
			at[n++] = 10 + 3 * k;
		for (size_t k = 0; k < 6; k++) /* the table of cpus and what is around */
			at[n++] = table + 10 + 8 * k;
		at[n++] = 30; /* length of header_page, offset of options */
		at[n++] = table - 8;
		for (size_t k = 0; k < 4; k++) /* the last options of version 7 */
			at[n++] = len - 90 - 20 * k;
		for (size_t k = 0; k < n; k++) {
			for (size_t e = 0; e < sizeof(extreme) / sizeof(*extreme); e++) {
				if (at[k] + 8 > len)
					continue;
				memcpy(copy, v[i].bytes.p, len);
				memcpy(copy + at[k], &extreme[e], e < 5 ? 4 : 8);
				write_file(path, copy, len);
				drain(path, &v[i], false);
			}
		}
		free(copy);
	}
	unlink(path);
}

/* libtracecmd crashes on many of these: they must not reach it, or only in a child */
static void the_reference_reader_is_kept_from_them(void **state)
{
	const struct file *v = *state;
	char path[256];

	temp_file(path, sizeof(path), "reference");
	for (size_t i = 0; i < NFILES; i++) {
		uint64_t seed = 0xa0761d6478bd642full + i;
		size_t len = v[i].bytes.len;
		uint8_t *copy = malloc(len);

		for (unsigned k = 0; k < 30; k++) {
			size_t from = k % 2 ? v[i].data : 0, to = k % 2 ? len : v[i].data + 200;
			size_t at = from + rnd(&seed) % (to - from - 8);

			memcpy(copy, v[i].bytes.p, len);
			memset(copy + at, k % 3 ? (int)rnd(&seed) : 0xff, 1 + rnd(&seed) % 8);
			write_file(path, copy, k % 5 ? len : at + 8);
			drain_with(path, &v[i], false, READER_LIBTRACECMD);
		}
		free(copy);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_anywhere),
		cmocka_unit_test(random_bytes_anywhere),
		cmocka_unit_test(extreme_numbers_in_the_metadata),
		cmocka_unit_test(the_reference_reader_is_kept_from_them),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
