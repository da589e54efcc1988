/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stage is a row: its syntax, its help and a hook that checks its arguments and appends ops. Each
 * lives in one file of this folder; stage_kinds[] lists them. Help, completion, the man page and
 * the parser take what they need from the row.
 */
#ifndef TRACESH_STAGE_STAGE_H
#define TRACESH_STAGE_STAGE_H

#include "check/query.h"
#include "lang/syntax.h"

struct checker; /* check/checker.h */

enum { ON_EVENTS = 1, ON_ROWS = 2 };

struct stage_kind {
	struct stage_syntax syntax;
	const char *usage; /* "hist E [step N [from A to B]] [digits N] [by K, ...]" */
	const char *brief; /* one line for lists */
	const char *help;  /* paragraphs for help and the man page, with an example */
	unsigned on;       /* ON_EVENTS, ON_ROWS or both */
	/* 0, or -1 with a diag */
	int (*check)(struct checker *ck, const struct node *st, struct pipe *p);
};

extern const struct stage_kind *const stage_kinds[]; /* NULL-terminated */
const struct stage_kind *stage_find(const char *name);

#endif
