/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sort: rows in the order of a column. */
#include "stage/agg.h"

#include <string.h>

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *e = node_arg(st, 0)->kids[0];
	bool desc = node_clause(st, "desc");
	const struct binding *b = scope_column(ck->scope, e);
	struct op *op;

	if (!b && e->kind == E_UNARY && strcmp(e->str, "-") == 0) {
		b = scope_column(ck->scope, e->kids[0]); /* `sort -count`: the other way round */
		desc = !desc;
	}
	if (!b) {
		if (e->kind == E_NAME || e->kind == E_DOT || e->kind == E_CALL) {
			scope_no_column(ck, ck->scope, e);
		} else {
			struct diag *g = diag_error(ck->d, "bad-arguments", e->span,
						    "'sort' takes a column");

			diag_hint(ck->d, g, "add one: ... | let x = %s | sort x",
				  check_written(ck, e));
		}
		return -1;
	}
	op = check_op(ck, p, OP_SORT, st);
	op->col = b->at;
	op->desc = desc;
	return 0;
}

const struct stage_kind stage_sort = {
	.syntax = {.name = "sort", .min_args = 1, .max_args = 1, .clauses = {{"desc", CL_NONE}}},
	.usage = "sort COLUMN [desc]",
	.brief = "rows in order of a column",
	.help = "Smallest first, with `desc` largest first. Equal rows keep their order.\n"
		"  sched_switch | count by next_comm | sort next_comm\n"
		"  kmem:kmalloc | sum bytes_req by call_site.sym | sort sum(bytes_req) desc",
	.on = ON_ROWS,
	.check = check,
};
