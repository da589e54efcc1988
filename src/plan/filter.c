/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions to filter texts. The kernel compares a field with a constant, in the field's own type:
 * so a constant that does not fit that type, two fields, arithmetic and regular expressions stay
 * with the engine. Knows no files and no triggers.
 */
#include "plan/filter.h"

#include <string.h>

#define MAX_OPERAND 255
#define MAX_TEXT 4000 /* the kernel takes 4096 */

void ptext_put(struct ptext *t, struct span at, const char *s)
{
	struct text_map m = {.off = t->b.len, .len = strlen(s), .span = at};

	buf_puts(&t->b, s);
	if (at.src)
		ARENA_PUSH(t->a, t->map, t->nmap, m);
}

static void back(struct ptext *t, size_t len, size_t nmap)
{
	if (t->b.p) {
		t->b.len = len;
		t->b.p[len] = '\0';
	}
	t->nmap = nmap;
}

/* ---- numbers ---- */

static bool fits(const struct kname *n, __int128 v)
{
	unsigned bits = n->size * 8;
	__int128 one = 1;

	if (n->is_signed)
		return v >= -(one << (bits - 1)) && v < one << (bits - 1);
	return v >= 0 && v < one << bits;
}

static bool constant(const struct expr *e, __int128 *v)
{
	if (e->op != XO_NUM || e->type.kind == T_DEC)
		return false;
	*v = e->type.sign == SG_UNSIGNED ? (__int128)e->num : (__int128)(int64_t)e->num;
	return true;
}

static void put_compare(struct ptext *t, struct span at, const struct kname *n, const char *op,
			__int128 v)
{
	char *s = n->is_signed
			  ? arena_printf(t->a, "%s %s %lld", n->name, op, (long long)v)
			  : arena_printf(t->a, "%s %s %llu", n->name, op, (unsigned long long)v);

	ptext_put(t, at, s);
}

/* field & bits, all of them set (@want) or none */
static void put_bits(struct ptext *t, struct span at, const struct kname *n, uint64_t bits,
		     bool set)
{
	if (!set) {
		ptext_put(t, at,
			  arena_printf(t->a, "!(%s & 0x%llx)", n->name, (unsigned long long)bits));
		return;
	}
	for (bool first = true; bits; bits &= bits - 1, first = false)
		ptext_put(t, at,
			  arena_printf(t->a, "%s%s & 0x%llx", first ? "" : " && ", n->name,
				       (unsigned long long)(bits & -bits)));
}

static const char *compare_op(enum xop op, bool swapped)
{
	switch (op) {
	case XO_EQ:
	case XO_SEQ: return "==";
	case XO_NE:
	case XO_SNE: return "!=";
	case XO_LT: return swapped ? ">" : "<";
	case XO_LE: return swapped ? ">=" : "<=";
	case XO_GT: return swapped ? "<" : ">";
	case XO_GE: return swapped ? "<=" : ">=";
	case XO_GLOB: return "~";
	default: return NULL;
	}
}

static bool number_leaf(struct knames *k, const struct expr *e, struct kname *n)
{
	return k->leaf(k, e, n) && !n->str && n->size <= 8;
}

/* field & CONSTANT */
static bool masked_leaf(struct knames *k, const struct expr *e, struct kname *n, uint64_t *bits)
{
	__int128 v;

	if (e->op != XO_AND || e->n != 2)
		return false;
	if (constant(e->kids[1], &v))
		e = e->kids[0];
	else if (constant(e->kids[0], &v))
		e = e->kids[1];
	else
		return false;
	*bits = (uint64_t)v;
	return v > 0 && number_leaf(k, e, n) && fits(n, v);
}

static bool compare(struct knames *k, const struct expr *e, struct ptext *t)
{
	const struct expr *l = e->kids[0], *r = e->kids[1];
	bool swapped = l->op == XO_NUM;
	struct kname n;
	uint64_t bits;
	__int128 v;

	if (swapped) {
		l = e->kids[1];
		r = e->kids[0];
	}
	if (!constant(r, &v))
		return false;
	if (v == 0 && (e->op == XO_EQ || e->op == XO_NE) && masked_leaf(k, l, &n, &bits)) {
		/* any of the bits: one `&` of the filter */
		ptext_put(t, e->span,
			  arena_printf(t->a, e->op == XO_EQ ? "!(%s & 0x%llx)" : "%s & 0x%llx",
				       n.name, (unsigned long long)bits));
		return true;
	}
	if (!number_leaf(k, l, &n) || !fits(&n, v))
		return false;
	put_compare(t, e->span, &n, compare_op(e->op, swapped), v);
	return true;
}

/* ---- strings ---- */

static const char *quoted(struct arena *a, const char *s, size_t len)
{
	char q = memchr(s, '"', len) ? '\'' : '"';

	if (!len || len >= MAX_OPERAND || memchr(s, q, len))
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return NULL;
	}
	return arena_printf(a, "%c%.*s%c", q, (int)len, s, q);
}

static bool compare_str(struct knames *k, const struct expr *e, struct ptext *t)
{
	const struct expr *l = e->kids[0];
	bool glob = e->op == XO_GLOB || e->op == XO_NGLOB;
	const char *s = e->str, *q;
	size_t len = s ? strlen(s) : 0;
	struct kname n;

	if (!glob) {
		const struct expr *r = e->kids[1];

		if (l->op == XO_STR) {
			l = e->kids[1];
			r = e->kids[0];
		}
		if (r->op != XO_STR)
			return false;
		s = r->str;
		len = r->len;
	}
	/* the kernel's patterns know more than ours */
	if (!s || (glob && strpbrk(s, "[]\\!")) || memchr(s, '\\', len))
		return false;
	q = quoted(t->a, s, len);
	if (!q || !k->leaf(k, l, &n) || !n.str)
		return false;
	if (e->op == XO_NGLOB)
		ptext_put(t, e->span, arena_printf(t->a, "!(%s ~ %s)", n.name, q));
	else
		ptext_put(t, e->span,
			  arena_printf(t->a, "%s %s %s", n.name, compare_op(e->op, false), q));
	return true;
}

/* ---- names of values ---- */

static bool named(struct knames *k, const struct expr *e, struct ptext *t)
{
	uint64_t v, mask, full;
	struct kname n;

	if (!number_leaf(k, e->kids[0], &n) || !n.f || !field_symvalue(n.f, e->str, &v, &mask))
		return false;
	full = n.size == 8 ? UINT64_MAX : (1ull << (8 * n.size)) - 1;
	v &= full;
	mask &= full;
	/* bits of a signed field beyond the largest value cannot be written */
	if (n.is_signed && (mask >> (8 * n.size - 1)) && mask != full)
		return false;
	if (e->op == XO_SYMNE)
		buf_puts(&t->b, "!(");
	if (e->op == XO_HAS && v) {
		put_bits(t, e->span, &n, v, true);
	} else if (mask == full) {
		if (!fits(&n, (__int128)v))
			return false;
		put_compare(t, e->span, &n, "==", (__int128)v);
	} else {
		if (v)
			put_bits(t, e->span, &n, v, true);
		if (v && (mask & ~v))
			buf_puts(&t->b, " && ");
		if (mask & ~v)
			put_bits(t, e->span, &n, mask & ~v, false);
	}
	if (e->op == XO_SYMNE)
		buf_putc(&t->b, ')');
	return true;
}

/* ---- the tree ---- */

static bool say(struct knames *k, const struct expr *e, struct ptext *t);

static bool joined(struct knames *k, const struct expr *e, struct ptext *t, const char *op)
{
	buf_putc(&t->b, '(');
	for (unsigned i = 0; i < e->n; i++) {
		if (i)
			buf_puts(&t->b, op);
		if (!say(k, e->kids[i], t))
			return false;
	}
	buf_putc(&t->b, ')');
	return true;
}

static bool in_list(struct knames *k, const struct expr *e, struct ptext *t)
{
	struct expr one = {.span = e->span, .n = 2};
	struct expr *kids[2] = {e->kids[0]};

	one.kids = kids;
	buf_putc(&t->b, '(');
	for (unsigned i = 1; i < e->n; i++) {
		kids[1] = e->kids[i];
		one.op = e->kids[i]->op == XO_STR ? XO_SEQ : XO_EQ;
		if (i > 1)
			buf_puts(&t->b, " || ");
		if (!(one.op == XO_SEQ ? compare_str(k, &one, t) : compare(k, &one, t)))
			return false;
	}
	buf_putc(&t->b, ')');
	return e->n > 1;
}

static bool say(struct knames *k, const struct expr *e, struct ptext *t)
{
	struct kname n;
	uint64_t bits;

	switch (e->op) {
	case XO_LAND: return joined(k, e, t, " && ");
	case XO_LOR: return joined(k, e, t, " || ");
	case XO_NOT:
		buf_puts(&t->b, "!(");
		if (!say(k, e->kids[0], t))
			return false;
		buf_putc(&t->b, ')');
		return true;
	case XO_EQ:
	case XO_NE:
	case XO_LT:
	case XO_LE:
	case XO_GT:
	case XO_GE: return compare(k, e, t);
	case XO_SEQ:
	case XO_SNE:
	case XO_GLOB:
	case XO_NGLOB: return compare_str(k, e, t);
	case XO_SYMEQ:
	case XO_SYMNE:
	case XO_HAS: return named(k, e, t);
	case XO_IN: return in_list(k, e, t);
	case XO_AND:
		if (!masked_leaf(k, e, &n, &bits))
			return false;
		ptext_put(t, e->span,
			  arena_printf(t->a, "%s & 0x%llx", n.name, (unsigned long long)bits));
		return true;
	case XO_FIELD:
	case XO_SLOT:
	case XO_BUILTIN:
		if (!number_leaf(k, e, &n))
			return false;
		put_compare(t, e->span, &n, "!=", 0);
		return true;
	default: return false;
	}
}

bool filter_all(struct knames *k, const struct expr *e, struct ptext *t)
{
	size_t len = t->b.len, nmap = t->nmap;

	if (say(k, e, t) && t->b.len < MAX_TEXT)
		return true;
	back(t, len, nmap);
	return false;
}

bool filter_some(struct knames *k, const struct expr *e, struct ptext *t)
{
	size_t len = t->b.len, nmap = t->nmap;
	bool all = true;

	if (e->op == XO_LAND) {
		for (unsigned i = 0; i < e->n; i++)
			all &= filter_some(k, e->kids[i], t);
		return all;
	}
	if (len)
		buf_puts(&t->b, " && ");
	if (filter_all(k, e, t))
		return true;
	back(t, len, nmap);
	return false;
}

/* ---- an event's own fields ---- */

bool event_leaf(struct event *ev, const struct expr *e, struct kname *out)
{
	const struct field *f = NULL;

	*out = (struct kname){0};
	if (e->op == XO_FIELD)
		f = event_field(ev, e->str);
	else if (e->op != XO_BUILTIN)
		return false;
	if (!f && e->builtin == BI_TID)
		f = event_field(ev, "common_pid");
	if (f) {
		out->name = f->name;
		out->f = f;
		out->is_signed = f->is_signed;
		out->size = f->size;
		out->str = f->kind == FK_STRING || f->kind == FK_DYN;
		return out->str || f->kind == FK_INT;
	}
	/* names that no field can have */
	if (e->builtin == BI_CPU) {
		*out = (struct kname){.name = "CPU", .size = 4, .is_signed = false};
		return true;
	}
	if (e->builtin == BI_COMM) {
		*out = (struct kname){.name = "COMM", .str = true};
		return true;
	}
	return false;
}

static bool own_leaf(struct knames *k, const struct expr *e, struct kname *out)
{
	return event_leaf(((struct event_names *)k)->ev, e, out);
}

struct event_names event_names(struct event *ev)
{
	return (struct event_names){.k = {.leaf = own_leaf}, .ev = ev};
}
