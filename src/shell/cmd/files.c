/* SPDX-License-Identifier: GPL-3.0-or-later */
/* open, close, source: where events and statements come from. */
#include "shell/cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int busy(struct shell *sh, const struct node *cmd)
{
	struct diag *g = diag_error(sh->s->diags, "bad-value", cmd->span, "jobs are still running");

	diag_hint(sh->s->diags, g, "stop all, then again");
	return 1;
}

static void forget_files(struct shell *sh)
{
	for (unsigned i = 0; i < sh->nfiles; i++)
		free(sh->files[i]);
	sh->nfiles = 0;
}

static int run_open(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w;

	/* what was asked so far is about the source so far */
	if (exec_flush(sh, 0))
		return sh->status ? sh->status : 1;
	w = cmd_words(sh, cmd, 1, 64, &n);
	if (!w)
		return 1;
	if (shell_forget_catalog(sh))
		return busy(sh, cmd);
	forget_files(sh);
	sh->files = xrealloc(sh->files, n * sizeof(*sh->files));
	for (size_t i = 0; i < n; i++)
		sh->files[sh->nfiles++] = xstrdup(w[i]);
	if (!shell_catalog(sh)) {
		forget_files(sh);
		return 3;
	}
	return 0;
}

static int run_close(struct shell *sh, const struct node *cmd)
{
	size_t n;

	if (!cmd_words(sh, cmd, 0, 0, &n))
		return 1;
	if (exec_flush(sh, 0))
		return sh->status ? sh->status : 1;
	if (shell_forget_catalog(sh))
		return busy(sh, cmd);
	forget_files(sh);
	return 0;
}

static int run_source(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w = cmd_words(sh, cmd, 1, 1, &n);

	if (!w)
		return 1;
	return exec_source(sh, w[0], cmd->span) ? (sh->status ? sh->status : 1) : 0;
}

const struct command cmd_open = {
	{"open", CMD_WORDS},
	"open FILE...",
	"take a trace.dat as the source of all that follows",
	"Several files are merged by time. `close` goes back to this kernel. Example: open "
	"trace.dat",
	run_open,
};

const struct command cmd_close = {
	{"close", CMD_WORDS}, "close", "trace this kernel again", "Undoes open.", run_close,
};

const struct command cmd_source = {
	{"source", CMD_WORDS},
	"source FILE",
	"run the statements of a file as if they stood here",
	"Its definitions and variables stay.",
	run_source,
};
