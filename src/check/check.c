/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check_query: one pipeline from tree to query: its source and stages, then its end (redirection,
 * `for`, `&`). Helpers that stages are written with are here too.
 */
#include "check/checker.h"

#include <string.h>

struct op *pipe_last(const struct pipe *p)
{
	struct op *op = p->ops;

	while (op && op->next)
		op = op->next;
	return op;
}

struct op *check_op(struct checker *ck, struct pipe *p, enum op_kind kind, const struct node *st)
{
	struct op *op = ARENA_NEW(ck->a, struct op), *last = pipe_last(p);

	op->kind = kind;
	op->span = st->span;
	op->rows = p->rows;
	if (last)
		last->next = op;
	else
		p->ops = op;
	return op;
}

int check_keys(struct checker *ck, struct node *const *v, size_t n, struct key **keys,
	       unsigned *nkeys, const char ***canons)
{
	bool failed = false;

	*keys = ARENA_ARRAY(ck->a, struct key, n + 1);
	*canons = ARENA_ARRAY(ck->a, const char *, n + 1);
	*nkeys = 0;
	for (size_t i = 0; i < n; i++) {
		const struct node *k = v[i]->kind == N_ARG ? v[i]->kids[0] : v[i];
		struct expr *e = check_expr(ck, k);

		if (!e) {
			failed = true;
			continue;
		}
		(*canons)[*nkeys] = check_canon(ck, k);
		(*keys)[(*nkeys)++] = (struct key){.e = e, .name = check_written(ck, k)};
	}
	return failed ? -1 : 0;
}

void check_tasks(struct checker *ck)
{
	ck->q->needs_tasks = true;
	ck->q->needs_order = true; /* names and processes are followed in time */
}

int check_not_yet(struct checker *ck, struct span at, const char *what)
{
	diag_error(ck->d, "not-yet", at, "'%s' is not carried out yet", what);
	return -1;
}

static int redirect(struct checker *ck, const struct node *n)
{
	const struct node *w = n->kids[0];
	uint32_t len;

	ck->q->redirect = arena_strdup(ck->a, n->str);
	if (w->kind == E_STRING)
		ck->q->target = check_decoded(ck, w, &len);
	else if (strcmp(n->str, "|!") == 0)
		ck->q->target =
			arena_strdup(ck->a, w->str); /* the shell it goes to has its own $ */
	else
		ck->q->target = check_expand(ck->a, ck->d, ck->env, w->str, w->span);
	return ck->q->target ? 0 : -1;
}

static int pipeline_end(struct checker *ck, const struct node *n)
{
	int rc = 0;

	for (size_t i = 1; i < n->n; i++) {
		const struct node *k = n->kids[i];

		if (k->kind == N_REDIRECT)
			rc |= redirect(ck, k);
		else if (k->kind == N_FOR_DUR)
			rc |= check_duration(ck, k->kids[0], true, &ck->q->for_ns);
	}
	return rc;
}

/* A block without a source: begin, end, tick. Its pipe has no events. */
static struct pipe *check_hook(struct checker *ck, const struct node *n)
{
	struct src *src = src_new(ck, SRC_EVENTS, n);
	enum hook hook = n->kind == N_BEGIN ? HOOK_BEGIN : n->kind == N_END ? HOOK_END : HOOK_TICK;
	struct pipe *p = pipe_new(ck, src);
	struct op *op = check_op(ck, p, OP_BLOCK, n);
	uint64_t tick = 0;
	int rc = 0;

	if (hook == HOOK_TICK)
		rc = check_duration(ck, n->kids[0], true, &tick);
	ck->scope = scope_of(ck, p);
	op->block = check_block(ck, n->kids[n->n - 1], hook);
	if (rc || !op->block)
		return NULL;
	op->block->tick = tick;
	ck->q->hook = op->block;
	return p;
}

static bool is_hook(const struct node *n)
{
	return n->kind == N_BEGIN || n->kind == N_END || n->kind == N_TICK;
}

struct query *check_query(struct session *s, struct catalog *c, struct arena *a, struct diags *d,
			  const struct check_env *env, const struct node *pipeline)
{
	struct query *q = ARENA_NEW(a, struct query);
	struct checker ck = {.s = s, .c = c, .a = a, .d = d, .env = env, .q = q, .top = pipeline};
	unsigned errors = d->errors;

	q->arena = a;
	q->span = pipeline->span;
	ck.globals = q->globals = env ? env->globals : NULL;
	q->origin_span = pipeline->kids[0]->span;
	q->name = is_hook(pipeline) ? NULL : pipeline->str;
	q->text = check_canon(&ck, pipeline);
	q->background = pipeline->flags & NF_BG;
	if (q->name) {
		q->name = arena_strdup(a, q->name);
		ck.within[ck.nwithin++] = q->name;
	}
	if (is_hook(pipeline)) {
		q->pipe = check_hook(&ck, pipeline);
	} else {
		q->pipe = check_pipeline(&ck, pipeline);
		if (q->pipe && stage_finish(&ck, q->pipe))
			q->pipe = NULL;
	}
	q->render = ck.render;
	if (!is_hook(pipeline))
		pipeline_end(&ck, pipeline);
	if (d->errors != errors || !q->pipe) {
		query_free_external(q);
		return NULL;
	}
	return q;
}
