/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel is to record of a query: its events, each with the conditions on the way from
 * the source to the end as one filter. An event that comes by several ways is let through by any.
 */
#include "catalog/rec.h"
#include "plan/filter.h"
#include "plan/plan.h"

#include <string.h>

#define DEPTH 32

struct picker {
	struct session *s;
	struct arena *a;
	const struct pipe *way[DEPTH]; /* from the whole to the part */
	unsigned depth;
	struct pick *v;
	size_t n;
};

static int refuse(struct picker *p, const struct op *o)
{
	struct diag *g = diag_error(p->s->diags, "bad-stage", o->cond->span,
				    "the kernel's event filters cannot hold all of this condition");

	diag_hint(p->s->diags, g,
		  "'record' takes what the kernel lets through: record without it, "
		  "and look at the file with it");
	return -1;
}

/* The conditions on the way to @ev as a filter in @t */
static int conditions(struct picker *p, struct event *ev, struct ptext *t, uint8_t *flags)
{
	struct event_names names = event_names(ev);

	for (unsigned i = p->depth; i-- > 0;) {
		for (const struct op *o = p->way[i]->ops; o; o = o->next) {
			if (o->kind == OP_WHERE && !filter_some(&names.k, o->cond, t))
				return refuse(p, o);
			if (o->kind == OP_STACK)
				*flags |= strcmp(o->lets[0].name, "ustack") == 0 ? WANT_USTACK
										 : WANT_KSTACK;
		}
	}
	return 0;
}

/* Either this or what is there already */
static void either(struct picker *p, struct pick *k, const char *text)
{
	if (!k->filter || (text && strcmp(k->filter, text) == 0))
		return;
	k->filter = text ? arena_printf(p->a, "(%s) || (%s)", k->filter, text) : NULL;
	k->map = NULL;
	k->nmap = 0;
}

static int pick(struct picker *p, struct event *ev, struct span at)
{
	struct pick k = {.ev = ev, .flags = WANT_EVENT, .span = at};
	struct ptext t = {.a = p->a};
	int rc = conditions(p, ev, &t, &k.flags);

	if (t.b.len)
		k.filter = arena_strdup(p->a, buf_str(&t.b));
	k.map = t.map;
	k.nmap = t.nmap;
	buf_free(&t.b);
	if (rc)
		return rc;
	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].ev != ev)
			continue;
		p->v[i].flags |= k.flags;
		either(p, &p->v[i], k.filter);
		return 0;
	}
	ARENA_PUSH(p->a, p->v, p->n, k);
	return 0;
}

static int walk(struct picker *p, const struct pipe *pipe)
{
	const struct src *s = pipe->src;
	int rc = 0;

	if (p->depth == DEPTH)
		return -1;
	p->way[p->depth++] = pipe;
	for (unsigned i = 0; i < s->nkids && !rc; i++)
		rc = walk(p, s->kids[i]);
	for (unsigned i = 0; !s->nkids && i < s->evs.n && !rc; i++)
		rc = pick(p, s->evs.v[i], s->span);
	p->depth--;
	return rc;
}

int plan_picks(struct session *s, struct arena *a, const struct query *q, struct pick **out,
	       size_t *n)
{
	struct picker p = {.s = s, .a = a};
	int rc = walk(&p, q->pipe);

	*out = p.v;
	*n = p.n;
	return rc;
}
