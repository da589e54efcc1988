/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `explain` shows: writes as lines for a shell, stages with where they run. Changes nothing.
 */
#include "plan/plan.h"
#include "stage/stage.h"

#include <string.h>

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

/* ---- writes ---- */

static void quoted(struct buf *out, const char *t)
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
	quoted(out, buf_str(&b));
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
	quoted(out, text);
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
	case OP_PRINT:
	case OP_PRINTF:
	case OP_ROWS: return "the kernel prints no events by itself";
	case OP_LIMIT:
	case OP_RENDER:
	case OP_EVERY: return "counts and shows what came through";
	default: return "over the events read from the ring buffer";
	}
}

static void print_pipe(const struct pipe *p, unsigned depth, struct buf *out);

static void print_source(const struct src *src, unsigned depth, struct buf *out)
{
	struct buf why = {0};

	switch (src->kind) {
	case SRC_PAIR:
		line(out, depth, src->span, src->text ? src->text : "->", "tracesh",
		     "each end finds its start by the keys");
		break;
	case SRC_UNION:
		line(out, depth, src->span, src->text ? src->text : ",", "tracesh",
		     "merged in time order");
		break;
	case SRC_PIPE: break;
	case SRC_PROBE:
		buf_printf(&why, "%u event%s made by us, recorded into a buffer of our own",
			   src->evs.n, src->evs.n == 1 ? "" : "s");
		line(out, depth, src->span, src->text ? src->text : "?", "kernel", buf_str(&why));
		buf_free(&why);
		break;
	default:
		buf_printf(&why, "%u event%s, recorded into a buffer of our own", src->evs.n,
			   src->evs.n == 1 ? "" : "s");
		line(out, depth, src->span, src->text ? src->text : "?", "kernel", buf_str(&why));
		buf_free(&why);
	}
	for (unsigned i = 0; i < src->nkids; i++)
		print_pipe(src->kids[i], src->kind == SRC_PIPE ? depth : depth + 1, out);
}

static void print_pipe(const struct pipe *p, unsigned depth, struct buf *out)
{
	print_source(p->src, depth, out);
	for (const struct op *op = p->ops; op; op = op->next)
		line(out, depth, op->span, op->stage ? op->stage->syntax.name : "print", "tracesh",
		     op_reason(op));
}

void plan_print_query(const struct query *q, struct buf *out)
{
	struct buf lines = {0};

	if (q->name)
		buf_printf(out, "# %s = ", q->name);
	else
		buf_puts(out, "# ");
	place_text(out, (struct span){0}, q->text ? q->text : "pipeline");
	buf_putc(out, '\n');
	/* as comments, so that all of explain's text can be given to a shell */
	print_pipe(q->pipe, 0, &lines);
	for (const char *t = buf_str(&lines), *e; (e = strchr(t, '\n')); t = e + 1) {
		buf_putc(out, '#');
		buf_add(out, t, (size_t)(e - t) + 1);
	}
	buf_free(&lines);
}
