/* SPDX-License-Identifier: GPL-3.0-or-later */
/* agg: several aggregates at once, named. */
#include "stage/agg.h"

#include <string.h>

static const struct {
	const char *name;
	enum agg_kind kind;
} kinds[] = {
	{"count", AG_COUNT}, {"sum", AG_SUM}, {"avg", AG_AVG},
	{"min", AG_MIN},     {"max", AG_MAX}, {"distinct", AG_DISTINCT},
};
#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

static void unknown(struct checker *ck, const struct node *c)
{
	static const char *const names[] = {"count", "sum", "avg", "min", "max", "distinct", "p50"};
	struct diag *g;

	if (c->kind == E_CALL && strcmp(c->str, "quantile") == 0) {
		g = diag_error(ck->d, "bad-arguments", c->span, "'agg' takes one value a name");
		diag_hint(ck->d, g, "p50(E), p99(E)");
		return;
	}
	if (c->kind == E_CALL && (strcmp(c->str, "hist") == 0 || strcmp(c->str, "stats") == 0)) {
		g = diag_error(ck->d, "bad-arguments", c->span, "'%s' has several columns", c->str);
		diag_hint(ck->d, g, "it is a stage of its own: ... | %s E", c->str);
		return;
	}
	g = diag_error(ck->d, c->kind == E_CALL ? "unknown-function" : "bad-arguments", c->span,
		       c->kind == E_CALL ? "no aggregate '%s'" : "'%s' is no aggregate",
		       c->kind == E_CALL ? c->str : check_written(ck, c));
	if (c->kind != E_CALL ||
	    !diag_nearest(ck->d, g, c->str, names, sizeof(names) / sizeof(names[0])))
		diag_hint(ck->d, g, "count(), sum(E), avg(E), min(E), max(E), distinct(E), p99(E)");
}

/* name = sum(E): 0 or -1 with a diag */
static int one(struct agg_build *b, const struct node *arg)
{
	struct checker *ck = b->ck;
	const struct node *c = arg->kids[0];
	struct agg g = {0};
	size_t i = 0;
	double q;

	if (c->kind != E_CALL) {
		unknown(ck, c);
		return -1;
	}
	while (i < NKINDS && strcmp(kinds[i].name, c->str) != 0)
		i++;
	if (i < NKINDS) {
		g.kind = kinds[i].kind;
	} else if (agg_quantile(c->str, &q)) {
		g.kind = AG_QUANTILE;
		g.nquants = 1;
		g.quants = ARENA_NEW(ck->a, double);
		g.quants[0] = q;
		g.quant_names = ARENA_NEW(ck->a, const char *);
		g.quant_names[0] = arena_strdup(ck->a, arg->str);
	} else {
		unknown(ck, c);
		return -1;
	}
	if (c->n != (g.kind == AG_COUNT ? 0 : 1)) {
		diag_error(ck->d, "bad-arguments", c->span, "'%s' takes %s", c->str,
			   g.kind == AG_COUNT ? "no argument" : "one argument");
		return -1;
	}
	if (g.kind != AG_COUNT) {
		g.e = g.kind == AG_DISTINCT ? check_expr(ck, c->kids[0])
					    : check_number(ck, c->kids[0], c->str);
		if (!g.e)
			return -1;
	}
	for (unsigned k = 0; k < b->schema.n; k++) {
		if (strcmp(b->schema.cols[k].name, arg->str) == 0) {
			diag_error(ck->d, "duplicate-name", arg->span,
				   "there is a column '%s' already", arg->str);
			return -1;
		}
	}
	agg_add(b, g, arena_strdup(ck->a, arg->str), arena_strdup(ck->a, arg->str));
	return 0;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct agg_build b;
	int rc = agg_begin(&b, ck, st, p);

	for (unsigned i = 0; i < node_nargs(st); i++)
		rc |= one(&b, node_arg(st, i));
	return rc ? -1 : agg_finish(&b);
}

const struct stage_kind stage_agg = {
	.syntax = {.name = "agg",
		   .min_args = 1,
		   .max_args = UINT32_MAX,
		   .flags = ST_NAMED,
		   .clauses = {BY}},
	.usage = "agg NAME = FUNCTION(E), ... [by K, ...]",
	.brief = "several aggregates at once, named",
	.help = "The functions are count(), sum(E), avg(E), min(E), max(E), distinct(E) and\n"
		"percentiles such as p50(E) and p99.9(E).\n"
		"  syscall:* | agg calls = count(), total = sum(delta), worst = max(delta) by name",
	.on = ON_EVENTS,
	.check = check,
};
