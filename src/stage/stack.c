/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stack, ustack: give events their stack under a name of its own. */
#include "stage/agg.h"

static int add(struct checker *ck, const struct node *st, struct pipe *p, enum builtin b)
{
	const char *name = builtin_name(b);
	uint64_t max = 0;
	struct expr *e;
	struct op *op;

	if (node_nargs(st) &&
	    check_uint(ck, node_arg(st, 0)->kids[0], "the number of frames", 1, 1000, &max))
		return -1;
	op = check_op(ck, p, OP_STACK, st);
	op->count = max;
	e = scope_name(ck, ck->scope, name, st->span, true);
	/* a slot: a pipeline in parentheses has it already */
	if (!e || e->op != XO_SLOT) {
		e = scope_builtin(ck, &p->src->evs, b, st->span);
		e->num = max;
	}
	op->lets = ARENA_NEW(ck->a, struct let);
	op->nlets = 1;
	op->lets[0] = (struct let){.name = name, .e = e, .slot = ck->q->nslots++};
	scope_bind(ck, ck->scope, name, name, e->type, op->lets[0].slot, NULL);
	return 0;
}

static int check_kernel(struct checker *ck, const struct node *st, struct pipe *p)
{
	return add(ck, st, p, BI_KSTACK);
}

static int check_user(struct checker *ck, const struct node *st, struct pipe *p)
{
	return add(ck, st, p, BI_USTACK);
}

const struct stage_kind stage_stack = {
	.syntax = {.name = "stack", .max_args = 1},
	.usage = "stack [N]",
	.brief = "adds the kernel's stack",
	.help = "Gives each event kstack: the functions of the kernel that led to it, the "
		"innermost\n"
		"first, at most N. `print` shows it below the event. Without this stage kstack is\n"
		"there as well, whole.\n"
		"  kmem:kmalloc | stack 8 | count by kstack\n"
		"  sched_switch | count by kstack | folded",
	.on = ON_EVENTS,
	.check = check_kernel,
};

const struct stage_kind stage_ustack = {
	.syntax = {.name = "ustack", .max_args = 1},
	.usage = "ustack [N]",
	.brief = "adds the program's stack",
	.help = "Gives each event ustack: the functions of the running program that led to it, "
		"the\n"
		"innermost first, at most N. The kernel follows frame pointers and gives no more\n"
		"than eight frames; programs built without them show the innermost one or two.\n"
		"  syscall:openat | ustack | count by ustack",
	.on = ON_EVENTS,
	.check = check_user,
};
