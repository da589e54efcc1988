/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the kernel as targets of probes: FUNC, FUNC+OFF, patterns, and what to say of names
 * that do not exist, are there twice, or were renamed.
 */
#include "source/kfunc.h"

#include "base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GLOB_MAX 500 /* each is an event of its own: arming and removing them takes time */

/* What is told of the function while its fetch list is compiled. */
struct kfunc {
	const char *func;
};

int kfunc_param(struct fetch *f, const char *name, struct span at, struct fetch_val *v)
{
	(void)f;
	(void)name;
	(void)at;
	(void)v;
	return -1;
}

void kfunc_params(struct fetch *f, void (*add)(void *arg, const char *name), void *arg)
{
	(void)f;
	(void)add;
	(void)arg;
}

/* ---- names ---- */

static void no_function(struct checker *ck, const char *func, struct span at)
{
	struct origin *o = catalog_origin(ck->c, 0);
	struct diag *g =
		diag_error(ck->d, "unknown-symbol", at, "the kernel has no function '%s'", func);
	struct ksym_near near;

	if (origin_ksym_near(o, func, &near) == 0)
		diag_hint(ck->d, g, "%s'%s'%s",
			  near.how == KSYM_SYSCALL   ? "the function of the system call is "
			  : near.how == KSYM_VARIANT ? "the compiler made it "
						     : "did you mean ",
			  near.name, near.how == KSYM_NEAR ? "?" : "");
	else
		diag_hint(ck->d, g, "it may have been inlined; `funcs *%.20s*` shows what there is",
			  func);
}

/* Is there such a function, and only one? Where symbols cannot be read the kernel will say. */
static int look_up(struct checker *ck, const char *func, struct span at)
{
	unsigned n;
	struct diag *g;

	if (!origin_ksym_count(catalog_origin(ck->c, 0), func, &n))
		return 0;
	if (n == 0) {
		no_function(ck, func, at);
		return -1;
	}
	if (n > 1) {
		g = diag_error(ck->d, "unknown-symbol", at, "%u functions are called '%s'", n,
			       func);
		diag_hint(ck->d, g, "a probe needs a name that only one function has");
		return -1;
	}
	if (origin_kprobe_blacklisted(catalog_origin(ck->c, 0), func)) {
		g = diag_error(ck->d, "unknown-symbol", at, "'%s' cannot be probed", func);
		diag_hint(ck->d, g,
			  "it is on the kernel's list of functions that probes would break");
		return -1;
	}
	return 0;
}

/* ---- one or many ---- */

static int add(struct checker *ck, struct src *src, const struct node *n,
	       const struct kfunc_kind *k, const char *func, uint64_t off, struct span at)
{
	struct kfunc *priv = ARENA_NEW(ck->a, struct kfunc);
	struct fetch_target *t = ARENA_NEW(ck->a, struct fetch_target);
	struct probe_spec spec = {.place_span = at, .old_list = k->old_list, .t = t};
	const char *plus = off ? arena_printf(ck->a, "+%llu", (unsigned long long)off) : "";

	*t = *k->t;
	priv->func = func;
	t->priv = priv;
	if (!t->no_args && !caps_has(catalog_caps(ck->c), CAP_FUNC_ARGS))
		t->no_args = "this architecture gives no arguments by number; reg(NAME) reads a "
			     "register";
	spec.kind_text = k->letter;
	if (k->maxactive && ck->s->set.maxactive)
		spec.kind_text = arena_printf(ck->a, "%s%u", k->letter, ck->s->set.maxactive);
	spec.target = spec.event =
		off ? arena_printf(ck->a, "%s_0x%llx", func, (unsigned long long)off) : func;
	spec.place =
		arena_printf(ck->a, "%s%s%s", func, plus, k->place_suffix ? k->place_suffix : "");
	return probe_add(ck, src, n, &spec);
}

struct globbed {
	struct checker *ck;
	const char **v;
	size_t n;
	struct origin *o;
};

static int one_function(void *arg, const char *name)
{
	struct globbed *g = arg;

	if (origin_kprobe_blacklisted(g->o, name))
		return 0;
	ARENA_PUSH(g->ck->a, g->v, g->n, arena_strdup(g->ck->a, name));
	return g->n > GLOB_MAX;
}

static int add_glob(struct checker *ck, struct src *src, const struct node *n,
		    const struct kfunc_kind *k, const char *pattern, struct span at)
{
	struct globbed all = {.ck = ck, .o = catalog_origin(ck->c, 0)};
	int rc = catalog_functions(ck->c, pattern, one_function, &all);
	unsigned count;
	struct diag *g;

	if (rc < 0) {
		g = diag_error(ck->d, "unsupported", at, "this kernel lists no functions: %s",
			       strerror(-rc));
		diag_hint(ck->d, g, "a pattern needs CONFIG_DYNAMIC_FTRACE; name the function");
		return -1;
	}
	if (all.n > GLOB_MAX) {
		g = diag_error(ck->d, "unknown-symbol", at, "more than %d functions match '%s'",
			       GLOB_MAX, pattern);
		diag_hint(ck->d, g, "function:%s counts calls of any number of functions", pattern);
		return -1;
	}
	if (all.n == 0) {
		g = diag_error(ck->d, "unknown-symbol", at, "no function matches '%s'", pattern);
		diag_hint(ck->d, g, "`funcs PATTERN` shows what there is");
		return -1;
	}
	for (size_t i = 0; i < all.n; i++) {
		/* static functions of one name cannot be told apart: left out */
		if (origin_ksym_count(all.o, all.v[i], &count) && count != 1)
			continue;
		if (add(ck, src, n, k, all.v[i], 0, at))
			return -1;
	}
	if (!src->probe->n) {
		diag_error(ck->d, "unknown-symbol", at,
			   "each name that matches '%s' is that of several functions", pattern);
		return -1;
	}
	return 0;
}

static int split_offset(struct checker *ck, const struct kfunc_kind *k, const char **func,
			uint64_t *off, struct span at)
{
	const char *plus = strchr(*func, '+');
	char *end;

	*off = 0;
	if (!plus)
		return 0;
	errno = 0;
	*off = strtoull(plus + 1, &end, 0);
	if (errno || *end || end == plus + 1 || plus[1] == '-' || *off > 1 << 24) {
		diag_error(ck->d, "bad-number", at, "'%s' is no offset into a function", plus);
		return -1;
	}
	if (!k->offset) {
		diag_error(ck->d, "bad-arguments", at,
			   "only kprobe: can be put behind a function's beginning");
		return -1;
	}
	*func = arena_strndup(ck->a, *func, (size_t)(plus - *func));
	return 0;
}

struct src *kfunc_check(struct checker *ck, const struct node *n, const struct kfunc_kind *k)
{
	struct span at;
	const char *func = probe_target(ck, n, &at);
	struct src *src;
	uint64_t off;
	int rc;

	if (!func || split_offset(ck, k, &func, &off, at))
		return NULL;
	if (probe_recorded(ck))
		return probe_find(
			ck, n, k->kind,
			off ? arena_printf(ck->a, "%s_0x%llx", func, (unsigned long long)off)
			    : func);
	if (probe_needs(ck, n, k->cap))
		return NULL;
	src = probe_src(ck, n, k->kind);
	if (io_has_glob(func))
		rc = add_glob(ck, src, n, k, func, at);
	else
		rc = look_up(ck, func, at) || add(ck, src, n, k, func, off, at);
	return rc ? NULL : src;
}
