/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A query's sources and stages to chains of operators: for each event, the heads it enters by. Ends
 * of pairs are entered before starts, so that an event that is both ends the interval first.
 */
#include "engine/build.h"

#include "engine/block.h"
#include "engine/spec.h"

#include <stdlib.h>

struct builder {
	struct engine *e;
	struct qrun *q;
	unsigned *li; /* local number by event index, plus one */
};

int not_yet(struct qrun *q, struct span at, const char *what)
{
	diag_error(q->e->s->diags, "not-yet", at, "%s: not carried out by this version", what);
	return -1;
}

struct code code_new(struct qrun *q, const struct expr *e)
{
	return (struct code){
		.e = e, .by = ARENA_ARRAY(q->e->arena, struct prog *, q->nlocal ? q->nlocal : 1)};
}

struct code code_rows(struct qrun *q, const struct expr *e)
{
	return (struct code){.e = e, .by = ARENA_ARRAY(q->e->arena, struct prog *, 1)};
}

/* ---- which events there are, and whether tasks must be followed ---- */
static void number(struct builder *b, const struct pipe *p)
{
	const struct src *s = p->src;

	for (unsigned i = 0; i < s->nkids; i++)
		number(b, s->kids[i]);
	if (s->kind != SRC_EVENTS && s->kind != SRC_PROBE)
		return;
	for (unsigned i = 0; i < s->evs.n; i++) {
		unsigned at = s->evs.v[i]->index;

		if (at >= b->e->nevents) {
			unsigned n = at + 1;

			b->e->by_event = xrealloc(b->e->by_event, n * sizeof(struct entries));
			memset(b->e->by_event + b->e->nevents, 0,
			       (n - b->e->nevents) * sizeof(struct entries));
			b->li = xrealloc(b->li, n * sizeof(*b->li));
			memset(b->li + b->e->nevents, 0, (n - b->e->nevents) * sizeof(*b->li));
			b->e->nevents = n;
		}
		if (!b->li[at])
			b->li[at] = ++b->q->nlocal;
	}
}

static bool of_task(enum builtin b)
{
	return b == BI_PID || b == BI_PPID || b == BI_COMM;
}

static void want_stacks(struct builder *b, const struct expr *e)
{
	b->e->want_stacks = true;
	for (unsigned i = 0; e->evs && i < e->evs->n; i++) {
		unsigned at = e->evs->v[i]->index;

		if (at < b->e->nevents)
			b->e->by_event[at].stacks |=
				e->builtin == BI_KSTACK ? WANT_KSTACK : WANT_USTACK;
	}
}

/* an expression of events: what the engine cannot do, and whether it asks for tasks */
static int expr_check(struct builder *b, const struct expr *e, bool top)
{
	if (!e)
		return 0;
	if (top && code_check(b->e->s->diags, e, b->e->blocks))
		return -1;
	if ((e->op == XO_BUILTIN || e->op == XO_FIELD) && of_task(e->builtin)) {
		bool own = e->op == XO_FIELD && e->evs && e->evs->n && e->evs->n <= 64;

		for (unsigned i = 0; own && i < e->evs->n; i++)
			own = event_field(e->evs->v[i], e->str) != NULL;
		b->q->want_tasks |= !own;
	}
	if (e->builtin == BI_KSTACK || e->builtin == BI_USTACK)
		want_stacks(b, e);
	if (e->op == XO_FN && e->fn == FN_TIDCOMM)
		b->q->want_tasks = true;
	for (unsigned i = 0; i < e->n; i++)
		expr_check(b, e->kids[i], false);
	return 0;
}

static int block_expr(void *arg, struct expr *e)
{
	return expr_check(arg, e, true);
}

static int op_check(struct builder *b, const struct op *o)
{
	int bad = expr_check(b, o->cond, true);

	if (o->block)
		bad |= block_exprs(o->block, block_expr, b);

	for (unsigned i = 0; i < o->nlets; i++)
		bad |= expr_check(b, o->lets[i].e, true);
	for (unsigned i = 0; i < o->nkeys; i++)
		bad |= expr_check(b, o->keys[i].e, true);
	for (unsigned i = 0; i < o->naggs; i++)
		bad |= expr_check(b, o->aggs[i].e, true);
	for (unsigned i = 0; i < o->nargs; i++)
		bad |= expr_check(b, o->args[i], true);
	if (o->kind == OP_PRINT && !o->nkeys && !o->rows)
		b->q->want_tasks = true;
	return bad;
}

/* ---- sources ---- */
static int build_pipe(struct builder *b, const struct pipe *p, struct node *out);

static void enter(struct builder *b, const struct event *ev, struct node *head)
{
	struct entries *at = &b->e->by_event[ev->index];
	struct entry en = {.head = head, .q = b->q, .li = b->li[ev->index] - 1};

	/* an event that a union names twice is one event */
	for (size_t i = 0; i < at->n; i++) {
		if (at->v[i].head == head)
			return;
	}
	ARENA_PUSH(b->e->arena, at->v, at->n, en);
}

static int build_src(struct builder *b, const struct src *s, struct node *head)
{
	struct node *start, *end;

	switch (s->kind) {
	case SRC_EVENTS:
	case SRC_PROBE:
		for (unsigned i = 0; i < s->evs.n; i++)
			enter(b, s->evs.v[i], head);
		return 0;
	case SRC_UNION:
	case SRC_PIPE:
		for (unsigned i = 0; i < s->nkids; i++) {
			if (build_pipe(b, s->kids[i], head))
				return -1;
		}
		return 0;
	case SRC_PAIR:
		for (unsigned i = 0; i < s->npairkeys; i++) {
			if (expr_check(b, s->akeys[i], true) || expr_check(b, s->bkeys[i], true))
				return -1;
		}
		for (unsigned i = 0; i < s->nsaves; i++) {
			if (expr_check(b, s->saves[i].e, true))
				return -1;
		}
		pair_new(b->q, s, head, &start, &end);
		return build_pipe(b, s->kids[1], end) || build_pipe(b, s->kids[0], start) ? -1 : 0;
	}
	return -1;
}

/* ---- stages ---- */
/* @last: of the query itself, not of a source in parentheses beside which more may come */
static struct node *make(struct builder *b, const struct op *o, bool last)
{
	struct qrun *q = b->q;
	struct node *n = NULL;

	switch (o->kind) {
	case OP_WHERE:
	case OP_LET:
	case OP_STACK:
	case OP_SNAPSHOT:
	case OP_STOP:
	case OP_LIMIT: n = event_op_new(q, o, last); break;
	case OP_PRINT: n = print_new(q, o); break;
	case OP_PRINTF: n = printf_new(q, o); break;
	case OP_AGG: n = agg_new(q, o); break;
	case OP_ROWS: n = collect_new(q, o); break;
	case OP_BLOCK: n = block_new(q, o); break;
	case OP_SPECULATE: n = speculate_new(q, o); break;
	default: not_yet(q, o->span, "this stage");
	}
	if (n) {
		n->q = q;
		n->op = o;
	}
	return n;
}

/* the row stages behind a table, which is the end of the events */
static int build_rows(struct builder *b, const struct pipe *p, const struct op *o, struct node *n)
{
	struct qrun *q = b->q;

	q->table = (struct table *)n;
	q->width = q->table->width;
	for (const struct op *r = o->next; r; r = r->next) {
		if (op_check(b, r))
			return -1;
	}
	if (rowops_new(q, o->next))
		return -1;
	if (p->schema.n > q->width)
		q->width = p->schema.n;
	return 0;
}

/* every is no operator but a clock; how a result is shown is not the engine's */
static bool no_node(struct builder *b, const struct op *o)
{
	if (o->kind == OP_EVERY) {
		b->q->every = o->ns;
		b->q->keep = o->keep;
	}
	return o->kind == OP_EVERY || o->kind == OP_RENDER;
}

/* Recorded events do not come to the engine: 1 when @p ends so, -1 with a diag when not all ends */
static int recorded(struct builder *b, const struct pipe *p, const struct node *out)
{
	const struct op *o = p->ops;

	while (o && o->kind != OP_RECORD)
		o = o->next;
	if (!o)
		return 0;
	if (!out && !o->next)
		return 1;
	diag_error(b->e->s->diags, "bad-stage", o->span, "nothing may follow 'record'");
	return -1;
}

static int build_pipe(struct builder *b, const struct pipe *p, struct node *out)
{
	static const struct op print_all = {.kind = OP_PRINT};
	struct node *head = NULL, **link = &head, *n;
	bool sink = false;
	int rec = recorded(b, p, out);

	if (rec)
		return rec < 0 ? -1 : 0;
	for (const struct op *o = p->ops; o; o = o->next) {
		if (no_node(b, o))
			continue;
		if (op_check(b, o))
			return -1;
		if (o->kind == OP_STACK)
			b->q->stacks[strcmp(o->lets[0].name, "ustack") == 0] = o->lets[0].slot + 1;
		n = make(b, o, !out);
		if (!n)
			return -1;
		*link = n;
		link = &n->next;
		b->q->blocks |= o->kind == OP_BLOCK;
		sink |= o->kind == OP_PRINT || o->kind == OP_PRINTF || o->kind == OP_BLOCK ||
			o->kind == OP_SNAPSHOT || o->kind == OP_STOP;
		if (o->kind != OP_AGG && o->kind != OP_ROWS)
			continue;
		if (out)
			return not_yet(b->q, o->span, "rows as a source of events");
		if (build_rows(b, p, o, n))
			return -1;
		sink = true;
		break;
	}
	if (!out && !sink) {
		n = make(b, &print_all, true);
		b->q->want_tasks = true;
		*link = n;
	} else if (out) {
		*link = out;
	}
	return build_src(b, p->src, head ? head : out);
}

int build_query(struct engine *e, struct qrun *q)
{
	struct builder b = {.e = e, .q = q};
	int rc;

	b.li = xcalloc(e->nevents + 1, sizeof(*b.li));
	number(&b, q->q->pipe);
	q->slots = ARENA_ARRAY(e->arena, struct val, q->q->nslots + 1);
	for (unsigned i = 0; i <= q->q->nslots; i++)
		q->slots[i] = val_null();
	q->want_tasks |= q->q->needs_tasks;
	rc = build_pipe(&b, q->q->pipe, NULL);
	e->want_tasks |= q->want_tasks;
	free(b.li);
	return rc;
}
