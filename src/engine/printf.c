/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * printf: C's conversions over the language's values. A value is shown by its own type where the
 * conversion does not fit it, so that no format can read what is not there.
 *
 * %d %i %u %x %X %o %c %s %f %e %g %p %%, with flags, width and precision; length letters are
 * allowed and mean nothing; %T is a time with a fitting unit. A null is "null".
 */
#include "base/buf.h"
#include "base/units.h"
#include "engine/nodes.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_WIDTH 4096

struct conv {
	char flags[8];
	int width, prec; /* -1: none */
	char c;
};

static const char *parse(const char *p, struct conv *v)
{
	size_t n = 0;

	*v = (struct conv){.width = -1, .prec = -1};
	for (; *p && strchr("-+ #0", *p); p++) {
		if (n + 1 < sizeof(v->flags) && !memchr(v->flags, *p, n))
			v->flags[n++] = *p;
	}
	for (; *p >= '0' && *p <= '9'; p++)
		v->width = v->width < 0           ? *p - '0'
			   : v->width > MAX_WIDTH ? MAX_WIDTH
						  : v->width * 10 + *p - '0';
	if (*p == '.') {
		v->prec = 0;
		for (p++; *p >= '0' && *p <= '9'; p++)
			v->prec = v->prec > MAX_WIDTH ? MAX_WIDTH : v->prec * 10 + *p - '0';
	}
	while (*p && strchr("hlLqjzt", *p))
		p++;
	v->c = *p;
	return *p ? p + 1 : p;
}

static void pad_text(const struct conv *v, const char *s, size_t n, struct buf *out)
{
	size_t w = v->width > 0 ? (size_t)v->width : 0;
	bool left = strchr(v->flags, '-');

	if (v->prec >= 0 && (size_t)v->prec < n)
		n = (size_t)v->prec;
	for (size_t i = n; !left && i < w; i++)
		buf_putc(out, ' ');
	buf_add(out, s, n);
	for (size_t i = n; left && i < w; i++)
		buf_putc(out, ' ');
}

static void integer(struct conv v, struct val x, struct buf *out)
{
	char f[64];

	if (strchr("diu", v.c))
		v.c = x.uns ? 'u' : 'd';
	/* the digits are at most 22; what goes beyond is padding */
	snprintf(f, sizeof(f), "%%%s*.*ll%c", v.flags, v.c);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(out, f, v.width < 0 ? 0 : v.width, v.prec, (unsigned long long)x.u);
#pragma GCC diagnostic pop
}

static void real(struct conv v, double d, struct buf *out)
{
	char f[64];

	snprintf(f, sizeof(f), "%%%s*.*%c", v.flags, v.c);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buf_printf(out, f, v.width < 0 ? 0 : v.width, v.prec, d);
#pragma GCC diagnostic pop
}

static void time_text(const struct conv *v, struct val x, struct buf *out)
{
	struct buf b = {0};
	bool neg = !x.uns && x.s < 0;

	fmt_duration(&b, neg ? 0 - x.u : x.u, neg);
	pad_text(v, buf_str(&b), b.len, out);
	buf_free(&b);
}

static void convert(struct conv v, const struct type *t, struct val x, struct buf *out)
{
	bool dec = t->kind == T_DEC;
	char tmp[32];
	int n;

	if (x.null) {
		v.prec = -1;
		pad_text(&v, "null", 4, out);
	} else if (type_str(t)) {
		if (v.c != 's')
			v.prec = -1;
		pad_text(&v, x.p, x.len, out);
	} else if (strchr("diuxXo", v.c)) {
		integer(v, dec ? val_int((uint64_t)(int64_t)x.d, false) : x, out);
	} else if (strchr("feEgGF", v.c)) {
		real(v, dec ? x.d : x.uns ? (double)x.u : (double)x.s, out);
	} else if (v.c == 'T') {
		time_text(&v, dec ? val_int((uint64_t)(int64_t)x.d, false) : x, out);
	} else if (v.c == 'c') {
		tmp[0] = (char)x.u;
		v.prec = -1;
		pad_text(&v, tmp, 1, out);
	} else if (v.c == 'p' || (v.c == 's' && t->kind == T_ADDR)) {
		v.prec = -1;
		n = snprintf(tmp, sizeof(tmp), "0x%llx", (unsigned long long)x.u);
		pad_text(&v, tmp, (size_t)n, out);
	} else if (dec) {
		v.c = 'f';
		real(v, x.d, out);
	} else {
		v.prec = -1;
		n = snprintf(tmp, sizeof(tmp), x.uns ? "%llu" : "%lld", (unsigned long long)x.u);
		pad_text(&v, tmp, (size_t)n, out);
	}
}

void printf_expand(const char *fmt, struct expr *const *args, const struct val *vals, unsigned n,
		   struct buf *out)
{
	unsigned next = 0;
	struct conv v;

	while (*fmt) {
		size_t plain = strcspn(fmt, "%");

		buf_add(out, fmt, plain);
		fmt += plain;
		if (!*fmt)
			break;
		if (fmt[1] == '%') {
			buf_putc(out, '%');
			fmt += 2;
			continue;
		}
		fmt = parse(fmt + 1, &v);
		if (next < n && v.c)
			convert(v, &args[next]->type, vals[next], out);
		next++;
	}
}
