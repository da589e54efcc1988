/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded files of tests/data: against the answers of trace-cmd report, and reader against reader.
 */
#include "feed_util.h"

#include "base/io.h"

static const char *const files[] = {
	"v6-small", "v7-zstd",      "v6-instances", "v7-instances",
	"v6-lost",  "v6-clock-tsc", "v7-none",      "v7-overwrite",
};

#define NFILES (sizeof(files) / sizeof(*files))

static const char *data_path(char *buf, size_t size, const char *name, const char *ext)
{
	snprintf(buf, size, "tests/data/%s.%s", name, ext);
	if (access(buf, R_OK) != 0)
		fail_msg("%s is not there: run the tests from the project's directory", buf);
	return buf;
}

/* number behind a line "KEY N" of a .report */
static uint64_t answer(const char *name, const char *key, int nth)
{
	char path[256], line[256];
	FILE *f = fopen(data_path(path, sizeof(path), name, "report"), "r");
	uint64_t v = 0;
	bool found = false;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ' ') {
			char *p = line + strlen(key);

			for (int i = 0; i < nth; i++)
				p = strpbrk(p + 1, "0123456789"), v = strtoull(p, &p, 10);
			found = true;
		}
	}
	fclose(f);
	assert_true(found);
	return v;
}

static void counts_are_those_of_trace_cmd_report(void **state)
{
	for (size_t i = 0; i < NFILES; i++) {
		char path[256], name[64];
		unsigned long long want;
		struct taken t =
			take(data_path(path, sizeof(path), files[i], "dat"), READER_NATIVE);
		size_t total = 0;
		FILE *f = fopen(data_path(path, sizeof(path), files[i], "counts"), "r");

		assert_non_null(f);
		while (fscanf(f, "%63s %llu", name, &want) == 2) {
			size_t n = 0;

			for (size_t k = 0; k < t.n; k++)
				n += strcmp(t.v[k].event, name) == 0;
			if (n != want)
				fail_msg("%s: %zu %s, trace-cmd says %llu", files[i], n, name,
					 want);
			total += n;
		}
		fclose(f);
		assert_int_equal(total, t.n);
		assert_int_equal(t.n, answer(files[i], "events", 1));
		assert_int_equal(t.stats.unknown, 0);
		assert_false(t.stats.cut);
		take_free(&t);
	}
	(void)state;
}

static void losses_are_those_of_trace_cmd_report(void **state)
{
	for (size_t i = 0; i < NFILES; i++) {
		char path[256];
		struct taken t =
			take(data_path(path, sizeof(path), files[i], "dat"), READER_NATIVE);
		uint64_t lost = 0, spots = 0;

		for (size_t k = 0; k < t.n; k++) {
			lost += t.v[k].missed > 0 ? (uint64_t)t.v[k].missed : 0;
			spots += t.v[k].missed < 0;
		}
		assert_int_equal(lost, answer(files[i], "lost", 1));
		assert_int_equal(spots, answer(files[i], "lost", 2));
		/* the buffer's own statistics know the number of the unnumbered */
		if (lost || spots)
			assert_true(t.stats.lost > lost || (!spots && t.stats.lost == lost));
		else
			assert_int_equal(t.stats.lost + t.stats.lost_spots, 0);
		take_free(&t);
	}
	(void)state;
}

static void both_readers_give_the_same_records(void **state)
{
	for (size_t i = 0; i < NFILES; i++) {
		char path[256];
		struct taken a =
			take(data_path(path, sizeof(path), files[i], "dat"), READER_NATIVE);
		struct taken b = take(path, READER_LIBTRACECMD);

		assert_ptr_not_equal(a.ops, b.ops);
		same_records(files[i], &a, &b);
		same_stats(&a.stats, &b.stats);
		take_free(&a);
		take_free(&b);
	}
	(void)state;
}

static void records_come_in_time_order_and_within_the_reported_times(void **state)
{
	for (size_t i = 0; i < NFILES; i++) {
		char path[256];
		struct taken t = take(data_path(path, sizeof(path), files[i], "dat"), READER_AUTO);
		bool tsc = strstr(files[i], "tsc") != NULL;
		uint64_t first = answer(files[i], "first", 1), last = answer(files[i], "last", 1);

		if (!tsc) { /* seconds.nanoseconds */
			first = first * 1000000000 + answer(files[i], "first", 2);
			last = last * 1000000000 + answer(files[i], "last", 2);
		}
		assert_int_equal(t.v[0].ts, first);
		assert_int_equal(t.v[t.n - 1].ts, last);
		for (size_t k = 1; k < t.n; k++)
			assert_true(t.v[k - 1].ts <= t.v[k].ts);
		take_free(&t);
	}
	(void)state;
}

static void instances_have_their_own_numbers(void **state)
{
	static const char *const with[] = {"v6-instances", "v7-instances"};

	for (size_t i = 0; i < 2; i++) {
		char path[256], key[64];
		struct taken t = take(data_path(path, sizeof(path), with[i], "dat"), READER_AUTO);
		struct feed_info info;
		struct world w;

		world_open(&w);
		assert_int_equal(feed_file_info(&w.s, w.c, path, INFO_COUNT, &info), 0);
		assert_int_equal(info.nbuffers, 3);
		assert_string_equal(info.buffers[0], "");
		for (unsigned b = 0; b < 3; b++) {
			size_t n = 0;

			for (size_t k = 0; k < t.n; k++)
				n += t.v[k].buffer == b;
			snprintf(key, sizeof(key), "buffer %s", b ? info.buffers[b] : "-");
			assert_int_equal(n, answer(with[i], key, 1));
		}
		world_close(&w);
		take_free(&t);
	}
	(void)state;
}

static void a_glance_tells_the_times_of_a_count(void **state)
{
	static const char *const all[] = {"v6-small", "v6-instances", "v6-clock-tsc", "v6-values",
					  "v7-zstd",  "v7-instances", "v7-none",      "v7-storm"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct feed_info a, b;
		char path[256];
		struct world w;

		world_open(&w);
		data_path(path, sizeof(path), all[i], "dat");
		assert_int_equal(feed_file_info(&w.s, w.c, path, INFO_GLANCE, &a), 0);
		assert_int_equal(feed_file_info(&w.s, w.c, path, INFO_COUNT, &b), 0);
		assert_false(a.counted);
		assert_true(b.counted && a.has_times && b.has_times);
		assert_int_equal(a.first_ts, b.first_ts);
		assert_int_equal(a.last_ts, b.last_ts);
		assert_int_equal(a.lost, b.lost);
		world_close(&w);
	}
	(void)state;
}

static void info_tells_what_is_in_a_file(void **state)
{
	char path[256];
	struct feed_info info;
	struct world w;

	world_open(&w);
	data_path(path, sizeof(path), "v6-small", "dat");
	assert_int_equal(feed_file_info(&w.s, w.c, path, INFO_COUNT, &info), 0);
	assert_int_equal(info.version, 6);
	assert_string_equal(info.compression, "none");
	assert_string_equal(info.clock, "mono");
	assert_non_null(strstr(info.uname, "x86_64"));
	assert_int_equal(info.cpus, 2);
	assert_int_equal(info.long_size, 8);
	assert_int_equal(info.page_size, 4096);
	assert_int_equal(info.events, answer("v6-small", "events", 1));
	assert_false(info.cut || info.big_endian || info.has_tsc2nsec);
	assert_null(info.why);
	data_path(path, sizeof(path), "v7-zstd", "dat");
	assert_int_equal(feed_file_info(&w.s, w.c, path, INFO_COUNT, &info), 0);
	assert_int_equal(info.version, 7);
	assert_string_equal(info.compression, "zstd");
	assert_int_equal(info.events, answer("v7-zstd", "events", 1));
	data_path(path, sizeof(path), "v6-clock-tsc", "dat");
	assert_int_equal(feed_file_info(&w.s, w.c, path, INFO_COUNT, &info), 0);
	assert_string_equal(info.clock, "x86-tsc");
	assert_int_equal(info.first_ts, answer("v6-clock-tsc", "first", 1));
	assert_int_equal(info.last_ts, answer("v6-clock-tsc", "last", 1));
	assert_int_equal(catalog_norigins(w.c), 0); /* looking makes no source */
	world_close(&w);
	(void)state;
}

static void an_origin_knows_clock_machine_and_layout(void **state)
{
	char path[256];
	struct world w;
	struct feed *f;
	struct origin *o;

	world_open(&w);
	f = feed_open_file(&w.s, w.c, data_path(path, sizeof(path), "v7-zstd", "dat"));
	assert_non_null(f);
	feed_free(f); /* the origin outlives the feed */
	assert_int_equal(catalog_norigins(w.c), 1);
	o = catalog_origin(w.c, 0);
	assert_int_equal(o->kind, ORIGIN_FILE);
	assert_string_equal(o->clock, "mono");
	assert_string_equal(o->arch, "x86_64");
	assert_int_equal(o->long_size, 8);
	assert_int_equal(o->page_size, 4096);
	assert_int_equal(o->data_off, 16);
	assert_false(o->big_endian);
	assert_non_null(catalog_find(w.c, "sched", "sched_switch"));
	world_close(&w);
	(void)state;
}

static void a_cut_version_7_file_gives_the_cpus_that_are_whole(void **state)
{
	struct buf b = {0};
	char path[256];
	struct taken whole, t;
	size_t last = 0;

	data_path(path, sizeof(path), "v7-instances", "dat");
	whole = take(path, READER_NATIVE);
	assert_int_equal(io_read_file(path, &b, 1 << 20), 0);
	temp_file(path, sizeof(path), "v7cut");
	/* the last description of a buffer is lost, then the data of the buffers one after the
	 * other */
	for (size_t len = b.len / 2; len < b.len; len += 500) {
		write_file(path, b.p, len);
		t = take(path, READER_LIBTRACECMD); /* not for it: it would show nothing */
		assert_true(t.stats.cut);
		assert_true(t.n >= last && t.n <= whole.n);
		/* each is a record of the whole file; instances whose name is lost keep their
		 * number */
		for (size_t i = 0; i < t.n; i++) {
			size_t k = 0;

			while (k < whole.n &&
			       (whole.v[k].ts != t.v[i].ts || whole.v[k].hash != t.v[i].hash ||
				whole.v[k].cpu != t.v[i].cpu))
				k++;
			assert_true(k < whole.n);
		}
		last = t.n;
		take_free(&t);
	}
	assert_true(last > whole.n / 2 && last < whole.n); /* all but the last cpu */
	unlink(path);
	take_free(&whole);
	buf_free(&b);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_those_of_trace_cmd_report),
		cmocka_unit_test(losses_are_those_of_trace_cmd_report),
		cmocka_unit_test(both_readers_give_the_same_records),
		cmocka_unit_test(records_come_in_time_order_and_within_the_reported_times),
		cmocka_unit_test(instances_have_their_own_numbers),
		cmocka_unit_test(a_glance_tells_the_times_of_a_count),
		cmocka_unit_test(info_tells_what_is_in_a_file),
		cmocka_unit_test(an_origin_knows_clock_machine_and_layout),
		cmocka_unit_test(a_cut_version_7_file_gives_the_cpus_that_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
