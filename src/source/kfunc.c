/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of the kernel as targets of probes: FUNC, FUNC+OFF, patterns, and what to say of names
 * that do not exist, are there twice, or were renamed.
 */
#include "source/kfunc.h"

#include "base/io.h"
#include "catalog/btf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GLOB_MAX 500 /* each is an event of its own: arming and removing them takes time */

/* ---- parameters ---- */

/* The prototype of the function whose fetch list is compiled, 0: not known */
static uint32_t proto_of(struct fetch *f, const struct btf **b)
{
	const struct kfunc *k = f->t->priv;
	const char *why;

	*b = fetch_btf(f, &why);
	return *b ? k->proto(*b, f->ck->a, k->func) : 0;
}

uint32_t kfunc_proto(const struct btf *b, struct arena *a, const char *func)
{
	(void)a;
	return btf_func(b, func);
}

void kfunc_typed(struct fetch *f, unsigned n, struct fetch_val *v)
{
	const struct kfunc *k = f->t->priv;
	const struct btf *b;
	uint32_t proto = proto_of(f, &b);
	const char *name;

	if (!n) {
		if (proto)
			v->btf = btf_return(b, proto);
		if (f->t->btf_args)
			v->ktext = "$retval";
		return;
	}
	if (!proto || n + k->skip > btf_nparams(b, proto))
		return;
	v->btf = btf_param(b, proto, n + k->skip - 1, &name);
	if (f->t->btf_args && *name)
		v->ktext = arena_strdup(f->ck->a, name);
}

int kfunc_param(struct fetch *f, const char *name, struct span at, struct fetch_val *v)
{
	const struct kfunc *k = f->t->priv;
	const struct btf *b;
	uint32_t proto = proto_of(f, &b), type;
	const char *s;

	if (!proto && f->t->btf_args && strcmp(name, "comm") != 0) { /* the kernel may know it */
		fetch_leaf(v, arena_strdup(f->ck->a, name), at);
		v->ktext = v->tok;
		v->opaque = true;
		return 0;
	}
	for (unsigned i = k->skip; proto && i < btf_nparams(b, proto); i++) {
		type = btf_param(b, proto, i, &s);
		if (strcmp(s, name) != 0)
			continue;
		if (f->t->btf_args)
			fetch_leaf(v, arena_strdup(f->ck->a, name), at);
		else if (f->t->no_args)
			return -1;
		else
			fetch_leaf(v, arena_printf(f->ck->a, "$arg%u", i + 1 - k->skip), at);
		fetch_set_btf(f, v, b, type);
		v->decays = false;
		v->ktext = f->t->btf_args ? v->tok : NULL;
		return 0;
	}
	return -1;
}

void kfunc_params(struct fetch *f, void (*add)(void *arg, const char *name), void *arg)
{
	const struct kfunc *k = f->t->priv;
	const struct btf *b;
	uint32_t proto = proto_of(f, &b);
	const char *s;

	for (unsigned i = k->skip; proto && i < btf_nparams(b, proto); i++) {
		btf_param(b, proto, i, &s);
		if (*s)
			add(arg, s);
	}
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
	priv->proto = kfunc_proto;
	/* arguments are where the calling convention has them only at the beginning */
	t->btf_args = !off && caps_has(catalog_caps(ck->c), CAP_BTF_ARGS);
	if (off)
		t->typed = NULL, t->name = NULL, t->list = NULL;
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
			    : func,
			!k->kernel_glob);
	if (probe_needs(ck, n, k->cap))
		return NULL;
	src = probe_src(ck, n, k->kind);
	if (io_has_glob(func) && k->kernel_glob)
		rc = add(ck, src, n, k, func, 0, at);
	else if (io_has_glob(func))
		rc = add_glob(ck, src, n, k, func, at);
	else
		rc = look_up(ck, func, at) || add(ck, src, n, k, func, off, at);
	return rc ? NULL : src;
}
