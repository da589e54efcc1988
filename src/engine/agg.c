/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Aggregates: groups by key, and for histograms, quantiles and distinct values a second table whose
 * keys carry the group's number. An update that finds no room is counted and left out.
 */
#include "engine/aggs.h"
#include "engine/aggstate.h"
#include "engine/hist.h"

#include <stdlib.h>

struct side_count {
	struct ent ent;
	uint64_t n;
};

static size_t state_size(enum agg_kind k)
{
	switch (k) {
	case AG_SUM:
	case AG_AVG: return sizeof(struct st_sum);
	case AG_MIN:
	case AG_MAX:
	case AG_QUANTILE: return sizeof(struct st_ext);
	case AG_STATS: return sizeof(struct st_stats);
	default: return sizeof(uint64_t);
	}
}

static struct ent *group(struct aggs *g, struct ctx *c)
{
	struct keyval k;
	struct ent *e;

	if (!g->keys.n) {
		if (!g->single)
			g->single = tab_add_int(&g->groups, 0, 0);
		e = g->single;
	} else if (!keys_eval(&g->keys, c, &k)) {
		if (!k.no_room)
			return NULL;
		e = NULL;
	} else if (keys_as_int(&g->keys)) {
		e = tab_get_int(&g->groups, k.key, k.aux);
	} else {
		e = tab_find_bytes(&g->groups, g->keys.buf, k.aux, k.key);
		if (!e)
			e = tab_add_bytes(&g->groups, g->keys.buf, k.aux, k.key, false);
	}
	if (!e)
		++*g->dropped;
	return e;
}

static void side_add(struct aggs *g, struct agg_one *o, uint64_t key, uint32_t aux, uint64_t weight)
{
	struct side_count *b = (struct side_count *)tab_get_int(&o->side, key, aux);

	if (b)
		b->n += weight;
	else
		*g->dropped += weight;
}

static void bucket_add(struct aggs *g, struct agg_one *o, const struct ent *e, struct val v,
		       uint64_t weight)
{
	struct bucket b = hist_bucket(o->a, v);

	side_add(g, o, b.index, (e->live - 1) << 2 | b.where, weight);
}

static void distinct_add(struct aggs *g, struct agg_one *o, const struct ent *e, struct val v,
			 struct scratch *s)
{
	uint32_t gid = e->live - 1, n;
	uint64_t *count = (uint64_t *)((char *)e + o->off), h;
	uint8_t *p;

	if (!o->str) {
		uint32_t aux = gid << 1 | (v.uns && v.s < 0);

		if (tab_find_int(&o->side, v.u, aux))
			return;
		if (tab_add_int(&o->side, v.u, aux))
			++*count;
		else
			++*g->dropped;
		return;
	}
	n = 4 + v.len;
	p = scratch_alloc(s, n);
	memcpy(p, &gid, 4);
	if (v.len)
		memcpy(p + 4, v.p, v.len);
	h = tab_hash_bytes(p, n);
	if (tab_find_bytes(&o->side, p, n, h))
		return;
	if (tab_add_bytes(&o->side, p, n, h, false))
		++*count;
	else
		++*g->dropped;
}

void aggs_update(struct aggs *g, unsigned i, struct ent *e, struct val v, struct scratch *s)
{
	struct agg_one *o = &g->v[i];
	void *st = (char *)e + o->off;
	struct st_sum *sum = st;

	switch (o->a->kind) {
	case AG_COUNT: ++*(uint64_t *)st; break;
	case AG_SUM:
	case AG_AVG:
		sum->sum += val_wide(v);
		sum->n++;
		break;
	case AG_MIN:
	case AG_MAX: ext_add(st, val_wide(v)); break;
	case AG_STATS: stats_add(st, val_wide(v)); break;
	case AG_HIST:
		++*(uint64_t *)st;
		bucket_add(g, o, e, v, 1);
		break;
	case AG_QUANTILE:
		ext_add(st, val_wide(v));
		side_add(g, o, (uint64_t)(int64_t)quantile_bucket(v), e->live - 1, 1);
		break;
	case AG_DISTINCT: distinct_add(g, o, e, v, s); break;
	}
}

static void count_run(struct node *n, struct ctx *c)
{
	struct aggs *g = (struct aggs *)n;
	struct ent *e = group(g, c);

	if (e)
		++*(uint64_t *)(e + 1);
}

static void agg_run(struct node *n, struct ctx *c)
{
	struct aggs *g = (struct aggs *)n;
	bool any = false;
	struct ent *e;

	/* an event whose values are all null adds nothing, no group either */
	for (unsigned i = 0; i < g->n; i++) {
		g->vals[i] = g->v[i].e.e ? code_eval(&g->v[i].e, c) : val_int(0, false);
		any |= !g->vals[i].null;
	}
	if (!any)
		return;
	e = group(g, c);
	if (!e)
		return;
	for (unsigned i = 0; i < g->n; i++) {
		if (!g->vals[i].null)
			aggs_update(g, i, e, g->vals[i], c->scratch);
	}
}

static void agg_add(struct table *t, struct ctx *c, const struct engine_part *p)
{
	struct aggs *g = (struct aggs *)t;
	struct ent *e = group(g, c);

	if (!e) {
		*g->dropped += p->weight - 1;
		return;
	}
	for (unsigned i = 0; i < g->n; i++) {
		struct agg_one *o = &g->v[i];
		uint64_t *count = (uint64_t *)((char *)e + o->off);
		struct st_sum *sum = (struct st_sum *)count;
		struct val v;

		switch (o->a->kind) {
		case AG_COUNT: *count += p->weight; break;
		case AG_SUM:
		case AG_AVG:
			sum->sum += p->sums[i];
			sum->n += p->weight;
			break;
		case AG_HIST:
			v = code_eval(&o->e, c);
			if (v.null)
				break;
			*count += p->weight;
			bucket_add(g, o, e, v, p->weight);
			break;
		default: break;
		}
	}
}

static struct cell num(__int128 n)
{
	return (struct cell){.n = n};
}

static void fill_one(const struct agg_one *o, const struct ent *e, struct cell *out)
{
	const void *st = (const char *)e + o->off;
	const struct st_sum *sum = st;
	const struct st_ext *ext = st;
	const struct st_stats *s = st;

	for (unsigned i = 0; i < o->ncols; i++)
		out[i] = (struct cell){.null = true};
	switch (o->a->kind) {
	case AG_SUM:
		if (sum->n)
			out[0] = num(sum->sum);
		break;
	case AG_AVG:
		if (sum->n)
			out[0] = num(dec_avg(sum->sum, sum->n));
		break;
	case AG_MIN:
	case AG_MAX:
		if (ext->n)
			out[0] = num(o->a->kind == AG_MIN ? ext->min : ext->max);
		break;
	case AG_STATS:
		out[0] = num(s->n);
		if (!s->n)
			break;
		out[1] = num(s->min);
		out[2] = num(dec_avg(s->sum, s->n));
		out[3] = num(s->max);
		out[4] = num(stats_stddev(s));
		out[5] = num(s->sum);
		break;
	case AG_COUNT:
	case AG_DISTINCT: out[0] = num(*(const uint64_t *)st); break;
	default: break;
	}
}

/* ---- quantiles: the buckets of all groups, ordered ---- */
struct qbucket {
	uint32_t gid;
	int32_t index;
	uint64_t n;
};

static int by_group(const void *a, const void *b)
{
	const struct qbucket *x = a, *y = b;

	if (x->gid != y->gid)
		return x->gid < y->gid ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static __int128 quantile_of(const struct st_ext *x, const struct qbucket *b,
			    const struct qbucket *end, double q)
{
	uint64_t rank = quantile_rank(q, x->n), seen = 0;
	__int128 v;

	if (rank <= 1)
		return x->min;
	if (rank == x->n)
		return x->max;
	for (; b < end; b++) {
		seen += b->n;
		if (seen >= rank) {
			v = quantile_value(b->index);
			return v < x->min ? x->min : v > x->max ? x->max : v;
		}
	}
	return x->max; /* a bucket found no room: said in dropped */
}

static void fill_quantiles(const struct aggs *g, const struct agg_one *o, unsigned col,
			   const uint32_t *row_of, struct rows *out)
{
	size_t n = 0, cap = o->side.n, i, j;
	struct qbucket *b = xmalloc((cap ? cap : 1) * sizeof(*b));

	for (uint32_t id = 0; id < o->side.nent; id++) {
		const struct side_count *s = (const struct side_count *)tab_ent(&o->side, id);

		if (s->ent.live)
			b[n++] = (struct qbucket){s->ent.aux, (int32_t)(int64_t)s->ent.key, s->n};
	}
	qsort(b, n, sizeof(*b), by_group);
	for (i = 0; i < n; i = j) {
		const struct ent *e = tab_ent(&g->groups, b[i].gid);
		const struct st_ext *x = (const void *)((const char *)e + o->off);
		struct cell *c = out->cells + (size_t)row_of[b[i].gid] * out->width + col;

		for (j = i; j < n && b[j].gid == b[i].gid; j++)
			;
		for (unsigned k = 0; k < o->ncols; k++)
			c[k] = num(quantile_of(x, b + i, b + j, o->a->quants[k]));
	}
	free(b);
}

static void fill_hist(struct aggs *g, struct rows *out)
{
	const struct agg_one *o = &g->v[0];

	for (uint32_t id = 0; id < o->side.nent; id++) {
		const struct side_count *s = (const struct side_count *)tab_ent(&o->side, id);
		struct bucket b = {s->ent.key, s->ent.aux & 3};
		struct cell *c;

		if (!s->ent.live)
			continue;
		c = rows_add(out);
		keys_cells(&g->keys, tab_ent(&g->groups, s->ent.aux >> 2), c);
		hist_bounds(o->a, b, &c[g->keys.n], &c[g->keys.n + 1]);
		c[g->keys.n + 2] = num(s->n);
	}
}

/* without keys there is one group, which nothing was added to */
static void fill_nothing(struct aggs *g, struct rows *out)
{
	struct ent *none = xcalloc(1, g->groups.stride);
	struct cell *c = rows_add(out);
	unsigned col = 0;

	for (unsigned i = 0; i < g->n; col += g->v[i++].ncols)
		fill_one(&g->v[i], none, c + col);
	free(none);
}

static void agg_fill(struct table *t, struct rows *out)
{
	struct aggs *g = (struct aggs *)t;
	uint32_t *row_of = NULL;

	if (t->hist) {
		fill_hist(g, out);
		return;
	}
	row_of = xcalloc(g->groups.nent + 1, sizeof(*row_of));
	for (uint32_t id = 0; id < g->groups.nent; id++) {
		const struct ent *e = tab_ent(&g->groups, id);
		unsigned col = g->keys.n;
		struct cell *c;

		if (!e->live)
			continue;
		c = rows_add(out);
		row_of[id] = (uint32_t)(out->n - 1);
		if (g->keys.n)
			keys_cells(&g->keys, e, c);
		for (unsigned i = 0; i < g->n; col += g->v[i++].ncols)
			fill_one(&g->v[i], e, c + col);
	}
	for (unsigned i = 0, col = g->keys.n; i < g->n; col += g->v[i++].ncols) {
		if (g->v[i].a->kind == AG_QUANTILE)
			fill_quantiles(g, &g->v[i], col, row_of, out);
	}
	free(row_of);
	if (!g->keys.n && !out->n)
		fill_nothing(g, out);
}

static void agg_clear(struct table *t)
{
	struct aggs *g = (struct aggs *)t;

	tab_clear(&g->groups);
	for (unsigned i = 0; i < g->n; i++) {
		if (g->v[i].has_side)
			tab_clear(&g->v[i].side);
	}
	g->single = NULL;
	keys_free(&g->keys);
}

static bool agg_empty(const struct table *t)
{
	return ((const struct aggs *)t)->groups.n == 0;
}

static unsigned columns(const struct agg *a)
{
	switch (a->kind) {
	case AG_STATS: return 6;
	case AG_HIST: return 3;
	case AG_QUANTILE: return a->nquants;
	default: return 1;
	}
}

static void one_init(struct agg_one *o, const struct agg *a, struct mem *m)
{
	o->a = a;
	o->ncols = columns(a);
	o->str = a->e && type_str(&a->e->type);
	o->has_side = a->kind == AG_HIST || a->kind == AG_QUANTILE || a->kind == AG_DISTINCT;
	if (o->has_side)
		tab_init(&o->side, m, a->kind == AG_DISTINCT ? 0 : sizeof(uint64_t), o->str);
}

void aggs_init(struct aggs *g, struct engine *e, const struct agg *a, unsigned n)
{
	size_t off = sizeof(struct ent);

	g->n = n;
	g->v = ARENA_ARRAY(e->arena, struct agg_one, n ? n : 1);
	g->vals = ARENA_ARRAY(e->arena, struct val, n ? n : 1);
	g->t.width = g->t.nkeys = g->keys.n;
	for (unsigned i = 0; i < n; i++) {
		struct agg_one *o = &g->v[i];

		one_init(o, &a[i], &e->mem);
		o->off = (uint32_t)off;
		off += (state_size(o->a->kind) + 15) & ~(size_t)15;
		g->t.width += o->ncols;
		g->t.hist |= o->a->kind == AG_HIST;
	}
	tab_init(&g->groups, &e->mem, off - sizeof(struct ent),
		 g->keys.n && !keys_as_int(&g->keys));
	g->t.fill = agg_fill;
	g->t.clear = agg_clear;
	g->t.empty = agg_empty;
}

void aggs_cell(const struct aggs *g, const struct ent *e, struct cell *out)
{
	fill_one(&g->v[0], e, out);
}

uint32_t aggs_side_group(const struct agg_one *o, const struct ent *s)
{
	uint32_t gid;

	if (o->a->kind == AG_QUANTILE)
		return s->aux;
	if (o->a->kind == AG_HIST)
		return s->aux >> 2;
	if (!o->str)
		return s->aux >> 1;
	memcpy(&gid, s->bytes, 4);
	return gid;
}

/* Side tables have no list by group: all of one is looked through. Entries that are handed out
 * again must be zero. */
void aggs_forget(struct aggs *g, struct ent *e)
{
	uint32_t gid = e->live - 1;

	for (unsigned i = 0; i < g->n; i++) {
		struct agg_one *o = &g->v[i];

		for (uint32_t id = 0; o->has_side && id < o->side.nent; id++) {
			struct ent *s = tab_ent(&o->side, id);
			uint64_t hash = 0;

			if (!s->live || aggs_side_group(o, s) != gid)
				continue;
			if (o->str)
				hash = tab_hash_bytes(s->bytes, s->aux);
			memset(s + 1, 0, o->side.stride - sizeof(*s));
			tab_del(&o->side, s, hash);
		}
	}
}

static int can(struct qrun *q, const struct op *op, const struct agg *a)
{
	if (!a->e && a->kind != AG_COUNT)
		return not_yet(q, op->span, "an aggregate of nothing");
	if (a->e && type_str(&a->e->type) && a->kind != AG_DISTINCT && a->kind != AG_COUNT)
		return not_yet(q, op->span, "arithmetic on strings");
	if (a->kind == AG_HIST && op->naggs > 1)
		return not_yet(q, op->span, "a histogram beside other aggregates");
	return 0;
}

struct node *agg_new(struct qrun *q, const struct op *op)
{
	struct aggs *g = ARENA_NEW(q->e->arena, struct aggs);
	bool count_only = op->naggs == 1 && op->aggs[0].kind == AG_COUNT && !op->aggs[0].e;

	for (unsigned i = 0; i < op->naggs; i++) {
		if (can(q, op, &op->aggs[i]))
			return NULL;
	}
	keys_init(&g->keys, q, op->keys, NULL, op->nkeys);
	keys_choose_packed(&g->keys, q);
	aggs_init(g, q->e, op->aggs, op->naggs);
	g->dropped = &q->st.dropped;
	for (unsigned i = 0; i < g->n; i++) {
		if (op->aggs[i].e)
			g->v[i].e = code_new(q, op->aggs[i].e);
	}
	g->t.add = agg_add;
	g->t.merge = aggs_merge;
	g->t.node = (struct node){.run = count_only ? count_run : agg_run, .q = q, .op = op};
	return &g->t.node;
}
