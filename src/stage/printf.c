/* SPDX-License-Identifier: GPL-3.0-or-later */
/* printf: a line of the user's own making per event or row. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *s = node_arg(st, 0)->kids[0];
	uint32_t len = 0;
	const char *fmt = check_string(ck, s, "the format", &len);
	struct op op = {0}, *new;
	bool failed = !fmt;
	size_t n = 0;

	for (unsigned i = 1; i < node_nargs(st); i++) {
		struct expr *e = check_expr(ck, node_arg(st, i)->kids[0]);

		if (e)
			ARENA_PUSH(ck->a, op.args, n, e);
		else
			failed = true;
	}
	op.nargs = (unsigned)n;
	if (failed || check_format(ck, s, fmt, len, op.args, op.nargs))
		return -1;
	new = check_op(ck, p, OP_PRINTF, st);
	new->str = fmt;
	new->args = op.args;
	new->nargs = op.nargs;
	ck->q->needs_order = true;
	return 0;
}

const struct stage_kind stage_printf = {
	.syntax = {.name = "printf", .min_args = 1, .max_args = UINT32_MAX},
	.usage = "printf \"FMT\", E, ...",
	.brief = "a line of your own making for each event or row",
	.help = "C's conversions %d %i %u %x %X %o %c %s %f %e %g %p with flags, width and "
		"precision; %T "
		"shows a\n"
		"time of the trace. No newline is added.\n"
		"  sched_switch | printf \"%T %s -> %s\\n\", ts, prev_comm, next_comm",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
