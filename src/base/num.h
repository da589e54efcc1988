/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as digits, for those who write millions of them. */
#ifndef TRACESH_BASE_NUM_H
#define TRACESH_BASE_NUM_H

#include <stdint.h>
#include <string.h>

#define NUM_MAX 24 /* bytes that a number may take */

/* num_two - @v < 100 as two digits */
static inline void num_two(char *d, unsigned v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";

	memcpy(d, pairs + v * 2, 2);
}

/* num_dec - @v in decimal at @d, not NUL-terminated; returns how many digits */
static inline unsigned num_dec(char *d, uint64_t v)
{
	static const uint64_t least[] = {0,
					 10,
					 100,
					 1000,
					 10000,
					 100000,
					 1000000,
					 10000000,
					 100000000,
					 1000000000,
					 10000000000,
					 100000000000,
					 1000000000000,
					 10000000000000,
					 100000000000000,
					 1000000000000000,
					 10000000000000000,
					 100000000000000000,
					 1000000000000000000,
					 10000000000000000000u};
	unsigned n = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;
	char *p;

	n += v >= least[n];
	n += n == 0;
	for (p = d + n; v >= 100; v /= 100) {
		p -= 2;
		num_two(p, (unsigned)(v % 100));
	}
	if (v >= 10)
		num_two(d, (unsigned)v);
	else
		d[0] = (char)('0' + v);
	return n;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* eight digits, the highest first in memory */
static inline uint64_t num_hex8(uint32_t v)
{
	uint64_t x = v, letters;

	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
	letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	return __builtin_bswap64(x + 0x3030303030303030 + letters * ('a' - '0' - 10));
}
#endif

/* num_hex - @v in lower-case hexadecimal, without a prefix; up to 16 bytes are written */
static inline unsigned num_hex(char *d, uint64_t v)
{
	unsigned n = (67u - (unsigned)__builtin_clzll(v | 1)) / 4;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	unsigned high = n > 8 ? n - 8 : 0;
	uint64_t x;

	if (high) {
		x = num_hex8((uint32_t)(v >> 32)) >> (8 - high) * 8;
		memcpy(d, &x, 8);
	}
	x = num_hex8((uint32_t)v) >> (high ? 0 : (8 - n) * 8);
	memcpy(d + high, &x, 8);
#else
	for (unsigned i = n; i-- > 0; v >>= 4)
		d[i] = "0123456789abcdef"[v & 15];
#endif
	return n;
}

#endif
