/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What commands share: tables in the format that is set, and their rows. */
#ifndef TRACESH_SHELL_CMD_H
#define TRACESH_SHELL_CMD_H

#include "report/text.h"
#include "shell/priv.h"

/* A small table of strings: aligned on a terminal or pipe, csv or json by `set format`. */
struct listing {
	struct shell *sh;
	const char *const *titles; /* column names, lower case; end with NULL */
	unsigned ncols, row;
	struct texttab tab;
	bool table;
	struct buf out;
};

void listing_begin(struct listing *l, struct shell *sh, const char *const *titles);
/* listing_row - one string a column; NULL is empty */
void listing_row(struct listing *l, const char *const *cells);
/* listing_end - print it; how many rows it had */
unsigned listing_end(struct listing *l);

/* cmd_words - the command's words, checked to be between @min and @max; NULL with a diag that shows
 * its usage */
const char **cmd_words(struct shell *sh, const struct node *cmd, size_t min, size_t max, size_t *n);

extern const struct command cmd_arm, cmd_cleanup, cmd_clear, cmd_close, cmd_collect, cmd_cont,
	cmd_describe, cmd_doctor, cmd_echo, cmd_emit, cmd_exit, cmd_explain, cmd_funcs, cmd_help,
	cmd_history, cmd_info, cmd_jobs, cmd_ls, cmd_open, cmd_pause, cmd_plugin, cmd_run, cmd_set,
	cmd_shell, cmd_show, cmd_source, cmd_stop, cmd_syscalls, cmd_wait;

#endif
