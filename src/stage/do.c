/* SPDX-License-Identifier: GPL-3.0-or-later */
/* do: a block of statements for each event. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "do");
}

const struct stage_kind stage_do = {
	.syntax = {.name = "do", .flags = ST_BLOCK},
	.usage = "do { ... }",
	.brief = "a block of statements for each event",
	.help = "Statements with maps, variables, conditions and loops, run for each event.\n  "
		"syscall:openat | do { if (ret < 0) { @errors[comm] = count() } }",
	.on = ON_EVENTS,
	.check = check,
};
