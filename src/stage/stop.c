/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stop: ends tracing when an event arrives. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "stop");
}

const struct stage_kind stage_stop = {
	.syntax = {.name = "stop", .clauses = {{"after", CL_ONE}}},
	.usage = "stop [after N]",
	.brief = "ends tracing when an event arrives",
	.help = "Ends the run when an event, or the Nth, arrives.\n  kmem:kmalloc | where "
		"bytes_req > 1MiB | stop",
	.on = ON_EVENTS,
	.check = check,
};
