/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Histograms and bar charts in characters. */
#include "report/bucket.h"
#include "report/cell.h"
#include "report/kind.h"
#include "report/utf8.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

enum {
	BAR_PIPE = 40, /* columns of a full bar where there is no terminal */
	BAR_MIN = 10,
	BAR_MAX = 60,
	MAX_EMPTY = 200, /* empty buckets in a row that are shown one by one */
};

/* A line of a histogram: a bucket, or a run of empty ones too long to show. */
struct bin {
	__int128 lo, hi, count;
	bool open_lo, open_hi, skip;
};

struct bins {
	struct bin *v;
	size_t n, cap;
};

static void add_bin(struct bins *a, struct bin b)
{
	if (a->n == a->cap) {
		a->cap = a->cap ? 2 * a->cap : 64;
		a->v = xrealloc(a->v, a->cap * sizeof(*a->v));
	}
	a->v[a->n++] = b;
}

/* the empty buckets from @from up to before @to */
static void add_empty(struct bins *a, const struct bucket_rule *rule, __int128 from, __int128 to)
{
	size_t start = a->n;

	while (from < to) {
		struct bin b = {0};

		if (rule->known)
			bucket_of(rule, from, &b.lo, &b.hi);
		if (!rule->known || b.lo != from || b.hi >= to || a->n - start >= MAX_EMPTY) {
			a->n = start;
			add_bin(a, (struct bin){.skip = true});
			return;
		}
		add_bin(a, b);
		from = b.hi + 1;
	}
}

static void put_bar(struct report *r, long double part, unsigned width)
{
	struct buf *b = report_buf(r);
	bool ascii = !r->s->utf8 || r->s->set.plain;
	unsigned unit = ascii ? 1 : 8, n;

	if (part <= 0)
		return;
	n = part >= 1 ? width * unit : (unsigned)(part * width * unit + 0.5L);
	if (n == 0)
		n = 1; /* something is there */
	for (; n >= unit; n -= unit)
		buf_puts(b, ascii ? "#" : "\xe2\x96\x88");
	if (n)
		buf_add(b, (char[]){'\xe2', '\x96', (char)(0x90 - n)}, 3);
}

static unsigned bar_width(const struct report *r, size_t used)
{
	size_t w;

	if (!r->out->tty)
		return BAR_PIPE;
	w = r->s->width > used + 1 ? r->s->width - used - 1 : 0;
	return w < BAR_MIN ? BAR_MIN : w > BAR_MAX ? BAR_MAX : (unsigned)w;
}

/* ---- histograms ---- */

static void label(struct report *r, struct buf *b, const struct type *t, __int128 v, unsigned dec)
{
	struct cell c = {.n = v};
	struct cell_style st = cell_style(r->s, r->out->tty);

	buf_clear(b);
	if (t->kind == T_TIME && st.human && !*st.unit)
		cell_time(b, v, dec);
	else
		cell_show(b, "", t, &c, &st);
}

/* decimals of times on a terminal so that two neighbours don't look the same */
static unsigned label_decimals(struct report *r, const struct type *t, const struct bins *bins)
{
	struct buf a = {0}, b = {0};
	unsigned dec = 1;

	if (t->kind != T_TIME || !r->out->tty)
		return 1;
	for (size_t i = 1; i < bins->n && dec < 9; i++) {
		const struct bin *x = &bins->v[i - 1], *y = &bins->v[i];

		if (x->skip || y->skip || x->open_lo)
			continue;
		for (; dec < 9; dec++) {
			label(r, &a, t, x->lo, dec);
			label(r, &b, t, y->lo, dec);
			if (strcmp(buf_str(&a), buf_str(&b)) != 0)
				break;
		}
	}
	buf_free(&a);
	buf_free(&b);
	return dec;
}

static void pad_left(struct buf *out, const struct buf *b, size_t width)
{
	text_pad(out, width > b->len ? width - b->len : 0);
	buf_add(out, buf_str(b), b->len);
}

static void put_bound(struct report *r, struct buf *b, const struct type *t, __int128 v, bool open,
		      unsigned dec)
{
	label(r, b, t, v, dec);
	if (open) {
		buf_clear(b);
		buf_puts(b, "...");
	}
}

static void put_bins(struct report *r, const struct type *t, const struct bins *bins)
{
	struct buf *out = report_buf(r), b = {0};
	size_t wlo = 0, whi = 0, wcount = 0;
	unsigned dec = label_decimals(r, t, bins), width;
	__int128 max = 0, total = 0;

	for (size_t i = 0; i < bins->n; i++) {
		const struct bin *x = &bins->v[i];

		total += x->count;
		if (x->count > max)
			max = x->count;
		if (x->skip)
			continue;
		put_bound(r, &b, t, x->lo, x->open_lo, dec);
		wlo = b.len > wlo ? b.len : wlo;
		put_bound(r, &b, t, x->hi, x->open_hi, dec);
		whi = b.len > whi ? b.len : whi;
	}
	label(r, &b, &(struct type){.kind = T_INT}, total, 0);
	wcount = b.len;
	width = bar_width(r, wlo + whi + wcount + 8);
	for (size_t i = 0; i < bins->n; i++) {
		const struct bin *x = &bins->v[i];

		if (x->skip) {
			buf_puts(out, "  ...\n");
			continue;
		}
		buf_puts(out, x->open_lo ? "(" : "[");
		put_bound(r, &b, t, x->lo, x->open_lo, dec);
		pad_left(out, &b, wlo);
		buf_puts(out, ", ");
		put_bound(r, &b, t, x->hi, x->open_hi, dec);
		pad_left(out, &b, whi);
		buf_puts(out, x->open_hi ? ")  " : "]  ");
		label(r, &b, &(struct type){.kind = T_INT}, x->count, 0);
		pad_left(out, &b, wcount);
		if (x->count > 0)
			buf_puts(out, "  ");
		put_bar(r, max ? (long double)x->count / (long double)max : 0, width);
		buf_putc(out, '\n');
	}
	text_pad(out, wlo + whi + 4 - strlen("total"));
	buf_puts(out, "total  ");
	label(r, &b, &(struct type){.kind = T_INT}, total, 0);
	pad_left(out, &b, wcount);
	buf_putc(out, '\n');
	buf_free(&b);
}

static bool same_keys(const struct schema *sc, const struct cell *a, const struct cell *b)
{
	for (unsigned i = 0; i + 3 < sc->n; i++) {
		if (a[i].null != b[i].null)
			return false;
		if (a[i].null)
			continue;
		if (cell_is_text(sc->cols[i].type.kind)) {
			if (a[i].len != b[i].len || (a[i].len && memcmp(a[i].p, b[i].p, a[i].len)))
				return false;
		} else if (a[i].n != b[i].n) {
			return false;
		}
	}
	return true;
}

static void put_keys(struct report *r, const struct schema *sc, const struct cell *cells)
{
	struct buf *b = report_buf(r);
	struct cell_style st = cell_style(r->s, r->out->tty);

	for (unsigned i = 0; i + 3 < sc->n; i++) {
		const struct column *c = &sc->cols[i];
		unsigned flags = text_flags(r->s, r->out->tty);

		if (i)
			buf_puts(b, ", ");
		text_safe(b, c->name, strlen(c->name), flags);
		buf_puts(b, " = ");
		if (cells[i].null || c->type.kind == T_NULL)
			buf_putc(b, '-');
		else if (cell_is_text(c->type.kind))
			text_safe(b, cells[i].p, cells[i].len, flags);
		else
			cell_show(b, c->name, &c->type, &cells[i], &st);
	}
	if (sc->n > 3)
		buf_putc(b, '\n');
}

static void hist_result(struct report *r, const struct rowset *rows)
{
	const struct schema *sc = rows->schema;
	struct bucket_rule rule = bucket_rule_find(r->q, rows);
	struct bins bins = {0};
	unsigned k = sc->n - 3;

	for (size_t i = 0; i < rows->nrows;) {
		const struct cell *group = rows->cells + i * sc->n;

		if (i)
			buf_putc(report_buf(r), '\n');
		put_keys(r, sc, group);
		bins.n = 0;
		for (; i < rows->nrows; i++) {
			const struct cell *c = rows->cells + i * sc->n;
			struct bin x = {.lo = c[k].n,
					.hi = c[k + 1].n,
					.count = c[k + 2].n,
					.open_lo = bucket_open_lo(&rule, &c[k]),
					.open_hi = bucket_open_hi(&rule, &c[k + 1])};

			if (!same_keys(sc, group, c))
				break;
			if (bins.n && !bins.v[bins.n - 1].open_hi && !x.open_lo &&
			    x.lo > bins.v[bins.n - 1].hi)
				add_empty(&bins, &rule, bins.v[bins.n - 1].hi + 1, x.lo);
			add_bin(&bins, x);
		}
		put_bins(r, &sc->hist_type, &bins);
		out_commit(r->out, false);
	}
	if (!rows->nrows)
		buf_puts(report_buf(r), "no values\n");
	free(bins.v);
}

/* ---- bar charts ---- */

static void bar_result(struct report *r, const struct rowset *rows, unsigned col)
{
	const struct schema *sc = rows->schema;
	struct buf *out = report_buf(r), lines = {0};
	__int128 max = 0;
	struct texttab t;
	const char *p;
	unsigned width;
	size_t used = 0;

	report_table_columns(r, &t, sc, col + 1, true);
	for (size_t i = 0; i < rows->nrows; i++) {
		const struct cell *c = rows->cells + i * sc->n;

		if (!c[col].null && c[col].n > max)
			max = c[col].n;
		report_table_cells(r, &t, sc, c, col + 1, true, NULL);
	}
	texttab_print(&t, true,
		      r->out->tty && r->s->width > BAR_MIN + 3 ? r->s->width - BAR_MIN - 3 : 0,
		      &lines);
	p = buf_str(&lines);
	/* the column of numbers is aligned right, so all lines are as wide as the header's */
	text_clip(p, strcspn(p, "\n"), SIZE_MAX, t.flags, &used);
	texttab_free(&t);
	width = bar_width(r, used + 2);
	for (size_t i = 0; *p; i++) {
		size_t n = strcspn(p, "\n");

		buf_add(out, p, n);
		p += n + 1;
		if (i > 0 && i <= rows->nrows) {
			const struct cell *c = rows->cells + (i - 1) * sc->n + col;

			if (!c->null && c->n > 0) {
				buf_puts(out, "  ");
				put_bar(r, (long double)c->n / (long double)max, width);
			}
		}
		buf_putc(out, '\n');
	}
	buf_free(&lines);
}

static void plot_result(struct report *r, const struct rowset *rows)
{
	const struct schema *sc = rows->schema;

	if (sc->hist && sc->n >= 3) {
		report_title(r);
		hist_result(r, rows);
		return;
	}
	for (unsigned i = 0; i < sc->n; i++) {
		if (!sc->cols[i].key && !cell_is_text(sc->cols[i].type.kind) &&
		    sc->cols[i].type.kind != T_NULL) {
			report_title(r);
			bar_result(r, rows, i);
			return;
		}
	}
	report_table.result(r, rows);
}

/* events as they come have no largest value to scale by: a table */
static void plot_row(struct report *r, const struct schema *sc, const struct cell *cells)
{
	report_table.row(r, sc, cells);
}

const struct report_kind report_plot = {
	.name = "plot",
	.render = RENDER_PLOT,
	.brief = "histograms and bars",
	.help = "A histogram for each key: a line a bucket with its bounds (lo <= v <= hi), its "
		"count and\n"
		"a bar, empty buckets between filled ones included, the total at the end. Other "
		"results\n"
		"become a bar chart of their first value. Bars are block characters, `#` where "
		"the\n"
		"locale is not UTF-8 and with --plain.",
	.result = plot_result,
	.row = plot_row,
};
