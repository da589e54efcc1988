/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speculate: holds events back until it is known whether they matter. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "speculate");
}

const struct stage_kind stage_speculate = {
	.syntax = {.name = "speculate",
		   .flags = ST_COND,
		   .clauses = {BY, {"from", CL_ONE}, {"commit", CL_ONE}, {"discard", CL_ONE}}},
	.usage = "speculate by K from P commit Q [discard R]",
	.brief = "holds events back until it is known whether they matter",
	.help = "Holds back the events of a key from the one where P holds; the one where Q holds "
		"lets them and\n"
		"itself through, in time order; R or a new P drops them.\n  sched:* | speculate by "
		"tid from event == \"sched_waking\" commit event == \"sched_switch\"",
	.on = ON_EVENTS,
	.check = check,
};
