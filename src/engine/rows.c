/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of a result: their order, and the stages that work on them. Rows may come from the engine's
 * tables or from the kernel's histograms: from here on there is no difference.
 */
#include "engine/nodes.h"

#include <stdlib.h>

struct cell *rows_add(struct rows *r)
{
	struct cell *c;

	if (r->n == r->cap) {
		r->cap = r->cap ? r->cap * 2 : 64;
		r->cells = xrealloc(r->cells, r->cap * r->width * sizeof(*r->cells) + 1);
	}
	c = r->cells + r->n++ * r->width;
	for (unsigned i = 0; i < r->width; i++)
		c[i] = (struct cell){.null = true};
	return c;
}

void rows_free(struct rows *r)
{
	free(r->cells);
	*r = (struct rows){0};
}

/* by value; strings bytewise */
static int cell_cmp(const struct cell *a, const struct cell *b)
{
	if (a->p || b->p)
		return bytes_cmp(a->p ? a->p : "", a->len, b->p ? b->p : "", b->len);
	return (a->n > b->n) - (a->n < b->n);
}

/* nulls come last, whatever the direction */
static int col_cmp(const struct cell *a, const struct cell *b, bool desc)
{
	if (a->null || b->null)
		return a->null - b->null;
	return desc ? cell_cmp(b, a) : cell_cmp(a, b);
}

struct order {
	unsigned col;
	bool desc;
	unsigned nkeys; /* then by this many first columns, ascending */
	bool buckets;   /* and then by lo, whose null is the lowest */
};

struct ref {
	const struct cell *c;
	size_t at;
};

static int ref_cmp(const void *x, const void *y, void *arg)
{
	const struct ref *a = x, *b = y;
	const struct order *o = arg;
	int r = o->buckets ? 0 : col_cmp(&a->c[o->col], &b->c[o->col], o->desc);

	for (unsigned i = 0; !r && i < o->nkeys; i++)
		r = col_cmp(&a->c[i], &b->c[i], false);
	if (!r && o->buckets) {
		const struct cell *l = &a->c[o->nkeys], *m = &b->c[o->nkeys];

		r = l->null || m->null ? m->null - l->null : cell_cmp(l, m);
	}
	/* what is equal stays in order */
	return r ? r : (a->at > b->at) - (a->at < b->at);
}

static void sort(struct rows *r, struct order o)
{
	size_t line = r->width * sizeof(*r->cells);
	struct ref *v;
	struct cell *c;

	if (r->n < 2 || (!o.buckets && o.col >= r->width))
		return;
	v = xmalloc(r->n * sizeof(*v));
	for (size_t i = 0; i < r->n; i++)
		v[i] = (struct ref){r->cells + i * r->width, i};
	qsort_r(v, r->n, sizeof(*v), ref_cmp, &o);
	c = xmalloc(r->n * line);
	for (size_t i = 0; i < r->n; i++)
		memcpy(c + i * r->width, v[i].c, line);
	free(v);
	free(r->cells);
	r->cells = c;
	r->cap = r->n;
}

void rows_default(struct rows *r, unsigned nkeys, bool hist)
{
	sort(r, (struct order){.col = nkeys, .desc = true, .nkeys = nkeys, .buckets = hist});
}

int rowops_new(struct qrun *q, const struct op *first)
{
	unsigned n = 0;

	for (const struct op *o = first; o; o = o->next)
		n++;
	q->rowops = ARENA_ARRAY(q->e->arena, struct rowop, n + 1);
	for (const struct op *o = first; o; o = o->next) {
		struct rowop *r = &q->rowops[q->nrowops++];
		unsigned m = 0;

		r->op = o;
		r->codes =
			ARENA_ARRAY(q->e->arena, struct code, 1 + o->nlets + o->nkeys + o->nargs);
		switch (o->kind) {
		case OP_WHERE:
			r->codes[0] = code_rows(q, o->cond);
			r->codes[0].cond = true;
			break;
		case OP_LET:
			for (unsigned i = 0; i < o->nlets; i++) {
				r->codes[m++] = code_rows(q, o->lets[i].e);
				if (o->lets[i].slot >= q->width)
					q->width = o->lets[i].slot + 1;
			}
			break;
		case OP_PRINT:
			for (unsigned i = 0; i < o->nkeys; i++)
				r->codes[m++] = code_rows(q, o->keys[i].e);
			if (o->nkeys > q->width)
				q->width = o->nkeys;
			break;
		case OP_PRINTF:
			for (unsigned i = 0; i < o->nargs; i++)
				r->codes[m++] = code_rows(q, o->args[i]);
			break;
		case OP_SORT:
		case OP_TOP:
		case OP_LIMIT:
		case OP_RENDER: break;
		case OP_EVERY:
			q->every = o->ns;
			q->keep = o->keep;
			break;
		default: return not_yet(q, o->span, "this stage on rows");
		}
	}
	return 0;
}

static void where(struct rowop *o, struct rows *r, struct ctx *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++) {
		c->row = r->cells + i * r->width;
		if (!val_true(code_eval(&o->codes[0], c)))
			continue;
		if (kept != i)
			memcpy(r->cells + kept * r->width, c->row, r->width * sizeof(*r->cells));
		kept++;
	}
	r->n = kept;
}

static void let(struct rowop *o, struct rows *r, struct ctx *c)
{
	for (size_t i = 0; i < r->n; i++) {
		struct cell *row = r->cells + i * r->width;

		c->row = row;
		for (unsigned k = 0; k < o->op->nlets; k++)
			val_cell(&o->op->lets[k].e->type, code_eval(&o->codes[k], c),
				 &row[o->op->lets[k].slot]);
	}
}

/* the columns of print, in the place of those that were there */
static void project(struct rowop *o, struct rows *r, struct ctx *c)
{
	struct rows out = {.width = r->width};

	for (size_t i = 0; i < r->n; i++) {
		struct cell *row = rows_add(&out);

		c->row = r->cells + i * r->width;
		for (unsigned k = 0; k < o->op->nkeys; k++)
			val_cell(&o->op->keys[k].e->type, code_eval(&o->codes[k], c), &row[k]);
	}
	rows_free(r);
	*r = out;
}

static void print_rows(struct qrun *q, struct rowop *o, const struct rows *r)
{
	struct buf *b = &q->e->text;
	struct val *v = xmalloc((o->op->nargs + 1) * sizeof(*v));

	for (size_t i = 0; i < r->n; i++) {
		q->c->row = r->cells + i * r->width;
		for (unsigned k = 0; k < o->op->nargs; k++)
			v[k] = code_eval(&o->codes[k], q->c);
		buf_clear(b);
		printf_expand(o->op->str, o->op->args, v, o->op->nargs, b);
		q->sink->text(q->sink, buf_str(b), b->len);
	}
	free(v);
}

/* the columns of @r packed to @n a row, which is what a schema says */
static void narrow(struct rows *r, unsigned n)
{
	if (n >= r->width)
		return;
	for (size_t i = 0; n && i < r->n; i++)
		memmove(r->cells + i * n, r->cells + i * r->width, n * sizeof(*r->cells));
	r->width = n;
}

void rows_finish(struct qrun *q, struct rows *r, bool interim)
{
	unsigned nkeys = q->table->nkeys;
	struct ctx *c = q->c;
	bool text = false;
	struct rowset set;

	c->r = NULL;
	c->li = 0;
	for (unsigned i = 0; i < q->nrowops; i++) {
		struct rowop *o = &q->rowops[i];

		switch (o->op->kind) {
		case OP_WHERE: where(o, r, c); break;
		case OP_LET: let(o, r, c); break;
		case OP_SORT:
			sort(r, (struct order){.col = o->op->col, .desc = o->op->desc});
			break;
		case OP_TOP:
			sort(r, (struct order){.col = o->op->col, .desc = true, .nkeys = nkeys});
			if (r->n > o->op->count)
				r->n = o->op->count;
			break;
		case OP_LIMIT:
			if (r->n > o->op->count)
				r->n = o->op->count;
			break;
		case OP_PRINT:
			if (o->op->nkeys) {
				project(o, r, c);
				nkeys = 0;
			}
			break;
		case OP_PRINTF:
			print_rows(q, o, r);
			text = true;
			break;
		default: break;
		}
	}
	q->printed = true;
	if (text)
		return;
	narrow(r, q->q->pipe->schema.n);
	set = (struct rowset){.schema = &q->q->pipe->schema, .cells = r->cells, .nrows = r->n};
	q->sink->result(q->sink, &set, interim);
}

void query_result(struct qrun *q, bool interim)
{
	struct table *t = q->table;
	struct rows r = {.width = q->width};

	if (!t)
		return;
	scratch_reset(&q->e->scratch);
	t->fill(t, &r);
	if (!t->ordered)
		rows_default(&r, t->nkeys, t->hist);
	rows_finish(q, &r, interim);
	rows_free(&r);
}
