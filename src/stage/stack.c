/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stack: adds the kernel's stack. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "stack");
}

const struct stage_kind stage_stack = {
	.syntax = {.name = "stack", .max_args = 1},
	.usage = "stack [N]",
	.brief = "adds the kernel's stack",
	.help = "Adds the kernel stack of the event as kstack, at most N frames.\n  kmem:kmalloc | "
		"stack 8 | count by kstack",
	.on = ON_EVENTS,
	.check = check,
};
