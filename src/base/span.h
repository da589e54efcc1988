/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places in the user's text. Every AST node, diag and planned write carries a span; nothing here
 * knows what the text means.
 */
#ifndef TRACESH_BASE_SPAN_H
#define TRACESH_BASE_SPAN_H

#include <stdint.h>

/* One piece of text: a script file, one -e (all -e of a run are joined by newlines), a prompt line.
 */
struct source {
	const char *name; /* shown before the colon: "wake.tsh", "-e", "<stdin>", "<prompt>" */
	const char *text; /* NUL-terminated, owned by whoever made the source, outlives all spans */
	uint32_t len;     /* bytes without the NUL */
};

struct span {
	const struct source *src; /* NULL: no place (command line, run time) */
	uint32_t off;             /* byte offset in src->text */
	uint32_t len;             /* bytes; 0 is a point */
};

/**
 * span_join - the span from the start of @a to the end of @b (same source)
 */
struct span span_join(struct span a, struct span b);

/**
 * span_linecol - 1-based line and column (in characters, UTF-8 continuation bytes not counted)
 */
void span_linecol(struct span s, unsigned *line, unsigned *col);

#endif
