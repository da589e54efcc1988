/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps: their entries, and how they become rows. Knows no statements. */
#include "engine/map.h"

#include <stdlib.h>

/* Behind the head of an entry: the room of its key bytes, then the value or the aggregate's state.
 */
struct head {
	struct ent ent;
	uint32_t key_cap;
	uint32_t str_cap;
	uint64_t spare;
};

struct entry_val {
	struct head h;
	struct val v;
};

static void fill(struct table *t, struct rows *out)
{
	struct map *m = (struct map *)((char *)t - offsetof(struct map, g.t));

	for (uint32_t id = 0; id < m->g.groups.nent; id++) {
		struct entry_val *e = (struct entry_val *)tab_ent(&m->g.groups, id);
		struct cell *c;

		if (!e->h.ent.live)
			continue;
		c = rows_add(out);
		if (m->nkeys)
			keys_cells(&m->g.keys, &e->h.ent, c);
		val_cell(&m->read, e->v, &c[m->nkeys]);
	}
}

void map_init(struct map *m, struct engine *e, const struct bmap *b)
{
	m->m = b;
	m->nkeys = b->nkeys;
	m->slab.pool.m = &e->mem;
	m->g.dropped = &m->dropped;
	m->schema = bmap_schema(b, e->arena);
	if (!bmap_read_type(b, &m->read))
		m->read = b->type;
	keys_types(&m->g.keys, e->arena, b->ktypes, b->nkeys);
	aggs_init(&m->g, e, b->is_agg ? &b->agg : NULL, b->is_agg);
	m->g.t.width = m->schema.n;
	m->g.t.nkeys = b->nkeys;
	/* room for the head in front of the state */
	if (b->is_agg) {
		m->g.v[0].off += sizeof(struct head) - sizeof(struct ent);
		tab_init(&m->g.groups, &e->mem,
			 m->g.groups.stride + sizeof(struct head) - 2 * sizeof(struct ent),
			 b->nkeys && !m->g.keys.one_int);
		return;
	}
	tab_init(&m->g.groups, &e->mem, sizeof(struct entry_val) - sizeof(struct ent),
		 b->nkeys && !m->g.keys.one_int);
	m->g.t.fill = fill;
}

void map_clear(struct map *m)
{
	m->g.t.clear(&m->g.t);
	slab_clear(&m->slab);
}

static struct ent *find(struct map *m, const struct keyval *k)
{
	struct tab *t = &m->g.groups;

	return t->bytes ? tab_find_bytes(t, m->g.keys.buf, k->aux, k->key)
			: tab_find_int(t, k->key, k->aux);
}

static bool eval(struct map *m, const struct val *keys, struct keyval *k)
{
	if (!m->nkeys) {
		*k = (struct keyval){0};
		return true;
	}
	return keys_of(&m->g.keys, keys, k);
}

/* the entry, made where there is none; NULL: no room */
static struct ent *get(struct map *m, const struct keyval *k)
{
	struct tab *t = &m->g.groups;
	struct ent *e = find(m, k);
	uint32_t cap = 0;
	void *p;

	if (e)
		return e;
	if (!t->bytes) {
		e = tab_add_int(t, k->key, k->aux);
		m->dropped += !e;
		return e;
	}
	p = slab_get(&m->slab, k->aux, &cap);
	if (p) {
		memcpy(p, m->g.keys.buf, k->aux);
		e = tab_add_bytes(t, p, k->aux, k->key, true);
		if (e)
			((struct head *)e)->key_cap = cap;
		else
			slab_put(&m->slab, p, cap);
	}
	m->dropped += !e;
	return e;
}

static struct val unset(const struct type *t)
{
	if (type_str(t))
		return (struct val){.p = "", .len = 0};
	return val_int(0, false); /* as a decimal these bits are 0 as well */
}

static struct val of_cell(const struct type *t, const struct cell *c)
{
	if (c->null)
		return unset(t);
	if (t->kind == T_DEC)
		return (struct val){.d = (double)((long double)c->n / 1e6L)};
	if (c->n > (__int128)UINT64_MAX)
		return val_int(UINT64_MAX, true);
	if (c->n < INT64_MIN)
		return val_int((uint64_t)INT64_MIN, false);
	return val_int((uint64_t)c->n, c->n > INT64_MAX);
}

struct val map_read(struct map *m, const struct val *keys)
{
	struct keyval k;
	struct ent *e;
	struct cell c;

	if (!eval(m, keys, &k))
		return val_null();
	e = find(m, &k);
	if (!e)
		return unset(&m->read);
	if (!m->m->is_agg)
		return ((struct entry_val *)e)->v;
	aggs_cell(&m->g, e, &c);
	return of_cell(&m->read, &c);
}

struct val map_has(struct map *m, const struct val *keys)
{
	struct keyval k;

	if (!eval(m, keys, &k))
		return val_null();
	return val_int(find(m, &k) != NULL, false);
}

/* a copy of the string; what was there may be a part of it */
static bool keep(struct map *m, struct entry_val *e, struct val *v)
{
	char *old = e->h.str_cap ? (char *)e->v.p : NULL;
	uint32_t cap;
	char *p;

	if (v->len <= e->h.str_cap && old) {
		memmove(old, v->p, v->len);
		v->p = old;
		return true;
	}
	p = slab_get(&m->slab, v->len ? v->len : 1, &cap);
	if (!p)
		return false;
	if (v->len)
		memcpy(p, v->p, v->len);
	slab_put(&m->slab, old, e->h.str_cap);
	e->h.str_cap = cap;
	v->p = p;
	return true;
}

static void take_out(struct map *m, struct ent *e, uint64_t hash)
{
	struct tab *t = &m->g.groups;
	struct head *h = (struct head *)e;
	void *key = t->bytes ? (void *)e->bytes : NULL;
	uint32_t cap = h->key_cap;

	if (m->m->is_agg)
		aggs_forget(&m->g, e);
	else if (h->str_cap)
		slab_put(&m->slab, (void *)((struct entry_val *)e)->v.p, h->str_cap);
	memset(e + 1, 0, t->stride - sizeof(*e)); /* it is handed out again as it is */
	tab_del(t, e, hash);
	slab_put(&m->slab, key, cap);
}

void map_store(struct map *m, const struct val *keys, struct val v)
{
	struct entry_val *e;
	struct keyval k;

	if (!eval(m, keys, &k))
		return;
	e = (struct entry_val *)get(m, &k);
	if (!e)
		return;
	if (type_str(&m->read)) {
		if (v.null) {
			v = e->v;
			v.null = true;
		} else if (!keep(m, e, &v)) {
			m->dropped++;
			if (!e->h.str_cap)
				take_out(m, &e->h.ent, k.key);
			return;
		}
	}
	e->v = v;
}

void map_add(struct map *m, const struct val *keys, struct val v, struct scratch *s)
{
	struct keyval k;
	struct ent *e;

	if (v.null || !eval(m, keys, &k))
		return;
	e = get(m, &k);
	if (e)
		aggs_update(&m->g, 0, e, v, s);
}

void map_delete(struct map *m, const struct val *keys)
{
	struct keyval k;
	struct ent *e;

	if (!eval(m, keys, &k))
		return;
	e = find(m, &k);
	if (e)
		take_out(m, e, k.key);
}

bool map_next(struct map *m, uint32_t *id, uint32_t end, struct val *keys, struct scratch *s)
{
	struct tab *t = &m->g.groups;

	for (; *id < end && *id < t->nent; ++*id) {
		struct ent *e = tab_ent(t, *id);

		if (!e->live)
			continue;
		keys_vals(&m->g.keys, e, keys, s);
		++*id;
		return true;
	}
	return false;
}

void map_show(struct map *m, struct sink *k, uint64_t count, bool named, bool interim)
{
	struct rows r = {.width = m->schema.n};
	struct rowset set = {.schema = &m->schema};
	char name[128];

	if (!m->nkeys && map_empty(m) && !m->m->is_agg) {
		struct cell *c = rows_add(&r);

		val_cell(&m->read, unset(&m->read), c);
	} else {
		m->g.t.fill(&m->g.t, &r);
	}
	rows_default(&r, m->nkeys, m->schema.hist);
	snprintf(name, sizeof(name), "@%s", m->m->name);
	set.name = named ? name : NULL;
	set.cells = r.cells;
	set.nrows = count && count < r.n ? count : r.n;
	k->result(k, &set, interim);
	rows_free(&r);
}
