/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as digits, for those who write millions of them. */
#ifndef TRACESH_BASE_NUM_H
#define TRACESH_BASE_NUM_H

#include <stdint.h>
#include <string.h>

#define NUM_MAX 24 /* bytes that a number may take */

/* num_dec - @v in decimal at @d, not NUL-terminated; returns how many digits */
static inline unsigned num_dec(char *d, uint64_t v)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	unsigned n = 1;
	char *p;

	for (uint64_t x = v; x >= 10; x /= 10000) {
		if (x < 100) {
			n += 1;
			break;
		}
		if (x < 1000) {
			n += 2;
			break;
		}
		if (x < 10000) {
			n += 3;
			break;
		}
		n += 4;
	}
	for (p = d + n; v >= 100; v /= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
	}
	if (v >= 10)
		memcpy(d, pairs + v * 2, 2);
	else
		d[0] = (char)('0' + v);
	return n;
}

/* num_hex - @v in lower-case hexadecimal, without a prefix */
static inline unsigned num_hex(char *d, uint64_t v)
{
	unsigned n = v ? (67u - (unsigned)__builtin_clzll(v)) / 4 : 1;

	for (unsigned i = n; i-- > 0; v >>= 4)
		d[i] = "0123456789abcdef"[v & 15];
	return n;
}

#endif
