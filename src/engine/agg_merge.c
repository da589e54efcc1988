/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of the same query over different records become one: groups by key, states added up, side
 * tables under the numbers that the groups have here. Knows no threads.
 */
#include "engine/aggs.h"
#include "engine/aggstate.h"

#include <stdlib.h>

struct counted {
	struct ent ent;
	uint64_t n;
};

static void ext_merge(struct st_ext *d, const struct st_ext *s)
{
	if (s->n && (!d->n || s->min < d->min))
		d->min = s->min;
	if (s->n && (!d->n || s->max > d->max))
		d->max = s->max;
	d->n += s->n;
}

static void stats_merge(struct st_stats *d, const struct st_stats *s)
{
	unsigned __int128 t;
	uint64_t carry = 0;

	if (s->n && (!d->n || s->min < d->min))
		d->min = s->min;
	if (s->n && (!d->n || s->max > d->max))
		d->max = s->max;
	d->n += s->n;
	d->sum += s->sum;
	for (unsigned i = 0; i < 3; i++) {
		t = (unsigned __int128)d->squares[i] + s->squares[i] + carry;
		d->squares[i] = (uint64_t)t;
		carry = (uint64_t)(t >> 64);
	}
}

static void state_merge(const struct agg_one *o, struct ent *d, const struct ent *s)
{
	void *to = (char *)d + o->off;
	const void *from = (const char *)s + o->off;
	struct st_sum *sum = to;

	switch (o->a->kind) {
	case AG_COUNT:
	case AG_HIST: *(uint64_t *)to += *(const uint64_t *)from; break;
	case AG_SUM:
	case AG_AVG:
		sum->sum += ((const struct st_sum *)from)->sum;
		sum->n += ((const struct st_sum *)from)->n;
		break;
	case AG_MIN:
	case AG_MAX:
	case AG_QUANTILE: ext_merge(to, from); break;
	case AG_STATS: stats_merge(to, from); break;
	case AG_DISTINCT: break; /* counted as values are found new */
	}
}

static struct ent *group(struct aggs *d, const struct aggs *s, const struct ent *from)
{
	struct keyval k;
	struct ent *e;

	if (!d->keys.n) {
		if (!d->single)
			d->single = tab_add_int(&d->groups, 0, 0);
		return d->single;
	}
	if (!keys_again(&d->keys, &s->keys, from, &k))
		return NULL;
	if (keys_as_int(&d->keys))
		return tab_get_int(&d->groups, k.key, k.aux);
	e = tab_find_bytes(&d->groups, from->bytes, k.aux, k.key);
	return e ? e : tab_add_bytes(&d->groups, from->bytes, k.aux, k.key, false);
}

/* a text of AG_DISTINCT: its group's number, then its bytes; 0 it was there, 1 new, -1 no room */
static int text_merge(struct agg_one *d, const struct ent *s, uint32_t gid)
{
	uint8_t *p = malloc(s->aux);
	uint64_t h;
	int rc = 0;

	if (!p)
		return -1;
	memcpy(p, s->bytes, s->aux);
	memcpy(p, &gid, 4);
	h = tab_hash_bytes(p, s->aux);
	if (!tab_find_bytes(&d->side, p, s->aux, h))
		rc = tab_add_bytes(&d->side, p, s->aux, h, false) ? 1 : -1;
	free(p);
	return rc;
}

static int side_merge(struct aggs *d, struct agg_one *o, const struct agg_one *s,
		      const uint32_t *gid)
{
	for (uint32_t id = 0; id < s->side.nent; id++) {
		const struct ent *e = tab_ent(&s->side, id);
		struct counted *c;
		uint32_t g, aux;
		int rc;

		if (!e->live)
			continue;
		g = gid[aggs_side_group(s, e)];
		aux = o->a->kind == AG_QUANTILE ? g
		      : o->a->kind == AG_HIST   ? g << 2 | (e->aux & 3)
						: g << 1 | (e->aux & 1);
		if (o->a->kind != AG_DISTINCT) {
			c = (struct counted *)tab_get_int(&o->side, e->key, aux);
			if (!c)
				return -1;
			c->n += ((const struct counted *)e)->n;
			continue;
		}
		if (o->str)
			rc = text_merge(o, e, g);
		else if (tab_find_int(&o->side, e->key, aux))
			rc = 0;
		else
			rc = tab_add_int(&o->side, e->key, aux) ? 1 : -1;
		if (rc < 0)
			return -1;
		*(uint64_t *)((char *)tab_ent(&d->groups, g) + o->off) += (unsigned)rc;
	}
	return 0;
}

int aggs_merge(struct table *dt, struct table *st)
{
	struct aggs *d = (struct aggs *)dt, *s = (struct aggs *)st;
	uint32_t *gid = xcalloc((size_t)s->groups.nent + 1, sizeof(*gid));
	int rc = 0;

	for (uint32_t id = 0; id < s->groups.nent && !rc; id++) {
		const struct ent *from = tab_ent(&s->groups, id);
		struct ent *e = from->live ? group(d, s, from) : NULL;

		if (!e) {
			rc = from->live ? -1 : 0;
			continue;
		}
		gid[id] = e->live - 1;
		for (unsigned i = 0; i < d->n; i++)
			state_merge(&d->v[i], e, from);
	}
	for (unsigned i = 0; i < d->n && !rc; i++) {
		if (d->v[i].has_side)
			rc = side_merge(d, &d->v[i], &s->v[i], gid);
	}
	free(gid);
	return rc;
}
