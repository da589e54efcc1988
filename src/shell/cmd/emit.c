/* SPDX-License-Identifier: GPL-3.0-or-later */
/* emit: a script as text for a machine without tracesh, or for one that has not booted yet. */
#include "shell/cmd/cmd.h"

#include "emit/emit.h"

static int run_emit(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w;
	int rc;

	if (exec_flush(sh, 0))
		return sh->status ? sh->status : 1;
	w = cmd_words(sh, cmd, 2, 2, &n);
	if (!w)
		return 1;
	sh->emit = emit_find(w[0]);
	if (!sh->emit) {
		struct buf b = {0};
		struct diag *g = diag_error(sh->s->diags, "bad-arguments", cmd->kids[0]->span,
					    "emit does not know '%s'", w[0]);

		emit_names(&b);
		diag_hint(sh->s->diags, g, "it is one of %s", buf_str(&b));
		buf_free(&b);
		return 1;
	}
	sh->mode = SHELL_EMIT;
	sh->script = w[1];
	sh->diverted = false;
	rc = exec_source(sh, w[1], cmd->kids[1]->span);
	if (rc == 0)
		rc = exec_flush(sh, 0);
	if (rc == 0)
		rc = exec_diverted(sh, cmd->span);
	sh->priv->ngroup = 0;
	sh->mode = SHELL_RUN;
	sh->script = NULL;
	return rc ? (sh->status ? sh->status : 1) : 0;
}

const struct command cmd_emit = {
	{"emit", CMD_WORDS},
	"emit sh|bootconfig|cmdline SCRIPT",
	"compile a script into a text that arms the kernel without tracesh",
	"sh is a POSIX script for busybox ash; cmdline are kernel parameters and bootconfig its "
	"ftrace keys, for tracing from boot on (see `set kernel`, `collect --boot`). What a form "
	"cannot express is an error. The same as "
	"`tracesh --emit KIND SCRIPT`.",
	run_emit,
};
