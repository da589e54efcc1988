/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folded stacks, as flame graph tools read them: frames from the outermost, then a number. */
#include "report/cell.h"
#include "report/kind.h"

#include <string.h>

static void frame(struct report *r, const char *p, size_t n, bool *first)
{
	struct buf *b = report_buf(r);
	size_t from;

	if (!*first)
		buf_putc(b, ';');
	*first = false;
	from = b->len;
	text_safe(b, p, n, text_flags(r->s, r->out->tty));
	/* a semicolon would be another frame */
	for (size_t i = from; i < b->len; i++) {
		if (b->p[i] == ';')
			b->p[i] = ':';
	}
}

/* innermost first in the cell, outermost first here */
static void stack(struct report *r, const struct cell *c, bool *first)
{
	size_t end = c->len;

	while (end > 0) {
		const char *p = memrchr(c->p, ';', end);
		size_t start = p ? (size_t)(p - c->p) + 1 : 0;

		if (start < end)
			frame(r, c->p + start, end - start, first);
		end = p ? (size_t)(p - c->p) : 0;
	}
}

static bool is_user(const struct column *c)
{
	return strncmp(c->name, "ustack", 6) == 0;
}

/* @values: the rows are a result, of whose columns the first value is the weight */
static void folded(struct report *r, const struct schema *sc, const struct cell *cells, bool values)
{
	struct buf *b = report_buf(r);
	unsigned weight = sc->n;
	bool first = true;

	for (unsigned i = 0; i < sc->n && values && weight == sc->n; i++) {
		if (!sc->cols[i].key && !cell_is_text(sc->cols[i].type.kind))
			weight = i;
	}
	/* keys are the root, then the program, then the kernel */
	for (unsigned i = 0; i < sc->n; i++) {
		const struct type *t = &sc->cols[i].type;

		if (t->kind == T_STACK || cells[i].null || (values && !sc->cols[i].key))
			continue;
		if (t->kind == T_STR) {
			frame(r, cells[i].p, cells[i].len, &first);
			continue;
		}
		buf_clear(&r->tmp);
		cell_exact(&r->tmp, t, &cells[i]);
		frame(r, buf_str(&r->tmp), r->tmp.len, &first);
	}
	for (int user = 1; user >= 0; user--) {
		for (unsigned i = 0; i < sc->n; i++) {
			if (sc->cols[i].type.kind == T_STACK && !cells[i].null &&
			    is_user(&sc->cols[i]) == user)
				stack(r, &cells[i], &first);
		}
	}
	if (first)
		buf_puts(b, "[no stack]");
	buf_putc(b, ' ');
	if (weight == sc->n)
		buf_putc(b, '1');
	else if (cells[weight].null)
		buf_putc(b, '0');
	else
		cell_exact(b, &sc->cols[weight].type, &cells[weight]);
	buf_putc(b, '\n');
}

static void folded_result(struct report *r, const struct rowset *rows)
{
	unsigned n = rows->schema->n;

	for (size_t i = 0; i < rows->nrows; i++) {
		folded(r, rows->schema, rows->cells + i * n, true);
		out_commit(r->out, false);
	}
}

static void folded_row(struct report *r, const struct schema *sc, const struct cell *cells)
{
	folded(r, sc, cells, false);
}

const struct report_kind report_folded = {
	.name = "folded",
	.render = RENDER_FOLDED,
	.brief = "stacks in one line each, for flame graphs",
	.help = "A line a row: the keys, then the frames of the stack from the outermost, joined "
		"by `;`,\n"
		"then a space and the first value (the count). Input of flamegraph.pl and the "
		"like:\n"
		"    sched_switch | stack | count by comm, kstack | folded > out.folded",
	.result = folded_result,
	.row = folded_row,
};
