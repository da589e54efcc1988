/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Types of the kernel from BTF: where a member lies, what a parameter is. Read from
 * /sys/kernel/btf/vmlinux or any file (raw, or an ELF file with a .BTF section). The file may be
 * hostile: every offset, index and chain is bounded.
 */
#ifndef TRACESH_CATALOG_BTF_H
#define TRACESH_CATALOG_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf;

/* btf_parse - of a text that is kept (malloc'd; freed with the btf, and on failure); NULL: *why
 * says what is wrong */
struct btf *btf_parse(void *data, size_t len, const char **why);
/* btf_open - of a file; NULL: *why says what is wrong */
struct btf *btf_open(const char *path, const char **why);
void btf_free(struct btf *b);

enum btf_what {
	BTF_UNKNOWN, /* void, forward declarations, floats */
	BTF_INT,     /* size, is_signed; enums and bool too */
	BTF_POINTER,
	BTF_STRUCT, /* unions too */
	BTF_CHARS,  /* array of char: nelem */
	BTF_ARRAY,  /* elem, nelem */
};

struct btf_info {
	enum btf_what what;
	uint32_t size;   /* bytes */
	bool is_signed;  /* BTF_INT */
	uint32_t target; /* BTF_POINTER, BTF_ARRAY: type pointed to, of an element; 0: void */
	uint32_t nelem;
	const char *name; /* of a struct, "" if it has none */
};

/* btf_info - what @type is, typedefs and qualifiers looked through */
void btf_info(const struct btf *b, uint32_t type, struct btf_info *out);

struct btf_member {
	uint32_t type;
	uint32_t bit_off;  /* from the beginning of the structure */
	uint32_t bit_size; /* 0: no bitfield */
};

/* btf_member - of a structure (or union), through members without names; 0, or -1: it has none */
int btf_member(const struct btf *b, uint32_t type, const char *name, struct btf_member *out);
/* btf_members - each member's name, those of nameless members too */
void btf_members(const struct btf *b, uint32_t type, void (*fn)(void *arg, const char *name),
		 void *arg);

/* btf_func - prototype of the function @name, 0: not known */
uint32_t btf_func(const struct btf *b, const char *name);
/* btf_nparams - of a prototype; btf_param - its i-th (from 0); *name may be "" */
unsigned btf_nparams(const struct btf *b, uint32_t proto);
uint32_t btf_param(const struct btf *b, uint32_t proto, unsigned i, const char **name);
uint32_t btf_return(const struct btf *b, uint32_t proto);
/* btf_typedef - prototype behind a typedef of a pointer to a function; 0: none */
uint32_t btf_typedef_proto(const struct btf *b, const char *name);

#endif
