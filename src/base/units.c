/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of time and size, to and from text. */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", 1000000000ull},
	{"m", 60000000000ull},
	{"h", 3600000000000ull},
};

static const struct unit sizes[] = {
	{"B", 1},
	{"KiB", 1ull << 10},
	{"MiB", 1ull << 20},
	{"GiB", 1ull << 30},
	{"TiB", 1ull << 40},
	{"kB", 1000},
	{"MB", 1000000},
	{"GB", 1000000000ull},
};

static uint64_t find(const struct unit *u, size_t n, const char *s, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(u[i].name) == len && memcmp(u[i].name, s, len) == 0)
			return u[i].factor;
	}
	return 0;
}

uint64_t unit_time(const char *u, size_t len)
{
	return find(times, sizeof(times) / sizeof(times[0]), u, len);
}

uint64_t unit_size(const char *u, size_t len)
{
	return find(sizes, sizeof(sizes) / sizeof(sizes[0]), u, len);
}

/* NUMBER[.FRACTION][UNIT], exact in integers; a plain number is in @plain units */
static int parse_scaled(const char *s, uint64_t (*unit)(const char *, size_t), uint64_t plain,
			uint64_t *out)
{
	unsigned __int128 v = 0, frac = 0, scale = 1;
	uint64_t f;
	const char *p = s;

	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	for (; isdigit((unsigned char)*p); p++) {
		v = v * 10 + (unsigned)(*p - '0');
		if (v > UINT64_MAX)
			return -ERANGE;
	}
	if (*p == '.') {
		if (!isdigit((unsigned char)*++p))
			return -EINVAL;
		for (; isdigit((unsigned char)*p); p++) {
			if (scale < 1000000000000000ull) {
				frac = frac * 10 + (unsigned)(*p - '0');
				scale *= 10;
			}
		}
	}
	f = *p ? unit(p, strlen(p)) : plain;
	if (!f)
		return -EINVAL;
	v = v * f + frac * f / scale;
	if (v > UINT64_MAX)
		return -ERANGE;
	*out = (uint64_t)v;
	return 0;
}

int parse_duration(const char *s, uint64_t *ns)
{
	return parse_scaled(s, unit_time, 1000000000ull, ns);
}

int parse_size(const char *s, uint64_t *bytes)
{
	return parse_scaled(s, unit_size, 1, bytes);
}

int parse_u64(const char *s, uint64_t *v)
{
	int base = 10;
	char *end;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		base = 16;
	else if (s[0] == '0' && (s[1] == 'o' || s[1] == 'O'))
		base = 8;
	if (base != 10)
		s += 2;
	if (!isxdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	*v = strtoull(s, &end, base);
	if (*end)
		return -EINVAL;
	return errno == ERANGE ? -ERANGE : 0;
}

void fmt_duration(struct buf *b, uint64_t ns, bool negative)
{
	static const struct unit show[] = {
		{"s", 1000000000ull}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};

	if (negative)
		buf_putc(b, '-');
	for (size_t i = 0; i < 4; i++) {
		uint64_t f = show[i].factor;

		if (ns < f && f > 1)
			continue;
		if (f == 1)
			buf_printf(b, "%llu ns", (unsigned long long)ns);
		else
			buf_printf(b, "%llu.%llu %s", (unsigned long long)(ns / f),
				   (unsigned long long)(ns % f / (f / 10)), show[i].name);
		return;
	}
}

void fmt_size(struct buf *b, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned i = 0;
	uint64_t f = 1;

	while (i < 6 && bytes / f >= 1024) {
		f <<= 10;
		i++;
	}
	if (i == 0)
		buf_printf(b, "%llu B", (unsigned long long)bytes);
	else
		buf_printf(b, "%llu.%llu %s", (unsigned long long)(bytes / f),
			   (unsigned long long)((unsigned __int128)(bytes % f) * 10 / f), names[i]);
}

void fmt_s128(struct buf *b, __int128 v)
{
	unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
	char t[48];
	size_t i = sizeof(t);

	do {
		t[--i] = (char)('0' + (int)(u % 10));
		u /= 10;
	} while (u);
	if (v < 0)
		t[--i] = '-';
	buf_add(b, t + i, sizeof(t) - i);
}
