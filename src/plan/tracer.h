/* SPDX-License-Identifier: GPL-3.0-or-later */
/* function: and graph: sources of a run: they share the one tracer that a buffer can have. */
#ifndef TRACESH_PLAN_TRACER_H
#define TRACESH_PLAN_TRACER_H

#include "plan/plan.h"

struct tracing {
	const char *tracer;  /* "function", "function_graph"; NULL: none is asked for */
	const char *pattern; /* of functions */
	struct span span;
};

/* tracing_find - what the queries ask for; 0, or -1 with a diag when it is not the same */
int tracing_find(const struct plan_input *in, struct tracing *t);
/* tracing_makes - are the records ftrace:@name made by it */
bool tracing_makes(const struct tracing *t, const char *name);

#endif
