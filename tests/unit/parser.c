/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser and the printer: trees, canonical texts, errors with their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lang_parse.h"

#include <string.h>

/* The canonical text without its last newline */
static void canonical(const struct parsed *x, struct buf *out)
{
	ast_print(x->tree, out);
	if (out->len && out->p[out->len - 1] == '\n')
		out->p[--out->len] = 0;
}

/* NULL want: as written */
static const struct {
	const char *text, *want;
} prints[] = {
	{"sched_switch|count by next_comm|top 10", "sched_switch | count by next_comm | top 10"},
	{"a\n  | where x\n  | count", "a | where x | count"},
	{"a | where ((x)) == (1)", "a | where x == 1"},
	{"a | where (a + b) + c", "a | where a + b + c"},
	{"a | where a + (b + c)", NULL},
	{"a | where (a * b) + c", "a | where a * b + c"},
	{"a | where (a + b) * c", NULL},
	{"a | where a && (b || c)", NULL},
	{"a | where (a && b) || c", "a | where a && b || c"},
	{"a | where (a | b) == 0", NULL},
	{"a | where f((a | b), (c))", "a | where f(a | b, c)"},
	{"a | where x & 1 == 0", NULL},
	{"a | where (x & 1) == 0", NULL},
	{"a | where a < b == c < d", NULL},
	{"a | where a == b < c ~ d", NULL},
	{"a | where a in (1) has b", NULL},
	{"a | where (a == b) in (1, 2)", NULL},
	{"a | where a << 1 + 2", NULL},
	{"a | where (a ? b : c) ? d : (e ? f : g)", "a | where (a ? b : c) ? d : e ? f : g"},
	{"a | where -(a + b) * !c", NULL},
	{"a | where (-a).hex == (b.c).d", "a | where (-a).hex == b.c.d"},
	{"a | where !~x", NULL},
	{"a | where x > y", NULL},
	{"a | count by (x > y)", NULL},
	{"a | count by (x > 5)", "a | count by x > 5"},
	{"a | count by (x >> y), (x >= y)", "a | count by (x >> y), x >= y"},
	{"a | count by x > y", NULL}, /* a file named y */
	{"a | hist (a | b)", NULL},
	{"a | sum by by by", NULL},
	{"a | print for 5s", NULL},
	{"a | print for, x", NULL},
	{"a | print (for)", NULL},
	{"a | count for 5s > f &", "a | count > f for 5s &"},
	{"a | print |! sort | head -3   for 5s &", "a | print |! sort | head -3 for 5s &"},
	{"a,b,c -> d on k", "a, b, c -> d on k"},
	{"(a -> b on k), c", NULL},
	{"kprobe:f( x=arg1:s32 ,y = raw \"+0($arg1)\" )",
	 "kprobe:f(x = arg1: s32, y = raw \"+0($arg1)\")"},
	{"uprobe:\"/bin/sh:main\"", "uprobe:/bin/sh:main"},
	{"uprobe:\"/a b:main\"", NULL},
	{"function:/^a(b|c)/", NULL},
	{"!ls   -l;echo  a   b", "!ls   -l\necho a b"},
	{"echo 'a $x \"'", "echo \"a \\$x \\\"\""},
	{"begin{$x=1\n@m[1,2]=count();}", "begin { $x = 1; @m[1, 2] = count() }"},
	{"a | do { $n++; @m[k] -= 2 }", "a | do { $n = $n + 1; @m[k] = @m[k] - 2 }"},
	{"a | do { printf \"%d\", x }", "a | do { printf(\"%d\", x) }"},
	{"if x{ls}else{jobs}", "if (x) {\n\tls\n} else {\n\tjobs\n}"},
	{"if (x) { if (y) { ls } }", "if (x) {\n\tif (y) {\n\t\tls\n\t}\n}"},
	{"for x in a b{ls}", "for x in a b {\n\tls\n}"},
	{"def f(A,B){ls $A}", "def f(A, B) {\n\tls $A\n}"},
	{"w = a | count &", NULL},
	{"explain a|count", "explain a | count"},
	{"let x=1+2*3", "let x = 1 + 2 * 3"},
	{"${x} | count", NULL},
	{"a | where x == ${y}", "a | where x == $y"},
	{"stop | count", NULL},
	{"stop %1", NULL},
	{"a | where x ||\n y", "a | where x || y"},
	{"", ""},
	{"  \n# nothing\n;;\n", ""},
	{"\xef\xbb\xbf"
	 "ls",
	 "ls"},
};

static void prints_canonical_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		const char *text = prints[i].text, *want = prints[i].want ? prints[i].want : text;
		struct buf out = {0};
		struct parsed x;

		parse(&x, text, strlen(text));
		if (x.d.errors)
			show_errors(&x);
		assert_int_equal(x.d.errors, 0);
		canonical(&x, &out);
		assert_string_equal(buf_str(&out), want);
		buf_free(&out);
		done(&x);
	}
}

/* Every error: the text, then "code:line:col" of each, separated by blanks */
static const struct {
	const char *text, *want, *hint;
} errors[] = {
	{"a | cuont", "unknown-stage:1:5", "did you mean 'count'?"},
	{"a | cuont | whree x | count\nb | tpo 5",
	 "unknown-stage:1:5 unknown-stage:1:13 unknown-stage:2:5", NULL},
	{"lss", "", NULL}, /* an event, for all the parser knows */
	{"lss x", "unknown-command:1:1", "did you mean 'ls'?"},
	{"count by comm", "unknown-command:1:1", "a stage stands behind an event: EVENT | STAGE"},
	{"a count by comm", "syntax:1:3", "stages stand behind a '|'"},
	{"sched:a count by comm", "syntax:1:9", "stages stand behind a '|'"},
	{"a | count yb comm", "unknown-clause:1:11", "did you mean 'by'?"},
	{"a | where x and y", "unknown-clause:1:13", "write && for and"},
	{"a | where x == 1 count", "unknown-clause:1:18", "a '|' before 'count'?"},
	{"a | where x = 1", "syntax:1:13", "== compares"},
	{"a | where", "bad-arguments:1:5", NULL},
	{"a | sum", "bad-arguments:1:5", NULL},
	{"a | sum by comm", "bad-arguments:1:5", NULL},
	{"a | sum x, y", "bad-arguments:1:12", NULL},
	{"a | count x", "unknown-clause:1:11", NULL},
	{"a | let 5", "syntax:1:9", NULL},
	{"a | let x", "syntax:1:9", NULL},
	{"a | count by x by y", "duplicate-name:1:16", NULL},
	{"a | where (x == 1\nb | count", "missing-bracket:1:11", NULL},
	{"a | where (x == 1", "missing-bracket:1:11", NULL},
	{"a | where (x 1) | cuont", "syntax:1:14 unknown-stage:1:19", NULL},
	{"a | where x +", "syntax:1:14", NULL},
	{"a | where x + \nb | count", "syntax:1:15", NULL},
	{"a | where x == 5sec", "bad-number:1:17",
	 "times have ns us ms s m h, sizes have B kB MB GB KiB MiB GiB"},
	{"a | where x == 1.5", "bad-number:1:16", NULL},
	{"a | where x == 99999999999999999999", "bad-number:1:16", NULL},
	{"a | where x == \"abc", "bad-string:1:16", NULL},
	{"a | where x == \"a\\q\"", "bad-string:1:18", NULL},
	{"a | where x == 'a'", "syntax:1:16", "strings take double quotes"},
	{"a | where x =~ /abc", "bad-string:1:16", NULL},
	{"a | where x ~ /abc/", "syntax:1:15", "a regular expression stands behind =~"},
	{"a | where x in 5", "syntax:1:16", "lists are written `x in (1, 2, 3)`"},
	{"a | where x in ()", "syntax:1:16", NULL},
	{"a | where x.5", "syntax:1:13", NULL},
	{"a | where x ? y", "syntax:1:16", NULL},
	{"a ->", "syntax:1:5", NULL},
	{"a -> b | count", "syntax:1:8", "a pair says what both have in common: A -> B on tid"},
	{"a -> b on", "syntax:1:10", NULL},
	{"a -> b on k within", "syntax:1:19", NULL},
	{"a,", "syntax:1:3", NULL},
	{"(a | count", "missing-bracket:1:1", NULL},
	{"(a | print > x)", "syntax:1:12", "only a whole pipeline has >, |!, for and &"},
	{"a | count )", "syntax:1:11", NULL},
	{"kprobe:", "syntax:1:1", NULL},
	{"kprobe: f", "syntax:1:1", NULL},
	{"kprobe:f(arg1)", "syntax:1:10", "each argument of a probe is `name = FETCH`"},
	{"kprobe:f(x = arg1", "missing-bracket:1:9", NULL},
	{"kprobe:f(x = arg1: )", "syntax:1:20", NULL},
	{"kprobe:f(x = )", "syntax:1:14", NULL},
	{"syscall:open(x = arg1)", "syntax:1:13", "this kind of source takes no fetch list"},
	{"sched:/x", "bad-string:1:7", NULL},
	{"x = 5", "syntax:1:5", "a variable is set with `let x = 5`"},
	{"x =", "syntax:1:4", NULL},
	{"let 5 = 3", "syntax:1:5", NULL},
	{"let $x = 3", "syntax:1:5", "the name stands without its $"},
	{"let x", "syntax:1:6", NULL},
	{"@m = 1", "syntax:1:1", "maps live in blocks: do { }, begin { }, end { }, tick DUR { }"},
	{"a | do", "syntax:1:7", NULL},
	{"a | do { $x 5 }", "syntax:1:13", NULL},
	{"a | do { $x = }\nb | cuont", "syntax:1:15 unknown-stage:2:5", NULL},
	{"a | do { foo }", "syntax:1:10", NULL},
	{"a | do { n = 1 }", "syntax:1:10", "variables are $x, maps are @m"},
	{"a | do { for (k of @m) { } }", "syntax:1:17",
	 "over a map's keys: for (k in @map) { ... }"},
	{"a | do { @m = 1", "missing-bracket:1:8", NULL},
	{"a | do { @m = 1; 5; @n = ; $x = 2 }", "syntax:1:18 syntax:1:26", NULL},
	{"a | do { @m[] = 1 }", "syntax:1:12", NULL},
	{"if { ls }", "syntax:1:4", NULL},
	{"if x ls", "syntax:1:6", NULL},
	{"if x { lss y\nlss z }", "unknown-command:1:8 unknown-command:2:1", NULL},
	{"if x { ls", "missing-bracket:1:6", NULL},
	{"} ls", "syntax:1:1", NULL},
	{"else { }", "syntax:1:1", NULL},
	{"for 5 in a { }", "syntax:1:5", "for X in a b c { ... }"},
	{"for x of a { }", "syntax:1:7", "for X in a b c { ... }"},
	{"for x in a b", "syntax:1:13", NULL},
	{"def f { }", "syntax:1:7", NULL},
	{"def f(A, A) { }", "duplicate-name:1:10", NULL},
	{"def f(A) { ls }\nf(1)", "syntax:2:1", "words follow the name: NAME A B"},
	{"tick { }", "syntax:1:6", NULL},
	{"ls | count by", "syntax:1:14", NULL},
	{"ls x | y", "syntax:1:6",
	 "only pipelines have stages and redirections; quote the character to pass it on"},
	{"echo \"abc", "bad-string:1:6", NULL},
	{"echo it's", "bad-string:1:8", NULL},
	{"!echo 'x", "bad-string:1:7", NULL},
	{"explain", "syntax:1:8", NULL},
	{"a | count >", "syntax:1:12", NULL},
	{"a | count > x > y", "syntax:1:15", "a pipeline has one output"},
	{"a | count |!", "syntax:1:13", NULL},
	{"a | count & b", "syntax:1:13", NULL},
	{"a | count for 5KiB", "syntax:1:15", NULL},
	{"a | 5", "syntax:1:5", NULL},
	{"a |", "syntax:1:4", NULL},
	{"a | | count", "syntax:1:5", NULL},
	{"| count", "syntax:1:1", NULL},
	{"\"a\" | count", "syntax:1:1", "event names have no quotes"},
	{"a | quantile x p99.", "syntax:1:19", NULL},
	{"a | where p99.9 > 3", "bad-number:1:11", NULL},
	{"a | where $ > 3", "syntax:1:11", NULL},
	{"\xc3\xa9 | count", "syntax:1:1", NULL},
};

static void errors_have_code_place_and_hint(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct buf got = {0};
		bool hint = errors[i].hint == NULL;
		struct parsed x;

		parse(&x, errors[i].text, strlen(errors[i].text));
		for (size_t k = 0; k < x.d.n; k++) {
			unsigned line, col;

			span_linecol(x.d.v[k].span, &line, &col);
			buf_printf(&got, "%s%s:%u:%u", k ? " " : "", x.d.v[k].code, line, col);
			if (x.d.v[k].hint && errors[i].hint &&
			    strcmp(x.d.v[k].hint, errors[i].hint) == 0)
				hint = true;
		}
		if (strcmp(buf_str(&got), errors[i].want) != 0 || !hint) {
			fprintf(stderr, "--- %s\n", errors[i].text);
			show_errors(&x);
		}
		assert_string_equal(buf_str(&got), errors[i].want);
		assert_true(hint);
		buf_free(&got);
		done(&x);
	}
}

static void every_code_used_is_in_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct parsed x;

		parse(&x, errors[i].text, strlen(errors[i].text));
		for (size_t k = 0; k < x.d.n; k++) {
			const struct diag_code *c = diag_codes;

			while (c->code && strcmp(c->code, x.d.v[k].code) != 0)
				c++;
			assert_non_null(c->code);
			assert_int_equal(c->status, 1);
		}
		done(&x);
	}
}

static const struct node *at(const struct node *n, const char *path)
{
	for (; *path; path++) {
		assert_true((size_t)(*path - '0') < n->n);
		n = n->kids[*path - '0'];
	}
	return n;
}

static void span_is(const struct node *n, const char *text)
{
	assert_int_equal(n->span.len, strlen(text));
	assert_memory_equal(n->span.src->text + n->span.off, text, n->span.len);
}

static void spans_cover_first_to_last_token(void **state)
{
	const char *text = "w = a -> b on k, x == y | where (p + q.hex(1)) * 2 > 3 # c\n"
			   "kprobe:f(z = arg1->m: s32) > \"f g\" for 5s &\n"
			   "if (x) { ls -l } else { !foo  bar }  \n"
			   "explain a | count  \n";
	struct parsed x;
	const struct node *n;

	(void)state;
	parse(&x, text, strlen(text));
	assert_int_equal(x.d.errors, 0);
	n = x.tree;
	span_is(at(n, "0"), "w = a -> b on k, x == y | where (p + q.hex(1)) * 2 > 3");
	span_is(at(n, "00"), "a -> b on k, x == y");
	span_is(at(n, "002"), "on k, x == y");
	span_is(at(n, "0021"), "x == y");
	span_is(at(n, "01"), "where (p + q.hex(1)) * 2 > 3");
	span_is(at(n, "0100"), "(p + q.hex(1)) * 2 > 3");
	span_is(at(n, "01000"), "(p + q.hex(1)) * 2");
	span_is(at(n, "010001"), "2");
	span_is(at(n, "0100001"), "q.hex(1)");
	span_is(at(n, "1"), "kprobe:f(z = arg1->m: s32) > \"f g\" for 5s &");
	span_is(at(n, "10"), "kprobe:f(z = arg1->m: s32)");
	span_is(at(n, "100"), "z = arg1->m: s32");
	span_is(at(n, "1000"), "arg1->m: s32");
	span_is(at(n, "10000"), "arg1->m");
	span_is(at(n, "11"), "> \"f g\"");
	span_is(at(n, "12"), "for 5s");
	span_is(at(n, "2"), "if (x) { ls -l } else { !foo  bar }");
	span_is(at(n, "21"), "{ ls -l }");
	span_is(at(n, "210"), "ls -l");
	span_is(at(n, "2200"), "foo  bar");
	span_is(at(n, "3"), "explain a | count");
	span_is(at(n, "30"), "a | count");
	done(&x);
}

static void trees_have_the_promised_shape(void **state)
{
	const char *text = "a | quantile x.us p50 p99.9 by c, d > f.csv for 1m &\n"
			   "echo \"$x\" y\nrun ls | wc\nf 1\ndef f(A) { ls }\n"
			   "a | do { exit; @m[k] = count() }";
	struct parsed x;
	const struct node *n, *st;

	(void)state;
	parse(&x, text, strlen(text));
	assert_int_equal(x.d.errors, 0);
	n = at(x.tree, "0");
	assert_int_equal(n->kind, N_PIPELINE);
	assert_true(n->flags & NF_BG);
	assert_int_equal(n->n, 4);
	assert_int_equal(n->kids[2]->kind, N_REDIRECT);
	assert_int_equal(at(n, "20")->kind, N_WORD);
	assert_int_equal(n->kids[3]->kind, N_FOR_DUR);
	assert_int_equal(at(n, "30")->num, 60000000000ull);
	st = n->kids[1];
	assert_int_equal(node_nargs(st), 1);
	assert_int_equal(node_arg(st, 0)->kids[0]->kind, E_DOT);
	assert_null(node_arg(st, 1));
	assert_non_null(node_clause(st, "p50"));
	assert_non_null(node_clause(st, "p99.9"));
	assert_int_equal(node_clause(st, "by")->n, 2);
	assert_null(node_clause(st, "step"));

	n = at(x.tree, "1");
	assert_int_equal(n->kind, N_COMMAND);
	assert_int_equal(n->kids[0]->kind, E_STRING);
	assert_true(n->kids[0]->flags & NF_VARS);
	assert_int_equal(n->kids[1]->kind, N_WORD);
	n = at(x.tree, "2");
	assert_int_equal(n->n, 1);
	assert_string_equal(n->kids[0]->str, "ls | wc");
	n = at(x.tree, "3"); /* defined below */
	assert_int_equal(n->kind, N_COMMAND);
	assert_string_equal(n->str, "f");

	n = at(x.tree, "510");
	assert_int_equal(n->kind, N_BLOCK);
	assert_int_equal(at(n, "00")->kind, E_NAME);
	assert_int_equal(n->kids[1]->kind, N_ASSIGN);
	assert_null(n->kids[1]->str);
	assert_int_equal(at(n, "10")->kind, E_MAP);
	assert_int_equal(at(n, "11")->kind, E_CALL);
	done(&x);
}

static void different_texts_give_different_trees(void **state)
{
	static const char *const texts[] = {
		"a | where x",         "a | where y",
		"a | where x.y",       "a | where x.y()",
		"a | where \"x\"",     "a | where \"$x\"",
		"a | where \"\\$x\"",  "a | where 5",
		"a | where 0x5",       "a | where x &",
		"b | where x",         "n = a | where x",
		"a | where x =~ /a/",  "a | where x =~ /a/i",
		"a | where 1 + 2 + 3", "a | where 1 + (2 + 3)",
		"a | where \"a\\0b\"", "a | where \"a\\0c\"",
		"a -> b on k",         "a, b",
	};
	struct parsed x[sizeof(texts) / sizeof(texts[0])];
	const size_t n = sizeof(texts) / sizeof(texts[0]);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		parse(&x[i], texts[i], strlen(texts[i]));
		assert_int_equal(x[i].d.errors, 0);
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++)
			assert_int_equal(node_equal(x[i].tree, x[k].tree), i == k);
	}
	for (size_t i = 0; i < n; i++)
		done(&x[i]);
}

static void prompt_asks_for_more_only_when_needed(void **state)
{
	static const char *const more[] = {
		"a |",
		"a | ",
		"a,",
		"a ->",
		"a | count by\\",
		"a | count \\\n",
		"a | where (x",
		"a | do {",
		"if x {\nls\n",
		"a | # comment",
		"a |\n\n",
		"kprobe:f(x = arg1,",
		"def f(A) {\n a | where (x)",
		"a | where s =~ /)/ && (",
		"!ls |",
		"a | where x ||",
	};
	static const char *const whole[] = {
		"",
		"a",
		"a | count",
		"a | where (x)",
		"if x { ls }",
		"echo \"a |\"",
		"echo 'a |'",
		"# a |",
		"a | where s =~ /(/",
		"sched:/[(]/ | count",
		"a | where s == \"(\"",
		"!echo (",
		"a | count\n",
		"a | where x == \"abc",
		"a | )",
		"a | count;",
		"ls }",
		"uprobe:/bin/sh:main | count",
		"a | where x / 2 > y / 3",
		"a\n| count",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		if (!parse_incomplete(more[i]))
			fail_msg("counted as whole: %s", more[i]);
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (parse_incomplete(whole[i]))
			fail_msg("counted as incomplete: %s", whole[i]);
	}
}

static void one_expression_parses_alone(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} rows[] = {
		{"1 + 2", true}, {" x == \"y\" \n", true}, {"a | b", true}, {"a > b", true},
		{"", false},     {"1 +", false},           {"1 2", false},  {"(1", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena *a = arena_new();
		struct source src = {"e", rows[i].text, (uint32_t)strlen(rows[i].text)};
		struct diags d;
		struct node *n;

		diags_init(&d, a);
		n = parse_expr_text(a, &d, &src);
		assert_int_equal(n != NULL, rows[i].good);
		assert_int_equal(d.errors == 0, rows[i].good);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_canonical_text),
		cmocka_unit_test(errors_have_code_place_and_hint),
		cmocka_unit_test(every_code_used_is_in_the_table),
		cmocka_unit_test(spans_cover_first_to_last_token),
		cmocka_unit_test(trees_have_the_promised_shape),
		cmocka_unit_test(different_texts_give_different_trees),
		cmocka_unit_test(prompt_asks_for_more_only_when_needed),
		cmocka_unit_test(one_expression_parses_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
