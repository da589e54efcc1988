/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shell: variables, named pipelines, definitions, control flow, jobs, commands and the prompt.
 * It executes statements; pipelines it hands to the runner (run.c, a later layer) through hooks.
 */
#ifndef TRACESH_SHELL_SHELL_H
#define TRACESH_SHELL_SHELL_H

#include "base/session.h"
#include "catalog/catalog.h"
#include "check/check.h"
#include "lang/ast.h"
#include "lang/syntax.h"

struct shell;
struct armed;
struct emit_kind;
struct run; /* pipelines that are armed together; made by the runner */

/* How pipelines are carried out; implemented by run.c. */
struct runner {
	/* check, plan, arm @n N_PIPELINE nodes together; NULL with diags rendered (status in
	 * sh->status) */
	struct run *(*start)(struct shell *sh, const struct node *const *pipelines, unsigned n);
	/* work for at most @timeout_ms (0: only what is there); 1 goes on, 0 all done (also after a
	 * signal) */
	int (*step)(struct run *r, int timeout_ms);
	/* results printed (unless @quiet), everything undone, @r freed; exit status 0, 3, 4 or 5 */
	int (*end)(struct run *r, bool quiet);
	/* one query of a run: show its result now, empty its tables, pause, stop it */
	void (*show)(struct run *r);
	void (*clear)(struct run *r);
	void (*pause)(struct run *r, bool paused);
	/* fd to poll while at the prompt, -1 if none */
	int (*fd)(struct run *r);
	/* sh->mode is not SHELL_RUN: compile or arm @pipelines instead of running them; @max_ns:
	 * the `wait DUR` behind them, 0: none. 0 or -1 with diags in s->diags */
	int (*divert)(struct shell *sh, const struct node *const *pipelines, unsigned n,
		      uint64_t max_ns);
	/* explain: print the plan of @pipelines; 0 or exit status */
	int (*explain)(struct shell *sh, const struct node *const *pipelines, unsigned n);
};

struct job {
	unsigned id; /* %1 */
	const char *name, *text;
	struct run *run;
	bool paused;
	struct job *next;
};

/* What becomes of the pipelines of a script. */
enum shell_mode { SHELL_RUN, SHELL_EMIT, SHELL_ARM, SHELL_COLLECT };

struct shell {
	struct session *s;
	struct arena *arena; /* of the shell's life: definitions, named pipelines */
	const struct runner *runner;
	struct catalog *catalog; /* made by shell_catalog() on first use */
	char **files;            /* -i / open: trace.dat files; empty: live */
	unsigned nfiles;
	const char *catalog_dir; /* tests: TRACESH_CATALOG_DIR */
	struct check_env env;    /* variables and named pipelines for check */
	struct job *jobs;
	unsigned next_job;
	const char *child_cmd; /* -c CMD */
	int ready_fd;          /* --ready-fd, -1 */
	bool explain_only;     /* -n */
	enum shell_mode mode;
	const struct emit_kind *emit; /* SHELL_EMIT */
	const char *script;           /* its name, where it is not run */
	const char **script_args;     /* its $1 and so on */
	size_t nscript_args;
	const struct armed *armed; /* SHELL_COLLECT: what was armed, and as what */
	const char *armed_name;
	bool collect_keep;   /* it goes on afterwards */
	const char *emitted; /* the text, printed when the whole script is through */
	bool diverted;       /* the script's pipelines are through */
	bool interactive;
	bool exiting;         /* `exit` was run */
	int status;           /* exit status so far */
	bool several;         /* the script has several pipelines: results are told apart by name */
	unsigned npipelines;  /* of the script, carried out so far */
	bool printed;         /* a result of the script went to out */
	const char *out_path; /* -o FILE or NULL */
	FILE *out;            /* standard output of results and commands */
	struct shell_priv *priv;
};

struct shell *shell_new(struct session *s, const struct runner *runner);
void shell_free(struct shell *sh); /* stops jobs, frees the catalog */

/* shell_catalog - the catalog of the current source (files or live), made on first use; NULL with
 * diags in s->diags */
struct catalog *shell_catalog(struct shell *sh);
/* shell_forget_catalog - after open/close: the next use makes a new one. Refused (-EBUSY) while
 * jobs run. */
int shell_forget_catalog(struct shell *sh);

/* shell_args - set $0, $1.., $#, $@ */
void shell_args(struct shell *sh, int argc, char **argv);

/**
 * shell_text - parse and execute a source text as a script (or one interactive input)
 * Pipelines up to the next `wait` or to the end run together (script) or one after another
 * (interactive). Diagnostics are rendered to s->err. Returns sh->status.
 */
int shell_text(struct shell *sh, const struct source *src);

/* shell_prompt - the interactive loop with readline; returns the exit status */
int shell_prompt(struct shell *sh);

/* shell_grammar - stages and commands for the parser, with user definitions of @sh */
const struct grammar *shell_grammar(struct shell *sh);

/* ---- commands: one file each in cmd/, rows in commands[] ---- */
struct command {
	struct command_syntax syntax;
	const char *usage, *brief, *help;
	/* 0, or an exit status (1 with diags rendered) */
	int (*run)(struct shell *sh, const struct node *cmd);
};
extern const struct command *const commands[]; /* NULL-terminated */
const struct command *command_find(const char *name);

/* ---- settings: rows with range and help ---- */
struct setting {
	const char *name, *usage, *help;
	/* 0, or -1 with *why set to a message */
	int (*set)(struct session *s, const char *value, const char **why);
	void (*show)(const struct session *s, struct buf *out);
};
extern const struct setting settings_rows[]; /* ends with name == NULL */
/* setting_apply - "buffer", "8MiB"; 0 or -1 with a diag at @at */
int setting_apply(struct session *s, struct diags *d, const char *name, const char *value,
		  struct span at);

#endif
