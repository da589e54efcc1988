/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources and pipelines: event patterns and named pipelines, unions, sub-pipelines. Pairs are in
 * pair.c, probes and syscalls with their rows in source/.
 */
#include "check/checker.h"

#include <string.h>

struct src *src_new(struct checker *ck, enum src_kind kind, const struct node *n)
{
	struct src *src = ARENA_NEW(ck->a, struct src);

	src->kind = kind;
	src->span = n->span;
	src->text = check_canon(ck, n);
	return src;
}

struct pipe *pipe_new(struct checker *ck, struct src *src)
{
	struct pipe *p = ARENA_NEW(ck->a, struct pipe);

	p->src = src;
	scope_new(ck, p);
	return p;
}

void evs_add(struct checker *ck, struct event_list *l, struct event *e)
{
	size_t n = l->n;

	for (size_t i = 0; i < n; i++) {
		if (l->v[i] == e)
			return;
	}
	ARENA_PUSH(ck->a, l->v, n, e);
	l->n = (unsigned)n;
}

/* Lists can be of thousands: seen[] by the index of the event */
void evs_join(struct checker *ck, struct event_list *l, const struct event_list *more)
{
	unsigned max = catalog_nevents(ck->c);
	unsigned char *seen = ARENA_ARRAY(ck->a, unsigned char, max + 1);
	size_t n = l->n;

	for (size_t i = 0; i < n; i++)
		seen[l->v[i]->index] = 1;
	for (unsigned i = 0; i < more->n; i++) {
		if (seen[more->v[i]->index])
			continue;
		seen[more->v[i]->index] = 1;
		ARENA_PUSH(ck->a, l->v, n, more->v[i]);
	}
	l->n = (unsigned)n;
}

/* The names of pipelines within each other, so that none is made of itself */
static struct pipe *named(struct checker *ck, const struct node *n, const struct node *pipeline)
{
	struct pipe *p;

	for (unsigned i = 0; i < ck->nwithin; i++) {
		if (strcmp(ck->within[i], n->str) == 0) {
			diag_error(ck->d, "bad-stage", n->span, "pipeline '%s' is made of itself",
				   n->str);
			return NULL;
		}
	}
	if (ck->nwithin == sizeof(ck->within) / sizeof(ck->within[0])) {
		diag_error(ck->d, "too-deep", n->span,
			   "pipelines named within each other too deep");
		return NULL;
	}
	ck->within[ck->nwithin++] = n->str;
	p = check_pipeline(ck, pipeline);
	ck->nwithin--;
	return p;
}

/* What ends a pipeline cannot be a source of events. */
static struct pipe *as_source(struct checker *ck, const struct node *n, struct pipe *p)
{
	const struct op *last = p ? pipe_last(p) : NULL;
	struct diag *g;

	if (!p)
		return NULL;
	if (p->rows) {
		g = diag_error(ck->d, "bad-stage", n->span,
			       "a pipeline that gives rows cannot be a source of events");
		diag_hint(ck->d, g, "its stages may be where, let and limit");
		return NULL;
	}
	if (last && (last->kind == OP_PRINT || last->kind == OP_PRINTF)) {
		diag_error(ck->d, "bad-stage", n->span,
			   "a pipeline that prints cannot be a source of events");
		return NULL;
	}
	return p;
}

static struct pipe *events(struct checker *ck, const struct node *n)
{
	const struct node *pipeline = NULL;
	const char *pattern = n->str;
	struct src *src;

	if (strchr(pattern, '$'))
		pattern = check_expand(ck->a, ck->d, ck->env, pattern, n->span);
	if (!pattern)
		return NULL;
	if (ck->env && ck->env->named)
		pipeline = ck->env->named(ck->env->arg, pattern);
	if (pipeline)
		return as_source(ck, n, named(ck, n, pipeline));
	src = src_new(ck, SRC_EVENTS, n);
	if (catalog_match(ck->c, ck->a, ck->d, pattern, n->span, &src->evs))
		return NULL;
	return pipe_new(ck, src);
}

static struct pipe *subpipe(struct checker *ck, const struct node *n)
{
	bool was = ck->render_set;
	struct pipe *p;

	ck->nested++;
	p = check_pipeline(ck, n->kids[0]);
	ck->nested--;
	if (ck->render_set != was) {
		diag_error(ck->d, "bad-stage", n->span,
			   "how a result is shown is said at the end of the whole pipeline");
		ck->render_set = was;
		return NULL;
	}
	return as_source(ck, n, p);
}

static struct pipe *union_of(struct checker *ck, const struct node *n)
{
	struct pipe **v = ARENA_ARRAY(ck->a, struct pipe *, n->n);
	bool plain = true, failed = false;
	struct src *src;

	for (size_t i = 0; i < n->n; i++) {
		v[i] = check_source(ck, n->kids[i]);
		if (!v[i])
			failed = true;
		else if (v[i]->src->kind != SRC_EVENTS || v[i]->ops)
			plain = false;
	}
	if (failed)
		return NULL;
	src = src_new(ck, plain ? SRC_EVENTS : SRC_UNION, n);
	for (size_t i = 0; i < n->n; i++)
		evs_join(ck, &src->evs, &v[i]->src->evs);
	if (!plain) {
		src->kids = v;
		src->nkids = (unsigned)n->n;
	}
	return pipe_new(ck, src);
}

struct pipe *check_source(struct checker *ck, const struct node *n)
{
	struct src *src = NULL;

	switch (n->kind) {
	case N_EVENT: return events(ck, n);
	case N_UNION: return union_of(ck, n);
	case N_SUBPIPE: return subpipe(ck, n);
	case N_PAIR: src = check_pair(ck, n); break;
	case N_PROBE: src = source_check(ck, n); break;
	default: break;
	}
	return src ? pipe_new(ck, src) : NULL;
}

static bool ends_events(const struct node *st)
{
	return strcmp(st->str, "print") != 0 && strcmp(st->str, "where") != 0 &&
	       strcmp(st->str, "let") != 0;
}

struct pipe *check_pipeline(struct checker *ck, const struct node *n)
{
	struct pipe *p = check_source(ck, n->kids[0]); /* stages go on behind those it may have */
	struct scope *outer = ck->scope;
	bool failed = false;

	if (!p)
		return NULL;
	for (size_t i = 1; i < n->n; i++) {
		const struct node *st = n->kids[i];

		if (st->kind != N_STAGE)
			continue;
		ck->scope = scope_of(ck, p);
		if (stage_check(ck, st, p) == 0)
			continue;
		failed = true;
		if (ends_events(st)) /* what comes after would be wrong because of it */
			break;
	}
	ck->scope = outer;
	return failed ? NULL : p;
}
