/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counted memory of tables and the scratch of one event. Knows nothing of what is stored. */
#include "engine/mem.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define POOL_CHUNK 16384
#define SCRATCH_CHUNK 16384

struct pool_chunk {
	struct pool_chunk *next;
	size_t size; /* with this head */
};

struct scratch_chunk {
	struct scratch_chunk *next;
	size_t size; /* of what follows the head */
};

/* heads are 16 bytes, so that what follows is aligned as malloc's memory is */
_Static_assert(sizeof(struct pool_chunk) == 16, "alignment of pools");
_Static_assert(sizeof(struct scratch_chunk) == 16, "alignment of scratch");

void *mem_get(struct mem *m, size_t n)
{
	void *p;

	if (n > m->max || m->used > m->max - n)
		return NULL;
	p = calloc(1, n);
	if (p)
		m->used += n;
	return p;
}

void mem_put(struct mem *m, void *p, size_t n)
{
	if (!p)
		return;
	free(p);
	m->used -= n;
}

void *pool_alloc(struct pool *p, size_t n)
{
	size_t size = POOL_CHUNK;
	struct pool_chunk *c;
	char *at;

	if (n > SIZE_MAX / 2)
		return NULL;
	n = (n + 15) & ~(size_t)15;
	if (!p->head || p->head->size - p->off < n) {
		/* small pools begin small: a bound of some KiB shall still hold something */
		if (!p->head)
			size = 1024;
		if (size < n + sizeof(*c))
			size = n + sizeof(*c);
		c = mem_get(p->m, size);
		if (!c)
			return NULL;
		c->size = size;
		c->next = p->head;
		p->head = c;
		p->off = sizeof(*c);
	}
	at = (char *)p->head + p->off;
	p->off += n;
	return at;
}

void *pool_copy(struct pool *p, const void *src, size_t n)
{
	void *d = pool_alloc(p, n ? n : 1);

	if (d && n)
		memcpy(d, src, n);
	return d;
}

void pool_clear(struct pool *p)
{
	while (p->head) {
		struct pool_chunk *next = p->head->next;

		mem_put(p->m, p->head, p->head->size);
		p->head = next;
	}
	p->off = 0;
}

struct slab_free {
	struct slab_free *next;
};

/* 16, 32, 64 ... bytes */
static unsigned slab_class(size_t n)
{
	return n <= 16 ? 4 : 64 - (unsigned)__builtin_clzll(n - 1);
}

void *slab_get(struct slab *s, size_t n, uint32_t *cap)
{
	unsigned c = slab_class(n);
	struct slab_free *f;

	if (c >= 31)
		return NULL;
	*cap = 1u << c;
	f = s->free[c];
	if (!f)
		return pool_alloc(&s->pool, *cap);
	s->free[c] = f->next;
	return f;
}

void slab_put(struct slab *s, void *p, uint32_t cap)
{
	struct slab_free *f = p;
	unsigned c = slab_class(cap);

	if (!p)
		return;
	f->next = s->free[c];
	s->free[c] = f;
}

void slab_clear(struct slab *s)
{
	pool_clear(&s->pool);
	memset(s->free, 0, sizeof(s->free));
}

void *scratch_alloc(struct scratch *s, size_t n)
{
	struct scratch_chunk *c;
	size_t size;
	void *at;

	n = (n + 15) & ~(size_t)15;
	while (!s->cur || s->cur->size - s->off < n) {
		if (s->cur && s->cur->next) {
			s->cur = s->cur->next;
			s->off = 0;
			continue;
		}
		size = n > SCRATCH_CHUNK ? n : SCRATCH_CHUNK;
		c = xmalloc(sizeof(*c) + size);
		c->next = NULL;
		c->size = size;
		if (s->cur)
			s->cur->next = c;
		else
			s->first = c;
		s->cur = c;
		s->off = 0;
	}
	at = (char *)(s->cur + 1) + s->off;
	s->off += n;
	return at;
}

void scratch_free(struct scratch *s)
{
	while (s->first) {
		struct scratch_chunk *next = s->first->next;

		free(s->first);
		s->first = next;
	}
	s->cur = NULL;
	s->off = 0;
}
