/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ustack: adds the program's stack. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "ustack");
}

const struct stage_kind stage_ustack = {
	.syntax = {.name = "ustack", .max_args = 1},
	.usage = "ustack [N]",
	.brief = "adds the program's stack",
	.help = "Adds the stack of the running program as ustack, at most N frames.\n  "
		"syscall:openat | ustack | count by ustack",
	.on = ON_EVENTS,
	.check = check,
};
