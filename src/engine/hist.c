/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histogram buckets. Powers of two are the kernel's: 0-1, 2, 3-4, 5-8 ..., and their mirror for
 * negative values. Knows no tables.
 */
#include "engine/hist.h"

/* @digits significant digits are told apart; more make no sense of 64 bits */
#define MAX_DIGITS 4u

static bool negative(struct val v)
{
	return !v.uns && v.s < 0;
}

static uint64_t magnitude(struct val v)
{
	return negative(v) ? 0 - v.u : v.u;
}

/* smallest n with m <= 2^n */
static unsigned ceil_log2(uint64_t m)
{
	return m <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(m - 1);
}

static uint64_t pow10u(unsigned n)
{
	uint64_t p = 1;

	while (n--)
		p *= 10;
	return p;
}

static unsigned digits_of(const struct agg *a)
{
	return a->digits < 1 ? 1 : a->digits > MAX_DIGITS ? MAX_DIGITS : a->digits;
}

/* values below 10^digits are buckets of their own, then 9 * 10^(digits-1) buckets to a power of ten
 */
static uint64_t loglin_index(unsigned digits, uint64_t m)
{
	uint64_t exact = pow10u(digits), per = exact - exact / 10, top = m;
	unsigned k = 0;

	if (m < exact)
		return m;
	while (top >= exact) {
		top /= 10;
		k++;
	}
	return exact + (k - 1) * per + (top - exact / 10);
}

static void loglin_range(unsigned digits, uint64_t i, __int128 *lo, __int128 *hi)
{
	uint64_t exact = pow10u(digits), per = exact - exact / 10;
	__int128 width = 1;

	if (i < exact) {
		*lo = *hi = i;
		return;
	}
	for (uint64_t k = (i - exact) / per + 1; k; k--)
		width *= 10;
	*lo = ((i - exact) % per + exact / 10) * width;
	*hi = *lo + width - 1;
}

static __int128 floor_div(__int128 a, __int128 b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static struct bucket linear(const struct agg *a, struct val v)
{
	__int128 x = v.uns ? (__int128)v.u : (__int128)v.s, i;
	__int128 base = a->bounded ? a->from : 0, step = a->step ? a->step : 1;

	if (a->bounded && x < a->from)
		return (struct bucket){0, BUCKET_BELOW};
	if (a->bounded && x >= a->to)
		return (struct bucket){0, BUCKET_ABOVE};
	i = floor_div(x - base, step);
	return (struct bucket){(uint64_t)i, i > INT64_MAX ? BUCKET_BIG : BUCKET_IN};
}

struct bucket hist_bucket(const struct agg *a, struct val v)
{
	uint64_t m = magnitude(v), i;

	switch (a->hist) {
	case HK_LINEAR: return linear(a, v);
	case HK_LOGLIN:
		i = loglin_index(digits_of(a), m);
		return (struct bucket){negative(v) ? 0 - i : i, BUCKET_IN};
	default:
		/* -1 has a bucket of its own: that of 0 and 1 cannot be mirrored whole */
		i = ceil_log2(m);
		return (struct bucket){negative(v) ? 0 - i - 1 : i, BUCKET_IN};
	}
}

static void mirror(__int128 *lo, __int128 *hi)
{
	__int128 t = *lo;

	*lo = -*hi;
	*hi = -t;
}

void hist_bounds(const struct agg *a, struct bucket b, struct cell *lo, struct cell *hi)
{
	int64_t i = (int64_t)b.index;
	__int128 l, h, step = a->step ? a->step : 1;
	__int128 x = b.where == BUCKET_BIG ? (__int128)b.index : (__int128)i;

	*lo = *hi = (struct cell){0};
	if (b.where == BUCKET_BELOW || b.where == BUCKET_ABOVE) {
		lo->null = b.where == BUCKET_BELOW;
		hi->null = !lo->null;
		lo->n = lo->null ? 0 : a->to;
		hi->n = hi->null ? 0 : (__int128)a->from - 1;
		return;
	}
	switch (a->hist) {
	case HK_LINEAR:
		l = x * step + (a->bounded ? a->from : 0);
		h = l + step - 1;
		if (a->bounded && h >= a->to)
			h = (__int128)a->to - 1;
		break;
	case HK_LOGLIN:
		loglin_range(digits_of(a), i < 0 ? 0 - b.index : b.index, &l, &h);
		if (i < 0)
			mirror(&l, &h);
		break;
	default:
		x = i < 0 ? -(__int128)i - 1 : i; /* the exponent */
		h = (__int128)1 << (unsigned)x;
		l = x ? ((__int128)1 << ((unsigned)x - 1)) + 1 : (i < 0 ? 1 : 0);
		if (i < 0)
			mirror(&l, &h);
	}
	/* no value is larger, so that both ends fit what they are read into */
	lo->n = l;
	hi->n = h > (__int128)UINT64_MAX ? (__int128)UINT64_MAX : h;
}

int quantile_bucket(struct val v)
{
	uint64_t m = magnitude(v);
	int i = (int)m;

	if (m >= 128) {
		int e = 63 - __builtin_clzll(m);

		i = 128 + (e - 7) * 64 + (int)(m >> (e - 6)) - 64;
	}
	return negative(v) ? -i : i;
}

__int128 quantile_value(int bucket)
{
	int i = bucket < 0 ? -bucket : bucket, e;
	__int128 lo, m;

	if (i < 128)
		return bucket;
	e = (i - 128) / 64 + 7;
	lo = (__int128)((i - 128) % 64 + 64) << (e - 6);
	m = lo + (((__int128)1 << (e - 6)) - 1) / 2;
	return bucket < 0 ? -m : m;
}
