/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory of a run: what tables take is counted against one bound (set.maxmem); what lives for one
 * event comes from the scratch. Knows nothing of what is stored.
 */
#ifndef TRACESH_ENGINE_MEM_H
#define TRACESH_ENGINE_MEM_H

#include <stddef.h>
#include <stdint.h>

struct mem {
	size_t used, max; /* bytes */
};

/* mem_get - @n zeroed bytes, NULL when the bound would be passed; mem_put gives them back */
void *mem_get(struct mem *m, size_t n);
void mem_put(struct mem *m, void *p, size_t n);

/* Pieces that are freed all at once, 16-byte aligned, within the bound. */
struct pool {
	struct mem *m;
	struct pool_chunk *head;
	size_t off;
};

void *pool_alloc(struct pool *p, size_t n);
void *pool_copy(struct pool *p, const void *src, size_t n);
void pool_clear(struct pool *p);

/* Pieces that are given back and handed out again, by sizes of powers of two; within the bound. */
struct slab {
	struct pool pool;
	struct slab_free *free[32];
};

/* slab_get - @n bytes or more, *@cap is how many; NULL: no room. slab_put takes the same @cap. */
void *slab_get(struct slab *s, size_t n, uint32_t *cap);
void slab_put(struct slab *s, void *p, uint32_t cap);
void slab_clear(struct slab *s);

/* Strings made while one event flows; nothing is given back to malloc between events. */
struct scratch {
	struct scratch_chunk *first, *cur;
	size_t off;
};

void *scratch_alloc(struct scratch *s, size_t n);
static inline void scratch_reset(struct scratch *s)
{
	s->cur = s->first;
	s->off = 0;
}
void scratch_free(struct scratch *s);

/* What was made since a mark can be forgotten before the event is over (rounds of a loop). */
struct scratch_mark {
	struct scratch_chunk *cur;
	size_t off;
};
static inline struct scratch_mark scratch_mark(const struct scratch *s)
{
	return (struct scratch_mark){s->cur, s->off};
}
static inline void scratch_rewind(struct scratch *s, struct scratch_mark m)
{
	s->cur = m.cur ? m.cur : s->first;
	s->off = m.cur ? m.off : 0;
}

#endif
