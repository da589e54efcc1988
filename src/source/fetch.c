/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FETCH expressions to fetch arguments. An expression is a *value* (a token the kernel reads), an
 * *address* (a token and an offset, not read yet) or *memory* at such a place. Reading memory as a
 * pointer gives a value again: "+8($arg1)". Knows the kernel's syntax, not what a probe is.
 */
#include "source/fetch.h"
#include "source/fetch_types.h"

#include "check/checker.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define MAX_ARGS 128
#define MAX_NAME 31   /* MAX_ARG_NAME_LEN */
#define MAX_BYTES 64  /* MAX_ARRAY_LEN */
#define MAX_TEXT 4000 /* a command line is < 4096 */

static int eval(struct fetch *f, const struct node *n, struct fetch_val *v);

static void bad(struct fetch *f, struct span at, const char *msg, const char *hint)
{
	struct diag *g = diag_error(f->ck->d, "bad-arguments", at, "%s", msg);

	if (hint)
		diag_hint(f->ck->d, g, "%s", hint);
}

/* ---- values ---- */

void fetch_leaf(struct fetch_val *v, const char *tok, struct span at)
{
	memset(v, 0, sizeof(*v));
	v->how = FV_VALUE;
	v->tok = tok;
	v->leaf_len = strlen(tok);
	v->leaf = at;
}

static const char *deref(struct fetch *f, struct fetch_val *v)
{
	char *tok =
		arena_printf(f->ck->a, "%s%" PRId64 "(%s)", v->off < 0 ? "" : "+", v->off, v->tok);

	v->leaf_off += strcspn(tok, "(") + 1;
	return tok;
}

/* The pointer that is to be followed: memory is read first, unless it is the thing itself. */
int fetch_address(struct fetch *f, struct fetch_val *v, struct span at)
{
	if (v->how == FV_VALUE || v->how == FV_ADDR || v->decays) {
		v->how = FV_ADDR;
		return 0;
	}
	if (v->opaque && v->btf) {
		bad(f, at, "a structure is no address", "name one of its members");
		return -1;
	}
	if (v->size != f->long_size) {
		bad(f, at, "only a pointer-sized value can be an address",
		    f->long_size == 8 ? "read it with u64(...)" : "read it with u32(...)");
		return -1;
	}
	if (v->ktext) {
		v->tok = v->ktext;
		v->leaf_off = 0;
		v->leaf_len = strlen(v->tok);
		v->leaf = at;
	} else {
		v->tok = deref(f, v);
	}
	v->off = 0;
	v->how = FV_ADDR;
	return 0;
}

static int name(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	const char *s = n->str, *tok = NULL;
	unsigned k = 0;
	struct diag *g;

	if (strncmp(s, "arg", 3) == 0 && isdigit((unsigned char)s[3]) && s[3] != '0') {
		for (const char *p = s + 3; isdigit((unsigned char)*p) && k < 1000; p++)
			k = k * 10 + (unsigned)(*p - '0');
		if (f->t->no_args) {
			g = diag_error(f->ck->d, "bad-arguments", n->span, "%s has no '%s'",
				       f->t->what, s);
			diag_hint(f->ck->d, g, "%s", f->t->no_args);
			return -1;
		}
		if (f->t->argument)
			return f->t->argument(f, k, n->span, v);
		tok = f->t->arg ? f->t->arg(f, k, n->span) : arena_printf(f->ck->a, "$arg%u", k);
		if (!tok)
			return -1;
	} else if (strcmp(s, "retval") == 0) {
		if (!f->t->retval) {
			g = diag_error(f->ck->d, "bad-arguments", n->span, "%s has no 'retval'",
				       f->t->what);
			diag_hint(f->ck->d, g,
				  "kretprobe:, fexit: and uretprobe: see a function's end");
			return -1;
		}
		tok = "$retval";
	}
	if (tok) {
		fetch_leaf(v, tok, n->span);
		if (f->t->typed)
			f->t->typed(f, k, v);
		return 0;
	}
	if (f->t->name) {
		int rc = f->t->name(f, s, n->span, v);

		if (rc >= 0)
			return rc ? -1 : 0;
	}
	if (strcmp(s, "comm") == 0) {
		fetch_leaf(v, "$comm", n->span);
		v->type = fetch_type(f->ck->a, "string", f->long_size);
		return 0;
	}
	fetch_no_name(f, s, n->span);
	return -1;
}

struct hints {
	struct checker *ck;
	const char **v;
	size_t n;
};

static void add_hint(void *arg, const char *s)
{
	struct hints *h = arg;

	ARENA_PUSH(h->ck->a, h->v, h->n, arena_strdup(h->ck->a, s));
}

void fetch_no_name(struct fetch *f, const char *word, struct span at)
{
	struct hints h = {.ck = f->ck};
	struct diag *g = diag_error(f->ck->d, "unknown-field", at, "%s has no '%s' to fetch",
				    f->t->what, word);

	if (f->t->list)
		f->t->list(f, add_hint, &h);
	add_hint(&h, "comm");
	if (f->t->retval)
		add_hint(&h, "retval");
	if (!diag_nearest(f->ck->d, g, word, h.v, h.n)) {
		if (!f->t->no_args)
			diag_hint(f->ck->d, g,
				  "arg1 .. argN, %scomm, stack(N), reg(NAME), sym(NAME), and "
				  "u64(E + 8), str(E), ustr(E), bytes(E, N) read through them",
				  f->t->retval ? "retval, " : "");
		else if (h.n > 1 && h.n < 40)
			diag_hint(f->ck->d, g, "its names are %s", fetch_join(f->ck->a, h.v, h.n));
	}
}

/* ---- calls ---- */

static int args(struct fetch *f, const struct node *n, size_t want, const char *usage)
{
	if (n->n == want)
		return 0;
	diag_error(f->ck->d, "bad-arguments", n->span, "it is %s", usage);
	return -1;
}

static const char *word_of(struct fetch *f, const struct node *n, const char *usage)
{
	if (n->kind == E_NAME)
		return n->str;
	if (n->kind == E_STRING && n->num && strlen(n->str) == n->num &&
	    !n->str[strcspn(n->str, " \t\n()")])
		return n->str;
	diag_error(f->ck->d, "bad-arguments", n->span, "it is %s", usage);
	return NULL;
}

static int mem(struct fetch *f, const struct node *n, const char *type, struct fetch_val *v)
{
	const struct fetch_type *t = fetch_type(f->ck->a, type, f->long_size);
	bool named;

	if (eval(f, n, v))
		return -1;
	/* an array of char by its name is that string already */
	named = v->decays && v->ktext && v->how == FV_MEM && strcmp(type, "string") == 0;
	if (!named && fetch_address(f, v, n->span))
		return -1;
	v->how = FV_MEM;
	v->type = t;
	v->size = t->size;
	v->decays = v->opaque = false;
	v->btf = 0;
	v->ktext = named ? v->ktext : NULL;
	return 0;
}

static int call_stack(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	uint64_t k;

	if (!f->t->stack) {
		diag_error(f->ck->d, "bad-arguments", n->span, "%s has no stack to read",
			   f->t->what);
		return -1;
	}
	if (args(f, n, 1, "stack(N)") || check_uint(f->ck, n->kids[0], "stack", 0, 1023, &k))
		return -1;
	fetch_leaf(v, arena_printf(f->ck->a, "$stack%u", (unsigned)k), n->span);
	return 0;
}

static int call_reg(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	const char *w;

	if (!f->t->regs) {
		diag_error(f->ck->d, "bad-arguments", n->span, "%s has no registers to read",
			   f->t->what);
		return -1;
	}
	if (args(f, n, 1, "reg(NAME)") || !(w = word_of(f, n->kids[0], "reg(NAME)")))
		return -1;
	fetch_leaf(v, arena_printf(f->ck->a, "%%%s", w), n->span);
	return 0;
}

static int call_sym(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	const char *w;

	if (f->t->user) {
		diag_error(f->ck->d, "bad-arguments", n->span,
			   "%s cannot read a symbol of the kernel", f->t->what);
		return -1;
	}
	if (args(f, n, 1, "sym(NAME)") || !(w = word_of(f, n->kids[0], "sym(NAME)")))
		return -1;
	fetch_leaf(v, arena_printf(f->ck->a, "@%s", w), n->span);
	return 0;
}

static int call_raw(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	const char *t = n->n == 1 && n->kids[0]->kind == E_STRING ? n->kids[0]->str : NULL;
	const char *colon, *eq;

	if (!t || !n->kids[0]->num || strlen(t) != n->kids[0]->num || t[strcspn(t, "\n\t ")]) {
		bad(f, n->span, "it is raw \"TEXT\", one fetch argument without spaces", NULL);
		return -1;
	}
	eq = strchr(t, '=');
	if (eq) /* NAME=...: fetch_one() takes the name */
		t = eq + 1;
	colon = strrchr(t, ':');
	fetch_leaf(v, colon ? arena_strndup(f->ck->a, t, (size_t)(colon - t)) : t, n->span);
	v->raw = true;
	if (colon) {
		v->type = fetch_type(f->ck->a, colon + 1, f->long_size);
		if (!v->type) {
			diag_error(f->ck->d, "bad-arguments", n->span, "'%s' is no type of a fetch",
				   colon + 1);
			return -1;
		}
	} else if (strcmp(t, "$comm") == 0 || strcmp(t, "$COMM") == 0) {
		v->type = fetch_type(f->ck->a, "string", f->long_size);
	}
	return 0;
}

static int call_bytes(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	uint64_t k;

	if (args(f, n, 2, "bytes(E, N)") ||
	    check_uint(f->ck, n->kids[1], "bytes", 1, MAX_BYTES, &k))
		return -1;
	return mem(f, n->kids[0], arena_printf(f->ck->a, "x8[%u]", (unsigned)k), v);
}

static int call(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	static const struct {
		const char *name;
		int (*fn)(struct fetch *f, const struct node *n, struct fetch_val *v);
	} calls[] = {{"stack", call_stack},
		     {"reg", call_reg},
		     {"sym", call_sym},
		     {"raw", call_raw},
		     {"bytes", call_bytes}};
	static const char *const names[] = {"u8",  "u16",   "u32", "u64",   "s8",
					    "s16", "s32",   "s64", "str",   "ustr",
					    "sym", "bytes", "raw", "stack", "reg"};
	struct diag *g;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(n->str, calls[i].name) == 0)
			return calls[i].fn(f, n, v);
	}
	for (size_t i = 0; i < 8; i++) {
		if (strcmp(n->str, names[i]) == 0)
			return args(f, n, 1, "one address, as in u32(arg1 + 8)")
				       ? -1
				       : mem(f, n->kids[0], n->str, v);
	}
	if (strcmp(n->str, "str") == 0 || strcmp(n->str, "ustr") == 0)
		return args(f, n, 1, "one address, as in str(arg1)")
			       ? -1
			       : mem(f, n->kids[0],
				     *n->str == 'u' && !f->t->user ? "ustring" : "string", v);
	g = diag_error(f->ck->d, "unknown-function", n->span, "a fetch has no function '%s'",
		       n->str);
	if (!diag_nearest(f->ck->d, g, n->str, names, sizeof(names) / sizeof(names[0])))
		diag_hint(f->ck->d, g, "what is recorded can be computed with in the stages");
	return -1;
}

/* ---- the rest ---- */

static int plus(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	int64_t k;
	int sign = *n->str == '-' ? -1 : 1;

	if ((strcmp(n->str, "+") != 0 && strcmp(n->str, "-") != 0)) {
		bad(f, n->span, "a fetch can only add to an address",
		    "what is recorded can be computed with in the stages");
		return -1;
	}
	if (eval(f, n->kids[0], v) || fetch_address(f, v, n->kids[0]->span) ||
	    check_int(f->ck, n->kids[1], "offset", &k))
		return -1;
	if (k > INT32_MAX || k < INT32_MIN || v->off + sign * k > INT32_MAX ||
	    v->off + sign * k < INT32_MIN) {
		diag_error(f->ck->d, "bad-value", n->kids[1]->span,
			   "an offset is at most 2 GiB away");
		return -1;
	}
	v->off += sign * k;
	v->decays = v->opaque = false;
	v->btf = 0;
	v->ktext = NULL;
	return 0;
}

static int eval(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	memset(v, 0, sizeof(*v));
	switch (n->kind) {
	case E_NAME: return name(f, n, v);
	case E_CALL: return call(f, n, v);
	case E_BINARY: return plus(f, n, v);
	case E_DOT:
	case E_ARROW: return fetch_member(f, n, v, eval);
	case E_NUM:
	case E_UNARY: {
		int64_t k;

		if (check_int(f->ck, n, "constant", &k))
			return -1;
		fetch_leaf(v, arena_printf(f->ck->a, "\\%" PRId64, k), n->span);
		return 0;
	}
	default: break;
	}
	bad(f, n->span, "this cannot be fetched",
	    "what is recorded can be computed with in the stages");
	return -1;
}

/* ---- one argument ---- */

static int final_text(struct fetch *f, struct fetch_val *v, struct span at)
{
	if (v->opaque && !v->type) {
		bad(f, at,
		    v->btf ? "a structure cannot be recorded"
			   : "of what type this is, is not known here",
		    v->btf ? "name one of its members"
			   : "say it, as in `x = E: s32`, or read it with str(E)");
		return -1;
	}
	if (v->ktext && v->how == FV_MEM) {
		v->tok = v->ktext;
		v->leaf_off = 0;
		v->leaf_len = strlen(v->tok);
		v->leaf = at;
		return 0;
	}
	if (v->how == FV_VALUE || (v->how == FV_ADDR && v->off == 0)) {
		if (!v->type)
			v->type = fetch_type(f->ck->a, f->long_size == 8 ? "u64" : "u32",
					     f->long_size);
		return 0;
	}
	if (v->how == FV_ADDR) {
		bad(f, at, "an address with an offset is not recorded, only what lies there",
		    "u64(E + 8) reads there; the offset can be added in the stages");
		return -1;
	}
	v->tok = deref(f, v);
	v->off = 0;
	return 0;
}

static bool good_name(const char *s)
{
	static const char *const taken[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip",   "__probe_ret_ip",       "__probe_func"};

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		if (strcmp(s, taken[i]) == 0)
			return false;
	}
	return strlen(s) <= MAX_NAME;
}

static const char *arg_name(struct fetch *f, const struct node *n)
{
	const struct node *e = n->kids[0]->kind == E_TYPED ? n->kids[0]->kids[0] : n->kids[0];
	const char *raw = e->kind == E_CALL && !strcmp(e->str, "raw") && e->n == 1 &&
					  e->kids[0]->kind == E_STRING
				  ? e->kids[0]->str
				  : "";
	size_t eq = strcspn(raw, "=");

	if (n->str)
		return n->str;
	if (raw[eq])
		return arena_strndup(f->ck->a, raw, eq);
	return arena_printf(f->ck->a, "arg%zu", f->nnames + 1); /* the kernel's own choice */
}

static const struct fetch_type *typed(struct fetch *f, const struct node *n)
{
	const struct fetch_type *t = fetch_type(f->ck->a, n->str, f->long_size);
	struct span at = n->span;
	struct diag *g;

	if (t)
		return t;
	if (at.len > strlen(n->str)) {
		at.off += at.len - (uint32_t)strlen(n->str);
		at.len = (uint32_t)strlen(n->str);
	}
	g = diag_error(f->ck->d, "bad-type", at, "'%s' is no type of a fetch", n->str);
	diag_hint(f->ck->d, g,
		  "u8 u16 u32 u64, s8 .. s64, x8 .. x64, sym, symstr, str, ustr, char, and "
		  "arrays of these as x8[16]");
	return NULL;
}

static int add_name(struct fetch *f, const struct node *n, const struct fetch_type *t)
{
	struct probe_name p = {.name = arg_name(f, n)};
	struct diag *g;

	if (!good_name(p.name)) {
		g = diag_error(f->ck->d, "bad-value", n->span, "'%s' cannot be a field of a probe",
			       p.name);
		diag_hint(f->ck->d, g, "%s",
			  strlen(p.name) > MAX_NAME ? "the kernel takes 31 characters"
						    : "the name is the kernel's own");
		return -1;
	}
	for (size_t i = 0; i < f->nnames; i++) {
		if (strcmp(f->names[i].name, p.name) == 0) {
			diag_error(f->ck->d, "duplicate-name", n->span,
				   "this probe has a '%s' already", p.name);
			return -1;
		}
	}
	if (f->nnames == MAX_ARGS) {
		diag_error(f->ck->d, "bad-arguments", n->span, "a probe has at most %d arguments",
			   MAX_ARGS);
		return -1;
	}
	p.typed = t != NULL;
	if (t) {
		p.type = t->type;
		p.sym = t->sym;
	}
	ARENA_PUSH(f->ck->a, f->names, f->nnames, p);
	return 0;
}

static void put_text(struct fetch *f, const char *nm, const struct fetch_val *v, struct span at)
{
	struct probe_place leaf = {.len = v->leaf_len, .span = v->leaf}, all = {.span = at};

	all.off = f->text.len + 1;
	buf_printf(&f->text, " %s=", nm);
	leaf.off = f->text.len + v->leaf_off;
	buf_printf(&f->text, "%s:%s", v->tok, v->type->kernel);
	all.len = f->text.len - all.off;
	if (leaf.len)
		ARENA_PUSH(f->ck->a, f->places, f->nplaces, leaf);
	ARENA_PUSH(f->ck->a, f->places, f->nplaces, all);
}

static int one(struct fetch *f, const struct node *n)
{
	const struct node *e = n->kids[0];
	const struct fetch_type *t = NULL;
	struct field fd = {0};
	struct fetch_val v;

	if (e->kind == E_TYPED) {
		t = typed(f, e);
		e = e->kids[0];
		if (!t)
			return -1;
	}
	if (eval(f, e, &v) || (t && fetch_retype(f, &v, t, n->kids[0]->span)))
		return -1;
	if (final_text(f, &v, e->span) || add_name(f, n, v.type))
		return -1;
	fetch_field(&fd, f->names[f->nnames - 1].name, v.type);
	fd.offset = f->size;
	f->size += fd.size;
	ARENA_PUSH(f->ck->a, f->fields, f->nfields, fd);
	put_text(f, fd.name, &v, n->span);
	if (f->text.len > MAX_TEXT) {
		diag_error(f->ck->d, "bad-arguments", n->span,
			   "the kernel takes no definition longer than 4095 bytes");
		return -1;
	}
	return 0;
}

int fetch_list(struct fetch *f, const struct node *n)
{
	int rc = 0;

	for (size_t i = 0; i < n->n; i++) {
		if (n->kids[i]->kind == N_FETCH)
			rc |= one(f, n->kids[i]);
	}
	return rc;
}

int fetch_names(struct fetch *f, const struct node *n)
{
	int rc = 0;

	for (size_t i = 0; i < n->n; i++) {
		const struct node *k = n->kids[i], *e = k->kids[0];
		const struct fetch_type *t = NULL;

		if (k->kind != N_FETCH)
			continue;
		if (e->kind == E_TYPED && !(t = typed(f, e)))
			rc = -1;
		else
			rc |= add_name(f, k, t);
	}
	return rc;
}
