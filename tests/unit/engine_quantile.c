/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles against the sorted values: never more than 1 % off, exact at both ends. */
#include "engine/aggstate.h"
#include "engine/hist.h"
#include "engine_util.h"

static double quants[] = {0.1, 1, 10, 25, 50, 75, 90, 99, 99.9, 99.999};
#define NQ (sizeof(quants) / sizeof(quants[0]))

static uint64_t rnd;

static uint64_t next(void)
{
	rnd = rnd * 6364136223846793005ull + 1442695040888963407ull;
	return rnd ^ rnd >> 29;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void check_set(int64_t *v, size_t n)
{
	struct pipe *p;
	struct agg *a;
	struct t t;

	t_init(&t);
	p = p_events(&t, t.vals, NULL);
	a = op_agg(&t, p_op(&t, p, OP_AGG), AG_QUANTILE, x_field(&t, "s64"));
	a->quants = quants;
	a->nquants = NQ;
	q_add(&t, p, NQ, 0);
	t_start(&t);
	for (size_t i = 0; i < n; i++)
		feed_vals(&t, i, v[i], 0, "");
	engine_finish(t.e);
	qsort(v, n, sizeof(*v), by_value);
	for (unsigned k = 0; k < NQ; k++) {
		uint64_t rank = quantile_rank(quants[k], n);
		__int128 exact = v[rank - 1], got = cell_at(&t, 0, 0, k)->n;
		__int128 err = got > exact ? got - exact : exact - got;
		__int128 m = exact < 0 ? -exact : exact;

		assert_true(err * 100 <= m);
		if (rank == 1 || rank == n)
			assert_true(err == 0);
	}
	t_free(&t);
}

static void random_sets_stay_within_one_percent(void **state)
{
	static int64_t v[5000];
	(void)state;

	for (unsigned set = 0; set < 24; set++) {
		size_t n = set < 8 ? set + 1 : 5000;

		rnd = set * 77777 + 1;
		for (size_t i = 0; i < n; i++) {
			uint64_t x = next();

			switch (set % 4) {
			case 0: v[i] = (int64_t)x; break;               /* both signs, large */
			case 1: v[i] = (int64_t)(x >> (x % 63)); break; /* all magnitudes */
			case 2: v[i] = (int64_t)(x % 2000) - 1000; break;
			default: v[i] = i % 10 ? 150000 : (int64_t)(x % 1000000000); break;
			}
		}
		check_set(v, n);
	}
}

static void a_buckets_value_is_within_half_its_width(void **state)
{
	(void)state;

	for (unsigned bit = 0; bit < 64; bit++) {
		for (uint64_t i = 0; i < 400; i++) {
			uint64_t m = (1ull << bit) + ((1ull << bit) - 1) / 400 * i;
			struct val v = {.u = m, .uns = true}, neg = {.u = 0 - m};
			__int128 got = quantile_value(quantile_bucket(v)), err = got - (__int128)m;

			assert_true((err < 0 ? -err : err) * 100 <= (__int128)m);
			if (m <= 1ull << 63)
				assert_true(quantile_value(quantile_bucket(neg)) == -got);
		}
	}
	assert_true(quantile_value(quantile_bucket((struct val){.u = 0})) == 0);
	assert_true(quantile_bucket((struct val){.u = UINT64_MAX, .uns = true}) < 4096);
}

static void groups_have_their_own_quantiles(void **state)
{
	static double median[] = {50};
	struct pipe *p;
	struct agg *a;
	struct op *o;
	struct t t;
	(void)state;

	t_init(&t);
	p = p_events(&t, t.vals, NULL);
	o = p_op(&t, p, OP_AGG);
	op_keys(&t, o, 1, x_field(&t, "str"));
	op_agg(&t, o, AG_COUNT, NULL);
	a = op_agg(&t, o, AG_QUANTILE, x_field(&t, "s64"));
	a->quants = median;
	a->nquants = 1;
	q_add(&t, p, 3, 0);
	t_start(&t);
	for (int i = 1; i <= 99; i++) {
		feed_vals(&t, 1, i, 0, "a");
		feed_vals(&t, 1, -i, 0, "b");
	}
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 2);
	assert_text(&t, 0, 0, "a");
	assert_cell(&t, 0, 1, 99);
	assert_cell(&t, 0, 2, 50);
	assert_cell(&t, 1, 2, -50);
	t_free(&t);
}

static void ranks_are_the_nearest_above(void **state)
{
	(void)state;

	assert_int_equal(quantile_rank(50, 1), 1);
	assert_int_equal(quantile_rank(50, 2), 1);
	assert_int_equal(quantile_rank(50, 3), 2);
	assert_int_equal(quantile_rank(99, 100), 99);
	assert_int_equal(quantile_rank(99.9, 1000), 999);
	assert_int_equal(quantile_rank(99.9, 100), 100);
	assert_int_equal(quantile_rank(0.001, 10), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_sets_stay_within_one_percent),
		cmocka_unit_test(a_buckets_value_is_within_half_its_width),
		cmocka_unit_test(groups_have_their_own_quantiles),
		cmocka_unit_test(ranks_are_the_nearest_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
