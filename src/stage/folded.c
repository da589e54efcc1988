/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folded: stacks in one line each, for flame graphs. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	(void)p;
	return check_not_yet(ck, st->span, "folded");
}

const struct stage_kind stage_folded = {
	.syntax = {.name = "folded"},
	.usage = "folded",
	.brief = "stacks in one line each, for flame graphs",
	.help = "Stacks with their counts, one a line, frames joined by semicolons.\n  "
		"kmem:kmalloc | stack | count by kstack | folded",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
