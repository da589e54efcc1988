/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ls: what can be traced here. */
#include "shell/cmd/cmd.h"

#include "base/io.h"

#include <string.h>

static int run(struct shell *sh, const struct node *cmd)
{
	static const char *const titles[] = {"system", "event", NULL};
	struct event_list l;
	struct listing out;
	struct catalog *c;
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 1, &n), *pattern;

	if (!w)
		return 1;
	c = shell_catalog(sh);
	if (!c)
		return 3;
	pattern = n ? w[0] : "*:*";
	/* a word without a colon is looked for in both names, as a part of them */
	if (!strpbrk(pattern, ":/*?"))
		pattern = arena_printf(sh->arena, "*%s*", pattern);
	if (n && strchr(pattern, ':') == NULL && pattern[0] != '/') {
		listing_begin(&out, sh, titles);
		for (unsigned i = 0; i < catalog_nevents(c); i++) {
			const struct event *e = catalog_event(c, i);

			if (io_glob(pattern, e->name) || io_glob(pattern, e->system))
				listing_row(&out, (const char *[]){e->system, e->name});
		}
		if (listing_end(&out))
			return 0;
		pattern = w[0]; /* nothing: let the matcher say what is near */
	}
	if (catalog_match(c, sh->arena, sh->s->diags, pattern, cmd->span, &l))
		return 1;
	listing_begin(&out, sh, titles);
	for (unsigned i = 0; i < l.n; i++)
		listing_row(&out, (const char *[]){l.v[i]->system, l.v[i]->name});
	listing_end(&out);
	return 0;
}

const struct command cmd_ls = {
	{"ls", CMD_WORDS},
	"ls [PATTERN]",
	"the events that can be traced",
	"PATTERN is a part of a name, a glob, SYSTEM:EVENT or /regex/. Example: ls sched:*wak*",
	run,
};
