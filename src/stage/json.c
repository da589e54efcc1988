/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json: the result shown as a JSON object a line. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return render_check(ck, st, p, RENDER_JSON);
}

const struct stage_kind stage_json = {
	.syntax = {.name = "json"},
	.usage = "json",
	.brief = "the result as a JSON object a line",
	.help = "One object a row. Times are nanoseconds, addresses strings. Events become rows of "
		"all fields.\n"
		"  irq_handler_entry | json",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
