/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of aggregates. Knows neither groups nor tables. */
#include "engine/aggstate.h"

#include <math.h>

void ext_add(struct st_ext *s, __int128 v)
{
	if (!s->n || v < s->min)
		s->min = v;
	if (!s->n || v > s->max)
		s->max = v;
	s->n++;
}

void stats_add(struct st_stats *s, __int128 v)
{
	unsigned __int128 m = (unsigned __int128)(v < 0 ? -v : v), sq = m * m, t;

	if (!s->n || v < s->min)
		s->min = v;
	if (!s->n || v > s->max)
		s->max = v;
	s->n++;
	s->sum += v;
	t = (unsigned __int128)s->squares[0] + (uint64_t)sq;
	s->squares[0] = (uint64_t)t;
	t = (unsigned __int128)s->squares[1] + (uint64_t)(sq >> 64) + (uint64_t)(t >> 64);
	s->squares[1] = (uint64_t)t;
	s->squares[2] += (uint64_t)(t >> 64);
}

__int128 dec_avg(__int128 sum, uint64_t n)
{
	bool neg = sum < 0;
	unsigned __int128 m = (unsigned __int128)(neg ? -sum : sum), rest = m % n * 1000000u;
	unsigned __int128 r = m / n * 1000000u + rest / n;

	if (rest % n >= n - rest % n)
		r++;
	return neg ? -(__int128)r : (__int128)r;
}

/* a * b into 4 words, least significant first */
static void mul(const uint64_t *a, unsigned na, const uint64_t *b, unsigned nb, uint64_t out[4])
{
	for (unsigned i = 0; i < 4; i++)
		out[i] = 0;
	for (unsigned i = 0; i < na; i++) {
		uint64_t carry = 0;

		for (unsigned j = 0; i + j < 4; j++) {
			unsigned __int128 t =
				(unsigned __int128)a[i] * (j < nb ? b[j] : 0) + out[i + j] + carry;

			out[i + j] = (uint64_t)t;
			carry = (uint64_t)(t >> 64);
		}
	}
}

/* the variance's numerator n * sum(v^2) - sum(v)^2 is exact in 256 bits; only its root is rounded
 */
__int128 stats_stddev(const struct st_stats *s)
{
	unsigned __int128 m = (unsigned __int128)(s->sum < 0 ? -s->sum : s->sum);
	uint64_t sum[2] = {(uint64_t)m, (uint64_t)(m >> 64)}, n = s->n, a[4], b[4];
	long double v = 0;
	bool borrow = false;

	if (!n)
		return 0;
	mul(s->squares, 3, &n, 1, a);
	mul(sum, 2, sum, 2, b);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t d = a[i] - b[i], e = d - borrow;

		borrow = a[i] < b[i] || (borrow && d == 0);
		a[i] = e;
	}
	for (unsigned i = 4; i-- > 0;)
		v = v * 18446744073709551616.0L + (long double)a[i];
	return (__int128)roundl(sqrtl(v) / (long double)n * 1e6L);
}

uint64_t quantile_rank(double q, uint64_t n)
{
	/* 99.9 % of 1000 is 999, whatever 99.9 is in binary */
	long double r = ceill((long double)q / 100.0L * (long double)n - 1e-9L);

	if (r < 1)
		return n ? 1 : 0;
	return r >= (long double)n ? n : (uint64_t)r;
}
