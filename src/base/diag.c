/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics: collecting, nearest names, rendering. */
#include "base/diag.h"

#include <stdio.h>
#include <string.h>

#define MAX_SHOWN 20

struct span span_join(struct span a, struct span b)
{
	if (!a.src)
		return b;
	if (b.src == a.src && b.off + b.len > a.off)
		a.len = b.off + b.len - a.off;
	return a;
}

void span_linecol(struct span s, unsigned *line, unsigned *col)
{
	unsigned l = 1, c = 1;

	if (s.src) {
		for (uint32_t i = 0; i < s.off && i < s.src->len; i++) {
			unsigned char ch = (unsigned char)s.src->text[i];

			if (ch == '\n') {
				l++;
				c = 1;
			} else if ((ch & 0xc0) != 0x80) {
				c++;
			}
		}
	}
	*line = l;
	*col = c;
}

void diags_init(struct diags *d, struct arena *arena)
{
	memset(d, 0, sizeof(*d));
	d->arena = arena;
}

static char *vprint(struct arena *a, const char *fmt, va_list ap)
{
	struct buf b = {0};
	char *s;

	buf_vprintf(&b, fmt, ap);
	s = arena_strdup(a, buf_str(&b));
	buf_free(&b);
	return s;
}

struct diag *diag_push(struct diags *d, enum severity sev, const char *code, struct span at,
		       const char *fmt, ...)
{
	struct diag g = {.sev = sev, .code = code, .span = at};
	va_list ap;

	va_start(ap, fmt);
	g.msg = vprint(d->arena, fmt, ap);
	va_end(ap);
	if (sev == SEV_ERROR)
		d->errors++;
	else if (sev == SEV_WARNING)
		d->warnings++;
	ARENA_PUSH(d->arena, d->v, d->n, g);
	return &d->v[d->n - 1];
}

void diags_add(struct diags *d, const struct diag *g)
{
	d->errors += g->sev == SEV_ERROR;
	d->warnings += g->sev == SEV_WARNING;
	ARENA_PUSH(d->arena, d->v, d->n, *g);
}

void diag_hint(struct diags *d, struct diag *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	g->hint = vprint(d->arena, fmt, ap);
	va_end(ap);
}

/* Optimal string alignment distance, case-folded, cut off at @max. */
static unsigned distance(const char *a, size_t la, const char *b, size_t lb, unsigned max)
{
	unsigned row[3][72];
	unsigned *prev2 = row[0], *prev = row[1], *cur = row[2];

	if (la > 70 || lb > 70)
		return max + 1;
	if (la > lb + max || lb > la + max)
		return max + 1;
	for (size_t j = 0; j <= lb; j++)
		prev[j] = (unsigned)j;
	for (size_t i = 1; i <= la; i++) {
		unsigned *t;

		cur[0] = (unsigned)i;
		for (size_t j = 1; j <= lb; j++) {
			char ca = a[i - 1] | 0x20, cb = b[j - 1] | 0x20;
			unsigned v = prev[j - 1] + (ca != cb);

			if (prev[j] + 1 < v)
				v = prev[j] + 1;
			if (cur[j - 1] + 1 < v)
				v = cur[j - 1] + 1;
			if (i > 1 && j > 1 && ca == (b[j - 2] | 0x20) && cb == (a[i - 2] | 0x20) &&
			    prev2[j - 2] + 1 < v)
				v = prev2[j - 2] + 1;
			cur[j] = v;
		}
		t = prev2;
		prev2 = prev;
		prev = cur;
		cur = t;
	}
	return prev[lb];
}

int text_nearest(const char *word, const char *const *names, size_t n)
{
	size_t lw = strlen(word);
	unsigned best = lw <= 2 ? 1 : lw <= 5 ? 2 : 3;
	int at = -1;

	for (size_t i = 0; i < n; i++) {
		size_t ln = strlen(names[i]);
		unsigned d = distance(word, lw, names[i], ln, best);

		if (d < best || (d == best && at < 0)) {
			if (d >= lw)
				continue;
			best = d;
			at = (int)i;
		}
	}
	if (at < 0 && lw >= 3) { /* a word that is the start or a part of exactly one name */
		int hits = 0;

		for (size_t i = 0; i < n; i++) {
			if (strstr(names[i], word)) {
				at = (int)i;
				hits++;
			}
		}
		if (hits != 1)
			at = -1;
	}
	return at;
}

const char *diag_nearest(struct diags *d, struct diag *g, const char *word,
			 const char *const *names, size_t n)
{
	int i = text_nearest(word, names, n);

	if (i < 0)
		return NULL;
	diag_hint(d, g, "did you mean '%s'?", names[i]);
	return names[i];
}

/* Source text for a terminal: control characters would move the cursor, tabs would shift carets. */
static void put_line(struct buf *out, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_putc(out, (unsigned char)p[i] < 0x20 || p[i] == 0x7f ? ' ' : p[i]);
}

static size_t chars(const char *p, size_t n)
{
	size_t c = 0;

	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)p[i] & 0xc0) != 0x80;
	return c;
}

static void put_excerpt(const struct diag *g, const char *on, const char *off, struct buf *out)
{
	const struct source *s = g->span.src;
	uint32_t at = g->span.off < s->len ? g->span.off : s->len, b = at, e = at;
	unsigned line, col;
	size_t n;

	while (b > 0 && s->text[b - 1] != '\n')
		b--;
	while (e < s->len && s->text[e] != '\n')
		e++;
	span_linecol(g->span, &line, &col);
	n = g->span.len;
	if (at + n > e)
		n = e - at;
	buf_printf(out, "%5u | ", line);
	put_line(out, s->text + b, e - b);
	buf_printf(out, "\n      | %*s%s^", (int)chars(s->text + b, at - b), "", on);
	n = chars(s->text + at, n);
	for (size_t i = 1; i < n; i++)
		buf_putc(out, '~');
	buf_printf(out, "%s\n", off);
}

void diag_render(const struct diag *g, bool colour, struct buf *out)
{
	static const char *const words[] = {"error", "warning", "note"};
	static const char *const tint[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};
	const char *on = colour ? tint[g->sev] : "", *off = colour ? "\033[0m" : "";
	const char *bold = colour ? "\033[1m" : "";

	if (g->span.src) {
		unsigned line, col;

		span_linecol(g->span, &line, &col);
		buf_printf(out, "%s%s:%u:%u:%s ", bold, g->span.src->name, line, col, off);
	} else {
		buf_puts(out, "tracesh: ");
	}
	buf_printf(out, "%s%s[%s]:%s %s\n", on, words[g->sev], g->code, off, g->msg);
	if (g->span.src)
		put_excerpt(g, on, off, out);
	if (g->note)
		buf_printf(out, "  note: %s\n", g->note);
	if (g->hint)
		buf_printf(out, "  hint: %s\n", g->hint);
}

void diags_render(const struct diags *d, bool colour, struct buf *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < d->n && shown < MAX_SHOWN; i++, shown++)
		diag_render(&d->v[i], colour, out);
	if (d->n > shown)
		buf_printf(out, "tracesh: %zu more not shown\n", d->n - shown);
}

int diags_status(const struct diags *d)
{
	int status = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (d->v[i].sev != SEV_ERROR)
			continue;
		for (const struct diag_code *c = diag_codes; c->code; c++) {
			if (strcmp(c->code, d->v[i].code) == 0 &&
			    (status == 0 || c->status > status))
				status = c->status;
		}
		if (status == 0)
			status = 1;
	}
	return status;
}
