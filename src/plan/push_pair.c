/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs in the kernel: a histogram on the start keeps its time and fields in variables, one on the
 * end takes them and makes a synthetic event, on which the aggregate is a histogram again. The
 * condition on pairs goes onto the synthetic event: on a side it would change which start is taken.
 */
#include "plan/push_priv.h"

#include <string.h>

static bool is_ts(const struct expr *e)
{
	return e->op == XO_BUILTIN && e->builtin == BI_TS;
}

static const struct save *save_of(const struct pusher *p, uint64_t slot)
{
	for (unsigned i = 0; i < p->pair->nsaves; i++) {
		if (p->pair->saves[i].slot == slot)
			return &p->pair->saves[i];
	}
	return NULL;
}

/* end.ts - start.ts */
static bool is_delta(const struct pusher *p, const struct expr *e, unsigned *slot)
{
	const struct save *s;

	if (e->op != XO_SUB || e->n != 2 || !is_ts(e->kids[0]) || e->kids[1]->op != XO_SLOT)
		return false;
	s = save_of(p, e->kids[1]->num);
	if (!s || !is_ts(s->e))
		return false;
	*slot = s->slot;
	return true;
}

/* A synthetic event takes types of this list by name; others by their size. */
static const char *type_of(struct pusher *p, const struct field *f)
{
	static const char *const known[] = {
		"s64",  "u64",   "s32",           "u32", "s16",          "u16",  "s8",
		"u8",   "char",  "unsigned char", "int", "unsigned int", "long", "unsigned long",
		"bool", "pid_t", "gfp_t",         NULL};

	for (size_t i = 0; known[i]; i++) {
		if (strcmp(known[i], f->type) == 0)
			return known[i];
	}
	return arena_printf(p->a, "%c%u", f->is_signed ? 's' : 'u', f->size * 8);
}

static struct pfield *field(struct pusher *p, const char *name)
{
	for (size_t i = 0; i < p->nfields; i++) {
		if (strcmp(p->fields[i].col.name, name) == 0)
			return &p->fields[i];
	}
	return NULL;
}

static struct pfield *add_field(struct pusher *p, struct pfield f)
{
	struct pfield *have = field(p, f.col.name);

	if (have)
		return have;
	ARENA_PUSH(p->a, p->fields, p->nfields, f);
	return &p->fields[p->nfields - 1];
}

void push_pair_delta(struct pusher *p, struct pcol *c)
{
	struct pfield f = {.def = "u64 delta", .param = arena_printf(p->a, "$lt_%s", p->id)};

	f.col = (struct pcol){.name = "delta", .to = PT_DELTA, .size = 8};
	*c = add_field(p, f)->col;
}

bool push_pair_column(struct pusher *p, const struct expr *e, struct pcol *c)
{
	const struct save *s = NULL;
	struct pfield f = {0};
	struct kname k;
	unsigned slot;

	if (is_delta(p, e, &slot)) {
		push_pair_delta(p, c);
		c->slot = field(p, "delta")->col.slot = slot;
		return true;
	}
	if (e->op == XO_SLOT) {
		s = save_of(p, e->num);
		if (!s || !push_leaf(p->start, s->e, &k) || !k.f)
			return false;
	} else if (!push_leaf(p->end, e, &k) || !k.f) {
		return false;
	}
	f.col = (struct pcol){.name = arena_printf(p->a, "%c_%s", s ? 'a' : 'b', k.name),
			      .to = s ? PT_SLOT : PT_FIELD,
			      .f = k.f,
			      .slot = s ? s->slot : 0,
			      .str = k.str,
			      .is_signed = k.is_signed,
			      .size = k.size};
	if (strncmp(k.name, "common_", 7) == 0 && s)
		f.col.name = arena_printf(p->a, "a_%s", k.name + 7);
	f.def = k.str ? arena_printf(p->a, "char %s[]", f.col.name)
		      : arena_printf(p->a, "%s %s", type_of(p, k.f), f.col.name);
	f.var = s ? k.name : NULL;
	f.param = s ? arena_printf(p->a, "$%s_%s", f.col.name, p->id) : k.name;
	*c = add_field(p, f)->col;
	return true;
}

/* ---- conditions on pairs name the synthetic event's fields ---- */

struct pair_names {
	struct knames k;
	struct pusher *p;
};

static bool pair_leaf(struct knames *k, const struct expr *e, struct kname *out)
{
	struct pusher *p = ((struct pair_names *)k)->p;
	struct pcol c;

	if (!push_pair_column(p, e, &c))
		return false;
	*out = (struct kname){
		.name = c.name, .str = c.str, .is_signed = c.is_signed, .size = c.size, .f = c.f};
	return true;
}

/* ---- sides ---- */

struct side {
	struct event *ev;
	struct ptext filter;
	struct pcol *keys;
	size_t nkeys;
};

static bool side(struct pusher *p, const struct pipe *pipe, struct side *out)
{
	struct expr **conds = NULL;
	const struct src *s;
	struct event_names names;
	size_t n = 0;

	s = push_source(p, pipe->src, &conds, &n);
	if (!s || !push_where(p, pipe->ops, &conds, &n, NULL))
		return push_no(p, "a side of the pair is more than events and conditions");
	if ((s->kind != SRC_EVENTS && s->kind != SRC_PROBE) || s->evs.n != 1)
		return push_no(p, "a side of the pair is not one event");
	out->ev = s->evs.v[0];
	names = event_names(out->ev);
	return push_filter(p, &names.k, conds, n, &out->filter);
}

static bool side_key(struct pusher *p, struct side *s, const struct expr *e)
{
	struct pcol c = {0};
	struct kname k;

	if (!push_leaf(s->ev, e, &k))
		return push_no(p, "a key of the pair is computed");
	if (!k.f && e->builtin != BI_CPU)
		return push_no(p, "the name of the running task is followed by tracesh");
	c.name = k.f ? k.name : "common_cpu";
	c.f = k.f;
	c.str = k.str;
	c.size = k.size;
	c.is_signed = k.is_signed;
	ARENA_PUSH(p->a, s->keys, s->nkeys, c);
	return true;
}

/* Keys of differing types never match, and nothing says so. */
static bool same_keys(struct pusher *p, const struct side *a, const struct side *b)
{
	for (size_t i = 0; i < a->nkeys; i++) {
		const struct pcol *x = &a->keys[i], *y = &b->keys[i];

		if (x->str != y->str || x->is_signed != y->is_signed ||
		    (x->str && (x->f->kind != FK_STRING || y->f->kind != FK_STRING ||
				x->f->size != y->f->size)))
			return push_no(p, "the keys of the two sides differ in type");
	}
	return true;
}

/* A side's trigger, up to its own part, and from there on */
static void side_begin(struct pusher *p, const struct side *s, struct ptext *t, struct span at)
{
	push_begin(p, t);
	push_keys(t, s->keys, s->nkeys, at);
}

static void side_end(struct pusher *p, const struct side *s, struct ptext *t)
{
	struct phist h = {.dir = arena_printf(p->a, "events/%s/%s", s->ev->system, s->ev->name),
			  .keys = s->keys,
			  .nkeys = s->nkeys};

	push_if(t, &s->filter);
	push_text(t, &h);
	ARENA_PUSH(p->a, p->out->h, p->out->nh, h);
}

static void start_trigger(struct pusher *p, const struct side *s, struct span at)
{
	struct ptext t;

	side_begin(p, s, &t, at);
	ptext_put(&t, at, arena_printf(p->a, ":ts_%s=common_timestamp", p->id));
	for (size_t i = 0; i < p->nfields; i++) {
		if (p->fields[i].var)
			ptext_put(&t, at,
				  arena_printf(p->a, ",%s=%s", p->fields[i].param + 1,
					       p->fields[i].var));
	}
	ptext_put(&t, at,
		  arena_printf(p->a, ":size=%u:clock=%s", p->s->set.histsize, p->s->set.clock));
	side_end(p, s, &t);
}

static void end_trigger(struct pusher *p, const struct side *s, const struct side *start,
			struct span at)
{
	struct ptext t;

	side_begin(p, s, &t, at);
	ptext_put(&t, at, arena_printf(p->a, ":lt_%s=common_timestamp-$ts_%s", p->id, p->id));
	ptext_put(&t, at,
		  arena_printf(p->a, ":size=%u:clock=%s:onmatch(%s.%s).trace(%s",
			       p->s->set.histsize, p->s->set.clock, start->ev->system,
			       start->ev->name, p->out->synth_name));
	for (size_t i = 0; i < p->nfields; i++)
		ptext_put(&t, at, arena_printf(p->a, ",%s", p->fields[i].param));
	ptext_put(&t, at, ")");
	side_end(p, s, &t);
}

static void define(struct pusher *p)
{
	struct buf b = {0};

	p->out->synth_name = arena_printf(p->a, "tracesh_%s", p->id);
	buf_puts(&b, p->out->synth_name);
	for (size_t i = 0; i < p->nfields; i++)
		buf_printf(&b, "%s %s", i ? ";" : "", p->fields[i].def);
	p->out->synth = arena_strdup(p->a, buf_str(&b));
	p->out->synth_undo = arena_printf(p->a, "!%s", p->out->synth_name);
	buf_free(&b);
}

static bool keys_of(struct pusher *p, struct side *a, struct side *b)
{
	for (unsigned i = 0; i < p->pair->npairkeys; i++) {
		if (!side_key(p, a, p->pair->akeys[i]) || !side_key(p, b, p->pair->bkeys[i]))
			return false;
	}
	if (a->nkeys > 3)
		return push_no(p, "the kernel takes three keys at most");
	return same_keys(p, a, b);
}

/* The histogram on the synthetic event. */
static bool on_top(struct pusher *p, struct expr *const *conds, size_t n, const struct op *agg,
		   struct phist *h)
{
	struct pair_names names = {.k = {.leaf = pair_leaf}, .p = p};
	struct ptext filter;
	struct pcol delta;

	push_pair_delta(p, &delta);
	if (!push_filter(p, &names.k, conds, n, &filter))
		return false;
	p->conds = conds;
	p->nconds = n;
	p->names = &names.k;
	if (!push_columns(p, agg, h)) {
		buf_free(&filter.b);
		return false;
	}
	if (p->pair->within)
		ptext_put(&filter, p->pair->span,
			  arena_printf(p->a, "%sdelta <= %llu", filter.b.len ? " && " : "",
				       (unsigned long long)p->pair->within));
	define(p);
	h->dir = arena_printf(p->a, "events/synthetic/%s", p->out->synth_name);
	push_hist(p, agg, h, &filter);
	return true;
}

bool push_pair(struct pusher *p, const struct src *s, struct expr *const *conds, size_t n,
	       const struct op *agg)
{
	struct side a = {0}, b = {0};
	struct phist h = {0};
	bool ok;

	if (!caps_has(p->caps, CAP_SYNTH))
		return push_no(p, "this kernel has no synthetic events");
	p->pair = s;
	ok = side(p, s->kids[0], &a) && side(p, s->kids[1], &b);
	if (ok && a.ev == b.ev)
		ok = push_no(p, "start and end are the same event");
	p->start = a.ev;
	p->end = h.ev = b.ev;
	ok = ok && keys_of(p, &a, &b) && on_top(p, conds, n, agg, &h);
	if (ok) {
		/* what takes comes last */
		ARENA_PUSH(p->a, p->out->h, p->out->nh, h);
		start_trigger(p, &a, s->span);
		end_trigger(p, &b, &a, s->span);
	}
	buf_free(&a.filter.b);
	buf_free(&b.filter.b);
	return ok;
}
