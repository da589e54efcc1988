/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a checked script to a text: what has a meaning elsewhere at all, then the kind's own word.
 */
#include "run_emit.h"

static const char *script_name(const struct shell *sh, struct span at)
{
	return sh->script ? sh->script : at.src ? at.src->name : "script";
}

bool run_needs_times(const struct query *q)
{
	for (const struct op *o = q->pipe->ops; o; o = o->next) {
		if (o->kind == OP_EVERY)
			return true;
	}
	return q->for_ns != 0;
}

const char *run_emit_id(struct shell *sh, const struct node *first)
{
	struct span at = first->span;

	return sh->emit->id(sh->arena, script_name(sh, at), at.src ? at.src->text : "");
}

/* 0: all can be expressed; 1: plan again, a query is left to the engine; -1 with diags */
static int refusals(const struct run_compile *c, const struct emit_input *in)
{
	int rc = 0;

	for (size_t i = 0; i < in->plan->n; i++) {
		const struct write *w = &in->plan->v[i];
		const char *why = c->sh->emit->refuse(in, w);

		if (!why || w->optional)
			continue;
		if (w->query) {
			c->no_push(c->arg, w->query - 1);
			return 1;
		}
		diag_error(c->diags, "cannot-emit", w->span, "%s", why);
		rc = -1;
	}
	return rc;
}

/* What means something on this machine only, or needs a process of ours. */
static int check_portable(const struct run_compile *c)
{
	const struct shell *sh = c->sh;
	struct span at = c->q[0]->span;

	if (sh->nfiles)
		diag_error(c->diags, "cannot-emit", at,
			   "events of a recorded file cannot be had by a compiled script");
	else if (sh->child_cmd)
		diag_error(c->diags, "cannot-emit", at, "a compiled script starts no command (-c)");
	else if (sh->s->set.npids || sh->s->set.children)
		diag_error(c->diags, "cannot-emit", at,
			   "ids of tasks (-p, set pid) mean others when the script runs");
	for (unsigned i = 0; i < c->n; i++) {
		if (c->q[i]->redirect)
			diag_error(c->diags, "cannot-emit", c->q[i]->span,
				   "a compiled script has one output: '%s %s' cannot be part of it",
				   c->q[i]->redirect, c->q[i]->target);
		for (const struct op *o = c->q[i]->pipe->ops; o; o = o->next) {
			if (o->kind == OP_RECORD || o->kind == OP_SNAPSHOT)
				diag_error(c->diags, "cannot-emit", o->span,
					   "a compiled script writes no trace.dat");
		}
	}
	return c->diags->errors ? -1 : 0;
}

int run_emit(const struct run_compile *c)
{
	struct shell *sh = c->sh;
	struct emit_input in = {.s = sh->s,
				.a = c->arena,
				.script = script_name(sh, c->q[0]->span),
				.id = c->id,
				.kernel = emit_kernel(sh->s),
				.q = c->q,
				.n = c->n,
				.for_ns = c->max_ns};
	struct buf b = {0};
	int rc;

	if (check_portable(c))
		return -1;
	for (unsigned i = 0; i < c->n; i++) {
		if (c->q[i]->for_ns > in.for_ns)
			in.for_ns = c->q[i]->for_ns;
	}
	for (unsigned i = 0; sh->emit->collected && i < c->n; i++) {
		if (run_needs_times(c->q[i]))
			c->no_push(c->arg, i);
	}
	do
		rc = c->plan(c->arg, &in) ? -1 : refusals(c, &in);
	while (rc > 0);
	if (rc == 0)
		rc = sh->emit->print(&in, &b);
	if (rc == 0)
		sh->emitted = arena_strndup(sh->arena, buf_str(&b), b.len);
	buf_free(&b);
	return rc;
}
