/* SPDX-License-Identifier: GPL-3.0-or-later */
/* record: the events into a trace.dat, straight from the kernel's buffer. */
#include "stage/agg.h"

/* What the kernel can do by itself before it records, in all parts of the source */
static int kernels_own(struct checker *ck, const struct pipe *p, const struct node *st)
{
	const struct src *src = p->src;
	struct diag *g;

	for (const struct op *o = p->ops; o; o = o->next) {
		if (o->kind == OP_WHERE || o->kind == OP_STACK)
			continue;
		g = diag_error(ck->d, "bad-stage", st->span,
			       "'record' takes events as the kernel writes them");
		diag_hint(ck->d, g, "only where, stack and ustack may stand before it");
		return -1;
	}
	if (src->kind == SRC_PAIR) {
		g = diag_error(ck->d, "bad-stage", st->span,
			       "'record' takes events as the kernel writes them, a pair is made "
			       "of two");
		diag_hint(ck->d, g,
			  "record both, A, B | record \"FILE\", and pair them over the "
			  "file");
		return -1;
	}
	for (unsigned i = 0; i < src->nkids; i++) {
		if (kernels_own(ck, src->kids[i], st))
			return -1;
	}
	return 0;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *last = node_clause(st, "last");
	uint32_t len = 0;
	const char *path = check_string(ck, node_arg(st, 0)->kids[0], "the file's name", &len);
	uint64_t ns = 0;
	struct op *op;

	if (!path || (last && check_duration(ck, last->kids[0], true, &ns)))
		return -1;
	if (!*path) {
		diag_error(ck->d, "bad-value", node_arg(st, 0)->span, "a file without a name");
		return -1;
	}
	if (kernels_own(ck, p, st))
		return -1;
	op = check_op(ck, p, OP_RECORD, st);
	op->str = path;
	op->ns = ns;
	return 0;
}

const struct stage_kind stage_record = {
	.syntax = {.name = "record", .min_args = 1, .max_args = 1, .clauses = {{"last", CL_ONE}}},
	.usage = "record \"FILE\" [last DUR]",
	.brief = "writes a trace.dat",
	.help = "Writes the events to a file that trace-cmd and KernelShark read as well. Pages go "
		"from the\n"
		"kernel's buffer to the file as they are, so only what the kernel can sift may "
		"stand "
		"before it:\n"
		"conditions that an event filter can hold, and stacks. \"-\" is standard output, "
		"written at the end.\n"
		"With `last` nothing is written until the end, and then what happened in that "
		"time, "
		"as far as\n"
		"the buffer holds it (set buffer). `set compress zstd` writes version 7, "
		"compressed.\n"
		"  sched:*, irq:* | record \"load.dat\"\n"
		"  sched_switch | where prev_comm == \"bash\" | record \"bash.dat\" last 5s",
	.on = ON_EVENTS,
	.check = check,
};
