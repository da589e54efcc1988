/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms and bar charts as text. */
#include "report_util.h"

#include "report/bucket.h"

static struct column hist_cols[] = {COL("lo", T_INT), COL("hi", T_INT), COL("count", T_INT)};
static struct schema hist_schema = {
	.cols = hist_cols, .n = 3, .hist = true, .hist_type = {.kind = T_INT}};

static void empty_buckets_between_filled_ones_are_shown(void **state)
{
	struct cell c[] = {num(-8), num(-5), num(1), num(0), num(1),  num(8),
			   num(5),  num(8),  num(2), num(9), num(16), num(0)};
	struct rowset rows = ROWSET(hist_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	d.s.set.plain = true;
	assert_string_equal(desk_result(&d, &rows),
			    "[-8, -5]   1  #####\n"
			    "[-4, -3]   0\n"
			    "[-2, -2]   0\n"
			    "[-1, -1]   0\n"
			    "[ 0,  1]   8  ########################################\n"
			    "[ 2,  2]   0\n"
			    "[ 3,  4]   0\n"
			    "[ 5,  8]   2  ##########\n"
			    "[ 9, 16]   0\n"
			    "   total  11\n");
	desk_close(&d);
}

static void bars_are_eighths_of_blocks(void **state)
{
	struct cell c[] = {num(0), num(1), num(320), num(2), num(2),
			   num(9), num(3), num(4),   num(1)};
	struct rowset rows = ROWSET(hist_schema, c);
	struct desk d;
	const char *t;

	(void)state;
	desk_open(&d, FMT_PLOT, false);
	t = desk_result(&d, &rows);
	/* 40 columns are 320 eighths */
	assert_non_null(strstr(t, "[2, 2]    9  \xe2\x96\x88\xe2\x96\x8f\n"));
	assert_non_null(strstr(t, "[3, 4]    1  \xe2\x96\x8f\n"));
	desk_close(&d);
	desk_open(&d, FMT_PLOT, false);
	d.s.utf8 = false;
	t = desk_result(&d, &rows);
	assert_non_null(strstr(t, "[3, 4]    1  #\n"));
	for (; *t; t++)
		assert_true((unsigned char)*t < 0x80);
	desk_close(&d);
}

static void each_key_has_a_heading_and_a_total(void **state)
{
	struct column cols[] = {KEY("comm", T_STR), KEY("cpu", T_INT), COL("lo", T_TIME),
				COL("hi", T_TIME), COL("count", T_INT)};
	struct schema sc = {
		.cols = cols, .n = 5, .nkeys = 2, .hist = true, .hist_type = {.kind = T_TIME}};
	struct cell c[] = {str("s\x1bh"), num(0),  num(513),      num(1024),     num(3),
			   str("s\x1bh"), num(0),  num(1025),     num(2048),     num(1),
			   none(),        num(-1), num(33554433), num(67108864), num(5)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, true);
	d.s.set.plain = true;
	d.s.width = 44;
	assert_string_equal(desk_result(&d, &rows), "comm = s\\x1bh, cpu = 0\n"
						    "[513 ns, 1.0 us]  3  ######################\n"
						    "[1.0 us, 2.0 us]  1  #######\n"
						    "           total  4\n"
						    "\n"
						    "comm = -, cpu = -1\n"
						    "[33.6 ms, 67.1 ms]  5  ####################\n"
						    "             total  5\n");
	desk_close(&d);
	/* on a pipe the bounds are exact */
	desk_open(&d, FMT_AUTO, false);
	assert_non_null(strstr(desk_result(&d, &rows), "[ 513, 1024]  3  "));
	desk_close(&d);
}

static void neighbours_with_units_never_look_the_same(void **state)
{
	struct cell c[] = {num(1000000), num(1000009), num(1), num(1000010), num(1000019), num(1)};
	struct rowset rows = ROWSET(hist_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, true);
	hist_schema.hist_type.kind = T_TIME;
	assert_non_null(strstr(desk_result(&d, &rows), "[1.00000 ms, 1.00001 ms]"));
	assert_non_null(strstr(desk_result(&d, &rows), "[1.00001 ms, 1.00002 ms]"));
	hist_schema.hist_type.kind = T_INT;
	desk_close(&d);
}

static void linear_buckets_with_bounds_have_open_ends(void **state)
{
	struct agg agg = {.kind = AG_HIST,
			  .hist = HK_LINEAR,
			  .step = 10,
			  .bounded = true,
			  .from = 5,
			  .to = 65};
	struct op op = {.kind = OP_AGG, .aggs = &agg, .naggs = 1};
	struct pipe pipe = {.ops = &op};
	struct cell c[] = {none(),  num(4),  num(2), num(5),  num(14), num(1),
			   num(35), num(44), num(4), num(65), none(),  num(1)};
	struct rowset rows = ROWSET(hist_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	d.s.set.plain = true;
	d.q.pipe = &pipe;
	for (int nulls = 1; nulls >= 0; nulls--) {
		if (!nulls) {
			c[0] = num(INT64_MIN);
			c[10] = num(INT64_MAX);
		}
		assert_string_equal(strstr(desk_result(&d, &rows), "(...,"),
				    "(...,   4]  2  ####################\n"
				    "[  5,  14]  1  ##########\n"
				    "[ 15,  24]  0\n"
				    "[ 25,  34]  0\n"
				    "[ 35,  44]  4  ########################################\n"
				    "[ 45,  54]  0\n"
				    "[ 55,  64]  0\n"
				    "[ 65, ...)  1  ##########\n"
				    "     total  8\n");
		desk_close(&d);
		desk_open(&d, FMT_AUTO, false);
		d.s.set.plain = true;
		d.q.pipe = &pipe;
	}
	desk_close(&d);
}

static void the_last_bucket_ends_where_the_range_ends(void **state)
{
	struct agg agg = {.kind = AG_HIST,
			  .hist = HK_LINEAR,
			  .step = 10,
			  .bounded = true,
			  .from = 0,
			  .to = 25};
	struct op op = {.kind = OP_AGG, .aggs = &agg, .naggs = 1};
	struct pipe pipe = {.ops = &op};
	struct cell c[] = {num(0), num(9), num(2), num(20), num(24), num(1)};
	struct rowset rows = ROWSET(hist_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	d.s.set.plain = true;
	d.q.pipe = &pipe;
	assert_string_equal(desk_result(&d, &rows),
			    "[ 0,  9]  2  ########################################\n"
			    "[10, 19]  0\n"
			    "[20, 24]  1  ####################\n"
			    "   total  3\n");
	desk_close(&d);
}

static void endless_gaps_are_cut_short(void **state)
{
	struct agg agg = {.kind = AG_HIST, .hist = HK_LINEAR, .step = 1};
	struct op op = {.kind = OP_AGG, .aggs = &agg, .naggs = 1};
	struct pipe pipe = {.ops = &op};
	struct cell c[] = {num(INT64_MIN + 1), num(INT64_MIN + 1), num(1), num(0), num(0), num(1),
			   num(UINT64_MAX),    num(UINT64_MAX),    num(1)};
	struct rowset rows = ROWSET(hist_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	d.s.set.plain = true;
	d.q.pipe = &pipe;
	assert_string_equal(desk_result(&d, &rows),
			    "[-9223372036854775807, -9223372036854775807]  1  "
			    "########################################\n"
			    "  ...\n"
			    "[                   0,                    0]  1  "
			    "########################################\n"
			    "  ...\n"
			    "[18446744073709551615,                  ...)  1  "
			    "########################################\n"
			    "                                       total  3\n");
	desk_close(&d);
}

static void buckets_are_the_kernels(void **state)
{
	static const int64_t log2[][3] = {{0, 0, 1},
					  {1, 0, 1},
					  {2, 2, 2},
					  {3, 3, 4},
					  {8, 5, 8},
					  {9, 9, 16},
					  {-1, -1, -1},
					  {-2, -2, -2},
					  {-5, -8, -5},
					  {-9, -16, -9},
					  {INT64_MIN, INT64_MIN, -(1ll << 62) - 1}};
	static const int64_t loglin[][3] = {{0, 0, 0},    {9, 9, 9},       {10, 10, 19},
					    {99, 90, 99}, {100, 100, 199}, {-15, -19, -10},
					    {-3, -3, -3}};
	struct bucket_rule r = {.known = true, .kind = HK_LOG2};
	__int128 lo, hi;

	(void)state;
	for (size_t i = 0; i < sizeof(log2) / sizeof(log2[0]); i++) {
		bucket_of(&r, log2[i][0], &lo, &hi);
		assert_true(lo == log2[i][1] && hi == log2[i][2]);
	}
	bucket_of(&r, UINT64_MAX, &lo, &hi);
	assert_true(lo == ((__int128)1 << 63) + 1 && hi == (__int128)1 << 64);
	r.kind = HK_LOGLIN;
	r.digits = 1;
	for (size_t i = 0; i < sizeof(loglin) / sizeof(loglin[0]); i++) {
		bucket_of(&r, loglin[i][0], &lo, &hi);
		assert_true(lo == loglin[i][1] && hi == loglin[i][2]);
	}
	r.kind = HK_LINEAR;
	r.step = 10;
	bucket_of(&r, -5, &lo, &hi);
	assert_true(lo == -10 && hi == -1);
}

static void the_series_is_guessed_from_the_rows(void **state)
{
	struct cell lin[] = {num(0), num(9), num(1), num(30), num(39), num(1)},
		    ll[] = {num(7), num(7),   num(1),   num(40), num(49),
			    num(1), num(100), num(199), num(1)},
		    odd[] = {num(0), num(2), num(1), num(100), num(177), num(1)};
	struct rowset a = ROWSET(hist_schema, lin), b = ROWSET(hist_schema, ll),
		      x = ROWSET(hist_schema, odd);
	struct bucket_rule r;
	struct desk d;

	(void)state;
	r = bucket_rule_find(NULL, &a);
	assert_true(r.known && r.kind == HK_LINEAR && r.step == 10);
	r = bucket_rule_find(NULL, &b);
	assert_true(r.known && r.kind == HK_LOGLIN && r.digits == 1);
	assert_false(bucket_rule_find(NULL, &x).known);
	desk_open(&d, FMT_AUTO, false);
	d.s.set.plain = true;
	assert_string_equal(desk_result(&d, &x),
			    "[  0,   2]  1  ########################################\n"
			    "  ...\n"
			    "[100, 177]  1  ########################################\n"
			    "     total  2\n");
	desk_close(&d);
}

static void other_results_are_bars_of_the_first_value(void **state)
{
	struct column cols[] = {KEY("comm", T_STR), COL("count", T_INT), COL("sum(x)", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {str("sh"), num(40), num(7), str("kworker"), num(10), num(7),
			   str("x"),  none(),  num(0), str("y"),       num(-4), num(0)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_PLOT, false);
	d.s.set.plain = true;
	assert_string_equal(desk_result(&d, &rows),
			    "comm     count\n"
			    "sh          40  ########################################\n"
			    "kworker     10  ##########\n"
			    "x            -\n"
			    "y           -4\n");
	desk_close(&d);
}

static void bars_fit_the_terminal(void **state)
{
	struct column cols[] = {KEY("comm", T_STR), COL("count", T_INT)};
	struct schema sc = SCHEMA(cols);
	char big[301];
	struct cell c[2];
	struct rowset rows = ROWSET(sc, c);
	struct desk d;
	size_t n;

	(void)state;
	memset(big, 'x', 300);
	big[300] = 0;
	c[0] = str(big);
	c[1] = num(UINT64_MAX);
	for (unsigned width = 50; width < 200; width += 7) {
		desk_open(&d, FMT_PLOT, true);
		d.s.set.plain = true;
		d.s.width = width;
		for (const char *p = desk_result(&d, &rows); *p; p += n + 1) {
			n = strcspn(p, "\n");
			/* the ellipsis has three bytes */
			assert_in_range(n, 1, width + 2);
		}
		desk_close(&d);
	}
}

static void nothing_seen_is_said(void **state)
{
	struct rowset rows = {.schema = &hist_schema};
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	assert_string_equal(desk_result(&d, &rows), "no values\n");
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_buckets_between_filled_ones_are_shown),
		cmocka_unit_test(bars_are_eighths_of_blocks),
		cmocka_unit_test(each_key_has_a_heading_and_a_total),
		cmocka_unit_test(neighbours_with_units_never_look_the_same),
		cmocka_unit_test(linear_buckets_with_bounds_have_open_ends),
		cmocka_unit_test(the_last_bucket_ends_where_the_range_ends),
		cmocka_unit_test(endless_gaps_are_cut_short),
		cmocka_unit_test(buckets_are_the_kernels),
		cmocka_unit_test(the_series_is_guessed_from_the_rows),
		cmocka_unit_test(other_results_are_bars_of_the_first_value),
		cmocka_unit_test(bars_fit_the_terminal),
		cmocka_unit_test(nothing_seen_is_said),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
