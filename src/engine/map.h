/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps of blocks: values or aggregates under keys. They know no statements; keys and values come as
 * values. What finds no room within the bound is counted and left out.
 */
#ifndef TRACESH_ENGINE_MAP_H
#define TRACESH_ENGINE_MAP_H

#include "check/block.h"
#include "engine/aggs.h"

struct map {
	const struct bmap *m;
	struct aggs g;    /* keys, table, and the state of aggregations */
	struct slab slab; /* keys and strings that come and go */
	struct schema schema;
	struct type read; /* of a value in an expression */
	unsigned nkeys;
	uint64_t dropped;
};

void map_init(struct map *m, struct engine *e, const struct bmap *b);
void map_clear(struct map *m);

/* map_get - the value under @keys: 0 or "" where there is none, null for a null key. Strings are
 * the map's until it changes. */
struct val map_read(struct map *m, const struct val *keys);
struct val map_has(struct map *m, const struct val *keys);
void map_store(struct map *m, const struct val *keys, struct val v);
void map_add(struct map *m, const struct val *keys, struct val v, struct scratch *s);
void map_delete(struct map *m, const struct val *keys);

/* map_next - the keys of the next entry from *@id on, below @end; false: there is none */
bool map_next(struct map *m, uint32_t *id, uint32_t end, struct val *keys, struct scratch *s);

/* map_show - as a table, at most @count rows (0: all) */
void map_show(struct map *m, struct sink *k, uint64_t count, bool named, bool interim);
static inline bool map_empty(const struct map *m)
{
	return m->g.groups.n == 0;
}

#endif
