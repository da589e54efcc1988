/* SPDX-License-Identifier: GPL-3.0-or-later */
/* every: results at intervals. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct op *op;
	uint64_t ns;

	for (op = p->ops; op; op = op->next) {
		if (op->kind == OP_EVERY) {
			diag_error(ck->d, "bad-stage", st->span, "'every' stands here twice");
			return -1;
		}
	}
	if (check_duration(ck, node_arg(st, 0)->kids[0], true, &ns))
		return -1;
	op = check_op(ck, p, OP_EVERY, st);
	op->ns = ns;
	op->keep = node_clause(st, "keep");
	ck->q->needs_order = true;
	return 0;
}

const struct stage_kind stage_every = {
	.syntax = {.name = "every", .min_args = 1, .max_args = 1, .clauses = {{"keep", CL_NONE}}},
	.usage = "every DUR [keep]",
	.brief = "prints the result each interval",
	.help = "Prints the result and clears it each interval; with `keep` it goes on adding up.\n"
		"  sched_switch | count by cpu | every 1s",
	.on = ON_ROWS,
	.check = check,
};
