/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parser must know of a stage or a command to parse its arguments. The rows live with the
 * stages and commands (later layers); they reach the parser through `struct grammar`.
 */
#ifndef TRACESH_LANG_SYNTAX_H
#define TRACESH_LANG_SYNTAX_H

#include "lang/ast.h"

enum clause_args {
	CL_NONE, /* a bare word: desc, keep */
	CL_ONE,  /* one expression: step N, last DUR */
	CL_LIST, /* one or more, comma-separated; each may be `name = E`?  no: plain expressions */
};

struct clause_syntax {
	const char *word; /* "by"; "p*" stands for percentile words p50, p99, p99.9 */
	enum clause_args args;
};

enum {
	ST_NAMED = 1, /* arguments are `name = E` (let, agg) */
	ST_BLOCK = 2, /* takes { } (do) */
	ST_PLUGIN = 4,
	/*
	 * Its expressions are conditions or values (where, let, speculate): a bare `>` or `>>` is
	 * an operator. In every other stage it starts a redirection, as in awk's print, unless a
	 * number or `(` follows; inside parentheses it always is an operator.
	 */
	ST_COND = 8,
};

struct stage_syntax {
	const char *name;
	unsigned min_args, max_args; /* expressions before the first clause; UINT_MAX: no bound */
	unsigned flags;
	struct clause_syntax clauses[6]; /* ends with word == NULL */
};

enum cmd_args {
	CMD_WORDS,    /* shell words up to the end of the statement */
	CMD_PIPELINE, /* one pipeline (explain) */
	CMD_REST,     /* the raw rest of the line as one N_WORD (!COMMAND, run CMD...) */
};

struct command_syntax {
	const char *name;
	enum cmd_args args;
};

struct grammar {
	const struct stage_syntax *(*stage)(const char *name);
	const struct command_syntax *(*command)(const char *name);
	/* names for hints; each returns the i-th name or NULL at the end */
	const char *(*stage_name)(unsigned i);
	const char *(*command_name)(unsigned i);
	/* is @name a `def` of an earlier input (the prompt)? NULL: there are none */
	bool (*is_def)(void *arg, const char *name);
	void *arg;
};

/* Rules that are no table's:
 * - a `def NAME(...)` anywhere in the source makes NAME a command in all of it
 * - `!CMD` is an N_COMMAND named "!" whatever the grammar says of that name
 */

/**
 * parse_script - parse a whole source into an N_SCRIPT
 * Errors go to @d (several in one run: it recovers at the next statement or stage). Always returns
 * a tree, which is to be used only when @d->errors did not rise.
 */
struct node *parse_script(struct arena *a, struct diags *d, const struct grammar *g,
			  const struct source *src);

/* parse_incomplete - would more lines complete this text (open bracket, trailing | , -> \)? for the
 * prompt */
bool parse_incomplete(const char *text);

/* parse_expr_text - one expression from a text (unit tests, `set`, conditions given to commands) */
struct node *parse_expr_text(struct arena *a, struct diags *d, const struct source *src);

#endif
