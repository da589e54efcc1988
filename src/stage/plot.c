/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plot: the result shown as bars. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return render_check(ck, st, p, RENDER_PLOT);
}

const struct stage_kind stage_plot = {
	.syntax = {.name = "plot"},
	.usage = "plot",
	.brief = "the result as bars",
	.help = "Bars beside the rows; of histograms also the empty buckets between filled ones.\n"
		"  syscall:read | hist ret | plot",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
