/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets: which one a value falls into, and which values one holds. Pure arithmetic. */
#ifndef TRACESH_ENGINE_HIST_H
#define TRACESH_ENGINE_HIST_H

#include "check/query.h"

enum { BUCKET_IN, BUCKET_BIG, BUCKET_BELOW, BUCKET_ABOVE };

/* index: two's complement; BUCKET_BIG where it passes INT64_MAX. Below and above have index 0. */
struct bucket {
	uint64_t index;
	unsigned where;
};

struct bucket hist_bucket(const struct agg *a, struct val v);
/* hist_bounds - lo <= v <= hi; the open end of BELOW and ABOVE is null */
void hist_bounds(const struct agg *a, struct bucket b, struct cell *lo, struct cell *hi);

/* Buckets of quantiles: exact below 128, then 64 to a power of two; half a bucket is under 0.8 %.
 */
int quantile_bucket(struct val v);
__int128 quantile_value(int bucket);

#endif
