/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events held back: copies of records with what stages before added to them and who ran, in a list
 * for each key and one over all, oldest first. They flow on as if they came now, but with the time,
 * fields and task of their own.
 */
#include "engine/spec.h"

#include "engine/block.h"
#include "engine/stacks.h"
#include "engine/tasks.h"

#include <stdlib.h>

/* how many old events may be given up to make room for a new one */
#define MAX_EVICT 64

struct held {
	struct held *next;          /* of its key */
	struct held *older, *newer; /* of all */
	struct skey *key;
	uint32_t cap;
	unsigned li;
	struct rec r;
	struct rec_frames stacks[2];
	struct heldtask task;
	/* slots, then the bytes they and the record refer to */
	struct val slots[];
};

/* Open while it has an entry. */
struct skey {
	struct ent ent;
	struct held *first, *last;
	uint32_t key_cap;
	uint64_t n;
};

struct spec {
	struct qrun *q;
	struct keys keys;
	struct tab tab;
	struct mem mem;
	struct slab slab;
	struct held *oldest, *newest;
	bool *str; /* of each slot: is it a string */
	unsigned nslots;
	const struct field **tids; /* common_pid by local event */
	uint64_t dropped;
	/* of the block's run that is going on */
	struct held *ready, *ready_last;
	struct held *own; /* the event itself, held */
	bool committed;
};

/* ---- making ---- */

static void find_strings(struct spec *s, const struct pipe *p)
{
	const struct src *src = p->src;

	for (unsigned i = 0; i < src->nkids; i++)
		find_strings(s, src->kids[i]);
	for (unsigned i = 0; i < src->nsaves; i++)
		s->str[src->saves[i].slot] = type_str(&src->saves[i].e->type);
	for (const struct op *o = p->ops; o; o = o->next) {
		for (unsigned i = 0; i < o->nlets && !o->rows; i++)
			s->str[o->lets[i].slot] = type_str(&o->lets[i].e->type);
	}
}

struct spec *spec_new(struct qrun *q, const struct type *types, unsigned n)
{
	struct engine *e = q->e;
	struct spec *s = ARENA_NEW(e->arena, struct spec);

	s->q = q;
	/* half of what is left for what is held back, half for tables */
	s->mem.max = e->mem.max == SIZE_MAX ? SIZE_MAX : e->mem.max / 2;
	if (e->mem.max != SIZE_MAX)
		e->mem.max -= s->mem.max;
	s->slab.pool.m = &s->mem;
	keys_types(&s->keys, e->arena, types, n);
	tab_init(&s->tab, &s->mem, sizeof(struct skey) - sizeof(struct ent), !s->keys.one_int);
	s->nslots = q->q->nslots;
	s->str = ARENA_ARRAY(e->arena, bool, s->nslots + 1);
	find_strings(s, q->q->pipe);
	s->tids = ARENA_ARRAY(e->arena, const struct field *, q->nlocal + 1);
	ARENA_PUSH(e->arena, q->specs, q->nspecs, s);
	return s;
}

void spec_clear(struct spec *s)
{
	tab_clear(&s->tab);
	slab_clear(&s->slab);
	keys_free(&s->keys);
	s->oldest = s->newest = s->ready = NULL;
}

uint64_t spec_dropped(const struct spec *s)
{
	return s->dropped;
}

/* ---- keys ---- */

static struct skey *find(struct spec *s, const struct keyval *k)
{
	return (struct skey *)(s->tab.bytes ? tab_find_bytes(&s->tab, s->keys.buf, k->aux, k->key)
					    : tab_find_int(&s->tab, k->key, k->aux));
}

static struct skey *open_key(struct spec *s, const struct keyval *k)
{
	struct skey *x = find(s, k);
	uint32_t cap = 0;
	void *p = NULL;

	if (x)
		return x;
	if (s->tab.bytes) {
		p = slab_get(&s->slab, k->aux, &cap);
		if (!p)
			return NULL;
		memcpy(p, s->keys.buf, k->aux);
		x = (struct skey *)tab_add_bytes(&s->tab, p, k->aux, k->key, true);
	} else {
		x = (struct skey *)tab_add_int(&s->tab, k->key, k->aux);
	}
	if (!x) {
		slab_put(&s->slab, p, cap);
		return NULL;
	}
	x->first = x->last = NULL;
	x->key_cap = cap;
	return x;
}

static void close_key(struct spec *s, struct skey *x)
{
	void *key = s->tab.bytes ? (void *)x->ent.bytes : NULL;
	uint64_t hash = s->tab.bytes ? tab_hash_bytes(x->ent.bytes, x->ent.aux) : 0;
	uint32_t cap = x->key_cap;

	tab_del(&s->tab, &x->ent, hash);
	slab_put(&s->slab, key, cap);
}

/* ---- copies ---- */

static void unlink_all(struct spec *s, struct held *h)
{
	*(h->older ? &h->older->newer : &s->oldest) = h->newer;
	*(h->newer ? &h->newer->older : &s->newest) = h->older;
}

static void give_back(struct spec *s, struct held *h)
{
	if (s->own == h)
		s->own = NULL;
	slab_put(&s->slab, h, h->cap);
}

static void drop_list(struct spec *s, struct skey *x)
{
	struct held *h, *next;

	for (h = x->first; h; h = next) {
		next = h->next;
		unlink_all(s, h);
		give_back(s, h);
	}
	x->first = x->last = NULL;
}

/* the oldest of all is the first of its key */
static bool evict(struct spec *s)
{
	struct held *h = s->oldest;

	if (!h)
		return false;
	h->key->first = h->next;
	if (!h->next)
		h->key->last = NULL;
	unlink_all(s, h);
	give_back(s, h);
	s->dropped++;
	return true;
}

static size_t frame_bytes(const struct rec *r, const struct rec_frames *f)
{
	return f ? (size_t)f->n * (r->origin->long_size == 4 ? 4 : 8) : 0;
}

static uint8_t *copy(uint8_t *at, const void *p, size_t n)
{
	if (n)
		memcpy(at, p, n);
	return at + n;
}

static void who(struct spec *s, struct ctx *c, struct heldtask *t)
{
	struct tasks *tasks = c->tasks ? c->tasks[c->r->origin->index] : NULL;
	const struct field *f = s->tids[c->li];
	uint64_t tid;

	*t = (struct heldtask){
		.pid = {.null = true}, .ppid = {.null = true}, .comm = {.null = true}};
	if (!tasks)
		return;
	if (!f)
		f = s->tids[c->li] = event_field(c->r->ev, "common_pid");
	if (!f || !rec_int(c->r, f, &tid))
		return;
	t->tid = (int)tid;
	t->known = true;
	t->pid = tasks_pid(tasks, t->tid);
	t->ppid = tasks_ppid(tasks, t->tid);
	t->comm = tasks_comm(tasks, t->tid, c->r->cpu, c->scratch);
}

/* a copy of the event at hand, behind those of its key */
static void hold(struct spec *s, struct skey *x, struct ctx *c)
{
	const struct rec *r = c->r;
	size_t n = sizeof(struct held) + s->nslots * sizeof(struct val) + r->len;
	struct held *h = NULL;
	struct heldtask t;
	uint32_t cap;
	uint8_t *at;

	who(s, c, &t);
	for (unsigned i = 0; i < s->nslots; i++)
		n += s->str[i] && !c->slots[i].null ? c->slots[i].len : 0;
	n += frame_bytes(r, r->kstack) + frame_bytes(r, r->ustack) + (t.comm.null ? 0 : t.comm.len);
	for (unsigned i = 0; !h && i <= MAX_EVICT; i++) {
		h = slab_get(&s->slab, n, &cap);
		if (!h && !evict(s))
			break;
	}
	if (!h) {
		s->dropped++;
		return;
	}
	*h = (struct held){.key = x, .cap = cap, .li = c->li, .r = *r, .task = t};
	at = (uint8_t *)(h->slots + s->nslots);
	h->r.data = at;
	at = copy(at, r->data, r->len);
	for (unsigned i = 0; i < 2; i++) {
		const struct rec_frames *f = i ? r->ustack : r->kstack;

		if (!f)
			continue;
		h->stacks[i] = *f;
		h->stacks[i].p = at;
		at = copy(at, f->p, frame_bytes(r, f));
		*(i ? &h->r.ustack : &h->r.kstack) = &h->stacks[i];
	}
	for (unsigned i = 0; i < s->nslots; i++) {
		h->slots[i] = c->slots[i];
		if (!s->str[i] || c->slots[i].null)
			continue;
		h->slots[i].p = (const char *)at;
		at = copy(at, c->slots[i].p, c->slots[i].len);
	}
	if (!t.comm.null) {
		h->task.comm.p = (const char *)at;
		copy(at, t.comm.p, t.comm.len);
	}
	*(x->last ? &x->last->next : &x->first) = h;
	x->last = h;
	h->older = s->newest;
	*(s->newest ? &s->newest->newer : &s->oldest) = h;
	s->newest = h;
	s->own = h;
}

/* ---- letting go ---- */

/* the events of a key leave its list for the one that flows on when the block is through */
static void make_ready(struct spec *s, struct skey *x)
{
	for (struct held *h = x->first; h; h = h->next)
		unlink_all(s, h);
	if (!x->first)
		return;
	*(s->ready ? &s->ready_last->next : &s->ready) = x->first;
	s->ready_last = x->last;
	x->first = x->last = NULL;
}

static void release(struct spec *s, const struct node *n, struct ctx *c)
{
	const struct rec *r = c->r;
	struct val *now = NULL;
	unsigned li = c->li;
	struct held *h;

	if (!s->ready)
		return;
	if (s->nslots) {
		now = scratch_alloc(c->scratch, s->nslots * sizeof(*now));
		memcpy(now, c->slots, s->nslots * sizeof(*now));
	}
	while ((h = s->ready)) {
		struct scratch_mark mark = scratch_mark(c->scratch);

		s->ready = h->next;
		c->r = &h->r;
		c->li = h->li;
		c->held = h->task.known ? &h->task : NULL;
		if (s->nslots)
			memcpy(c->slots, h->slots, s->nslots * sizeof(*now));
		node_pass(n, c);
		scratch_rewind(c->scratch, mark);
		give_back(s, h);
	}
	s->ready_last = NULL;
	c->held = NULL;
	c->r = r;
	c->li = li;
	if (now)
		memcpy(c->slots, now, s->nslots * sizeof(*now));
}

/* ---- blocks ---- */

void spec_begin(struct spec *s, struct ctx *c)
{
	s->own = NULL;
	s->committed = false;
	c->spec = s;
}

void spec_statement(struct ctx *c, const struct bstmt *st, const struct val *keys)
{
	struct spec *s = c->spec;
	struct keyval k;
	struct skey *x;

	if (!s || !keys_of(&s->keys, keys, &k))
		return;
	if (st->kind == BS_SPECULATE) {
		x = open_key(s, &k);
		if (!x)
			s->dropped++;
		else if (!s->own) /* once is enough */
			hold(s, x, c);
		return;
	}
	s->committed |= st->kind == BS_COMMIT;
	x = find(s, &k);
	if (!x)
		return;
	if (st->kind == BS_COMMIT)
		make_ready(s, x);
	else
		drop_list(s, x);
	close_key(s, x);
}

bool spec_end(struct spec *s, struct node *n, struct ctx *c, bool on)
{
	bool held = s->own != NULL;

	c->spec = NULL;
	release(s, n, c);
	return on && s->committed && !held;
}

/* ---- the stage ---- */

struct speculate {
	struct node node;
	struct spec *s;
	struct keys keys;
	struct val *vals;
	struct code from, commit, discard;
};

static void run(struct node *n, struct ctx *c)
{
	struct speculate *p = (struct speculate *)n;
	struct spec *s = p->s;
	struct keyval k;
	struct skey *x;
	bool began;

	for (unsigned i = 0; i < p->keys.n; i++)
		p->vals[i] = code_eval(&p->keys.v[i], c);
	if (!keys_of(&s->keys, p->vals, &k))
		return;
	x = find(s, &k);
	/* code_eval may have used the registers, but keys are in the buffer of s->keys */
	if (x && val_true(code_eval(&p->commit, c))) {
		make_ready(s, x);
		close_key(s, x);
		release(s, n, c);
		node_pass(n, c);
		return;
	}
	began = val_true(code_eval(&p->from, c));
	if (x && !began && p->discard.e && val_true(code_eval(&p->discard, c))) {
		drop_list(s, x);
		close_key(s, x);
		return;
	}
	if (!x && !began)
		return;
	if (x && began)
		drop_list(s, x);
	if (!x && val_true(code_eval(&p->commit, c))) {
		node_pass(n, c); /* begun and committed at once */
		return;
	}
	if (!x)
		x = open_key(s, &k);
	s->own = NULL;
	if (x)
		hold(s, x, c);
	else
		s->dropped++;
}

struct node *speculate_new(struct qrun *q, const struct op *op)
{
	struct arena *a = q->e->arena;
	struct speculate *p = ARENA_NEW(a, struct speculate);
	struct type *types = ARENA_ARRAY(a, struct type, op->nkeys + 1);

	for (unsigned i = 0; i < op->nkeys; i++)
		types[i] = op->keys[i].e->type;
	p->s = spec_new(q, types, op->nkeys);
	keys_init(&p->keys, q, op->keys, NULL, op->nkeys);
	p->vals = ARENA_ARRAY(a, struct val, op->nkeys + 1);
	p->from = code_new(q, op->cond);
	p->from.cond = true;
	p->commit = code_new(q, op->args[0]);
	p->commit.cond = true;
	if (op->nargs > 1)
		p->discard = code_new(q, op->args[1]);
	p->discard.cond = true;
	p->node.run = run;
	return &p->node;
}
