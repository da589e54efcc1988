/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ELF file: is it one that can be probed, its segments, addresses to places in the file, and
 * where its instructions begin. Symbols are in elf_sym.c, static probes in elf_usdt.c.
 */
#include "catalog/elf_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SEGS 4096
#define MAX_WALK (16u << 20) /* of code from a function's beginning */

static const struct {
	unsigned machine;
	enum insn_cpu cpu;
	const char *name;
} cpus[] = {
	{EM_X86_64, CPU_X86_64, "x86-64"}, {EM_386, CPU_I386, "i386"},
	{EM_AARCH64, CPU_ARM64, "arm64"},  {EM_ARM, CPU_ARM, "arm"},
	{EM_RISCV, CPU_RISCV, "riscv"},    {EM_PPC64, CPU_PPC64, "ppc64"},
	{EM_S390, CPU_S390, "s390"},       {258 /* EM_LOONGARCH */, CPU_LOONGARCH, "loongarch"},
};

static const char *read_segments(struct elf *e)
{
	size_t n = 0;

	if (elf_getphdrnum(e->elf, &n) || n > MAX_SEGS)
		return "its program headers cannot be read";
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;
		struct elf_seg s;

		if (!gelf_getphdr(e->elf, (int)i, &ph))
			return "its program headers cannot be read";
		if (ph.p_type != PT_LOAD)
			continue;
		s = (struct elf_seg){ph.p_vaddr, ph.p_offset, ph.p_filesz, ph.p_flags & PF_X};
		/* only what lies in the file, and no sum beyond 64 bits */
		if (s.off >= e->file_size || !s.size)
			continue;
		if (s.size > e->file_size - s.off)
			s.size = e->file_size - s.off;
		if (s.addr > UINT64_MAX - s.size)
			continue;
		ARENA_PUSH(e->a, e->segs, e->nsegs, s);
	}
	return e->nsegs ? NULL : "it has nothing that is loaded";
}

static const char *open_file(struct elf *e, const char *path)
{
	struct stat st;

	e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (e->fd < 0 || fstat(e->fd, &st))
		return strerror(errno);
	if (S_ISDIR(st.st_mode))
		return strerror(EISDIR);
	if (!S_ISREG(st.st_mode))
		return "it is no regular file";
	e->file_size = (uint64_t)st.st_size;
	elf_version(EV_CURRENT);
	/* read, not mapped: a file that is cut meanwhile must not kill us */
	e->elf = elf_begin(e->fd, ELF_C_READ, NULL);
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &e->ehdr))
		return "it is no ELF file";
	if (e->ehdr.e_type != ET_EXEC && e->ehdr.e_type != ET_DYN)
		return "it is neither a program nor a library";
	return read_segments(e);
}

struct elf *elf_open(struct arena *a, const char *path, const char **why)
{
	struct elf *e = ARENA_NEW(a, struct elf);

	e->a = a;
	e->fd = -1;
	*why = open_file(e, path);
	if (!*why)
		return e;
	*why = arena_strdup(a, *why);
	elf_close(e);
	return NULL;
}

void elf_close(struct elf *e)
{
	if (!e)
		return;
	if (e->elf)
		elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	e->elf = NULL;
	e->fd = -1;
}

enum insn_cpu elf_cpu(const struct elf *e)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		if (cpus[i].machine == e->ehdr.e_machine)
			return cpus[i].cpu;
	}
	return CPU_OTHER;
}

const char *elf_cpu_name(const struct elf *e)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		if (cpus[i].machine == e->ehdr.e_machine)
			return cpus[i].name;
	}
	return "this architecture";
}

unsigned elf_long_size(const struct elf *e)
{
	return e->ehdr.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
}

bool elf_offset(const struct elf *e, uint64_t addr, bool code, uint64_t *off)
{
	for (size_t i = 0; i < e->nsegs; i++) {
		const struct elf_seg *s = &e->segs[i];

		if (s->code != code || addr < s->addr || addr - s->addr >= s->size)
			continue;
		*off = s->off + (addr - s->addr);
		return true;
	}
	return false;
}

/* ---- instructions ---- */

struct window {
	struct elf *e;
	uint8_t bytes[4096];
	uint64_t off; /* of bytes[0] */
	size_t n;
};

/* The bytes at @off of the file, enough for an instruction where the file goes on */
static const uint8_t *at(struct window *w, uint64_t off, size_t *n)
{
	if (off < w->off || off + 16 > w->off + w->n) {
		ssize_t got = pread(w->e->fd, w->bytes, sizeof(w->bytes), (off_t)off);

		w->off = off;
		w->n = got > 0 ? (size_t)got : 0;
	}
	*n = w->n - (size_t)(off - w->off);
	return w->bytes + (off - w->off);
}

enum elf_insn elf_at_insn(struct elf *e, uint64_t from, uint64_t addr, uint64_t *lo, uint64_t *hi)
{
	struct window w = {.e = e};
	enum insn_cpu cpu = elf_cpu(e);
	uint64_t off, last, pos = from;

	if (addr == from)
		return ELF_INSN_BEGIN;
	/* both in one piece of the file */
	if (addr < from || addr - from > MAX_WALK || !elf_offset(e, from, true, &off) ||
	    !elf_offset(e, addr, true, &last) || last - off != addr - from)
		return ELF_INSN_UNKNOWN;
	while (pos < addr) {
		size_t n;
		const uint8_t *p = at(&w, off, &n);
		int len = insn_length(cpu, p, n);

		if (len <= 0)
			return ELF_INSN_UNKNOWN;
		*lo = pos;
		pos += (unsigned)len;
		off += (unsigned)len;
	}
	*hi = pos;
	return pos == addr ? ELF_INSN_BEGIN : ELF_INSN_INSIDE;
}
