/* SPDX-License-Identifier: GPL-3.0-or-later */
/* echo, exit, set, history, run, !COMMAND, explain. */
#include "shell/cmd/cmd.h"

#include "base/sig.h"
#include "base/units.h"

#include <readline/history.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_echo(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w = words_list(sh, cmd, 0, &n);

	if (!w)
		return 1;
	for (size_t i = 0; i < n; i++)
		fprintf(sh->out, "%s%s", i ? " " : "", w[i]);
	fputc('\n', sh->out);
	return 0;
}

static int run_exit(struct shell *sh, const struct node *cmd)
{
	uint64_t v = 0;
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 1, &n);

	if (!w)
		return 1;
	if (n && (parse_u64(w[0], &v) || v > 255)) {
		diag_error(sh->s->diags, "bad-value", cmd->kids[0]->span, "'%s' is no exit status",
			   w[0]);
		return 1;
	}
	if (exec_flush(sh, 0))
		return sh->status ? sh->status : 1;
	sh->exiting = true;
	if (n)
		sh->status = (int)v;
	return 0;
}

static void show_settings(struct shell *sh)
{
	static const char *const titles[] = {"setting", "value", "meaning", NULL};
	struct listing l;

	listing_begin(&l, sh, titles);
	for (const struct setting *r = settings_rows; r->name; r++) {
		struct buf b = {0};

		r->show(sh->s, &b);
		listing_row(&l, (const char *[]){r->name, buf_str(&b), r->help});
		buf_free(&b);
	}
	listing_end(&l);
}

static int run_set(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 2, &n);

	if (!w)
		return 1;
	if (n == 0) {
		show_settings(sh);
		return 0;
	}
	if (n == 1) {
		for (const struct setting *r = settings_rows; r->name; r++) {
			struct buf b = {0};

			if (strcmp(r->name, w[0]) != 0)
				continue;
			r->show(sh->s, &b);
			fprintf(sh->out, "%s\n", buf_str(&b));
			buf_free(&b);
			return 0;
		}
	}
	return setting_apply(sh->s, sh->s->diags, w[0], n > 1 ? w[1] : "",
			     cmd->kids[n > 1 ? 1 : 0]->span)
		       ? 1
		       : 0;
}

static int run_history(struct shell *sh, const struct node *cmd)
{
	size_t n;

	if (!cmd_words(sh, cmd, 0, 0, &n))
		return 1;
	for (int i = 0; i < history_length; i++) {
		const HIST_ENTRY *e = history_get(history_base + i);

		if (e)
			fprintf(sh->out, "%5d  %s\n", history_base + i, e->line);
	}
	return 0;
}

static const char *rest(const struct node *cmd)
{
	return cmd->n ? cmd->kids[0]->str : "";
}

/* The jobs trace while the command runs. */
static int run_beside(struct shell *sh, const char *cmd)
{
	char *const argv[] = {"sh", "-c", (char *)cmd, NULL};
	pid_t pid;
	int st = 0;

	fflush(sh->out);
	if (posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ)) {
		diag_error(sh->s->diags, "refused", (struct span){0}, "cannot start '%s'", cmd);
		return 3;
	}
	while (waitpid(pid, &st, WNOHANG) == 0) {
		if (!jobs_step(sh, 50))
			usleep(20000);
	}
	if (sh->interactive)
		sig_clear();
	return 0;
}

static int run_run(struct shell *sh, const struct node *cmd)
{
	struct shell_priv *p = sh->priv;
	const char *old = sh->child_cmd;
	int rc;

	if (!rest(cmd)[0]) {
		diag_error(sh->s->diags, "bad-arguments", cmd->span, "run wants a command");
		return 1;
	}
	if (!p->ngroup && sh->jobs)
		return run_beside(sh, rest(cmd));
	if (!p->ngroup && p->last) {
		struct buf b = {0};

		ast_print(p->last, &b);
		fprintf(sh->s->err, "%s\n", buf_str(&b));
		buf_free(&b);
		ARENA_PUSH(sh->arena, p->group, p->ngroup, p->last);
	}
	if (!p->ngroup) {
		struct diag *g = diag_error(sh->s->diags, "bad-stage", cmd->span,
					    "no pipeline is waiting for a command");
		diag_hint(sh->s->diags, g, "put pipelines before it: sched_switch | count; run ls");
		return 1;
	}
	if (sh->interactive)
		p->last = p->group[p->ngroup - 1];
	sh->child_cmd = rest(cmd);
	rc = exec_flush(sh, 0);
	sh->child_cmd = old;
	if (sh->interactive)
		sig_clear();
	return rc ? (sh->status ? sh->status : 1) : 0;
}

static int run_shell(struct shell *sh, const struct node *cmd)
{
	int st;

	fflush(sh->out);
	st = system(rest(cmd));
	if (sh->interactive)
		sig_clear();
	return WIFEXITED(st) ? (WEXITSTATUS(st) ? 1 : 0) : 1;
}

static int run_explain(struct shell *sh, const struct node *cmd)
{
	const struct node *q = cmd->n ? node_subst(sh, cmd->kids[0]) : NULL;

	if (!q)
		return 1;
	return sh->runner->explain(sh, &q, 1);
}

const struct command cmd_echo = {
	{"echo", CMD_WORDS},
	"echo WORD...",
	"print words",
	"$name and ${name} are replaced.",
	run_echo,
};

const struct command cmd_exit = {
	{"exit", CMD_WORDS},
	"exit [STATUS]",
	"end the shell",
	"In a script the pipelines so far run first.",
	run_exit,
};

const struct command cmd_set = {
	{"set", CMD_WORDS},
	"set [NAME [VALUE]]",
	"show or change a setting",
	"Without words all settings and what they mean. Example: set buffer 64MiB",
	run_set,
};

const struct command cmd_history = {
	{"history", CMD_WORDS},  "history",   "the lines typed so far",
	"Kept across sessions.", run_history,
};

const struct command cmd_run = {
	{"run", CMD_REST},
	"run CMD...",
	"run a command and trace for as long as it lives",
	"The pipelines before it, of the script or of the same line at the prompt, are armed\n"
	"first and end with the command. At the prompt it stands alone as well: the latest\n"
	"pipeline is run again, or the jobs trace while the command runs. Everybody is traced;\n"
	"after `set scope run` the command and all its descendants only, from the first\n"
	"instruction on.\n"
	"  set scope run; syscall:openat | count by comm; run make",
	run_run,
};

const struct command cmd_shell = {
	{"!", CMD_REST}, "!COMMAND", "run a command with sh", "Example: !uname -r", run_shell,
};

const struct command cmd_explain = {
	{"explain", CMD_PIPELINE},
	"explain PIPELINE",
	"every write to tracefs that a pipeline would make, and its undo",
	"And for each stage where it runs and why. Nothing is changed.",
	run_explain,
};
