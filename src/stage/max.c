/* SPDX-License-Identifier: GPL-3.0-or-later */
/* max E: the largest value. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return agg_one(ck, st, p, AG_MAX);
}

const struct stage_kind stage_max = {
	.syntax = {.name = "max", .min_args = 1, .max_args = 1, .clauses = {BY}},
	.usage = "max E [by K, ...]",
	.brief = "largest value",
	.help = "The largest value of E.\\n"
		"  sched_waking -> sched_switch on pid == next_pid | max delta by next_comm | top "
		"5",
	.on = ON_EVENTS,
	.check = check,
};
