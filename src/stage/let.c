/* SPDX-License-Identifier: GPL-3.0-or-later */
/* let: further fields of events, further columns of rows. */
#include "stage/agg.h"

#include <string.h>

static bool taken(struct checker *ck, const struct node *a)
{
	struct scope *sc = ck->scope;
	bool found = false;

	for (size_t i = 0; i < sc->nlets; i++)
		found |= strcmp(sc->lets[i].name, a->str) == 0;
	if (!found && !sc->pipe->rows)
		found = builtin_find(a->str) != BI_NONE ||
			scope_name(ck, sc, a->str, a->span, true);
	if (found)
		diag_error(ck->d, "duplicate-name", a->span, "there is a %s '%s' already",
			   sc->pipe->rows ? "column" : "field", a->str);
	return found;
}

static unsigned add_column(struct checker *ck, struct pipe *p, const char *name, struct type t)
{
	size_t n = p->schema.n;
	struct column *cols = ARENA_ARRAY(ck->a, struct column, n + 1);

	t.literal = false;
	if (n)
		memcpy(cols, p->schema.cols, n * sizeof(*cols));
	cols[n] = (struct column){.name = name, .type = t};
	p->schema.cols = cols;
	p->schema.n++;
	p->schema.hist = false; /* the last three columns are no longer the bucket */
	return (unsigned)n;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct op *op = check_op(ck, p, OP_LET, st);
	size_t n = 0;
	int rc = 0;

	for (unsigned i = 0; i < node_nargs(st); i++) {
		const struct node *a = node_arg(st, i);
		const char *name = arena_strdup(ck->a, a->str);
		struct expr *e;
		struct let l;

		if (taken(ck, a)) {
			rc = -1;
			continue;
		}
		e = check_expr(ck, a->kids[0]);
		if (!e) {
			scope_bind(ck, ck->scope, name, name, (struct type){.kind = T_NULL}, 0,
				   NULL)
				->failed = true;
			rc = -1;
			continue;
		}
		l = (struct let){.name = name, .e = e};
		l.slot = p->rows ? add_column(ck, p, name, e->type) : ck->q->nslots++;
		scope_bind(ck, ck->scope, name, name, e->type, l.slot, expr_symfield(e));
		ARENA_PUSH(ck->a, op->lets, n, l);
		op->nlets = (unsigned)n;
	}
	return rc;
}

const struct stage_kind stage_let = {
	.syntax = {.name = "let",
		   .min_args = 1,
		   .max_args = UINT32_MAX,
		   .flags = ST_NAMED | ST_COND},
	.usage = "let NAME = E, ...",
	.brief = "adds fields to events, columns to rows",
	.help = "Gives values a name for the stages that follow.\n"
		"  kmem:kmalloc | let waste = bytes_alloc - bytes_req | sum waste by call_site.sym",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
