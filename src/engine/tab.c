/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine's hash tables: growth, byte keys, removal. Knows nothing of what entries hold. */
#include "engine/tab.h"

#include "base/hash.h"

#define FIRST_SLOTS 16u
#define CHUNK_BYTES 8192u
#define MAX_ENTRIES 0x3fffffffu

void tab_init(struct tab *t, struct mem *m, size_t payload, bool bytes)
{
	memset(t, 0, sizeof(*t));
	t->m = m;
	t->keys.m = m;
	t->bytes = bytes;
	t->stride = (uint32_t)((sizeof(struct ent) + payload + 15) & ~(size_t)15);
	while (t->stride << (t->shift + 1) <= CHUNK_BYTES)
		t->shift++;
}

static size_t chunk_bytes(const struct tab *t)
{
	return (size_t)t->stride << t->shift;
}

void tab_clear(struct tab *t)
{
	for (uint32_t i = 0; i < t->nchunks; i++)
		mem_put(t->m, t->chunks[i], chunk_bytes(t));
	mem_put(t->m, t->chunks, t->cap * sizeof(*t->chunks));
	mem_put(t->m, t->slots, t->slots ? ((size_t)t->mask + 1) * sizeof(*t->slots) : 0);
	pool_clear(&t->keys);
	t->chunks = NULL;
	t->slots = NULL;
	t->nchunks = t->cap = t->nent = t->n = t->mask = t->free = 0;
}

uint64_t tab_hash_bytes(const void *p, uint32_t n)
{
	return hash_bytes(p, n, 0x5bd1e995);
}

static uint64_t slot_home(const struct tab *t, const struct slot *s)
{
	return t->bytes ? s->key : tab_hash(s->key, s->aux);
}

static void put_slot(struct tab *t, const struct slot *s)
{
	uint32_t i = slot_home(t, s) & t->mask;

	while (t->slots[i].id)
		i = (i + 1) & t->mask;
	t->slots[i] = *s;
}

/* room for one more slot: doubled at three quarters; where memory is short, filled to 15/16 */
static bool room(struct tab *t)
{
	size_t cap = t->slots ? (size_t)t->mask + 1 : 0, want = cap ? cap * 2 : FIRST_SLOTS;
	struct slot *old = t->slots, *s;

	if ((uint64_t)(t->n + 1) * 4 <= (uint64_t)cap * 3)
		return true;
	s = want <= MAX_ENTRIES ? mem_get(t->m, want * sizeof(*s)) : NULL;
	if (!s)
		return (uint64_t)(t->n + 1) * 16 <= (uint64_t)cap * 15;
	t->slots = s;
	t->mask = (uint32_t)(want - 1);
	for (size_t i = 0; i < cap; i++) {
		if (old[i].id)
			put_slot(t, &old[i]);
	}
	mem_put(t->m, old, cap * sizeof(*old));
	return true;
}

/* an entry that is not zeroed where it was used before */
static struct ent *take(struct tab *t, uint32_t *id)
{
	if (t->free) {
		struct ent *e = tab_ent(t, t->free - 1);

		*id = t->free - 1;
		t->free = e->aux;
		return e;
	}
	if (t->nent >> t->shift >= t->nchunks) {
		uint8_t *c;

		if (t->nchunks == t->cap) {
			uint32_t cap = t->cap ? t->cap * 2 : 8;
			uint8_t **v = mem_get(t->m, cap * sizeof(*v));

			if (!v)
				return NULL;
			if (t->cap)
				memcpy(v, t->chunks, t->cap * sizeof(*v));
			mem_put(t->m, t->chunks, t->cap * sizeof(*v));
			t->chunks = v;
			t->cap = cap;
		}
		c = mem_get(t->m, chunk_bytes(t));
		if (!c)
			return NULL;
		t->chunks[t->nchunks++] = c;
	}
	*id = t->nent++;
	return tab_ent(t, *id);
}

struct ent *tab_add_int(struct tab *t, uint64_t key, uint32_t aux)
{
	struct slot s = {.key = key, .aux = aux};
	uint32_t id;
	struct ent *e;

	if (!room(t))
		return NULL;
	e = take(t, &id);
	if (!e)
		return NULL;
	e->key = key;
	e->aux = aux;
	e->live = id + 1;
	s.id = id + 1;
	put_slot(t, &s);
	t->n++;
	return e;
}

struct ent *tab_find_bytes(const struct tab *t, const void *p, uint32_t n, uint64_t hash)
{
	if (!t->slots)
		return NULL;
	for (uint32_t i = hash & t->mask;; i = (i + 1) & t->mask) {
		const struct slot *s = &t->slots[i];
		struct ent *e;

		if (!s->id)
			return NULL;
		if (s->key != hash || s->aux != n)
			continue;
		e = tab_ent(t, s->id - 1);
		if (memcmp(e->bytes, p, n) == 0)
			return e;
	}
}

struct ent *tab_add_bytes(struct tab *t, const void *p, uint32_t n, uint64_t hash, bool own)
{
	struct slot s = {.key = hash, .aux = n};
	const uint8_t *copy = p;
	uint32_t id;
	struct ent *e;

	if (!room(t))
		return NULL;
	if (!own) {
		copy = pool_copy(&t->keys, p, n);
		if (!copy)
			return NULL;
	}
	e = take(t, &id);
	if (!e)
		return NULL;
	e->bytes = copy;
	e->aux = n;
	e->live = id + 1;
	s.id = id + 1;
	put_slot(t, &s);
	t->n++;
	return e;
}

void tab_del(struct tab *t, struct ent *e, uint64_t hash)
{
	uint32_t i = (t->bytes ? hash : tab_hash(e->key, e->aux)) & t->mask, id, j, home;

	while (tab_ent(t, t->slots[i].id - 1) != e)
		i = (i + 1) & t->mask;
	id = t->slots[i].id;
	/* close the gap: move up what would no longer be found */
	for (j = i;;) {
		j = (j + 1) & t->mask;
		if (!t->slots[j].id)
			break;
		home = slot_home(t, &t->slots[j]) & t->mask;
		if (((j - home) & t->mask) >= ((j - i) & t->mask)) {
			t->slots[i] = t->slots[j];
			i = j;
		}
	}
	t->slots[i].id = 0;
	e->live = 0;
	e->aux = t->free;
	t->free = id;
	t->n--;
}
