/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BTF from a file: as it is, or from the .BTF section of an ELF file; and which file the catalog
 * takes. */
#include "base/io.h"
#include "catalog/btf.h"
#include "catalog/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_MAX (256u << 20)

/* a copy of the section's bytes, NULL: there is none */
static void *elf_section(const char *path, const char *name, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = NULL;
	Elf_Scn *scn = NULL;
	size_t strings;
	void *copy = NULL;

	elf_version(EV_CURRENT);
	if (fd >= 0)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && elf_getshdrstrndx(elf, &strings) == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *s =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		Elf_Data *d;

		if (!s || strcmp(s, name) != 0)
			continue;
		d = elf_rawdata(scn, NULL);
		if (d && d->d_buf && d->d_size && d->d_size <= FILE_MAX) {
			copy = xmalloc(d->d_size);
			memcpy(copy, d->d_buf, d->d_size);
			*len = d->d_size;
		}
		break;
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return copy;
}

struct btf *btf_open(const char *path, const char **why)
{
	struct buf b = {0};
	size_t len = 0;
	void *data;
	int rc = io_read_file(path, &b, FILE_MAX);

	if (rc) {
		*why = strerror(-rc);
		buf_free(&b);
		return NULL;
	}
	if (b.len > 4 && memcmp(b.p, "\177ELF", 4) == 0) {
		buf_free(&b);
		data = elf_section(path, ".BTF", &len);
		if (!data) {
			*why = "it has no section .BTF";
			return NULL;
		}
	} else {
		len = b.len;
		data = xmalloc(len + 1);
		memcpy(data, buf_str(&b), len);
		buf_free(&b);
	}
	return btf_parse(data, len, why);
}

static void free_btf(void *arg)
{
	btf_free(arg);
}

const struct btf *catalog_btf(struct catalog *c, const char **why)
{
	const struct origin *o = catalog_origin(c, 0);
	const char *path = c->s->set.btf;

	if (!c->btf_tried || strcmp(c->btf_path, path) != 0) {
		c->btf_tried = true;
		c->btf_path = arena_strdup(c->arena, path);
		if (!*path && o && o->kind == ORIGIN_LIVE)
			path = "/sys/kernel/btf/vmlinux";
		else if (!*path && o && o->kind == ORIGIN_DIR)
			path = arena_printf(c->arena, "%s/btf", o->path);
		if (*path)
			c->btf = btf_open(path, &c->btf_why);
		else
			c->btf_why = "a recorded file holds none";
		if (c->btf)
			catalog_keep(c, free_btf, c->btf);
		else
			c->btf_why = arena_printf(c->arena, "%s%s%s", path, *path ? ": " : "",
						  c->btf_why);
	}
	*why = c->btf_why;
	return c->btf;
}
