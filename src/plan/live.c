/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writes of a live run: an instance of our own, its buffer and clock, whose events it takes,
 * and which. Owns the order of these writes and their reasons; knows nothing of doing them.
 */
#include "plan/filter.h"
#include "plan/plan.h"

#include "catalog/rec.h"
#include "plan/scope.h"
#include "plan/tracer.h"
#include "source/probe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A reader is woken when a CPU's buffer is this full; before that it looks in by itself. Being
 * woken for each event would make events of its own. */
#define WATERMARK "10"
#define MAX_CPU 8191

struct planner {
	struct session *s;
	struct catalog *c;
	struct arena *a;
	struct plan *p;
	struct span *where;       /* of each event: the source that asks for it */
	uint8_t *asked;           /* sources that ask for it: none, one, more */
	const struct pipe **only; /* of each event: the one that asks */
	unsigned nevents;
	struct span first;   /* of the first query, for what no other place causes */
	bool stack_triggers; /* else the option makes stacks of all events */
	struct tracing tracing;
};

static struct write *add(struct planner *pl, enum write_kind kind, const char *file,
			 const char *text, const char *why)
{
	struct plan *p = pl->p;
	struct write w = {.kind = kind, .text = text, .why = why, .span = pl->first};

	w.path = file ? arena_printf(pl->a, "%s/%s", p->instance, file) : p->instance;
	ARENA_PUSH(pl->a, p->v, p->n, w);
	return &p->v[p->n - 1];
}

static void add_optional(struct planner *pl, const char *file, const char *text, const char *why)
{
	add(pl, WR_SET, file, text, why)->optional = true;
}

/* ---- the instance ---- */

const char *plan_instance_name(struct session *s, struct arena *a, const struct origin *o,
			       unsigned *from)
{
	if (s->run_name) {
		unsigned i = (*from)++;

		return i ? arena_printf(a, "instances/tracesh-%s-%u", s->run_name, i)
			 : arena_printf(a, "instances/tracesh-%s", s->run_name);
	}
	for (;;) {
		unsigned i = (*from)++;
		const char *name = arena_printf(a, "instances/tracesh-%d-%u", (int)getpid(), i);

		if (access(arena_printf(a, "%s/%s", o->path, name), F_OK))
			return name;
	}
}

static void plan_instance(struct planner *pl)
{
	struct write *w;

	w = add(pl, WR_MKDIR, NULL, NULL, "a buffer of our own");
	w->undo_path = pl->p->instance;
	w->undo_kind = WR_MKDIR;
	add(pl, WR_SET, "tracing_on", "0", "nothing is recorded before all is set");
	/* an instance takes over the options of the top one */
	add(pl, WR_SET, "options/overwrite", "1", "a full buffer loses its oldest events");
}

/* ---- stacks ---- */

static bool can_trigger(const struct planner *pl, const struct event *ev)
{
	const struct origin *o = ev->origin;
	const char *path = arena_printf(pl->a, "%s/events/%s/%s", o->path, ev->system, ev->name);

	/* a saved catalog keeps formats only */
	return strcmp(ev->system, "ftrace") != 0 &&
	       (o->kind == ORIGIN_DIR ||
		access(arena_printf(pl->a, "%s/trigger", path), F_OK) == 0);
}

/* The kernel's stack costs a record for each event: only those that are asked for have a trigger
 * that makes it. There is no trigger for the program's. */
static void plan_stacks(struct planner *pl, const struct origin *o, const uint8_t *wanted)
{
	bool all = false, user = false;

	for (unsigned i = 0; i < pl->nevents; i++) {
		const struct event *ev = catalog_event(pl->c, i);

		if (ev->origin != o)
			continue;
		user |= wanted[i] & WANT_USTACK;
		/* those of followed functions are an option of the tracer */
		if (strcmp(ev->system, "ftrace") == 0 && tracing_makes(&pl->tracing, ev->name))
			continue;
		all |= (wanted[i] & WANT_KSTACK) && !can_trigger(pl, ev);
	}
	if (all)
		add(pl, WR_SET, "options/stacktrace", "1", "the kernel's stack behind each event");
	else
		add_optional(pl, "options/stacktrace", "0", "no stacks unless asked for");
	if (user)
		add(pl, WR_SET, "options/userstacktrace", "1",
		    "the program's stack behind each event");
	else
		add_optional(pl, "options/userstacktrace", "0", "no stacks unless asked for");
	pl->stack_triggers = !all;
}

static void plan_buffer(struct planner *pl)
{
	const struct settings *set = &pl->s->set;
	uint64_t kb = (set->buffer + 1023) / 1024;

	add(pl, WR_SET, "trace_clock", arena_strdup(pl->a, set->clock), "set clock");
	add(pl, WR_SET, "buffer_size_kb",
	    arena_printf(pl->a, "%llu", (unsigned long long)(kb ? kb : 1)),
	    "set buffer, for each CPU");
	add_optional(pl, "buffer_percent", WATERMARK, "wake the reader seldom");
}

/* ---- which CPUs ---- */

/* "0-3,5" to bits; -1 when it is no such list */
static int parse_cpus(const char *t, uint32_t *bits)
{
	do {
		char *end;
		unsigned long lo, hi;

		while (isspace((unsigned char)*t))
			t++;
		if (!isdigit((unsigned char)*t))
			return -1;
		lo = hi = strtoul(t, &end, 10);
		if (*end == '-') {
			t = end + 1;
			if (!isdigit((unsigned char)*t))
				return -1;
			hi = strtoul(t, &end, 10);
		}
		if (lo > hi || hi > MAX_CPU)
			return -1;
		for (; lo <= hi; lo++)
			bits[lo / 32] |= 1u << lo % 32;
		for (t = end; isspace((unsigned char)*t); t++)
			;
	} while (*t++ == ',');
	return t[-1] == '\0' ? 0 : -1;
}

static int plan_cpus(struct planner *pl)
{
	const char *list = pl->s->set.cpus;
	uint32_t bits[(MAX_CPU + 1) / 32] = {0};
	struct buf b = {0};
	int top = (int)(sizeof(bits) / sizeof(*bits)) - 1;

	if (!*list)
		return 0;
	if (parse_cpus(list, bits)) {
		diag_error(pl->s->diags, "bad-value", pl->first,
			   "'%s' is no list of CPUs such as 0-3,5", list);
		return -1;
	}
	while (top > 0 && !bits[top])
		top--;
	for (int i = top; i >= 0; i--)
		buf_printf(&b, i == top ? "%x" : ",%08x", bits[i]);
	add(pl, WR_SET, "tracing_cpumask", arena_strdup(pl->a, buf_str(&b)), "set cpus");
	buf_free(&b);
	return 0;
}

/* ---- whose events ---- */

static const char *id_list(struct arena *a, const pid_t *v, size_t n)
{
	struct buf b = {0};
	const char *text;

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%d", i ? " " : "", (int)v[i]);
	text = arena_strdup(a, buf_str(&b));
	buf_free(&b);
	return text;
}

static int plan_tasks(struct planner *pl)
{
	const struct settings *set = &pl->s->set;
	pid_t me = getpid(), *v;
	size_t n;

	for (unsigned i = 0; i < set->npids; i++) {
		if (!scope_exists(set->pids[i])) {
			diag_error(pl->s->diags, "bad-value", pl->first,
				   "there is no task with id %d", (int)set->pids[i]);
			return -1;
		}
	}
	if (scope_limited(set)) {
		n = scope_now(set, &v);
		if (!n) { /* an empty list would be everybody */
			diag_error(pl->s->diags, "bad-value", pl->first, "no task is in '%s'",
				   set->cgroup);
			return -1;
		}
		/* before the tasks: they may fork right after */
		if (scope_grows(set))
			add(pl, WR_SET, "options/event-fork", "1", "children of these tasks too");
		add(pl, WR_SET, "set_event_pid", id_list(pl->a, v, n), "only these tasks");
		free(v);
	}
	n = scope_tasks(&me, 1, false, &v);
	add_optional(pl, "set_event_notrace_pid", id_list(pl->a, v, n), "keep ourselves out");
	free(v);
	return 0;
}

/* ---- which events ---- */

static void note_sources(struct planner *pl, const struct pipe *pipe)
{
	const struct src *src = pipe->src;

	if (!src)
		return;
	for (unsigned i = 0; i < src->nkids; i++)
		note_sources(pl, src->kids[i]);
	/* a pair's or union's events are those of the sources it is made of */
	for (unsigned i = 0; i < src->evs.n; i++) {
		unsigned at = src->evs.v[i]->index;

		if (at >= pl->nevents)
			continue;
		if (!pl->asked[at])
			pl->where[at] = src->span;
		if (src->nkids || pl->only[at] == pipe)
			continue;
		pl->only[at] = pl->asked[at] ? NULL : pipe;
		pl->asked[at] = pl->asked[at] ? 2 : 1;
	}
}

/* What the kernel can leave out beforehand, where nobody else wants to see it. */
static const char *plan_filter(struct planner *pl, struct event *ev)
{
	const char *text = NULL;
	const struct pipe *pipe = pl->only[ev->index];
	struct event_names names = event_names(ev);
	struct ptext t = {.a = pl->a};
	struct write *w;

	/* a filtered event gets its time when it is copied, later than its triggers saw it */
	if (!pipe || pl->asked[ev->index] != 1 || !pl->s->set.pushdown || pl->s->set.push_both)
		return NULL;
	for (const struct op *o = pipe->ops; o && o->kind == OP_WHERE && !o->rows; o = o->next)
		filter_some(&names.k, o->cond, &t);
	if (t.b.len) {
		text = arena_strdup(pl->a, buf_str(&t.b));
		w = add(pl, WR_SET,
			arena_printf(pl->a, "events/%s/%s/filter", ev->system, ev->name), text,
			"only those of interest");
		w->optional = true; /* tracesh looks again */
		w->map = t.map;
		w->nmap = t.nmap;
	}
	buf_free(&t.b);
	return text;
}

static void stack_trigger(struct planner *pl, const struct event *ev, const char *text,
			  bool optional)
{
	struct write *w = add(pl, WR_TRIGGER,
			      arena_printf(pl->a, "events/%s/%s/trigger", ev->system, ev->name),
			      text, "the kernel's stack behind this event");

	w->span = pl->where[ev->index];
	w->optional = optional;
	w->undo_kind = WR_TRIGGER;
	w->undo_path = w->path;
	w->undo_text = "!stacktrace";
}

/* A trigger fires for what a filter discards too, unless it has the same one. There can be one such
 * trigger only: where that with a filter is taken, the other is refused. */
static void plan_stack_trigger(struct planner *pl, const struct event *ev, const char *filter)
{
	if (filter)
		stack_trigger(pl, ev, arena_printf(pl->a, "stacktrace if %s", filter), true);
	stack_trigger(pl, ev, "stacktrace", filter != NULL);
}

/* Records of the ftrace system come from tracers and markers, not from an enable file. */
static int plan_ftrace_event(struct planner *pl, const struct event *ev)
{
	if (!pl->asked[ev->index])
		return 0;
	if (strcmp(ev->name, "print") == 0) {
		struct write *w = add(pl, WR_SET, "options/copy_trace_marker", "1",
				      "what is written to trace_marker");

		w->span = pl->where[ev->index];
		return 0;
	}
	if (tracing_makes(&pl->tracing, ev->name))
		return 0;
	diag_error(pl->s->diags, "refused", pl->where[ev->index],
		   "ftrace:%s is made by a tracer and cannot be switched on as an event", ev->name);
	return -1;
}

static int plan_events(struct planner *pl, const struct origin *o, const uint8_t *wanted)
{
	int rc = 0;

	for (unsigned i = 0; i < pl->nevents; i++) {
		struct event *ev = catalog_event(pl->c, i);
		const char *filter;
		struct write *w;

		if (!wanted[i] || ev->origin != o)
			continue;
		if (strcmp(ev->system, "ftrace") == 0) {
			rc |= plan_ftrace_event(pl, ev);
			continue;
		}
		filter = wanted[i] & WANT_TASKS ? NULL : plan_filter(pl, ev);
		if ((wanted[i] & WANT_KSTACK) && pl->stack_triggers)
			plan_stack_trigger(pl, ev, filter);
		w = add(pl, WR_SET,
			arena_printf(pl->a, "events/%s/%s/enable", ev->system, ev->name), "1",
			pl->asked[i] ? "this event" : "to follow names and parents of tasks");
		if (pl->asked[i])
			w->span = pl->where[i];
	}
	return rc;
}

/* ---- events of our own ---- */

/* Before the instance: what is enabled in it has to be gone when they are removed. */
static void plan_probe(void *arg, struct probe_def *d)
{
	struct planner *pl = arg;
	struct plan *p = pl->p;
	struct write w = {.kind = WR_APPEND, .path = d->list, .text = d->text, .span = d->span};

	for (size_t i = 0; i < p->n; i++) {
		if (p->v[i].text == d->text) /* two sources of the same */
			return;
	}
	w.undo_path = d->list;
	w.undo_text = d->undo;
	w.undo_kind = WR_APPEND;
	w.why = "an event of our own";
	w.map = ARENA_ARRAY(pl->a, struct text_map, d->nplaces + 1);
	w.nmap = d->nplaces;
	for (size_t i = 0; i < d->nplaces; i++)
		w.map[i] = (struct text_map){d->places[i].off, d->places[i].len, d->places[i].span};
	ARENA_PUSH(pl->a, p->v, p->n, w);
}

static void plan_probes(struct planner *pl, struct query *const *q, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		probe_each(q[i]->pipe->src, plan_probe, pl);
}

/* ---- what the kernel counts ---- */

static void plan_synth(struct planner *pl, const struct push *p, struct span at, unsigned which)
{
	struct write w = {.kind = WR_APPEND,
			  .path = "synthetic_events",
			  .text = p->synth,
			  .undo_kind = WR_APPEND,
			  .undo_path = "synthetic_events",
			  .undo_text = p->synth_undo,
			  .why = "an event of each pair",
			  .query = which + 1,
			  .span = at};

	ARENA_PUSH(pl->a, pl->p->v, pl->p->n, w);
}

static void plan_hists(struct planner *pl, const struct push *p, const struct query *q,
		       unsigned which)
{
	if (p->synth)
		plan_synth(pl, p, q->span, which);
	for (size_t i = 0; i < p->nh; i++) {
		const struct phist *h = &p->h[i];
		struct write *w;

		if (h->shared)
			continue;
		w = add(pl, WR_TRIGGER, arena_printf(pl->a, "%s/trigger", h->dir), h->trigger,
			h->ev           ? "the table"
			: i + 1 < p->nh ? "a pair's start"
					: "a pair's end");
		w->undo_kind = WR_TRIGGER;
		w->undo_path = w->path;
		w->undo_text = arena_printf(pl->a, "!%s", h->trigger);
		w->span = q->span;
		w->map = h->map;
		w->nmap = h->nmap;
		w->query = which + 1;
	}
}

/* ---- the function tracers ---- */

/* Their own list of tasks, of functions, then the tracer itself */
static void plan_tracer(struct planner *pl, const uint8_t *wanted)
{
	const struct tracing *t = &pl->tracing;
	const struct settings *set = &pl->s->set;
	pid_t me = getpid(), *v;
	struct write *w;
	size_t n;

	if (!t->tracer)
		return;
	if (scope_limited(set)) {
		if (scope_grows(set))
			add(pl, WR_SET, "options/function-fork", "1",
			    "children of these tasks too");
		n = scope_now(set, &v);
		add(pl, WR_SET, "set_ftrace_pid", id_list(pl->a, v, n), "only these tasks");
		free(v);
	}
	n = scope_tasks(&me, 1, false, &v);
	add_optional(pl, "set_ftrace_notrace_pid", id_list(pl->a, v, n), "keep ourselves out");
	free(v);
	w = add(pl, WR_SET, "set_ftrace_filter", t->pattern, "these functions");
	w->span = t->span;
	w = add(pl, WR_SET, "current_tracer", t->tracer, "their calls");
	w->span = t->span;
	w->undo_path = w->path;
	w->undo_text = "nop";
	w->undo_kind = WR_SET;
	for (unsigned i = 0; i < pl->nevents; i++) {
		const struct event *ev = catalog_event(pl->c, i);

		if ((wanted[i] & WANT_KSTACK) && strcmp(ev->system, "ftrace") == 0 &&
		    strcmp(ev->name, "function") == 0)
			add(pl, WR_SET, "options/func_stack_trace", "1",
			    "the kernel's stack behind each call");
	}
}

static void plan_start(struct planner *pl)
{
	struct write *w = add(pl, WR_SET, "tracing_on", "1", "begin");

	w->start = true;
	w->undo_path = w->path;
	w->undo_text = "0";
	w->undo_kind = WR_SET;
}

/* ---- what is recorded, in an instance of its own ---- */

/* Of several for one event the kernel takes the first; the engine sees to the others. */
static void plan_off(struct planner *pl, const struct off *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct write *w;

		if (!can_trigger(pl, v[i].ev) && !event_declared(v[i].ev))
			continue;
		w = add(pl, WR_TRIGGER,
			arena_printf(pl->a, "events/%s/%s/trigger", v[i].ev->system, v[i].ev->name),
			v[i].trigger, "ends it in the kernel");
		w->optional = true;
		w->undo_kind = WR_TRIGGER;
		w->undo_path = w->path;
		w->undo_text = "!traceoff";
		w->span = v[i].span;
		w->map = v[i].map;
		w->nmap = v[i].nmap;
	}
}

static int plan_capture(struct planner *pl, const struct plan_input *in,
			const struct plan_capture *c)
{
	const struct origin *o = catalog_origin(pl->c, 0);
	uint8_t *wanted = ARENA_ARRAY(pl->a, uint8_t, pl->nevents + 1);

	memset(pl->asked, 0, pl->nevents);
	pl->p->instance = c->instance;
	for (size_t i = 0; i < c->n; i++) {
		unsigned at = c->v[i].ev->index;

		if (at >= pl->nevents)
			continue;
		wanted[at] = c->v[i].flags;
		pl->asked[at] = 2; /* no filter but ours */
		pl->where[at] = c->v[i].span;
	}
	plan_instance(pl);
	plan_stacks(pl, o, wanted);
	plan_buffer(pl);
	if (plan_cpus(pl) || plan_tasks(pl))
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		const struct pick *k = &c->v[i];
		struct write *w;

		if (!k->filter)
			continue;
		w = add(pl, WR_SET,
			arena_printf(pl->a, "events/%s/%s/filter", k->ev->system, k->ev->name),
			k->filter, "only those are recorded");
		w->span = k->span;
		w->map = k->map;
		w->nmap = k->nmap;
	}
	plan_off(pl, c->off, c->noff);
	plan_off(pl, in->offs, in->noffs);
	return plan_events(pl, o, wanted);
}

static int plan_captures(struct planner *pl, const struct plan_input *in)
{
	for (unsigned i = 0; in->captures && i < in->n; i++) {
		pl->first = in->q[i]->span;
		if (in->captures[i].instance && plan_capture(pl, in, &in->captures[i]))
			return -1;
	}
	pl->p->instance = in->instance;
	return 0;
}

/* The engine's instance and what it counts there. */
static int plan_main(struct planner *pl, const struct plan_input *in)
{
	plan_instance(pl);
	plan_stacks(pl, catalog_origin(in->c, 0), in->wanted);
	plan_buffer(pl);
	if (plan_cpus(pl) || plan_tasks(pl) ||
	    plan_events(pl, catalog_origin(in->c, 0), in->wanted))
		return -1;
	for (unsigned i = 0; i < in->n; i++) {
		if (in->push[i].kernel)
			plan_hists(pl, &in->push[i], in->q[i], i);
	}
	plan_tracer(pl, in->wanted);
	plan_off(pl, in->offs, in->noffs);
	return 0;
}

static void plan_starts(struct planner *pl, const struct plan_input *in)
{
	for (unsigned i = 0; in->captures && i < in->n; i++) {
		pl->p->instance = in->captures[i].instance;
		if (pl->p->instance)
			plan_start(pl);
	}
	pl->p->instance = in->instance;
	if (!in->only_captures)
		plan_start(pl);
}

struct plan *plan_live(const struct plan_input *in)
{
	struct planner pl = {.s = in->s, .c = in->c, .a = in->a, .nevents = in->nevents};

	pl.p = ARENA_NEW(in->a, struct plan);
	pl.p->arena = in->a;
	pl.p->instance = in->instance;
	pl.where = ARENA_ARRAY(in->a, struct span, in->nevents + 1);
	pl.asked = ARENA_ARRAY(in->a, uint8_t, in->nevents + 1);
	pl.only = ARENA_ARRAY(in->a, const struct pipe *, in->nevents + 1);
	if (in->n)
		pl.first = in->q[0]->span;
	for (unsigned i = 0; i < in->n; i++) {
		if (!in->push[i].kernel && !(in->captures && in->captures[i].unread))
			note_sources(&pl, in->q[i]->pipe);
	}
	if (tracing_find(in, &pl.tracing))
		return NULL;
	plan_probes(&pl, in->q, in->n);
	if ((!in->only_captures && plan_main(&pl, in)) || plan_captures(&pl, in))
		return NULL;
	plan_starts(&pl, in);
	return pl.p;
}
