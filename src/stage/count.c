/* SPDX-License-Identifier: GPL-3.0-or-later */
/* count: how many events. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct agg_build b;

	if (agg_begin(&b, ck, st, p))
		return -1;
	agg_add(&b, (struct agg){.kind = AG_COUNT}, "count", "count");
	return agg_finish(&b);
}

const struct stage_kind stage_count = {
	.syntax = {.name = "count", .clauses = {BY}},
	.usage = "count [by K, ...]",
	.brief = "number of events",
	.help = "Counts events, for each set of keys when there are any.\n"
		"  sched_switch | count by next_comm | top 10",
	.on = ON_EVENTS,
	.check = check,
};
