/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernel parameters. Where all that is wanted is a buffer with events and the kernel knows
 * trace_instance=, an instance of our own is made; else all is set up in the top buffer, as
 * triggers, probes and the clock can be given for that alone. Owns what the parameters' little
 * parsers take: commas part events and triggers, semicolons probes, and nothing escapes a quote.
 */
#include "emit/emit.h"

#include <string.h>

#define LINE_MAX_X86 2048
#define TRIGGERS_MAX 32
#define HAS_TRIGGER 602 /* trace_trigger=, by set kernel */
#define HAS_INSTANCE 603

static const char *inside(const struct emit_input *in, const char *path)
{
	size_t n = strlen(in->plan->instance);

	return strncmp(path, in->plan->instance, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static bool ends_with(const char *t, const char *end)
{
	size_t n = strlen(t), k = strlen(end);

	return n >= k && strcmp(t + n - k, end) == 0;
}

/* ---- what can be said ---- */

static const char *refuse_trigger(const struct emit_input *in, const char *path, const char *text)
{
	if (in->kernel < HAS_TRIGGER)
		return "this kernel has no trace_trigger=";
	if (strncmp(path, "events/synthetic/", 17) == 0 ||
	    strncmp(path, "events/tracesh_", 15) == 0)
		return "trace_trigger= knows no events that are made while the kernel runs";
	if (strchr(text, ','))
		return "a comma ends a trigger of trace_trigger=";
	if (strchr(text, '"'))
		return "a quoted string cannot stand in trace_trigger=";
	return NULL;
}

static const char *refuse_probe(const char *text)
{
	const char *where = strchr(text, ' ');

	if (!(text[0] == 'p' || text[0] == 'r') || (where && where[1] == '/'))
		return "kernel parameters make kprobes and kretprobes only";
	if (strpbrk(text, ",;\""))
		return "a comma, semicolon or quote cannot stand in kprobe_event=";
	return NULL;
}

static const char *cmdline_refuse(const struct emit_input *in, const struct write *w)
{
	static const char *const told[] = {"tracing_on", "options/overwrite", "trace_clock",
					   "buffer_size_kb"};
	const char *path = inside(in, w->path);

	if (w->kind == WR_MKDIR)
		return NULL;
	if (strcmp(w->path, "synthetic_events") == 0)
		return "kernel parameters make no synthetic events";
	if (!path)
		return refuse_probe(w->text);
	if (w->kind == WR_TRIGGER)
		return refuse_trigger(in, path, w->text);
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (strcmp(path, told[i]) == 0)
			return NULL;
	}
	if (strncmp(path, "events/", 7) == 0 && ends_with(path, "/enable"))
		return NULL;
	return arena_printf(in->a, "no kernel parameter sets '%s'", path);
}

/* ---- the line ---- */

struct line {
	struct buf events, triggers, probes;
	unsigned ntriggers;
	const char *kb;
};

/* "events/sched/sched_switch/enable" as "sched:sched_switch"; @name: of the event alone */
static void put_event(struct buf *out, const char *path, bool name)
{
	const char *sys = path + 7, *ev = strchr(sys, '/') + 1;

	if (!name)
		buf_printf(out, "%.*s:", (int)(ev - 1 - sys), sys);
	buf_printf(out, "%.*s", (int)strcspn(ev, "/"), ev);
}

static void put_probe(struct buf *out, const char *text)
{
	if (out->len)
		buf_putc(out, ';');
	for (; *text; text++)
		buf_putc(out, *text == ' ' ? ',' : *text);
}

static void take(const struct emit_input *in, const struct write *w, struct line *l)
{
	const char *path = inside(in, w->path);

	if (w->kind == WR_MKDIR || (w->optional && cmdline_refuse(in, w)))
		return;
	if (!path) {
		put_probe(&l->probes, w->text);
	} else if (w->kind == WR_TRIGGER) {
		if (l->triggers.len)
			buf_putc(&l->triggers, ',');
		put_event(&l->triggers, path, true);
		buf_printf(&l->triggers, ".%s", w->text);
		l->ntriggers++;
	} else if (strcmp(path, "buffer_size_kb") == 0) {
		l->kb = w->text;
	} else if (strncmp(path, "events/", 7) == 0 && strncmp(path, "events/tracesh_", 15) != 0) {
		/* probes of kprobe_event= are enabled by themselves */
		if (l->events.len)
			buf_putc(&l->events, ',');
		put_event(&l->events, path, false);
	}
}

/* An instance has neither triggers nor probes, and the clock that the kernel begins with. */
static bool own_instance(const struct emit_input *in, const struct line *l)
{
	return in->kernel >= HAS_INSTANCE && !l->ntriggers && !l->probes.len && l->events.len &&
	       strcmp(in->s->set.clock, "mono") == 0;
}

static int check_line(const struct emit_input *in, const struct line *l, const struct buf *out)
{
	struct span at = in->q[0]->span;

	if (l->ntriggers > TRIGGERS_MAX)
		diag_error(in->s->diags, "cannot-emit", at,
			   "%u triggers are more than the %d that trace_trigger= takes",
			   l->ntriggers, TRIGGERS_MAX);
	else if (out->len >= LINE_MAX_X86)
		diag_error(in->s->diags, "cannot-emit", at,
			   "%zu bytes are more than the %d of a kernel command line", out->len,
			   LINE_MAX_X86);
	else
		return 0;
	return -1;
}

static int cmdline_print(const struct emit_input *in, struct buf *out)
{
	struct line l = {.kb = "4096"};
	int rc;

	for (size_t i = 0; i < in->plan->n; i++)
		take(in, &in->plan->v[i], &l);
	buf_printf(out, "trace_buf_size=%sK", l.kb);
	if (own_instance(in, &l)) {
		buf_printf(out, " trace_instance=%s,%s", strrchr(in->plan->instance, '/') + 1,
			   buf_str(&l.events));
	} else {
		buf_printf(out, " trace_clock=%s", in->s->set.clock);
		if (l.probes.len)
			buf_printf(out, " kprobe_event=%s", buf_str(&l.probes));
		if (l.triggers.len)
			buf_printf(out,
				   strchr(buf_str(&l.triggers), ' ') ? " \"trace_trigger=%s\""
								     : " trace_trigger=%s",
				   buf_str(&l.triggers));
		if (l.events.len)
			buf_printf(out, " trace_event=%s", buf_str(&l.events));
	}
	buf_putc(out, '\n');
	rc = check_line(in, &l, out);
	buf_free(&l.events);
	buf_free(&l.triggers);
	buf_free(&l.probes);
	return rc;
}

const struct emit_kind emit_cmdline = {
	"cmdline",
	"kernel parameters, for the boot loader",
	"Events are recorded from before the first process on; `collect --boot SCRIPT` takes them "
	"over. "
	"`set kernel 6.1` says for which kernel; else it is for the one that runs.",
	true,
	NULL,
	emit_word,
	cmdline_refuse,
	cmdline_print,
};
