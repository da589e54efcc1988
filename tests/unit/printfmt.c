/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Print formats: what is well-formed, which names they give to values, and which of them
 * libtraceevent may be handed. */
#include "cat_util.h"

#include "catalog/printfmt.h"
#include "catalog/rec.h"

static void well_formed(void **state)
{
	static const char *const good[] = {
		"\"x\"",
		"\"a\" \"b\"",
		"\"%d\", REC->a",
		"\"%s\", __get_str(name)",
		"\"%d %d\", (int)REC->a, ((unsigned long long)REC->b >> 20) & ((1U << 20) - 1)",
		"\"%s\", REC->a ? \"yes\" : \"no\"",
		"\"%s\", __print_flags(REC->f, \"|\", { 0x1, \"A\" }, { 0x2, \"B\" })",
		"\"%s\", __print_symbolic(REC->f, { 1, \"A\" }, { ENUM, \"B\" })",
		"\"%s\", __print_flags(REC->f, \"\", { })",
		"\"%d\", !!(REC->a & -1) || ~REC->b && REC->c != 'x'",
		"\"%lu\", sizeof(struct page *)",
		"\"%d\", REC->a[3] + *REC->b",
		"\"%s %s\", __print_hex(REC->m, 6), __print_array(__get_dynamic_array(x), 3, 4)",
		"\"%%\"",
		"\"\\\"%s\\\"\", REC->s",
	};
	static const char *const bad[] = {
		"",
		"x",
		"\"x",
		"\"x\\",
		"\"x\",",
		"\"x\" REC->a",
		"\"x\", REC->",
		"\"x\", (REC->a",
		"\"x\", REC->a)",
		"\"x\", REC->a +",
		"\"x\", REC->a ? 1",
		"\"x\", REC->a ? 1 :",
		"\"x\", f(",
		"\"x\", f(1,",
		"\"x\", __print_flags(REC->f)",
		"\"x\", __print_flags(REC->f, 3, { 1, \"A\" })",
		"\"x\", __print_flags(REC->f, \"|\", { 1 })",
		"\"x\", __print_flags(REC->f, \"|\", { 1, \"A\"",
		"\"x\", __print_symbolic(REC->f, { 1, \"A\" }",
		"\"x\", REC->a[",
		"\"x\", 12ab",
		"\"x\", @",
		"\"x\", 1 2",
		"\"x\"; exit",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (!printfmt_valid(good[i]))
			fail_msg("refused: %s", good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (printfmt_valid(bad[i]))
			fail_msg("accepted: %s", bad[i]);
	}
	(void)state;
}

static void any_depth(void **state)
{
	static const char *const open[] = {"(", "-", "f(", "a[", "a ? ", "(int)", "{", "a ? b : "};
	char *text = malloc(300000);

	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		size_t n = (size_t)sprintf(text, "\"x\", ");

		for (unsigned k = 0; k < 30000; k++)
			n += (size_t)sprintf(text + n, "%s", open[i]);
		assert_false(printfmt_valid(text));
	}
	free(text);
	(void)state;
}

/* ---- names ---- */

#define NAMES_FIELDS                                                                               \
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"                                          \
	"\tfield:unsigned int b;\toffset:12;\tsize:4;\tsigned:0;\n"                                \
	"\tfield:u64 c;\toffset:16;\tsize:8;\tsigned:0;\n"

struct named {
	const char *fmt, *field, *name;
	bool found;
	uint64_t value;
};

static void names_of_values(void **state)
{
	static const struct named v[] = {
		{"\"%s\", __print_symbolic(REC->a, { 1, \"ONE\" }, { 2, \"TWO\" })", "a", "TWO",
		 true, 2},
		{"\"%s\", __print_symbolic(REC->a, { 1, \"ONE\" }, { 2, \"TWO\" })", "b", "TWO",
		 false, 0},
		{"\"%s\", __print_symbolic(REC->a, { -1, \"NEG\" })", "a", "NEG", true,
		 (uint64_t)-1},
		{"\"%s\", __print_symbolic(REC->a, { (1 << 4) | 2, \"X\" })", "a", "X", true, 18},
		{"\"%s\", __print_symbolic(REC->a, { 0x10UL, \"X\" })", "a", "X", true, 16},
		{"\"%s\", __print_symbolic(REC->a, { 1 << 70, \"X\" })", "a", "X", true, 0},
		{"\"%s\", __print_symbolic(REC->a, { 1 / 0, \"X\" })", "a", "X", true, 0},
		{"\"%s\", __print_symbolic(REC->a, { UNKNOWN, \"U\" }, { 3, \"X\" })", "a", "U",
		 false, 0},
		{"\"%s\", __print_symbolic(REC->a, { UNKNOWN, \"U\" }, { 3, \"X\" })", "a", "X",
		 true, 3},
		/* a cast and a mask are seen through */
		{"\"%s\", __print_symbolic((int)REC->a, { 1, \"X\" })", "a", "X", true, 1},
		{"\"%s\", __print_symbolic(REC->a & 0xf, { 1, \"X\" })", "a", "X", true, 1},
		{"\"%s\", __print_symbolic(((0xf) & (REC->a)), { 1, \"X\" })", "a", "X", true, 1},
		/* another value than the field's has names of its own, not the field's */
		{"\"%s\", __print_symbolic(REC->a >> 4, { 1, \"X\" })", "a", "X", false, 0},
		{"\"%s\", __print_symbolic(REC->a + 1, { 1, \"X\" })", "a", "X", false, 0},
		{"\"%s\", __print_symbolic(-REC->a, { 1, \"X\" })", "a", "X", false, 0},
		{"\"%s\", __print_symbolic(REC->a == 1, { 1, \"X\" })", "a", "X", false, 0},
		{"\"%s\", __print_symbolic(REC->a[1], { 1, \"X\" })", "a", "X", false, 0},
		{"\"%s\", __print_symbolic(REC->zz, { 1, \"X\" })", "a", "X", false, 0},
		/* flags */
		{"\"%s\", __print_flags(REC->b, \"|\", { 1, \"A\" }, { 4, \"C\" })", "b", "C", true,
		 4},
		{"\"%s\", __print_flags(REC->b, \"|\", { 1, \"A\" }, { 4, \"C\" })", "b", "A|C",
		 true, 5},
		{"\"%s\", __print_flags(REC->b, \"|\", { 1, \"A\" }, { 4, \"C\" })", "b", "A|Z",
		 false, 0},
		{"\"%s\", __print_flags(REC->b, \"|\", { 1, \"A\" }, { 4, \"C\" })", "b", "|",
		 false, 0},
		{"\"%s\", __print_flags(REC->b, \"\", { 1, \"A\" }, { 4, \"C\" })", "b", "C", true,
		 4},
		{"\"%s\", REC->b ? __print_flags(REC->b, \"|\", { 1, \"A\" }) : \"none\"", "b",
		 "none", true, 0},
		{"\"%s\", __print_flags_u64(REC->c, \"|\", { 1ULL << 63, \"TOP\" })", "c", "TOP",
		 true, 1ull << 63},
		/* in the middle of others, and broken texts give no names */
		{"\"%d %s\", REC->b, __print_symbolic(REC->a, { 7, \"X\" })", "a", "X", true, 7},
		{"\"%s\", __print_symbolic(REC->a, { 7, \"X\" }", "a", "X", false, 0},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct event *e;
		uint64_t value = 0, mask = 0;
		struct cat t;
		bool found;

		cat_open(&t, NULL);
		e = cat_event(&t, "e", 7, NAMES_FIELDS, v[i].fmt);
		found = field_symvalue(event_field(e, v[i].field), v[i].name, &value, &mask);
		if (found != v[i].found || (found && value != v[i].value))
			fail_msg("%s: %s is %s (%llu)", v[i].fmt, v[i].name,
				 found ? "found" : "unknown", (unsigned long long)value);
		cat_close(&t);
	}
	(void)state;
}

/* ---- what may be handed on ---- */

#define SAFE_FIELDS                                                                                \
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"                                          \
	"\tfield:int n;\toffset:12;\tsize:4;\tsigned:1;\n"                                         \
	"\tfield:u8 mac[6];\toffset:16;\tsize:6;\tsigned:0;\n"                                     \
	"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"                                \
	"\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"                        \
	"\tfield:__data_loc u8[] buf;\toffset:44;\tsize:4;\tsigned:0;\n"                           \
	"\tfield:__rel_loc char[] rel;\toffset:48;\tsize:4;\tsigned:0;\n"                          \
	"\tfield:void * p;\toffset:56;\tsize:8;\tsigned:0;\n"

#define LIMITED 1000

/* verdict: 0 refused, 1 allowed, LIMITED + n: allowed for records of which n fields are looked at
 */
static const struct {
	const char *fmt;
	int verdict;
} safety[] = {
	{"\"%d\", REC->a", 1},
	{"\"%s %s\", REC->comm, __get_str(name)", 1},
	{"\"%s\", __get_rel_str(rel)", 1},
	{"\"%pS %p\", REC->p, REC->p", 1},
	/* division */
	{"\"%d\", REC->a / 0", 0},
	{"\"%d\", REC->a % 0", 0},
	{"\"%d\", REC->a / REC->n", 0},
	{"\"%d\", REC->a / (5 - 5)", 0},
	{"\"%d\", REC->a / 5 * 0", 0},
	{"\"%d\", REC->a / 5 / 5", 0},
	{"\"%d\", REC->a / -0", 0},
	{"\"%d\", REC->a / sizeof(struct x)", 0},
	{"\"%d\", REC->a / 0x0", 0},
	{"\"%d\", REC->a / 1000", 1},
	{"\"%d\", (REC->a % 10) + 1", 1},
	{"\"%d\", REC->a / sizeof(u32)", 1},
	/* indexes */
	{"\"%d\", REC->mac[REC->a]", 0},
	{"\"%d\", REC->mac[-1]", 0},
	{"\"%d\", REC->mac[99999999]", 0},
	{"\"%d\", REC->mac[1 + 1]", 0},
	{"\"%d\", REC->mac[2]", 1},
	/* conversions */
	{"\"%ls\", REC->comm", 0},
	{"\"%lc\", REC->a", 0},
	{"\"%999d\", REC->a", 0},
	{"\"%99d\", REC->a", 1},
	{"\"%.99999s\", REC->comm", 0},
	{"\"%*d\", 10, REC->a", 1},
	{"\"%*d\", 99999999, REC->a", 0},
	{"\"%*d\", REC->n, REC->a", LIMITED + 1},
	{"\"%*d\", REC->n + 1, REC->a", 0},
	{"\"%.*s\", REC->n, REC->comm", LIMITED + 1},
	{"\"%.*s\", (int)REC->n, REC->comm", LIMITED + 1},
	{"\"%*.*d\", 1, 2, REC->a", 0},
	{"\"%.*s\", REC->comm, REC->comm", 0},
	{"\"%d %*d\", REC->a, REC->n * 1000, REC->a", 0},
	{"\"%*pbl\", 64, REC->p", 1},
	{"\"%", 0},
	{"\"%\"", 1},
	{"\"%%*d\", REC->a", 1},
	{"\"\\%*d\", REC->a", 1},
	/* buffers and counts */
	{"\"%s\", __print_hex(REC->mac, 6)", 1},
	{"\"%s\", __print_hex(REC->mac, REC->n)", LIMITED + 1},
	{"\"%s\", __print_hex(REC->mac, 1000000)", 0},
	{"\"%s\", __print_hex(REC->mac, -1)", 0},
	{"\"%s\", __print_hex(REC->mac, REC->n + 5)", 0},
	{"\"%s\", __print_hex(12345, 6)", 0},
	{"\"%s\", __print_hex(REC->p[0], 6)", 0},
	{"\"%s\", __print_hex(__get_dynamic_array(buf), __get_dynamic_array_len(buf))", 1},
	{"\"%s\", __print_hex(__get_dynamic_array(zz), 4)", 0},
	{"\"%s\", __print_array(__get_dynamic_array(buf), 4, 8)", 1},
	{"\"%s\", __print_array(__get_dynamic_array(buf), 4, 3)", 0},
	{"\"%s\", __print_array(__get_dynamic_array(buf), 4, 0)", 0},
	{"\"%s\", __print_array(__get_dynamic_array(buf), __get_dynamic_array_len(buf) / 4, 4)", 1},
	{"\"%s\", __print_array(__get_dynamic_array(buf), __get_dynamic_array_len(buf) / 0, 4)", 0},
	{"\"%s\", __print_array(__get_dynamic_array(buf), __get_dynamic_array_len(buf), 4)", 0},
	/* strings of what is none */
	{"\"%s\", __get_str(a)", 0},
	{"\"%s\", __get_str(zz)", 0},
	{"\"%s\", __get_str(REC->name)", 0},
	{"\"%d\", __get_dynamic_array_len(rel)", 0},
	{"\"%s\", __get_bitmask(buf)", 1},
	{"\"%s\", some_plugins_function(REC->p)", 0},
	{"\"%s\", system(\\\"true\\\")", 0},
	/* bytes */
	{"\"\x80\", REC->a", 0},
	{"\"\x01\", REC->a", 0},
	{"\"a\nb\", REC->a", 1},
};

static void what_is_handed_on(void **state)
{
	for (size_t i = 0; i < sizeof(safety) / sizeof(safety[0]); i++) {
		struct printfmt_limit *l;
		struct event *e;
		struct cat t;
		size_t n = 0;
		int got;

		cat_open(&t, NULL);
		e = cat_event(&t, "e", 7, SAFE_FIELDS, safety[i].fmt);
		event_load(e);
		got = printfmt_safe(t.a, safety[i].fmt, e->fields, e->nfields, &l, &n);
		if (got && n)
			got = LIMITED + (int)n;
		if (got != safety[i].verdict)
			fail_msg("%s: %d instead of %d", safety[i].fmt, got, safety[i].verdict);
		for (size_t k = 0; got && k < n; k++) {
			assert_string_equal(l[k].field->name, "n");
			assert_in_range(l[k].max, 1, 32768);
		}
		cat_close(&t);
	}
	(void)state;
}

static void texts_by_themselves(void **state)
{
	static const char *const good[] = {"", "x", "%d", "%s %lu", "%%", "%08x", "%*pbl", "\\%*d"};
	static const char *const bad[] = {"%*d", "%.*s", "%ls", "%999d", "%lc", "%123456789d"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (!printfmt_conversions_safe(good[i], strlen(good[i])))
			fail_msg("refused: %s", good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (printfmt_conversions_safe(bad[i], strlen(bad[i])))
			fail_msg("accepted: %s", bad[i]);
	}
	(void)state;
}

static void long_texts(void **state)
{
	char *text = malloc(200000);
	struct printfmt_limit *l;
	struct cat t;
	size_t n;

	cat_open(&t, NULL);
	/* more than any kernel writes */
	n = (size_t)sprintf(text, "\"");
	memset(text + n, 'x', 100000);
	strcpy(text + n + 100000, "\"");
	assert_false(printfmt_safe(t.a, text, NULL, 0, &l, &n));
	/* so many operators that recursion would run off the stack */
	n = (size_t)sprintf(text, "\"%%d\", 1");
	for (unsigned i = 0; i < 20000; i++)
		n += (size_t)sprintf(text + n, "+1");
	assert_false(printfmt_safe(t.a, text, NULL, 0, &l, &n));
	free(text);
	cat_close(&t);
	(void)state;
}

/* ---- printing whatever comes, under the sanitizers as well ---- */

static uint64_t rnd(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* a record where it ends: a byte read behind it is seen */
static void print_bytes(struct cat *t, struct event *e, const uint8_t *data, uint32_t len,
			struct buf *out)
{
	uint8_t *copy = malloc(len + !len);
	struct rec r = {.ev = e, .origin = t->o, .data = copy, .len = len, .ts = 1000000};

	memcpy(copy, data, len);
	rec_print(&r, out);
	buf_putc(out, '\n');
	free(copy);
}

static void limits_of_records(void **state)
{
	uint8_t data[64] = {7};
	struct buf b = {0};
	struct event *e;
	struct cat t;

	cat_open(&t, NULL);
	e = cat_event(&t, "e", 7, SAFE_FIELDS, "\"[%*d]\", REC->n, REC->a");
	/* strings that lie inside */
	memcpy(data + 40, (uint32_t[]){4u << 16 | 56}, 4);
	memcpy(data + 44, (uint32_t[]){4u << 16 | 56}, 4);
	data[8] = 42;
	data[12] = 5;
	print_bytes(&t, e, data, 64, &b);
	assert_string_equal(b.p, "[   42]\n");
	/* a width beyond reason, or negative: all fields, one by one */
	memcpy(data + 12, (int[]){1 << 30}, 4);
	buf_clear(&b);
	print_bytes(&t, e, data, 64, &b);
	assert_non_null(strstr(b.p, "a=42 n=1073741824 mac="));
	memcpy(data + 12, (int[]){-5}, 4);
	buf_clear(&b);
	print_bytes(&t, e, data, 64, &b);
	assert_non_null(strstr(b.p, "a=42 n=-5 mac="));
	/* a record that is cut */
	buf_clear(&b);
	print_bytes(&t, e, data, 14, &b);
	assert_non_null(strstr(b.p, "a=42 n=? mac=?"));
	buf_clear(&b);
	print_bytes(&t, e, data, 0, &b);
	assert_non_null(strstr(b.p, "a=? n=?"));
	buf_free(&b);
	cat_close(&t);
	(void)state;
}

/* every kind of format of the table, and each text with bytes changed, over random records */
static void random_formats_and_records(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	struct buf b = {0};
	size_t n = sizeof(safety) / sizeof(safety[0]), printed = 0;

	for (unsigned round = 0; round < 12; round++) {
		struct cat t;

		cat_open(&t, NULL);
		for (size_t i = 0; i < n; i++) {
			char *fmt = arena_strdup(t.a, safety[i].fmt);
			char name[16];
			struct event *e;

			for (unsigned k = 0; k < round; k++) /* the first round leaves it be */
				fmt[rnd(&seed) % strlen(fmt)] =
					"%*(){}[]-+/\"',.0d sREC>$\\:?"[rnd(&seed) % 27];
			snprintf(name, sizeof(name), "e%zu", i);
			e = cat_event(&t, name, (int)(7 + i), SAFE_FIELDS, fmt);
			if (!e)
				continue;
			for (unsigned k = 0; k < 20; k++) {
				uint8_t data[96];

				for (size_t x = 0; x < sizeof(data); x++)
					data[x] = rnd(&seed) % 3 ? (uint8_t)rnd(&seed) : 0;
				memcpy(data, (uint16_t[]){(uint16_t)e->id}, 2);
				if (k % 2) { /* small numbers get further */
					memcpy(data + 12, (int[]){(int)(rnd(&seed) % 40) - 4}, 4);
					for (unsigned at = 40; at <= 48; at += 4)
						memcpy(data + at,
						       (uint32_t[]){(uint32_t)(rnd(&seed) % 40)
									    << 16 |
								    (uint32_t)(rnd(&seed) % 64)},
						       4);
				}
				print_bytes(&t, e, data, k % 5 ? 96 : (uint32_t)(rnd(&seed) % 97),
					    &b);
				printed++;
			}
			buf_clear(&b);
		}
		cat_close(&t);
	}
	assert_true(printed > 10000);
	buf_free(&b);
	(void)state;
}

/* the formats of real kernels over random records */
static void real_formats_and_random_records(void **state)
{
	uint64_t seed = 0xd1b54a32d192ed03ull;
	struct buf b = {0};
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	for (unsigned i = 0; i < catalog_nevents(t.c); i++) {
		struct event *e = catalog_event(t.c, i);

		assert_int_equal(event_load(e), 0);
		for (unsigned k = 0; k < 200; k++) {
			uint8_t data[256];
			uint32_t len = k % 4 ? e->min_size + (uint32_t)(rnd(&seed) % 64)
					     : (uint32_t)(rnd(&seed) % 200);

			for (size_t x = 0; x < sizeof(data); x++)
				data[x] = rnd(&seed) % 2 ? (uint8_t)rnd(&seed) : 0;
			memcpy(data, (uint16_t[]){(uint16_t)event_id(e)}, 2);
			print_bytes(&t, e, data, len > 256 ? 256 : len, &b);
		}
		assert_true(b.len >= 200);
		buf_clear(&b);
	}
	buf_free(&b);
	cat_close(&t);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(well_formed),
		cmocka_unit_test(any_depth),
		cmocka_unit_test(names_of_values),
		cmocka_unit_test(what_is_handed_on),
		cmocka_unit_test(texts_by_themselves),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(limits_of_records),
		cmocka_unit_test(random_formats_and_records),
		cmocka_unit_test(real_formats_and_random_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
