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

#endif
