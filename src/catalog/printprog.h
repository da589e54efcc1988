/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Print formats as small programs: literal pieces, conversions and the values they show. They are
 * made from libtraceevent's own reading of a format, so that precedence and quirks are its, and
 * write the same bytes. What is rare is left to libtraceevent: then there is no program. For
 * catalog/ only.
 */
#ifndef TRACESH_CATALOG_PRINTPROG_H
#define TRACESH_CATALOG_PRINTPROG_H

#include "base/buf.h"
#include "catalog/rec.h"

struct tep_event;

#define PROG_PAD 16         /* texts are copied in such pieces */
#define PROG_NAME 512       /* the longest name of a function */
#define PROG_CONVERSION 224 /* bytes of a number by snprintf */
#define PROG_SYMS 1024      /* addresses whose functions are remembered */

struct prog_sym {
	uint64_t addr, start;
	const char *name; /* tep's; NULL: no function there */
	uint32_t len;
	bool known;
};

/* Where functions are looked up, for one thread. */
struct prog_env {
	struct prog_sym syms[PROG_SYMS];
	/* finds name and start of the function at y->addr; remembered in syms */
	void (*find)(void *arg, struct prog_sym *y);
	void *arg;
};

/* numbers: constants, places in the record, and what is done with them */
enum pexpr_op {
	PX_CONST,
	PX_LOAD,
	PX_MASK,
	PX_AND,
	PX_OR,
	PX_ADD,
	PX_SUB,
	PX_MUL,
	PX_SHL,
	PX_SHR,
	PX_NOT,
	PX_BNOT,
	PX_EQ,
	PX_NE,
	PX_LT,
	PX_LE,
	PX_GT,
	PX_GE,
	PX_LAND,
	PX_LOR,
	PX_CHOICE,
};

struct pexpr {
	enum pexpr_op op;
	uint32_t off, size; /* PX_LOAD: inside every record that is printed */
	uint64_t v;         /* PX_CONST, PX_MASK */
	const struct pexpr *l, *r;
	const struct pexpr *cond; /* PX_CHOICE */
};

struct pname {
	uint64_t v;
	const char *s; /* PROG_PAD bytes may be read behind it, as of every text of a program */
	uint32_t len;
	bool zero; /* flags: stands for no flag at all */
};

enum ptext_kind { PT_LITERAL, PT_ARRAY, PT_TAIL, PT_DYNAMIC, PT_FLAGS, PT_SYMBOL, PT_CHOICE };

/* what a %s shows */
struct ptext {
	enum ptext_kind kind;
	const char *s; /* literal; delimiter of flags, or NULL */
	uint32_t len, off, size;
	const struct field *f;
	const struct pexpr *e;
	const struct pname *names;
	size_t nnames;
	const struct ptext *yes, *no;
};

enum pstep_op {
	PS_LITERAL,
	PS_DEC,   /* %d */
	PS_UDEC,  /* %u */
	PS_HEX,   /* %x */
	PS_OTHER, /* by snprintf */
	PS_TEXT,
	PS_POINTER,
	PS_FUNC,   /* %ps */
	PS_FUNCOFF /* %pS */
};

struct pstep {
	enum pstep_op op;
	bool left, zero, alt;
	uint8_t width, bytes; /* bytes: of the number as printf takes it */
	uint32_t len;
	const char *s; /* literal; PS_OTHER: the conversion */
	const struct pexpr *e;
	const struct ptext *t;
};

/* what libtraceevent's plugins write instead of the format, or before it */
enum pplugin { PP_NONE, PP_SWITCH, PP_WAKEUP, PP_CALL_SITE };

struct printprog {
	enum pplugin plugin;
	const struct pexpr *plug[8];
	uint32_t comm_off[2], comm_size[2];
	struct pstep *steps;
	size_t nsteps;
	const struct field **dynamic; /* to be found inside the record before it is printed */
	size_t ndynamic;
	uint32_t min_size;
	uint16_t id;
	size_t max;     /* bytes that it writes, but for texts out of the record */
	unsigned texts; /* out of the record, each no longer than that */
};

/**
 * printprog_compile - the program of @te, in @a; NULL: print it through libtraceevent
 * @min_size: bytes that every record has; shorter ones are not for the program.
 */
struct printprog *printprog_compile(struct arena *a, const struct tep_event *te, struct event *e,
				    uint32_t min_size);
/* printprog_fits - @r has all that the program reads; false: a record for libtraceevent */
bool printprog_fits(const struct printprog *p, const struct rec *r);
/* printprog_run - appends @r, which fits, to @out. Several threads may, each with its own @env. */
void printprog_run(const struct printprog *p, struct prog_env *env, const struct rec *r,
		   struct buf *out);

#endif
