/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole language through parser and printer and back; mutated, deep and long texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang_corpus.h"
#include "lang_parse.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Spans nest and stay in the text; no tree is deeper than promised. */
static unsigned check_tree(const struct node *n, const struct source *src)
{
	unsigned depth = 0;

	assert_ptr_equal(n->span.src, src);
	assert_true((uint64_t)n->span.off + n->span.len <= src->len);
	for (size_t i = 0; i < n->n; i++) {
		unsigned d = check_tree(n->kids[i], src) + 1;

		if (d > depth)
			depth = d;
	}
	assert_int_equal(depth, n->depth);
	assert_true(depth <= AST_MAX_DEPTH);
	return depth;
}

/* parse(print(parse(x))) equals parse(x); false if @text does not parse */
static bool roundtrip(const char *text, size_t len)
{
	struct parsed x, y;
	struct buf once = {0}, twice = {0};
	bool ok;

	parse(&x, text, len);
	ok = x.d.errors == 0;
	if (ok) {
		check_tree(x.tree, &x.src);
		ast_print(x.tree, &once);
		parse(&y, buf_str(&once), once.len);
		if (y.d.errors || !node_equal(x.tree, y.tree)) {
			fprintf(stderr, "--- text:\n%s\n--- printed:\n%s\n", text, buf_str(&once));
			show_errors(&y);
			fail_msg("another tree after printing");
		}
		ast_print(y.tree, &twice);
		assert_string_equal(buf_str(&once), buf_str(&twice));
		done(&y);
	}
	buf_free(&once);
	buf_free(&twice);
	done(&x);
	return ok;
}

static void whole_language_survives_printing(void **state)
{
	(void)state;
	assert_true(LANG_CORPUS_N >= 150);
	for (size_t i = 0; i < LANG_CORPUS_N; i++) {
		if (!roundtrip(lang_corpus[i], strlen(lang_corpus[i]))) {
			struct parsed x;

			parse(&x, lang_corpus[i], strlen(lang_corpus[i]));
			show_errors(&x);
			fail_msg("does not parse: %s", lang_corpus[i]);
		}
	}
}

static uint64_t rnd(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Cuts, doubles, swaps and overwrites parts of a text, and splices parts of others in. */
static size_t mutate(char *out, size_t size, uint64_t *seed)
{
	static const char bits[] = "|(){}[],;\n\\\"'/$@#=<>&!~-+*.:?% \tabp9501";
	const char *from = lang_corpus[rnd(seed) % LANG_CORPUS_N];
	size_t n = strlen(from);

	memcpy(out, from, n);
	for (unsigned k = 1 + rnd(seed) % 4; k > 0; k--) {
		size_t at = rnd(seed) % (n + 1), len = rnd(seed) % 12;
		const char *other = lang_corpus[rnd(seed) % LANG_CORPUS_N];
		size_t olen = strlen(other), oat = rnd(seed) % olen;

		switch (rnd(seed) % 4) {
		case 0: /* cut */
			len = at + len > n ? n - at : len;
			memmove(out + at, out + at + len, n - at - len);
			n -= len;
			break;
		case 1: /* splice */
			len = oat + len > olen ? olen - oat : len;
			if (n + len > size)
				break;
			memmove(out + at + len, out + at, n - at);
			memcpy(out + at, other + oat, len);
			n += len;
			break;
		case 2: /* overwrite */
			if (at < n)
				out[at] = bits[rnd(seed) % (sizeof(bits) - 1)];
			break;
		default: /* insert */
			if (n + 1 > size)
				break;
			memmove(out + at + 1, out + at, n - at);
			out[at] = bits[rnd(seed) % (sizeof(bits) - 1)];
			n++;
			break;
		}
	}
	out[n] = 0;
	return n;
}

static void mutated_texts_neither_crash_nor_hang(void **state)
{
	const char *more = getenv("TRACESH_MUTATIONS");
	unsigned rounds = more ? (unsigned)atoi(more) : 6000, parsed = 0;
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	char text[2048];
	clock_t start = clock();

	(void)state;
	for (unsigned i = 0; i < rounds; i++) {
		size_t n = mutate(text, sizeof(text) - 1, &seed);

		parsed += roundtrip(text, n);
		(void)parse_incomplete(text);
	}
	assert_true(parsed > rounds / 20); /* the mutations do reach the printer */
	if (!more)
		assert_true((clock() - start) / CLOCKS_PER_SEC < 60);
}

static char *repeat(const char *head, const char *part, size_t times, const char *tail)
{
	size_t h = strlen(head), n = strlen(part), t = strlen(tail);
	char *s = malloc(h + n * times + t + 1);

	assert_non_null(s);
	memcpy(s, head, h);
	for (size_t i = 0; i < times; i++)
		memcpy(s + h + i * n, part, n);
	memcpy(s + h + n * times, tail, t + 1);
	return s;
}

static void deep_or_long_input_is_bounded(void **state)
{
	static const struct {
		const char *head, *part, *tail;
		bool deep; /* must be refused as too deep */
	} rows[] = {
		{"a | where ", "(", "", true},
		{"a | where ", "-", "x", true},
		{"a | where x", " + x", "", true},
		{"a | where x", ".x", "", true},
		{"a | where x", " ? x : x", "", true},
		{"a | where x", " in (1)", "", true},
		{"a | where ", "f(", "", true},
		{"a | where ", "@m[", "", true},
		{"a", " -> a on k", "", true},
		{"", "(", "", true},
		{"", "if x { ", "", true},
		{"a | do { ", "if (x) { ", "", true},
		{"if x { }", " else if x { }", "", true},
		{"kprobe:f(x = arg1", "->x", ")", true},
		{"a", " | where x", "", false},
		{"a", ", a", "", false},
		{"", "a | cuont\n", "", false},
		{"", "a | where (\n", "", true},
		{"", "a | do {\n", "", false},
		{"", "def f() {\n", "", true},
		{"", "\"", "", false},
		{"", "/", "", false},
		{"", "a:/", "", false},
		{"", "#\n", "", false},
		{"", "a\n", "", false},
		{"", ") ", "", false},
		{"", "} ", "", false},
		{"echo ", "{", "", false},
		{"!", "|\n", "", false},
		{"", "def f() { }\n", "", false},
		{"a | quantile x", " p1", "", false},
		{"def f(a", ", a", ") { }", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = repeat(rows[i].head, rows[i].part, 20000, rows[i].tail);
		clock_t start = clock();
		bool deep = false;
		struct parsed x;

		parse(&x, text, strlen(text));
		for (size_t k = 0; k < x.d.n; k++)
			deep |= strcmp(x.d.v[k].code, "too-deep") == 0;
		if (deep != rows[i].deep)
			fail_msg("row %zu: %s", i, rows[i].part);
		assert_true(x.d.errors <= 50);
		(void)parse_incomplete(text);
		if ((clock() - start) / CLOCKS_PER_SEC >= 5)
			fail_msg("row %zu takes too long: %s", i, rows[i].part);
		done(&x);
		free(text);
	}
}

static void nul_bytes_are_refused(void **state)
{
	struct parsed x;

	(void)state;
	parse(&x, "a | count\0 by x", 15);
	assert_int_equal(x.d.errors, 1);
	assert_int_equal(x.d.v[0].span.off, 9);
	done(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_language_survives_printing),
		cmocka_unit_test(mutated_texts_neither_crash_nor_hang),
		cmocka_unit_test(deep_or_long_input_is_bounded),
		cmocka_unit_test(nul_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
