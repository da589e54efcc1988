/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values that a print format gives names to: `prev_state == "D"`, `flags has "GFP_ATOMIC"`. The
 * values themselves are the catalog's.
 */
#include "check/checker.h"

#include <string.h>

static bool known(const struct expr *e, const char *name)
{
	const struct field *f = e->symfield;
	uint64_t v, m;

	if (e->op != XO_FIELD)
		return f && field_symvalue(f, name, &v, &m);
	for (unsigned i = 0; i < e->evs->n; i++) {
		f = event_field(e->evs->v[i], e->str);
		if (f && (f->nsyms || f->nflags) && field_symvalue(f, name, &v, &m))
			return true;
	}
	return false;
}

static void add_names(struct checker *ck, const struct symname *s, unsigned n, const char ***v,
		      size_t *nv)
{
	for (unsigned i = 0; i < n; i++)
		ARENA_PUSH(ck->a, *v, *nv, s[i].name);
}

static void unknown_value(struct checker *ck, const struct expr *e, const struct node *left,
			  const char *name, struct span at)
{
	const struct field *f = expr_symfield(e);
	const char **v = NULL;
	struct buf b = {0};
	struct diag *g;
	size_t n = 0;

	add_names(ck, f->syms, f->nsyms, &v, &n);
	add_names(ck, f->flags, f->nflags, &v, &n);
	g = diag_error(ck->d, "unknown-value", at, "no value of '%s' is called '%s'",
		       check_written(ck, left), name);
	if (diag_nearest(ck->d, g, name, v, n))
		return;
	for (size_t i = 0; i < n && i < 12; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", v[i]);
	diag_hint(ck->d, g, "its values are %s%s", buf_str(&b), n > 12 ? " ..." : "");
	buf_free(&b);
}

/* Every part of "A|B" must be known, so that the message can point at the wrong one. */
static bool all_known(struct checker *ck, const struct expr *e, const struct node *left,
		      const struct expr *s)
{
	const char *p = s->str, *bar;

	if (known(e, s->str))
		return true;
	for (;; p = bar + 1) {
		const char *part;

		bar = strchr(p, '|');
		part = bar ? arena_strndup(ck->a, p, (size_t)(bar - p)) : p;
		if (!known(e, part)) {
			unknown_value(ck, e, left, part, s->span);
			return false;
		}
		if (!bar)
			return true;
	}
}

static struct expr *compare_column(struct checker *ck, enum xop op, struct expr *e,
				   const struct expr *s)
{
	struct type t = {.kind = T_INT, .sign = e->type.sign, .literal = true};
	uint64_t v, m;
	struct expr *x;

	if (!field_symvalue(e->symfield, s->str, &v, &m))
		return NULL;
	if (op == XO_HAS)
		m = v;
	x = m == UINT64_MAX ? e : check_arith(ck, XO_AND, e, expr_num(ck, m, t, s->span), e->span);
	x = expr_2(ck, op == XO_NE ? XO_NE : XO_EQ, type_bool(), x, expr_num(ck, v, t, s->span));
	return x;
}

static struct expr *one(struct checker *ck, enum xop op, struct expr *e, const struct expr *s)
{
	struct expr *x;

	if (e->op == XO_COL) /* rows know no events: the numbers at once */
		return compare_column(ck, op, e, s);
	x = expr_new(ck,
		     op == XO_EQ   ? XO_SYMEQ
		     : op == XO_NE ? XO_SYMNE
				   : XO_HAS,
		     type_bool(), span_join(e->span, s->span));
	x->str = s->str;
	x->len = s->len;
	x->symfield = e->symfield;
	expr_add(ck, x, e);
	return x;
}

/* `flags has "A|B"`: both */
static struct expr *all_of(struct checker *ck, struct expr *e, const struct expr *s)
{
	struct expr *all = NULL, *x;
	const char *p = s->str, *bar;

	for (;; p = bar + 1) {
		struct expr part = *s;

		bar = strchr(p, '|');
		part.str = bar ? arena_strndup(ck->a, p, (size_t)(bar - p)) : p;
		part.len = (uint32_t)strlen(part.str);
		x = one(ck, XO_HAS, e, &part);
		all = all && x ? expr_2(ck, XO_LAND, type_bool(), all, x) : x;
		if (!bar)
			return all;
	}
}

struct expr *expr_names(struct checker *ck, enum xop op, struct expr *e, const struct node *left,
			struct expr *s)
{
	const char *what = check_written(ck, left);
	struct diag *g;

	if (e->type.kind == T_NULL)
		return expr_new(ck, XO_NULL, type_bool(), e->span);
	if ((e->op != XO_FIELD && e->op != XO_SLOT && e->op != XO_COL) || !expr_symfield(e)) {
		if (op == XO_HAS) {
			diag_error(ck->d, "bad-type", left->span,
				   "'has' needs a field whose values have names, '%s' has none",
				   what);
			return NULL;
		}
		g = diag_error(ck->d, "bad-type", s->span,
			       "'%s' is %s without names for its values, compared with a string",
			       what, type_word(e->type));
		diag_hint(ck->d, g, "%s.str is the number as text", what);
		return NULL;
	}
	if (op != XO_EQ && op != XO_NE && op != XO_HAS) {
		diag_error(ck->d, "bad-type", s->span,
			   "names of values can be compared with == and != only");
		return NULL;
	}
	if (!all_known(ck, e, left, s))
		return NULL;
	return op == XO_HAS ? all_of(ck, e, s) : one(ck, op, e, s);
}
