/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doctor: what this machine can do for tracing. */
#include "shell/cmd/cmd.h"

#include "catalog/caps.h"

static int run_doctor(struct shell *sh, const struct node *cmd)
{
	static const char *const titles[] = {"feature", "here", "needs", "without it", NULL};
	struct catalog *c;
	struct listing l;
	struct caps *caps;
	size_t n;

	if (!cmd_words(sh, cmd, 0, 0, &n))
		return 1;
	c = catalog_new(sh->s);
	if (!catalog_add_live(c)) {
		catalog_free(c);
		return 3;
	}
	caps = caps_probe(sh->arena, catalog_origin(c, 0)->path);
	listing_begin(&l, sh, titles);
	for (unsigned i = 0; i < CAP_COUNT; i++) {
		const struct cap_row *r = &cap_rows[i];
		bool has = caps_has(caps, r->cap);

		listing_row(&l, (const char *[]){r->name, has ? "yes" : "no", has ? "" : r->config,
						 has ? "" : r->instead});
	}
	listing_end(&l);
	if (l.table)
		fprintf(sh->out, "tracefs: %s\nclocks: %s\nlockdown: %s\n",
			catalog_origin(c, 0)->path, caps->clocks,
			caps->lockdown[0] ? caps->lockdown : "unknown");
	catalog_free(c);
	return 0;
}

const struct command cmd_doctor = {
	{"doctor", CMD_WORDS},
	"doctor",
	"what this kernel can and cannot do for tracing",
	"For what it cannot: the CONFIG that is missing, and what tracesh does instead.",
	run_doctor,
};
