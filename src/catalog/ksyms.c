/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel symbols of an origin: kallsyms to a sorted table, made when first needed. */
#include "catalog/internal.h"

#include <stdlib.h>
#include <string.h>

struct raw_sym {
	uint64_t addr;
	const char *name;
	uint32_t len;
	char type;
};

/* "ffffffff81000000 T name\t[module]": false when the line is none, hidden (0) or a mapping symbol.
 */
static bool parse_line(const char *p, size_t n, struct raw_sym *s)
{
	const char *end = p + n;

	s->addr = 0;
	for (; p < end && *p != ' '; p++) {
		char c = *p;
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
						   : -1;

		if (digit < 0)
			return false;
		s->addr = s->addr << 4 | (unsigned)digit;
	}
	if (end - p < 4 || p[2] != ' ')
		return false;
	s->type = p[1];
	s->name = p + 3;
	for (p = s->name; p < end && *p != '\t' && *p != ' '; p++)
		;
	s->len = (uint32_t)(p - s->name);
	/* $a $d $t $x mark code and data on ARM; they would shadow functions */
	return s->addr && s->len && s->name[0] != '$';
}

/* Of several names at one address: functions before data, global before local, plain before dotted
 * or __-aliases. */
static int rank(const struct raw_sym *s)
{
	int r = 0;

	if (s->type != 't' && s->type != 'T' && s->type != 'w' && s->type != 'W')
		r += 8;
	if (memchr(s->name, '.', s->len))
		r += 4;
	if (s->name[0] == '_')
		r += 2;
	if (s->type == 't' || s->type == 'w')
		r += 1;
	return r;
}

static int by_addr(const void *a, const void *b)
{
	const struct raw_sym *x = a, *y = b;
	int d;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	d = rank(x) - rank(y);
	return d ? d : x->name < y->name ? -1 : x->name > y->name;
}

static int by_name(const void *a, const void *b)
{
	const struct ksym *const *x = a, *const *y = b;
	int d = strcmp((*x)->name, (*y)->name);

	return d ? d : (*x)->addr < (*y)->addr ? -1 : (*x)->addr > (*y)->addr;
}

static void load(struct origin *o)
{
	struct origin_priv *p = o->priv;
	struct raw_sym *v = NULL;
	size_t n = 0, cap = 0, len = 0;
	const char *text;

	if (p->syms_loaded)
		return;
	p->syms_loaded = true;
	text = origin_text(o, OT_KALLSYMS, &len);
	for (size_t i = 0; text && i < len;) {
		const char *nl = memchr(text + i, '\n', len - i);
		size_t ll = nl ? (size_t)(nl - text - i) : len - i;
		struct raw_sym s;

		if (parse_line(text + i, ll, &s)) {
			if (n == cap) {
				cap = cap ? cap * 2 : 4096;
				v = xrealloc(v, cap * sizeof(*v));
			}
			v[n++] = s;
		}
		i += ll + 1;
	}
	if (n)
		qsort(v, n, sizeof(*v), by_addr);
	p->syms = xcalloc(n + 1, sizeof(*p->syms));
	/* every name is kept for look-ups by name; by address the first of its rank answers */
	for (size_t i = 0; i < n; i++)
		p->syms[i] =
			(struct ksym){v[i].addr, arena_strndup(p->c->arena, v[i].name, v[i].len)};
	p->nsyms = n;
	free(v);
}

bool origin_ksym(struct origin *o, uint64_t addr, const char **name, uint64_t *off)
{
	struct origin_priv *p = o->priv;
	size_t lo = 0, hi;

	load(o);
	hi = p->nsyms;
	while (lo < hi) { /* the first symbol beyond addr */
		size_t mid = (lo + hi) / 2;

		if (p->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || (lo == p->nsyms && p->syms[lo - 1].addr != addr))
		return false; /* the last one has no known end */
	for (lo--; lo > 0 && p->syms[lo - 1].addr == p->syms[lo].addr; lo--)
		;
	*name = p->syms[lo].name;
	*off = addr - p->syms[lo].addr;
	return true;
}

uint64_t origin_kaddr(struct origin *o, const char *name)
{
	struct origin_priv *p = o->priv;
	size_t lo = 0, hi;

	load(o);
	if (!p->by_name) {
		p->by_name = xcalloc(p->nsyms + 1, sizeof(*p->by_name));
		for (size_t i = 0; i < p->nsyms; i++)
			p->by_name[i] = &p->syms[i];
		if (p->nsyms)
			qsort(p->by_name, p->nsyms, sizeof(*p->by_name), by_name);
	}
	hi = p->nsyms;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		int d = strcmp(p->by_name[mid]->name, name);

		if (d < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->nsyms && strcmp(p->by_name[lo]->name, name) == 0 ? p->by_name[lo]->addr : 0;
}
