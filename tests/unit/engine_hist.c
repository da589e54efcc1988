/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histogram buckets: the kernel's powers of two and their mirror, linear, log-linear; to both ends
 * of 64 bits. */
#include "engine/hist.h"
#include "engine_util.h"

static struct val s(int64_t v)
{
	return (struct val){.s = v};
}

static struct val u(uint64_t v)
{
	return (struct val){.u = v, .uns = true};
}

static void in_bucket(const struct agg *a, struct val v, __int128 lo, __int128 hi)
{
	struct cell l, h;

	hist_bounds(a, hist_bucket(a, v), &l, &h);
	assert_false(l.null || h.null);
	assert_true(l.n == lo);
	assert_true(h.n == hi);
}

static void powers_of_two_are_the_kernels(void **state)
{
	const struct agg a = {.hist = HK_LOG2};
	const __int128 one = 1;
	(void)state;

	in_bucket(&a, s(0), 0, 1);
	in_bucket(&a, s(1), 0, 1);
	in_bucket(&a, s(2), 2, 2);
	in_bucket(&a, s(3), 3, 4);
	in_bucket(&a, s(4), 3, 4);
	in_bucket(&a, s(5), 5, 8);
	in_bucket(&a, s(8), 5, 8);
	in_bucket(&a, s(9), 9, 16);
	in_bucket(&a, s(INT64_MAX), (one << 62) + 1, one << 63);
	in_bucket(&a, u(1ull << 63), (one << 62) + 1, one << 63);
	in_bucket(&a, u((1ull << 63) + 1), (one << 63) + 1, UINT64_MAX);
	in_bucket(&a, u(UINT64_MAX), (one << 63) + 1, UINT64_MAX);
	in_bucket(&a, s(-1), -1, -1);
	in_bucket(&a, s(-2), -2, -2);
	in_bucket(&a, s(-3), -4, -3);
	in_bucket(&a, s(-5), -8, -5);
	in_bucket(&a, s(INT64_MIN), -(one << 63), -(one << 62) - 1);
}

static void every_value_lies_in_its_bucket_and_neighbours_do_not_overlap(void **state)
{
	static const struct agg kinds[] = {
		{.hist = HK_LOG2},
		{.hist = HK_LINEAR, .step = 10},
		{.hist = HK_LINEAR, .step = 1},
		{.hist = HK_LINEAR, .step = INT64_MAX},
		{.hist = HK_LOGLIN, .digits = 1},
		{.hist = HK_LOGLIN, .digits = 2},
		{.hist = HK_LOGLIN, .digits = 3},
	};
	uint64_t rnd = 12345;
	(void)state;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const struct agg *a = &kinds[k];

		for (unsigned i = 0; i < 4000; i++) {
			struct cell lo, hi, lo2, hi2;
			struct val v;
			__int128 w;

			rnd = rnd * 6364136223846793005ull + 1442695040888963407ull;
			v = (struct val){.u = (rnd >> (i % 64)) + (i % 3), .uns = i & 64};
			if (i < 8)
				v = (struct val){
					.u = (uint64_t[]){0, 1, UINT64_MAX, 1ull << 63}[i / 2],
					.uns = i & 1};
			if (i >= 128 && i % 2)
				v.u = 0 - v.u;
			w = v.uns ? (__int128)v.u : (__int128)v.s;
			hist_bounds(a, hist_bucket(a, v), &lo, &hi);
			assert_true(lo.n <= w && w <= hi.n);
			/* the value below lo is in a bucket that ends there */
			if (lo.n - 1 < (v.uns ? 0 : (__int128)INT64_MIN))
				continue;
			hist_bounds(a,
				    hist_bucket(a, (struct val){.u = (uint64_t)(lo.n - 1),
								.uns = v.uns}),
				    &lo2, &hi2);
			assert_true(hi2.n == lo.n - 1);
		}
	}
}

static void linear_buckets_go_down_below_zero(void **state)
{
	struct agg a = {.hist = HK_LINEAR, .step = 10};
	struct cell lo, hi;
	(void)state;

	in_bucket(&a, s(0), 0, 9);
	in_bucket(&a, s(9), 0, 9);
	in_bucket(&a, s(10), 10, 19);
	in_bucket(&a, s(-1), -10, -1);
	in_bucket(&a, s(-10), -10, -1);
	in_bucket(&a, s(-11), -20, -11);
	in_bucket(&a, s(INT64_MIN), -((__int128)1 << 63) - 2, -((__int128)1 << 63) + 7);

	a = (struct agg){.hist = HK_LINEAR, .step = 10, .bounded = true, .from = -5, .to = 30};
	in_bucket(&a, s(-5), -5, 4);
	in_bucket(&a, s(29), 25, 29); /* cut at the end */
	hist_bounds(&a, hist_bucket(&a, s(-6)), &lo, &hi);
	assert_true(lo.null && hi.n == -6);
	hist_bounds(&a, hist_bucket(&a, u(UINT64_MAX)), &lo, &hi);
	assert_true(hi.null && lo.n == 30);
	hist_bounds(&a, hist_bucket(&a, s(30)), &lo, &hi);
	assert_true(hi.null && lo.n == 30);
}

static void log_linear_buckets_have_their_digits(void **state)
{
	struct agg a = {.hist = HK_LOGLIN, .digits = 1};
	(void)state;

	for (int i = 0; i < 10; i++)
		in_bucket(&a, s(i), i, i);
	in_bucket(&a, s(10), 10, 19);
	in_bucket(&a, s(99), 90, 99);
	in_bucket(&a, s(100), 100, 199);
	in_bucket(&a, s(999), 900, 999);
	in_bucket(&a, s(-1), -1, -1);
	in_bucket(&a, s(-15), -19, -10);
	in_bucket(&a, u(UINT64_MAX), (__int128)10000000000000000000ull, UINT64_MAX);
	a.digits = 2;
	in_bucket(&a, s(99), 99, 99);
	in_bucket(&a, s(101), 100, 109);
	in_bucket(&a, s(1234), 1200, 1299);
}

static void rows_of_a_histogram_go_by_keys_then_upward(void **state)
{
	static const int64_t vals[] = {100, -3, 0, 1, 7, 7, 100, INT64_MIN};
	struct pipe *p;
	struct op *o;
	struct t t;
	(void)state;

	t_init(&t);
	p = p_events(&t, t.vals, NULL);
	o = p_op(&t, p, OP_AGG);
	op_keys(&t, o, 1, x_field(&t, "str"));
	op_agg(&t, o, AG_HIST, x_field(&t, "s64"));
	q_add(&t, p, 4, 0);
	t_start(&t);
	for (size_t i = 0; i < 8; i++)
		feed_vals(&t, i, vals[i], 0, "b");
	feed_vals(&t, 9, 5, 0, "a");
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 6);
	assert_text(&t, 0, 0, "a");
	assert_text(&t, 1, 0, "b");
	assert_cell(&t, 1, 1, INT64_MIN);
	assert_cell(&t, 2, 1, -4);
	assert_cell(&t, 3, 1, 0);
	assert_cell(&t, 3, 3, 2);
	assert_cell(&t, 4, 1, 5);
	assert_cell(&t, 4, 2, 8);
	assert_cell(&t, 4, 3, 2);
	assert_cell(&t, 5, 1, 65);
	t_free(&t);
}

static void bounded_buckets_begin_and_end_open(void **state)
{
	static const int64_t vals[] = {500, 15, -7, 3};
	struct agg *a;
	struct pipe *p;
	struct t t;
	(void)state;

	t_init(&t);
	p = p_events(&t, t.vals, NULL);
	a = op_agg(&t, p_op(&t, p, OP_AGG), AG_HIST, x_field(&t, "s64"));
	a->hist = HK_LINEAR;
	a->step = 10;
	a->bounded = true;
	a->to = 100;
	q_add(&t, p, 3, 0);
	t_start(&t);
	for (size_t i = 0; i < 4; i++)
		feed_vals(&t, i, vals[i], 0, "");
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 4);
	assert_true(cell_at(&t, 0, 0, 0)->null);
	assert_cell(&t, 0, 1, -1);
	assert_cell(&t, 1, 0, 0);
	assert_cell(&t, 2, 0, 10);
	assert_cell(&t, 3, 0, 100);
	assert_true(cell_at(&t, 0, 3, 1)->null);
	t_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(powers_of_two_are_the_kernels),
		cmocka_unit_test(every_value_lies_in_its_bucket_and_neighbours_do_not_overlap),
		cmocka_unit_test(linear_buckets_go_down_below_zero),
		cmocka_unit_test(log_linear_buckets_have_their_digits),
		cmocka_unit_test(rows_of_a_histogram_go_by_keys_then_upward),
		cmocka_unit_test(bounded_buckets_begin_and_end_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
