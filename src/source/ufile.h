/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs and libraries as targets of probes: the file, a place in it as the kernel is told, and
 * what arg1 .. argN mean there. Private to source/.
 */
#ifndef TRACESH_SOURCE_UFILE_H
#define TRACESH_SOURCE_UFILE_H

#include "catalog/elf.h"
#include "source/probe_rows.h"

struct ufile {
	const char *written; /* as in the script */
	const char *path;    /* absolute */
	struct elf *elf;     /* close it */
};

/* A place in a file while a fetch list is compiled for it: fetch_target.priv. */
struct uplace {
	const struct ufile *file;
	uint64_t addr, off;
	enum insn_cpu cpu;
	const char *usdt_args; /* of a static probe, else NULL */
};

/* ufile_open - find and open file @name, which stands at @at; 0 or -1 with a diag */
int ufile_open(struct checker *ck, struct ufile *u, const char *name, struct span at);
/* ufile_split - "FILE:SYM" at its last colon into *@file and *@rest; 0 or -1 with a diag */
int ufile_split(struct checker *ck, const struct node *n, const char *target, struct span at,
		const char **file, const char **rest);
/* ufile_event - what an event at @what of file @file is called */
const char *ufile_event(struct checker *ck, const char *file, const char *what);

/**
 * ufile_add - a further event of @src at address @addr
 * The semaphore of a static probe that lies there is always named: the kernel wants all probes of a
 * place to agree. 0 or -1 with a diag.
 */
int ufile_add(struct checker *ck, struct src *src, const struct node *n, const struct ufile *u,
	      uint64_t addr, const char *event, const struct fetch_target *t, const char *usdt_args,
	      struct span at);

/* ucall_arg - argN by the calling convention (fetch_target hook); 0 or -1 with a diag */
int ucall_arg(struct fetch *f, unsigned n, struct span at, struct fetch_val *v);
/* ucall_usdt_arg - argN of a static probe, by its note */
int ucall_usdt_arg(struct fetch *f, unsigned n, struct span at, struct fetch_val *v);

/* One operand of a static probe's arguments. */
struct usdt_operand {
	enum { UO_CONST, UO_REG, UO_MEM, UO_OBJECT } kind;
	unsigned size; /* bytes */
	bool is_signed;
	const char *reg;    /* REG, MEM: in the kernel's words, without % */
	int64_t num;        /* CONST: value; MEM, OBJECT: offset */
	const char *object; /* OBJECT: a variable's name */
};

/* usdt_operand - argument @k (from 1) of @args; 0; 1 there is no such argument; -1 the kernel
 * cannot fetch it. *@text is as it is written. */
int usdt_operand(struct arena *a, enum insn_cpu cpu, unsigned long_size, const char *args,
		 unsigned k, struct usdt_operand *out, const char **text);

#endif
