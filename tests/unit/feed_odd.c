/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files made for the test: other machines, odd options, huge offsets, losses, and cut ones. */
#include "feed_util.h"
#include "mkdat.h"

#include <fcntl.h>
#include <sys/stat.h>

/* two tasks taking turns on each CPU, @n switches a CPU, @step ns apart */
static void turns(struct mkdat *d, unsigned n, uint64_t start, uint64_t step)
{
	for (unsigned c = 0; c < d->ncpus; c++) {
		for (unsigned i = 0; i < n; i++) {
			const char *a = i & 1 ? "a: [b]-7" : "swapper",
				   *b = i & 1 ? "swapper" : "x)\"";

			mkdat_switch(d, 0, c, start + c + i * step, a, i & 1 ? 7 : 0, 1, b,
				     i & 1 ? 0 : 9);
		}
	}
}

/* write the file, read it with both readers, which must agree; returns the native records */
static struct taken both(struct mkdat *d, const char *what)
{
	char path[256];
	struct taken a, b;

	temp_file(path, sizeof(path), what);
	assert_int_equal(mkdat_write(d, path), 0);
	a = take(path, READER_NATIVE);
	b = take(path, READER_LIBTRACECMD);
	unlink(path);
	assert_ptr_not_equal(a.ops, b.ops); /* it was not refused */
	same_records(what, &a, &b);
	take_free(&b);
	return a;
}

static void machines_of_every_word_size_and_byte_order(void **state)
{
	for (int k = 0; k < 4; k++) {
		struct mkdat *d = mkdat_new();
		struct taken t;

		d->long_size = k & 1 ? 4 : 8;
		d->big_endian = k & 2;
		d->ncpus = 3;
		mkdat_sched(d);
		turns(d, 200, 5000000000ull, 1000);
		t = both(d, "machine");
		assert_int_equal(t.n, 600);
		assert_int_equal(t.v[0].ts, 5000000000ull);
		assert_int_equal(t.v[599].ts, 5000000000ull + 2 + 199 * 1000);
		assert_string_equal(t.v[0].event, "sched_switch");
		assert_int_equal(t.v[0].len, d->long_size == 8 ? 64 : 60);
		for (size_t i = 0; i < t.n; i++)
			assert_int_equal(t.v[i].cpu, i % 3);
		take_free(&t);
		mkdat_free(d);
	}
	(void)state;
}

static void sixty_four_cpus_merge_by_time(void **state)
{
	struct mkdat *d = mkdat_new();
	struct taken t;
	uint64_t seed = 7;

	d->ncpus = 64;
	mkdat_sched(d);
	for (unsigned c = 0; c < 64; c++) {
		uint64_t ts = 1000;

		if (c == 13)
			continue; /* without data */
		for (int i = 0; i < 100; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			ts += seed >> 60; /* many equal times */
			mkdat_switch(d, 0, c, ts, "a", 1, 0, "b", 2);
		}
	}
	t = both(d, "64cpus");
	assert_int_equal(t.n, 6300);
	for (size_t i = 1; i < t.n; i++) {
		assert_true(t.v[i - 1].ts <= t.v[i].ts);
		/* of equal times the lower cpu comes first */
		assert_true(t.v[i - 1].ts < t.v[i].ts || t.v[i - 1].cpu <= t.v[i].cpu);
	}
	take_free(&t);
	mkdat_free(d);
	(void)state;
}

static void times_far_apart_and_absolute(void **state)
{
	static const uint64_t ts[] = {
		1, 2, 3 + (1ull << 27), 4 + (1ull << 40), 5 + (1ull << 58), (1ull << 59) - 1};

	for (int absolute = 0; absolute < 2; absolute++) {
		struct mkdat *d = mkdat_new();
		struct taken t;

		d->absolute = absolute;
		mkdat_sched(d);
		for (size_t i = 0; i < sizeof(ts) / sizeof(*ts); i++)
			mkdat_switch(d, 0, 0, ts[i], "a", 1, 0, "b", 2);
		t = both(d, "times");
		assert_int_equal(t.n, sizeof(ts) / sizeof(*ts));
		for (size_t i = 0; i < t.n; i++)
			assert_int_equal(t.v[i].ts, ts[i]);
		take_free(&t);
		mkdat_free(d);
	}
	(void)state;
}

static void cycles_become_nanoseconds_by_tsc2nsec(void **state)
{
	struct mkdat *d = mkdat_new();
	struct taken t;

	mkdat_sched(d);
	d->clock = "x86-tsc";
	mkdat_tsc2nsec(d, 5 << 8, 9, 12345); /* 2.5 ns a cycle; the offset is not for times */
	mkdat_switch(d, 0, 0, 1000, "a", 1, 0, "b", 2);
	mkdat_switch(d, 0, 0, 1ull << 55, "a", 1, 0, "b", 2);
	t = both(d, "tsc");
	assert_int_equal(t.v[0].ts, 2500);
	assert_int_equal(t.v[1].ts, (1ull << 54) * 5); /* the product needs more than 64 bits */
	take_free(&t);
	mkdat_free(d);
	(void)state;
}

static void offsets_of_times_are_added(void **state)
{
	struct mkdat *d = mkdat_new();
	struct taken t;

	mkdat_sched(d);
	mkdat_option(d, 7, "-400", 5); /* OFFSET, ns */
	mkdat_option(d, 1, "0x10", 5); /* DATE, us */
	mkdat_switch(d, 0, 0, 1000, "a", 1, 0, "b", 2);
	t = both(d, "offset");
	assert_int_equal(t.v[0].ts, 1000 - 400 + 16000);
	take_free(&t);
	mkdat_free(d);
	(void)state;
}

static void unknown_options_are_skipped(void **state)
{
	struct mkdat *d = mkdat_new();
	static char big[70000];
	struct taken t;

	mkdat_sched(d);
	mkdat_option(d, 99, "what", 4);
	mkdat_option(d, 4242, big, sizeof(big));
	mkdat_option(d, 65535, "", 0);
	turns(d, 10, 1000, 10);
	t = both(d, "options");
	assert_int_equal(t.n, 10);
	assert_false(t.stats.cut);
	take_free(&t);
	mkdat_free(d);
	(void)state;
}

static void records_of_unknown_ids_are_counted_and_skipped(void **state)
{
	struct mkdat *d = mkdat_new();
	struct buf b = {0};
	char path[256];
	struct taken t;

	mkdat_sched(d);
	turns(d, 2, 1000, 10);
	mkdat_common(d, &b, 999, 1);
	mkdat_rec(d, 0, 0, 2000, b.p, b.len);
	mkdat_rec(d, 0, 0, 2001, b.p, 0); /* too short for an id */
	mkdat_common(d, &b, 65535, 1);
	mkdat_rec(d, 0, 0, 2002, b.p, b.len);
	mkdat_switch(d, 0, 0, 3000, "a", 1, 0, "b", 2);
	temp_file(path, sizeof(path), "ids");
	assert_int_equal(mkdat_write(d, path), 0);
	t = take(path, READER_NATIVE);
	unlink(path);
	assert_int_equal(t.n, 3);
	assert_int_equal(t.stats.unknown, 3);
	assert_false(t.stats.cut);
	take_free(&t);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

static void instances_keep_their_records_apart(void **state)
{
	struct mkdat *d = mkdat_new();
	unsigned one = mkdat_instance(d, "one"), two;
	struct taken t;

	two = mkdat_instance(d, "two");
	d->ncpus = 2;
	mkdat_sched(d);
	for (int i = 0; i < 30; i++) {
		mkdat_switch(d, 0, 0, 1000 + i * 30, "a", 1, 0, "b", 2);
		mkdat_switch(d, one, 1, 1010 + i * 30, "a", 1, 0, "b", 2);
		mkdat_wakeup(d, two, 0, 1020 + i * 30, 1, "b", 2, 1);
	}
	t = both(d, "instances");
	assert_int_equal(t.n, 90);
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(t.v[i].buffer, i % 3);
		assert_int_equal(t.v[i].cpu, i % 3 == 1);
	}
	take_free(&t);
	mkdat_free(d);
	(void)state;
}

static void lost_events_are_told_before_the_next_record_and_counted(void **state)
{
	struct mkdat *d = mkdat_new();
	static const char stats[] = "CPU: 1\nentries: 0\noverrun: 50\ncommit overrun: 1\n"
				    "dropped events: 4\nread events: 3\n";
	struct taken t;

	d->ncpus = 2;
	mkdat_sched(d);
	mkdat_option(d, 2, stats, sizeof(stats));
	mkdat_switch(d, 0, 0, 100, "a", 1, 0, "b", 2);
	mkdat_missed(d, 0, 0, 7);
	mkdat_switch(d, 0, 0, 200, "a", 1, 0, "b", 2);
	mkdat_missed(d, 0, 0, -1);
	mkdat_switch(d, 0, 0, 300, "a", 1, 0, "b", 2);
	mkdat_missed(d, 0, 1, 20);
	mkdat_switch(d, 0, 1, 400, "a", 1, 0, "b", 2);
	t = both(d, "lost");
	assert_int_equal(t.n, 4);
	assert_int_equal(t.v[0].missed, 0);
	assert_int_equal(t.v[1].missed, 7);
	assert_int_equal(t.v[2].missed, -1);
	assert_int_equal(t.v[3].missed, 20);
	/* cpu 1: 20 told by the page and 30 more by the statistics, 5 at the end */
	assert_int_equal(t.stats.lost, 7 + 50 + 5);
	assert_int_equal(t.stats.lost_spots, 1);
	take_free(&t);
	mkdat_free(d);
	(void)state;
}

static void unwanted_events_are_skipped_but_losses_before_them_stay(void **state)
{
	struct mkdat *d = mkdat_new();
	uint8_t want[8] = {0};
	char path[256];
	struct world w;
	struct feed *f;
	struct event *e;
	struct rec r;

	mkdat_sched(d);
	mkdat_switch(d, 0, 0, 100, "a", 1, 0, "b", 2);
	mkdat_wakeup(d, 0, 0, 110, 1, "b", 2, 0);
	mkdat_missed(d, 0, 0, 3);
	mkdat_switch(d, 0, 0, 200, "a", 1, 0, "b", 2);
	mkdat_missed(d, 0, 0, 4);
	mkdat_switch(d, 0, 0, 300, "a", 1, 0, "b", 2);
	mkdat_wakeup(d, 0, 0, 310, 1, "b", 2, 0);
	mkdat_wakeup(d, 0, 0, 320, 1, "b", 2, 0);
	temp_file(path, sizeof(path), "want");
	assert_int_equal(mkdat_write(d, path), 0);
	for (int k = 0; k < 2; k++) {
		world_open(&w);
		w.s.set.reader = k ? READER_LIBTRACECMD : READER_NATIVE;
		f = feed_open_file(&w.s, w.c, path);
		assert_non_null(f);
		e = catalog_find(w.c, "sched", "sched_wakeup");
		assert_non_null(e);
		assert_true(catalog_nevents(w.c) <= sizeof(want));
		memset(want, 0, sizeof(want));
		want[e->index] = 1;
		f->ops->want(f, want, catalog_nevents(w.c));
		assert_int_equal(feed_next(f, &r), 1);
		assert_ptr_equal(r.ev, e);
		assert_int_equal(r.ts, 110);
		assert_int_equal(r.missed, 0);
		assert_int_equal(feed_next(f, &r), 1);
		assert_int_equal(r.ts, 310);
		assert_int_equal(r.missed, 7);
		f->ops->want(f, NULL, 0); /* all again */
		assert_int_equal(feed_next(f, &r), 1);
		assert_int_equal(r.ts, 320);
		assert_int_equal(r.missed, 0);
		assert_int_equal(feed_next(f, &r), 0);
		assert_int_equal(feed_next(f, &r), 0);
		assert_int_equal(f->stats.events, 3);
		assert_int_equal(f->stats.lost, 7);
		feed_free(f);
		world_close(&w);
	}
	unlink(path);
	mkdat_free(d);
	(void)state;
}

static void sub_buffers_larger_than_a_page(void **state)
{
	static const char large[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				    "\tfield: char data;\toffset:16;\tsize:16368;\tsigned:1;\n";
	struct mkdat *d = mkdat_new();
	struct buf b = {0};
	struct taken t;
	char path[256];

	d->page_size = 16384;
	mkdat_sched(d);
	turns(d, 1000, 1000, 10);
	t = both(d, "16k");
	assert_int_equal(t.n, 1000);
	take_free(&t);
	mkdat_free(d);

	/* a writer that states the machine's page size: header_page knows better */
	d = mkdat_new();
	d->page_size = 16384;
	d->header_page = large;
	mkdat_sched(d);
	turns(d, 1000, 1000, 10);
	mkdat_bytes(d, &b);
	memcpy(b.p + 14, "\x00\x10\x00\x00", 4);
	temp_file(path, sizeof(path), "16kb");
	write_file(path, b.p, b.len);
	t = take(path, READER_AUTO);
	assert_int_equal(t.n, 1000);
	assert_false(t.stats.cut);
	take_free(&t);
	unlink(path);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

/* the place of the table of a file with one CPU and no instance */
static size_t table_at(const struct buf *b)
{
	const char *p = memmem(b->p, b->len, "flyrecord", 10);

	assert_non_null(p);
	return (size_t)(p - b->p) + 10;
}

static void data_beyond_4_gib(void **state)
{
	struct mkdat *d = mkdat_new();
	uint64_t off = (5ull << 30) + 8192, data_at, size;
	struct taken t, u;
	struct buf b = {0};
	char path[256];
	int fd;

	mkdat_sched(d);
	turns(d, 300, 1000, 10);
	mkdat_bytes(d, &b);
	memcpy(&data_at, b.p + table_at(&b), 8);
	memcpy(&size, b.p + table_at(&b) + 8, 8);
	memcpy(b.p + table_at(&b), &off, 8);
	temp_file(path, sizeof(path), "5gib");
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, b.p, data_at, 0), data_at);
	assert_int_equal(pwrite(fd, b.p + data_at, size, (off_t)off), size); /* sparse */
	close(fd);
	t = take(path, READER_NATIVE);
	u = take(path, READER_LIBTRACECMD);
	unlink(path);
	assert_int_equal(t.n, 300);
	assert_ptr_not_equal(t.ops, u.ops);
	same_records("5gib", &t, &u);
	take_free(&t);
	take_free(&u);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

static void a_file_cut_in_its_data_gives_what_is_there(void **state)
{
	struct mkdat *d = mkdat_new();
	struct buf b = {0};
	uint64_t data_at, size;
	char path[256];
	size_t last = 0;

	mkdat_sched(d);
	turns(d, 300, 1000, 10);
	mkdat_bytes(d, &b);
	memcpy(&data_at, b.p + table_at(&b), 8);
	memcpy(&size, b.p + table_at(&b) + 8, 8);
	assert_int_equal(b.len, data_at + size);
	temp_file(path, sizeof(path), "cut");
	for (size_t len = data_at + 100; len < b.len; len += 997) {
		struct taken t;

		write_file(path, b.p, len);
		t = take(path, READER_LIBTRACECMD); /* which must not get to see it */
		assert_true(t.stats.cut);
		assert_true(t.stats.cut_bytes >= b.len - len &&
			    t.stats.cut_bytes < b.len - len + 4096);
		assert_true(t.n >= last && t.n <= 300);
		assert_true(t.n >= (len - data_at) / 4096 * 59);
		assert_int_equal(t.stats.bad_pages, 0);
		for (size_t i = 0; i < t.n; i++)
			assert_int_equal(t.v[i].ts, 1000 + 10 * i);
		last = t.n;
		take_free(&t);
	}
	unlink(path);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

static void a_file_cut_before_its_data_is_a_bad_file(void **state)
{
	struct mkdat *d = mkdat_new();
	struct buf b = {0};
	uint64_t data_at;
	char path[256];

	mkdat_sched(d);
	turns(d, 3, 1000, 10);
	mkdat_bytes(d, &b);
	memcpy(&data_at, b.p + table_at(&b), 8);
	temp_file(path, sizeof(path), "head");
	for (size_t len = 0; len <= data_at; len += len < 100 ? 1 : 61) {
		struct world w;

		write_file(path, b.p, len);
		world_open(&w);
		assert_null(feed_open_file(&w.s, w.c, path));
		assert_int_equal(w.diags.errors, 1);
		assert_string_equal(world_code(&w), "bad-file");
		world_close(&w);
	}
	unlink(path);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

static void what_is_no_file_is_refused(void **state)
{
	struct world w;

	world_open(&w);
	assert_null(feed_open_file(&w.s, w.c, "/no/such/file.dat"));
	assert_string_equal(world_code(&w), "refused");
	assert_non_null(strstr(w.diags.v[0].msg, "/no/such/file.dat"));
	assert_null(feed_open_file(&w.s, w.c, "/dev/null"));
	assert_string_equal(world_code(&w), "bad-file");
	assert_null(feed_open_file(&w.s, w.c, "/"));
	assert_string_equal(world_code(&w), "bad-file");
	world_close(&w);
	(void)state;
}

static void pages_that_were_never_written_are_a_cut(void **state)
{
	struct mkdat *d = mkdat_new();
	struct buf b = {0};
	uint64_t data_at;
	char path[256];
	struct taken t;

	mkdat_sched(d);
	turns(d, 300, 1000, 10);
	mkdat_bytes(d, &b);
	memcpy(&data_at, b.p + table_at(&b), 8);
	memset(b.p + data_at + 2 * 4096, 0, b.len - data_at - 2 * 4096);
	temp_file(path, sizeof(path), "zero");
	write_file(path, b.p, b.len);
	t = take(path, READER_NATIVE);
	unlink(path);
	assert_int_equal(t.n, 118); /* 59 records of 68 bytes in each of two pages */
	assert_true(t.stats.cut);
	assert_int_equal(t.stats.cut_bytes, b.len - data_at - 2 * 4096);
	assert_int_equal(t.stats.bad_pages, 0);
	take_free(&t);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

static void a_corrupt_page_costs_only_itself(void **state)
{
	struct mkdat *d = mkdat_new();
	struct buf b = {0};
	uint64_t data_at;
	char path[256];
	struct taken t;

	mkdat_sched(d);
	turns(d, 300, 1000, 10);
	mkdat_bytes(d, &b);
	memcpy(&data_at, b.p + table_at(&b), 8);
	memset(b.p + data_at + 4096 + 8, 0xff, 8);           /* the second page's commit word */
	memset(b.p + data_at + 2 * 4096 + 16, 0, 4096 - 16); /* the third page's records */
	temp_file(path, sizeof(path), "bad");
	write_file(path, b.p, b.len);
	t = take(path, READER_LIBTRACECMD); /* seen in time, so read natively */
	unlink(path);
	assert_int_equal(t.n, 300 - 2 * 59);
	assert_true(t.stats.cut);
	assert_int_equal(t.stats.bad_pages, 2);
	take_free(&t);
	buf_free(&b);
	mkdat_free(d);
	(void)state;
}

static void several_files_merge_by_time(void **state)
{
	struct feed *v[3], *f;
	char path[256];
	struct taken t;
	struct world w;

	world_open(&w);
	for (unsigned i = 0; i < 3; i++) {
		struct mkdat *d = mkdat_new();

		mkdat_sched(d);
		turns(d, 50, 1000 + i, 10);
		mkdat_missed(d, 0, 0, 1);
		mkdat_switch(d, 0, 0, 9000 + i, "a", 1, 0, "b", 2);
		temp_file(path, sizeof(path), "merge");
		assert_int_equal(mkdat_write(d, path), 0);
		v[i] = feed_open_file(&w.s, w.c, path);
		assert_non_null(v[i]);
		unlink(path);
		mkdat_free(d);
	}
	f = feed_merge(v, 1);
	assert_ptr_equal(f, v[0]);
	f = feed_merge(v, 3);
	assert_int_equal(f->ops->fd(f), -1);
	t = take_feed(f);
	assert_int_equal(t.n, 153);
	assert_int_equal(t.stats.lost, 3);
	for (size_t i = 1; i < t.n; i++)
		assert_true(t.v[i - 1].ts < t.v[i].ts);
	assert_int_equal(catalog_norigins(w.c), 3);
	take_free(&t);
	t = take_feed(feed_merge(NULL, 0));
	assert_int_equal(t.n, 0);
	world_close(&w);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_of_every_word_size_and_byte_order),
		cmocka_unit_test(sixty_four_cpus_merge_by_time),
		cmocka_unit_test(times_far_apart_and_absolute),
		cmocka_unit_test(cycles_become_nanoseconds_by_tsc2nsec),
		cmocka_unit_test(offsets_of_times_are_added),
		cmocka_unit_test(unknown_options_are_skipped),
		cmocka_unit_test(records_of_unknown_ids_are_counted_and_skipped),
		cmocka_unit_test(instances_keep_their_records_apart),
		cmocka_unit_test(lost_events_are_told_before_the_next_record_and_counted),
		cmocka_unit_test(unwanted_events_are_skipped_but_losses_before_them_stay),
		cmocka_unit_test(sub_buffers_larger_than_a_page),
		cmocka_unit_test(data_beyond_4_gib),
		cmocka_unit_test(a_file_cut_in_its_data_gives_what_is_there),
		cmocka_unit_test(a_file_cut_before_its_data_is_a_bad_file),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(pages_that_were_never_written_are_a_cut),
		cmocka_unit_test(a_corrupt_page_costs_only_itself),
		cmocka_unit_test(several_files_merge_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
