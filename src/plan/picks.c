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
	bool all; /* no conditions */
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
			if (o->kind == OP_WHERE && !p->all && !filter_some(&names.k, o->cond, t))
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

static int picks(struct picker *p, const struct query *q, struct pick **out, size_t *n)
{
	int rc = walk(p, q->pipe);

	*out = p->v;
	*n = p->n;
	return rc;
}

int plan_picks(struct session *s, struct arena *a, const struct query *q, struct pick **out,
	       size_t *n)
{
	struct picker p = {.s = s, .a = a};

	return picks(&p, q, out, n);
}

int plan_picks_all(struct session *s, struct arena *a, const struct query *q, struct pick **out,
		   size_t *n)
{
	struct picker p = {.s = s, .a = a, .all = true};

	return picks(&p, q, out, n);
}

/* ---- what ends tracing ---- */

/* Does all that comes in at the front of @pipe and is let through by where come to @end? */
static bool straight(const struct pipe *pipe, const struct op *end)
{
	const struct op *o = pipe->ops;

	while (o != end && (o->kind == OP_WHERE || o->kind == OP_LET || o->kind == OP_STACK ||
			    o->kind == OP_PRINT || o->kind == OP_PRINTF || o->kind == OP_SNAPSHOT ||
			    o->kind == OP_STOP))
		o = o->next;
	return o == end && (end->kind != OP_STOP || end->count == 1);
}

/* The conditions before @end; with none, one that always holds: the event is in the buffer then */
static bool off_text(struct event *ev, const struct pipe *pipe, const struct op *end,
		     struct ptext *t)
{
	struct event_names names = event_names(ev);
	bool any = false;

	ptext_put(t, end->span, "traceoff if ");
	for (const struct op *o = pipe->ops; o != end; o = o->next) {
		if (o->kind != OP_WHERE)
			continue;
		ptext_put(t, end->span, any ? " && (" : "(");
		if (!filter_all(&names.k, o->cond, t))
			return false;
		ptext_put(t, end->span, ")");
		any = true;
	}
	if (!any)
		ptext_put(t, end->span, "common_pid >= 0");
	return true;
}

void plan_offs(struct session *s, struct arena *a, const struct query *q, const struct op *end,
	       struct off **out, size_t *n)
{
	const struct src *src = q->pipe->src;

	if (!s->set.pushdown || (src->kind != SRC_EVENTS && src->kind != SRC_PROBE) ||
	    !straight(q->pipe, end))
		return;
	for (unsigned i = 0; i < src->evs.n; i++) {
		struct off off = {.ev = src->evs.v[i], .span = end->span};
		struct ptext t = {.a = a};

		if (strcmp(off.ev->system, "ftrace") != 0 && off_text(off.ev, q->pipe, end, &t)) {
			off.trigger = arena_strdup(a, buf_str(&t.b));
			off.map = t.map;
			off.nmap = t.nmap;
			ARENA_PUSH(a, *out, *n, off);
		}
		buf_free(&t.b);
	}
}
