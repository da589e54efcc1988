/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of an aggregate, for the stages and for the maps of blocks: groups by key with the
 * state of each aggregate, and its rows. Who evaluates keys and values is not known here.
 */
#ifndef TRACESH_ENGINE_AGGS_H
#define TRACESH_ENGINE_AGGS_H

#include "engine/nodes.h"

struct agg_one {
	const struct agg *a;
	struct code e; /* of stages */
	bool str;      /* distinct strings */
	uint32_t off;  /* of its state in the entry */
	unsigned ncols;
	struct tab side; /* buckets or values */
	bool has_side;
};

struct aggs {
	struct table t;
	struct keys keys;
	struct agg_one *v;
	unsigned n;
	struct val *vals;
	struct tab groups;
	struct ent *single; /* without keys */
	uint64_t *dropped;
};

/* aggs_init - @n aggregates over the keys that g->keys holds already */
void aggs_init(struct aggs *g, struct engine *e, const struct agg *a, unsigned n);
/* aggs_update - value @v into aggregate @i of a group */
void aggs_update(struct aggs *g, unsigned i, struct ent *e, struct val v, struct scratch *s);
/* aggs_forget - what a group has in side tables, before it is taken out */
void aggs_forget(struct aggs *g, struct ent *e);
/* aggs_merge - @s of the same query, over other records, is added to @d; -1: no room */
int aggs_merge(struct table *d, struct table *s);
/* aggs_side_group - the group that an entry of a side table belongs to */
uint32_t aggs_side_group(const struct agg_one *o, const struct ent *s);
/* aggs_cell - the value of an aggregate that has one column */
void aggs_cell(const struct aggs *g, const struct ent *e, struct cell *out);

#endif
