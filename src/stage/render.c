/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How results are shown: what table, plot, csv and json have in common. */
#include "stage/agg.h"

int render_check(struct checker *ck, const struct node *st, struct pipe *p, enum render r)
{
	struct op *last = pipe_last(p);
	bool stream = r == RENDER_CSV || r == RENDER_JSON;
	struct diag *g;

	ck->render = r;
	ck->render_set = true;
	if (!p->rows) {
		if (r == RENDER_PLOT) {
			g = diag_error(ck->d, "bad-stage", st->span,
				       "'plot' shows rows, not events");
			diag_hint(ck->d, g, "put an aggregate before it: hist E, count by K");
			return -1;
		}
		if (!last || last->kind != OP_PRINT)
			last = check_op(ck, p, OP_PRINT, st);
		if (!last->nkeys && print_fields(ck, st, p, last))
			return -1;
		last->stage = &stage_print;
		if (stream)
			return 0; /* row by row as the events come */
		print_as_rows(ck, p, last);
	}
	check_op(ck, p, OP_RENDER, st)->render = r;
	return 0;
}
