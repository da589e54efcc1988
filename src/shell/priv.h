/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of shell/ share: variables, words, groups, jobs. */
#ifndef TRACESH_SHELL_PRIV_H
#define TRACESH_SHELL_PRIV_H

#include "shell/shell.h"

#include <stdint.h>

struct var {
	struct var *next;
	const char *name;
	const char *value; /* a time is kept as "500ns", so that it stays one */
};

struct def {
	struct def *next;
	const char *name;
	const struct node *node; /* N_DEF, or N_PIPELINE of a named pipeline */
};

struct shell_priv {
	struct grammar grammar;
	struct var *vars;
	struct def *defs, *named;
	char **argv; /* arguments of the script; argv[0] is its name */
	int argc;
	const struct node **group; /* pipelines of a script that will be armed together */
	size_t ngroup;
	bool gather; /* at the prompt: a `run` further on in the input takes the pipelines */
	const struct node *last; /* at the prompt: the latest pipeline that was run */
	unsigned depth;          /* of def calls and source */
};

/* ---- vars.c ---- */
const char *var_get(struct shell *sh, const char *name); /* NULL: unset */
void var_set(struct shell *sh, const char *name, const char *value);
void var_unset(struct shell *sh, const char *name);
/* word_text - an N_WORD or E_STRING with its $-references replaced; NULL with a diag */
const char *word_text(struct shell *sh, const struct node *w);
/* words_list - words of a command from kid @from on; "$@" gives one word an argument; NULL with a
 * diag */
const char **words_list(struct shell *sh, const struct node *n, size_t from, size_t *count);
/* node_subst - a copy of a pipeline with every variable replaced by its value now; NULL with a diag
 */
struct node *node_subst(struct shell *sh, const struct node *n);

/* ---- eval.c: expressions at the shell's own level ---- */
struct value {
	bool is_str, is_time;
	int64_t n;
	const char *s; /* strings, in the shell's arena */
};
/* eval - 0, or -1 with a diag */
int eval(struct shell *sh, const struct node *e, struct value *out);
bool value_true(const struct value *v);
const char *value_text(struct shell *sh, const struct value *v);

/* ---- exec.c ---- */
/* exec_block - statements in order, until the end, an error or `exit`; 0 or -1 */
int exec_block(struct shell *sh, const struct node *block, size_t from);
/* exec_flush - arm the group, run it to its end (@max_ns > 0: at most so long) and print; 0 or -1
 */
int exec_flush(struct shell *sh, uint64_t max_ns);
/* exec_diverted - the end of a script that is compiled or armed: its text is printed; 0, or -1 with
 * a diag when it had no pipeline */
int exec_diverted(struct shell *sh, struct span at);
/* exec_text - a text as part of this script; the text is copied; 0 or -1 */
int exec_text(struct shell *sh, const struct source *src);
/* exec_source - a file's text as part of this script */
int exec_source(struct shell *sh, const char *path, struct span at);
/* shell_say - render and forget the diags of the statement; raises sh->status */
void shell_say(struct shell *sh);

/* ---- jobs.c ---- */
struct job *job_add(struct shell *sh, struct run *run, const char *name, const char *text);
/* job_find - "%1", "1" or a name; NULL @what: the latest; NULL with a diag */
struct job *job_find(struct shell *sh, const char *what, struct span at);
/* job_end - results printed (unless @quiet), undone, forgotten */
void job_end(struct shell *sh, struct job *j, bool quiet);
/* jobs_step - let background jobs work, end those that are done; how many still run */
unsigned jobs_step(struct shell *sh, int timeout_ms);
/* run_through - step @run (and the jobs) to its end or for @max_ns, then end it; its exit status */
int run_through(struct shell *sh, struct run *run, uint64_t max_ns);

#endif
