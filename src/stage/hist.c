/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hist: histograms: power-of-two, linear (step), log-linear (digits). */
#include "stage/agg.h"

static int linear(struct checker *ck, const struct node *st, struct agg *g)
{
	const struct node *step = node_clause(st, "step"), *from = node_clause(st, "from");
	const struct node *to = node_clause(st, "to"), *one = from ? from : to;

	g->hist = HK_LINEAR;
	if (check_uint(ck, step->kids[0], "the step", 1, INT64_MAX, &g->step))
		return -1;
	if (!one)
		return 0;
	if (!from || !to) {
		diag_error(ck->d, "bad-arguments", one->span, "'from' and 'to' go together");
		return -1;
	}
	if (check_int(ck, from->kids[0], "the lower end", &g->from) ||
	    check_int(ck, to->kids[0], "the upper end", &g->to))
		return -1;
	if (g->from >= g->to) {
		diag_error(ck->d, "bad-value", to->span, "'to' must be greater than 'from'");
		return -1;
	}
	g->bounded = true;
	return 0;
}

static int shape(struct checker *ck, const struct node *st, struct agg *g)
{
	const struct node *digits = node_clause(st, "digits"), *step = node_clause(st, "step");
	const struct node *bound = node_clause(st, "from");
	struct diag *d;
	uint64_t v;

	if (!bound)
		bound = node_clause(st, "to");
	if (step && digits) {
		diag_error(ck->d, "bad-arguments", digits->span,
			   "a histogram has either 'step' or 'digits'");
		return -1;
	}
	if (step)
		return linear(ck, st, g);
	if (bound) {
		d = diag_error(ck->d, "bad-arguments", bound->span, "'%s' needs a 'step'",
			       bound->str);
		diag_hint(ck->d, d, "hist E step N from A to B");
		return -1;
	}
	if (!digits)
		return 0;
	g->hist = HK_LOGLIN;
	if (check_uint(ck, digits->kids[0], "the number of digits", 1, 3, &v))
		return -1;
	g->digits = (unsigned)v;
	return 0;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *e = node_arg(st, 0)->kids[0];
	struct agg g = {.kind = AG_HIST, .hist = HK_LOG2};
	struct agg_build b;
	int rc = agg_begin(&b, ck, st, p);

	g.e = check_number(ck, e, st->str);
	if (shape(ck, st, &g) || !g.e || rc)
		return -1;
	agg_add(&b, g, arena_printf(ck->a, "hist(%s)", check_written(ck, e)),
		arena_printf(ck->a, "hist(%s)", check_canon(ck, e)));
	return agg_finish(&b);
}

const struct stage_kind stage_hist = {
	.syntax = {.name = "hist",
		   .min_args = 1,
		   .max_args = 1,
		   .clauses = {BY,
			       {"step", CL_ONE},
			       {"from", CL_ONE},
			       {"to", CL_ONE},
			       {"digits", CL_ONE}}},
	.usage = "hist E [step N [from A to B] | digits N] [by K, ...]",
	.brief = "histogram",
	.help = "How often E had which values. Without more, the buckets are powers of two as the\n"
		"kernel's: 0-1, 2, 3-4, 5-8, 9-16 and so on. `step N` makes buckets of equal "
		"width,\n"
		"`from A to B` bounds them, `digits N` keeps N leading digits.\n"
		"The columns are the keys, lo, hi (lo <= value <= hi) and count.\n"
		"  sched_waking -> sched_switch on pid == next_pid | hist delta.us by next_comm\n"
		"  kmem:kmalloc | hist bytes_req step 64 from 0 to 1024",
	.on = ON_EVENTS,
	.check = check,
};
