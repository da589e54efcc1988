/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding the file of a uprobe and telling the kernel of a place in it; see ufile.h. */
#include "source/ufile.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* The kernel cuts a definition at blanks and at '#' */
static int good_path(struct checker *ck, const char *path, struct span at)
{
	struct diag *g;

	for (const char *p = path; *p; p++) {
		if (!isspace((unsigned char)*p) && *p != '#')
			continue;
		g = diag_error(ck->d, "bad-value", at,
			       "the kernel takes no path with blanks or '#'");
		diag_hint(ck->d, g, "a symbolic link with another name leads to it as well");
		return -1;
	}
	return 0;
}

int ufile_open(struct checker *ck, struct ufile *u, const char *name, struct span at)
{
	const char *path = elf_path(ck->a, name), *why;
	struct diag *g;
	char cwd[PATH_MAX];

	if (at.len > strlen(name))
		at.len = (uint32_t)strlen(name);
	u->written = name;
	if (!path) {
		g = diag_error(ck->d, "unknown-file", at, "no program or library '%s'", name);
		diag_hint(ck->d, g,
			  "a bare name is looked for in PATH and in the directories of libraries");
		return -1;
	}
	/* made absolute, but links are not followed: /proc/PID/root leads elsewhere then */
	if (*path != '/' && getcwd(cwd, sizeof(cwd)))
		path = arena_printf(ck->a, "%s/%s", cwd, path);
	u->path = path;
	if (good_path(ck, path, at))
		return -1;
	u->elf = elf_open(ck->a, path, &why);
	if (!u->elf)
		diag_error(ck->d, "unknown-file", at, "'%s' cannot be probed: %s", name, why);
	return u->elf ? 0 : -1;
}

int ufile_split(struct checker *ck, const struct node *n, const char *target, struct span at,
		const char **file, const char **rest)
{
	const char *colon = strrchr(target, ':');

	if (colon && colon != target && colon[1]) {
		*file = arena_strndup(ck->a, target, (size_t)(colon - target));
		*rest = colon + 1;
		return 0;
	}
	diag_error(ck->d, "bad-arguments", at, "it is %s", source_find(n->str)->usage);
	return -1;
}

const char *ufile_event(struct checker *ck, const char *file, const char *what)
{
	const char *slash = strrchr(file, '/');

	return arena_printf(ck->a, "%s_%s", slash ? slash + 1 : file, what);
}

/* Where in the file the semaphore of a static probe at @addr lies, 0: there is none */
static uint64_t semaphore(const struct ufile *u, uint64_t addr)
{
	unsigned n;
	const struct elf_usdt *v = elf_usdts(u->elf, &n);
	uint64_t off;

	for (unsigned i = 0; i < n; i++) {
		if (v[i].addr == addr && v[i].sem && elf_offset(u->elf, v[i].sem, false, &off))
			return off;
	}
	return 0;
}

int ufile_add(struct checker *ck, struct src *src, const struct node *n, const struct ufile *u,
	      uint64_t addr, const char *event, const struct fetch_target *t, const char *usdt_args,
	      struct span at)
{
	struct fetch_target *own = ARENA_NEW(ck->a, struct fetch_target);
	struct uplace *place = ARENA_NEW(ck->a, struct uplace);
	struct probe_spec spec = {.event = event, .place_span = at, .t = own};
	uint64_t sem = semaphore(u, addr);

	*own = *t;
	own->priv = place;
	place->file = u;
	place->addr = addr;
	place->cpu = elf_cpu(u->elf);
	place->usdt_args = usdt_args;
	if (!elf_offset(u->elf, addr, true, &place->off)) {
		diag_error(ck->d, "unknown-symbol", at, "'%s' has no code at 0x%llx", u->written,
			   (unsigned long long)addr);
		return -1;
	}
	spec.kind_text = src->probe->kind == PROBE_URETPROBE ? "r" : "p";
	spec.old_list = "uprobe_events";
	spec.target = event;
	spec.place = arena_printf(ck->a, "%s:0x%llx", u->path, (unsigned long long)place->off);
	if (sem)
		spec.place = arena_printf(ck->a, "%s(0x%llx)", spec.place, (unsigned long long)sem);
	return probe_add(ck, src, n, &spec);
}
