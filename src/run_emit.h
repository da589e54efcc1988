/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scripts that are compiled instead of run. */
#ifndef TRACESH_RUN_EMIT_H
#define TRACESH_RUN_EMIT_H

#include "emit/emit.h"
#include "shell/shell.h"

/* A checked script on its way to a text. */
struct run_compile {
	struct shell *sh;
	const char *id; /* run_emit_id(), session.run_name while it is checked and planned */
	struct arena *arena;
	struct diags *diags;
	struct query *const *q;
	unsigned n;
	uint64_t max_ns; /* the `wait DUR` behind it, 0: none */
	/* fills in plan and push; 0 or -1 with diags */
	int (*plan)(void *arg, struct emit_input *in);
	/* query @i is not for the kernel: the next plan() leaves it to the engine */
	void (*no_push)(void *arg, unsigned i);
	void *arg;
};

/* run_emit_id - the word in all names of the script that @first begins */
const char *run_emit_id(struct shell *sh, const struct node *first);

/* run_needs_times - an interval or a `for` of @q ends with nobody there: it needs its events with
 * their times */
bool run_needs_times(const struct query *q);

/* run_emit - the script as sh->emit makes it, into sh->emitted; 0, or -1 with diags */
int run_emit(const struct run_compile *c);

#endif
