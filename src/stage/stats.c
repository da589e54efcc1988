/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stats E: the usual figures at once. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return agg_one(ck, st, p, AG_STATS);
}

const struct stage_kind stage_stats = {
	.syntax = {.name = "stats", .min_args = 1, .max_args = 1, .clauses = {BY}},
	.usage = "stats E [by K, ...]",
	.brief = "count, min, avg, max, stddev and total at once",
	.help = "Gives the columns count, min, avg, max, stddev and total of E.\\n"
		"  irq_handler_entry -> irq_handler_exit on cpu, irq | stats delta by name",
	.on = ON_EVENTS,
	.check = check,
};
