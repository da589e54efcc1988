/* SPDX-License-Identifier: GPL-3.0-or-later */
/* folded: stacks in one line each, for flame graphs. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return render_check(ck, st, p, RENDER_FOLDED);
}

const struct stage_kind stage_folded = {
	.syntax = {.name = "folded"},
	.usage = "folded",
	.brief = "stacks in one line each, for flame graphs",
	.help = "A line a row: the keys, then the frames of the stacks from the outermost, joined "
		"by\n"
		"semicolons, then the first value. Flame graph tools read it.\n"
		"  kmem:kmalloc | count by comm, kstack | folded > kmalloc.folded",
	.on = ON_ROWS,
	.check = check,
};
