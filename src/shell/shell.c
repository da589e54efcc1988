/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making and freeing a shell, what check asks of it, and the catalog of its current source. */
#include "shell/priv.h"

#include "feed/feed.h"
#include "stage/stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *env_var(void *arg, const char *name)
{
	return var_get(arg, name);
}

static const struct node *env_named(void *arg, const char *name)
{
	const struct shell *sh = arg;
	const struct def *d;

	for (d = sh->priv->named; d && strcmp(d->name, name) != 0; d = d->next)
		;
	return d ? d->node : NULL;
}

/* ---- the parser's view of the tables ---- */

static const struct stage_syntax *stage_syntax(const char *name)
{
	const struct stage_kind *k = stage_find(name);

	return k ? &k->syntax : NULL;
}

static const struct command_syntax *command_syntax(const char *name)
{
	const struct command *c = command_find(name);

	return c ? &c->syntax : NULL;
}

static const char *stage_name(unsigned i)
{
	return stage_kinds[i] ? stage_kinds[i]->syntax.name : NULL;
}

static const char *command_name(unsigned i)
{
	return commands[i] ? commands[i]->syntax.name : NULL;
}

const struct command *command_find(const char *name)
{
	for (unsigned i = 0; commands[i]; i++) {
		if (strcmp(commands[i]->syntax.name, name) == 0)
			return commands[i];
	}
	return NULL;
}

/* Is @name a def of an earlier input? */
static bool is_def(void *arg, const char *name)
{
	const struct shell *sh = arg;

	for (const struct def *d = sh->priv->defs; d; d = d->next) {
		if (strcmp(d->name, name) == 0)
			return true;
	}
	return false;
}

const struct grammar *shell_grammar(struct shell *sh)
{
	struct grammar *g = &sh->priv->grammar;

	g->stage = stage_syntax;
	g->command = command_syntax;
	g->stage_name = stage_name;
	g->command_name = command_name;
	g->is_def = is_def;
	g->arg = sh;
	return g;
}

struct shell *shell_new(struct session *s, const struct runner *runner)
{
	struct shell *sh = xcalloc(1, sizeof(*sh));

	sh->s = s;
	sh->arena = arena_new();
	sh->runner = runner;
	sh->ready_fd = -1;
	sh->out = stdout;
	sh->env = (struct check_env){.arg = sh, .var = env_var, .named = env_named};
	sh->priv = ARENA_NEW(sh->arena, struct shell_priv);
	return sh;
}

void shell_free(struct shell *sh)
{
	while (sh->jobs)
		job_end(sh, sh->jobs, true);
	catalog_free(sh->catalog);
	for (unsigned i = 0; i < sh->nfiles; i++)
		free(sh->files[i]);
	free(sh->files);
	if (sh->out && sh->out != stdout)
		fclose(sh->out);
	arena_free(sh->arena);
	free(sh);
}

void shell_args(struct shell *sh, int argc, char **argv)
{
	struct shell_priv *p = sh->priv;

	p->argc = argc;
	p->argv = ARENA_ARRAY(sh->arena, char *, argc + 1);
	for (int i = 0; i < argc; i++)
		p->argv[i] = arena_strdup(sh->arena, argv[i]);
}

struct catalog *shell_catalog(struct shell *sh)
{
	struct catalog *c = sh->catalog;
	bool ok = true;

	if (c)
		return c;
	c = catalog_new(sh->s);
	if (sh->catalog_dir) {
		ok = catalog_add_dir(c, sh->catalog_dir) != NULL;
	} else if (!sh->nfiles) {
		ok = catalog_add_live(c) != NULL;
	} else {
		/* the container reader fills the origin; its feed is not needed here */
		for (unsigned i = 0; i < sh->nfiles && ok; i++) {
			struct feed *f = feed_open_file(sh->s, c, sh->files[i]);

			ok = f != NULL;
			if (f)
				feed_free(f);
		}
	}
	if (!ok) {
		catalog_free(c);
		return NULL;
	}
	return sh->catalog = c;
}

int shell_forget_catalog(struct shell *sh)
{
	if (sh->jobs)
		return -EBUSY;
	catalog_free(sh->catalog);
	sh->catalog = NULL;
	return 0;
}
