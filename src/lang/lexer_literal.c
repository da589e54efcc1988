/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with their units, and strings with their escapes. Exact in integers, no floating point.
 */
#include "lang/lexer.h"

#include "base/units.h"

#include <string.h>

#define UNIT_HINT "times have ns us ms s m h, sizes have B kB MB GB KiB MiB GiB"

static int digit_value(int c)
{
	if (lex_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

struct number {
	unsigned __int128 whole, frac, scale; /* scale 0: no fraction; 1 / 10^n otherwise */
	bool overflow, fine;                  /* fine: more fraction digits than are kept */
};

static uint32_t read_digits(const struct source *src, uint32_t p, int base, struct number *n)
{
	for (; digit_value(lex_char(src, p)) < base; p++) {
		n->whole = n->whole * (unsigned)base + (unsigned)digit_value(lex_char(src, p));
		if (n->whole > UINT64_MAX) {
			n->overflow = true;
			n->whole = UINT64_MAX;
		}
	}
	return p;
}

static uint32_t read_fraction(const struct source *src, uint32_t p, struct number *n)
{
	n->scale = 1;
	for (; lex_digit(lex_char(src, p)); p++) {
		int v = lex_char(src, p) - '0';

		if (n->scale < 1000000000000000ull) {
			n->frac = n->frac * 10 + (unsigned)v;
			n->scale *= 10;
		} else if (v) {
			n->fine = true;
		}
	}
	return p;
}

/* The value in ns or bytes; what a fraction leaves below one of them is an error, not rounded. */
static void scale_number(struct lex_token *t, const struct number *n, uint64_t unit)
{
	unsigned __int128 v = n->whole * unit;

	if (n->scale) {
		if (n->fine || n->frac * unit % n->scale) {
			lex_error(t, "bad-number", t->off, t->len,
				  t->kind == LEX_TIME ? "finer than a nanosecond"
						      : "not a whole number of bytes",
				  NULL);
			return;
		}
		v += n->frac * unit / n->scale;
	}
	if (n->overflow || v > UINT64_MAX)
		lex_error(t, "bad-number", t->off, t->len, "number does not fit 64 bits", NULL);
	else
		t->num = (uint64_t)v;
}

void lex_number(const struct source *src, uint32_t at, struct lex_token *t)
{
	struct number n = {0};
	int base = 10, c = lex_char(src, at + 1) | 0x20;
	uint32_t p = at, first, unit;

	if (src->text[at] == '0' && (c == 'x' || c == 'o')) {
		base = c == 'x' ? 16 : 8;
		p += 2;
	}
	first = p;
	p = read_digits(src, p, base, &n);
	if (base == 10 && lex_char(src, p) == '.' && lex_digit(lex_char(src, p + 1)))
		p = read_fraction(src, p + 1, &n);
	unit = p;
	while (lex_alnum(lex_char(src, p)))
		p++;
	t->kind = LEX_NUM;
	t->len = p - at;
	if (first == unit || (base != 10 && lex_digit(lex_char(src, unit)))) {
		lex_error(t, "bad-number", at, t->len, "bad digit in number", NULL);
		return;
	}
	if (base == 10 && unit - first > 1 && src->text[first] == '0' && !n.scale) {
		lex_error(t, "bad-number", at, t->len, "number with a leading zero",
			  "octal is written 0o17");
		return;
	}
	if (p > unit) {
		uint64_t f = unit_time(src->text + unit, p - unit);

		t->kind = f ? LEX_TIME : LEX_SIZE;
		if (!f)
			f = unit_size(src->text + unit, p - unit);
		if (!f) {
			lex_error(t, "bad-number", unit, p - unit, "unknown unit", UNIT_HINT);
			return;
		}
		scale_number(t, &n, f);
		return;
	}
	if (n.scale) {
		lex_error(t, "bad-number", at, t->len, "a fraction needs a unit",
			  "write 1.5ms or 0.5MiB; plain numbers are integers");
		return;
	}
	scale_number(t, &n, 1);
}

/* Bytes of the escape behind the backslash at @s (of @n bytes), 0 if there is none such. */
static size_t escape(const char *s, size_t n, unsigned char out[4], size_t *outn)
{
	static const char names[] = "ntrabfve\\\"'?$/", values[] = "\n\t\r\a\b\f\v\033\\\"'?$/";
	unsigned v = 0;
	size_t i = 2;

	*outn = 1;
	if (n < 2)
		return 0;
	if (s[1] == '\n') {
		*outn = 0;
		return 2;
	}
	if (s[1] == 'x') {
		for (; i < n && i < 4 && digit_value((unsigned char)s[i]) < 16; i++)
			v = v * 16 + (unsigned)digit_value((unsigned char)s[i]);
		out[0] = (unsigned char)v;
		return i > 2 ? i : 0;
	}
	if (s[1] == 'u') {
		for (; i < n && i < 6 && digit_value((unsigned char)s[i]) < 16; i++)
			v = v * 16 + (unsigned)digit_value((unsigned char)s[i]);
		if (i < 6 || (v >= 0xd800 && v < 0xe000))
			return 0;
		*outn = v < 0x80 ? 1 : v < 0x800 ? 2 : 3;
		if (*outn == 1) {
			out[0] = (unsigned char)v;
		} else if (*outn == 2) {
			out[0] = (unsigned char)(0xc0 | v >> 6);
			out[1] = (unsigned char)(0x80 | (v & 0x3f));
		} else {
			out[0] = (unsigned char)(0xe0 | v >> 12);
			out[1] = (unsigned char)(0x80 | (v >> 6 & 0x3f));
			out[2] = (unsigned char)(0x80 | (v & 0x3f));
		}
		return 6;
	}
	if (s[1] >= '0' && s[1] <= '7') {
		for (i = 1; i < n && i < 4 && s[i] >= '0' && s[i] <= '7'; i++)
			v = v * 8 + (unsigned)(s[i] - '0');
		out[0] = (unsigned char)v;
		return v < 256 ? i : 0;
	}
	for (i = 0; i < sizeof(names) - 1; i++) {
		if (names[i] == s[1]) {
			out[0] = (unsigned char)values[i];
			return 2;
		}
	}
	return 0;
}

uint32_t lex_string_end(const struct source *src, uint32_t pos, struct lex_token *t)
{
	uint32_t p = pos + 1, bad = 0;

	for (;;) {
		int c = lex_char(src, p);

		if (c == -1 || c == '\n') {
			t->len = p - pos;
			lex_error(t, "bad-string", pos, p - pos, "string without its closing quote",
				  NULL);
			return 0;
		}
		if (c == '"')
			break;
		if (c == '\\') {
			unsigned char out[4];
			size_t on, n = escape(src->text + p, src->len - p, out, &on);

			if (!n && !bad)
				bad = p;
			p += n ? (uint32_t)n : lex_char(src, p + 1) < 0 ? 1 : 2;
		} else {
			p++;
		}
	}
	if (bad) {
		t->len = p + 1 - pos;
		lex_error(t, "bad-string", bad, 2, "unknown escape in string",
			  "a backslash itself is written \\\\");
		return 0;
	}
	return p + 1;
}

char *lex_decode(struct arena *a, const char *raw, size_t n, size_t *len, bool *vars)
{
	char *out = arena_alloc(a, n + 1);
	size_t o = 0;

	*vars = false;
	for (size_t i = 0; i < n;) {
		if (raw[i] == '\\') {
			unsigned char b[4];
			size_t bn, used = escape(raw + i, n - i, b, &bn);

			if (used) {
				memcpy(out + o, b, bn);
				o += bn;
				i += used;
				continue;
			}
		} else if (raw[i] == '$' && i + 1 < n &&
			   (lex_alnum((unsigned char)raw[i + 1]) || strchr("{#@", raw[i + 1]))) {
			*vars = true;
		}
		out[o++] = raw[i++];
	}
	*len = o;
	return out;
}
