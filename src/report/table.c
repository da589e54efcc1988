/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables: aligned columns for people; on a terminal with units and clipped to its width, on a pipe
 * with exact numbers.
 */
#include "report/cell.h"
#include "report/kind.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void report_table_columns(struct report *r, struct texttab *t, const struct schema *sc, unsigned n,
			  bool stacks)
{
	texttab_init(t, r->s, r->out->tty);
	for (unsigned i = 0; i < n; i++) {
		enum type_kind k = sc->cols[i].type.kind;

		if (stacks || k != T_STACK)
			texttab_col(t, sc->cols[i].name,
				    cell_is_text(k) ? TEXTTAB_CLIP : TEXTTAB_RIGHT);
	}
}

void report_table_cells(struct report *r, struct texttab *t, const struct schema *sc,
			const struct cell *cells, unsigned n, bool stacks, const unsigned *dec)
{
	struct cell_style st = cell_style(r->s, r->out->tty);

	for (unsigned i = 0; i < n; i++) {
		const struct column *c = &sc->cols[i];

		if (c->type.kind == T_STACK && !stacks)
			continue;
		if (cells[i].null || c->type.kind == T_NULL) {
			texttab_cell(t, "-", 1);
		} else if (cell_is_text(c->type.kind)) {
			texttab_cell(t, cells[i].p, cells[i].len);
		} else {
			st.dec = dec ? dec[i] : 6;
			buf_clear(&r->tmp);
			cell_show(&r->tmp, c->name, &c->type, &cells[i], &st);
			texttab_cell(t, buf_str(&r->tmp), r->tmp.len);
		}
	}
}

/* On a terminal a stack stands below its row, a frame a line, innermost first. */
static void put_stacks(struct report *r, const struct schema *sc, const struct cell *cells)
{
	struct buf *b = report_buf(r);

	for (unsigned i = 0; i < sc->n; i++) {
		const char *p = cells[i].p;
		size_t left = cells[i].len;

		if (sc->cols[i].type.kind != T_STACK || cells[i].null)
			continue;
		while (left) {
			const char *e = memchr(p, ';', left);
			size_t n = e ? (size_t)(e - p) : left;

			text_pad(b, 4);
			text_safe(b, p, n, text_flags(r->s, true));
			buf_putc(b, '\n');
			p += n + (e ? 1 : 0);
			left -= n + (e ? 1 : 0);
		}
	}
}

static bool stacks_below(const struct report *r, const struct schema *sc)
{
	for (unsigned i = 0; i < sc->n && r->out->tty; i++) {
		if (sc->cols[i].type.kind == T_STACK)
			return true;
	}
	return false;
}

/* Decimals that a column of averages needs on a terminal: two, or all six where values are below 1.
 */
static unsigned decimals(const struct rowset *rows, unsigned col)
{
	unsigned n = rows->schema->n;

	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *c = &rows->cells[i * n + col];

		if (!c->null && c->n && c->n > -1000000 && c->n < 1000000)
			return 6;
	}
	return 2;
}

static void table_result(struct report *r, const struct rowset *rows)
{
	const struct schema *sc = rows->schema;
	bool below = stacks_below(r, sc);
	struct buf lines = {0};
	unsigned *dec = NULL;
	struct texttab t;
	const char *p;

	if (!sc->n)
		return;
	report_title(r);
	report_table_columns(r, &t, sc, sc->n, !below);
	if (r->out->tty) {
		dec = xcalloc(sc->n, sizeof(*dec));
		for (unsigned i = 0; i < sc->n; i++)
			dec[i] = decimals(rows, i);
	}
	for (size_t i = 0; i < rows->nrows; i++)
		report_table_cells(r, &t, sc, rows->cells + i * sc->n, sc->n, !below, dec);
	texttab_print(&t, true, r->out->tty ? r->s->width : 0, below ? &lines : report_buf(r));
	texttab_free(&t);
	free(dec);
	/* one line each, the header first; none at all where the stack is the only column */
	p = buf_str(&lines);
	for (size_t i = 0; below && i <= rows->nrows; i++) {
		size_t n = strcspn(p, "\n");

		buf_add(report_buf(r), p, n);
		if (*p || i > 0)
			buf_putc(report_buf(r), '\n');
		p += *p ? n + 1 : 0;
		if (i > 0)
			put_stacks(r, sc, rows->cells + (i - 1) * sc->n);
	}
	buf_free(&lines);
}

/* Widths that rows to come will probably need, so that columns rarely move. */
static size_t usual_width(const struct column *c)
{
	switch (c->type.kind) {
	case T_STR: return 16;
	case T_TIME: return 14;
	case T_ADDR: return 18;
	case T_INT: return 7;
	default: return 1;
	}
}

static void table_row(struct report *r, const struct schema *sc, const struct cell *cells)
{
	uint64_t h = report_schema_hash(sc);
	bool fresh = !r->headed || r->schema != h, below = stacks_below(r, sc);

	if (!sc->n)
		return;
	if (fresh) {
		texttab_free(&r->tab);
		if (r->headed || r->several)
			report_title(r);
		report_table_columns(r, &r->tab, sc, sc->n, !below);
		for (unsigned i = 0, col = 0; i < sc->n; i++) {
			if (!below || sc->cols[i].type.kind != T_STACK)
				texttab_widen(&r->tab, col++, usual_width(&sc->cols[i]));
		}
	}
	texttab_clear(&r->tab);
	report_table_cells(r, &r->tab, sc, cells, sc->n, !below, NULL);
	if (r->tab.ncols) {
		if (fresh)
			texttab_line(&r->tab, -1, report_buf(r));
		texttab_line(&r->tab, 0, report_buf(r));
	} else {
		buf_putc(report_buf(r), '\n');
	}
	if (below)
		put_stacks(r, sc, cells);
	r->headed = true;
	r->schema = h;
}

const struct report_kind report_table = {
	.name = "table",
	.render = RENDER_TABLE,
	.brief = "aligned columns for people",
	.help = "A header and one line a row, columns two spaces apart, numbers aligned right. On "
		"a\n"
		"terminal times and sizes have units and long strings are clipped to its width; on "
		"a\n"
		"pipe or in a file times are nanoseconds and nothing is clipped. `set unit us` "
		"shows\n"
		"times in that unit in both. A value that is not there is `-`. Control characters\n"
		"and bytes that are no UTF-8 are shown as \\xNN. Stacks stand below their row on "
		"a\n"
		"terminal, a frame a line, innermost first; elsewhere they are one field.",
	.result = table_result,
	.row = table_row,
};
