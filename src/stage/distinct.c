/* SPDX-License-Identifier: GPL-3.0-or-later */
/* distinct E: how many different values. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return agg_one(ck, st, p, AG_DISTINCT);
}

const struct stage_kind stage_distinct = {
	.syntax = {.name = "distinct", .min_args = 1, .max_args = 1, .clauses = {BY}},
	.usage = "distinct E [by K, ...]",
	.brief = "number of different values",
	.help = "Counts how many different values E has.\\n"
		"  sched_switch | distinct next_pid by cpu",
	.on = ON_EVENTS,
	.check = check,
};
