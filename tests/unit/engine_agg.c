/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Aggregates: exact sums, averages, groups by any key, several at once, within a bound of memory.
 */
#include "engine_util.h"

#include <math.h>

static struct op *agg_query(struct t *t, struct pipe **pp, unsigned nkeys, struct expr *key)
{
	struct pipe *p = p_events(t, t->vals, t->other);
	struct op *o = p_op(t, p, OP_AGG);

	if (nkeys)
		op_keys(t, o, 1, key);
	*pp = p;
	return o;
}

static void counts_come_largest_first_then_by_key(void **state)
{
	static const char *const names[] = {"b", "a", "b", "c", "a", "", "d"};
	struct pipe *p;
	struct t t;
	(void)state;

	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 1, x_field(&t, "str")), AG_COUNT, NULL);
	q_add(&t, p, 2, 0);
	t_start(&t);
	for (size_t i = 0; i < 7; i++)
		feed_vals(&t, i, 0, 0, names[i]);
	engine_finish(t.e);
	engine_finish(t.e);
	assert_int_equal(t.sink[0].results, 1);
	assert_int_equal(t.sink[0].nrows, 5);
	assert_text(&t, 0, 0, "a");
	assert_cell(&t, 0, 1, 2);
	assert_text(&t, 1, 0, "b");
	assert_text(&t, 2, 0, "");
	assert_cell(&t, 2, 1, 1);
	assert_text(&t, 3, 0, "c");
	assert_text(&t, 4, 0, "d");
	t_free(&t);
}

static void integer_keys_are_told_apart_by_value(void **state)
{
	struct pipe *p;
	struct op *o;
	struct t t;
	(void)state;

	/* u8 of test:vals is unsigned, of test:other a signed 64 bit number: 200 is one key, -1 no
	 * other's */
	for (int two = 0; two < 2; two++) {
		t_init(&t);
		o = agg_query(&t, &p, 1, x_field(&t, "u8"));
		if (two)
			op_keys(&t, o, 2, x_field(&t, "u8"), x_lit(&t, 3));
		op_agg(&t, o, AG_COUNT, NULL);
		q_add(&t, p, 2 + two, 0);
		t_start(&t);
		r_begin(&t, t.vals, 1, 0, 1);
		put(&t, 9, 1, 200);
		engine_feed(t.e, &t.r);
		r_begin(&t, t.other, 1, 0, 1);
		put(&t, 16, 8, 200);
		engine_feed(t.e, &t.r);
		put(&t, 16, 8, (uint64_t)-1);
		engine_feed(t.e, &t.r);
		put(&t, 16, 8, (uint64_t)INT64_MIN);
		engine_feed(t.e, &t.r);
		engine_finish(t.e);
		assert_int_equal(t.sink[0].nrows, 3);
		assert_cell(&t, 0, 0, 200);
		assert_cell(&t, 0, 1 + two, 2);
		assert_cell(&t, 1, 0, INT64_MIN);
		assert_cell(&t, 2, 0, -1);
		t_free(&t);
	}
	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 1, x_field(&t, "u64")), AG_COUNT, NULL);
	q_add(&t, p, 2, 0);
	t_start(&t);
	feed_vals(&t, 1, 0, UINT64_MAX, "");
	feed_vals(&t, 1, 0, 1ull << 63, "");
	feed_vals(&t, 1, 0, 0, "");
	engine_finish(t.e);
	assert_cell(&t, 0, 0, 0);
	assert_cell(&t, 1, 0, 1ull << 63);
	assert_cell(&t, 2, 0, UINT64_MAX);
	t_free(&t);
}

static void a_null_key_or_value_adds_nothing(void **state)
{
	struct pipe *p;
	struct op *o;
	struct t t;
	(void)state;

	/* test:other has neither s64 nor str */
	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 1, x_field(&t, "str")), AG_COUNT, NULL);
	q_add(&t, p, 2, 0);
	t_start(&t);
	r_begin(&t, t.other, 1, 0, 1);
	engine_feed(t.e, &t.r);
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 0);
	t_free(&t);

	t_init(&t);
	o = agg_query(&t, &p, 1, x_builtin(&t, BI_TID));
	op_agg(&t, o, AG_SUM, x_field(&t, "s64"));
	q_add(&t, p, 2, 0);
	t_start(&t);
	r_begin(&t, t.other, 1, 0, 1);
	engine_feed(t.e, &t.r);
	feed_vals(&t, 1, 5, 0, "");
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 1);
	assert_cell(&t, 0, 0, 7);
	t_free(&t);

	/* beside a count the group is there, its sum is not */
	t_init(&t);
	o = agg_query(&t, &p, 1, x_builtin(&t, BI_TID));
	op_agg(&t, o, AG_COUNT, NULL);
	op_agg(&t, o, AG_SUM, x_field(&t, "s64"));
	op_agg(&t, o, AG_AVG, x_field(&t, "s64"));
	op_agg(&t, o, AG_MIN, x_field(&t, "s64"));
	q_add(&t, p, 5, 0);
	t_start(&t);
	r_begin(&t, t.other, 1, 0, 1);
	engine_feed(t.e, &t.r);
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 1);
	assert_cell(&t, 0, 1, 1);
	for (unsigned i = 2; i < 5; i++)
		assert_true(cell_at(&t, 0, 0, i)->null);
	t_free(&t);
}

static void without_keys_nothing_counted_is_zero(void **state)
{
	struct pipe *p;
	struct t t;
	(void)state;

	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 0, NULL), AG_COUNT, NULL);
	q_add(&t, p, 1, 0);
	t_start(&t);
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 1);
	assert_cell(&t, 0, 0, 0);
	t_free(&t);
}

static void sums_and_averages_are_exact(void **state)
{
	struct pipe *p;
	struct op *o;
	struct t t;
	(void)state;

	t_init(&t);
	o = agg_query(&t, &p, 0, NULL);
	op_agg(&t, o, AG_SUM, x_field(&t, "u64"));
	op_agg(&t, o, AG_AVG, x_field(&t, "s64"));
	op_agg(&t, o, AG_MIN, x_field(&t, "s64"));
	op_agg(&t, o, AG_MAX, x_field(&t, "u64"));
	op_agg(&t, o, AG_STATS, x_field(&t, "u64"));
	q_add(&t, p, 10, 0);
	t_start(&t);
	feed_vals(&t, 1, INT64_MIN, UINT64_MAX, "");
	feed_vals(&t, 1, INT64_MIN, UINT64_MAX, "");
	feed_vals(&t, 1, INT64_MIN + 1, UINT64_MAX, "");
	engine_finish(t.e);
	assert_cell(&t, 0, 0, (__int128)UINT64_MAX * 3);
	/* -2^63 + 1/3 */
	assert_cell(&t, 0, 1, (__int128)INT64_MIN * 1000000 + 333333);
	assert_cell(&t, 0, 2, INT64_MIN);
	assert_cell(&t, 0, 3, UINT64_MAX);
	assert_cell(&t, 0, 4, 3);
	assert_cell(&t, 0, 6, (__int128)UINT64_MAX * 1000000);
	assert_cell(&t, 0, 8, 0);
	assert_cell(&t, 0, 9, (__int128)UINT64_MAX * 3);
	t_free(&t);
}

static __int128 avg_of(const int64_t *v, size_t n, unsigned col)
{
	struct pipe *p;
	__int128 r;
	struct t t;

	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 0, NULL), col ? AG_STATS : AG_AVG, x_field(&t, "s64"));
	q_add(&t, p, col ? 6 : 1, 0);
	t_start(&t);
	for (size_t i = 0; i < n; i++)
		feed_vals(&t, i, v[i], 0, "");
	engine_finish(t.e);
	r = cell_at(&t, 0, 0, col)->n;
	t_free(&t);
	return r;
}

static void averages_round_half_away_from_zero(void **state)
{
	int64_t v[128] = {1};
	(void)state;

	/* 1/128 = 0.0078125: six decimals end in a half */
	assert_true(avg_of(v, 128, 0) == 7813);
	v[0] = -1;
	assert_true(avg_of(v, 128, 0) == -7813);
	v[0] = 2;
	assert_true(avg_of(v, 3, 0) == 666667);
	v[0] = -2;
	assert_true(avg_of(v, 3, 0) == -666667);
}

static void stddev_is_the_populations(void **state)
{
	static const int64_t v[] = {2, 4, 4, 4, 5, 5, 7, 9};
	static const int64_t ends[] = {INT64_MIN, INT64_MAX};
	static const int64_t near[] = {INT64_MAX - 2, INT64_MAX - 1, INT64_MAX};
	__int128 d;
	(void)state;

	assert_true(avg_of(v, 8, 4) == 2000000);
	/* (2^64 - 1) / 2, to 19 digits of a long double */
	d = avg_of(ends, 2, 4) - ((__int128)UINT64_MAX * 500000);
	assert_true(d > -4000000 && d < 4000000);
	/* sqrt(2/3): a sum of squares in doubles would have lost it */
	assert_true(avg_of(near, 3, 4) == 816497);
}

static void distinct_values_are_exact(void **state)
{
	struct pipe *p;
	struct op *o;
	struct t t;
	(void)state;

	t_init(&t);
	o = agg_query(&t, &p, 1, x_field(&t, "s64"));
	op_agg(&t, o, AG_DISTINCT, x_field(&t, "u64"));
	op_agg(&t, o, AG_DISTINCT, x_field(&t, "str"));
	q_add(&t, p, 3, 0);
	t_start(&t);
	for (unsigned i = 0; i < 30000; i++) {
		char s[16];

		snprintf(s, sizeof(s), "n%u", i % 101);
		feed_vals(&t, i, i % 3, i % 1000 ? i % 5000 : UINT64_MAX, s);
	}
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 3);
	for (unsigned k = 0; k < 3; k++) {
		assert_cell(&t, k, 0, k);
		/* of 5000 residues 5 are replaced by one value */
		assert_cell(&t, k, 1, 4996);
		assert_cell(&t, k, 2, 101);
	}
	t_free(&t);
}

static void many_groups_of_both_kinds_keep_their_counts(void **state)
{
	struct pipe *p, *q;
	struct op *o;
	struct t t;
	(void)state;

	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 1, x_field(&t, "u64")), AG_COUNT, NULL);
	q_add(&t, p, 2, 0);
	o = agg_query(&t, &q, 1, NULL);
	op_keys(&t, o, 2, x_field(&t, "str"), x_field(&t, "u64"));
	op_agg(&t, o, AG_SUM, x_field(&t, "s64"));
	q_add(&t, q, 3, 0);
	t_start(&t);
	for (unsigned round = 1; round <= 3; round++) {
		for (unsigned i = 0; i < 20000; i++)
			feed_vals(&t, 1, i, i * 4096ull, i & 1 ? "odd" : "even");
	}
	engine_finish(t.e);
	assert_int_equal(t.sink[0].nrows, 20000);
	for (unsigned i = 0; i < 20000; i++) {
		assert_cell(&t, i, 0, i * 4096ull);
		assert_cell(&t, i, 1, 3);
		assert_true(t.sink[1].cells[i * 3 + 2].n == (19999 - i) * 3);
		assert_true(t.sink[1].cells[i * 3 + 1].n == (19999 - i) * 4096ull);
		assert_string_equal(t.sink[1].cells[i * 3].p, (19999 - i) & 1 ? "odd" : "even");
	}
	t_free(&t);
}

static void what_finds_no_room_is_counted(void **state)
{
	static const enum agg_kind kinds[] = {AG_COUNT, AG_DISTINCT, AG_HIST, AG_QUANTILE};
	static double half[] = {50};
	(void)state;

	for (int k = 0; k < 4; k++) {
		for (int str = 0; str < 2; str++) {
			struct engine_stats st;
			__int128 seen = 0;
			struct pipe *p;
			struct agg *a;
			struct op *o;
			struct t t;

			t_init(&t);
			t.s.set.maxmem = 64 * 1024;
			o = agg_query(&t, &p, 1, x_field(&t, str ? "str" : "u64"));
			a = op_agg(&t, o, kinds[k],
				   kinds[k] == AG_COUNT ? NULL : x_field(&t, "s64"));
			a->quants = half;
			a->nquants = 1;
			q_add(&t, p, kinds[k] == AG_HIST ? 4 : 2, 0);
			t_start(&t);
			for (unsigned i = 0; i < 50000; i++) {
				char s[16];

				snprintf(s, sizeof(s), "%u", i);
				feed_vals(&t, 1, i, i, s);
			}
			engine_finish(t.e);
			engine_stats(t.e, 0, &st);
			assert_int_equal(st.events, 50000);
			assert_true(st.dropped > 0 && t.sink[0].nrows > 100);
			/* of counts nothing is unaccounted for */
			if (kinds[k] == AG_COUNT || kinds[k] == AG_HIST ||
			    kinds[k] == AG_DISTINCT) {
				unsigned n = t.sink[0].ncols;

				for (size_t i = 0; i < t.sink[0].nrows; i++)
					seen += t.sink[0].cells[i * n + n - 1].n;
				assert_true(seen + (__int128)st.dropped == 50000);
			}
			/* the room is there again after clear */
			engine_clear(t.e, 0);
			feed_vals(&t, 1, 1, 1, "x");
			engine_result(t.e, 0, false);
			assert_int_equal(t.sink[0].nrows, 1);
			t_free(&t);
		}
	}
}

static void a_paused_query_takes_no_events(void **state)
{
	struct pipe *p, *q;
	struct t t;
	(void)state;

	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 0, NULL), AG_COUNT, NULL);
	q_add(&t, p, 1, 0);
	op_agg(&t, agg_query(&t, &q, 0, NULL), AG_COUNT, NULL);
	q_add(&t, q, 1, 0);
	t_start(&t);
	feed_vals(&t, 1, 1, 1, "x");
	engine_pause(t.e, 0, true);
	feed_vals(&t, 2, 1, 1, "x");
	engine_pause(t.e, 0, false);
	feed_vals(&t, 3, 1, 1, "x");
	engine_finish(t.e);
	assert_true(t.sink[0].cells[0].n == 2);
	assert_true(t.sink[1].cells[0].n == 3);
	t_free(&t);
}

static void only_the_events_of_the_queries_are_wanted(void **state)
{
	uint8_t want[64] = {0};
	struct pipe *p;
	struct t t;
	(void)state;

	t_init(&t);
	op_agg(&t, agg_query(&t, &p, 0, NULL), AG_COUNT, NULL);
	q_add(&t, p, 1, 0);
	t_start(&t);
	engine_wants(t.e, want, catalog_nevents(t.c));
	assert_true(want[t.vals->index] && want[t.other->index]);
	assert_false(want[t.sw->index] || want[t.fork->index]);
	t_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_come_largest_first_then_by_key),
		cmocka_unit_test(integer_keys_are_told_apart_by_value),
		cmocka_unit_test(a_null_key_or_value_adds_nothing),
		cmocka_unit_test(without_keys_nothing_counted_is_zero),
		cmocka_unit_test(sums_and_averages_are_exact),
		cmocka_unit_test(averages_round_half_away_from_zero),
		cmocka_unit_test(stddev_is_the_populations),
		cmocka_unit_test(distinct_values_are_exact),
		cmocka_unit_test(many_groups_of_both_kinds_keep_their_counts),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(a_paused_query_takes_no_events),
		cmocka_unit_test(only_the_events_of_the_queries_are_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
