/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of UTF-8 that may be broken anywhere; independent of the locale. */
#ifndef TRACESH_REPORT_UTF8_H
#define TRACESH_REPORT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/**
 * utf8_next - the character at @p, which has @n > 0 bytes
 * @cp: its code point
 * Returns its length, or -length of a broken sequence that stands for one U+FFFD (the longest start
 * of a character, as the Unicode standard recommends).
 */
static inline int utf8_next(const char *p, size_t n, uint32_t *cp)
{
	const unsigned char *s = (const unsigned char *)p;
	unsigned char lo = 0x80, hi = 0xbf;
	uint32_t c = s[0];
	int len;

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		len = 2;
		c &= 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		len = 3;
		lo = c == 0xe0 ? 0xa0 : 0x80;
		hi = c == 0xed ? 0x9f : 0xbf;
		c &= 0xf;
	} else if (c >= 0xf0 && c <= 0xf4) {
		len = 4;
		lo = c == 0xf0 ? 0x90 : 0x80;
		hi = c == 0xf4 ? 0x8f : 0xbf;
		c &= 7;
	} else {
		return -1;
	}
	for (int i = 1; i < len; i++) {
		if ((size_t)i >= n || s[i] < lo || s[i] > hi)
			return -i;
		c = c << 6 | (s[i] & 0x3f);
		lo = 0x80;
		hi = 0xbf;
	}
	*cp = c;
	return len;
}

#endif
