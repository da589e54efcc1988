/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A loser tree: which of n sorted streams comes next. The caller keeps the streams; the tree has
 * the time of each stream's head. While one stream stays ahead of the runner-up an update costs
 * one comparison, else one a level. Private to feed/.
 */
#ifndef TRACESH_FEED_LTREE_H
#define TRACESH_FEED_LTREE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define LTREE_NONE UINT64_MAX /* key of a stream without a head */

struct ltree {
	unsigned n;
	unsigned win;    /* stream with the least head, if ltree_any() */
	unsigned second; /* the runner-up, when known */
	bool known;
	uint64_t *key;  /* time of each head, set with ltree_set() */
	unsigned *node; /* 1 .. n-1: the loser of each match */
};

static inline void ltree_init(struct ltree *t, unsigned n)
{
	t->n = n;
	t->win = t->second = 0;
	t->known = false;
	t->key = xcalloc(n ? n : 1, sizeof(*t->key));
	t->node = xcalloc(n ? n : 1, sizeof(*t->node));
	for (unsigned i = 0; i < (n ? n : 1); i++)
		t->key[i] = LTREE_NONE;
}

static inline void ltree_free(struct ltree *t)
{
	free(t->key);
	free(t->node);
}

static inline void ltree_set(struct ltree *t, unsigned i, bool alive, uint64_t ts)
{
	t->key[i] = !alive ? LTREE_NONE : ts < LTREE_NONE ? ts : LTREE_NONE - 1;
}

static inline bool ltree_alive(const struct ltree *t, unsigned i)
{
	return t->key[i] != LTREE_NONE;
}

/* ltree_any - is there a winner at all */
static inline bool ltree_any(const struct ltree *t)
{
	return t->key[t->win] != LTREE_NONE;
}

/* equal times: the lower stream first */
static inline bool ltree_before(const struct ltree *t, unsigned a, unsigned b)
{
	return t->key[a] < t->key[b] || (t->key[a] == t->key[b] && a < b);
}

/* the runner-up lost to the winner itself, so it is on the winner's way up */
static inline void ltree_find_second(struct ltree *t)
{
	unsigned i = (t->win + t->n) / 2;

	t->second = t->node[i];
	for (i /= 2; i; i /= 2) {
		if (ltree_before(t, t->node[i], t->second))
			t->second = t->node[i];
	}
	t->known = true;
}

/* ltree_build - after all keys are set */
static inline void ltree_build(struct ltree *t)
{
	unsigned *up = xcalloc(2 * (size_t)t->n + 2, sizeof(*up));

	for (unsigned i = 0; i < t->n; i++)
		up[t->n + i] = i;
	for (unsigned i = t->n; i-- > 1;) {
		unsigned a = up[2 * i], b = up[2 * i + 1];
		bool first = ltree_before(t, a, b);

		up[i] = first ? a : b;
		t->node[i] = first ? b : a;
	}
	t->win = t->n > 1 ? up[1] : 0;
	t->known = false;
	free(up);
}

/* ltree_update - the winner's key changed: find the new winner */
static inline void ltree_update(struct ltree *t)
{
	unsigned w = t->win;
	uint64_t key;

	if (t->n < 2 || (t->known && ltree_before(t, w, t->second)))
		return;
	key = t->key[w];
	for (unsigned i = (w + t->n) / 2; i;
	     i /= 2) { /* without branches: they cannot be foretold */
		unsigned x = t->node[i];
		uint64_t kx = t->key[x];
		bool swap = (kx < key) | ((kx == key) & (x < w));

		t->node[i] = swap ? w : x;
		w = swap ? x : w;
		key = swap ? kx : key;
	}
	t->known = false;
	if (w == t->win) /* a stream that stays ahead is worth finding the runner-up */
		ltree_find_second(t);
	t->win = w;
}

#endif
