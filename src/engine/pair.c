/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs: a table of open starts by key. A second start replaces the first, the first end takes it.
 *
 * Events that were lost on a CPU may have held the end of an open start, or the start that should
 * have replaced it, and a task may have been there whose start was seen elsewhere: an interval over
 * a loss would be made up. So a loss drops every open start of its buffer, or only that CPU's where
 * the CPU is one of the keys. What other CPUs ended between the last record before the loss and the
 * first one after it has been passed on by then.
 */
#include "engine/nodes.h"

struct start {
	struct ent ent;
	uint64_t ts;
	uint8_t *data; /* key bytes, then saved strings; stays with the entry when that is reused */
	uint32_t cap;
	int cpu;
	uint16_t buffer;
	struct val saves[];
};

struct half {
	struct node node;
	struct pair *p;
};

struct pair {
	struct half a, b;
	const struct src *src;
	struct keys akeys, bkeys;
	struct code *saves;
	bool *str; /* of each save */
	struct val *vals;
	struct tab tab;
	bool cpu_bound;
};

static struct start *find(struct pair *p, const struct keys *k, const struct keyval *v)
{
	return (struct start *)(k->one_int ? tab_find_int(&p->tab, v->key, v->aux)
					   : tab_find_bytes(&p->tab, k->buf, v->aux, v->key));
}

/* room for @n bytes; what was there is not kept */
static bool reserve(struct pair *p, struct start *s, size_t n)
{
	uint8_t *d;

	if (n <= s->cap)
		return true;
	n = (n + 31) & ~(size_t)31;
	d = n <= UINT32_MAX ? mem_get(p->tab.m, n) : NULL;
	if (!d)
		return false;
	mem_put(p->tab.m, s->data, s->cap);
	s->data = d;
	s->cap = (uint32_t)n;
	return true;
}

static void save(struct pair *p, struct start *s, size_t at)
{
	for (unsigned i = 0; i < p->src->nsaves; i++) {
		s->saves[i] = p->vals[i];
		if (!p->str[i] || p->vals[i].null)
			continue;
		if (p->vals[i].len)
			memcpy(s->data + at, p->vals[i].p, p->vals[i].len);
		s->saves[i].p = (const char *)s->data + at;
		at += p->vals[i].len;
	}
}

static void start_run(struct node *n, struct ctx *c)
{
	struct pair *p = ((struct half *)n)->p;
	const struct keys *k = &p->akeys;
	struct engine_stats *st = &n->q->st;
	struct keyval v;
	size_t bytes, keylen;
	struct start *s;

	if (!keys_eval(&p->akeys, c, &v))
		return;
	keylen = bytes = k->one_int ? 0 : v.aux;
	for (unsigned i = 0; i < p->src->nsaves; i++) {
		p->vals[i] = code_eval(&p->saves[i], c);
		if (p->str[i] && !p->vals[i].null)
			bytes += p->vals[i].len;
	}
	s = find(p, k, &v);
	if (s) {
		st->unmatched_a++;
	} else {
		s = (struct start *)(k->one_int
					     ? tab_add_int(&p->tab, v.key, v.aux)
					     : tab_add_bytes(&p->tab, k->buf, v.aux, v.key, true));
		if (!s) {
			st->lost_pairs++;
			return;
		}
	}
	if (!reserve(p, s, bytes)) {
		tab_del(&p->tab, &s->ent, v.key);
		st->lost_pairs++;
		return;
	}
	if (!k->one_int) {
		memcpy(s->data, k->buf, keylen);
		s->ent.bytes = s->data;
	}
	s->ts = c->r->ts;
	s->cpu = c->r->cpu;
	s->buffer = c->r->buffer;
	save(p, s, keylen);
}

static void end_run(struct node *n, struct ctx *c)
{
	struct pair *p = ((struct half *)n)->p;
	struct keyval v;
	struct start *s;
	bool made;

	if (!keys_eval(&p->bkeys, c, &v))
		return;
	s = find(p, &p->bkeys, &v);
	if (!s) {
		n->q->st.unmatched_b++;
		return;
	}
	made = !p->src->within || c->r->ts - s->ts <= p->src->within;
	for (unsigned i = 0; made && i < p->src->nsaves; i++) {
		struct val x = s->saves[i];

		if (p->str[i] && !x.null)
			x = val_text(c->scratch, x.p, x.len);
		c->slots[p->src->saves[i].slot] = x;
	}
	tab_del(&p->tab, &s->ent, v.key);
	if (made)
		node_pass(n, c);
}

/* is the CPU that runs, not a field of that name, one of the keys on both sides */
static bool is_cpu(const struct expr *e, const struct event_list *evs)
{
	if (e->builtin != BI_CPU)
		return false;
	if (e->op == XO_BUILTIN)
		return true;
	if (e->op != XO_FIELD || !evs->n)
		return false;
	for (unsigned i = 0; i < evs->n; i++) {
		if (event_field(evs->v[i], e->str))
			return false;
	}
	return true;
}

static bool bound_to_cpu(const struct src *s)
{
	for (unsigned i = 0; i < s->npairkeys; i++) {
		if (is_cpu(s->akeys[i], &s->kids[0]->src->evs) &&
		    is_cpu(s->bkeys[i], &s->kids[1]->src->evs))
			return true;
	}
	return false;
}

struct pair *pair_new(struct qrun *q, const struct src *src, struct node *out, struct node **start,
		      struct node **end)
{
	struct arena *a = q->e->arena;
	struct pair *p = ARENA_NEW(a, struct pair);

	p->src = src;
	keys_init(&p->akeys, q, NULL, src->akeys, src->npairkeys);
	keys_init(&p->bkeys, q, NULL, src->bkeys, src->npairkeys);
	if (p->akeys.one_int != p->bkeys.one_int)
		p->akeys.one_int = p->bkeys.one_int = false;
	p->saves = ARENA_ARRAY(a, struct code, src->nsaves + 1);
	p->str = ARENA_ARRAY(a, bool, src->nsaves + 1);
	p->vals = ARENA_ARRAY(a, struct val, src->nsaves + 1);
	for (unsigned i = 0; i < src->nsaves; i++) {
		p->saves[i] = code_new(q, src->saves[i].e);
		p->str[i] = type_str(&src->saves[i].e->type);
	}
	tab_init(&p->tab, &q->e->mem,
		 sizeof(struct start) - sizeof(struct ent) + src->nsaves * sizeof(struct val),
		 !p->akeys.one_int);
	p->cpu_bound = bound_to_cpu(src);
	p->a = (struct half){.node = {.run = start_run, .q = q}, .p = p};
	p->b = (struct half){.node = {.run = end_run, .q = q, .next = out}, .p = p};
	*start = &p->a.node;
	*end = &p->b.node;
	ARENA_PUSH(a, q->pairs, q->npairs, p);
	return p;
}

void pair_clear(struct pair *p)
{
	for (uint32_t i = 0; i < p->tab.nent; i++) {
		struct start *s = (struct start *)tab_ent(&p->tab, i);

		mem_put(p->tab.m, s->data, s->cap);
	}
	tab_clear(&p->tab);
	keys_free(&p->akeys);
	keys_free(&p->bkeys);
}

void pair_lost(struct pair *p, const struct rec *r)
{
	for (uint32_t i = 0; p->tab.n && i < p->tab.nent; i++) {
		struct start *s = (struct start *)tab_ent(&p->tab, i);
		uint64_t hash = 0;

		if (!s->ent.live || s->buffer != r->buffer || (p->cpu_bound && s->cpu != r->cpu))
			continue;
		if (p->tab.bytes)
			hash = tab_hash_bytes(s->ent.bytes, s->ent.aux);
		tab_del(&p->tab, &s->ent, hash);
		p->a.node.q->st.lost_pairs++;
	}
}

uint64_t pair_open(const struct pair *p)
{
	return p->tab.n;
}
