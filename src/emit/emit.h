/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plan as text for a machine that has no tracesh running: a shell script, kernel parameters, a
 * bootconfig. Each kind is a row with two hooks; what a kind cannot express is an error with its
 * place, never left out in silence.
 */
#ifndef TRACESH_EMIT_EMIT_H
#define TRACESH_EMIT_EMIT_H

#include "base/buf.h"
#include "base/session.h"
#include "plan/plan.h"

/* What is compiled; all borrowed. */
struct emit_input {
	struct session *s;
	struct arena *a;
	const char *script; /* its name, for the head of the text */
	const char *id;     /* the word in all names of the plan that stands for this run */
	const struct plan *plan;
	const struct push *push; /* what the kernel counts, for each query */
	struct query *const *q;
	unsigned n;
	unsigned kernel; /* emit_kernel() */
	uint64_t for_ns; /* how long it runs at most, 0: until it is told to end */
};

struct emit_kind {
	const char *name, *brief, *help;
	bool collected;    /* its results are read by `collect --boot` */
	const char *group; /* of probes, where the form knows no other; NULL: of the id */
	/* the word for emit_input.id of a script; NULL: it cannot be made of this name */
	const char *(*id)(struct arena *a, const char *script, const char *text);
	/* may this write be made of it? NULL, or why not */
	const char *(*refuse)(const struct emit_input *in, const struct write *w);
	/* the whole text; 0, or -1 with diags in in->s->diags */
	int (*print)(const struct emit_input *in, struct buf *out);
};

extern const struct emit_kind *const emit_kinds[]; /* NULL-terminated */
const struct emit_kind *emit_find(const char *name);
/* emit_names - "sh, cmdline or bootconfig", for messages */
void emit_names(struct buf *out);

/* emit_kernel - the version compiled for: 612 is 6.12 */
unsigned emit_kernel(const struct session *s);

/* emit_word - @name of a script without its folders and ending, as names of events may be
 * written: letters, digits, '_'; with a short sum of @text where nothing of it can be used */
const char *emit_word(struct arena *a, const char *name, const char *text);
/* emit_head - comment lines that say what the text was made of and where each stage runs */
void emit_head(const struct emit_input *in, struct buf *out);

extern const struct emit_kind emit_sh, emit_cmdline, emit_bootconfig;

#endif
