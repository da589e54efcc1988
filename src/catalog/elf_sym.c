/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols of an ELF file: both tables, versions of dynamic symbols, and names that stand for
 * several addresses or for none.
 */
#include "catalog/elf_priv.h"

#include <string.h>

#define MAX_VERSIONS 32768

struct sym {
	const char *name; /* as in the table: may be "memcpy@GLIBC_2.2.5" */
	const char *version;
	bool hidden; /* not the version new programs get */
	unsigned type, bind;
	bool undefined;
	uint64_t addr, size;
};

/* ---- versions ---- */

static void add_version(struct elf *e, size_t at, const char *name)
{
	while (e->nversions <= at)
		ARENA_PUSH(e->a, e->versions, e->nversions, NULL);
	e->versions[at] = name;
}

static void read_verdef(struct elf *e, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	uint64_t off = 0;

	for (unsigned i = 0; d && i < MAX_VERSIONS && off < d->d_size; i++) {
		GElf_Verdef def;
		GElf_Verdaux aux;
		const char *name;

		if (off > INT32_MAX || !gelf_getverdef(d, (int)off, &def))
			return;
		if (def.vd_aux < INT32_MAX - off &&
		    gelf_getverdaux(d, (int)(off + def.vd_aux), &aux)) {
			name = elf_strptr(e->elf, sh->sh_link, aux.vda_name);
			if (name)
				add_version(e, def.vd_ndx & 0x7fff, name);
		}
		if (!def.vd_next)
			return;
		off += def.vd_next;
	}
}

static Elf_Data *read_versions(struct elf *e)
{
	Elf_Scn *scn = NULL;
	Elf_Data *versym = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(e->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_GNU_versym && !versym)
			versym = elf_getdata(scn, NULL);
		if (sh.sh_type == SHT_GNU_verdef && !e->versions_read)
			read_verdef(e, scn, &sh);
	}
	e->versions_read = true;
	return versym;
}

/* ---- every symbol ---- */

static bool get_sym(struct elf *e, Elf_Data *d, Elf_Data *versym, uint32_t strings, int i,
		    struct sym *s)
{
	GElf_Versym v;
	GElf_Sym g;

	memset(s, 0, sizeof(*s));
	if (!gelf_getsym(d, i, &g))
		return false;
	s->name = elf_strptr(e->elf, strings, g.st_name);
	if (!s->name || !*s->name)
		return false;
	s->type = GELF_ST_TYPE(g.st_info);
	s->bind = GELF_ST_BIND(g.st_info);
	s->undefined = g.st_shndx == SHN_UNDEF;
	s->addr = g.st_value;
	s->size = g.st_size;
	if (versym && gelf_getversym(versym, i, &v)) {
		s->hidden = v & 0x8000;
		v &= 0x7fff;
		if (v > 1 && v < e->nversions)
			s->version = e->versions[v];
	}
	return true;
}

static void each_sym(struct elf *e, bool (*fn)(void *arg, const struct sym *s), void *arg)
{
	Elf_Data *versym = read_versions(e);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	struct sym s;

	while ((scn = elf_nextscn(e->elf, scn))) {
		Elf_Data *d;
		bool dynamic;
		size_t size;

		if (!gelf_getshdr(scn, &sh) ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		d = elf_getdata(scn, NULL);
		size = gelf_fsize(e->elf, ELF_T_SYM, 1, EV_CURRENT);
		dynamic = sh.sh_type == SHT_DYNSYM;
		for (size_t i = 1; d && size && i < d->d_size / size && i < INT32_MAX; i++) {
			if (get_sym(e, d, dynamic ? versym : NULL, sh.sh_link, (int)i, &s) &&
			    fn(arg, &s))
				return;
		}
	}
}

static bool is_code(const struct elf *e, const struct sym *s)
{
	uint64_t off;

	if (s->undefined || (s->type != STT_FUNC && s->type != STT_NOTYPE) || *s->name == '$')
		return false;
	return elf_offset(e, s->addr, true, &off);
}

/* ---- one name ---- */

struct search {
	struct elf *e;
	const char *name, *version;
	size_t len;
	struct elf_symbols *out;
	unsigned hidden; /* those found are not the versions new programs get */
	bool imported, chosen, data;
};

static bool is_named(const struct search *q, const struct sym *s, bool *hidden)
{
	const char *at, *version = s->version;

	if (strncmp(s->name, q->name, q->len) != 0)
		return false;
	at = s->name + q->len;
	if (*at && *at != '@')
		return false;
	*hidden = s->hidden;
	if (*at == '@') {
		*hidden = at[1] != '@';
		version = at + (*hidden ? 1 : 2);
	}
	return !q->version || (version && strcmp(version, q->version) == 0);
}

static void take(struct search *q, const struct sym *s, bool hidden)
{
	struct elf_symbols *o = q->out;

	if (hidden && o->n && !q->hidden)
		return;
	if (!hidden && q->hidden) { /* those before were older versions */
		o->n = 0;
		q->hidden = 0;
	}
	for (unsigned i = 0; i < o->n && i < ELF_ADDRS; i++) {
		if (o->addrs[i] == s->addr)
			return;
	}
	q->hidden = hidden;
	if (o->n < ELF_ADDRS)
		o->addrs[o->n] = s->addr;
	if (o->n++ == 0)
		o->f = (struct elf_func){arena_strndup(q->e->a, s->name, q->len), s->addr, s->size};
}

static bool search_one(void *arg, const struct sym *s)
{
	struct search *q = arg;
	bool hidden;

	if (!is_named(q, s, &hidden))
		return false;
	if (s->type == STT_GNU_IFUNC && !s->undefined) {
		if (!q->chosen)
			q->out->addrs[0] = s->addr;
		q->chosen = true;
	} else if (is_code(q->e, s)) {
		take(q, s, hidden);
	} else if (s->undefined && s->type != STT_OBJECT && s->type != STT_TLS) {
		q->imported = true;
	} else {
		q->data = true;
	}
	return false;
}

enum elf_found elf_find(struct elf *e, const char *name, struct elf_symbols *out)
{
	const char *at = strchr(name, '@');
	struct search q = {.e = e, .name = name, .len = at ? (size_t)(at - name) : strlen(name)};

	memset(out, 0, sizeof(*out));
	q.out = out;
	if (at)
		q.version = at + strspn(at, "@");
	if (!q.len)
		return ELF_NONE;
	each_sym(e, search_one, &q);
	if (out->n)
		return out->n == 1 ? ELF_FOUND : ELF_MANY;
	return q.chosen ? ELF_CHOSEN : q.imported ? ELF_IMPORTED : q.data ? ELF_DATA : ELF_NONE;
}

/* ---- all functions ---- */

struct walk {
	struct elf *e;
	bool (*fn)(void *arg, const struct elf_func *f);
	void *arg;
};

static bool walk_one(void *arg, const struct sym *s)
{
	struct walk *w = arg;
	struct elf_func f = {s->name, s->addr, s->size};

	return is_code(w->e, s) && w->fn(w->arg, &f);
}

void elf_each(struct elf *e, bool (*fn)(void *arg, const struct elf_func *f), void *arg)
{
	struct walk w = {e, fn, arg};

	each_sym(e, walk_one, &w);
}

struct around {
	uint64_t addr;
	struct elf_func best;
	bool found;
};

static bool around_one(void *arg, const struct elf_func *f)
{
	struct around *r = arg;

	if (f->addr > r->addr || (f->size && r->addr - f->addr >= f->size))
		return false;
	/* one whose size holds the address before one that just stands before it */
	if (r->found && (r->best.size && !f->size))
		return false;
	if (r->found && !(f->size && !r->best.size) && f->addr <= r->best.addr)
		return false;
	r->best = *f;
	r->found = true;
	return false;
}

bool elf_around(struct elf *e, uint64_t addr, struct elf_func *out)
{
	struct around r = {.addr = addr};

	elf_each(e, around_one, &r);
	*out = r.best;
	return r.found;
}

static bool is_table(struct elf *e, unsigned type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(e->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == type)
			return true;
	}
	return false;
}

bool elf_stripped(struct elf *e)
{
	return !is_table(e, SHT_SYMTAB);
}

struct object {
	const char *name;
	uint64_t addr;
	bool found;
};

static bool object_one(void *arg, const struct sym *s)
{
	struct object *o = arg;

	if (s->undefined || s->type == STT_TLS || strcmp(s->name, o->name) != 0)
		return false;
	o->addr = s->addr;
	o->found = true;
	return true;
}

bool elf_object(struct elf *e, const char *name, uint64_t *addr)
{
	struct object o = {.name = name};

	each_sym(e, object_one, &o);
	*addr = o.addr;
	return o.found;
}
