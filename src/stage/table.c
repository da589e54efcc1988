/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table: the result shown as columns, aligned. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return render_check(ck, st, p, RENDER_TABLE);
}

const struct stage_kind stage_table = {
	.syntax = {.name = "table"},
	.usage = "table",
	.brief = "the result as columns, aligned",
	.help = "The columns of the result, aligned; the default on a terminal.\n"
		"  sched_switch | count by next_comm | table",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
