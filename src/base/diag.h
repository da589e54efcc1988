/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Diagnostics: what is wrong with a script (with place, stable code and hint), warnings, and what
 * the kernel or a file refused. Collected here, rendered once; nobody else formats errors.
 */
#ifndef TRACESH_BASE_DIAG_H
#define TRACESH_BASE_DIAG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

enum severity { SEV_ERROR, SEV_WARNING, SEV_NOTE };

struct diag {
	enum severity sev;
	const char *code; /* "unknown-field"; a row of diag_codes[] */
	struct span span; /* span.src NULL: no place */
	const char *msg;  /* lower case, no full stop */
	const char *hint; /* or NULL */
	const char *note; /* or NULL; the kernel's own words, a list of candidates */
};

struct diags {
	struct arena *arena;
	struct diag *v;
	size_t n;
	unsigned errors, warnings;
};

/* Every code that exists, with what it means: `help errors`, the man page and tests read it. */
struct diag_code {
	const char *code;
	int status; /* exit status an error of this code leads to: 1 script, 2 usage, 3 refused, 5
		       cut */
	const char *help;
};
extern const struct diag_code diag_codes[]; /* ends with code == NULL */

void diags_init(struct diags *d, struct arena *arena);

/**
 * diag_push - add a diagnostic; the message is formatted into the arena
 * Returns it, so that hint and note can be set. After 20 errors further ones are counted only.
 */
struct diag *diag_push(struct diags *d, enum severity sev, const char *code, struct span at,
		       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* diags_add - one that was collected elsewhere, in the same arena */
void diags_add(struct diags *d, const struct diag *g);

#define diag_error(d, code, at, ...) diag_push((d), SEV_ERROR, (code), (at), __VA_ARGS__)
#define diag_warn(d, code, at, ...) diag_push((d), SEV_WARNING, (code), (at), __VA_ARGS__)

/* diag_hint - set the hint (formatted into the arena) */
void diag_hint(struct diags *d, struct diag *g, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* diag_nearest - hint "did you mean 'X'?" when one of @names is near @word; returns X or NULL */
const char *diag_nearest(struct diags *d, struct diag *g, const char *word,
			 const char *const *names, size_t n);

/* diag_render - one diagnostic as LANGUAGE.md shows it: head, source line, underline, hint, note */
void diag_render(const struct diag *g, bool colour, struct buf *out);
void diags_render(const struct diags *d, bool colour, struct buf *out);
/* diags_status - the exit status these lead to (0 with warnings only) */
int diags_status(const struct diags *d);

/* text_nearest - index of the name nearest to @word by edit distance, -1 when none is near */
int text_nearest(const char *word, const char *const *names, size_t n);

#endif
