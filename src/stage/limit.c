/* SPDX-License-Identifier: GPL-3.0-or-later */
/* limit: the first events or rows. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct op *op, *last = pipe_last(p);
	uint64_t n;

	if (check_uint(ck, node_arg(st, 0)->kids[0], "the limit", 1, INT64_MAX, &n))
		return -1;
	op = check_op(ck, p, OP_LIMIT, st);
	op->count = n;
	if (op->rows)
		return 0;
	ck->q->needs_order = true;
	if (last && last->kind == OP_PRINT) { /* `print x | limit 5`: print what comes through */
		struct op moved = *last;

		*last = *op;
		last->stage = &stage_limit;
		last->next = op;
		*op = moved;
		op->next = NULL;
	}
	return 0;
}

const struct stage_kind stage_limit = {
	.syntax = {.name = "limit", .min_args = 1, .max_args = 1},
	.usage = "limit N",
	.brief = "the first N events or rows",
	.help = "Lets N events, or rows, through; a pipeline of events ends then.\n"
		"  sched_switch | where prev_comm == \"bash\" | limit 20",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
