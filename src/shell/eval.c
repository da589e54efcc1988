/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions at the shell's level (let, if, while, for): 64-bit integers, times and strings over
 * shell variables. Fields have no meaning here.
 */
#include "shell/priv.h"

#include "base/io.h"
#include "base/units.h"

#include <string.h>

static int fail(struct shell *sh, const char *code, const struct node *e, const char *msg,
		const char *what)
{
	diag_error(sh->s->diags, code, e->span, "%s%s%s%s", msg, what ? " '" : "", what ? what : "",
		   what ? "'" : "");
	return -1;
}

bool value_true(const struct value *v)
{
	return v->is_str ? v->s[0] != 0 : v->n != 0;
}

const char *value_text(struct shell *sh, const struct value *v)
{
	if (v->is_str)
		return v->s;
	return arena_printf(sh->arena, v->is_time ? "%lldns" : "%lld", (long long)v->n);
}

/* A variable's text: what looks like a number is one. */
static void from_text(const char *text, struct value *out)
{
	uint64_t v;
	bool neg = text[0] == '-';

	memset(out, 0, sizeof(*out));
	if (parse_u64(text + neg, &v) == 0) {
		out->n = (int64_t)(neg ? -v : v);
	} else if (text[0] >= '0' && text[0] <= '9' && strpbrk(text, "smhu") &&
		   parse_duration(text, &v) == 0) {
		out->n = (int64_t)v;
		out->is_time = true;
	} else {
		out->is_str = true;
		out->s = text;
	}
}

static int compare(const char *op, int c)
{
	if (op[0] == '=')
		return c == 0;
	if (op[0] == '!')
		return c != 0;
	if (op[0] == '<')
		return op[1] ? c <= 0 : c < 0;
	return op[1] ? c >= 0 : c > 0;
}

static bool is_compare(const char *op)
{
	return strcmp(op, "==") == 0 || strcmp(op, "!=") == 0 || strcmp(op, "<") == 0 ||
	       strcmp(op, "<=") == 0 || strcmp(op, ">") == 0 || strcmp(op, ">=") == 0;
}

static int arithmetic(struct shell *sh, const struct node *e, const struct value *a,
		      const struct value *b, struct value *out)
{
	uint64_t x = (uint64_t)a->n, y = (uint64_t)b->n;
	const char *op = e->str;

	out->is_time = a->is_time || b->is_time;
	if ((op[0] == '/' || op[0] == '%') && (y == 0 || (a->n == INT64_MIN && b->n == -1)))
		return fail(sh, "bad-value", e, "this division has no result", NULL);
	switch (op[0]) {
	case '+': out->n = (int64_t)(x + y); return 0;
	case '-': out->n = (int64_t)(x - y); return 0;
	case '*': out->n = (int64_t)(x * y); return 0;
	case '/':
		out->n = a->n / b->n;
		out->is_time = a->is_time && !b->is_time;
		return 0;
	case '%': out->n = a->n % b->n; return 0;
	case '&': out->n = (int64_t)(x & y); return 0;
	case '|': out->n = (int64_t)(x | y); return 0;
	case '^': out->n = (int64_t)(x ^ y); return 0;
	case '<': out->n = y < 64 ? (int64_t)(x << y) : 0; return 0;
	case '>': out->n = y < 64 ? a->n >> y : a->n < 0 ? -1 : 0; return 0;
	}
	return fail(sh, "bad-type", e, "this operator works on events only:", op);
}

static int binary(struct shell *sh, const struct node *e, struct value *out)
{
	struct value a, b;
	const char *op = e->str;

	if (eval(sh, e->kids[0], &a))
		return -1;
	if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0) {
		bool done = value_true(&a) == (op[0] == '|');

		if (!done && eval(sh, e->kids[1], &a))
			return -1;
		*out = (struct value){.n = value_true(&a)};
		return 0;
	}
	if (eval(sh, e->kids[1], &b))
		return -1;
	*out = (struct value){0};
	if (strcmp(op, "~") == 0 || strcmp(op, "!~") == 0) {
		out->n = io_glob(value_text(sh, &b), value_text(sh, &a)) == (op[0] == '~');
		return 0;
	}
	if (a.is_str || b.is_str) {
		const char *s = value_text(sh, &a), *t = value_text(sh, &b);

		if (is_compare(op)) {
			out->n = compare(op, strcmp(s, t));
			return 0;
		}
		if (strcmp(op, "+") == 0) {
			out->is_str = true;
			out->s = arena_printf(sh->arena, "%s%s", s, t);
			return 0;
		}
		return fail(sh, "bad-type", e, "this operator wants numbers:", op);
	}
	if (is_compare(op)) {
		out->n = compare(op, a.n < b.n ? -1 : a.n > b.n);
		return 0;
	}
	return arithmetic(sh, e, &a, &b, out);
}

static int unary(struct shell *sh, const struct node *e, struct value *out)
{
	if (eval(sh, e->kids[0], out))
		return -1;
	if (e->str[0] == '!') {
		*out = (struct value){.n = !value_true(out)};
		return 0;
	}
	if (out->is_str)
		return fail(sh, "bad-type", e, "this operator wants a number:", e->str);
	if (e->str[0] == '-')
		out->n = (int64_t)(0 - (uint64_t)out->n);
	else if (e->str[0] == '~')
		out->n = ~out->n;
	return 0;
}

static int in_list(struct shell *sh, const struct node *e, struct value *out)
{
	struct value a, b;

	if (eval(sh, e->kids[0], &a))
		return -1;
	*out = (struct value){0};
	for (size_t i = 1; i < e->n; i++) {
		if (eval(sh, e->kids[i], &b))
			return -1;
		if (a.is_str || b.is_str ? strcmp(value_text(sh, &a), value_text(sh, &b)) == 0
					 : a.n == b.n)
			out->n = 1;
	}
	return 0;
}

static int call(struct shell *sh, const struct node *e, struct value *out)
{
	struct value a, b;

	if (e->n < 1 || eval(sh, e->kids[0], &a))
		return e->n < 1 ? fail(sh, "bad-arguments", e, "nothing to work on in", e->str)
				: -1;
	*out = (struct value){.n = a.n, .is_time = a.is_time};
	if (strcmp(e->str, "strlen") == 0) {
		*out = (struct value){.n = (int64_t)strlen(value_text(sh, &a))};
		return 0;
	}
	if (a.is_str)
		return fail(sh, "bad-type", e, "this function wants a number:", e->str);
	if (strcmp(e->str, "abs") == 0) {
		out->n = a.n < 0 ? (int64_t)(0 - (uint64_t)a.n) : a.n;
		return 0;
	}
	if (strcmp(e->str, "min") == 0 || strcmp(e->str, "max") == 0) {
		for (size_t i = 1; i < e->n; i++) {
			if (eval(sh, e->kids[i], &b))
				return -1;
			if (e->str[1] == 'i' ? b.n < out->n : b.n > out->n)
				out->n = b.n;
		}
		return 0;
	}
	return fail(sh, "unknown-function", e, "the shell's own expressions have no function",
		    e->str);
}

int eval(struct shell *sh, const struct node *e, struct value *out)
{
	const char *s;
	struct value c;

	*out = (struct value){0};
	switch (e->kind) {
	case E_NUM:
	case E_SIZE: out->n = (int64_t)e->num; return 0;
	case E_TIME:
		out->n = (int64_t)e->num;
		out->is_time = true;
		return 0;
	case N_WORD:
	case E_STRING:
		out->is_str = true;
		out->s = word_text(sh, e);
		return out->s ? 0 : -1;
	case E_VAR:
		s = var_get(sh, e->str);
		if (!s)
			return fail(sh, "unknown-variable", e, "this variable is not set:", e->str);
		from_text(s, out);
		return 0;
	case E_UNARY: return unary(sh, e, out);
	case E_BINARY: return binary(sh, e, out);
	case E_COND:
		if (eval(sh, e->kids[0], &c))
			return -1;
		return eval(sh, e->kids[value_true(&c) ? 1 : 2], out);
	case E_IN: return in_list(sh, e, out);
	case E_CALL: return call(sh, e, out);
	case E_NAME: {
		struct diag *g = diag_error(sh->s->diags, "unknown-variable", e->span,
					    "'%s' has no value outside a pipeline", e->str);
		diag_hint(sh->s->diags, g, "a variable is $%s, a string is \"%s\"", e->str, e->str);
		return -1;
	}
	default: return fail(sh, "bad-type", e, "this has no value outside a pipeline", NULL);
	}
}
