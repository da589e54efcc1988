/* SPDX-License-Identifier: GPL-3.0-or-later */
/* syscalls: the system calls that syscall: can take. */
#include "shell/cmd/cmd.h"

#include "base/io.h"
#include "catalog/names.h"

#include <string.h>

/* "dfd, filename, flags, mode" from the enter event, "" where there is none */
static const char *arguments(struct shell *sh, struct event *e)
{
	struct buf b = {0};
	const char *s;

	for (unsigned i = 0; e && event_load(e) == 0 && i < e->nfields; i++) {
		const struct field *f = &e->fields[i];

		if (!f->is_common && strcmp(f->name, "__syscall_nr") != 0)
			buf_printf(&b, "%s%s", b.len ? ", " : "", f->name);
	}
	s = arena_strdup(sh->arena, buf_str(&b));
	buf_free(&b);
	return s;
}

static int run(struct shell *sh, const struct node *cmd)
{
	static const char *const titles[] = {"nr", "name", "arguments", NULL};
	struct listing out;
	struct catalog *c;
	const char *arch;
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 1, &n);

	if (!w)
		return 1;
	c = shell_catalog(sh);
	if (!c)
		return 3;
	arch = catalog_norigins(c) ? catalog_origin(c, 0)->arch : NULL;
	listing_begin(&out, sh, titles);
	for (unsigned nr = 0; nr < 1024; nr++) {
		const char *name = syscall_name(arch, nr);

		if (!name || (n && !io_glob(w[0], name)))
			continue;
		listing_row(&out,
			    (const char *[]){arena_printf(sh->arena, "%u", nr), name,
					     arguments(sh, catalog_find(c, "syscalls",
									arena_printf(sh->arena,
										     "sys_enter_%s",
										     name)))});
	}
	listing_end(&out);
	return 0;
}

const struct command cmd_syscalls = {
	{"syscalls", CMD_WORDS},
	"syscalls [GLOB]",
	"the system calls of the traced architecture",
	"With their numbers and, where the kernel has an event for each, their arguments. Example: "
	"syscalls '*stat*'",
	run,
};
