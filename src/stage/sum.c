/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sum E: the total of a number. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	return agg_one(ck, st, p, AG_SUM);
}

const struct stage_kind stage_sum = {
	.syntax = {.name = "sum", .min_args = 1, .max_args = 1, .clauses = {BY}},
	.usage = "sum E [by K, ...]",
	.brief = "sum of a number",
	.help = "Adds up E over the events, for each set of keys, exactly. Events where E is null "
		"add nothing.\\n"
		"  kmem:kmalloc | sum bytes_alloc by call_site.sym | top 10",
	.on = ON_EVENTS,
	.check = check,
};
