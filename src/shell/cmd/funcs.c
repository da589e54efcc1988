/* SPDX-License-Identifier: GPL-3.0-or-later */
/* funcs: the kernel functions that can be traced. */
#include "shell/cmd/cmd.h"

#include <errno.h>
#include <string.h>

static int put(void *arg, const char *name)
{
	listing_row(arg, &name);
	return 0;
}

static int run(struct shell *sh, const struct node *cmd)
{
	static const char *const titles[] = {"function", NULL};
	struct listing out;
	struct catalog *c;
	struct diag *g;
	size_t n;
	int rc;
	const char **w = cmd_words(sh, cmd, 1, 1, &n);

	if (!w)
		return 1;
	c = shell_catalog(sh);
	if (!c)
		return 3;
	listing_begin(&out, sh, titles);
	rc = catalog_functions(c, w[0], put, &out);
	n = listing_end(&out);
	if (rc < 0) {
		g = diag_error(sh->s->diags, "refused", cmd->span, "no list of functions: %s",
			       strerror(-rc));
		diag_hint(sh->s->diags, g,
			  rc == -ENOENT ? "it needs a live kernel with CONFIG_DYNAMIC_FTRACE"
					: "reading it needs root");
		return 3;
	}
	if (n == 0) {
		g = diag_error(sh->s->diags, "bad-value", cmd->kids[0]->span,
			       "no function matches '%s'", w[0]);
		diag_hint(sh->s->diags, g, "funcs '*%s*' looks for a part of a name", w[0]);
		return 1;
	}
	return 0;
}

const struct command cmd_funcs = {
	{"funcs", CMD_WORDS},     "funcs GLOB", "the kernel functions that can be traced",
	"Example: funcs 'vfs_*'", run,
};
