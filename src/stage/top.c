/* SPDX-License-Identifier: GPL-3.0-or-later */
/* top: the rows with the largest values. */
#include "stage/agg.h"

/* The column that is meant when none is named: the first value, of histograms the count */
static unsigned usual_column(const struct schema *s)
{
	if (s->hist)
		return s->n - 1;
	for (unsigned i = s->nkeys; i < s->n; i++) {
		if (type_is_num(s->cols[i].type))
			return i;
	}
	return s->nkeys < s->n ? s->nkeys : 0;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *by = node_clause(st, "by");
	const struct binding *b = NULL;
	struct op *op;
	uint64_t n;

	if (check_uint(ck, node_arg(st, 0)->kids[0], "the number of rows", 1, INT64_MAX, &n))
		return -1;
	if (by) {
		b = scope_column(ck->scope, by->kids[0]);
		if (!b) {
			scope_no_column(ck, ck->scope, by->kids[0]);
			return -1;
		}
	}
	op = check_op(ck, p, OP_TOP, st);
	op->count = n;
	op->col = b ? b->at : usual_column(&p->schema);
	op->desc = true;
	return 0;
}

const struct stage_kind stage_top = {
	.syntax = {.name = "top", .min_args = 1, .max_args = 1, .clauses = {{"by", CL_ONE}}},
	.usage = "top N [by COLUMN]",
	.brief = "the N rows with the largest values",
	.help = "Sorts by a column, largest first, and keeps N rows. Without `by`, the first "
		"value.\n"
		"  sched_switch | count by next_comm | top 10",
	.on = ON_ROWS,
	.check = check,
};
