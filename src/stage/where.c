/* SPDX-License-Identifier: GPL-3.0-or-later */
/* where: events, or rows, that satisfy a condition. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct expr *e = check_cond(ck, node_arg(st, 0)->kids[0]);

	if (!e)
		return -1;
	check_op(ck, p, OP_WHERE, st)->cond = e;
	return 0;
}

const struct stage_kind stage_where = {
	.syntax = {.name = "where", .min_args = 1, .max_args = 1, .flags = ST_COND},
	.usage = "where E",
	.brief = "events (or rows) that satisfy a condition",
	.help = "Lets through what satisfies E. Null satisfies nothing.\n"
		"  sched_switch | where prev_state == \"D\" && prev_comm ~ \"kworker*\"\n"
		"  sched_switch | count by next_comm | where count > 100",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
