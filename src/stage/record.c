/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record: writes a trace.dat. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "record");
}

const struct stage_kind stage_record = {
	.syntax = {.name = "record", .min_args = 1, .max_args = 1, .clauses = {{"last", CL_ONE}}},
	.usage = "record \"FILE\" [last DUR]",
	.brief = "writes a trace.dat",
	.help = "Writes the events to a file that trace-cmd and KernelShark read as well.\n  "
		"sched:* | record \"sched.dat\" last 5s",
	.on = ON_EVENTS,
	.check = check,
};
