/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprobe: an event on a tracepoint that has none of its own. */
#include "source/kfunc.h"

#include "base/io.h"
#include "catalog/btf.h"

#include <string.h>

/* Functions that the kernel has for each tracepoint; they take a private pointer first. */
static const char *const stubs[] = {"__probestub_", "__traceiter_"};
#define NSTUBS (sizeof(stubs) / sizeof(stubs[0]))

static uint32_t proto(const struct btf *b, struct arena *a, const char *name)
{
	for (size_t i = 0; i < NSTUBS; i++) {
		uint32_t p = btf_func(b, arena_printf(a, "%s%s", stubs[i], name));

		if (p)
			return p;
	}
	return btf_typedef_proto(b, arena_printf(a, "btf_trace_%s", name));
}

static const struct fetch_target on_tracepoint = {.what = "a tprobe",
						  .stack = true,
						  .typed = kfunc_typed,
						  .name = kfunc_param,
						  .list = kfunc_params};

static void no_tracepoint(struct checker *ck, const char *name, struct span at)
{
	struct origin *o = catalog_origin(ck->c, 0);
	struct diag *g =
		diag_error(ck->d, "unknown-symbol", at, "the kernel has no tracepoint '%s'", name);
	struct ksym_near near;

	for (size_t i = 0; i < NSTUBS; i++) {
		size_t len = strlen(stubs[i]);

		if (origin_ksym_near(o, arena_printf(ck->a, "%s%s", stubs[i], name), &near) ||
		    strncmp(near.name, stubs[i], len) != 0)
			continue;
		diag_hint(ck->d, g, "did you mean '%s'?", near.name + len);
		return;
	}
}

static bool exists(struct checker *ck, const char *name)
{
	unsigned count, all = 0;

	for (size_t i = 0; i < NSTUBS; i++) {
		if (!origin_ksym_count(catalog_origin(ck->c, 0),
				       arena_printf(ck->a, "%s%s", stubs[i], name), &count))
			return true; /* no symbols to be seen: the kernel will say */
		all += count;
	}
	return all > 0;
}

static struct src *check(struct checker *ck, const struct node *n)
{
	struct span at;
	const char *name = probe_target(ck, n, &at);
	struct kfunc *priv = ARENA_NEW(ck->a, struct kfunc);
	struct fetch_target *t = ARENA_NEW(ck->a, struct fetch_target);
	struct probe_spec spec = {.kind_text = "t", .place_span = at, .t = t, .merge = true};
	struct src *src;

	if (!name)
		return NULL;
	if (strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
	    strlen(name)) {
		struct diag *g = diag_error(ck->d, "unknown-symbol", at,
					    "'%s' is no name of a tracepoint", name);

		if (strchr(name, ':'))
			diag_hint(ck->d, g, "tprobe: takes the name alone, without its system");
		return NULL;
	}
	if (probe_recorded(ck))
		return probe_find(ck, n, PROBE_TPROBE, name, false);
	if (probe_needs(ck, n, CAP_TPROBES))
		return NULL;
	if (!exists(ck, name)) {
		no_tracepoint(ck, name, at);
		return NULL;
	}
	*priv = (struct kfunc){.func = name, .skip = 1, .proto = proto};
	*t = on_tracepoint;
	t->priv = priv;
	t->btf_args = caps_has(catalog_caps(ck->c), CAP_BTF_ARGS);
	spec.event = spec.target = spec.place = name;
	src = probe_src(ck, n, PROBE_TPROBE);
	return probe_add(ck, src, n, &spec) ? NULL : src;
}

const struct source_kind source_tprobe = {
	.name = "tprobe",
	.usage = "tprobe:NAME(NAME = FETCH, ...)",
	.brief = "an event on a tracepoint that has none of its own",
	.help = "The scheduler has several of them; a driver's and a module's too. The arguments "
		"of "
		"the tracepoint\n"
		"are names in FETCH, and arg1 .. argN.\n"
		"  tprobe:pelt_cfs_tp(load = cfs_rq->avg.load_avg) | hist load",
	.check = check,
};
