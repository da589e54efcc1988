/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usdt: static probes of programs. One may lie at several places; each is an event of its own. */
#include "source/ufile.h"

#include "base/io.h"

#include <ctype.h>
#include <string.h>

#define SITES_MAX 500

static const struct fetch_target at_probe = {.what = "a static probe",
					     .user = true,
					     .regs = true,
					     .stack = true,
					     .argument = ucall_usdt_arg};

struct wanted {
	const char *file, *provider, *name;
	struct span at;
};

static void no_probe(struct checker *ck, const struct wanted *w, const struct elf_usdt *v,
		     unsigned n)
{
	const char *want = arena_printf(ck->a, "%s:%s", w->provider, w->name);
	const char **names = NULL;
	size_t have = 0;
	struct diag *g;

	g = diag_error(ck->d, "unknown-symbol", w->at, "'%s' has no static probe '%s'", w->file,
		       want);
	for (unsigned i = 0; i < n; i++) {
		const char *s = arena_printf(ck->a, "%s:%s", v[i].provider, v[i].name);
		bool known = false;

		for (size_t k = 0; k < have && !known; k++)
			known = strcmp(names[k], s) == 0;
		if (!known)
			ARENA_PUSH(ck->a, names, have, s);
	}
	if (!have) {
		diag_hint(ck->d, g, "it has none; uprobe:%s:FUNC probes a function", w->file);
	} else if (!diag_nearest(ck->d, g, want, names, have)) {
		struct buf b = {0};

		for (size_t i = 0; i < have && i < 12; i++)
			buf_printf(&b, "%s%s", i ? ", " : "", names[i]);
		diag_hint(ck->d, g, "it has %s%s", buf_str(&b), have > 12 ? " ..." : "");
		buf_free(&b);
	}
}

static bool matches(const struct wanted *w, const struct elf_usdt *u)
{
	return io_glob(w->provider, u->provider) && io_glob(w->name, u->name);
}

/* How many places a probe has */
static unsigned sites(const struct elf_usdt *v, unsigned n, const struct elf_usdt *u)
{
	unsigned k = 0;

	for (unsigned i = 0; i < n; i++)
		k += strcmp(v[i].provider, u->provider) == 0 && strcmp(v[i].name, u->name) == 0;
	return k;
}

static int add_all(struct checker *ck, struct src *src, const struct node *node,
		   const struct ufile *u, const struct wanted *w)
{
	unsigned n, found = 0;
	const struct elf_usdt *v = elf_usdts(u->elf, &n);

	for (unsigned i = 0; i < n; i++) {
		const char *event;

		if (!matches(w, &v[i]))
			continue;
		if (++found > SITES_MAX) {
			diag_error(ck->d, "unknown-symbol", w->at,
				   "more than %d places of static probes match", SITES_MAX);
			return -1;
		}
		event = arena_printf(ck->a, "%s_%s", v[i].provider, v[i].name);
		if (sites(v, n, &v[i]) > 1)
			event = arena_printf(ck->a, "%s__%u", event, sites(v, i + 1, &v[i]));
		if (ufile_add(ck, src, node, u, v[i].addr, event, &at_probe, v[i].args, w->at))
			return -1;
	}
	if (!found)
		no_probe(ck, w, v, n);
	return found ? 0 : -1;
}

/* Was it made with several places? Their events have numbers then. */
static const char *recorded_name(struct checker *ck, const struct wanted *w)
{
	char *name = arena_printf(ck->a, "%s_%s", w->provider, w->name), *first;

	for (char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("*?", *p))
			*p = '_';
	}
	first = arena_printf(ck->a, "%s__1", name);
	for (unsigned i = 0; i < catalog_nevents(ck->c); i++) {
		const struct event *ev = catalog_event(ck->c, i);

		if (strncmp(ev->system, "tracesh", 7) == 0 && strcmp(ev->name, first) == 0)
			return arena_printf(ck->a, "%s__*", name);
	}
	return name;
}

static int split(struct checker *ck, const struct node *n, const char *target, struct wanted *w)
{
	const char *rest, *colon;

	if (ufile_split(ck, n, target, w->at, &rest, &w->name))
		return -1;
	colon = strrchr(rest, ':');
	if (!colon || colon == rest || !colon[1]) {
		diag_error(ck->d, "bad-arguments", w->at, "it is %s", source_find(n->str)->usage);
		return -1;
	}
	w->file = arena_strndup(ck->a, rest, (size_t)(colon - rest));
	w->provider = colon + 1;
	return 0;
}

static struct src *check(struct checker *ck, const struct node *n)
{
	struct wanted w = {0};
	struct ufile *u = ARENA_NEW(ck->a, struct ufile);
	const char *target = probe_target(ck, n, &w.at);
	struct src *src;
	int rc;

	if (!target || split(ck, n, target, &w))
		return NULL;
	if (probe_recorded(ck))
		return probe_find(ck, n, PROBE_UPROBE, recorded_name(ck, &w), true);
	if (probe_needs(ck, n, CAP_UPROBES) || ufile_open(ck, u, w.file, w.at))
		return NULL;
	src = probe_src(ck, n, PROBE_UPROBE);
	rc = add_all(ck, src, n, u, &w);
	elf_close(u->elf);
	return rc ? NULL : src;
}

const struct source_kind source_usdt = {
	.name = "usdt",
	.usage = "usdt:FILE:PROVIDER:NAME(NAME = FETCH, ...)",
	.brief = "a static probe of a program or library",
	.help = "Probes that a program was built with (sys/sdt.h); PROVIDER and NAME may be "
		"patterns. arg1 .. argN are\n"
		"the probe's own, with their sizes and signs. A probe that lies at several places "
		"is an event at each.\n"
		"  usdt:libc.so.6:libc:memory_sbrk_more(n = arg2) | sum n by comm",
	.check = check,
};
