/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks from text to what they print: types, memory, loops, clocks and speculation. */
#include "engine_util.h"

#include "check/block.h"
#include "check/check.h"
#include "lang/syntax.h"
#include "stage/stage.h"

#include <malloc.h>

static const struct stage_syntax *stage(const char *name)
{
	const struct stage_kind *k = stage_find(name);

	return k ? &k->syntax : NULL;
}

static const char *stage_name(unsigned i)
{
	return stage_kinds[i] ? stage_kinds[i]->syntax.name : NULL;
}

static const struct command_syntax *no_command(const char *name)
{
	(void)name;
	return NULL;
}

static const char *no_name(unsigned i)
{
	(void)i;
	return NULL;
}

#define MAX_Q 4

struct run {
	struct t t;
	struct query *q[MAX_Q];
	unsigned n;
	struct globals *g;
};

/* all statements of a text, checked together; how many errors there are */
static unsigned check(struct run *r, const char *text)
{
	static const struct grammar g = {.stage = stage,
					 .stage_name = stage_name,
					 .command = no_command,
					 .command_name = no_name};
	struct check_env env = {0};
	struct node *script;
	struct source *src;

	memset(r, 0, sizeof(*r));
	t_init(&r->t);
	src = ARENA_NEW(r->t.a, struct source);
	*src = (struct source){.name = "t", .text = text, .len = (uint32_t)strlen(text)};
	script = parse_script(r->t.a, r->t.s.diags, &g, src);
	assert_int_equal(r->t.s.diags->errors, 0);
	assert_true(script->n <= MAX_Q);
	env.globals = r->g = globals_new(r->t.a);
	blocks_learn(&r->t.s, r->t.c, r->t.a, &env, (const struct node *const *)script->kids,
		     (unsigned)script->n);
	for (size_t i = 0; i < script->n; i++) {
		r->q[i] = check_query(&r->t.s, r->t.c, r->t.a, r->t.s.diags, &env, script->kids[i]);
		r->n++;
	}
	return r->t.s.diags->errors;
}

static void begin(struct run *r, const char *text, uint64_t maxmem)
{
	struct sink *k[MAX_Q];

	if (check(r, text)) {
		fprintf(stderr, "%s: %s\n", text, r->t.s.diags->v[0].msg);
		fail();
	}
	r->t.s.set.maxmem = maxmem;
	for (unsigned i = 0; i < r->n; i++)
		k[i] = &r->t.sink[0].k;
	r->t.e = engine_new(&r->t.s, r->t.c, r->q, k, r->n);
	assert_non_null(r->t.e);
}

static void end(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (r->q[i])
			query_free_external(r->q[i]);
	}
	t_free(&r->t);
}

/* a record of test:vals: s64, u64, str, by thread @tid at @ts */
static void vals(struct run *r, uint64_t ts, int tid, int64_t s64, const char *str)
{
	struct t *t = &r->t;
	uint16_t id = 501;

	memset(t->data, 0, sizeof(t->data));
	memcpy(t->data, &id, 2);
	memcpy(t->data + 4, &tid, 4);
	memcpy(t->data + 24, &s64, 8);
	strncpy((char *)t->data + 40, str, 15);
	t->r = (struct rec){.ev = t->vals, .origin = t->o, .data = t->data, .len = 96, .ts = ts};
	engine_feed(t->e, &t->r);
}

static void other(struct run *r, uint64_t ts, int tid, int key)
{
	struct t *t = &r->t;
	uint16_t id = 502;

	memset(t->data, 0, sizeof(t->data));
	memcpy(t->data, &id, 2);
	memcpy(t->data + 4, &tid, 4);
	memcpy(t->data + 8, &key, 4);
	t->r = (struct rec){.ev = t->other, .origin = t->o, .data = t->data, .len = 24, .ts = ts};
	engine_feed(t->e, &t->r);
}

static const char *text(struct run *r)
{
	return buf_str(&r->t.sink[0].text);
}

static const struct bmap *map(struct run *r, const char *name)
{
	for (size_t i = 0; i < r->g->nmaps; i++) {
		if (strcmp(r->g->maps[i]->name, name) == 0)
			return r->g->maps[i];
	}
	fail();
	return NULL;
}

/* ---- types ---- */

static void a_use_may_stand_before_what_sets_it(void **state)
{
	struct run r;
	(void)state;

	assert_int_equal(
		check(&r, "test:vals | do { $b = $a; @y[@x[s64]] = ts; if ($s == \"\") { $n++ } "
			  "$s = str; @x[s64] = str; $a = ts }"),
		0);
	assert_int_equal(map(&r, "x")->type.kind, T_STR);
	assert_int_equal(map(&r, "x")->ktypes[0].kind, T_INT);
	assert_int_equal(map(&r, "y")->ktypes[0].kind, T_STR);
	assert_int_equal(map(&r, "y")->type.kind, T_TIME);
	assert_string_equal(r.g->vars[0]->name, "b");
	assert_int_equal(r.g->vars[0]->type.kind, T_TIME);
	end(&r);
}

static void numbers_widen(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "begin { $x = 1; @m = 7; printf \"%.2f %.2f \", $x, @m; @a = avg(4); @m = @a; $x = "
	      "@a; "
	      "printf \"%.2f %.2f\", $x, @m; exit }",
	      0);
	engine_begin(r.t.e, 5);
	assert_string_equal(text(&r), "1.00 7.00 4.00 4.00");
	end(&r);
}

static void columns_are_named_where_it_is_stored(void **state)
{
	struct schema s;
	struct run r;
	(void)state;

	assert_int_equal(
		check(&r,
		      "test:vals | do { if (@h[1, \"x\"] == 3) { exit } @h[u8, str] = sum(s64) }"),
		0);
	s = bmap_schema(map(&r, "h"), r.t.a);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.nkeys, 2);
	assert_string_equal(s.cols[0].name, "u8");
	assert_string_equal(s.cols[1].name, "str");
	assert_string_equal(s.cols[2].name, "sum(s64)");
	end(&r);
}

static void conflicts_are_found_in_the_order_of_the_text(void **state)
{
	static const char *const wrong[] = {
		"test:vals | do { @a[str] = 1; @a[s64] = 1 }",
		"test:vals | do { @a[1, 2] = 1; @a[1] = 1 }",
		"test:vals | do { @a = 1; @a = str }",
		"test:vals | do { @a = count(); @a = sum(s64) }",
		"test:vals | do { @a = count(); @a++ }",
		"test:vals | do { @a = hist(s64); $x = @a }",
		"test:vals | do { $x = str; $x = 1 }",
		"test:vals | do { @a = lhist(s64, 0, 10, 1) }; test:other | do { @a = lhist(key, "
		"0, 20, 1) }",
		"begin { @a = u8 }",
		"test:vals | do { speculate(str); discard(s64) }",
	};
	struct run r;
	(void)state;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (check(&r, wrong[i]) != 1)
			fail_msg("%s: %u errors", wrong[i], r.t.s.diags->errors);
		end(&r);
	}
}

/* ---- values ---- */

static void unset_and_null_values(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals, test:other | do { printf \"%d/%s/%d/%s/%d \", @i[1], @s[1], $i, $s, s64; "
	      "$k = key; @n[key] = count(); @v = key; if (key > 0 || !(key > 0)) { $t++ } "
	      "if (key == 3) { @i[1] = 9; @s[1] = \"nine\"; $i = 7; $s = \"seven\" } }; "
	      "end { printf \"%d %d %d\", $t, $k, @n[3]; clear(@n); clear(@v); clear(@i); "
	      "clear(@s) }",
	      0);
	vals(&r, 1, 1, -5, "a");
	other(&r, 2, 1, 3);
	vals(&r, 3, 1, -6, "b");
	engine_finish(r.t.e);
	assert_string_equal(text(&r), "0//0//-5 0//0//null 9/nine/7/seven/-6 1 null 1");
	end(&r);
}

static void strings_outlive_their_record(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | do { printf \"%s,%s,%s;\", $was, @was[1], @key; $was = str; @was[1] = "
	      "str; "
	      "for (k in @set) { @key = k } @set[str] = 1; if (s64 == 3) { delete(@set[str]) } "
	      "$was = substr($was, 1) }",
	      0);
	vals(&r, 1, 1, 1, "first");
	vals(&r, 2, 1, 2, "a longer one");
	vals(&r, 3, 1, 3, "x");
	vals(&r, 4, 1, 4, "");
	assert_string_equal(text(&r),
			    ",,;irst,first,; longer one,a longer one,first;,x,a longer one;");
	end(&r);
}

/* ---- loops ---- */

static void a_loop_without_end_is_stopped(void **state)
{
	struct engine_stats st;
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | do { $n++; while (s64 == 2) { $i++ } $after++ }; "
	      "end { printf \"%d %d %d\", $n, $i, $after }",
	      0);
	vals(&r, 1, 1, 1, "");
	assert_false(engine_done(r.t.e));
	vals(&r, 2, 1, 2, "");
	assert_true(engine_done(r.t.e));
	vals(&r, 3, 1, 1, "");
	engine_finish(r.t.e);
	engine_stats(r.t.e, 0, &st);
	assert_int_equal(st.events, 2);
	assert_int_equal(r.t.s.diags->errors, 1);
	assert_string_equal(r.t.s.diags->v[0].code, "runaway-loop");
	assert_string_equal(text(&r), ""); /* no block runs any more */
	end(&r);
}

static void a_long_loop_over_many_events_is_none_without_end(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | do { $i = 0; while ($i < 400000) { $i++ } $n++ }; end { printf \"%d\", "
	      "$n }",
	      0);
	for (int i = 0; i < 4; i++)
		vals(&r, (uint64_t)i, 1, 1, "");
	engine_finish(r.t.e);
	assert_string_equal(text(&r), "4");
	end(&r);
}

static void entries_may_go_while_they_are_gone_over(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | do { @m[s64, str] = s64 }; "
	      "end { for (k in @m) { $n++; delete(@m[k]) } printf \"%d \", $n; "
	      "$i = 0; while ($i < 5) { @m[$i, \"z\"] = 1; $i++ } "
	      "for (k in @m) { if (k.key1 == 2) { clear(@m) } $after++ } printf \"%d %d\", $after, "
	      "@m[1, \"z\"] }",
	      0);
	for (int i = 0; i < 100; i++)
		vals(&r, (uint64_t)i, 1, i, i % 2 ? "odd" : "even");
	engine_finish(r.t.e);
	assert_string_equal(text(&r), "100 3 0");
	end(&r);
}

/* ---- memory ---- */

static void what_finds_no_room_is_counted(void **state)
{
	struct engine_stats st;
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | do { @m[s64] = count() }; end { for (k in @m) { $n++ } printf \"%d\", "
	      "$n; clear(@m) }",
	      64 << 10);
	for (int i = 0; i < 10000; i++)
		vals(&r, (uint64_t)i, 1, i, "");
	engine_stats(r.t.e, 0, &st);
	assert_true(st.dropped > 0 && st.dropped < 10000);
	engine_finish(r.t.e);
	assert_int_equal(strtoull(text(&r), NULL, 10) + st.dropped, 10000);
	end(&r);
}

static void entries_that_go_make_room(void **state)
{
	struct engine_stats st;
	char name[16];
	struct run r;
	(void)state;

	/* keys and strings of all lengths, histograms and distinct values; never more than one
	 * entry */
	begin(&r,
	      "test:vals | do { @s[str, s64] = str; @h[str] = hist(s64); @d[str] = distinct(str); "
	      "delete(@s[str, s64]); delete(@h[str]); $last = str }; "
	      "test:vals | do { delete(@d[str]) }",
	      128 << 10);
	for (int i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "%.*s%d", i % 9, "abcdefghi", i);
		vals(&r, (uint64_t)i, 1, i, name);
	}
	engine_stats(r.t.e, 0, &st);
	/* distinct strings keep their bytes till the map is cleared: all else comes back */
	assert_true(st.dropped <= 50000);
	engine_finish(r.t.e);
	assert_int_equal(r.t.sink[0].results, 0);
	end(&r);

	begin(&r,
	      "test:vals | do { @s[str, s64] = str; @h[str] = hist(s64); delete(@s[str, s64]); "
	      "delete(@h[str]) }",
	      64 << 10);
	for (int i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "%.*s%d", i % 9, "abcdefghi", i);
		vals(&r, (uint64_t)i, 1, i, name);
	}
	engine_stats(r.t.e, 0, &st);
	assert_int_equal(st.dropped, 0);
	end(&r);
}

static void nothing_is_allocated_once_warm(void **state)
{
	struct mallinfo2 before, after;
	struct run r;
	(void)state;

#if defined(__SANITIZE_ADDRESS__)
	skip();
#endif
	begin(&r,
	      "test:vals | do { @s[str] = str; @n[s64, str] = count(); @h[str] = hist(s64); $x = "
	      "str; "
	      "$i = 0; while ($i < 3) { $i++; $y = $i.str } for (k in @s) { $z = k } "
	      "delete(@s[str]); if (s64 == 7) { printf \"%s\", str.len.hex.str } } "
	      "| speculate by s64 from s64 < 5 commit s64 == 9 discard s64 == 8 | count by str",
	      0);
	for (int i = 0; i < 2000; i++)
		vals(&r, (uint64_t)i, 1, i % 10, i % 3 ? "long name here" : "short");
	buf_clear(&r.t.sink[0].text);
	buf_reserve(&r.t.sink[0].text, 1 << 16);
	before = mallinfo2();
	for (int i = 0; i < 2000; i++)
		vals(&r, (uint64_t)i, 1, i % 10, i % 3 ? "long name here" : "short");
	after = mallinfo2();
	assert_int_equal(before.uordblks, after.uordblks);
	assert_int_equal(before.arena, after.arena);
	end(&r);
}

/* ---- clocks ---- */

static void each_interval_has_its_tick(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "begin { printf \"b%d \", ts }; test:vals | do { $n++ }; "
	      "tick 10ns { printf \"%d:%d \", ts, $n }; end { printf \"e%d\", ts }",
	      0);
	vals(&r, 100, 1, 1, "");
	vals(&r, 105, 1, 1, "");
	vals(&r, 131, 1, 1, "");
	vals(&r, 140, 1, 1, "");
	engine_finish(r.t.e);
	assert_string_equal(text(&r), "b100 110:2 120:2 130:2 140:3 e140");
	end(&r);
}

static void a_gap_of_years_is_no_endless_loop(void **state)
{
	struct run r;
	(void)state;

	begin(&r, "test:vals | do { $n++ }; tick 1ns { $t++ }; end { printf \"%d\", $t < 1000000 }",
	      0);
	vals(&r, 1, 1, 1, "");
	vals(&r, UINT64_MAX - 5, 1, 1, "");
	vals(&r, UINT64_MAX, 1, 1, "");
	engine_finish(r.t.e);
	assert_string_equal(text(&r), "1");
	end(&r);
}

static void exit_ends_all(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | do { if (s64 == 2) { exit } $a++ }; test:vals | do { $b++ }; "
	      "tick 1s { $c++ }; end { printf \"%d %d\", $a, $b }",
	      0);
	for (int i = 0; i < 5; i++)
		vals(&r, (uint64_t)i, 1, i, "");
	assert_true(engine_done(r.t.e));
	engine_finish(r.t.e);
	assert_string_equal(text(&r), "2 2");
	end(&r);
}

/* ---- speculation ---- */

#define STAGE                                                                                      \
	"test:vals, test:other | speculate by tid from s64 == 1 commit s64 == 9 discard s64 == 8 " \
	"| print ts, tid, s64"

static void what_is_committed_comes_out_in_order(void **state)
{
	struct run r;
	(void)state;

	begin(&r, STAGE, 0);
	vals(&r, 1, 10, 1, ""); /* 10 begins */
	vals(&r, 2, 20, 5, ""); /* outside */
	vals(&r, 3, 20, 1, ""); /* 20 begins */
	other(&r, 4, 10, 0);
	vals(&r, 5, 30, 1, ""); /* 30 begins, never ends */
	vals(&r, 6, 20, 9, ""); /* 20 commits */
	vals(&r, 7, 10, 1, ""); /* 10 begins anew */
	vals(&r, 8, 10, 2, "");
	vals(&r, 9, 20, 9, ""); /* outside again */
	vals(&r, 10, 10, 9, "");
	vals(&r, 11, 20, 1, "");
	vals(&r, 12, 20, 8, ""); /* discarded */
	vals(&r, 13, 20, 9, "");
	assert_string_equal(text(&r), "3 20 1\n6 20 9\n7 10 1\n8 10 2\n10 10 9\n");
	end(&r);
}

static void a_block_holds_commits_and_discards(void **state)
{
	struct run r;
	(void)state;

	begin(&r,
	      "test:vals | let twice = s64 * 2, name = str | do { if (s64 == 1) { @in[tid] = 1 } "
	      "if (@in[tid]) { speculate(tid) } if (s64 == 9) { commit(tid); delete(@in[tid]) } "
	      "if (s64 == 8) { discard(tid) } if (s64 == 7) { commit(tid) } } | print ts, tid, "
	      "twice, name",
	      0);
	vals(&r, 1, 10, 1, "one");
	vals(&r, 2, 20, 1, "uno");
	vals(&r, 3, 10, 2, "two");
	vals(&r, 4, 30, 5, "cinque"); /* not held, not committed: does not pass */
	vals(&r, 5, 10, 9, "nine");
	vals(&r, 6, 20, 8, "otto");
	vals(&r, 7, 20, 9, "nove");
	vals(&r, 8, 40, 7, "self"); /* commits itself */
	assert_string_equal(text(&r),
			    "1 10 2 one\n3 10 4 two\n5 10 18 nine\n7 20 18 nove\n8 40 14 self\n");
	end(&r);
}

static void the_oldest_are_dropped_when_room_ends(void **state)
{
	struct engine_stats st;
	uint64_t n = 0, last = 0;
	struct run r;
	(void)state;

	begin(&r, STAGE, 64 << 10);
	for (uint64_t i = 1; i < 5000; i++)
		vals(&r, i, 10, i == 1 ? 1 : 2, "");
	vals(&r, 5000, 10, 9, "");
	engine_stats(r.t.e, 0, &st);
	assert_true(st.held_dropped > 1000 && st.held_dropped < 5000);
	for (const char *p = text(&r); *p; p = strchr(p, '\n') + 1, n++) {
		uint64_t ts = strtoull(p, NULL, 10);

		assert_true(!n || ts == last + 1); /* the newest, without a gap */
		last = ts;
	}
	assert_int_equal(last, 5000);
	assert_int_equal(n + st.held_dropped, 5000);
	/* another task's many events do not make it forget how to go on */
	buf_clear(&r.t.sink[0].text);
	vals(&r, 6000, 11, 1, "");
	vals(&r, 6001, 11, 9, "");
	assert_string_equal(text(&r), "6000 11 1\n6001 11 9\n");
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_use_may_stand_before_what_sets_it),
		cmocka_unit_test(numbers_widen),
		cmocka_unit_test(columns_are_named_where_it_is_stored),
		cmocka_unit_test(conflicts_are_found_in_the_order_of_the_text),
		cmocka_unit_test(unset_and_null_values),
		cmocka_unit_test(strings_outlive_their_record),
		cmocka_unit_test(a_loop_without_end_is_stopped),
		cmocka_unit_test(a_long_loop_over_many_events_is_none_without_end),
		cmocka_unit_test(entries_may_go_while_they_are_gone_over),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(entries_that_go_make_room),
		cmocka_unit_test(nothing_is_allocated_once_warm),
		cmocka_unit_test(each_interval_has_its_tick),
		cmocka_unit_test(a_gap_of_years_is_no_endless_loop),
		cmocka_unit_test(exit_ends_all),
		cmocka_unit_test(what_is_committed_comes_out_in_order),
		cmocka_unit_test(a_block_holds_commits_and_discards),
		cmocka_unit_test(the_oldest_are_dropped_when_room_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
