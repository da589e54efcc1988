/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A query's output: chooses the format, opens the redirection, hands rows to the format and text to
 * the stream. It does not know how a format looks.
 */
#include "report/report.h"

#include "base/hash.h"
#include "report/kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct report_kind *const report_kinds[] = {&report_table, &report_plot,   &report_csv,
						  &report_json,  &report_folded, NULL};

const struct report_kind *report_kind_find(const char *name, size_t len)
{
	for (size_t i = 0; report_kinds[i]; i++) {
		const char *have = report_kinds[i]->name;

		if (strlen(have) == len && memcmp(have, name, len) == 0)
			return report_kinds[i];
	}
	return NULL;
}

/* the stage at the end, else the setting, else what fits the result */
static const struct report_kind *choose(const struct report *r, const struct schema *sc)
{
	static const enum render of_format[] = {
		[FMT_AUTO] = RENDER_AUTO, [FMT_TABLE] = RENDER_TABLE, [FMT_CSV] = RENDER_CSV,
		[FMT_JSON] = RENDER_JSON, [FMT_PLOT] = RENDER_PLOT,
	};
	enum render want = r->q->render;

	if (want == RENDER_AUTO)
		want = of_format[r->s->set.format];
	if (want == RENDER_AUTO)
		want = sc->hist ? RENDER_PLOT : RENDER_TABLE;
	for (size_t i = 0; report_kinds[i]; i++) {
		if (report_kinds[i]->render == want)
			return report_kinds[i];
	}
	return &report_table;
}

static struct report *of_sink(struct sink *k)
{
	return (struct report *)((char *)k - offsetof(struct report, sink));
}

/* One of several maps is shown under its own name, as a section of its own. */
static void show_named(struct report *r, const struct rowset *rows)
{
	bool several = r->several;

	r->name = rows->name;
	r->several = r->of_map = true;
	r->headed = r->titled = false;
	choose(r, rows->schema)->result(r, rows);
	r->name = r->job;
	r->several = several;
	r->of_map = r->headed = r->titled = false;
}

static void on_result(struct sink *k, const struct rowset *rows, bool interim)
{
	struct report *r = of_sink(k);

	(void)interim;
	if (r->out->err)
		return;
	if (rows->name)
		show_named(r, rows);
	else
		choose(r, rows->schema)->result(r, rows);
	r->shown = true;
	r->out->section = r;
	out_commit(r->out, true);
}

static void on_row(struct sink *k, const struct schema *sc, const struct cell *cells)
{
	struct report *r = of_sink(k);

	if (r->out->err)
		return;
	choose(r, sc)->row(r, sc, cells);
	r->shown = true;
	r->out->section = r;
	out_commit(r->out, false);
}

/* Names of tasks and markers come from anyone: on a terminal their control characters are escaped.
 */
static void on_text(struct sink *k, const char *p, size_t n)
{
	struct report *r = of_sink(k);

	if (r->out->err)
		return;
	if (r->out->tty)
		text_safe(report_buf(r), p, n, TEXT_LINES | text_flags(r->s, true));
	else
		buf_add(report_buf(r), p, n);
	r->shown = true;
	r->out->section = r;
	out_commit(r->out, false);
}

static struct out *open_target(struct session *s, const struct query *q)
{
	int err = 0;
	struct out *o;

	if (strcmp(q->redirect, "|!") == 0)
		return out_command(q->target);
	o = out_open(q->target, strcmp(q->redirect, ">>") == 0, &err);
	if (!o && s->diags)
		diag_error(s->diags, "write-failed", q->span, "cannot write '%s': %s", q->target,
			   strerror(-err));
	return o;
}

struct report *report_new(struct session *s, const struct query *q, struct out *out,
			  const char *job_name, bool several)
{
	struct report *r = xcalloc(1, sizeof(*r));

	r->sink = (struct sink){.result = on_result, .row = on_row, .text = on_text};
	r->s = s;
	r->q = q;
	r->out = out;
	r->several = several;
	if (q->redirect) {
		r->own_out = true;
		r->out = open_target(s, q);
	}
	if (!r->out) {
		free(r);
		return NULL;
	}
	r->name = r->job = job_name ? xstrdup(job_name) : NULL;
	return r;
}

struct sink *report_sink(struct report *r)
{
	return &r->sink;
}

void report_flush(struct report *r)
{
	out_flush(r->out);
}

bool report_broken(const struct report *r)
{
	return r->out->err != 0;
}

/* the diag of a failed write, once a stream */
static void complain(struct report *r, int err, int status)
{
	const struct query *q = r->q;
	const char *what = r->own_out ? q->target : "standard output";
	struct diag *g;

	if (!r->s->diags)
		return;
	if (err && r->own_out && strcmp(q->redirect, "|!") == 0)
		diag_error(r->s->diags, "write-failed", q->span, "cannot run '%s': %s", what,
			   strerror(-err));
	else if (err)
		diag_error(r->s->diags, "write-failed", q->span, "cannot write %s%s%s: %s",
			   r->own_out ? "'" : "", what, r->own_out ? "'" : "", strerror(-err));
	else {
		g = diag_error(r->s->diags, "write-failed", q->span,
			       "the command '%s' could not be run", what);
		if (g)
			g->note = status == 127 ? "the shell did not find it (status 127)"
						: "it is not executable (status 126)";
	}
}

int report_close(struct report *r)
{
	int err, status = 0;

	if (r->own_out) {
		/* a run that failed before its first output runs no command */
		if (r->s->diags && r->s->diags->errors && !r->out->used)
			out_cancel(r->out);
		err = out_close(r->out, &status);
		if (err == -EPIPE && status != 126 && status != 127)
			err = 0;
		if (err == -EPIPE || (!err && (status == 126 || status == 127))) {
			complain(r, 0, status);
			err = status == 127 ? -ENOENT : -EACCES;
		} else if (err) {
			complain(r, err, status);
		}
	} else {
		out_flush(r->out);
		err = r->out->err == -EPIPE ? 0 : r->out->err;
		if (err && !r->out->reported)
			complain(r, err, 0);
		r->out->reported = r->out->reported || err;
		if (r->out->section == r)
			r->out->section = r->out; /* r's address may come again */
	}
	texttab_free(&r->tab);
	buf_free(&r->tmp);
	free(r->job);
	free(r);
	return err;
}

uint64_t report_schema_hash(const struct schema *sc)
{
	uint64_t h = sc->n + 1;

	for (unsigned i = 0; i < sc->n; i++) {
		h = hash_bytes(sc->cols[i].name, strlen(sc->cols[i].name), h);
		h = hash_mix(h + (uint64_t)sc->cols[i].type.kind);
	}
	return h;
}

void report_title(struct report *r)
{
	struct buf *b = report_buf(r);

	if (r->out->used || b->len)
		buf_putc(b, '\n');
	if (r->several && r->name && (!r->titled || r->out->section != r)) {
		text_safe(b, r->name, strlen(r->name), text_flags(r->s, r->out->tty));
		buf_puts(b, ":\n");
		r->titled = true;
	}
}
