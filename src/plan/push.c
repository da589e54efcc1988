/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which queries become histogram triggers: sources with conditions that a filter can say, then an
 * aggregate of counts and sums. Columns are the plain fields behind the keys; what is computed from
 * them (names of symbols, of system calls) is computed when the rows are read, as the engine does.
 */
#include "plan/push_priv.h"

#include "source/probe.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 16 /* a table each, of 1.5 MB as set */
#define MAX_KEYS 3
#define MAX_VALS 2

bool push_no(struct pusher *p, const char *why)
{
	if (!p->out->why)
		p->out->why = why;
	return false;
}

/* ---- the source, with the conditions on the way to it ---- */

bool push_where(struct pusher *p, const struct op *first, struct expr ***conds, size_t *n,
		const struct op **rest)
{
	const struct op *o = first;

	for (; o && o->kind == OP_WHERE && !o->rows; o = o->next)
		ARENA_PUSH(p->a, *conds, *n, o->cond);
	if (rest)
		*rest = o;
	return rest || !o;
}

const struct src *push_source(struct pusher *p, const struct src *s, struct expr ***conds,
			      size_t *n)
{
	while (s->kind == SRC_PIPE) {
		if (!push_where(p, s->kids[0]->ops, conds, n, NULL))
			return NULL;
		s = s->kids[0]->src;
	}
	return s;
}

/* ---- columns ---- */

static struct pcol *column(struct pusher *p, struct pcol **v, size_t *n, struct pcol c)
{
	for (size_t i = 0; i < *n; i++) {
		struct pcol *have = &(*v)[i];

		if (strcmp(have->name, c.name) != 0)
			continue;
		/* two ways to look at one field: its value serves both */
		if (have->mode != c.mode || have->step != c.step)
			have->mode = PC_VALUE;
		return have;
	}
	ARENA_PUSH(p->a, *v, *n, c);
	return &(*v)[*n - 1];
}

/* A trigger takes these for something else than a field of that name. */
static bool own_word(const char *name)
{
	static const char *const words[] = {"hitcount",          "common_timestamp", "common_cpu",
					    "common_stacktrace", "common_comm",      "stacktrace"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], name) == 0)
			return true;
	}
	return false;
}

bool push_leaf(struct event *ev, const struct expr *e, struct kname *k)
{
	return event_leaf(ev, e, k) && !(k->f && own_word(k->name));
}

static bool event_column(struct pusher *p, const struct expr *e, struct pcol *c)
{
	struct kname k;

	*c = (struct pcol){0};
	if (!push_leaf(p->ev, e, &k))
		return false;
	if (k.f) {
		*c = (struct pcol){.name = k.name, .to = PT_FIELD, .f = k.f};
	} else if (e->builtin == BI_CPU) {
		*c = (struct pcol){.name = "common_cpu", .to = PT_CPU};
	} else if (e->builtin == BI_COMM && caps_has(p->caps, CAP_HIST_COMM)) {
		*c = (struct pcol){.name = "common_comm", .to = PT_COMM};
	} else {
		return push_no(p, "the name of the running task is followed by tracesh");
	}
	c->str = k.str;
	c->size = k.size;
	c->is_signed = k.is_signed;
	return true;
}

static bool leaf(struct pusher *p, const struct expr *e, struct pcol *c)
{
	return p->pair ? push_pair_column(p, e, c) : event_column(p, e, c);
}

/* What shows a value otherwise is computed from the row. */
static bool shows(const struct expr *e)
{
	return e->op == XO_FN && e->n == 1 &&
	       (e->fn == FN_KSYM || e->fn == FN_KSYMOFF || e->fn == FN_SYSCALL ||
		e->fn == FN_ERRNO || e->fn == FN_SIGNAL || e->fn == FN_DEV || e->fn == FN_SYMNAME ||
		e->fn == FN_STR);
}

static bool says_positive(struct pusher *p, const struct expr *e, const struct pcol *c)
{
	struct kname k;
	enum xop op = e->op;
	const struct expr *l, *r;

	if (op == XO_LAND) {
		for (unsigned i = 0; i < e->n; i++) {
			if (says_positive(p, e->kids[i], c))
				return true;
		}
		return false;
	}
	if (op != XO_GT && op != XO_GE && op != XO_LT && op != XO_LE && op != XO_EQ)
		return false;
	l = e->kids[0];
	r = e->kids[1];
	if (op == XO_LT || op == XO_LE) { /* 0 < field */
		const struct expr *x = l;

		l = r;
		r = x;
		op = op == XO_LT ? XO_GT : XO_GE;
	}
	if (r->op != XO_NUM || r->type.kind == T_DEC || (int64_t)r->num < (op == XO_GT ? -1 : 0))
		return false;
	return p->names->leaf(p->names, l, &k) && strcmp(k.name, c->name) == 0;
}

/* The kernel's buckets are of values without a sign: is it one, by its type or by the conditions?
 */
static bool has_buckets(struct pusher *p, const struct pcol *c)
{
	bool ok = !c->is_signed;

	for (size_t i = 0; i < p->nconds && !ok; i++)
		ok = says_positive(p, p->conds[i], c);
	return (ok && !c->str) || push_no(p, "the kernel's buckets take negative values for large "
					     "ones: where VALUE >= 0 would help");
}

static bool constant_width(const struct expr *e, uint64_t *n)
{
	*n = e->num;
	return e->op == XO_NUM && e->num;
}

/* The column behind a key. */
static bool key_column(struct pusher *p, const struct expr *e, struct pcol *c)
{
	enum pcol_mode mode = PC_VALUE;
	uint64_t step = 0;

	if (e->op == XO_FN && e->fn == FN_LOG2) {
		mode = PC_LOG2;
		e = e->kids[0];
	} else if (e->op == XO_FN && e->fn == FN_BUCKET && constant_width(e->kids[1], &step)) {
		mode = PC_BUCKET;
		e = e->kids[0];
	}
	while (mode == PC_VALUE && shows(e))
		e = e->kids[0];
	if (!leaf(p, e, c))
		return push_no(p, "a key is computed");
	if (mode == PC_VALUE)
		return true;
	if (!has_buckets(p, c))
		return false;
	if (mode == PC_BUCKET && !caps_has(p->caps, CAP_HIST_BUCKETS))
		return push_no(p, "this kernel has no linear buckets");
	c->mode = mode;
	c->step = step;
	return true;
}

static bool hist_column(struct pusher *p, const struct agg *g, struct pcol *c)
{
	if (!leaf(p, g->e, c))
		return push_no(p, "its value is computed");
	if (!has_buckets(p, c))
		return false;
	if (g->hist == HK_LOG2) {
		c->mode = PC_LOG2;
	} else if (g->hist == HK_LINEAR && !g->bounded && caps_has(p->caps, CAP_HIST_BUCKETS)) {
		c->mode = PC_BUCKET;
		c->step = g->step;
	} else {
		return push_no(p, "the kernel has no buckets of this kind");
	}
	return true;
}

static int by_kind(const void *a, const void *b)
{
	const struct pcol *x = a, *y = b;
	/* what a line of the file holds of a string ends it only when it comes last */
	int r = (int)x->str - (int)y->str;

	return r ? r : (x > y) - (x < y);
}

/* Keys and values of the aggregate for the event at hand. */
static bool columns(struct pusher *p, const struct op *agg, struct phist *h)
{
	int *sum_of = ARENA_ARRAY(p->a, int, agg->naggs + 1);
	struct pcol c;

	for (unsigned i = 0; i < agg->nkeys; i++) {
		const struct expr *e = agg->keys[i].e;

		/* the same for all rows of an event */
		if (e->op == XO_BUILTIN && (e->builtin == BI_EVENT || e->builtin == BI_SYSTEM))
			continue;
		if (!key_column(p, e, &c))
			return false;
		column(p, &h->keys, &h->nkeys, c);
	}
	for (unsigned i = 0; i < agg->naggs; i++) {
		const struct agg *g = &agg->aggs[i];

		sum_of[i] = -1;
		switch (g->kind) {
		case AG_COUNT: break;
		case AG_HIST:
			if (!hist_column(p, g, &c))
				return false;
			column(p, &h->keys, &h->nkeys, c);
			break;
		case AG_SUM:
		case AG_AVG:
			if (!leaf(p, g->e, &c) || c.str || c.to == PT_CPU)
				return push_no(p, "what is added up is computed");
			sum_of[i] = (int)(column(p, &h->vals, &h->nvals, c) - h->vals);
			break;
		default: return push_no(p, "the kernel counts and adds up, no more");
		}
	}
	h->sum_of = sum_of;
	if (!h->nkeys) {
		c = (struct pcol){
			.name = p->pair ? "delta" : "common_cpu", .to = PT_NONE, .size = 4};
		if (p->pair) { /* few rows, whatever the values are */
			push_pair_delta(p, &c);
			c.to = PT_NONE;
			c.mode = PC_LOG2;
		}
		column(p, &h->keys, &h->nkeys, c);
	}
	if (h->nkeys > MAX_KEYS)
		return push_no(p, "the kernel takes three keys at most");
	if (h->nvals > MAX_VALS)
		return push_no(p, "the kernel adds up two values at most");
	for (size_t i = 0, dyn = 0; i < h->nkeys; i++) {
		dyn += h->keys[i].f && h->keys[i].f->kind == FK_DYN;
		if (dyn > 1 || (p->pair && h->keys[i].str && i && h->keys[i - 1].str))
			return push_no(p, "the kernel takes one key of such strings");
	}
	qsort(h->keys, h->nkeys, sizeof(*h->keys), by_kind);
	return true;
}

/* ---- texts ---- */

void push_begin(struct pusher *p, struct ptext *t)
{
	*t = (struct ptext){.a = p->a};
}

void push_keys(struct ptext *t, const struct pcol *v, size_t n, struct span at)
{
	ptext_put(t, at, "hist:keys=");
	for (size_t i = 0; i < n; i++) {
		ptext_put(t, at, i ? "," : "");
		ptext_put(t, at, v[i].name);
		if (v[i].mode == PC_LOG2)
			ptext_put(t, at, ".log2");
		else if (v[i].mode == PC_BUCKET)
			ptext_put(
				t, at,
				arena_printf(t->a, ".buckets=%llu", (unsigned long long)v[i].step));
	}
}

void push_if(struct ptext *t, const struct ptext *filter)
{
	size_t off;

	if (!filter->b.len)
		return;
	buf_puts(&t->b, " if ");
	off = t->b.len;
	buf_add(&t->b, filter->b.p, filter->b.len);
	for (size_t i = 0; i < filter->nmap; i++) {
		struct text_map m = filter->map[i];

		m.off += off;
		ARENA_PUSH(t->a, t->map, t->nmap, m);
	}
}

void push_text(struct ptext *t, struct phist *h)
{
	h->trigger = arena_strdup(t->a, buf_str(&t->b));
	h->map = t->map;
	h->nmap = t->nmap;
	buf_free(&t->b);
}

bool push_filter(struct pusher *p, struct knames *k, struct expr *const *conds, size_t n,
		 struct ptext *out)
{
	push_begin(p, out);
	for (size_t i = 0; i < n; i++) {
		if (!filter_some(k, conds[i], out)) {
			buf_free(&out->b);
			return push_no(p, "a condition is beyond the kernel's filters");
		}
	}
	return true;
}

void push_hist(struct pusher *p, const struct op *agg, struct phist *h, struct ptext *filter)
{
	struct ptext t;

	push_begin(p, &t);
	push_keys(&t, h->keys, h->nkeys, agg->span);
	for (size_t i = 0; i < h->nvals; i++) {
		ptext_put(&t, agg->span, i ? "," : ":vals=");
		ptext_put(&t, agg->span, h->vals[i].name);
	}
	ptext_put(&t, agg->span, arena_printf(p->a, ":size=%u", p->s->set.histsize));
	push_if(&t, filter);
	push_text(&t, h);
	buf_free(&filter->b);
}

/* ---- events ---- */

/* Does every leaf of @e that must be there exist in the event? Where it does not, it is null. */
static bool lacks(struct event *ev, const struct expr *e)
{
	if (e->op == XO_FIELD && e->builtin == BI_NONE && !event_field(ev, e->str))
		return true;
	for (unsigned i = 0; i < e->n; i++) {
		if (lacks(ev, e->kids[i]))
			return true;
	}
	return false;
}

static bool gives_nothing(struct event *ev, const struct op *agg)
{
	for (unsigned i = 0; i < agg->nkeys; i++) {
		if (lacks(ev, agg->keys[i].e))
			return true;
	}
	/* a single value that is null */
	return agg->naggs == 1 && agg->aggs[0].e && lacks(ev, agg->aggs[0].e);
}

static bool events(struct pusher *p, const struct src *s, struct expr *const *conds, size_t n,
		   const struct op *agg)
{
	p->conds = conds;
	p->nconds = n;
	if (s->evs.n > MAX_EVENTS)
		return push_no(p, "so many events would take too many tables");
	for (unsigned i = 0; i < s->evs.n; i++) {
		struct event_names names = event_names(s->evs.v[i]);
		struct phist h = {.ev = s->evs.v[i]};
		struct ptext filter;

		p->ev = h.ev;
		p->names = &names.k;
		if (strcmp(h.ev->system, "ftrace") == 0)
			return push_no(p, "records of tracers have no triggers");
		if (gives_nothing(h.ev, agg))
			continue;
		if (!push_filter(p, &names.k, conds, n, &filter))
			return false;
		if (!columns(p, agg, &h)) {
			buf_free(&filter.b);
			return false;
		}
		h.dir = arena_printf(p->a, "events/%s/%s", h.ev->system, h.ev->name);
		push_hist(p, agg, &h, &filter);
		ARENA_PUSH(p->a, p->out->h, p->out->nh, h);
	}
	return p->out->nh > 0 || push_no(p, "no event has what is asked");
}

bool push_columns(struct pusher *p, const struct op *agg, struct phist *h)
{
	return columns(p, agg, h);
}

/* ---- queries ---- */

static bool push_tracer(const struct src *s)
{
	for (unsigned i = 0; i < s->nkids; i++) {
		if (push_tracer(s->kids[i]->src))
			return true;
	}
	return s->probe && s->probe->tracer;
}

/* The stages behind: events, conditions, one aggregate; rows are the engine's. */
static bool decide(struct pusher *p)
{
	const struct pipe *pipe = p->q->pipe;
	struct expr **conds = NULL;
	const struct op *agg;
	const struct src *s;
	size_t n = 0;

	if (!p->s->set.pushdown)
		return push_no(p, "pushdown is off");
	s = push_source(p, pipe->src, &conds, &n);
	push_where(p, pipe->ops, &conds, &n, &agg);
	if (!agg || agg->kind != OP_AGG)
		return push_no(p, NULL);
	if (!s)
		return push_no(p, "a source that is computed");
	if (push_tracer(s))
		return push_no(p, "a tracer's records have no triggers");
	if (!caps_has(p->caps, CAP_HIST))
		return push_no(p, "this kernel has no histogram triggers");
	if (p->s->set.cpus[0])
		return push_no(p, "triggers do not heed the choice of CPUs");
	switch (s->kind) {
	case SRC_EVENTS:
	case SRC_PROBE: return events(p, s, conds, n, agg);
	case SRC_PAIR: return push_pair(p, s, conds, n, agg);
	default: return push_no(p, "a union of pipelines");
	}
}

void push_query(struct session *s, struct arena *a, const struct caps *caps, const struct query *q,
		const char *id, struct push *out)
{
	struct pusher p = {.s = s, .a = a, .caps = caps, .q = q, .id = id, .out = out};

	*out = (struct push){0};
	if (decide(&p)) {
		out->kernel = true;
		out->why = NULL;
		return;
	}
	out->h = NULL;
	out->nh = 0;
	out->synth = NULL;
}

static bool written(const struct push *p, unsigned n, const struct phist *h)
{
	for (unsigned i = 0; i < n; i++) {
		for (size_t k = 0; p[i].kernel && k < p[i].nh; k++) {
			const struct phist *o = &p[i].h[k];

			if (o == h)
				return false;
			if (strcmp(o->dir, h->dir) == 0 && strcmp(o->trigger, h->trigger) == 0)
				return true;
		}
	}
	return false;
}

void push_share(struct push *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		for (size_t k = 0; p[i].kernel && k < p[i].nh; k++)
			p[i].h[k].shared = written(p, n, &p[i].h[k]);
	}
}
