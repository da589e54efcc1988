/* SPDX-License-Identifier: GPL-3.0-or-later */
/* snapshot: keeps what the buffer holds when an event arrives. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const char *path = "snapshot.dat";
	uint32_t len = 0;

	if (node_nargs(st)) {
		path = check_string(ck, node_arg(st, 0)->kids[0], "the file's name", &len);
		if (!path)
			return -1;
		if (!*path) {
			diag_error(ck->d, "bad-value", node_arg(st, 0)->span,
				   "a file without a name");
			return -1;
		}
	}
	check_op(ck, p, OP_SNAPSHOT, st)->str = path;
	ck->q->needs_order = true;
	return 0;
}

const struct stage_kind stage_snapshot = {
	.syntax = {.name = "snapshot", .max_args = 1},
	.usage = "snapshot [\"FILE\"]",
	.brief = "keeps what the buffer holds when an event arrives",
	.help = "Keeps the events of the source up to the first that arrives here, as many as a "
		"buffer holds\n"
		"(set buffer), in a trace.dat: what led to it. Where the way to here is conditions "
		"that an event\n"
		"filter can hold, the kernel stops the buffer in that moment, else tracesh does "
		"when "
		"it sees the\n"
		"event. FILE is snapshot.dat unless given. Over a file it has no meaning.\n"
		"  (sched_waking -> sched_switch on pid == next_pid) | where delta > 5ms | "
		"snapshot "
		"\"slow.dat\"",
	.on = ON_EVENTS,
	.check = check,
};
