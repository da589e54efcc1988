/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for people: strings made safe for a terminal, widths, and a builder of aligned tables. The
 * shell's commands use it as well as the table report.
 */
#ifndef TRACESH_REPORT_TEXT_H
#define TRACESH_REPORT_TEXT_H

#include "base/buf.h"
#include "base/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How text is made safe. */
enum text_flags {
	TEXT_LINES = 1, /* newlines and tabs stay */
	TEXT_ASCII = 2, /* what is no ASCII is escaped too: the terminal would not show it */
	TEXT_WIDTH = 4, /* the locale is UTF-8: wcwidth(3) knows */
};

/**
 * text_safe - append @n bytes with control characters, broken UTF-8 and direction marks as \xNN
 * Returns the number of terminal columns it takes.
 */
size_t text_safe(struct buf *b, const char *p, size_t n, unsigned flags);
/* text_flags - what fits standard output of @s (@tty: it is a terminal) */
unsigned text_flags(const struct session *s, bool tty);
/* text_clip - bytes of safe text that fit in @width columns; *@used is what they take */
size_t text_clip(const char *p, size_t n, size_t width, unsigned flags, size_t *used);
void text_pad(struct buf *b, size_t n);

enum texttab_flags {
	TEXTTAB_RIGHT = 1, /* aligned right: numbers */
	TEXTTAB_CLIP = 2,  /* may be clipped to fit the terminal */
};

struct texttab {
	struct buf text;
	struct texttab_col *cols;
	struct texttab_cell *cells; /* the header first */
	size_t ncells, cap;
	unsigned ncols;
	unsigned flags; /* enum text_flags */
	unsigned gap;   /* spaces between columns: 2 */
	unsigned indent;
};

/* texttab_init - an empty table for standard output; columns first, then cells in reading order */
void texttab_init(struct texttab *t, const struct session *s, bool tty);
void texttab_free(struct texttab *t);
/* texttab_col - a further column with its title (copied) */
void texttab_col(struct texttab *t, const char *title, unsigned flags);
/* texttab_cell - the next cell: @n bytes, made safe and copied */
void texttab_cell(struct texttab *t, const char *p, size_t n);
void texttab_str(struct texttab *t, const char *s); /* NULL: "-" */
void texttab_fmt(struct texttab *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* texttab_clear - the cells, columns stay */
void texttab_clear(struct texttab *t);
/**
 * texttab_print - append the table as lines
 * @width: columns of the terminal to fit in by clipping, 0: nothing is clipped
 */
void texttab_print(struct texttab *t, bool header, size_t width, struct buf *out);
/* texttab_line - one line: row @row (0 is the first after the header, -1 the header), not clipped,
 * with the widths that all cells so far need */
void texttab_line(struct texttab *t, long row, struct buf *out);
/* texttab_widen - column @col is at least @width wide */
void texttab_widen(struct texttab *t, unsigned col, size_t width);

#endif
