/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `explain` shows: writes as lines for a shell, stages with where they run. Changes nothing.
 */
#include "plan/filter.h"
#include "plan/plan.h"
#include "source/probe.h"
#include "stage/stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

/* ---- writes ---- */

void plan_quote(struct buf *out, const char *t)
{
	if (*t && t[strspn(t, PLAIN)] == '\0') {
		buf_puts(out, t);
		return;
	}
	buf_putc(out, '\'');
	for (; *t; t++) {
		if (*t == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *t);
	}
	buf_putc(out, '\'');
}

static void quoted_path(struct buf *out, const char *root, const char *path)
{
	struct buf b = {0};

	buf_printf(&b, "%s/%s", root, path);
	plan_quote(out, buf_str(&b));
	buf_free(&b);
}

static void shell_line(struct buf *out, const char *root, enum write_kind kind, const char *path,
		       const char *text, bool undo)
{
	if (kind == WR_MKDIR) {
		buf_puts(out, undo ? "rmdir " : "mkdir ");
		quoted_path(out, root, path);
		return;
	}
	/* echo of some shells takes options and backslashes for its own */
	buf_puts(out, *text == '-' || strchr(text, '\\') ? "printf '%s\\n' " : "echo ");
	plan_quote(out, text);
	buf_puts(out, kind == WR_SET ? " > " : " >> ");
	quoted_path(out, root, path);
}

static void remark(struct buf *out, const char *why, bool optional)
{
	if (why)
		buf_printf(out, "   # %s%s", why, optional ? ", if it can be" : "");
	buf_putc(out, '\n');
}

void plan_print(const struct plan *p, const char *root, struct buf *out)
{
	buf_puts(out, "# writes, in this order\n");
	for (size_t i = 0; i < p->n; i++) {
		const struct write *w = &p->v[i];

		shell_line(out, root, w->kind, w->path, w->text, false);
		remark(out, w->why, w->optional);
	}
	buf_puts(out, "# undo, in this order; the rest goes with the instance\n");
	for (size_t i = p->n; i-- > 0;) {
		const struct write *w = &p->v[i];

		if (!w->undo_path)
			continue;
		shell_line(out, root, w->undo_kind, w->undo_path, w->undo_text, true);
		remark(out, w->why, false);
	}
}

/* ---- stages ---- */

/* the text of a place on one line, @other where there is none */
static void place_text(struct buf *out, struct span s, const char *other)
{
	const char *t = s.src && s.len ? s.src->text + s.off : other;
	size_t n = s.src && s.len ? s.len : strlen(other);
	bool space = false;

	for (size_t i = 0; i < n; i++) {
		if (strchr(" \t\r\n", t[i])) {
			space = true;
			continue;
		}
		if (space)
			buf_putc(out, ' ');
		space = false;
		buf_putc(out, t[i]);
	}
}

static void line(struct buf *out, unsigned depth, struct span at, const char *other,
		 const char *where, const char *why)
{
	size_t start = out->len;

	buf_printf(out, "%*s", (int)(2 * depth + 2), "");
	place_text(out, at, other);
	do
		buf_putc(out, ' ');
	while (out->len - start < 40);
	buf_printf(out, "%-8s %s\n", where, why);
}

static const char *op_reason(const struct op *op)
{
	if (op->rows)
		return "works on the finished rows";
	switch (op->kind) {
	case OP_RECORD: return "pages of the ring buffer, as they are";
	case OP_SNAPSHOT: return "the buffer of a flight recorder, stopped by the first event";
	case OP_STOP: return "by a trigger too, where that can be";
	case OP_PRINT:
	case OP_PRINTF:
	case OP_ROWS: return "the kernel prints no events by itself";
	case OP_LIMIT:
	case OP_RENDER:
	case OP_EVERY: return "counts and shows what came through";
	default: return "over the events read from the ring buffer";
	}
}

struct shower {
	const struct push *push;
	const struct plan *plan;
	struct buf *out;
};

static void print_pipe(const struct shower *sh, const struct pipe *p, unsigned depth);

static void print_source(const struct shower *sh, const struct src *src, unsigned depth)
{
	bool kernel = sh->push && sh->push->kernel;
	struct buf why = {0};

	switch (src->kind) {
	case SRC_PAIR:
		line(sh->out, depth, src->span, src->text ? src->text : "->",
		     kernel ? "kernel" : "tracesh",
		     kernel ? "variables of histograms find each end's start"
			    : "each end finds its start by the keys");
		break;
	case SRC_UNION:
		line(sh->out, depth, src->span, src->text ? src->text : ",", "tracesh",
		     "merged in time order");
		break;
	case SRC_PIPE: break;
	case SRC_PROBE:
		if (src->probe->tracer) {
			buf_printf(&why, "the %s tracer of a buffer of our own",
				   src->probe->tracer);
			line(sh->out, depth, src->span, src->text ? src->text : "?", "kernel",
			     buf_str(&why));
			buf_free(&why);
			break;
		}
		buf_printf(
			&why, "%u event%s made by us, %s", src->evs.n, src->evs.n == 1 ? "" : "s",
			kernel ? "counted where they happen" : "recorded into a buffer of our own");
		line(sh->out, depth, src->span, src->text ? src->text : "?", "kernel",
		     buf_str(&why));
		buf_free(&why);
		break;
	default:
		buf_printf(&why, "%u event%s, %s", src->evs.n, src->evs.n == 1 ? "" : "s",
			   kernel ? "counted where they happen"
				  : "recorded into a buffer of our own");
		line(sh->out, depth, src->span, src->text ? src->text : "?", "kernel",
		     buf_str(&why));
		buf_free(&why);
	}
	for (unsigned i = 0; i < src->nkids; i++)
		print_pipe(sh, src->kids[i], src->kind == SRC_PIPE ? depth : depth + 1);
}

static bool filtered(const struct plan *p, const struct event *ev)
{
	char *end = NULL;
	bool found = false;

	if (asprintf(&end, "/events/%s/%s/filter", ev->system, ev->name) < 0)
		return false;
	for (size_t i = 0; p && i < p->n && !found; i++) {
		size_t n = strlen(p->v[i].path), m = strlen(end);

		found = n > m && strcmp(p->v[i].path + n - m, end) == 0;
	}
	free(end);
	return found;
}

/* What the filters that are written take of @op */
static const char *filter_reason(const struct shower *sh, const struct pipe *p, const struct op *op)
{
	unsigned all = 0, some = 0;

	for (unsigned i = 0; !p->src->nkids && i < p->src->evs.n; i++) {
		struct event_names names = event_names(p->src->evs.v[i]);
		struct arena *a;
		struct ptext t;

		if (!filtered(sh->plan, p->src->evs.v[i]))
			continue;
		a = arena_new();
		t = (struct ptext){.a = a};
		all += filter_some(&names.k, op->cond, &t);
		some += t.b.len > 0;
		buf_free(&t.b);
		arena_free(a);
	}
	if (all && all == p->src->evs.n)
		return "an event filter, looked at again by tracesh";
	return some ? "in part an event filter, the rest over the events read" : NULL;
}

static void print_op(const struct shower *sh, const struct pipe *p, const struct op *op,
		     unsigned depth, bool first)
{
	const char *name = op->stage ? op->stage->syntax.name : "print", *why = NULL;
	struct buf b = {0};

	if (sh->push && sh->push->kernel && !op->rows) {
		line(sh->out, depth, op->span, name, "kernel",
		     op->kind == OP_WHERE ? "a condition of the trigger" : "a histogram trigger");
		return;
	}
	if (op->kind == OP_WHERE && !op->rows && first)
		why = filter_reason(sh, p, op);
	if (why) {
		line(sh->out, depth, op->span, name, "kernel", why);
		return;
	}
	buf_puts(&b, op_reason(op));
	if (op->kind == OP_AGG && sh->push && sh->push->why)
		buf_printf(&b, ": %s", sh->push->why);
	line(sh->out, depth, op->span, name, "tracesh", buf_str(&b));
	buf_free(&b);
}

static void print_pipe(const struct shower *sh, const struct pipe *p, unsigned depth)
{
	bool first = true;

	print_source(sh, p->src, depth);
	for (const struct op *op = p->ops; op; op = op->next) {
		print_op(sh, p, op, depth, first);
		first &= op->kind == OP_WHERE;
	}
}

void plan_print_query(const struct query *q, const struct push *p, const struct plan *plan,
		      struct buf *out)
{
	struct buf lines = {0};
	struct shower sh = {.push = p, .plan = plan, .out = &lines};

	if (q->name)
		buf_printf(out, "# %s = ", q->name);
	else
		buf_puts(out, "# ");
	place_text(out, (struct span){0}, q->text ? q->text : "pipeline");
	buf_putc(out, '\n');
	/* as comments, so that all of explain's text can be given to a shell */
	print_pipe(&sh, q->pipe, 0);
	for (const char *t = buf_str(&lines), *e; (e = strchr(t, '\n')); t = e + 1) {
		buf_putc(out, '#');
		buf_add(out, t, (size_t)(e - t) + 1);
	}
	buf_free(&lines);
}
