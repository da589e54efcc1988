/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stop: ends tracing when an event arrives. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *after = node_clause(st, "after");
	uint64_t n = 1;

	if (after && check_uint(ck, after->kids[0], "the number of events", 1, INT64_MAX, &n))
		return -1;
	check_op(ck, p, OP_STOP, st)->count = n;
	ck->q->needs_order = true;
	return 0;
}

const struct stage_kind stage_stop = {
	.syntax = {.name = "stop", .clauses = {{"after", CL_ONE}}},
	.usage = "stop [after N]",
	.brief = "ends tracing when an event arrives",
	.help = "Ends the run, with all its pipelines, when an event arrives, or the Nth. Where "
		"the "
		"way to here\n"
		"is conditions that an event filter can hold, the kernel itself switches tracing "
		"off "
		"at the first.\n"
		"Over a file the reading ends.\n"
		"  kmem:kmalloc | where bytes_req > 1MiB | print | stop",
	.on = ON_EVENTS,
	.check = check,
};
