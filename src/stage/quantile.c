/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quantile: percentiles. */
#include "stage/agg.h"

#include <string.h>

static void add(struct checker *ck, struct agg *g, const char *name, double q)
{
	size_t n = g->nquants, m = n;

	ARENA_PUSH(ck->a, g->quants, n, q);
	ARENA_PUSH(ck->a, g->quant_names, m, arena_strdup(ck->a, name));
	g->nquants = (unsigned)n;
}

static int words(struct checker *ck, const struct node *st, struct agg *g)
{
	static const char *const usual[] = {"p50", "p90", "p99"};
	double q;

	for (size_t i = 0; i < st->n; i++) {
		const struct node *c = st->kids[i];

		if (c->kind != N_CLAUSE || strcmp(c->str, "by") == 0)
			continue;
		if (!agg_quantile(c->str, &q)) {
			diag_error(ck->d, "bad-value", c->span,
				   "a percentile lies between 0 and 100, both excluded");
			return -1;
		}
		add(ck, g, c->str, q);
	}
	if (g->nquants)
		return 0;
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		agg_quantile(usual[i], &q);
		add(ck, g, usual[i], q);
	}
	return 0;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *e = node_arg(st, 0)->kids[0];
	struct agg g = {.kind = AG_QUANTILE};
	struct agg_build b;
	int rc = agg_begin(&b, ck, st, p);

	g.e = check_number(ck, e, st->str);
	if (words(ck, st, &g) || !g.e || rc)
		return -1;
	agg_add(&b, g, NULL, NULL);
	return agg_finish(&b);
}

const struct stage_kind stage_quantile = {
	.syntax = {.name = "quantile",
		   .min_args = 1,
		   .max_args = 1,
		   .clauses = {BY, {"p*", CL_NONE}}},
	.usage = "quantile E [p50 p90 p99.9 ...] [by K, ...]",
	.brief = "percentiles, relative error at most 1 %",
	.help = "The values below which so many percent of E lie; p50 p90 p99 when none are "
		"named.\n"
		"The relative error is at most 1 %.\n"
		"  syscall:read | quantile delta.us p50 p99 p99.9 by comm",
	.on = ON_EVENTS,
	.check = check,
};
