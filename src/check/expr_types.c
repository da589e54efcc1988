/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types of expressions, making expression nodes, and folding of constants. It knows no names and
 * no syntax.
 */
#include "check/checker.h"

#include <string.h>

struct expr *expr_new(struct checker *ck, enum xop op, struct type t, struct span at)
{
	struct expr *e = ARENA_NEW(ck->a, struct expr);

	e->op = op;
	e->type = t;
	e->span = at;
	return e;
}

void expr_add(struct checker *ck, struct expr *e, struct expr *kid)
{
	size_t n = e->n;

	ARENA_PUSH(ck->a, e->kids, n, kid);
	e->n = (unsigned)n;
}

struct expr *expr_num(struct checker *ck, uint64_t num, struct type t, struct span at)
{
	struct expr *e = expr_new(ck, XO_NUM, t, at);

	e->num = num;
	return e;
}

struct expr *expr_str(struct checker *ck, const char *s, uint32_t len, struct span at)
{
	struct expr *e = expr_new(ck, XO_STR, type_str(), at);

	e->str = s;
	e->len = len;
	e->type.literal = true;
	return e;
}

struct expr *expr_2(struct checker *ck, enum xop op, struct type t, struct expr *a, struct expr *b)
{
	struct expr *e = expr_new(ck, op, t, span_join(a->span, b->span));

	expr_add(ck, e, a);
	expr_add(ck, e, b);
	return e;
}

struct expr *expr_call(struct checker *ck, enum fn fn, struct type t, struct expr *e,
		       struct span at)
{
	struct expr *c = expr_new(ck, XO_FN, t, at);

	c->fn = fn;
	expr_add(ck, c, e);
	return c;
}

struct expr *expr_first(struct checker *ck, struct expr *a, struct expr *b)
{
	struct type t;
	struct expr *e, *is;

	if (!type_unify(a->type, b->type, &t))
		return a;
	e = expr_new(ck, XO_COND, t, a->span);
	is = expr_2(ck, type_is_str(a->type) ? XO_SEQ : XO_EQ, type_bool(), a, a);
	/* a null condition would give null; || never does */
	expr_add(
		ck, e,
		expr_2(ck, XO_LOR, type_bool(), is, expr_num(ck, 0, type_int(SG_SIGNED), a->span)));
	expr_add(ck, e, a);
	expr_add(ck, e, b);
	return e;
}

struct type type_int(enum sign s)
{
	return (struct type){.kind = T_INT, .sign = s};
}

struct type type_time(void)
{
	return (struct type){.kind = T_TIME, .sign = SG_UNSIGNED};
}

struct type type_str(void)
{
	return (struct type){.kind = T_STR};
}

struct type type_bool(void)
{
	return (struct type){.kind = T_BOOL};
}

struct type type_of_field(const struct field *f)
{
	if (f->kind != FK_INT)
		return type_str();
	if (f->is_pointer)
		return (struct type){.kind = T_ADDR, .sign = SG_UNSIGNED};
	return type_int(f->is_signed ? SG_SIGNED : SG_UNSIGNED);
}

bool type_is_int(struct type t)
{
	return t.kind == T_INT || t.kind == T_TIME || t.kind == T_BOOL || t.kind == T_ADDR ||
	       t.kind == T_NULL;
}

bool type_is_num(struct type t)
{
	return type_is_int(t) || t.kind == T_DEC;
}

bool type_is_str(struct type t)
{
	return t.kind == T_STR || t.kind == T_STACK || t.kind == T_NULL;
}

const char *type_word(struct type t)
{
	switch (t.kind) {
	case T_INT: return "a number";
	case T_TIME: return "a time";
	case T_STR: return "a string";
	case T_BOOL: return "a condition";
	case T_ADDR: return "an address";
	case T_STACK: return "a stack";
	case T_DEC: return "a decimal number";
	case T_NULL: break;
	}
	return "null";
}

bool type_unify(struct type a, struct type b, struct type *out)
{
	struct type t = a;

	if (a.kind == T_NULL || b.kind == T_NULL) {
		*out = a.kind == T_NULL ? b : a;
		out->literal = false;
		return true;
	}
	if (type_is_str(a) != type_is_str(b))
		return false;
	t.literal = a.literal && b.literal;
	if (type_is_str(a)) {
		if (a.kind != b.kind)
			t.kind = T_STR;
		*out = t;
		return true;
	}
	if (a.kind != b.kind) {
		if (a.kind == T_DEC || b.kind == T_DEC)
			t.kind = T_DEC;
		else if (a.kind == T_TIME || b.kind == T_TIME)
			t.kind = T_TIME;
		else
			t.kind = T_INT;
	}
	if (a.literal && !b.literal)
		t.sign = b.sign;
	else if (a.sign != b.sign && !b.literal)
		t.sign = SG_MIXED;
	if (a.show != b.show)
		t.show = a.literal ? b.show : b.literal ? a.show : SHOW_PLAIN;
	*out = t;
	return true;
}

static const struct field *named_values(const struct field *f)
{
	return f && (f->nsyms || f->nflags) ? f : NULL;
}

const struct field *expr_symfield(const struct expr *e)
{
	const struct field *f = NULL;

	if (e->op != XO_FIELD || !e->evs)
		return e->symfield;
	for (unsigned i = 0; i < e->evs->n && !f; i++)
		f = named_values(event_field(e->evs->v[i], e->str));
	return f;
}

/* ---- folding ---- */

static bool is_num(const struct expr *e)
{
	return e->op == XO_NUM;
}

static int by_value(const struct expr *a, const struct expr *b)
{
	bool neg_a = a->type.sign == SG_SIGNED && (int64_t)a->num < 0;
	bool neg_b = b->type.sign == SG_SIGNED && (int64_t)b->num < 0;

	if (neg_a != neg_b)
		return neg_a ? -1 : 1;
	if (neg_a)
		return (int64_t)a->num < (int64_t)b->num ? -1 : (int64_t)a->num > (int64_t)b->num;
	return a->num < b->num ? -1 : a->num > b->num;
}

static uint64_t divide(uint64_t a, uint64_t b, bool sgn, bool mod)
{
	if (!sgn)
		return mod ? a % b : a / b;
	if (b == UINT64_MAX) /* INT64_MIN / -1 wraps */
		return mod ? 0 : 0 - a;
	return mod ? (uint64_t)((int64_t)a % (int64_t)b) : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift(uint64_t a, uint64_t by, bool sgn, bool left)
{
	by &= 63;
	if (left)
		return a << by;
	if (sgn && (int64_t)a < 0 && by)
		return (a >> by) | ~(UINT64_MAX >> by);
	return a >> by;
}

/* The value of an operation on constants; false when it has none (division by zero) */
static bool compute(const struct expr *e, uint64_t *out)
{
	const struct expr *x = e->kids[0], *y = e->n > 1 ? e->kids[1] : NULL;
	uint64_t a = x->num, b = y ? y->num : 0;
	bool sgn = e->type.sign == SG_SIGNED;

	switch (e->op) {
	case XO_NEG: *out = 0 - a; return true;
	case XO_BNOT: *out = ~a; return true;
	case XO_NOT: *out = !a; return true;
	case XO_ADD: *out = a + b; return true;
	case XO_SUB: *out = a - b; return true;
	case XO_MUL: *out = a * b; return true;
	case XO_DIV:
	case XO_MOD:
		if (!b)
			return false;
		*out = divide(a, b, sgn, e->op == XO_MOD);
		return true;
	case XO_AND: *out = a & b; return true;
	case XO_OR: *out = a | b; return true;
	case XO_XOR: *out = a ^ b; return true;
	case XO_SHL:
	case XO_SHR: *out = shift(a, b, sgn, e->op == XO_SHL); return true;
	case XO_LAND: *out = a && b; return true;
	case XO_LOR: *out = a || b; return true;
	case XO_EQ: *out = by_value(x, y) == 0; return true;
	case XO_NE: *out = by_value(x, y) != 0; return true;
	case XO_LT: *out = by_value(x, y) < 0; return true;
	case XO_LE: *out = by_value(x, y) <= 0; return true;
	case XO_GT: *out = by_value(x, y) > 0; return true;
	case XO_GE: *out = by_value(x, y) >= 0; return true;
	default: return false;
	}
}

static bool foldable(enum xop op)
{
	return op >= XO_NEG && op <= XO_GE;
}

static bool compare_strings(const struct expr *e, bool *out)
{
	const struct expr *a = e->kids[0], *b = e->kids[1];
	uint32_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->str, b->str, n);

	if (!c)
		c = a->len < b->len ? -1 : a->len > b->len;
	switch (e->op) {
	case XO_SEQ: *out = c == 0; return true;
	case XO_SNE: *out = c != 0; return true;
	case XO_SLT: *out = c < 0; return true;
	case XO_SLE: *out = c <= 0; return true;
	case XO_SGT: *out = c > 0; return true;
	case XO_SGE: *out = c >= 0; return true;
	default: return false;
	}
}

struct expr *expr_fold(struct checker *ck, struct expr *e)
{
	struct expr *r;
	uint64_t v;
	bool c;

	if (e->op == XO_COND && is_num(e->kids[0])) {
		r = e->kids[e->kids[0]->num ? 1 : 2];
		if (r->type.kind == e->type.kind)
			return r;
	}
	for (unsigned i = 0; i < e->n; i++) {
		if (e->kids[i]->op == XO_STR && e->n == 2 && e->kids[1 - i]->op == XO_STR &&
		    compare_strings(e, &c))
			return expr_num(ck, c, e->type, e->span);
		if (!is_num(e->kids[i]) || e->kids[i]->type.kind == T_DEC)
			return e;
	}
	if (!e->n || !foldable(e->op))
		return e;
	if (!compute(e, &v))
		return expr_new(ck, XO_NULL, (struct type){.kind = T_NULL}, e->span);
	r = expr_num(ck, v, e->type, e->span);
	r->type.literal = true;
	return r;
}
