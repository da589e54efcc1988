/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators on events: where, let, limit, print, printf, and collecting rows. Knows no sources. */
#include "engine/nodes.h"

#include "base/buf.h"

/* ---- where ---- */
struct where {
	struct node node;
	struct code cond;
};

static void where_run(struct node *n, struct ctx *c)
{
	if (val_true(code_eval(&((struct where *)n)->cond, c)))
		node_pass(n, c);
}

/* ---- let ---- */
struct let_node {
	struct node node;
	struct code *v;
};

static void let_run(struct node *n, struct ctx *c)
{
	struct let_node *l = (struct let_node *)n;

	for (unsigned i = 0; i < n->op->nlets; i++)
		c->slots[n->op->lets[i].slot] = code_eval(&l->v[i], c);
	node_pass(n, c);
}

/* ---- limit ---- */
struct limit {
	struct node node;
	uint64_t left;
	bool ends; /* nothing can come after it: the query is done */
};

static void limit_run(struct node *n, struct ctx *c)
{
	struct limit *l = (struct limit *)n;

	if (!l->left)
		return;
	l->left--;
	node_pass(n, c);
	if (!l->left && l->ends)
		n->q->closing = true;
}

/* ---- snapshot, stop: who drives the engine does the rest ---- */
static void snapshot_run(struct node *n, struct ctx *c)
{
	n->q->fired = true;
	node_pass(n, c);
}

static void stop_run(struct node *n, struct ctx *c)
{
	struct limit *l = (struct limit *)n;

	node_pass(n, c);
	if (l->left && !--l->left)
		n->q->e->stopped = true;
}

struct node *event_op_new(struct qrun *q, const struct op *op, bool last)
{
	struct arena *a = q->e->arena;
	struct where *w;
	struct let_node *l;
	struct limit *m;

	switch (op->kind) {
	case OP_WHERE:
		w = ARENA_NEW(a, struct where);
		w->node.run = where_run;
		w->cond = code_new(q, op->cond);
		w->cond.cond = true;
		return &w->node;
	case OP_LET:
	case OP_STACK:
		l = ARENA_NEW(a, struct let_node);
		l->node.run = let_run;
		l->v = ARENA_ARRAY(a, struct code, op->nlets + 1);
		for (unsigned i = 0; i < op->nlets; i++)
			l->v[i] = code_new(q, op->lets[i].e);
		return &l->node;
	case OP_SNAPSHOT:
	case OP_STOP:
		m = ARENA_NEW(a, struct limit);
		m->node.run = op->kind == OP_STOP ? stop_run : snapshot_run;
		m->left = op->count;
		return &m->node;
	default:
		m = ARENA_NEW(a, struct limit);
		m->node.run = limit_run;
		m->left = op->count;
		m->ends = last;
		if (last && !op->count)
			q->closing = true;
		return &m->node;
	}
}

/* ---- print ---- */
struct print {
	struct node node;
	struct code *v;
	struct cell *cells;
	struct schema schema;
	struct expr e[2]; /* tid, comm */
};

static void print_columns(struct node *n, struct ctx *c)
{
	struct print *p = (struct print *)n;

	for (unsigned i = 0; i < n->op->nkeys; i++)
		val_cell(&n->op->keys[i].e->type, code_eval(&p->v[i], c), &p->cells[i]);
	n->q->sink->row(n->q->sink, &p->schema, p->cells);
	n->q->printed = true;
	node_pass(n, c);
}

/* as the kernel's trace file has them: a frame a line below the event */
static void print_stacks(struct qrun *q, struct buf *b)
{
	for (unsigned i = 0; i < 2; i++) {
		struct val *v = q->stacks[i] ? &q->slots[q->stacks[i] - 1] : NULL;
		const char *p, *end, *semi;

		if (!v || v->null)
			continue;
		buf_puts(b, i ? "<user stack trace>\n" : "<stack trace>\n");
		for (p = v->p, end = p + v->len; p < end; p = semi + 1) {
			semi = memchr(p, ';', (size_t)(end - p));
			semi = semi ? semi : end;
			buf_printf(b, " => %.*s\n", (int)(semi - p), p);
		}
		*v = val_null(); /* another branch of a union may have none */
	}
}

void print_record(struct qrun *q, struct ctx *c, struct val tid, struct val comm)
{
	struct engine *e = q->e;

	if (!e->lines)
		e->lines = lines_new(e->c);
	buf_clear(&e->text);
	rec_print_line(e->lines, c->r, comm.null ? NULL : comm.p, comm.len,
		       tid.null ? 0 : (int)tid.s, &e->text);
	buf_putc(&e->text, '\n');
	print_stacks(q, &e->text);
	q->sink->text(q->sink, buf_str(&e->text), e->text.len);
	q->printed = true;
}

static void print_event(struct node *n, struct ctx *c)
{
	struct print *p = (struct print *)n;
	struct val tid = code_eval(&p->v[0], c), comm = val_null();

	if (tid.null || tid.s) /* the idle task is "<idle>" */
		comm = code_eval(&p->v[1], c);
	print_record(n->q, c, tid, comm);
	node_pass(n, c);
}

struct node *print_new(struct qrun *q, const struct op *op)
{
	struct arena *a = q->e->arena;
	struct print *p = ARENA_NEW(a, struct print);
	unsigned n = op->nkeys;

	p->node.run = n ? print_columns : print_event;
	p->v = ARENA_ARRAY(a, struct code, n + 2);
	if (!n) {
		p->e[0] = (struct expr){.op = XO_BUILTIN, .builtin = BI_TID};
		p->e[1] = (struct expr){.op = XO_BUILTIN, .builtin = BI_COMM, .type.kind = T_STR};
		p->v[0] = code_new(q, &p->e[0]);
		p->v[1] = code_new(q, &p->e[1]);
		return &p->node;
	}
	p->cells = ARENA_ARRAY(a, struct cell, n);
	p->schema.cols = ARENA_ARRAY(a, struct column, n);
	p->schema.n = n;
	for (unsigned i = 0; i < n; i++) {
		p->v[i] = code_new(q, op->keys[i].e);
		p->schema.cols[i].name = op->keys[i].name;
		p->schema.cols[i].type = op->keys[i].e->type;
	}
	return &p->node;
}

/* ---- printf ---- */
struct printf_node {
	struct node node;
	struct code *v;
	struct val *vals;
};

static void printf_run(struct node *n, struct ctx *c)
{
	struct printf_node *p = (struct printf_node *)n;
	struct buf *b = &n->q->e->text;

	for (unsigned i = 0; i < n->op->nargs; i++)
		p->vals[i] = code_eval(&p->v[i], c);
	buf_clear(b);
	printf_expand(n->op->str, n->op->args, p->vals, n->op->nargs, b);
	n->q->sink->text(n->q->sink, buf_str(b), b->len);
	n->q->printed = true;
	node_pass(n, c);
}

struct node *printf_new(struct qrun *q, const struct op *op)
{
	struct printf_node *p = ARENA_NEW(q->e->arena, struct printf_node);

	p->node.run = printf_run;
	p->v = ARENA_ARRAY(q->e->arena, struct code, op->nargs + 1);
	p->vals = ARENA_ARRAY(q->e->arena, struct val, op->nargs + 1);
	for (unsigned i = 0; i < op->nargs; i++)
		p->v[i] = code_new(q, op->args[i]);
	return &p->node;
}

/* ---- each event a row ---- */
struct collect {
	struct table t;
	struct code *v;
	struct mem *m;
	struct cell *cells;
	size_t n, cap;
	struct pool strings;
};

static bool more(struct collect *k)
{
	size_t cap = k->cap ? k->cap * 2 : 16, line = k->t.width * sizeof(struct cell);
	struct cell *c;

	if (k->n < k->cap)
		return true;
	c = mem_get(k->m, cap * line + 1);
	if (!c)
		return false;
	if (k->n)
		memcpy(c, k->cells, k->n * line);
	mem_put(k->m, k->cells, k->cells ? k->cap * line + 1 : 0);
	k->cells = c;
	k->cap = cap;
	return true;
}

static void collect_run(struct node *n, struct ctx *c)
{
	struct collect *k = (struct collect *)n;
	const struct op *next = n->op->next;
	struct cell *row;

	if (!more(k)) {
		n->q->st.dropped++;
		return;
	}
	row = k->cells + k->n * k->t.width;
	for (unsigned i = 0; i < k->t.width; i++) {
		val_cell(&n->op->keys[i].e->type, code_eval(&k->v[i], c), &row[i]);
		if (row[i].null || !row[i].p)
			continue;
		row[i].p = pool_copy(&k->strings, row[i].p, row[i].len);
		if (!row[i].p) {
			n->q->st.dropped++;
			return;
		}
	}
	k->n++;
	/* the first rows are all that is asked for */
	if (next && next->kind == OP_LIMIT && k->n >= next->count && !n->q->every)
		n->q->closing = true;
}

static void collect_fill(struct table *t, struct rows *out)
{
	struct collect *k = (struct collect *)t;

	for (size_t i = 0; i < k->n; i++)
		memcpy(rows_add(out), k->cells + i * t->width, t->width * sizeof(struct cell));
}

static void collect_clear(struct table *t)
{
	struct collect *k = (struct collect *)t;

	mem_put(k->m, k->cells, k->cells ? k->cap * t->width * sizeof(struct cell) + 1 : 0);
	k->cells = NULL;
	k->n = k->cap = 0;
	pool_clear(&k->strings);
}

static bool collect_empty(const struct table *t)
{
	return ((const struct collect *)t)->n == 0;
}

struct node *collect_new(struct qrun *q, const struct op *op)
{
	struct collect *k = ARENA_NEW(q->e->arena, struct collect);

	k->m = k->strings.m = &q->e->mem;
	k->t.width = op->nkeys;
	k->t.ordered = true;
	k->t.fill = collect_fill;
	k->t.clear = collect_clear;
	k->t.empty = collect_empty;
	k->t.node.run = collect_run;
	k->v = ARENA_ARRAY(q->e->arena, struct code, op->nkeys + 1);
	for (unsigned i = 0; i < op->nkeys; i++)
		k->v[i] = code_new(q, op->keys[i].e);
	return &k->t.node;
}
