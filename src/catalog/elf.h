/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs and libraries as places of probes: functions and static probes of an ELF file, and where
 * in the file they lie. Owns all use of libelf. Files are hostile: whatever they hold, an answer is
 * either right or an error.
 */
#ifndef TRACESH_CATALOG_ELF_H
#define TRACESH_CATALOG_ELF_H

#include "base/arena.h"
#include "catalog/insn.h"

#include <stdbool.h>
#include <stdint.h>

struct elf;

/* elf_path - where program or library @name lies: a path as it is, a bare name searched in PATH and
 * then in the directories of libraries; NULL if nowhere */
const char *elf_path(struct arena *a, const char *name);

/* elf_open - NULL with *@why set when it is no program or library; lives until elf_close() */
struct elf *elf_open(struct arena *a, const char *path, const char **why);
void elf_close(struct elf *e); /* NULL is allowed */
enum insn_cpu elf_cpu(const struct elf *e);
const char *elf_cpu_name(const struct elf *e);
/* elf_long_size - 4 or 8 */
unsigned elf_long_size(const struct elf *e);

struct elf_func {
	const char *name; /* as it is in the file, without a version */
	uint64_t addr;    /* as symbol tables have it */
	uint64_t size;    /* 0: not known */
};

enum elf_found {
	ELF_FOUND,
	ELF_NONE,
	ELF_MANY,     /* several addresses: addrs[] */
	ELF_IMPORTED, /* it is another file's */
	ELF_CHOSEN,   /* a resolver chooses the function when the program starts */
	ELF_DATA,     /* no function */
};

#define ELF_ADDRS 8
struct elf_symbols {
	struct elf_func f;
	uint64_t addrs[ELF_ADDRS];
	unsigned n; /* different addresses; may be more than ELF_ADDRS */
};

/* elf_find - function @name, or NAME@VERSION; of several versions the one new programs are linked
 * to
 */
enum elf_found elf_find(struct elf *e, const char *name, struct elf_symbols *out);
/* elf_each - @fn for each function, several times for one that is in both symbol tables; stops when
 * it returns true */
void elf_each(struct elf *e, bool (*fn)(void *arg, const struct elf_func *f), void *arg);
/* elf_around - the function that @addr is in: the last that begins at or before it; false: none */
bool elf_around(struct elf *e, uint64_t addr, struct elf_func *out);
/* elf_stripped - has only the symbols that other files are linked to */
bool elf_stripped(struct elf *e);
/* elf_object - address of a variable; false: none */
bool elf_object(struct elf *e, const char *name, uint64_t *addr);

/* elf_offset - where in the file @addr lies, as code (@code) or as data; false: nowhere */
bool elf_offset(const struct elf *e, uint64_t addr, bool code, uint64_t *off);

enum elf_insn { ELF_INSN_BEGIN, ELF_INSN_INSIDE, ELF_INSN_UNKNOWN };
/**
 * elf_at_insn - is @addr the beginning of an instruction, counted from @from
 * INSIDE: *@lo and *@hi are the beginnings around it. UNKNOWN: not this CPU's instructions, or
 * bytes that are none.
 */
enum elf_insn elf_at_insn(struct elf *e, uint64_t from, uint64_t addr, uint64_t *lo, uint64_t *hi);

/* A static probe, as sys/sdt.h leaves it. */
struct elf_usdt {
	const char *provider, *name;
	const char *args; /* "8@%rax -4@16(%rsp)" */
	uint64_t addr;    /* prelinking undone */
	uint64_t sem;     /* address of its semaphore, 0: none */
};

/* elf_usdts - all of them in the arena of elf_open(); how many in *@n */
const struct elf_usdt *elf_usdts(struct elf *e, unsigned *n);

#endif
