/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an aggregate keeps per group, and its result. Sums are exact; no memory is taken here. */
#ifndef TRACESH_ENGINE_AGGSTATE_H
#define TRACESH_ENGINE_AGGSTATE_H

#include "check/query.h"

struct st_sum { /* sum, avg */
	__int128 sum;
	uint64_t n;
};

struct st_ext { /* min, max, quantile's ends */
	__int128 min, max;
	uint64_t n;
};

struct st_stats {
	__int128 sum, min, max;
	uint64_t n;
	uint64_t squares[3]; /* the sum of squares, least significant first: never overflows */
};

void ext_add(struct st_ext *s, __int128 v);
void stats_add(struct st_stats *s, __int128 v);

/* dec_avg - sum / n in millionths, halves away from zero; n > 0 */
__int128 dec_avg(__int128 sum, uint64_t n);
/* stats_stddev - of the population (divided by n), in millionths */
__int128 stats_stddev(const struct st_stats *s);

/* quantile_rank - which value in ascending order, from 1, is the q-th percentile: the smallest that
 * at least q % are not above */
uint64_t quantile_rank(double q, uint64_t n);

#endif
