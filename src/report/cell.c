/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of cells as text. Integers of 128 bits are never rounded in the exact forms. */
#include "report/cell.h"

#include "base/units.h"

#include <string.h>

typedef unsigned __int128 u128;

static u128 magnitude(__int128 v)
{
	return v < 0 ? -(u128)v : (u128)v;
}

/* @v / @scale with @dec decimals, rounded half away from zero; @scale is a multiple of 10^dec */
static void fixed(struct buf *b, __int128 v, u128 scale, unsigned dec)
{
	u128 m = magnitude(v), pow = 1, q;
	char frac[16];

	for (unsigned i = 0; i < dec; i++)
		pow *= 10;
	q = m / (scale / pow);
	if (m % (scale / pow) >= (scale / pow + 1) / 2 && scale > pow)
		q++;
	if (v < 0 && q)
		buf_putc(b, '-');
	fmt_s128(b, (__int128)(q / pow));
	if (!dec)
		return;
	q %= pow;
	for (unsigned i = dec; i-- > 0; q /= 10)
		frac[i] = (char)('0' + (int)(q % 10));
	buf_putc(b, '.');
	buf_add(b, frac, dec);
}

static void radix(struct buf *b, __int128 v, unsigned shift)
{
	/* a negative value of 64 bits shows its 64 bits */
	u128 u = v < 0 && v >= INT64_MIN ? (u128)(uint64_t)v : (u128)v;
	char t[48];
	size_t i = sizeof(t);

	do {
		t[--i] = "0123456789abcdef"[(unsigned)u & ((1u << shift) - 1)];
		u >>= shift;
	} while (u);
	buf_puts(b, shift == 4 ? "0x" : "0o");
	buf_add(b, t + i, sizeof(t) - i);
}

void cell_exact(struct buf *b, const struct type *t, const struct cell *c)
{
	if (t->kind == T_DEC)
		fixed(b, c->n, 1000000, 6);
	else if (t->kind == T_ADDR || t->show == SHOW_HEX)
		radix(b, c->n, 4);
	else if (t->show == SHOW_OCT)
		radix(b, c->n, 3);
	else
		fmt_s128(b, c->n);
}

struct cell_style cell_style(const struct session *s, bool tty)
{
	return (struct cell_style){.human = tty, .unit = s->set.unit, .dec = 6};
}

void cell_time(struct buf *b, __int128 ns, unsigned dec)
{
	u128 m = magnitude(ns);

	if (m < 1000) {
		fmt_s128(b, ns);
		buf_puts(b, " ns");
	} else if (m < 1000000) {
		fixed(b, ns, 1000, dec < 3 ? dec : 3);
		buf_puts(b, " us");
	} else if (m < 1000000000) {
		fixed(b, ns, 1000000, dec < 6 ? dec : 6);
		buf_puts(b, " ms");
	} else {
		fixed(b, ns, 1000000000, dec < 9 ? dec : 9);
		buf_puts(b, " s");
	}
}

/* a time in the unit that was asked for, exact */
static bool forced_unit(struct buf *b, __int128 ns, const char *unit)
{
	uint64_t f = unit && *unit ? unit_time(unit, strlen(unit)) : 0;
	unsigned dec = 0;

	if (!f)
		return false;
	for (uint64_t p = f; p > 1 && p % 10 == 0; p /= 10)
		dec++;
	if (f % 60 == 0)
		fixed(b, ns, f, 3);
	else
		fixed(b, ns, f, dec);
	buf_putc(b, ' ');
	buf_puts(b, unit);
	return true;
}

static bool is_timestamp(const char *name)
{
	size_t n = strlen(name);

	return n >= 2 && strcmp(name + n - 2, "ts") == 0 && (n == 2 || name[n - 3] == '.');
}

static void human_size(struct buf *b, __int128 v)
{
	u128 m = magnitude(v);

	if (v < 0)
		buf_putc(b, '-');
	if (m <= UINT64_MAX) {
		fmt_size(b, (uint64_t)m);
		return;
	}
	fmt_s128(b, (__int128)(m >> 60));
	buf_puts(b, " EiB");
}

void cell_show(struct buf *b, const char *name, const struct type *t, const struct cell *c,
	       const struct cell_style *st)
{
	if (t->kind == T_TIME && t->show == SHOW_PLAIN) {
		if (forced_unit(b, c->n, st->unit))
			return;
		if (st->human && is_timestamp(name)) {
			fixed(b, c->n, 1000000000, 6);
			return;
		}
		if (st->human) {
			cell_time(b, c->n, 1);
			return;
		}
	}
	if (t->kind == T_INT && t->show == SHOW_SIZE && st->human)
		human_size(b, c->n);
	else if (t->kind == T_DEC)
		fixed(b, c->n, 1000000, st->dec);
	else
		cell_exact(b, t, c);
}
