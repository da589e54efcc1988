/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages in one list, and what holds for all of them: which may follow which. */
#include "stage/agg.h"

#include <string.h>

const struct stage_kind *const stage_kinds[] = {
	&stage_where,
	&stage_let,
	&stage_count,
	&stage_sum,
	&stage_avg,
	&stage_min,
	&stage_max,
	&stage_stats,
	&stage_hist,
	&stage_quantile,
	&stage_distinct,
	&stage_agg,
	&stage_sort,
	&stage_top,
	&stage_limit,
	&stage_every,
	&stage_print,
	&stage_printf,
	&stage_stack,
	&stage_ustack,
	&stage_speculate,
	&stage_do,
	&stage_record,
	&stage_snapshot,
	&stage_stop,
	&stage_table,
	&stage_plot,
	&stage_csv,
	&stage_json,
	&stage_folded,
	NULL,
};

const struct stage_kind *stage_find(const char *name)
{
	for (size_t i = 0; stage_kinds[i]; i++) {
		if (strcmp(stage_kinds[i]->syntax.name, name) == 0)
			return stage_kinds[i];
	}
	return NULL;
}

static bool is_output(const struct stage_kind *k)
{
	return k == &stage_table || k == &stage_plot || k == &stage_csv || k == &stage_json ||
	       k == &stage_folded;
}

static int misplaced(struct checker *ck, const struct node *st, const char *fmt, const char *after,
		     const char *hint)
{
	struct diag *g = diag_error(ck->d, "bad-stage", st->span, fmt, st->str, after);

	if (hint)
		diag_hint(ck->d, g, "%s", hint);
	return -1;
}

/* What may follow a `print` of events: more of it as rows, its output, a limit. */
static int after_print(struct checker *ck, const struct node *st, struct pipe *p, struct op *print,
		       const struct stage_kind *k)
{
	if (k == &stage_limit || (is_output(k) && k != &stage_plot && k != &stage_folded))
		return 0;
	if (!(k->on & ON_ROWS) || k == &stage_printf || k == &stage_print)
		return misplaced(ck, st, "'%s' cannot follow '%s'", "print",
				 "put it before the print");
	if (!print->nkeys)
		return misplaced(ck, st, "'%s' works on columns, and '%s' alone has none", "print",
				 "name them: print ts, comm, ...");
	print_as_rows(ck, p, print);
	return 0;
}

static int place(struct checker *ck, const struct node *st, struct pipe *p,
		 const struct stage_kind *k)
{
	struct op *last = pipe_last(p);

	if (ck->render_set && !ck->nested)
		return misplaced(ck, st, "'%s' cannot follow the stage that says how %s",
				 "the result is shown", "an output stage comes last");
	if (last && last->kind == OP_PRINTF)
		return misplaced(ck, st, "'%s' cannot follow '%s'", "printf",
				 "printf comes last; every result has been printed by then");
	if (last && last->kind == OP_PRINT && !last->rows && !p->rows)
		return after_print(ck, st, p, last, k);
	if (p->rows && !(k->on & ON_ROWS))
		return misplaced(
			ck, st, "'%s' works on events, but after %s there are rows", "an aggregate",
			k->syntax.clauses[0].word ? "several at once: agg a = count(), b = sum(E)"
						  : NULL);
	if (!p->rows && !(k->on & ON_EVENTS))
		return misplaced(ck, st, "'%s' works on rows%s, and here are events", "",
				 "put an aggregate (count by K) or `print E, ...` before it");
	return 0;
}

int stage_check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct stage_kind *k = stage_find(st->str);
	int rc;

	if (!k) {
		diag_error(ck->d, "unknown-stage", st->span, "no stage '%s'", st->str);
		return -1;
	}
	if (place(ck, st, p, k))
		return -1;
	rc = k->check(ck, st, p);
	for (struct op *op = p->ops; op; op = op->next) {
		if (!op->stage)
			op->stage = k;
	}
	return rc;
}

static bool is_end(const struct op *o)
{
	return o->kind == OP_PRINT || o->kind == OP_PRINTF || o->kind == OP_RECORD ||
	       o->kind == OP_SNAPSHOT || o->kind == OP_STOP ||
	       (o->kind == OP_BLOCK && !o->block->speculates);
}

/* With no print, aggregate or sink at its end, a pipeline prints its events. */
int stage_finish(struct checker *ck, struct pipe *p)
{
	const struct op *last = pipe_last(p);
	enum out_format f = ck->s->set.format;
	struct op *op;

	if (p->rows || (last && is_end(last)))
		return 0;
	if (f != FMT_CSV && f != FMT_JSON) {
		print_all(ck, p, ck->top);
		return 0;
	}
	ck->scope = scope_of(ck, p);
	op = check_op(ck, p, OP_PRINT, ck->top);
	op->stage = &stage_print;
	return print_fields(ck, ck->top, p, op);
}
