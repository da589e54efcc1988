/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV as RFC 4180 has it, but with the line ends of this system. */
#include "report/cell.h"
#include "report/kind.h"
#include "report/utf8.h"

#include <string.h>

/* broken UTF-8 and NUL become U+FFFD; on a terminal control characters are escaped */
static void clean(struct report *r, struct buf *b, const char *p, size_t n)
{
	size_t i = 0, plain;

	if (r->out->tty) {
		text_safe(b, p, n, TEXT_LINES | text_flags(r->s, true));
		return;
	}
	while (i < n) {
		uint32_t cp;
		int len = 1;

		for (plain = i; i < n && p[i] && !((unsigned char)p[i] & 0x80); i++)
			;
		buf_add(b, p + plain, i - plain);
		if (i == n)
			return;
		len = p[i] ? utf8_next(p + i, n - i, &cp) : -1;
		if (len > 0)
			buf_add(b, p + i, (size_t)len);
		else
			buf_puts(b, UTF8_REPLACEMENT);
		i += (size_t)(len > 0 ? len : -len);
	}
}

static void text(struct report *r, const char *p, size_t n)
{
	struct buf *b = report_buf(r);
	bool quote = n == 0 || p[0] == '#' || p[0] == ' ' || p[n - 1] == ' ';

	for (size_t i = 0; i < n && !quote; i++)
		quote = p[i] == '"' || p[i] == ',' || p[i] == '\n' || p[i] == '\r';
	if (!quote) {
		clean(r, b, p, n);
		return;
	}
	buf_putc(b, '"');
	while (n) {
		const char *q = memchr(p, '"', n);
		size_t len = q ? (size_t)(q - p) + 1 : n;

		clean(r, b, p, len);
		if (q)
			buf_putc(b, '"');
		p += len;
		n -= len;
	}
	buf_putc(b, '"');
}

static void csv_line(struct report *r, const struct schema *sc, const struct cell *cells)
{
	struct buf *b = report_buf(r);

	for (unsigned i = 0; i < sc->n; i++) {
		const struct type *t = &sc->cols[i].type;

		if (i)
			buf_putc(b, ',');
		if (cells[i].null || t->kind == T_NULL) {
			/* a line of one empty field would be an empty line */
			if (sc->n == 1)
				buf_puts(b, "\"\"");
		} else if (cell_is_text(t->kind)) {
			text(r, cells[i].p, cells[i].len);
		} else {
			cell_exact(b, t, &cells[i]);
		}
	}
	buf_putc(b, '\n');
}

static void csv_head(struct report *r, const struct schema *sc)
{
	struct buf *b = report_buf(r);
	uint64_t h = report_schema_hash(sc);
	bool other = r->several && r->out->section != r;

	if (r->headed && r->schema == h && !other)
		return;
	if (r->out->used || b->len) {
		buf_putc(b, '\n');
		if (r->several && r->name) {
			buf_puts(b, "# ");
			text_safe(b, r->name, strlen(r->name), 0);
			buf_putc(b, '\n');
		}
	}
	for (unsigned i = 0; i < sc->n; i++) {
		if (i)
			buf_putc(b, ',');
		text(r, sc->cols[i].name, strlen(sc->cols[i].name));
	}
	buf_putc(b, '\n');
	r->headed = true;
	r->schema = h;
}

static void csv_result(struct report *r, const struct rowset *rows)
{
	const struct schema *sc = rows->schema;

	if (!sc->n)
		return;
	csv_head(r, sc);
	for (size_t i = 0; i < rows->nrows; i++) {
		csv_line(r, sc, rows->cells + i * sc->n);
		out_commit(r->out, false);
	}
}

static void csv_row(struct report *r, const struct schema *sc, const struct cell *cells)
{
	if (!sc->n)
		return;
	csv_head(r, sc);
	csv_line(r, sc, cells);
}

const struct report_kind report_csv = {
	.name = "csv",
	.render = RENDER_CSV,
	.brief = "comma-separated values with one header line",
	.help = "One header line, then a line a row as RFC 4180 has it: a field with a comma, "
		"quote or\n"
		"line end is quoted, quotes are doubled; lines end in a newline alone. Numbers "
		"are\n"
		"exact, times are nanoseconds, addresses 0x..., averages have six decimals. A "
		"value\n"
		"that is not there is an empty field, an empty string is \"\". Bytes that are no "
		"UTF-8\n"
		"become U+FFFD. With several pipelines an empty line and a line `# NAME` come "
		"before\n"
		"each result but the first.",
	.result = csv_result,
	.row = csv_row,
};
