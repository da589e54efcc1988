/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operators: which operands they take, what type and sign the result has, and where two sides do
 * not go together.
 */
#include "check/checker.h"

#include <string.h>

static const struct {
	const char *text;
	enum xop op, str; /* XO_NULL: not for strings */
	enum { ARITH, BITS, SHIFT, LOGIC, COMPARE } group;
} ops[] = {
	{"+", XO_ADD, XO_NULL, ARITH},   {"-", XO_SUB, XO_NULL, ARITH},
	{"*", XO_MUL, XO_NULL, ARITH},   {"/", XO_DIV, XO_NULL, ARITH},
	{"%", XO_MOD, XO_NULL, ARITH},   {"&", XO_AND, XO_NULL, BITS},
	{"|", XO_OR, XO_NULL, BITS},     {"^", XO_XOR, XO_NULL, BITS},
	{"<<", XO_SHL, XO_NULL, SHIFT},  {">>", XO_SHR, XO_NULL, SHIFT},
	{"&&", XO_LAND, XO_NULL, LOGIC}, {"||", XO_LOR, XO_NULL, LOGIC},
	{"==", XO_EQ, XO_SEQ, COMPARE},  {"!=", XO_NE, XO_SNE, COMPARE},
	{"<", XO_LT, XO_SLT, COMPARE},   {"<=", XO_LE, XO_SLE, COMPARE},
	{">", XO_GT, XO_SGT, COMPARE},   {">=", XO_GE, XO_SGE, COMPARE},
};

static struct expr *bad(struct checker *ck, struct span at, const char *op, const struct expr *e)
{
	diag_error(ck->d, "bad-type", at, "'%s' needs numbers, this is %s", op, type_word(e->type));
	return NULL;
}

struct expr *check_unary(struct checker *ck, const struct node *n)
{
	struct expr *k = n->str[0] == '!' ? check_cond(ck, n->kids[0]) : check_expr(ck, n->kids[0]);
	struct expr *e;

	if (!k)
		return NULL;
	if (n->str[0] == '!') {
		e = expr_new(ck, XO_NOT, type_bool(), n->span);
		expr_add(ck, e, k);
		return expr_fold(ck, e);
	}
	if (!type_is_num(k->type) || (n->str[0] == '~' && k->type.kind == T_DEC))
		return bad(ck, n->kids[0]->span, n->str, k);
	if (n->str[0] == '+')
		return k;
	e = expr_new(ck, n->str[0] == '-' ? XO_NEG : XO_BNOT, k->type, n->span);
	if (k->type.literal && k->op == XO_NUM)
		e->type.sign = SG_SIGNED; /* -9223372036854775808, -5ms */
	if (e->type.kind == T_BOOL || e->type.kind == T_ADDR)
		e->type.kind = T_INT;
	expr_add(ck, e, k);
	return expr_fold(ck, e);
}

/* A constant of the script with the sign of the other side. */
static struct expr *adapt(struct checker *ck, struct expr *e, enum sign s)
{
	struct expr *c;

	if (e->op != XO_NUM || !e->type.literal || e->type.sign == s || s == SG_MIXED)
		return e;
	c = expr_num(ck, e->num, e->type, e->span);
	*c = *e;
	c->type.sign = s;
	return c;
}

static enum type_kind arith_kind(enum xop op, enum type_kind a, enum type_kind b)
{
	if (a == T_DEC || b == T_DEC)
		return T_DEC;
	switch (op) {
	case XO_ADD:
	case XO_SUB:
	case XO_MOD: return a == T_TIME || b == T_TIME ? T_TIME : T_INT;
	case XO_MUL: return (a == T_TIME) != (b == T_TIME) ? T_TIME : T_INT;
	case XO_DIV: return a == T_TIME && b != T_TIME ? T_TIME : T_INT;
	default: return T_INT;
	}
}

struct expr *check_arith(struct checker *ck, enum xop op, struct expr *a, struct expr *b,
			 struct span at)
{
	struct type t = {.kind = arith_kind(op, a->type.kind, b->type.kind)};
	bool both = a->type.literal && b->type.literal;
	struct expr *e;

	if (op == XO_SHL || op == XO_SHR) {
		t.sign = a->type.sign;
	} else if (a->type.literal != b->type.literal) {
		t.sign = a->type.literal ? b->type.sign : a->type.sign;
		a = adapt(ck, a, t.sign);
		b = adapt(ck, b, t.sign);
	} else if (a->type.sign == b->type.sign) {
		t.sign = a->type.sign;
	} else if (both || (a->type.sign != SG_MIXED && b->type.sign != SG_MIXED)) {
		t.sign = SG_SIGNED;
	} else {
		/* unsigned only where both are; a signed side decides */
		t.sign = a->type.sign == SG_SIGNED || b->type.sign == SG_SIGNED ? SG_SIGNED
										: SG_MIXED;
	}
	if (a->type.show == b->type.show || (op != XO_SHL && b->type.literal))
		t.show = a->type.show;
	t.literal = both;
	e = expr_2(ck, op, t, a, b);
	e->span = at;
	return expr_fold(ck, e);
}

/* A time in the unit of .us compared with a duration, which is in ns */
static bool is_unit(const struct expr *e)
{
	return e->op == XO_DIV && e->str;
}

static struct expr *mixed(struct checker *ck, const struct node *n, const struct expr *a,
			  const struct expr *b)
{
	bool left = type_is_str(a->type);
	const struct node *num = n->kids[left ? 1 : 0];
	struct diag *g;

	g = diag_error(ck->d, "bad-type", n->span, "'%s' between %s and %s", n->str,
		       type_word(a->type), type_word(b->type));
	if ((left ? b : a)->op == XO_NUM)
		diag_hint(ck->d, g, "write \"%s\"?", check_written(ck, num));
	else
		diag_hint(ck->d, g, "%s.str is the number as text", check_written(ck, num));
	return NULL;
}

/* A variable that looks like a number, beside a string, is the string it was. */
static struct expr *as_string(struct checker *ck, struct expr *e, const struct expr *other)
{
	if (e->op == XO_NUM && e->str && other->type.kind == T_STR)
		return expr_str(ck, e->str, e->len, e->span);
	return e;
}

static struct expr *compare(struct checker *ck, const struct node *n, size_t row, struct expr *a,
			    struct expr *b)
{
	struct expr *e;

	a = as_string(ck, a, b);
	b = as_string(ck, b, a);
	if (b->op == XO_STR && type_is_num(a->type) && a->type.kind != T_NULL)
		return expr_names(ck, ops[row].op, a, n->kids[0], b);
	if (a->op == XO_STR && type_is_num(b->type) && b->type.kind != T_NULL &&
	    (ops[row].op == XO_EQ || ops[row].op == XO_NE))
		return expr_names(ck, ops[row].op, b, n->kids[1], a);
	if (type_is_str(a->type) != type_is_str(b->type) && a->type.kind != T_NULL &&
	    b->type.kind != T_NULL)
		return mixed(ck, n, a, b);
	if ((is_unit(a) && b->op == XO_NUM && b->type.kind == T_TIME) ||
	    (is_unit(b) && a->op == XO_NUM && a->type.kind == T_TIME)) {
		struct diag *g = diag_error(ck->d, "bad-type", n->span,
					    "a number of %s compared with a time",
					    is_unit(a) ? a->str : b->str);

		diag_hint(ck->d, g, "compare the time itself, without .%s",
			  is_unit(a) ? a->str : b->str);
		return NULL;
	}
	e = expr_2(ck,
		   type_is_str(a->type) && type_is_str(b->type) && a->type.kind != T_NULL
			   ? ops[row].str
			   : ops[row].op,
		   type_bool(), a, b);
	e->span = n->span;
	return expr_fold(ck, e);
}

static struct expr *glob(struct checker *ck, const struct node *n, struct expr *a)
{
	struct expr *e;
	uint32_t len;
	const char *pat = check_string(ck, n->kids[1], "a pattern", &len);
	struct diag *g;

	if (!a || !pat)
		return NULL;
	if (!type_is_str(a->type)) {
		g = diag_error(ck->d, "bad-type", n->kids[0]->span,
			       "'%s' matches strings, this is %s", n->str, type_word(a->type));
		if (strcmp(n->str, "~") == 0)
			diag_hint(ck->d, g, "%s.str is the number as text",
				  check_written(ck, n->kids[0]));
		return NULL;
	}
	e = expr_new(ck, n->str[0] == '!' ? XO_NGLOB : XO_GLOB, type_bool(), n->span);
	e->str = pat;
	e->len = len;
	expr_add(ck, e, a);
	return e;
}

static struct expr *has(struct checker *ck, const struct node *n, struct expr *a)
{
	struct expr *b = check_expr(ck, n->kids[1]);

	if (!a || !b)
		return NULL;
	if (b->op != XO_STR) {
		diag_error(ck->d, "bad-type", n->kids[1]->span, "'has' takes a name: \"NAME\"");
		return NULL;
	}
	return expr_names(ck, XO_HAS, a, n->kids[0], b);
}

static struct expr *logic(struct checker *ck, const struct node *n, enum xop op)
{
	struct expr *a = check_cond(ck, n->kids[0]), *b = check_cond(ck, n->kids[1]), *e;

	if (!a || !b)
		return NULL;
	e = expr_2(ck, op, type_bool(), a, b);
	e->span = n->span;
	return expr_fold(ck, e);
}

/* `prev_state == D`: a bare word that is no field, but a name of the other side's values */
static bool is_value_name(struct checker *ck, const struct node *a, const struct node *b)
{
	const struct field *f;
	struct expr *e;
	uint64_t v, m;
	struct diag *g;

	if (b->kind != E_NAME || a->kind != E_NAME || ck->scope->pipe->rows ||
	    scope_name(ck, ck->scope, b->str, b->span, true))
		return false;
	e = scope_name(ck, ck->scope, a->str, a->span, true);
	f = e ? expr_symfield(e) : NULL;
	if (!f || !field_symvalue(f, b->str, &v, &m))
		return false;
	g = diag_error(ck->d, "unknown-field", b->span, "'%s' is no field but a value of '%s'",
		       b->str, a->str);
	diag_hint(ck->d, g, "write \"%s\"", b->str);
	return true;
}

struct expr *check_binary(struct checker *ck, const struct node *n)
{
	struct expr *a, *b;
	size_t row = 0, nops = sizeof(ops) / sizeof(ops[0]);

	while (row < nops && strcmp(ops[row].text, n->str) != 0)
		row++;
	if (row < nops && ops[row].group == LOGIC)
		return logic(ck, n, ops[row].op);
	if (row < nops && ops[row].group == COMPARE && is_value_name(ck, n->kids[0], n->kids[1]))
		return NULL;
	a = check_expr(ck, n->kids[0]);
	if (strcmp(n->str, "=~") == 0)
		return check_regex(ck, a, n->kids[1], n->span);
	if (strcmp(n->str, "~") == 0 || strcmp(n->str, "!~") == 0)
		return glob(ck, n, a);
	if (strcmp(n->str, "has") == 0)
		return has(ck, n, a);
	b = check_expr(ck, n->kids[1]);
	if (!a || !b || row == nops)
		return NULL;
	if (ops[row].group == COMPARE)
		return compare(ck, n, row, a, b);
	if (!type_is_num(a->type))
		return bad(ck, n->kids[0]->span, n->str, a);
	if (!type_is_num(b->type))
		return bad(ck, n->kids[1]->span, n->str, b);
	if ((ops[row].group != ARITH || ops[row].op == XO_MOD) &&
	    (a->type.kind == T_DEC || b->type.kind == T_DEC)) {
		diag_error(ck->d, "bad-type", n->span, "'%s' needs whole numbers", n->str);
		return NULL;
	}
	return check_arith(ck, ops[row].op, a, b, n->span);
}

struct expr *check_ternary(struct checker *ck, const struct node *n)
{
	struct expr *c = check_cond(ck, n->kids[0]), *e;
	struct expr *a = check_expr(ck, n->kids[1]), *b = check_expr(ck, n->kids[2]);
	struct type t;

	if (!c || !a || !b)
		return NULL;
	a = as_string(ck, a, b);
	b = as_string(ck, b, a);
	if (!type_unify(a->type, b->type, &t)) {
		diag_error(ck->d, "bad-type", n->span, "'? :' between %s and %s",
			   type_word(a->type), type_word(b->type));
		return NULL;
	}
	t.literal = false;
	e = expr_new(ck, XO_COND, t, n->span);
	expr_add(ck, e, c);
	expr_add(ck, e, adapt(ck, a, t.sign));
	expr_add(ck, e, adapt(ck, b, t.sign));
	return expr_fold(ck, e);
}

/* `prev_state in ("D", "S")`: one of several names */
static struct expr *in_names(struct checker *ck, const struct node *n, struct expr *a,
			     struct expr *any, struct expr *k)
{
	struct expr *one = expr_names(ck, XO_EQ, a, n->kids[0], k);

	if (!one || !any)
		return one;
	return expr_2(ck, XO_LOR, type_bool(), any, one);
}

struct expr *check_in(struct checker *ck, const struct node *n)
{
	struct expr *a, *any = NULL, *e;

	if (n->n == 2 && n->kids[1]->kind == E_MAP && !n->kids[1]->n)
		return check_inmap(ck, n);
	a = check_expr(ck, n->kids[0]);
	e = expr_new(ck, XO_IN, type_bool(), n->span);
	if (a)
		expr_add(ck, e, a);
	for (size_t i = 1; i < n->n; i++) {
		struct expr *k = check_expr(ck, n->kids[i]);

		if (!a || !k) {
			a = NULL;
			continue;
		}
		k = as_string(ck, k, a);
		if (k->op == XO_STR && type_is_num(a->type) && a->type.kind != T_NULL) {
			any = in_names(ck, n, a, any, k);
			if (!any)
				return NULL;
			continue;
		}
		if (type_is_str(a->type) != type_is_str(k->type) && a->type.kind != T_NULL &&
		    k->type.kind != T_NULL) {
			diag_error(ck->d, "bad-type", k->span, "%s in a list for %s",
				   type_word(k->type), type_word(a->type));
			return NULL;
		}
		expr_add(ck, e, k);
	}
	if (!a)
		return NULL;
	if (!any)
		return expr_fold(ck, e);
	return e->n > 1 ? expr_2(ck, XO_LOR, type_bool(), e, any) : any;
}
