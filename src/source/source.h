/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source is a row too: tracepoint events, syscall:, kprobe: and so on, one file each. */
#ifndef TRACESH_SOURCE_SOURCE_H
#define TRACESH_SOURCE_SOURCE_H

#include "check/query.h"
#include "lang/ast.h"

struct checker;

struct source_kind {
	const char *name; /* the word before the colon: "syscall", "kprobe"; "" for events */
	const char *usage, *brief, *help;
	/* the checked source, or NULL with a diag */
	struct src *(*check)(struct checker *ck, const struct node *n);
};

extern const struct source_kind *const source_kinds[]; /* NULL-terminated */
const struct source_kind *source_find(const char *name);

#endif
