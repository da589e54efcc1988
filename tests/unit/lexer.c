/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lexer: what each mode makes of a text, numbers and strings at their edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang/lexer.h"

#include <stdio.h>
#include <string.h>

static struct lex_token first(const char *text, enum lex_mode mode, unsigned flags)
{
	struct source src = {.name = "t", .text = text, .len = (uint32_t)strlen(text)};
	struct lex_token t;

	lex_next(&src, 0, mode, flags, &t);
	return t;
}

/* All tokens of @text, joined by blanks, each as it was written; errors as <code>. */
static const char *all(const char *text, enum lex_mode mode, unsigned flags, char *out, size_t size)
{
	struct source src = {.name = "t", .text = text, .len = (uint32_t)strlen(text)};
	uint32_t pos = 0;
	size_t n = 0;

	out[0] = 0;
	for (;;) {
		struct lex_token t;

		lex_next(&src, pos, mode, flags, &t);
		if (t.kind == LEX_EOF)
			return out;
		if (t.kind == LEX_NEWLINE)
			n += (size_t)snprintf(out + n, size - n, "%s<nl>", n ? " " : "");
		else if (t.kind == LEX_ERROR)
			n += (size_t)snprintf(out + n, size - n, "%s<%s>", n ? " " : "", t.code);
		else
			n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? " " : "", (int)t.len,
					      text + t.off);
		assert_true(t.len > 0);
		pos = t.off + t.len;
	}
}

static void splits_each_mode_as_it_should(void **state)
{
	static const struct {
		enum lex_mode mode;
		unsigned flags;
		const char *text, *want;
	} rows[] = {
		{LEXM_EXPR, 0, "a+b*(c->d) # x\n", "a + b * ( c -> d ) <nl>"},
		{LEXM_EXPR, 0, "a<=b>>2!=c!~d=~e", "a <= b >> 2 != c !~ d =~ e"},
		{LEXM_EXPR, 0, "a||b|c&&d&e", "a || b | c && d & e"},
		{LEXM_EXPR, 0, "p99.9 p50.x a.us 5.hex", "p99.9 p50 . x a . us 5 . hex"},
		{LEXM_EXPR, 0, "@m[k] @ $x ${yy} $1 $# $@", "@m [ k ] @ $x ${yy} $1 $# $@"},
		{LEXM_EXPR, 0, "a\\\nb;c", "a b ; c"},
		{LEXM_EXPR, LEXF_NL, "a\n\n# c\nb", "a b"},
		{LEXM_EXPR, 0, "a\r\nb", "a <nl> b"},
		{LEXM_EXPR, 0, "\"a\\\"b\" 'x'", "\"a\\\"b\" <syntax> x <syntax>"},
		{LEXM_EXPR, 0, "a \xc3\xa9 $", "a <syntax> <syntax>"},
		{LEXM_REGEX, 0, "/a\\/[/]b/i x", "/a\\/[/]b/i x"},
		{LEXM_REGEX, 0, "/abc\nx", "<bad-string> <nl> x"},
		{LEXM_SOURCE, 0, "sched:sched_*->b,c|d", "sched:sched_* -> b , c | d"},
		{LEXM_SOURCE, 0, "xhci-hcd:x? a.b/c", "xhci-hcd:x? a.b/c"},
		{LEXM_SOURCE, 0, "s:/^a(b|c) d/i|x", "s:/^a(b|c) d/i | x"},
		{LEXM_SOURCE, 0, "$a:${b}_x", "$a:${b}_x"},
		{LEXM_TARGET, 0, "foo+0x10(x)", "foo+0x10 <syntax> x <syntax>"},
		{LEXM_TARGET, 0, "/^a(b|c)/|", "/^a(b|c)/ <syntax>"},
		{LEXM_PATH, 0, "/bin/a:b-c->", "/bin/a:b-c <syntax> >"},
		{LEXM_PATH, 0, "\"/a b:c\" d", "\"/a b:c\" d"},
		{LEXM_WORD, 0, "a b|c \"d e\" 'f;g' h;i#j", "a b|c \"d e\" 'f;g' h ; i#j"},
		{LEXM_WORD, 0, "a\\ b $x${y z} }", "a\\ b $x${y z} }"},
		{LEXM_WORD, LEXF_BRACE, "a{b}c d}", "a{b}c d }"},
		{LEXM_WORD, 0, "a\"b c", "<bad-string>"},
		{LEXM_LIST, 0, "a b{c", "a b { c"},
		{LEXM_FILE, 0, "x.csv&", "x.csv &"},
		{LEXM_RAW, 0, " a | b 'c;d' \"e;\\\"f\" \\; g ; h",
		 "a | b 'c;d' \"e;\\\"f\" \\; g ; h"},
		{LEXM_RAW, 0, "a |\n b\nc", "a |\n b <nl> c"},
		{LEXM_RAW, LEXF_BRACE, "a { b } c } d", "a { b } c"},
		{LEXM_TYPE, 0, "b4@2/32 u8[4]", "b4@2/32 u8[4]"},
	};
	char out[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *want = rows[i].want;

		if (rows[i].mode == LEXM_RAW && (rows[i].flags & LEXF_BRACE)) {
			/* what ends raw text is not raw text: only the first token counts */
			struct lex_token t = first(rows[i].text, LEXM_RAW, LEXF_BRACE);

			assert_int_equal(t.len, strlen(want));
			continue;
		}
		assert_string_equal(
			all(rows[i].text, rows[i].mode, rows[i].flags, out, sizeof(out)), want);
	}
}

static void numbers_are_exact_or_refused(void **state)
{
	static const struct {
		const char *text;
		enum lex_kind kind;
		uint64_t value;
	} good[] = {
		{"0", LEX_NUM, 0},
		{"42", LEX_NUM, 42},
		{"0x1f", LEX_NUM, 31},
		{"0XfF", LEX_NUM, 255},
		{"0o17", LEX_NUM, 15},
		{"18446744073709551615", LEX_NUM, UINT64_MAX},
		{"0xffffffffffffffff", LEX_NUM, UINT64_MAX},
		{"10ns", LEX_TIME, 10},
		{"5us", LEX_TIME, 5000},
		{"1.5ms", LEX_TIME, 1500000},
		{"0.000000001s", LEX_TIME, 1},
		{"2m", LEX_TIME, 120000000000ull},
		{"1h", LEX_TIME, 3600000000000ull},
		{"4KiB", LEX_SIZE, 4096},
		{"0.5KiB", LEX_SIZE, 512},
		{"10kB", LEX_SIZE, 10000},
		{"1GiB", LEX_SIZE, 1u << 30},
		{"7B", LEX_SIZE, 7},
	};
	static const char *const bad[] = {
		"18446744073709551616",
		"0x10000000000000000",
		"99999999999999999999999999999999",
		"5124096h",
		"0x",
		"0xg",
		"0o8",
		"0o18",
		"017",
		"5x",
		"5sec",
		"5KB",
		"1.5",
		"1.5foo",
		"0.5ns",
		"0.3B",
		"1.0000000001s",
		"16777216TiB",
		"0b1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct lex_token t = first(good[i].text, LEXM_EXPR, 0);

		assert_int_equal(t.kind, good[i].kind);
		assert_int_equal(t.num, good[i].value);
		assert_int_equal(t.len, strlen(good[i].text));
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lex_token t = first(bad[i], LEXM_EXPR, 0);

		if (t.kind != LEX_ERROR)
			fail_msg("%s was taken", bad[i]);
		assert_string_equal(t.code, "bad-number");
		assert_int_equal(t.len, strlen(bad[i]));
	}
}

static void unknown_unit_is_underlined_alone(void **state)
{
	struct lex_token t = first("  15sec", LEXM_EXPR, 0);

	(void)state;
	assert_int_equal(t.kind, LEX_ERROR);
	assert_int_equal(t.err_off, 4);
	assert_int_equal(t.err_len, 3);
	assert_non_null(t.hint);
}

static void strings_decode_with_c_escapes(void **state)
{
	static const struct {
		const char *raw, *want;
		size_t len;
		bool vars;
	} rows[] = {
		{"abc", "abc", 3, false},
		{"a\\n\\t\\\\\\\"\\'\\?", "a\n\t\\\"'?", 7, false},
		{"\\x41\\x4142\\101\\0", "AA42A\0", 6, false},
		{"\\u00e9\\u20ac\\u0041",
		 "\xc3\xa9\xe2\x82\xac"
		 "A",
		 6, false},
		{"a\\\nb", "ab", 2, false},
		{"$x", "$x", 2, true},
		{"a ${x} \\$y", "a ${x} $y", 9, true},
		{"\\$y costs 5$", "$y costs 5$", 11, false},
		{"$1", "$1", 2, true},
		{"$#", "$#", 2, true},
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len;
		bool vars;
		char *s = lex_decode(a, rows[i].raw, strlen(rows[i].raw), &len, &vars);

		assert_int_equal(len, rows[i].len);
		assert_memory_equal(s, rows[i].want, len);
		assert_int_equal(vars, rows[i].vars);
	}
	arena_free(a);
}

static void bad_strings_say_where(void **state)
{
	static const struct {
		const char *text;
		uint32_t off;
	} rows[] = {
		{"\"abc", 0},       {"\"ab\nc\"", 0}, {"\"a\\qb\"", 2}, {"\"\\x\"", 1},
		{"\"\\ud800\"", 1}, {"\"\\400\"", 1}, {"\"abc\\", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lex_token t = first(rows[i].text, LEXM_EXPR, 0);

		assert_int_equal(t.kind, LEX_ERROR);
		assert_string_equal(t.code, "bad-string");
		assert_int_equal(t.err_off, rows[i].off);
	}
}

static void percentile_words_are_told_from_names(void **state)
{
	(void)state;
	assert_true(lex_is_percentile("p50", 3));
	assert_true(lex_is_percentile("p99.9", 5));
	assert_false(lex_is_percentile("p", 1));
	assert_false(lex_is_percentile("pid", 3));
	assert_false(lex_is_percentile("p99.", 4));
	assert_false(lex_is_percentile("p9x", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_each_mode_as_it_should),
		cmocka_unit_test(numbers_are_exact_or_refused),
		cmocka_unit_test(unknown_unit_is_underlined_alone),
		cmocka_unit_test(strings_decode_with_c_escapes),
		cmocka_unit_test(bad_strings_say_where),
		cmocka_unit_test(percentile_words_are_told_from_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
