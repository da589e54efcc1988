/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of report/ share: rows made by hand, and what a report makes of them as text. */
#ifndef TRACESH_TESTS_REPORT_UTIL_H
#define TRACESH_TESTS_REPORT_UTIL_H

#include "report/report.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

struct desk {
	struct session s;
	struct arena *arena;
	struct diags diags;
	struct query q;
	char *text; /* of the stream, after desk_text() */
	size_t len;
	FILE *f;
	struct out *out;
};

static inline void desk_open(struct desk *d, enum out_format format, bool tty)
{
	memset(d, 0, sizeof(*d));
	session_init(&d->s);
	d->s.out_tty = tty;
	d->s.utf8 = true;
	d->s.width = 60;
	d->s.set.format = format;
	d->arena = arena_new();
	diags_init(&d->diags, d->arena);
	d->s.diags = &d->diags;
	d->f = open_memstream(&d->text, &d->len);
	d->out = out_new(&d->s, d->f);
}

static inline void desk_close(struct desk *d)
{
	if (d->out)
		assert_int_equal(out_close(d->out, NULL), 0);
	fclose(d->f);
	free(d->text);
	arena_free(d->arena);
	session_free(&d->s);
}

/* desk_text - all that was written so far */
static inline const char *desk_text(struct desk *d)
{
	out_flush(d->out);
	fflush(d->f);
	return d->text;
}

static inline struct cell num(__int128 n)
{
	return (struct cell){.n = n};
}

static inline struct cell str(const char *s)
{
	return (struct cell){.p = s, .len = (uint32_t)strlen(s)};
}

static inline struct cell none(void)
{
	return (struct cell){.null = true};
}

#define COL(n, k)                                                                                  \
	{                                                                                          \
		.name = (n), .type = {.kind = (k) }                                                \
	}
#define KEY(n, k)                                                                                  \
	{                                                                                          \
		.name = (n), .type = {.kind = (k)}, .key = true                                    \
	}
#define SCHEMA(c)                                                                                  \
	{                                                                                          \
		.cols = (c), .n = sizeof(c) / sizeof((c)[0])                                       \
	}
#define ROWSET(sc, c)                                                                              \
	{                                                                                          \
		.schema = &(sc), .cells = (c), .nrows = sizeof(c) / sizeof((c)[0]) / (sc).n        \
	}

/* desk_result - one report with one result */
static inline const char *desk_result(struct desk *d, const struct rowset *rows)
{
	struct report *r = report_new(&d->s, &d->q, d->out, NULL, false);

	report_sink(r)->result(report_sink(r), rows, false);
	assert_int_equal(report_close(r), 0);
	return desk_text(d);
}

/* A small generator so that random rows are the same in each run. */
static inline uint64_t rnd(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* rnd_text - up to @max bytes with what breaks formats in it */
static inline size_t rnd_text(uint64_t *x, char *p, size_t max)
{
	static const char *const bits[] = {"\"",
					   ",",
					   "\n",
					   "\r\n",
					   "\\",
					   "\xff",
					   "\xc3\xa9",
					   "\xe2\x82",
					   "\xf0\x9f\x98\x80",
					   "\x1b[2J",
					   "\x7f",
					   "'",
					   "# ",
					   " ",
					   "\t",
					   "\xed\xa0\x80",
					   "\xc0\x80",
					   "\x01",
					   ";"};
	size_t n = 0, want = rnd(x) % (max + 1);

	if (rnd(x) % 8 == 0)
		return 0;
	while (n < want) {
		if (rnd(x) % 3) {
			p[n++] = (char)('a' + (int)(rnd(x) % 26));
		} else {
			const char *b = bits[rnd(x) % (sizeof(bits) / sizeof(bits[0]))];
			size_t len = strlen(b);

			if (n + len > max)
				break;
			memcpy(p + n, b, len);
			n += len;
		}
	}
	return n;
}

/* repaired - @n bytes as a strict decoder shows them: broken UTF-8 as U+FFFD; written anew, not
 * with the code under test */
static inline void repaired(struct buf *b, const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned lo = 0x80, hi = 0xbf, len = 0, k = 1;

		if (p[i] < 0x80) {
			buf_putc(b, (char)p[i++]);
			continue;
		}
		if (p[i] >= 0xc2 && p[i] < 0xe0)
			len = 2;
		else if ((p[i] & 0xf0) == 0xe0)
			len = 3;
		else if (p[i] >= 0xf0 && p[i] <= 0xf4)
			len = 4;
		if (p[i] == 0xe0)
			lo = 0xa0;
		if (p[i] == 0xed)
			hi = 0x9f;
		if (p[i] == 0xf0)
			lo = 0x90;
		if (p[i] == 0xf4)
			hi = 0x8f;
		while (k < len && i + k < n && p[i + k] >= lo && p[i + k] <= hi) {
			k++;
			lo = 0x80;
			hi = 0xbf;
		}
		if (k == len)
			buf_add(b, p + i, k);
		else
			buf_puts(b, "\xef\xbf\xbd");
		i += k;
	}
}

#endif
