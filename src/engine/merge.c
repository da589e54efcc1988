/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Engines side by side over parts of the records: which queries may be run so, and their tables
 * made one. What comes out is what one engine would have said of all records.
 */
#include "engine/nodes.h"

/* nothing that reads the catalog while it runs */
static bool expr_ok(const struct expr *e)
{
	if (!e)
		return true;
	if (e->builtin == BI_PID || e->builtin == BI_PPID || e->builtin == BI_COMM ||
	    e->builtin == BI_KSTACK || e->builtin == BI_USTACK)
		return false;
	if (e->op == XO_FN && e->fn != FN_MIN && e->fn != FN_MAX && e->fn != FN_ABS &&
	    e->fn != FN_LOG2 && e->fn != FN_BUCKET && e->fn != FN_STRLEN && e->fn != FN_SUBSTR)
		return false;
	if (e->op == XO_MAP || e->op == XO_VAR || e->op == XO_INMAP)
		return false;
	for (unsigned i = 0; i < e->n; i++) {
		if (!expr_ok(e->kids[i]))
			return false;
	}
	return true;
}

static bool op_ok(const struct op *o)
{
	bool ok = expr_ok(o->cond);

	for (unsigned i = 0; i < o->nlets; i++)
		ok &= expr_ok(o->lets[i].e);
	for (unsigned i = 0; i < o->nkeys; i++)
		ok &= expr_ok(o->keys[i].e);
	for (unsigned i = 0; i < o->naggs; i++)
		ok &= expr_ok(o->aggs[i].e);
	return ok;
}

static bool pipe_ok(const struct pipe *p)
{
	const struct src *s = p->src;

	if (s->kind != SRC_EVENTS && s->kind != SRC_UNION && s->kind != SRC_PIPE)
		return false;
	for (unsigned i = 0; i < s->nkids; i++) {
		if (!pipe_ok(s->kids[i]))
			return false;
	}
	for (const struct op *o = p->ops; o; o = o->next) {
		if (o->kind == OP_AGG)
			return op_ok(o); /* what follows works on rows, at the end */
		if ((o->kind != OP_WHERE && o->kind != OP_LET) || !op_ok(o))
			return false;
	}
	return true;
}

bool engine_orderless(const struct engine *e)
{
	if (e->want_tasks || e->want_stacks || e->blocks || e->s->set.for_ns)
		return false;
	for (unsigned i = 0; i < e->nq; i++) {
		const struct qrun *q = &e->q[i];

		if (!q->table || !q->table->merge || q->npairs || q->nspecs || q->hook ||
		    q->blocks || q->every || q->q->for_ns || q->from || q->closing ||
		    !pipe_ok(q->q->pipe))
			return false;
	}
	return e->nq > 0;
}

void engine_load(struct engine *e)
{
	for (unsigned i = 0; i < e->nevents && i < catalog_nevents(e->c); i++) {
		if (e->by_event[i].n)
			event_load(catalog_event(e->c, i));
	}
}

size_t engine_bound(struct engine *e, size_t bytes)
{
	size_t was = e->mem.max;

	e->mem.max = bytes;
	return was;
}

void engine_reset_stats(struct engine *e)
{
	for (unsigned i = 0; i < e->nq; i++)
		e->q[i].st = (struct engine_stats){0};
}

int engine_merge(struct engine *to, struct engine *from)
{
	for (unsigned i = 0; i < to->nq; i++) {
		struct qrun *d = &to->q[i], *s = &from->q[i];

		if (d->st.dropped || s->st.dropped || d->table->merge(d->table, s->table))
			return -1;
		d->st.events += s->st.events;
	}
	return 0;
}
