/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ftrace keys of a bootconfig. A tree of instance, groups and events is made of the plan first:
 * the kernel sets up one event after the other, so the order of triggers is that of the tree. A
 * value is quoted with the quote it does not hold, as the format knows no escapes, and what the
 * kernel copies into its buffer has to fit.
 */
#include "emit/emit.h"

#include <ctype.h>
#include <string.h>

#define BYTES_MAX 32767
#define NODES_MAX 1024
#define VALUE_MAX 255 /* a filter or an action: MAX_BUF_LEN of the kernel's reader */

struct node {
	const char *name;
	const char **fields, **actions, **probes;
	size_t nfields, nactions, nprobes;
	const char *filter;
	bool enable;
};

struct group {
	const char *name;
	struct node *v;
	size_t n;
};

struct tree {
	const struct emit_input *in;
	struct group *v;
	size_t n;
	unsigned nodes;
};

static const char *inside(const struct emit_input *in, const char *path)
{
	size_t n = strlen(in->plan->instance);

	return strncmp(path, in->plan->instance, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* ---- what can be said ---- */

static const char *refuse_value(const char *text)
{
	if (strlen(text) > VALUE_MAX)
		return "more than 255 bytes do not fit into a value";
	if (strchr(text, '"') && strchr(text, '\''))
		return "a value cannot hold both kinds of quotes";
	for (; *text; text++) {
		if (!isprint((unsigned char)*text))
			return "a value cannot hold bytes that are not printed";
	}
	return NULL;
}

/* "events/sched/sched_switch/trigger": where group and event end */
static bool event_path(const char *path, const char **group, const char **event, const char **file)
{
	if (strncmp(path, "events/", 7) != 0)
		return false;
	*group = path + 7;
	*event = strchr(*group, '/');
	*file = *event ? strchr(*event + 1, '/') : NULL;
	return *file && !strchr(*file + 1, '/');
}

/* The place that an event has in the kernel's order: when its group came, and it in its group. */
static size_t rank(const struct emit_input *in, const char *path)
{
	const char *g, *e, *f, *g2, *e2, *f2;
	size_t group = in->plan->n, event = in->plan->n;

	if (!event_path(path, &g, &e, &f))
		return 0;
	for (size_t i = in->plan->n; i-- > 0;) {
		const char *p = inside(in, in->plan->v[i].path);

		if (!p || !event_path(p, &g2, &e2, &f2) || e2 - g2 != e - g ||
		    strncmp(g2, g, (size_t)(e - g)) != 0)
			continue;
		group = i;
		if (f2 - e2 == f - e && strncmp(e2, e, (size_t)(f - e)) == 0)
			event = i;
	}
	/* synthetic events are written first of all, without an instance */
	if (strncmp(g, "synthetic/", 10) == 0)
		group = 0;
	return group * (in->plan->n + 1) + event;
}

static const char *refuse_trigger(const struct emit_input *in, const struct write *w)
{
	for (const struct write *o = in->plan->v; o < w; o++) {
		if (o->kind == WR_TRIGGER && o->query == w->query &&
		    rank(in, inside(in, o->path)) > rank(in, inside(in, w->path)))
			return "the kernel sets up its events in another order";
	}
	return refuse_value(w->text);
}

static const char *bootconfig_refuse(const struct emit_input *in, const struct write *w)
{
	static const char *const told[] = {
		"tracing_on",  "options/overwrite", "options/copy_trace_marker",
		"trace_clock", "buffer_size_kb",    "tracing_cpumask"};
	const char *path = inside(in, w->path), *g, *e, *f;

	if (w->kind == WR_MKDIR)
		return NULL;
	if (strcmp(w->path, "synthetic_events") == 0)
		return refuse_value(w->text);
	if (!path) {
		const char *where = strchr(w->text, ' ');

		if (strncmp(w->text, "p:kprobes/", 10) != 0 || (where && where[1] == '/'))
			return "a bootconfig makes kprobes only";
		return refuse_value(w->text);
	}
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (strcmp(path, told[i]) == 0)
			return NULL;
	}
	if (event_path(path, &g, &e, &f)) {
		if (w->kind == WR_TRIGGER)
			return refuse_trigger(in, w);
		if (strcmp(f, "/enable") == 0)
			return NULL;
		if (strcmp(f, "/filter") == 0)
			return refuse_value(w->text);
	}
	return arena_printf(in->a, "a bootconfig has no key for '%s'", path);
}

/* ---- the tree ---- */

static struct node *node_of(struct tree *t, const char *group, size_t ng, const char *event,
			    size_t ne)
{
	struct arena *a = t->in->a;
	struct group *g = NULL;

	for (size_t i = 0; i < t->n; i++) {
		if (strlen(t->v[i].name) == ng && strncmp(t->v[i].name, group, ng) == 0)
			g = &t->v[i];
	}
	if (!g) {
		struct group fresh = {.name = arena_strndup(a, group, ng)};

		ARENA_PUSH(a, t->v, t->n, fresh);
		g = &t->v[t->n - 1];
		t->nodes++;
	}
	for (size_t i = 0; i < g->n; i++) {
		if (strlen(g->v[i].name) == ne && strncmp(g->v[i].name, event, ne) == 0)
			return &g->v[i];
	}
	ARENA_PUSH(a, g->v, g->n, ((struct node){.name = arena_strndup(a, event, ne)}));
	t->nodes++;
	return &g->v[g->n - 1];
}

/* "name u64 delta; char comm[]": the event and its fields */
static void take_synth(struct tree *t, const char *text)
{
	size_t n = strcspn(text, " ");
	struct node *ev = node_of(t, "synthetic", 9, text, n);

	text += n;
	while (*text) {
		const char *field;

		while (*text == ' ' || *text == ';')
			text++;
		n = strcspn(text, ";");
		if (!n)
			break;
		field = arena_strndup(t->in->a, text, n);
		ARENA_PUSH(t->in->a, ev->fields, ev->nfields, field);
		text += n;
	}
}

/* "p:kprobes/name func args" */
static void take_probe(struct tree *t, const char *text)
{
	const char *name = text + strlen("p:kprobes/");
	size_t n = strcspn(name, " ");
	struct node *ev = node_of(t, "kprobes", 7, name, n);
	const char *rest = name[n] ? name + n + 1 : "";

	ARENA_PUSH(t->in->a, ev->probes, ev->nprobes, rest);
}

static void take(struct tree *t, const struct write *w)
{
	const char *path = inside(t->in, w->path), *g, *e, *f;
	struct node *ev;

	if (w->kind == WR_MKDIR || (w->optional && bootconfig_refuse(t->in, w)))
		return;
	if (strcmp(w->path, "synthetic_events") == 0) {
		take_synth(t, w->text);
		return;
	}
	if (!path) {
		take_probe(t, w->text);
		return;
	}
	if (!event_path(path, &g, &e, &f))
		return;
	ev = node_of(t, g, (size_t)(e - g), e + 1, (size_t)(f - e - 1));
	if (w->kind == WR_TRIGGER)
		ARENA_PUSH(t->in->a, ev->actions, ev->nactions, w->text);
	else if (strcmp(f, "/filter") == 0)
		ev->filter = w->text;
	else
		ev->enable = true;
}

/* ---- the text ---- */

static void put_value(struct tree *t, struct buf *out, const char *v)
{
	char q = strchr(v, '"') ? '\'' : '"';

	buf_printf(out, "%c%s%c", q, v, q);
	t->nodes++;
}

static void put_list(struct tree *t, struct buf *out, const char *key, const char *const *v,
		     size_t n)
{
	if (!n)
		return;
	buf_printf(out, "\t\t%s = ", key);
	t->nodes++;
	for (size_t i = 0; i < n; i++) {
		buf_puts(out, i ? ",\n\t\t\t" : "");
		put_value(t, out, v[i]);
	}
	buf_putc(out, '\n');
}

static void put_option(struct tree *t, struct buf *out, const struct write *w)
{
	const char *path = inside(t->in, w->path);
	const char *key = NULL, *value = w->text;

	if (!path || w->optional)
		return;
	if (strcmp(path, "trace_clock") == 0) {
		key = "trace_clock";
	} else if (strcmp(path, "buffer_size_kb") == 0) {
		key = "buffer_size";
		value = arena_printf(t->in->a, "%sK", w->text);
	} else if (strcmp(path, "tracing_cpumask") == 0) {
		key = "cpumask";
	} else if (strcmp(path, "options/copy_trace_marker") == 0) {
		key = "options";
		value = "copy_trace_marker";
	}
	if (!key)
		return;
	buf_printf(out, "\t%s = ", key);
	t->nodes++;
	put_value(t, out, value);
	buf_putc(out, '\n');
}

static void put_event(struct tree *t, struct buf *out, const char *group, const struct node *ev)
{
	buf_printf(out, "\tevent.%s.%s {\n", group, ev->name);
	put_list(t, out, "fields", ev->fields, ev->nfields);
	put_list(t, out, "probes", ev->probes, ev->nprobes);
	put_list(t, out, "filter", &ev->filter, ev->filter != NULL);
	put_list(t, out, "actions", ev->actions, ev->nactions);
	if (ev->enable) {
		buf_puts(out, "\t\tenable\n");
		t->nodes++;
	}
	buf_puts(out, "\t}\n");
}

static int bootconfig_print(const struct emit_input *in, struct buf *out)
{
	struct tree t = {.in = in, .nodes = 4}; /* ftrace, instance, its name, event */
	const struct plan *p = in->plan;

	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].path, "synthetic_events") == 0)
			take(&t, &p->v[i]);
	}
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].path, "synthetic_events") != 0)
			take(&t, &p->v[i]);
	}
	emit_head(in, out);
	buf_printf(out, "ftrace.instance.%s {\n", strrchr(p->instance, '/') + 1);
	for (size_t i = 0; i < p->n; i++)
		put_option(&t, out, &p->v[i]);
	for (size_t i = 0; i < t.n; i++) {
		for (size_t k = 0; k < t.v[i].n; k++)
			put_event(&t, out, t.v[i].name, &t.v[i].v[k]);
	}
	buf_puts(out, "}\n");
	if (out->len > BYTES_MAX)
		diag_error(in->s->diags, "cannot-emit", in->q[0]->span,
			   "%zu bytes are more than the %d of a bootconfig", out->len, BYTES_MAX);
	else if (t.nodes > NODES_MAX)
		diag_error(in->s->diags, "cannot-emit", in->q[0]->span,
			   "%u keys and values are more than the %d of a bootconfig", t.nodes,
			   NODES_MAX);
	else
		return 0;
	return -1;
}

const struct emit_kind emit_bootconfig = {
	"bootconfig",
	"the ftrace keys of a bootconfig",
	"For kernels with CONFIG_BOOT_CONFIG: `bootconfig -a FILE INITRD` adds it, `bootconfig` on "
	"the "
	"command line makes the kernel read it. `collect --boot SCRIPT` takes over what it set up.",
	true,
	"kprobes",
	emit_word,
	bootconfig_refuse,
	bootconfig_print,
};
