/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of expressions: a row each says what they take and give. */
#include "check/checker.h"

#include <limits.h>
#include <string.h>

struct function {
	const char *name;
	enum fn fn;
	unsigned min, max;
	const char *takes;    /* a letter an argument, the last one repeats: i integer, n number, s
				 string, a any */
	enum type_kind gives; /* T_NULL: the type of its arguments */
	const char *usage, *brief;
};

static const struct function functions[] = {
	{"min", FN_MIN, 2, UINT_MAX, "i", T_NULL, "min(A, B, ...)", "the least"},
	{"max", FN_MAX, 2, UINT_MAX, "i", T_NULL, "max(A, B, ...)", "the greatest"},
	{"abs", FN_ABS, 1, 1, "i", T_NULL, "abs(E)", "the amount without its sign"},
	{"log2", FN_LOG2, 1, 1, "i", T_INT, "log2(E)",
	 "smallest n with E <= 2^n: the power-of-two bucket"},
	{"bucket", FN_BUCKET, 2, 2, "i", T_NULL, "bucket(E, WIDTH)",
	 "E rounded down to a multiple of WIDTH"},
	{"strlen", FN_STRLEN, 1, 1, "s", T_INT, "strlen(S)", "bytes of a string"},
	{"substr", FN_SUBSTR, 2, 3, "si", T_STR, "substr(S, FROM[, LEN])",
	 "part of a string, counted from 0"},
	{"strftime", FN_STRFTIME, 2, 2, "aa", T_STR, "strftime(\"%H:%M:%S\", ts)",
	 "a time as text"},
	{"errno_name", FN_ERRNO, 1, 1, "i", T_STR, "errno_name(E)", "the name of an error number"},
	{"syscall_name", FN_SYSCALL, 1, 1, "i", T_STR, "syscall_name(NR)",
	 "the name of a system call"},
	{"kaddr", FN_KADDR, 1, 1, "s", T_ADDR, "kaddr(\"SYMBOL\")", "address of a kernel symbol"},
	{"ksym", FN_KSYM, 1, 1, "i", T_STR, "ksym(ADDRESS)",
	 "name of the kernel symbol at an address"},
};
#define NFUNCTIONS (sizeof(functions) / sizeof(functions[0]))

const char *check_function_usage(unsigned i)
{
	return i < NFUNCTIONS ? functions[i].usage : NULL;
}

const char *check_function_brief(unsigned i)
{
	return i < NFUNCTIONS ? functions[i].brief : NULL;
}

static const struct function *find(const char *name)
{
	for (size_t i = 0; i < NFUNCTIONS; i++) {
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	}
	return NULL;
}

static void unknown(struct checker *ck, const struct node *n)
{
	static const char *const aggs[] = {"count", "sum",  "avg",      "min",     "max",
					   "stats", "hist", "quantile", "distinct"};
	const char *names[NFUNCTIONS];
	struct span at = n->span;
	struct diag *g;

	if (at.len > strlen(n->str))
		at.len = (uint32_t)strlen(n->str);
	if (ck->scope->pipe->rows) {
		for (size_t i = 0; i < sizeof(aggs) / sizeof(aggs[0]); i++) {
			if (strcmp(aggs[i], n->str) == 0) {
				scope_no_column(ck, ck->scope, n);
				return;
			}
		}
	}
	for (size_t i = 0; i < NFUNCTIONS; i++)
		names[i] = functions[i].name;
	g = diag_error(ck->d, "unknown-function", at, "no function '%s'", n->str);
	if (diag_nearest(ck->d, g, n->str, names, NFUNCTIONS))
		return;
	for (size_t i = 0; i < sizeof(aggs) / sizeof(aggs[0]); i++) {
		if (strcmp(aggs[i], n->str) == 0)
			diag_hint(ck->d, g, "aggregates are stages: ... | %s", n->str);
	}
}

static bool fits(char takes, struct type t)
{
	return takes == 'a' || (takes == 'i' && type_is_int(t)) ||
	       (takes == 's' && type_is_str(t)) || (takes == 'n' && type_is_num(t));
}

/* The type of min, max, abs, bucket: that of their arguments together */
static bool result(struct checker *ck, const struct node *n, const struct function *f,
		   struct expr *e)
{
	unsigned n_typed = f->fn == FN_BUCKET ? 1 : e->n;
	struct type t = e->kids[0]->type;

	for (unsigned i = 1; i < n_typed; i++) {
		if (!type_unify(t, e->kids[i]->type, &t)) {
			diag_error(ck->d, "bad-type", n->span, "'%s' of %s and %s", f->name,
				   type_word(t), type_word(e->kids[i]->type));
			return false;
		}
	}
	t.literal = false;
	if (t.kind == T_BOOL)
		t.kind = T_INT;
	e->type = t;
	return true;
}

static bool strftime_args(struct checker *ck, const struct node *n, const struct expr *e)
{
	bool a = type_is_str(e->kids[0]->type), b = type_is_str(e->kids[1]->type);
	struct diag *g;

	if (a != b && !(a ? e->kids[1] : e->kids[0])->type.literal)
		return true;
	g = diag_error(ck->d, "bad-type", n->span, "'strftime' takes a format and a time");
	diag_hint(ck->d, g, "strftime(\"%%H:%%M:%%S\", ts)");
	return false;
}

struct expr *check_call(struct checker *ck, const struct node *n)
{
	const struct function *f = find(n->str);
	struct expr *e;
	bool failed = false;

	if (!f) {
		unknown(ck, n);
		return NULL;
	}
	if (n->n < f->min || n->n > f->max) {
		struct diag *g =
			diag_error(ck->d, "bad-arguments", n->span, "'%s' has too %s arguments",
				   f->name, n->n < f->min ? "few" : "many");

		diag_hint(ck->d, g, "%s", f->usage);
		return NULL;
	}
	e = expr_new(ck, XO_FN, (struct type){.kind = f->gives}, n->span);
	e->fn = f->fn;
	for (size_t i = 0; i < n->n; i++) {
		struct expr *k = check_expr(ck, n->kids[i]);
		size_t last = strlen(f->takes) - 1;

		if (k && !fits(f->takes[i < last ? i : last], k->type)) {
			struct diag *g = diag_error(ck->d, "bad-type", n->kids[i]->span,
						    "'%s' does not take %s here", f->name,
						    type_word(k->type));

			diag_hint(ck->d, g, "%s", f->usage);
			k = NULL;
		}
		if (k)
			expr_add(ck, e, k);
		else
			failed = true;
	}
	if (failed || (f->gives == T_NULL && !result(ck, n, f, e)) ||
	    (f->fn == FN_STRFTIME && !strftime_args(ck, n, e)))
		return NULL;
	if (f->gives == T_ADDR)
		e->type.sign = SG_UNSIGNED;
	if (f->fn == FN_ERRNO)
		e->num = 1; /* positive numbers are errnos as well */
	if (f->fn == FN_BUCKET && e->kids[1]->op == XO_NUM && !e->kids[1]->num) {
		diag_error(ck->d, "bad-value", n->kids[1]->span,
			   "the width of a bucket must be at least 1");
		return NULL;
	}
	return e;
}
