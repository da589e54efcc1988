/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON lines: one object a row, valid whatever the events held. */
#include "report/cell.h"
#include "report/kind.h"
#include "report/utf8.h"

#include <string.h>

static void quoted(struct buf *b, const char *p, size_t n)
{
	size_t i = 0, plain;

	buf_putc(b, '"');
	while (i < n) {
		uint32_t cp;
		int len;

		for (plain = i; i < n && p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\';
		     i++)
			;
		buf_add(b, p + plain, i - plain);
		if (i == n)
			break;
		len = utf8_next(p + i, n - i, &cp);
		if (len < 0)
			buf_puts(b, UTF8_REPLACEMENT);
		else if (cp == '"' || cp == '\\')
			buf_add(b, (char[]){'\\', (char)cp}, 2);
		else if (cp == '\n')
			buf_puts(b, "\\n");
		else if (cp == '\t')
			buf_puts(b, "\\t");
		else if (cp == '\r')
			buf_puts(b, "\\r");
		else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			buf_printf(b, "\\u%04x", cp);
		else
			buf_add(b, p + i, (size_t)len);
		i += (size_t)(len > 0 ? len : -len);
	}
	buf_putc(b, '"');
}

static void value(struct buf *b, const struct type *t, const struct cell *c)
{
	if (c->null || t->kind == T_NULL) {
		buf_puts(b, "null");
	} else if (cell_is_text(t->kind)) {
		quoted(b, c->p, c->len);
	} else if (t->kind == T_BOOL) {
		buf_puts(b, c->n ? "true" : "false");
	} else if (t->kind == T_ADDR || t->show == SHOW_HEX || t->show == SHOW_OCT) {
		buf_putc(b, '"');
		cell_exact(b, t, c);
		buf_putc(b, '"');
	} else {
		cell_exact(b, t, c);
	}
}

static void json_row(struct report *r, const struct schema *sc, const struct cell *cells)
{
	struct buf *b = report_buf(r);

	buf_putc(b, '{');
	if (r->several && r->name) {
		buf_puts(b, r->of_map ? "\"map\":" : "\"job\":");
		quoted(b, r->name, strlen(r->name));
		if (sc->n)
			buf_putc(b, ',');
	}
	for (unsigned i = 0; i < sc->n; i++) {
		if (i)
			buf_putc(b, ',');
		quoted(b, sc->cols[i].name, strlen(sc->cols[i].name));
		buf_putc(b, ':');
		value(b, &sc->cols[i].type, &cells[i]);
	}
	buf_puts(b, "}\n");
}

static void json_result(struct report *r, const struct rowset *rows)
{
	unsigned n = rows->schema->n;

	for (size_t i = 0; i < rows->nrows; i++) {
		json_row(r, rows->schema, rows->cells + i * n);
		out_commit(r->out, false);
	}
}

const struct report_kind report_json = {
	.name = "json",
	.render = RENDER_JSON,
	.brief = "one JSON object a line",
	.help = "One object a row, a line each: {\"next_comm\":\"sh\",\"count\":3}. Integers are "
		"exact\n"
		"(up to 128 bits for sums), times are nanoseconds, averages have six decimals, "
		"conditions\n"
		"are true or false, addresses and hexadecimal values are strings \"0x...\", what "
		"is not\n"
		"there is null. Control characters are escaped and bytes that are no UTF-8 become "
		"U+FFFD.\n"
		"With several pipelines each object begins with \"job\":NAME.",
	.result = json_result,
	.row = json_row,
};
