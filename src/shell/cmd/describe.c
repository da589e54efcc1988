/* SPDX-License-Identifier: GPL-3.0-or-later */
/* describe: an event's fields with their types, and the names that its print format gives to
 * values. */
#include "shell/cmd/cmd.h"

#include <inttypes.h>
#include <string.h>

static const char *names(struct shell *sh, const struct field *f)
{
	const struct symname *v = f->nsyms ? f->syms : f->flags;
	unsigned n = f->nsyms ? f->nsyms : f->nflags;
	struct buf b = {0};
	const char *s;

	for (unsigned i = 0; i < n && i < 40; i++)
		buf_printf(&b, "%s%s=%" PRIu64, i ? " " : "", v[i].name, v[i].value);
	if (n > 40)
		buf_puts(&b, " ...");
	s = arena_strdup(sh->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static void describe(struct shell *sh, struct event *e)
{
	static const char *const titles[] = {"field",  "type",   "offset", "size",
					     "signed", "values", NULL};
	bool table = sh->s->set.format != FMT_CSV && sh->s->set.format != FMT_JSON;
	struct listing out;

	event_load(e);
	if (table)
		fprintf(sh->out, "%s:%s (id %d)%s\n", e->system, e->name, event_id(e),
			e->broken ? ", whose format could not be read whole" : "");
	listing_begin(&out, sh, titles);
	for (unsigned i = 0; i < e->nfields; i++) {
		const struct field *f = &e->fields[i];

		listing_row(&out, (const char *[]){f->name, f->type,
						   arena_printf(sh->arena, "%u", f->offset),
						   arena_printf(sh->arena, "%u", f->size),
						   f->is_signed ? "yes" : "no", names(sh, f)});
	}
	listing_end(&out);
	if (table && e->print_fmt)
		fprintf(sh->out, "print: %s\n", e->print_fmt);
}

static int run(struct shell *sh, const struct node *cmd)
{
	struct event_list l;
	struct catalog *c;
	size_t n;
	const char **w = cmd_words(sh, cmd, 1, 1, &n);

	if (!w)
		return 1;
	c = shell_catalog(sh);
	if (!c)
		return 3;
	if (catalog_match(c, sh->arena, sh->s->diags, w[0], cmd->kids[0]->span, &l))
		return 1;
	for (unsigned i = 0; i < l.n; i++)
		describe(sh, l.v[i]);
	return 0;
}

const struct command cmd_describe = {
	{"describe", CMD_WORDS},
	"describe EVENT",
	"the fields of an event",
	"Shows name, C type, place and size of each field, and the names of values that conditions "
	"may use. Example: describe sched_switch",
	run,
};
