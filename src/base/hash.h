/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hashing of bytes and integers for in-memory tables; not for anything that is stored. */
#ifndef TRACESH_BASE_HASH_H
#define TRACESH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0x9fb21c651e98df25ull;
	h ^= h >> 29;
	h *= 0xd6e8feb86659fd93ull;
	return h ^ (h >> 32);
}

static inline uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15ull), w;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0x9fb21c651e98df25ull;
		h ^= h >> 31;
	}
	w = 0;
	memcpy(&w, s, n);
	return hash_mix(h ^ w);
}

#endif
