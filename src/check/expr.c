/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions from the tree: dispatch, leaves, shell variables, and the constants that stages ask
 * for. Operators, functions and suffixes have files of their own.
 */
#include "check/checker.h"
#include "base/units.h"
#include "lang/lexer.h"

#include <inttypes.h>
#include <string.h>

const char *check_canon(struct checker *ck, const struct node *n)
{
	struct buf b = {0};
	const char *s;

	ast_print(n, &b);
	s = arena_strndup(ck->a, buf_str(&b), b.len);
	buf_free(&b);
	return s;
}

const char *check_written(struct checker *ck, const struct node *n)
{
	const struct source *src = n->span.src;
	struct buf b = {0};
	const char *s;
	bool blank = false;

	if (!src || !n->span.len || n->span.off + (uint64_t)n->span.len > src->len)
		return check_canon(ck, n);
	for (uint32_t i = 0; i < n->span.len; i++) {
		char c = src->text[n->span.off + i];

		if (c == '#' || c == '\\') { /* comments and continued lines are not part of it */
			buf_free(&b);
			return check_canon(ck, n);
		}
		if (strchr(" \t\r\n", c)) {
			blank = true;
			continue;
		}
		if (blank && b.len)
			buf_putc(&b, ' ');
		blank = false;
		buf_putc(&b, c);
	}
	s = arena_strndup(ck->a, buf_str(&b), b.len);
	buf_free(&b);
	return s;
}

/* ---- shell variables ---- */

static const char *var_text(struct checker *ck, const char *name, struct span at)
{
	const char *v = ck->env && ck->env->var ? ck->env->var(ck->env->arg, name) : NULL;

	if (!v) {
		struct diag *g =
			diag_error(ck->d, "unknown-variable", at, "$%s was never set", name);

		diag_hint(ck->d, g, "let %s = VALUE sets it",
			  name[0] >= '0' && name[0] <= '9' ? "x" : name);
	}
	return v;
}

struct expr *check_var(struct checker *ck, const struct node *n)
{
	const char *v = var_text(ck, n->str, n->span);
	struct expr *e = NULL;
	const char *digits;
	uint64_t num;

	if (!v)
		return NULL;
	digits = v[0] == '-' ? v + 1 : v;
	if (digits[0] >= '0' && digits[0] <= '9') {
		if (parse_u64(digits, &num) == 0) {
			e = expr_num(ck, num, type_int(num > INT64_MAX ? SG_UNSIGNED : SG_SIGNED),
				     n->span);
			if (digits != v) {
				e->num = 0 - num;
				e->type.sign = SG_SIGNED;
			}
		} else if (digits == v && parse_duration(v, &num) == 0) {
			e = expr_num(ck, num, type_time(), n->span);
		} else if (digits == v && parse_size(v, &num) == 0) {
			e = expr_num(ck, num, type_int(SG_SIGNED), n->span);
			e->type.show = SHOW_SIZE;
		}
	}
	if (!e)
		return expr_str(ck, arena_strdup(ck->a, v), (uint32_t)strlen(v), n->span);
	e->type.literal = true;
	e->str = arena_strdup(ck->a, v); /* beside a string it is one */
	e->len = (uint32_t)strlen(v);
	return e;
}

static bool var_char(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

/* Length of the $-reference at @s and its name; 0 when there is none */
static size_t reference(const char *s, const char **name, size_t *len)
{
	size_t n = 0;

	if (s[0] != '$')
		return 0;
	if (s[1] == '{') {
		while (var_char(s[2 + n], false) || s[2 + n] == '#' || s[2 + n] == '@')
			n++;
		*name = s + 2;
		*len = n;
		return n && s[2 + n] == '}' ? n + 3 : 0;
	}
	*name = s + 1;
	*len = 1;
	if (s[1] == '#' || s[1] == '@' || (s[1] >= '0' && s[1] <= '9'))
		return 2;
	if (!var_char(s[1], true))
		return 0;
	while (var_char(s[1 + n], n == 0))
		n++;
	*len = n;
	return n + 1;
}

/* Expand @text into @out; with @decode, what stands between references has C escapes. */
static int expand(struct checker *ck, const char *text, bool decode, struct span at,
		  struct buf *out)
{
	const char *p = text, *from = text, *name = NULL;
	size_t len = 0, n;

	for (;;) {
		const char *v;
		bool vars;

		if (p[0] == '\\' && p[1]) {
			if (!decode && p[1] == '$') {
				buf_add(out, from, (size_t)(p - from));
				from = p + 1;
			}
			p += 2;
			continue;
		}
		n = reference(p, &name, &len);
		if (p[0] && !n) {
			p++;
			continue;
		}
		if (decode && p > from) {
			size_t got = 0;
			const char *d = lex_decode(ck->a, from, (size_t)(p - from), &got, &vars);

			buf_add(out, d, got);
		} else {
			buf_add(out, from, (size_t)(p - from));
		}
		if (!p[0])
			return 0;
		v = var_text(ck, arena_strndup(ck->a, name, len), at);
		if (!v)
			return -1;
		buf_puts(out, v);
		p += n;
		from = p;
	}
}

const char *check_expand(struct arena *a, struct diags *d, const struct check_env *env,
			 const char *text, struct span at)
{
	struct checker ck = {.a = a, .d = d, .env = env};
	struct buf b = {0};
	const char *s = NULL;

	if (expand(&ck, text, false, at, &b) == 0)
		s = arena_strndup(a, buf_str(&b), b.len);
	buf_free(&b);
	return s;
}

const char *check_decoded(struct checker *ck, const struct node *n, uint32_t *len)
{
	struct buf b = {0};
	const char *s = NULL;

	if (!(n->flags & NF_VARS) || !n->str2) {
		*len = (uint32_t)n->num;
		return n->str;
	}
	if (expand(ck, n->str2, true, n->span, &b) == 0) {
		s = arena_strndup(ck->a, buf_str(&b), b.len);
		*len = (uint32_t)b.len;
	}
	buf_free(&b);
	return s;
}

/* ---- leaves ---- */

static struct expr *literal(struct checker *ck, const struct node *n)
{
	struct type t = type_int(n->num > INT64_MAX ? SG_UNSIGNED : SG_SIGNED);
	struct expr *e;

	if (n->kind == E_TIME)
		t = type_time();
	else if (n->kind == E_SIZE)
		t.show = SHOW_SIZE;
	e = expr_num(ck, n->num, t, n->span);
	e->type.literal = true;
	return e;
}

static struct expr *string(struct checker *ck, const struct node *n)
{
	uint32_t len;
	const char *s = check_decoded(ck, n, &len);

	return s ? expr_str(ck, s, len, n->span) : NULL;
}

static struct expr *column(struct checker *ck, const struct node *n)
{
	const struct binding *b = scope_column(ck->scope, n);
	struct expr *e;

	if (!b)
		return NULL;
	e = expr_new(ck, b->failed ? XO_NULL : XO_COL, b->type, n->span);
	e->num = b->at;
	e->symfield = b->symfield;
	return e;
}

static struct expr *dispatch(struct checker *ck, const struct node *n)
{
	struct expr *e;

	switch (n->kind) {
	case E_NUM:
	case E_TIME:
	case E_SIZE: return literal(ck, n);
	case E_STRING: return string(ck, n);
	case E_NAME:
		e = check_local(ck, n);
		if (!e && ck->block && ck->block->hook)
			return check_hook_name(ck, n);
		return e ? e : scope_name(ck, ck->scope, n->str, n->span, false);
	case E_VAR: return ck->block ? check_block_var(ck, n) : check_var(ck, n);
	case E_DOT: e = check_local(ck, n); return e ? e : check_suffix(ck, n);
	case E_CALL: return check_call(ck, n);
	case E_UNARY: return check_unary(ck, n);
	case E_BINARY: return check_binary(ck, n);
	case E_COND: return check_ternary(ck, n);
	case E_IN: return check_in(ck, n);
	case E_MAP: return check_map(ck, n);
	case E_REGEX:
		diag_error(ck->d, "bad-type", n->span, "a regular expression stands behind =~");
		return NULL;
	default: break;
	}
	diag_error(ck->d, "bad-arguments", n->span, "'%s' belongs to the arguments of a probe",
		   check_written(ck, n));
	return NULL;
}

struct expr *check_expr(struct checker *ck, const struct node *n)
{
	struct expr *e = NULL;

	/* `sum(x)`, `call_site.sym`, `prio / 10` name columns of rows as they were written */
	if (ck->scope->pipe->rows && n->kind != E_NUM && n->kind != E_STRING && n->kind != E_TIME)
		e = column(ck, n);
	return e ? e : dispatch(ck, n);
}

struct expr *check_cond(struct checker *ck, const struct node *n)
{
	struct expr *e = check_expr(ck, n);
	struct diag *g;

	if (!e || type_is_num(e->type))
		return e;
	g = diag_error(ck->d, "bad-type", n->span, "%s is no condition", type_word(e->type));
	if (n->kind == E_NAME)
		diag_hint(ck->d, g, "compare it: %s == \"...\"", n->str);
	return NULL;
}

struct expr *check_number(struct checker *ck, const struct node *n, const char *who)
{
	struct expr *e = check_expr(ck, n);
	struct diag *g;

	if (!e || type_is_num(e->type))
		return e;
	g = diag_error(ck->d, "bad-type", n->span, "'%s' needs a number, '%s' is %s", who,
		       check_written(ck, n), type_word(e->type));
	if (type_is_str(e->type))
		diag_hint(ck->d, g, "'by %s' makes it a key; .len is its length",
			  check_written(ck, n));
	return NULL;
}

/* ---- constants ---- */

static struct expr *constant(struct checker *ck, const struct node *n, const char *what)
{
	struct scope *sc = ck->scope, none = {0};
	struct pipe nothing = {0};
	struct expr *e;

	/* names have no meaning here, and say so better than "no such field" */
	if (n->kind == E_NAME) {
		diag_error(ck->d, "bad-value", n->span, "%s must be a constant", what);
		return NULL;
	}
	if (!sc) {
		none.pipe = &nothing;
		nothing.rows = true;
		ck->scope = &none;
	}
	e = check_expr(ck, n);
	ck->scope = sc;
	if (e && e->op != XO_NUM && e->op != XO_STR) {
		diag_error(ck->d, "bad-value", n->span, "%s must be a constant", what);
		return NULL;
	}
	return e;
}

static struct expr *number(struct checker *ck, const struct node *n, const char *what)
{
	struct expr *e = constant(ck, n, what);

	if (e && e->op != XO_NUM) {
		diag_error(ck->d, "bad-type", n->span, "%s must be a number", what);
		return NULL;
	}
	return e;
}

static bool negative(const struct expr *e)
{
	return e->type.sign == SG_SIGNED && (int64_t)e->num < 0;
}

int check_uint(struct checker *ck, const struct node *n, const char *what, uint64_t min,
	       uint64_t max, uint64_t *out)
{
	struct expr *e = number(ck, n, what);

	if (!e)
		return -1;
	if (negative(e) || e->num < min || e->num > max) {
		if (max >= INT64_MAX)
			diag_error(ck->d, "bad-value", n->span, "%s must be at least %" PRIu64,
				   what, min);
		else
			diag_error(ck->d, "bad-value", n->span,
				   "%s must be between %" PRIu64 " and %" PRIu64, what, min, max);
		return -1;
	}
	*out = e->num;
	return 0;
}

int check_int(struct checker *ck, const struct node *n, const char *what, int64_t *out)
{
	struct expr *e = number(ck, n, what);

	if (!e)
		return -1;
	if (!negative(e) && e->num > INT64_MAX) {
		diag_error(ck->d, "bad-value", n->span, "%s is too large", what);
		return -1;
	}
	*out = (int64_t)e->num;
	return 0;
}

int check_duration(struct checker *ck, const struct node *n, bool seconds, uint64_t *ns)
{
	struct expr *e = number(ck, n, "a duration");
	struct diag *g;

	if (!e)
		return -1;
	if (negative(e) || !e->num || e->type.show == SHOW_SIZE) {
		diag_error(ck->d, "bad-value", n->span, "a duration must be longer than 0");
		return -1;
	}
	*ns = e->num;
	if (e->type.kind == T_TIME)
		return 0;
	if (!seconds) {
		g = diag_error(ck->d, "bad-type", n->span, "a duration needs a unit");
		diag_hint(ck->d, g, "%" PRIu64 "us? units are ns us ms s m h", e->num);
		return -1;
	}
	if (__builtin_mul_overflow(e->num, UINT64_C(1000000000), ns)) {
		diag_error(ck->d, "bad-value", n->span, "the duration is too long");
		return -1;
	}
	return 0;
}

const char *check_string(struct checker *ck, const struct node *n, const char *what, uint32_t *len)
{
	struct expr *e = constant(ck, n, what);

	if (!e)
		return NULL;
	if (e->op == XO_STR || (e->op == XO_NUM && e->str)) {
		*len = e->len;
		return e->str;
	}
	diag_error(ck->d, "bad-type", n->span, "%s must be a string", what);
	return NULL;
}
