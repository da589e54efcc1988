/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FETCH expressions to the kernel's fetch arguments: text, type and the place of each part. What
 * differs between kinds of probes (arguments, names, user memory) is asked of a fetch_target.
 * Private to source/.
 */
#ifndef TRACESH_SOURCE_FETCH_H
#define TRACESH_SOURCE_FETCH_H

#include "base/buf.h"
#include "source/probe.h"

struct fetch;
struct fetch_type;
struct btf;

enum fetch_how {
	FV_VALUE, /* tok */
	FV_ADDR,  /* tok + off, not read */
	FV_MEM,   /* what lies at tok + off: size bytes */
};

/* An expression while it is compiled. */
struct fetch_val {
	enum fetch_how how;
	const char *tok;           /* in the kernel's words */
	size_t leaf_off, leaf_len; /* the part of tok that the kernel may refuse ... */
	struct span leaf;          /* ... and where it was written */
	int64_t off;
	unsigned size;
	bool decays; /* an array: its value is its address */
	bool raw;
	bool opaque;       /* its type is not known, or is none that can be recorded */
	const char *ktext; /* the same by names, where the kernel knows types: "p->se.vruntime" */
	const struct fetch_type *type; /* NULL: the pointer's size, unsigned */
	uint32_t btf;                  /* type id in the catalog's BTF, 0: not known */
};

/* What a fetch expression can refer to at a kind of probe. */
struct fetch_target {
	const char *what;    /* "a kprobe": for messages */
	bool user;           /* pointers are of user space (uprobes) */
	bool regs, stack;    /* reg(x), stack(N) */
	bool retval;         /* retval */
	const char *no_args; /* why there is no argN, NULL: there are */
	/* argN as the kernel has it: "$arg1", "%di", "+8(%sp)"; NULL with a diag. NULL hook: $argN
	 */
	const char *(*arg)(struct fetch *f, unsigned n, struct span at);
	/* instead of arg, where argN is more than a token; 0, or -1 with a diag */
	int (*argument)(struct fetch *f, unsigned n, struct span at, struct fetch_val *v);
	/* what is known of argN (N from 1; 0: retval): v->btf, v->ktext */
	void (*typed)(struct fetch *f, unsigned n, struct fetch_val *v);
	/* any other bare name, as "$filename"; 0, -1 without a diag when there is none, 1 with
	 * a diag when it cannot be had */
	int (*name)(struct fetch *f, const char *name, struct span at, struct fetch_val *v);
	/* all names, for hints */
	void (*list)(struct fetch *f, void (*add)(void *arg, const char *name), void *arg);
	bool btf_args; /* the kernel takes names of parameters and members */
	void *priv;    /* of the hooks */
};

/* One definition's fetch list while it is compiled. */
struct fetch {
	struct checker *ck;
	const struct fetch_target *t;
	unsigned long_size;
	struct buf text; /* " path=+0($arg2):ustring ..." */
	struct probe_place *places;
	size_t nplaces;
	struct field *fields; /* offsets are counted from 0 */
	size_t nfields;
	uint32_t size; /* bytes of them */
	struct probe_name *names;
	size_t nnames;
};

/* fetch_list - all N_FETCH of @n; 0 or -1 with diags */
int fetch_list(struct fetch *f, const struct node *n);
/* fetch_names - only the names and what their types say, as a recorded file needs */
int fetch_names(struct fetch *f, const struct node *n);

/* fetch_leaf - a value that is the token @tok, written at @at */
void fetch_leaf(struct fetch_val *v, const char *tok, struct span at);
/* fetch_no_name - push "unknown-field" with hints */
void fetch_no_name(struct fetch *f, const char *word, struct span at);
/* fetch_address - make @v an address; memory is read as a pointer first; 0 or -1 with a diag */
int fetch_address(struct fetch *f, struct fetch_val *v, struct span at);
/* fetch_btf - types of the kernel, NULL: *why says what is missing */
const struct btf *fetch_btf(struct fetch *f, const char **why);
/* fetch_set_btf - @v is of BTF type @type */
void fetch_set_btf(struct fetch *f, struct fetch_val *v, const struct btf *b, uint32_t type);
/* fetch_member - `E->m`, `E.m` by the types of BTF; 0 or -1 with a diag */
int fetch_member(struct fetch *f, const struct node *n, struct fetch_val *v,
		 int (*eval)(struct fetch *f, const struct node *n, struct fetch_val *v));

#endif
