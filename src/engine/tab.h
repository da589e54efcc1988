/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hash tables of the engine: open addressing over entries of one size, keyed by an integer with a
 * 32-bit companion, or by bytes. All memory is counted; what finds no room is refused, never moved
 * out.
 */
#ifndef TRACESH_ENGINE_TAB_H
#define TRACESH_ENGINE_TAB_H

#include "engine/mem.h"

#include <stdbool.h>
#include <string.h>

/* Every entry begins with this; what the owner stores follows, 16-byte aligned. */
struct ent {
	union {
		uint64_t key;         /* integer keys */
		const uint8_t *bytes; /* byte keys */
	};
	uint32_t aux;  /* integer keys: companion; byte keys: length */
	uint32_t live; /* id plus one; 0: removed */
};

struct slot {
	uint64_t key; /* byte keys: their hash */
	uint32_t aux;
	uint32_t id; /* of the entry, plus one; 0: empty */
};

struct tab {
	struct mem *m;
	struct slot *slots;
	uint32_t mask;
	uint32_t n; /* live entries */
	bool bytes;
	uint32_t stride;
	unsigned shift; /* log2 of entries in a chunk */
	uint8_t **chunks;
	uint32_t nchunks, cap;
	uint32_t nent; /* entries ever handed out since clear: ids 0 .. nent-1 */
	uint32_t free; /* chain of removed entries, plus one */
	struct pool keys;
};

/* tab_init - entries hold @payload bytes behind their head */
void tab_init(struct tab *t, struct mem *m, size_t payload, bool bytes);
void tab_clear(struct tab *t); /* also gives the memory back */

static inline struct ent *tab_ent(const struct tab *t, uint32_t id)
{
	return (struct ent *)(t->chunks[id >> t->shift] +
			      (size_t)(id & ((1u << t->shift) - 1)) * t->stride);
}

static inline uint64_t tab_hash(uint64_t key, uint32_t aux)
{
	unsigned __int128 p =
		(unsigned __int128)(key ^ 0x9e3779b97f4a7c15ull) * (aux ^ 0xd6e8feb86659fd93ull);

	return (uint64_t)(p >> 64) ^ (uint64_t)p;
}

/* tab_find_int - NULL: not there */
static inline struct ent *tab_find_int(const struct tab *t, uint64_t key, uint32_t aux)
{
	if (!t->slots)
		return NULL;
	for (uint32_t i = tab_hash(key, aux) & t->mask;; i = (i + 1) & t->mask) {
		const struct slot *s = &t->slots[i];

		if (!s->id)
			return NULL;
		if (s->key == key && s->aux == aux)
			return tab_ent(t, s->id - 1);
	}
}
struct ent *tab_find_bytes(const struct tab *t, const void *p, uint32_t n, uint64_t hash);

/* tab_add_* - a new zeroed entry for a key that is not there; NULL: no room. Byte keys are copied,
 * unless @own: then they must live as long as the entry. */
struct ent *tab_add_int(struct tab *t, uint64_t key, uint32_t aux);
struct ent *tab_add_bytes(struct tab *t, const void *p, uint32_t n, uint64_t hash, bool own);

static inline struct ent *tab_get_int(struct tab *t, uint64_t key, uint32_t aux)
{
	struct ent *e = tab_find_int(t, key, aux);

	return e ? e : tab_add_int(t, key, aux);
}

/* tab_del - take an entry out; its memory is handed out again and not zeroed */
void tab_del(struct tab *t, struct ent *e, uint64_t hash);
uint64_t tab_hash_bytes(const void *p, uint32_t n);

#endif
