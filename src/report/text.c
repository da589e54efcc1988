/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Safe text and aligned tables. Knows terminals, but nothing of queries, columns' types or formats.
 */
#include "report/text.h"

#include "base/arena.h"
#include "report/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct texttab_cell {
	size_t off, len;
	size_t width;
};

struct texttab_col {
	unsigned flags;
	size_t width; /* of the widest cell */
	size_t shown; /* after clipping */
};

enum { CLIP_MIN = 8 };

unsigned text_flags(const struct session *s, bool tty)
{
	return (tty && !s->utf8 ? TEXT_ASCII : 0) | (s->utf8 ? TEXT_WIDTH : 0);
}

/* columns of a character; -1: it is to be escaped */
static int char_width(uint32_t cp, unsigned flags)
{
	int w;

	if (cp < 0x20 || cp == 0x7f)
		return -1;
	if (cp < 0x7f)
		return 1;
	if (flags & TEXT_ASCII || cp < 0xa0)
		return -1;
	/* marks that change the direction of all that follows, and line ends in disguise */
	if ((cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x2028 ||
	    cp == 0x2029)
		return -1;
	if (!(flags & TEXT_WIDTH))
		return 1;
	w = wcwidth((wchar_t)cp);
	return w;
}

static size_t escape(struct buf *b, const char *p, int n)
{
	for (int i = 0; i < n; i++)
		buf_printf(b, "\\x%02x", (unsigned char)p[i]);
	return 4 * (size_t)n;
}

size_t text_safe(struct buf *b, const char *p, size_t n, unsigned flags)
{
	size_t width = 0, i = 0, plain;

	while (i < n) {
		uint32_t cp;
		int len, w;

		for (plain = i; i < n && p[i] >= 0x20 && p[i] < 0x7f; i++)
			;
		buf_add(b, p + plain, i - plain);
		width += i - plain;
		if (i == n)
			break;
		len = utf8_next(p + i, n - i, &cp);
		if (len < 0) {
			width += escape(b, p + i, -len);
			i += (size_t)-len;
			continue;
		}
		if (flags & TEXT_LINES && (cp == '\n' || cp == '\t'))
			w = 1;
		else
			w = char_width(cp, flags);
		if (w < 0) {
			width += escape(b, p + i, len);
		} else {
			buf_add(b, p + i, (size_t)len);
			width += (size_t)w;
		}
		i += (size_t)len;
	}
	return width;
}

size_t text_clip(const char *p, size_t n, size_t width, unsigned flags, size_t *used)
{
	size_t i = 0, w = 0;

	while (i < n) {
		uint32_t cp;
		int len = utf8_next(p + i, n - i, &cp);
		int cw = len > 0 ? char_width(cp, flags) : 1;

		if (w + (size_t)(cw > 0 ? cw : 0) > width)
			break;
		w += (size_t)(cw > 0 ? cw : 0);
		i += (size_t)(len > 0 ? len : -len);
	}
	*used = w;
	return i;
}

void text_pad(struct buf *b, size_t n)
{
	buf_reserve(b, n);
	if (n)
		memset(b->p + b->len, ' ', n);
	b->len += n;
	b->p[b->len] = 0;
}

void texttab_init(struct texttab *t, const struct session *s, bool tty)
{
	memset(t, 0, sizeof(*t));
	t->flags = text_flags(s, tty);
	t->gap = 2;
}

void texttab_free(struct texttab *t)
{
	buf_free(&t->text);
	free(t->cols);
	free(t->cells);
	t->cols = NULL;
	t->cells = NULL;
}

static void add_cell(struct texttab *t, unsigned col, size_t off, size_t width)
{
	if (t->ncells == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->cells = xrealloc(t->cells, t->cap * sizeof(*t->cells));
	}
	t->cells[t->ncells++] =
		(struct texttab_cell){.off = off, .len = t->text.len - off, .width = width};
	texttab_widen(t, col, width);
}

void texttab_col(struct texttab *t, const char *title, unsigned flags)
{
	size_t off = t->text.len;

	t->cols = xrealloc(t->cols, (t->ncols + 1) * sizeof(*t->cols));
	t->cols[t->ncols] = (struct texttab_col){.flags = flags};
	t->ncols++;
	add_cell(t, t->ncols - 1, off, text_safe(&t->text, title, strlen(title), t->flags));
}

void texttab_cell(struct texttab *t, const char *p, size_t n)
{
	size_t off = t->text.len;

	add_cell(t, (unsigned)(t->ncells % t->ncols), off, text_safe(&t->text, p, n, t->flags));
}

void texttab_str(struct texttab *t, const char *s)
{
	if (!s)
		s = "-";
	texttab_cell(t, s, strlen(s));
}

void texttab_fmt(struct texttab *t, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	texttab_cell(t, buf_str(&b), b.len);
	buf_free(&b);
}

void texttab_clear(struct texttab *t)
{
	const struct texttab_cell *last;

	if (t->ncells <= t->ncols || !t->ncols)
		return;
	last = &t->cells[t->ncols - 1];
	t->text.len = last->off + last->len;
	t->ncells = t->ncols;
}

void texttab_widen(struct texttab *t, unsigned col, size_t width)
{
	if (t->cols[col].width < width)
		t->cols[col].width = width;
}

/* take columns from the widest that may be clipped until the line fits */
static void fit(struct texttab *t, size_t width)
{
	size_t total = t->indent + (size_t)t->gap * (t->ncols - 1);

	for (unsigned i = 0; i < t->ncols; i++) {
		t->cols[i].shown = t->cols[i].width;
		total += t->cols[i].width;
	}
	while (width && total > width) {
		struct texttab_col *widest = NULL;
		size_t next = CLIP_MIN, cut;

		for (unsigned i = 0; i < t->ncols; i++) {
			struct texttab_col *c = &t->cols[i];

			if (!(c->flags & TEXTTAB_CLIP) || c->shown <= CLIP_MIN)
				continue;
			if (!widest || c->shown > widest->shown) {
				if (widest)
					next = widest->shown;
				widest = c;
			} else if (c->shown > next) {
				next = c->shown;
			}
		}
		if (!widest)
			return;
		cut = widest->shown - next;
		if (cut == 0)
			cut = 1;
		if (cut > total - width)
			cut = total - width;
		widest->shown -= cut;
		total -= cut;
	}
}

static void line(const struct texttab *t, const struct texttab_cell *row, struct buf *out)
{
	text_pad(out, t->indent);
	for (unsigned i = 0; i < t->ncols; i++) {
		const struct texttab_col *c = &t->cols[i];
		const char *p = t->text.p + row[i].off;
		size_t n = row[i].len, w = row[i].width;
		const char *more = "";

		if (w > c->shown) {
			more = t->flags & TEXT_WIDTH && !(t->flags & TEXT_ASCII) ? "\xe2\x80\xa6"
										 : ">";
			n = text_clip(p, n, c->shown - 1, t->flags, &w);
			w++;
		}
		if (c->flags & TEXTTAB_RIGHT)
			text_pad(out, c->shown - w);
		buf_add(out, p, n);
		buf_puts(out, more);
		/* no spaces at the end of a line */
		if (i + 1 < t->ncols)
			text_pad(out, t->gap + (c->flags & TEXTTAB_RIGHT ? 0 : c->shown - w));
	}
	while (out->len && out->p[out->len - 1] == ' ')
		out->len--;
	buf_putc(out, '\n');
}

void texttab_print(struct texttab *t, bool header, size_t width, struct buf *out)
{
	if (!t->ncols)
		return;
	fit(t, width);
	for (size_t i = header ? 0 : t->ncols; i + t->ncols <= t->ncells; i += t->ncols)
		line(t, t->cells + i, out);
}

void texttab_line(struct texttab *t, long row, struct buf *out)
{
	fit(t, 0);
	line(t, t->cells + (size_t)(row + 1) * t->ncols, out);
}
