/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs `A -> B on KEYS within DUR`: the two sides, their keys, and which side a key is looked up
 * on. */
#include "check/checker.h"

#include <string.h>

static struct expr *on_side(struct checker *ck, const struct pipe *p, const struct node *n,
			    bool quiet)
{
	struct scope *outer = ck->scope;
	struct diags *real = ck->d, none;
	struct expr *e;

	if (quiet) {
		diags_init(&none, ck->a);
		ck->d = &none;
	}
	ck->scope = scope_of(ck, p);
	e = check_expr(ck, n);
	ck->scope = outer;
	ck->d = real;
	return e;
}

static unsigned width(const struct expr *e)
{
	const struct field *f;

	if (e->op != XO_FIELD || e->builtin != BI_NONE || e->evs->n != 1)
		return 8;
	f = event_field(e->evs->v[0], e->str);
	return f && f->kind == FK_INT ? f->size : 8;
}

static struct expr *masked(struct checker *ck, struct expr *e, unsigned bytes)
{
	struct type t = type_int(SG_UNSIGNED);

	e = expr_2(ck, XO_AND, t, e, expr_num(ck, UINT64_MAX >> (64 - 8 * bytes), t, e->span));
	return e;
}

/* An s32 and a u32 of the same 32 bits are the same key. */
static int add_key(struct checker *ck, struct src *src, const struct node *at, struct expr *a,
		   struct expr *b)
{
	unsigned wa, wb;
	size_t na = src->npairkeys, nb = na;

	if (type_is_str(a->type) != type_is_str(b->type)) {
		diag_error(ck->d, "bad-type", at->span,
			   "the key is %s on one side and %s on the other", type_word(a->type),
			   type_word(b->type));
		return -1;
	}
	wa = width(a);
	wb = width(b);
	if (type_is_int(a->type) && a->type.sign != b->type.sign && wa == wb && wa < 8) {
		a = masked(ck, a, wa);
		b = masked(ck, b, wb);
	}
	ARENA_PUSH(ck->a, src->akeys, na, a);
	ARENA_PUSH(ck->a, src->bkeys, nb, b);
	src->npairkeys++;
	return 0;
}

static int pair_key(struct checker *ck, struct src *src, const struct node *n)
{
	struct pipe *pa = src->kids[0], *pb = src->kids[1];
	const struct node *l = n, *r = n;
	struct expr *a, *b;

	if (n->kind == E_BINARY && strcmp(n->str, "==") == 0 && !(n->flags & NF_PAREN)) {
		l = n->kids[0];
		r = n->kids[1];
		a = on_side(ck, pa, l, true);
		b = on_side(ck, pb, r, true);
		if (a && b)
			return add_key(ck, src, n, a, b);
		a = on_side(ck, pa, r, true);
		b = on_side(ck, pb, l, true);
		if (a && b)
			return add_key(ck, src, n, a, b);
	}
	a = on_side(ck, pa, l, false);
	b = on_side(ck, pb, r, false);
	if (!a || !b)
		return -1;
	return add_key(ck, src, n, a, b);
}

struct src *check_pair(struct checker *ck, const struct node *n)
{
	struct pipe *a = check_source(ck, n->kids[0]), *b = check_source(ck, n->kids[1]);
	struct src *src;
	bool failed = false;

	if (!a || !b)
		return NULL;
	src = src_new(ck, SRC_PAIR, n);
	src->kids = ARENA_ARRAY(ck->a, struct pipe *, 2);
	src->nkids = 2;
	src->kids[0] = a;
	src->kids[1] = b;
	src->evs = b->src->evs;
	ck->q->needs_order = true;
	for (size_t i = 2; i < n->n; i++) {
		const struct node *k = n->kids[i];

		if (k->kind == N_WITHIN && check_duration(ck, k->kids[0], false, &src->within))
			failed = true;
		for (size_t j = 0; k->kind == N_ON && j < k->n; j++) {
			if (pair_key(ck, src, k->kids[j]))
				failed = true;
		}
	}
	return failed ? NULL : src;
}
