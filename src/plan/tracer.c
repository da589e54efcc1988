/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One tracer for all function: and graph: sources of a run, see tracer.h. */
#include "plan/tracer.h"

#include "source/probe.h"

#include <string.h>

static int look(const struct plan_input *in, const struct src *src, struct tracing *t)
{
	const struct probe *p = src->probe;
	struct diag *g;

	for (unsigned i = 0; i < src->nkids; i++) {
		if (look(in, src->kids[i]->src, t))
			return -1;
	}
	if (!p || !p->tracer)
		return 0;
	if (!t->tracer) {
		*t = (struct tracing){p->tracer, p->pattern, src->span};
		return 0;
	}
	if (strcmp(t->tracer, p->tracer) == 0 && strcmp(t->pattern, p->pattern) == 0)
		return 0;
	g = diag_error(in->s->diags, "bad-value", src->span,
		       "one run follows the functions of one pattern, by one tracer");
	g->note = arena_printf(in->s->diags->arena, "'%s' is followed by the %s tracer already",
			       t->pattern, t->tracer);
	diag_hint(in->s->diags, g,
		  "a wider pattern and `where func ~ \"...\"`, or kprobe:%s, which takes part "
		  "in any number of runs",
		  p->pattern);
	return -1;
}

int tracing_find(const struct plan_input *in, struct tracing *t)
{
	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < in->n; i++) {
		struct tracing own = {0};

		if (look(in, in->q[i]->pipe->src, t))
			return -1;
		if (!in->captures || !in->captures[i].instance)
			continue;
		if (look(in, in->q[i]->pipe->src, &own))
			return -1;
		if (own.tracer) {
			diag_error(in->s->diags, "bad-stage", own.span,
				   "the records of the %s tracer are analysed as they come, not "
				   "kept in a file",
				   own.tracer);
			return -1;
		}
	}
	return 0;
}

bool tracing_makes(const struct tracing *t, const char *name)
{
	if (!t->tracer)
		return false;
	if (strcmp(t->tracer, "function") == 0)
		return strcmp(name, "function") == 0;
	return strncmp(name, "funcgraph_", 10) == 0;
}
