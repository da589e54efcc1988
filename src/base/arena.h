/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arena: memory of one compilation, freed at once. Allocation never fails (it aborts the program
 * with a message when the system is out of memory), so callers need no check.
 */
#ifndef TRACESH_BASE_ARENA_H
#define TRACESH_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a); /* NULL is allowed */

/* arena_alloc - @size zeroed bytes, aligned to 16 */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* arena_grow - a copy of @old with room for @newsize bytes; the old one stays until arena_free */
void *arena_grow(struct arena *a, const void *old, size_t oldsize, size_t newsize);

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/*
 * ARENA_PUSH - append VAL to the arena array PTR of N elements (capacity is the next power of two,
 * at least 4, so no capacity field is kept)
 */
#define ARENA_PUSH(a, ptr, n, val)                                                                 \
	do {                                                                                       \
		size_t n_ = (n);                                                                   \
		if (n_ == 0)                                                                       \
			(ptr) = arena_alloc((a), 4 * sizeof(*(ptr)));                              \
		else if (n_ >= 4 && (n_ & (n_ - 1)) == 0)                                          \
			(ptr) = arena_grow((a), (ptr), n_ * sizeof(*(ptr)),                        \
					   2 * n_ * sizeof(*(ptr)));                               \
		(ptr)[n_] = (val);                                                                 \
		(n) = n_ + 1;                                                                      \
	} while (0)

/* malloc that aborts with a message when memory is out; for what lives longer than an arena */
void *xmalloc(size_t n);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n);
char *xstrdup(const char *s);

#endif
