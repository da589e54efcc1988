/* SPDX-License-Identifier: GPL-3.0-or-later */
/* avg E: the mean of a number. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return agg_one(ck, st, p, AG_AVG);
}

const struct stage_kind stage_avg = {
	.syntax = {.name = "avg", .min_args = 1, .max_args = 1, .clauses = {BY}},
	.usage = "avg E [by K, ...]",
	.brief = "arithmetic mean of a number",
	.help = "The mean of E, with six decimals. Events where E is null are not counted.\\n"
		"  sched_waking -> sched_switch on pid == next_pid | avg delta.us by next_comm",
	.on = ON_EVENTS,
	.check = check,
};
