/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * function: and graph: the records of the function tracers. The kernel follows those functions that
 * match; over a recorded file, which may hold others too, their names are looked at here.
 */
#include "source/probe_rows.h"

#include "base/io.h"

#include <errno.h>
#include <ctype.h>
#include <string.h>

struct tracer_kind {
	enum probe_kind kind;
	const char *tracer, *event;
	enum cap cap;
};

/* ---- names ---- */

static struct expr *func(struct checker *ck, const struct src *src, const char *field,
			 struct span at)
{
	struct expr *ip = scope_field(ck, &src->evs, field, at);

	return ip ? expr_call(ck, FN_KSYM, type_str(), ip, at) : NULL;
}

static struct expr *address(struct checker *ck, const struct src *src, const char *name,
			    struct span at)
{
	struct expr *e = scope_field(ck, &src->evs, name, at);

	if (e)
		e->type = (struct type){.kind = T_ADDR, .sign = SG_UNSIGNED};
	return e;
}

/* The tracer takes both times itself, in ns whatever the buffer's clock is */
static struct expr *delta(struct checker *ck, const struct src *src, struct span at)
{
	struct expr *from = scope_field(ck, &src->evs, "calltime", at);
	struct expr *to = scope_field(ck, &src->evs, "rettime", at);

	return from && to ? expr_2(ck, XO_SUB, type_time(), to, from) : NULL;
}

static struct expr *find(struct checker *ck, struct scope *sc, const char *name, struct span at)
{
	const struct src *src = sc->pipe->src;
	bool graph = src->probe->kind == PROBE_GRAPH;

	if (strcmp(name, "func") == 0)
		return func(ck, src, graph ? "func" : "ip", at);
	if (!graph && (strcmp(name, "ip") == 0 || strcmp(name, "parent_ip") == 0))
		return address(ck, src, name, at);
	if (!graph && strcmp(name, "parent") == 0)
		return func(ck, src, "parent_ip", at);
	return graph && strcmp(name, "delta") == 0 ? delta(ck, src, at) : NULL;
}

static void list(struct checker *ck, struct scope *sc, void (*add)(void *arg, const char *name),
		 void *arg)
{
	bool graph = sc->pipe->src->probe->kind == PROBE_GRAPH;

	(void)ck;
	add(arg, "func");
	add(arg, graph ? "delta" : "parent");
}

static const struct source_names names_of_tracers = {.find = find, .list = list};

const struct source_names *tracer_names(void)
{
	return &names_of_tracers;
}

/* ---- sources ---- */

static int first(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

/* What the kernel would take for something else than a pattern is refused. */
static int good_pattern(struct checker *ck, const char *pattern, struct span at)
{
	bool found;
	struct diag *g;
	int rc;

	for (const char *p = pattern; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("_.*?$", *p))
			continue;
		g = diag_error(ck->d, "bad-value", at, "'%s' is no pattern of functions", pattern);
		diag_hint(ck->d, g, "letters, digits, '_', '.', and * and ? for any");
		return -1;
	}
	rc = catalog_functions(ck->c, pattern, first, NULL);
	found = rc > 0;
	if (rc < 0) {
		g = diag_error(ck->d, "unsupported", at, "this kernel lists no functions: %s",
			       strerror(-rc));
		diag_hint(ck->d, g, "%s",
			  rc == -EPERM || rc == -EACCES
				  ? "its list may be closed to us, or to everybody by lockdown"
				  : "it needs CONFIG_DYNAMIC_FTRACE");
		return -1;
	}
	if (found)
		return 0;
	g = diag_error(ck->d, "unknown-symbol", at, "no function that can be followed matches '%s'",
		       pattern);
	diag_hint(ck->d, g, "`funcs PATTERN` shows what there is");
	return -1;
}

static int add_events(struct checker *ck, struct src *src, const struct node *n, const char *name)
{
	struct diag *g;

	for (unsigned i = 0; i < catalog_nevents(ck->c); i++) {
		struct event *ev = catalog_event(ck->c, i);

		if (strcmp(ev->system, "ftrace") == 0 && strcmp(ev->name, name) == 0)
			evs_add(ck, &src->evs, ev);
	}
	if (src->evs.n)
		return 0;
	g = diag_error(ck->d, "unknown-event", n->span, "there are no records ftrace:%s here",
		       name);
	diag_hint(ck->d, g, "%s",
		  probe_recorded(ck) ? "a recording has them when the tracer was on"
				     : "the kernel wants CONFIG_FUNCTION_TRACER");
	return -1;
}

/* Only those whose function matches, as a pipe of its own */
static struct src *only(struct checker *ck, const struct node *n, struct src *src,
			const char *pattern)
{
	struct pipe *p = pipe_new(ck, src);
	struct src *out = src_new(ck, SRC_PIPE, n);
	struct op *op = ARENA_NEW(ck->a, struct op);
	bool graph = src->probe->kind == PROBE_GRAPH;

	op->kind = OP_WHERE;
	op->span = n->span;
	op->cond = expr_2(ck, XO_GLOB, type_bool(), func(ck, src, graph ? "func" : "ip", n->span),
			  expr_str(ck, pattern, (uint32_t)strlen(pattern), n->span));
	p->ops = op;
	out->kids = ARENA_ARRAY(ck->a, struct pipe *, 1);
	out->kids[0] = p;
	out->nkids = 1;
	out->evs = src->evs;
	return out;
}

static struct src *check(struct checker *ck, const struct node *n, const struct tracer_kind *k)
{
	struct span at;
	const char *pattern = probe_target(ck, n, &at);
	struct src *src;
	bool file = probe_recorded(ck);

	if (!pattern)
		return NULL;
	if (!file && (probe_needs(ck, n, k->cap) || good_pattern(ck, pattern, at)))
		return NULL;
	src = probe_src(ck, n, k->kind);
	src->probe->tracer = k->tracer;
	src->probe->pattern = pattern;
	if (add_events(ck, src, n, k->event))
		return NULL;
	return file && strcmp(pattern, "*") != 0 ? only(ck, n, src, pattern) : src;
}

static struct src *check_function(struct checker *ck, const struct node *n)
{
	static const struct tracer_kind kind = {PROBE_FUNCTION, "function", "function",
						CAP_FUNCTION};

	return check(ck, n, &kind);
}

static struct src *check_graph(struct checker *ck, const struct node *n)
{
	static const struct tracer_kind kind = {PROBE_GRAPH, "function_graph", "funcgraph_exit",
						CAP_GRAPH};

	return check(ck, n, &kind);
}

const struct source_kind source_function = {
	.name = "function",
	.usage = "function:PATTERN",
	.brief = "calls of functions of the kernel, by the function tracer",
	.help = "Every call of the functions that match: `func` is called from `parent`. All "
		"function: sources of a run\n"
		"are of one pattern.\n"
		"  function:vfs_* | count by func\n"
		"  function:schedule | count by parent, comm | top 10",
	.check = check_function,
};

const struct source_kind source_graph = {
	.name = "graph",
	.usage = "graph:PATTERN",
	.brief = "calls of functions of the kernel from entry to return",
	.help = "`delta` is how long a call of `func` took, by the function_graph tracer (kernels "
		"that let a buffer of\n"
		"our own have it). All graph: sources of a run are of one pattern.\n"
		"  graph:vfs_* | hist delta by func",
	.check = check_graph,
};
