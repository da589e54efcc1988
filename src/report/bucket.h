/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets of histograms: which one follows another. Only plot needs it, to show the empty ones. */
#ifndef TRACESH_REPORT_BUCKET_H
#define TRACESH_REPORT_BUCKET_H

#include "check/query.h"
#include "engine/engine.h"

struct bucket_rule {
	bool known; /* false: empty buckets cannot be told */
	enum hist_kind kind;
	__int128 step; /* HK_LINEAR */
	__int128 from; /* HK_LINEAR: a bucket begins here */
	bool bounded;  /* HK_LINEAR: the last bucket ends before to */
	__int128 to;
	unsigned digits; /* HK_LOGLIN */
};

/* bucket_rule_find - the rule behind the rows of a histogram: the query's, else what their bounds
 * say */
struct bucket_rule bucket_rule_find(const struct query *q, const struct rowset *rows);
/* bucket_of - the bucket that holds @v */
void bucket_of(const struct bucket_rule *rule, __int128 v, __int128 *lo, __int128 *hi);
/* bucket_open_lo, bucket_open_hi - the bucket has no bound on that side: values beyond from and to
 */
bool bucket_open_lo(const struct bucket_rule *rule, const struct cell *lo);
bool bucket_open_hi(const struct bucket_rule *rule, const struct cell *hi);

#endif
