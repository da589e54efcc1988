/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Members: `E->m` and `E.m`. Their places come from BTF; where the kernel takes names itself
 * (BTF arguments) it is given the names, so that a plan fits another build of the kernel too.
 */
#include "source/fetch_types.h"

#include "catalog/btf.h"
#include "check/checker.h"

#include <string.h>

const struct btf *fetch_btf(struct fetch *f, const char **why)
{
	return f->t->user ? NULL : catalog_btf(f->ck->c, why);
}

/* ---- what a BTF type is as a fetch type ---- */

static const struct fetch_type *int_type(struct fetch *f, uint32_t size, bool sign)
{
	return fetch_type(f->ck->a, arena_printf(f->ck->a, "%c%u", sign ? 's' : 'u', size * 8),
			  f->long_size);
}

void fetch_set_btf(struct fetch *f, struct fetch_val *v, const struct btf *b, uint32_t type)
{
	struct btf_info in, el;

	btf_info(b, type, &in);
	v->btf = type;
	v->type = NULL;
	v->decays = in.what == BTF_CHARS || in.what == BTF_ARRAY;
	v->size = in.size;
	switch (in.what) {
	case BTF_INT: v->type = int_type(f, in.size, in.is_signed); break;
	case BTF_POINTER:
		v->size = f->long_size;
		v->type = fetch_type(f->ck->a, f->long_size == 8 ? "x64" : "x32", f->long_size);
		break;
	case BTF_CHARS: v->type = fetch_type(f->ck->a, "string", f->long_size); break;
	case BTF_ARRAY:
		btf_info(b, in.target, &el);
		if (el.what == BTF_INT && in.nelem && in.nelem <= 64)
			v->type = fetch_type(f->ck->a,
					     arena_printf(f->ck->a, "%c%u[%u]",
							  el.is_signed ? 's' : 'u', el.size * 8,
							  in.nelem),
					     f->long_size);
		break;
	case BTF_STRUCT:
	case BTF_UNKNOWN: break;
	}
	v->opaque = !v->type;
}

/* ---- members ---- */

struct names {
	struct arena *a;
	const char **v;
	size_t n;
};

static void add(void *arg, const char *s)
{
	struct names *l = arg;

	ARENA_PUSH(l->a, l->v, l->n, s);
}

static struct span member_place(const struct node *n)
{
	struct span at = n->span;
	uint32_t len = (uint32_t)strlen(n->str);

	if (at.len > len) {
		at.off += at.len - len;
		at.len = len;
	}
	return at;
}

static const char *describe(struct fetch *f, const struct btf *b, uint32_t type)
{
	struct btf_info in;

	btf_info(b, type, &in);
	switch (in.what) {
	case BTF_STRUCT:
		return *in.name ? arena_printf(f->ck->a, "a struct %s", in.name) : "a struct";
	case BTF_POINTER: return "a pointer";
	case BTF_INT: return "a number";
	case BTF_CHARS: return "a string";
	case BTF_ARRAY: return "an array";
	case BTF_UNKNOWN: break;
	}
	return "of no known type";
}

static int no_member(struct fetch *f, const struct node *n, const struct btf *b, uint32_t type)
{
	struct names l = {.a = f->ck->a};
	struct btf_info in;
	struct diag *g;

	btf_info(b, type, &in);
	g = diag_error(f->ck->d, "unknown-field", member_place(n), "struct %s has no member '%s'",
		       *in.name ? in.name : "without a name", n->str);
	btf_members(b, type, add, &l);
	if (!diag_nearest(f->ck->d, g, n->str, l.v, l.n) && l.n && l.n <= 16)
		diag_hint(f->ck->d, g, "its members are %s", fetch_join(f->ck->a, l.v, l.n));
	return -1;
}

static int not_known(struct fetch *f, const struct node *n, const char *why)
{
	struct diag *g = diag_error(f->ck->d, "unsupported", n->span,
				    "where '%s' lies is not known here", n->str);

	if (f->t->user) {
		diag_hint(f->ck->d, g,
			  "members of a program's structures are read by their offset: "
			  "u64(arg1 + 8)");
		return -1;
	}
	g->note = arena_printf(
		f->ck->a, "it needs types of the kernel (%s), CONFIG_DEBUG_INFO_BTF gives them",
		why);
	diag_hint(f->ck->d, g,
		  "give a BTF file of this kernel with --btf FILE, or the offset: "
		  "u64(arg1 + 8)");
	return -1;
}

/* The bits of a container as wide as the type, where they lie. */
static int bits(struct fetch *f, const struct node *n, struct fetch_val *v, const struct btf *b,
		const struct btf_member *m)
{
	struct btf_info in;
	uint32_t width, from = m->bit_off;

	btf_info(b, m->type, &in);
	width = in.size * 8;
	if (in.what != BTF_INT || !width || from % width + m->bit_size > width) {
		diag_error(f->ck->d, "bad-type", n->span, "bitfield '%s' cannot be fetched",
			   n->str);
		return -1;
	}
	v->off += from / width * in.size;
	v->size = in.size;
	v->decays = false;
	v->btf = 0;
	v->ktext = NULL;
	v->type = fetch_type(f->ck->a,
			     arena_printf(f->ck->a, "b%u@%u/%u", m->bit_size, from % width, width),
			     f->long_size);
	return 0;
}

static int known(struct fetch *f, const struct node *n, struct fetch_val *v, const struct btf *b)
{
	struct btf_member m;
	struct btf_info in;
	uint32_t type = v->btf;

	if (n->kind == E_ARROW) {
		btf_info(b, type, &in);
		type = in.what == BTF_POINTER || in.what == BTF_ARRAY ? in.target : 0;
		btf_info(b, type, &in);
		if (in.what != BTF_STRUCT) {
			struct diag *g = diag_error(f->ck->d, "bad-type", n->span,
						    "no members behind '->%s': it is %s", n->str,
						    describe(f, b, v->btf));

			btf_info(b, v->btf, &in);
			if (in.what == BTF_STRUCT)
				diag_hint(f->ck->d, g, "a member of a struct itself: .%s", n->str);
			return -1;
		}
		if (v->decays) /* of an array the kernel takes no element by its name */
			v->ktext = NULL;
		if (fetch_address(f, v, n->kids[0]->span))
			return -1;
		v->how = FV_MEM;
	} else {
		btf_info(b, type, &in);
		if (in.what != BTF_STRUCT || v->how != FV_MEM) {
			struct diag *g = diag_error(f->ck->d, "bad-type", n->span,
						    "no members behind '.%s': it is %s", n->str,
						    describe(f, b, type));

			if (in.what == BTF_POINTER)
				diag_hint(f->ck->d, g, "through a pointer: ->%s", n->str);
			return -1;
		}
	}
	if (btf_member(b, type, n->str, &m))
		return no_member(f, n, b, type);
	if (v->ktext)
		v->ktext = arena_printf(f->ck->a, "%s%s%s", v->ktext,
					n->kind == E_ARROW ? "->" : ".", n->str);
	if (m.bit_size)
		return bits(f, n, v, b, &m);
	v->off += m.bit_off / 8;
	fetch_set_btf(f, v, b, m.type);
	return 0;
}

/* Without types of our own the kernel may still know them; what it is has to be said. */
static int by_kernel(struct fetch *f, const struct node *n, struct fetch_val *v)
{
	v->ktext =
		arena_printf(f->ck->a, "%s%s%s", v->ktext, n->kind == E_ARROW ? "->" : ".", n->str);
	v->how = FV_MEM;
	v->size = f->long_size;
	v->type = NULL;
	v->opaque = true;
	v->decays = false;
	return 0;
}

int fetch_member(struct fetch *f, const struct node *n, struct fetch_val *v,
		 int (*eval)(struct fetch *f, const struct node *n, struct fetch_val *v))
{
	const char *why = "";
	const struct btf *b = fetch_btf(f, &why);

	if (n->kind == E_DOT && (n->flags & NF_CALL)) {
		diag_error(f->ck->d, "bad-arguments", n->span,
			   "a member of a structure has no arguments");
		return -1;
	}
	if (eval(f, n->kids[0], v))
		return -1;
	if (b && v->btf)
		return known(f, n, v, b);
	if (v->ktext)
		return by_kernel(f, n, v);
	if (b) {
		struct diag *g = diag_error(f->ck->d, "bad-type", n->kids[0]->span,
					    "of what type this is, is not known");

		diag_hint(f->ck->d, g, "read by offset: u64(E + 8)");
		return -1;
	}
	return not_known(f, n, why);
}
