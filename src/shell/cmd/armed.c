/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arm, collect, cleanup: what goes on, or was left, without a process of ours. */
#include "shell/cmd/cmd.h"

#include "capture/armed.h"
#include "kernel/kernel.h"

#include <string.h>

/* The tracefs directory; NULL with a diag. */
static const char *tracefs_of(struct shell *sh, struct catalog **c)
{
	*c = catalog_new(sh->s);
	if (catalog_add_live(*c))
		return catalog_origin(*c, 0)->path;
	catalog_free(*c);
	return NULL;
}

/* ---- arm ---- */

/* What both do before and after a script that is not run here. */
static void enter(struct shell *sh, enum shell_mode mode, const char *script)
{
	sh->mode = mode;
	sh->script = script;
	sh->diverted = false;
}

static int leave(struct shell *sh, int rc, struct span at)
{
	if (rc == 0)
		rc = exec_flush(sh, 0);
	if (rc == 0)
		rc = exec_diverted(sh, at);
	sh->priv->ngroup = 0;
	sh->mode = SHELL_RUN;
	sh->script = NULL;
	return rc;
}

/* $1 and so on for the script, as its own; the old ones back with *old */
static void swap_args(struct shell *sh, char **argv, int argc, char ***old, int *nold)
{
	*old = sh->priv->argv;
	*nold = sh->priv->argc;
	sh->priv->argv = argv;
	sh->priv->argc = argc;
}

static int run_arm(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w;
	char **old;
	int rc, nold;

	if (exec_flush(sh, 0))
		return sh->status ? sh->status : 1;
	w = cmd_words(sh, cmd, 1, 64, &n);
	if (!w)
		return 1;
	if (sh->jobs) {
		struct diag *g =
			diag_error(sh->s->diags, "bad-value", cmd->span, "jobs are still running");

		diag_hint(sh->s->diags, g, "stop all, then again");
		return 1;
	}
	sh->script_args = w + 1;
	sh->nscript_args = n - 1;
	swap_args(sh, (char **)w, (int)n, &old, &nold);
	enter(sh, SHELL_ARM, w[0]);
	rc = leave(sh, exec_source(sh, w[0], cmd->kids[0]->span), cmd->span);
	swap_args(sh, old, nold, &old, &nold);
	return rc ? (sh->status ? sh->status : 1) : 0;
}

/* ---- collect ---- */

static int refuse(struct shell *sh, struct span at, const char *name, int err)
{
	struct diag *g = diag_error(sh->s->diags, "refused", at,
				    "the state of '%s' cannot be read: %s", name, strerror(-err));

	diag_hint(sh->s->diags, g, "cleanup --armed removes what it left in the kernel");
	return 3;
}

static int read_set(struct shell *sh, const struct kernel_armed *set, const struct armed *a,
		    struct span at)
{
	struct source src = {.name = a->script, .text = a->text, .len = (uint32_t)a->len};
	char **args = ARENA_ARRAY(sh->arena, char *, a->nargs + 1), **old;
	int rc, nold;

	for (size_t i = 0; i < a->nsettings; i++) {
		if (setting_apply(sh->s, sh->s->diags, a->settings[i].name, a->settings[i].value,
				  at))
			return 1;
	}
	args[0] = arena_strdup(sh->arena, a->script);
	for (size_t i = 0; i < a->nargs; i++)
		args[i + 1] = arena_strdup(sh->arena, a->args[i]);
	sh->armed = a;
	sh->armed_name = set->name;
	swap_args(sh, args, (int)a->nargs + 1, &old, &nold);
	enter(sh, SHELL_COLLECT, a->script);
	rc = leave(sh, exec_text(sh, &src), at);
	swap_args(sh, old, nold, &old, &nold);
	sh->armed = NULL;
	return rc ? (sh->status ? sh->status : 1) : 0;
}

static int undo_set(struct shell *sh, const char *root, const struct kernel_armed *set, bool tell)
{
	struct buf b = {0};
	unsigned left = kernel_armed_undo(sh->s, root, set, &b);

	if (tell)
		fwrite(buf_str(&b), 1, b.len, sh->out);
	buf_free(&b);
	if (!left)
		armed_forget(set->journal);
	return left ? 4 : 0;
}

static int collect_set(struct shell *sh, const char *root, const struct kernel_armed *set,
		       struct span at)
{
	struct armed *a = ARENA_NEW(sh->arena, struct armed);
	int rc = set->stale ? 0 : armed_load(sh->arena, set->journal, a);
	struct session *s = sh->s;

	if (set->stale) {
		session_warn(s,
			     "%s was armed before this machine started anew: nothing is left of it",
			     set->name);
		return undo_set(sh, root, set, false);
	}
	if (rc)
		return refuse(sh, at, set->name, rc);
	rc = read_set(sh, set, a, at);
	/* with losses (5) it is read all the same */
	if ((rc && rc != 5) || sh->collect_keep)
		return rc;
	return undo_set(sh, root, set, false) ? 4 : rc;
}

/* What kernel parameters or a bootconfig set up. */
static int collect_boot(struct shell *sh, const struct node *cmd, const char *script, unsigned at)
{
	int rc;

	sh->armed = NULL;
	enter(sh, SHELL_COLLECT, script);
	rc = leave(sh, exec_source(sh, script, cmd->kids[at]->span), cmd->span);
	return rc ? (sh->status ? sh->status : 1) : 0;
}

static int run_collect(struct shell *sh, const struct node *cmd)
{
	struct kernel_armed *v;
	struct catalog *c;
	const char *root, *name = NULL, **w;
	size_t n, nsets, done = 0;
	unsigned at = 0;
	bool boot = false;
	int rc = 0;

	if (exec_flush(sh, 0))
		return sh->status ? sh->status : 1;
	w = cmd_words(sh, cmd, 0, 3, &n);
	if (!w)
		return 1;
	sh->collect_keep = false;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(w[i], "--keep") == 0) {
			sh->collect_keep = true;
		} else if (strcmp(w[i], "--boot") == 0) {
			boot = true;
		} else {
			name = w[i];
			at = (unsigned)i;
		}
	}
	if (boot && name)
		return collect_boot(sh, cmd, name, at);
	if (boot) {
		diag_error(sh->s->diags, "bad-arguments", cmd->span,
			   "collect --boot wants the script that was compiled");
		return 1;
	}
	root = tracefs_of(sh, &c);
	if (!root)
		return 3;
	nsets = kernel_armed_list(sh->arena, &v);
	for (size_t i = 0; i < nsets; i++) {
		int st;

		if (name && strcmp(name, v[i].name) != 0)
			continue;
		done++;
		st = collect_set(sh, root, &v[i], cmd->span);
		rc = st > rc ? st : rc;
	}
	catalog_free(c);
	if (done)
		return rc;
	if (name)
		diag_error(sh->s->diags, "refused", cmd->kids[0]->span, "'%s' is not armed", name);
	else
		diag_error(sh->s->diags, "refused", cmd->span, "nothing is armed");
	return 3;
}

/* ---- cleanup ---- */

static int run_cleanup(struct shell *sh, const struct node *cmd)
{
	struct buf b = {0};
	struct kernel_armed *v;
	struct catalog *c;
	const char *root, **w;
	size_t n, nsets;
	bool armed;
	int rc;

	w = cmd_words(sh, cmd, 0, 1, &n);
	if (!w)
		return 1;
	armed = n && strcmp(w[0], "--armed") == 0;
	if (n && !armed) {
		diag_error(sh->s->diags, "bad-arguments", cmd->kids[0]->span,
			   "cleanup does not know '%s'", w[0]);
		return 1;
	}
	root = tracefs_of(sh, &c);
	if (!root)
		return 3;
	rc = kernel_cleanup(sh->s, root, &b) ? 4 : 0;
	fwrite(buf_str(&b), 1, b.len, sh->out);
	buf_free(&b);
	nsets = kernel_armed_list(sh->arena, &v);
	for (size_t i = 0; i < nsets; i++) {
		if (armed || v[i].stale)
			rc |= undo_set(sh, root, &v[i], true);
	}
	catalog_free(c);
	return rc;
}

const struct command cmd_arm = {
	{"arm", CMD_WORDS},
	"arm SCRIPT [ARG...]",
	"leave a script's kernel side running with no process",
	"Histograms, pairs and the buffer go on until `collect` reads them. What needs tracesh "
	"itself is "
	"done then, over the events that the buffer still holds; how long that lasts is said.",
	run_arm,
};

const struct command cmd_collect = {
	{"collect", CMD_WORDS},
	"collect [--keep] [NAME] | collect [--keep] --boot SCRIPT",
	"read what arm left running, print its results, undo it",
	"NAME is that of the script without its ending; without it all that is armed. With --keep "
	"it goes "
	"on: tables of the kernel grow on, events that were read from the buffer are not read "
	"again.",
	run_collect,
};

const struct command cmd_cleanup = {
	{"cleanup", CMD_WORDS},
	"cleanup [--armed]",
	"remove what a killed tracesh left, and nothing else",
	"Only what the journals of tracesh processes that no longer live list. With --armed also "
	"what "
	"`arm` left running.",
	run_cleanup,
};
