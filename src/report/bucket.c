/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The three series of buckets, and which of them some rows belong to. */
#include "report/bucket.h"

static void log2_bucket(__int128 v, __int128 *lo, __int128 *hi)
{
	__int128 top = 2;

	if (v <= 1) {
		*lo = 0;
		*hi = 1;
		return;
	}
	while (top < v)
		top *= 2;
	*lo = top / 2 + 1;
	*hi = top;
}

static void loglin_bucket(unsigned digits, __int128 v, __int128 *lo, __int128 *hi)
{
	__int128 full = 1, width = 1;

	for (unsigned i = 0; i < digits && i < 18; i++)
		full *= 10;
	for (; v / width >= full; width *= 10)
		;
	*lo = v / width * width;
	*hi = *lo + width - 1;
}

void bucket_of(const struct bucket_rule *rule, __int128 v, __int128 *lo, __int128 *hi)
{
	__int128 m = v < 0 ? -v : v, a;

	if (rule->kind == HK_LINEAR) {
		a = (v - rule->from) % rule->step;
		if (a < 0)
			a += rule->step;
		*lo = v - a;
		*hi = *lo + rule->step - 1;
		if (rule->bounded && v < rule->to && *hi >= rule->to)
			*hi = rule->to - 1;
		return;
	}
	if (rule->kind == HK_LOG2)
		log2_bucket(m, lo, hi);
	else
		loglin_bucket(rule->digits, m, lo, hi);
	if (v < 0) {
		a = *lo > 1 ? *lo : 1;
		*lo = -*hi;
		*hi = -a;
	}
}

bool bucket_open_lo(const struct bucket_rule *rule, const struct cell *lo)
{
	return lo->null || (rule->kind == HK_LINEAR && lo->n <= INT64_MIN);
}

bool bucket_open_hi(const struct bucket_rule *rule, const struct cell *hi)
{
	return hi->null || (rule->kind == HK_LINEAR && hi->n >= INT64_MAX);
}

/* do all closed buckets of the rows belong to the rule's series */
static bool matches(const struct bucket_rule *rule, const struct rowset *rows)
{
	unsigned n = rows->schema->n;

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *c = rows->cells + i * n + n - 3;
		__int128 lo, hi;

		if (bucket_open_lo(rule, &c[0]) || bucket_open_hi(rule, &c[1]))
			continue;
		bucket_of(rule, c[0].n, &lo, &hi);
		/* the outermost buckets may end with the type */
		if (lo != c[0].n || (hi != c[1].n && c[1].n < INT64_MAX))
			return false;
	}
	return true;
}

static const struct agg *find_agg(const struct query *q)
{
	for (const struct op *o = q && q->pipe ? q->pipe->ops : NULL; o; o = o->next) {
		for (unsigned i = 0; o->kind == OP_AGG && i < o->naggs; i++) {
			if (o->aggs[i].kind == AG_HIST)
				return &o->aggs[i];
		}
	}
	return NULL;
}

/* step and start of linear buckets from the first closed one */
static bool guess_linear(struct bucket_rule *rule, const struct rowset *rows)
{
	unsigned n = rows->schema->n;

	rule->kind = HK_LINEAR;
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *c = rows->cells + i * n + n - 3;

		if (bucket_open_lo(rule, &c[0]) || bucket_open_hi(rule, &c[1]) || c[1].n < c[0].n)
			continue;
		rule->step = c[1].n - c[0].n + 1;
		rule->from = c[0].n;
		return true;
	}
	return false;
}

struct bucket_rule bucket_rule_find(const struct query *q, const struct rowset *rows)
{
	const struct agg *a = find_agg(q);
	struct bucket_rule r = {.known = true, .kind = HK_LOG2};

	if (a) {
		r.kind = a->hist;
		r.digits = a->digits ? a->digits : 1;
		r.step = a->step ? a->step : 1;
		r.from = a->bounded ? a->from : 0;
		r.bounded = a->bounded;
		r.to = a->to;
		if (matches(&r, rows))
			return r;
	}
	r.kind = HK_LOG2;
	r.bounded = false;
	if (matches(&r, rows))
		return r;
	if (guess_linear(&r, rows) && matches(&r, rows))
		return r;
	r.kind = HK_LOGLIN;
	for (r.digits = 1; r.digits <= 4; r.digits++) {
		if (matches(&r, rows))
			return r;
	}
	r.known = false;
	r.kind = a ? a->hist : HK_LOG2;
	return r;
}
