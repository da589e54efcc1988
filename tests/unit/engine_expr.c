/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions over the whole range of 64 bits, checked against arithmetic in 128; nulls; functions.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine_util.h"

#include <pcre2.h>

/* one expression printed as it stands for one record of test:vals */
static struct cell last;
static char last_text[4096];

static void keep(struct sink *k, const struct schema *s, const struct cell *cells)
{
	(void)k;
	(void)s;
	last = cells[0];
	if (last.p) {
		memcpy(last_text, last.p, last.len);
		last_text[last.len] = '\0';
	}
}

static struct pipe *printing(struct t *t, struct expr *e, struct event *other)
{
	struct pipe *p = p_events(t, t->vals, other);

	op_keys(t, p_op(t, p, OP_PRINT), 1, e);
	q_add(t, p, 1, 4);
	t_start(t);
	t->sink[0].k.row = keep;
	return p;
}

static void record(struct t *t, uint64_t s64, uint64_t u64, uint64_t b64, uint64_t c64)
{
	r_begin(t, t->vals, 7, 3, 1000);
	put(t, 8, 1, s64);
	put(t, 9, 1, u64);
	put(t, 10, 2, s64);
	put(t, 12, 2, u64);
	put(t, 16, 4, s64);
	put(t, 20, 4, u64);
	put(t, 24, 8, s64);
	put(t, 32, 8, u64);
	put_str(t, 40, "bash");
	for (unsigned i = 0; i < 4; i++)
		put(t, 56 + 4 * i, 4, 100 + i);
	put(t, 72, 8, b64);
	put(t, 80, 8, c64);
	put(t, 88, 8, 2);
	engine_feed(t->e, &t->r);
}

static const uint64_t edges[] = {
	0,
	1,
	2,
	5,
	63,
	64,
	65,
	255,
	1000,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	1ull << 32,
	INT64_MAX - 1,
	INT64_MAX,
	1ull << 63,
	(1ull << 63) + 1,
	UINT64_MAX - 5,
	UINT64_MAX - 1,
	UINT64_MAX,
};
#define NEDGES (sizeof(edges) / sizeof(edges[0]))

static __int128 wide(uint64_t v, bool uns)
{
	return uns ? (__int128)v : (__int128)(int64_t)v;
}

/* what an operator shall give; *null for division by zero */
static __int128 expected(enum xop op, uint64_t a, bool ua, uint64_t b, bool ub, bool uns,
			 bool *null)
{
	__int128 x = wide(a, ua), y = wide(b, ub), r = 0;
	bool div = op == XO_DIV || op == XO_MOD;

	*null = div && b == 0;
	if (*null)
		return 0;
	switch (op) {
	case XO_EQ: return x == y;
	case XO_NE: return x != y;
	case XO_LT: return x < y;
	case XO_LE: return x <= y;
	case XO_GT: return x > y;
	case XO_GE: return x >= y;
	default: break;
	}
	x = wide(a, uns);
	y = wide(b, uns);
	switch (op) {
	case XO_ADD: r = x + y; break;
	case XO_SUB: r = x - y; break;
	case XO_MUL: r = (__int128)((unsigned __int128)x * (unsigned __int128)y); break;
	case XO_DIV: r = x / y; break;
	case XO_MOD: r = x % y; break;
	case XO_AND: r = x & y; break;
	case XO_OR: r = x | y; break;
	case XO_XOR: r = x ^ y; break;
	case XO_SHL:
		r = b < 64 ? (__int128)((unsigned __int128)x << b) : 0;
		return wide((uint64_t)r, ua);
	case XO_SHR:
		x = wide(a, ua);
		r = b < 64 ? x >> b : x < 0 ? -1 : 0;
		return wide((uint64_t)r, ua);
	default: break;
	}
	return wide((uint64_t)r, uns);
}

static void operators_agree_with_128_bits(void **state)
{
	static const char *const fields[][2] = {
		{"s64", "b64"}, {"s64", "c64"}, {"u64", "b64"}, {"u64", "c64"}};
	unsigned cases = 0;
	(void)state;

	for (enum xop op = XO_ADD; op <= XO_GE; op++) {
		if (op == XO_LAND || op == XO_LOR)
			continue;
		for (int f = 0; f < 4; f++) {
			bool ua = f >= 2, ub = f & 1, null;
			struct t t;

			t_init(&t);
			printing(&t,
				 x_2(&t, op, x_field(&t, fields[f][0]), x_field(&t, fields[f][1])),
				 NULL);
			for (size_t i = 0; i < NEDGES; i++) {
				for (size_t j = 0; j < NEDGES; j++) {
					uint64_t a = edges[i], b = edges[j];
					__int128 want = expected(op, a, ua, b, ub, ua && ub, &null);

					record(&t, a, a, b, b);
					assert_int_equal(last.null, null);
					assert_true(null || last.n == want);
					cases++;
				}
			}
			t_free(&t);
		}
	}
	assert_true(cases > 20000);
}

static void a_literal_takes_the_other_sides_sign(void **state)
{
	static const int64_t lits[] = {0, 1, 5, 63, 1000, INT64_MAX, -1, -5, INT64_MIN};
	(void)state;

	for (enum xop op = XO_ADD; op <= XO_GE; op++) {
		if (op == XO_LAND || op == XO_LOR || op == XO_SHL || op == XO_SHR)
			continue;
		for (size_t l = 0; l < sizeof(lits) / sizeof(lits[0]); l++) {
			for (int right = 0; right < 2; right++) {
				struct expr *x;
				struct t t;

				t_init(&t);
				x = right ? x_2(&t, op, x_field(&t, "u64"), x_lit(&t, lits[l]))
					  : x_2(&t, op, x_lit(&t, lits[l]), x_field(&t, "u64"));
				printing(&t, x, NULL);
				for (size_t i = 0; i < NEDGES; i++) {
					uint64_t v = edges[i], k = (uint64_t)lits[l];
					bool null;
					__int128 want =
						right ? expected(op, v, true, k, false, true, &null)
						      : expected(op, k, false, v, true, true,
								 &null);

					record(&t, 0, v, 0, 0);
					assert_int_equal(last.null, null);
					assert_true(null || last.n == want);
				}
				t_free(&t);
			}
		}
	}
}

static void loads_extend_by_the_fields_sign(void **state)
{
	static const struct {
		const char *f;
		int bits;
		bool uns;
	} rows[] = {{"s8", 8, false},   {"u8", 8, true},   {"s16", 16, false}, {"u16", 16, true},
		    {"s32", 32, false}, {"u32", 32, true}, {"s64", 64, false}, {"u64", 64, true}};
	(void)state;

	for (size_t r = 0; r < 8; r++) {
		struct t t;

		t_init(&t);
		printing(&t, x_field(&t, rows[r].f), NULL);
		for (size_t i = 0; i < NEDGES; i++) {
			uint64_t v = edges[i] << (64 - rows[r].bits);
			__int128 want = rows[r].uns ? (__int128)(v >> (64 - rows[r].bits))
						    : (__int128)((int64_t)v >> (64 - rows[r].bits));

			record(&t, edges[i], edges[i], 0, 0);
			assert_false(last.null);
			assert_true(last.n == want);
		}
		t_free(&t);
	}
}

static void other_byte_order_is_swapped(void **state)
{
	struct t t;
	(void)state;

	t_init(&t);
	t.o->big_endian = true;
	printing(&t, x_field(&t, "s32"), NULL);
	record(&t, 0, 0, 0, 0);
	put(&t, 16, 4, 0xfeffffff);
	engine_feed(t.e, &t.r);
	assert_true(last.n == -2);
	t_free(&t);
}

static struct expr *null_of(struct t *t)
{
	return x_2(t, XO_DIV, x_field(t, "s64"), x_lit(t, 0));
}

static void null_goes_through_everything_but_logic(void **state)
{
	static const enum xop ops[] = {XO_ADD, XO_SUB, XO_MUL, XO_DIV, XO_MOD, XO_AND,
				       XO_OR,  XO_XOR, XO_SHL, XO_SHR, XO_EQ,  XO_NE,
				       XO_LT,  XO_LE,  XO_GT,  XO_GE};
	struct t t;
	(void)state;

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		for (int side = 0; side < 2; side++) {
			t_init(&t);
			printing(&t,
				 side ? x_2(&t, ops[i], null_of(&t), x_lit(&t, 3))
				      : x_2(&t, ops[i], x_lit(&t, 3), null_of(&t)),
				 NULL);
			record(&t, 1, 1, 1, 1);
			assert_true(last.null);
			t_free(&t);
		}
	}
	static const enum xop unary[] = {XO_NEG, XO_BNOT, XO_NOT};

	for (size_t i = 0; i < 3; i++) {
		t_init(&t);
		printing(&t, x_1(&t, unary[i], null_of(&t)), NULL);
		record(&t, 1, 1, 1, 1);
		assert_true(last.null);
		t_free(&t);
	}
	/* null || 1, null && 1, 0 || null, 1 && null, 1 || null, 0 && null */
	static const struct {
		enum xop op;
		int l, r, want; /* 2: null */
	} logic[] = {{XO_LOR, 2, 1, 1}, {XO_LAND, 2, 1, 0}, {XO_LOR, 0, 2, 0},  {XO_LAND, 1, 2, 0},
		     {XO_LOR, 1, 2, 1}, {XO_LAND, 0, 2, 0}, {XO_LAND, 5, 7, 1}, {XO_LOR, 0, 9, 1}};

	for (size_t i = 0; i < sizeof(logic) / sizeof(logic[0]); i++) {
		t_init(&t);
		printing(&t,
			 x_2(&t, logic[i].op, logic[i].l == 2 ? null_of(&t) : x_lit(&t, logic[i].l),
			     logic[i].r == 2 ? null_of(&t) : x_lit(&t, logic[i].r)),
			 NULL);
		record(&t, 1, 1, 1, 1);
		assert_false(last.null);
		assert_int_equal((int)last.n, logic[i].want);
		t_free(&t);
	}
}

static void conditions_choose_and_lists_contain(void **state)
{
	struct t t;
	(void)state;

	t_init(&t);
	printing(&t,
		 x_n(&t, XO_COND, 3, x_2(&t, XO_LT, x_field(&t, "s64"), x_lit(&t, 0)),
		     x_lit(&t, 10), x_lit(&t, 20)),
		 NULL);
	record(&t, (uint64_t)-1, 0, 0, 0);
	assert_true(last.n == 10);
	record(&t, 1, 0, 0, 0);
	assert_true(last.n == 20);
	t_free(&t);

	t_init(&t);
	printing(&t, x_n(&t, XO_COND, 3, null_of(&t), x_lit(&t, 10), x_lit(&t, 20)), NULL);
	record(&t, 1, 0, 0, 0);
	assert_true(last.null);
	t_free(&t);

	/* by value: -1 is not UINT64_MAX */
	t_init(&t);
	printing(&t,
		 x_n(&t, XO_IN, 5, x_field(&t, "u64"), x_lit(&t, -1), null_of(&t), x_lit(&t, 5),
		     x_field(&t, "b64")),
		 NULL);
	record(&t, 0, UINT64_MAX, UINT64_MAX, 0);
	assert_true(!last.null && last.n == 0);
	record(&t, 0, 5, 0, 0);
	assert_true(last.n == 1);
	record(&t, 0, 77, 77, 0);
	assert_true(last.n == 1);
	t_free(&t);
}

static bool str_op(enum xop op, const char *s, const char *arg)
{
	struct expr *e;
	struct t t;

	t_init(&t);
	if (op == XO_GLOB || op == XO_NGLOB) {
		e = x_1(&t, op, x_field(&t, "str"));
		e->str = arg;
	} else {
		e = x_2(&t, op, x_field(&t, "str"), x_str(&t, arg));
	}
	printing(&t, e, NULL);
	feed_vals(&t, 1, 0, 0, s);
	assert_false(last.null);
	t_free(&t);
	return last.n;
}

static void strings_compare_as_bytes(void **state)
{
	(void)state;

	assert_true(str_op(XO_SEQ, "bash", "bash"));
	assert_false(str_op(XO_SEQ, "bash", "bas"));
	assert_true(str_op(XO_SNE, "bash", "bas"));
	assert_true(str_op(XO_SLT, "bas", "bash"));
	assert_true(str_op(XO_SLT, "B", "a"));
	assert_true(str_op(XO_SGT, "\xc3\xa4", "z"));
	assert_true(str_op(XO_SLE, "", ""));
	assert_true(str_op(XO_SGE, "a", ""));
	assert_true(
		str_op(XO_SEQ, "0123456789abcdef", "0123456789abcdef")); /* no NUL in 16 bytes */
	assert_true(str_op(XO_GLOB, "kworker/0:1", "kworker/*"));
	assert_true(str_op(XO_GLOB, "abc", "a?c"));
	assert_true(str_op(XO_GLOB, "aXbXc", "*X*c"));
	assert_true(str_op(XO_GLOB, "", "*"));
	assert_false(str_op(XO_GLOB, "abc", "a?"));
	assert_false(str_op(XO_GLOB, "abc", "ab"));
	assert_true(str_op(XO_NGLOB, "abc", "b*"));
}

static void regexes_match_within_the_string(void **state)
{
	struct expr *e;
	PCRE2_SIZE at;
	struct t t;
	int err;
	(void)state;

	t_init(&t);
	e = x_1(&t, XO_MATCH, x_field(&t, "str"));
	e->re = pcre2_compile((PCRE2_SPTR) "^k.*[0-9]$", PCRE2_ZERO_TERMINATED, 0, &err, &at, NULL);
	printing(&t, e, NULL);
	feed_vals(&t, 1, 0, 0, "kworker/0:1");
	assert_true(last.n == 1);
	feed_vals(&t, 1, 0, 0, "bash");
	assert_true(last.n == 0);
	pcre2_code_free(e->re);
	t_free(&t);
}

static void fields_an_event_lacks_are_builtins_or_null(void **state)
{
	struct expr *e;
	struct t t;
	(void)state;

	/* test:other has no s64; u8 is elsewhere and wider there */
	t_init(&t);
	printing(&t, x_field(&t, "s64"), t.other);
	record(&t, 42, 0, 0, 0);
	assert_true(last.n == 42);
	r_begin(&t, t.other, 7, 0, 1);
	engine_feed(t.e, &t.r);
	assert_true(last.null);
	record(&t, 43, 0, 0, 0);
	assert_true(last.n == 43);
	t_free(&t);

	t_init(&t);
	printing(&t, x_field(&t, "u8"), t.other);
	record(&t, 0, 200, 0, 0);
	assert_true(last.n == 200);
	r_begin(&t, t.other, 7, 0, 1);
	put(&t, 16, 8, (uint64_t)-3);
	engine_feed(t.e, &t.r);
	assert_true(last.n == -3);
	t_free(&t);

	t_init(&t);
	e = x_field(&t, "cpu");
	e->builtin = BI_CPU;
	printing(&t, e, NULL);
	record(&t, 0, 0, 0, 0);
	assert_true(last.n == 3);
	t_free(&t);

	t_init(&t);
	printing(&t, x_builtin(&t, BI_TID), NULL);
	record(&t, 0, 0, 0, 0);
	assert_true(last.n == 7);
	t_free(&t);
}

static void a_field_beyond_the_record_is_null(void **state)
{
	struct t t;
	(void)state;

	t_init(&t);
	printing(&t, x_field(&t, "u64"), NULL);
	record(&t, 0, 9, 0, 0);
	assert_true(last.n == 9);
	t.r.len = 39;
	engine_feed(t.e, &t.r);
	assert_true(last.null);
	t_free(&t);
}

static void elements_of_arrays(void **state)
{
	static const int want[] = {100, 101, 102, 103, -1};
	(void)state;

	for (unsigned i = 0; i < 5; i++) {
		struct expr *e;
		struct t t;

		t_init(&t);
		e = x_new(&t, XO_ELEM, T_INT, SG_UNSIGNED);
		e->str = "arr";
		e->num = i == 4 ? 1ull << 33 : i;
		printing(&t, e, NULL);
		record(&t, 0, 0, 0, 0);
		assert_int_equal(last.null, want[i] < 0);
		assert_true(last.null || last.n == want[i]);
		t_free(&t);
	}
}

static void names_of_values(void **state)
{
	static const struct {
		enum xop op;
		const char *name;
		uint64_t v;
		int want; /* 2: null */
	} rows[] = {{XO_SYMEQ, "D", 2, 1},   {XO_SYMEQ, "D", 3, 0},     {XO_SYMEQ, "D", 0x102, 1},
		    {XO_SYMEQ, "R", 0, 1},   {XO_SYMEQ, "R", 0x100, 1}, {XO_SYMEQ, "R", 1, 0},
		    {XO_SYMNE, "D", 1, 1},   {XO_SYMNE, "D", 2, 0},     {XO_HAS, "D", 3, 1},
		    {XO_HAS, "D", 1, 0},     {XO_HAS, "S|D", 3, 1},     {XO_HAS, "S|D", 2, 0},
		    {XO_SYMEQ, "S|D", 3, 1}, {XO_SYMEQ, "nope", 3, 2}};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct expr *e;
		struct t t;

		t_init(&t);
		e = x_1(&t, rows[i].op, x_field(&t, "state"));
		e->str = rows[i].name;
		printing(&t, e, NULL);
		r_begin(&t, t.vals, 1, 0, 1);
		put(&t, 88, 8, rows[i].v);
		engine_feed(t.e, &t.r);
		assert_int_equal(last.null, rows[i].want == 2);
		assert_true(last.null || last.n == rows[i].want);
		t_free(&t);
	}
}

static __int128 fn_int(enum fn fn, int64_t a, int64_t b, bool uns, bool *null)
{
	struct t t;

	t_init(&t);
	printing(&t,
		 x_fn(&t, fn, T_INT, x_field(&t, uns ? "u64" : "s64"),
		      b ? x_field(&t, "b64") : NULL),
		 NULL);
	record(&t, (uint64_t)a, (uint64_t)a, (uint64_t)b, 0);
	*null = last.null;
	t_free(&t);
	return last.n;
}

static void functions_of_integers(void **state)
{
	static const struct {
		enum fn fn;
		int64_t a, b;
		bool uns;
		__int128 want;
		bool null;
	} rows[] = {
		{FN_MIN, -1, 5, false, -1, false},
		{FN_MIN, -1, 5, true, 5, false}, /* UINT64_MAX and 5 */
		{FN_MAX, -1, 5, true, UINT64_MAX, false},
		{FN_ABS, -5, 0, false, 5, false},
		{FN_ABS, INT64_MIN, 0, false, (__int128)1 << 63, false},
		{FN_ABS, -1, 0, true, UINT64_MAX, false},
		{FN_LOG2, 0, 0, false, 0, false},
		{FN_LOG2, 1, 0, false, 0, false},
		{FN_LOG2, 2, 0, false, 1, false},
		{FN_LOG2, 3, 0, false, 2, false},
		{FN_LOG2, 4, 0, false, 2, false},
		{FN_LOG2, 5, 0, false, 3, false},
		{FN_LOG2, -1, 0, true, 64, false},
		{FN_LOG2, -1, 0, false, 0, true},
		{FN_BUCKET, 17, 5, false, 15, false},
		{FN_BUCKET, -1, 10, false, -10, false},
		{FN_BUCKET, -10, 10, false, -10, false},
		{FN_BUCKET, -11, 10, false, -20, false},
		{FN_BUCKET, 9, -1, false, 0, true},
		{FN_BUCKET, -1, 10, true, UINT64_MAX - 5, false},
	};
	bool null;
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		__int128 got = fn_int(rows[i].fn, rows[i].a, rows[i].b, rows[i].uns, &null);

		assert_int_equal(null, rows[i].null);
		assert_true(null || got == rows[i].want);
	}
}

static const char *fn_text(enum fn fn, int64_t v, uint64_t num)
{
	struct expr *e;
	struct t t;

	t_init(&t);
	e = x_fn(&t, fn, T_STR, x_field(&t, "s64"), NULL);
	e->num = num;
	printing(&t, e, NULL);
	record(&t, (uint64_t)v, 0, 0, 0);
	assert_false(last.null);
	t_free(&t);
	return last_text;
}

static const char *substr(int64_t from, int64_t len)
{
	struct expr *e;
	struct t t;

	t_init(&t);
	e = x_n(&t, XO_FN, 3, x_field(&t, "str"), x_lit(&t, from), x_lit(&t, len));
	e->fn = FN_SUBSTR;
	e->type.kind = T_STR;
	printing(&t, e, NULL);
	record(&t, 0, 0, 0, 0);
	assert_false(last.null);
	t_free(&t);
	return last_text;
}

static void functions_that_make_strings(void **state)
{
	struct t t;
	(void)state;

	assert_string_equal(fn_text(FN_ERRNO, -2, 0), "ENOENT");
	assert_string_equal(fn_text(FN_ERRNO, 3, 0), "3"); /* a file descriptor */
	assert_string_equal(fn_text(FN_ERRNO, 2, 1), "ENOENT");
	assert_string_equal(fn_text(FN_ERRNO, INT64_MIN, 0), "-9223372036854775808");
	assert_string_equal(fn_text(FN_STR, -42, 0), "-42");
	assert_string_equal(fn_text(FN_KSYM, 0x1234, 0), "0x1234");
	assert_string_equal(fn_text(FN_SYSCALL, 1000000, 0), "1000000");
	assert_string_equal(substr(1, 2), "as");
	assert_string_equal(substr(-2, 100), "sh");
	assert_string_equal(substr(-100, 2), "ba");
	assert_string_equal(substr(4, 1), "");
	assert_string_equal(substr(100, 1), "");
	assert_string_equal(substr(0, -1), "");
	assert_string_equal(substr(INT64_MIN, INT64_MAX), "bash");

	setenv("TZ", "UTC", 1);
	t_init(&t);
	printing(&t, x_fn(&t, FN_STRFTIME, T_STR, x_str(&t, "%H:%M:%S.%f"), x_field(&t, "u64")),
		 NULL);
	record(&t, 0, 3661000002000u, 0, 0);
	assert_string_equal(last_text, "01:01:01.000002");
	t_free(&t);
}

static void what_the_engine_cannot_is_refused(void **state)
{
	static const enum xop ops[] = {XO_MAP, XO_VAR, XO_INMAP};
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		struct sink *k[1];
		struct pipe *p;
		struct t t;

		t_init(&t);
		k[0] = &t.sink[0].k;
		p = p_events(&t, t.vals, NULL);
		p_op(&t, p, OP_WHERE)->cond = x_1(&t, XO_NOT, x_new(&t, ops[i], T_INT, SG_SIGNED));
		q_add(&t, p, 0, 0);
		assert_null(engine_new(&t.s, t.c, t.q, k, 1));
		assert_int_equal(t.s.diags->n, 1);
		assert_string_equal(t.s.diags->v[0].code, "not-yet");
		t_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_agree_with_128_bits),
		cmocka_unit_test(a_literal_takes_the_other_sides_sign),
		cmocka_unit_test(loads_extend_by_the_fields_sign),
		cmocka_unit_test(other_byte_order_is_swapped),
		cmocka_unit_test(null_goes_through_everything_but_logic),
		cmocka_unit_test(conditions_choose_and_lists_contain),
		cmocka_unit_test(strings_compare_as_bytes),
		cmocka_unit_test(regexes_match_within_the_string),
		cmocka_unit_test(fields_an_event_lacks_are_builtins_or_null),
		cmocka_unit_test(a_field_beyond_the_record_is_null),
		cmocka_unit_test(elements_of_arrays),
		cmocka_unit_test(names_of_values),
		cmocka_unit_test(functions_of_integers),
		cmocka_unit_test(functions_that_make_strings),
		cmocka_unit_test(what_the_engine_cannot_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
