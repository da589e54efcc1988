/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands of the language that this version parses and does not carry out. */
#include "shell/cmd/cmd.h"

static int run(struct shell *sh, const struct node *cmd)
{
	diag_error(sh->s->diags, "not-yet", cmd->span, "'%s' is not carried out yet", cmd->str);
	return 1;
}

const struct command cmd_plugin = {
	{"plugin", CMD_WORDS}, "plugin [load FILE]", "load a plugin (not yet)", "", run,
};
