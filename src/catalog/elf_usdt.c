/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Static probes: the notes that sys/sdt.h leaves in .note.stapsdt. */
#include "catalog/elf_priv.h"

#include <string.h>

#define MAX_PROBES 100000
#define STAPSDT 3 /* type of the note */

/* A number of the file's size and byte order at @p */
static uint64_t number(const struct elf *e, const uint8_t *p)
{
	unsigned n = elf_long_size(e);
	bool big = e->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (big ? n - 1 - i : i);
	return v;
}

/* The string at *@p before @end, *@p behind it then; NULL when it does not end */
static const char *text(const char **p, const char *end)
{
	const char *s = *p, *nul = s < end ? memchr(s, '\0', (size_t)(end - s)) : NULL;

	if (nul)
		*p = nul + 1;
	return nul ? s : NULL;
}

static void add(struct elf *e, const uint8_t *desc, size_t size, const uint64_t *base)
{
	unsigned n = elf_long_size(e);
	const char *p = (const char *)desc + 3 * (size_t)n, *end = (const char *)desc + size;
	struct elf_usdt u = {0};
	uint64_t was;

	if (size < 3 * (size_t)n)
		return;
	u.addr = number(e, desc);
	was = number(e, desc + n);
	u.sem = number(e, desc + 2 * (size_t)n);
	u.provider = text(&p, end);
	u.name = u.provider ? text(&p, end) : NULL;
	if (!u.name || !*u.provider || !*u.name)
		return;
	u.args = text(&p, end);
	if (!u.args)
		u.args = "";
	/* prelinking moves the section of the base but not what the notes hold */
	if (base && was) {
		u.addr += *base - was;
		if (u.sem)
			u.sem += *base - was;
	}
	if (n == 4) {
		u.addr = (uint32_t)u.addr;
		u.sem = (uint32_t)u.sem;
	}
	u.provider = arena_strdup(e->a, u.provider);
	u.name = arena_strdup(e->a, u.name);
	u.args = arena_strdup(e->a, u.args);
	ARENA_PUSH(e->a, e->usdts, e->nusdts, u);
}

static void notes(struct elf *e, Elf_Scn *scn, const uint64_t *base)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	size_t off = 0, next, name, desc;
	GElf_Nhdr h;

	while (d && d->d_buf && e->nusdts < MAX_PROBES &&
	       (next = gelf_getnote(d, off, &h, &name, &desc)) > off) {
		const uint8_t *p = d->d_buf;

		off = next;
		if (h.n_type == STAPSDT && h.n_namesz == 8 && name <= d->d_size &&
		    d->d_size - name >= 8 && memcmp(p + name, "stapsdt", 8) == 0 &&
		    desc <= d->d_size && h.n_descsz <= d->d_size - desc)
			add(e, p + desc, h.n_descsz, base);
	}
}

const struct elf_usdt *elf_usdts(struct elf *e, unsigned *n)
{
	uint64_t base = 0;
	bool has_base = false;
	Elf_Scn *scn = NULL;
	size_t strings;
	GElf_Shdr sh;

	*n = (unsigned)e->nusdts;
	if (e->usdts_read)
		return e->usdts;
	e->usdts_read = true;
	if (elf_getshdrstrndx(e->elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(e->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(e->elf, strings, sh.sh_name);
		if (name && strcmp(name, ".stapsdt.base") == 0) {
			base = sh.sh_addr;
			has_base = true;
		}
	}
	while ((scn = elf_nextscn(e->elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			notes(e, scn, has_base ? &base : NULL);
	}
	*n = (unsigned)e->nusdts;
	return e->usdts;
}
