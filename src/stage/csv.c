/* SPDX-License-Identifier: GPL-3.0-or-later */
/* csv: the result shown as comma-separated values. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return render_check(ck, st, p, RENDER_CSV);
}

const struct stage_kind stage_csv = {
	.syntax = {.name = "csv"},
	.usage = "csv",
	.brief = "the result as comma-separated values",
	.help = "One header line, then a line a row. Events become rows of all their fields.\n"
		"  sched_switch | count by next_comm | csv > switches.csv",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
