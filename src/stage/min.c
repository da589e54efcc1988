/* SPDX-License-Identifier: GPL-3.0-or-later */
/* min E: the smallest value. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return agg_one(ck, st, p, AG_MIN);
}

const struct stage_kind stage_min = {
	.syntax = {.name = "min", .min_args = 1, .max_args = 1, .clauses = {BY}},
	.usage = "min E [by K, ...]",
	.brief = "smallest value",
	.help = "The smallest value of E.\\n"
		"  syscall:* | min delta by name",
	.on = ON_EVENTS,
	.check = check,
};
