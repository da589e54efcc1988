/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snapshot: keeps what the buffer holds when an event arrives. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "snapshot");
}

const struct stage_kind stage_snapshot = {
	.syntax = {.name = "snapshot", .max_args = 1},
	.usage = "snapshot [\"FILE\"]",
	.brief = "keeps what the buffer holds when an event arrives",
	.help = "Keeps the contents of the trace buffer at the moment an event arrives.\n  "
		"sched_switch | where prev_state == \"D\" | snapshot",
	.on = ON_EVENTS,
	.check = check,
};
