/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys, columns and types of aggregates: what count, sum, hist and their kin have in common. */
#include "stage/agg.h"

#include <stdlib.h>
#include <string.h>

static void add_column(struct agg_build *b, const char *name, const char *canon, struct type t,
		       bool key, const struct field *symfield)
{
	size_t n = b->schema.n;

	t.literal = false;
	ARENA_PUSH(b->ck->a, b->schema.cols, n,
		   ((struct column){.name = name, .type = t, .key = key}));
	b->schema.n = (unsigned)n;
	ARENA_PUSH(b->ck->a, b->canons, b->ncanons, canon);
	ARENA_PUSH(b->ck->a, b->symfields, b->nsymfields, symfield);
	b->schema.nkeys += key;
}

static int add_keys(struct agg_build *b, const struct node *by)
{
	struct checker *ck = b->ck;
	const char **canons;
	bool failed = false;

	if (check_keys(ck, by->kids, by->n, &b->op->keys, &b->op->nkeys, &canons))
		return -1;
	for (unsigned i = 0; i < b->op->nkeys; i++) {
		const struct key *k = &b->op->keys[i];

		for (unsigned j = 0; j < i; j++) {
			if (strcmp(canons[i], canons[j]) == 0) {
				diag_error(ck->d, "duplicate-name", k->e->span,
					   "key '%s' stands here twice", k->name);
				failed = true;
			}
		}
		add_column(b, k->name, canons[i], k->e->type, true, expr_symfield(k->e));
	}
	return failed ? -1 : 0;
}

int agg_begin(struct agg_build *b, struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *by = node_clause(st, "by");

	*b = (struct agg_build){.ck = ck, .st = st, .p = p};
	b->op = ARENA_NEW(ck->a, struct op);
	b->op->kind = OP_AGG;
	b->op->span = st->span;
	return by ? add_keys(b, by) : 0;
}

static struct type sum_type(struct type t)
{
	if (t.kind == T_BOOL || t.kind == T_ADDR || t.kind == T_NULL)
		t.kind = T_INT;
	return t;
}

void agg_add(struct agg_build *b, struct agg g, const char *name, const char *canon)
{
	struct type whole = type_int(SG_UNSIGNED), dec = {.kind = T_DEC}, e = whole;
	size_t n = b->op->naggs;

	if (g.e)
		e = sum_type(g.e->type);
	g.name = name;
	switch (g.kind) {
	case AG_COUNT:
	case AG_DISTINCT: add_column(b, name, canon, whole, false, NULL); break;
	case AG_SUM: add_column(b, name, canon, e, false, NULL); break;
	case AG_AVG: add_column(b, name, canon, dec, false, NULL); break;
	case AG_MIN:
	case AG_MAX: add_column(b, name, canon, g.e->type, false, expr_symfield(g.e)); break;
	case AG_STATS:
		add_column(b, "count", "count", whole, false, NULL);
		add_column(b, "min", "min", g.e->type, false, NULL);
		add_column(b, "avg", "avg", dec, false, NULL);
		add_column(b, "max", "max", g.e->type, false, NULL);
		add_column(b, "stddev", "stddev", dec, false, NULL);
		add_column(b, "total", "total", e, false, NULL);
		break;
	case AG_HIST:
		add_column(b, "lo", "lo", e, false, NULL);
		add_column(b, "hi", "hi", e, false, NULL);
		add_column(b, "count", "count", whole, false, NULL);
		b->schema.hist = true;
		b->schema.hist_type = e;
		break;
	case AG_QUANTILE:
		for (unsigned i = 0; i < g.nquants; i++)
			add_column(b, g.quant_names[i], g.quant_names[i], g.e->type, false, NULL);
		break;
	}
	ARENA_PUSH(b->ck->a, b->op->aggs, n, g);
	b->op->naggs = (unsigned)n;
}

int agg_finish(struct agg_build *b)
{
	struct op *last = pipe_last(b->p);

	if (last)
		last->next = b->op;
	else
		b->p->ops = b->op;
	b->p->rows = true;
	b->p->schema = b->schema;
	scope_rows(b->ck, b->ck->scope, &b->p->schema, b->canons, b->symfields);
	return 0;
}

int agg_one(struct checker *ck, const struct node *st, struct pipe *p, enum agg_kind kind)
{
	const struct node *e = node_arg(st, 0)->kids[0];
	struct agg g = {.kind = kind};
	struct agg_build b;
	int rc = agg_begin(&b, ck, st, p);

	g.e = kind == AG_DISTINCT ? check_expr(ck, e) : check_number(ck, e, st->str);
	if (!g.e || rc)
		return -1;
	agg_add(&b, g, arena_printf(ck->a, "%s(%s)", st->str, check_written(ck, e)),
		arena_printf(ck->a, "%s(%s)", st->str, check_canon(ck, e)));
	return agg_finish(&b);
}

bool agg_quantile(const char *word, double *q)
{
	char *end;

	if (word[0] != 'p' || word[1] < '0' || word[1] > '9')
		return false;
	*q = strtod(word + 1, &end);
	return !*end && *q > 0 && *q < 100;
}
