/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Register code of expressions: one program per expression and event, with field places, sizes and
 * signs baked in; what an event lacks is decided when its program is made, not per record.
 */
#ifndef TRACESH_ENGINE_CODE_H
#define TRACESH_ENGINE_CODE_H

#include "catalog/rec.h"
#include "check/query.h"
#include "engine/mem.h"

struct tasks;
struct stacktab;
struct blockrun;
struct qrun;
struct spec;

enum opcode {
	/* leaves */
	C_NULL,
	C_NUM,
	C_STR,
	C_INT,
	C_BYTES,
	C_ELEM,
	C_TS,
	C_CPU,
	C_PID,
	C_PPID,
	C_COMM,
	C_STACK, /* b: the user's; x: at most so many frames, 0: all */
	C_SLOT,
	C_COL_INT,
	C_COL_STR,
	C_COL_DEC,
	/* integers; x: LIT_A, LIT_B */
	C_NEG,
	C_BNOT,
	C_NOT,
	C_ADD,
	C_SUB,
	C_MUL,
	C_DIV,
	C_MOD,
	C_AND,
	C_OR,
	C_XOR,
	C_SHL,
	C_SHR,
	C_EQ,
	C_NE,
	C_LT,
	C_LE,
	C_GT,
	C_GE,
	/* doubles */
	C_TODEC,
	C_DNEG,
	C_DADD,
	C_DSUB,
	C_DMUL,
	C_DDIV,
	C_DEQ,
	C_DNE,
	C_DLT,
	C_DLE,
	C_DGT,
	C_DGE,
	C_DTRUTH,
	C_DMIN,
	C_DMAX,
	C_DABS,
	/* strings */
	C_SEQ,
	C_SNE,
	C_SLT,
	C_SLE,
	C_SGT,
	C_SGE,
	C_GLOB,
	C_MATCH,
	C_STRUTH,
	/* names of values */
	C_SYMEQ,
	C_SYMHAS,
	/* flow; x: target */
	C_JMP,
	C_JF,
	C_JT,
	C_JNULL,
	C_BOOL,
	C_MOV,
	/* functions */
	C_MIN,
	C_MAX,
	C_ABS,
	C_LOG2,
	C_BUCKET,
	C_STRLEN,
	C_SUBSTR,
	C_STRFTIME,
	C_ERRNO,
	C_SYSCALL,
	C_KADDR,
	C_KSYM,
	C_TIDCOMM,
	C_ITOS,
	C_DTOS,
	C_SYMNAME,
	C_IP, /* x: the value is an integer */
	C_MAC,
	C_DEV,
	C_SIGNAL,
	/* blocks; keys and arguments are in registers from a on */
	C_NOW, /* the time of a block without events */
	C_VAR, /* p: struct var */
	C_MAP, /* p: struct map */
	C_INMAP,
	C_SETVAR,  /* p; b: the value */
	C_STORE,   /* p; b: the value */
	C_ADD_AGG, /* p; b: the value */
	C_DELETE,
	C_CLEAR,
	C_OUT, /* p: struct bstmt that prints */
	C_EXIT,
	C_SPEC,  /* p: struct bstmt */
	C_MARK,  /* dst: where the scratch is */
	C_EACH,  /* p: struct map; dst: its first key; a: the entry it is at, then the end; b: mark;
		    x: where to when over */
	C_ROUND, /* p: struct bstmt of the loop; b: mark; x: where to when it went round too often
		  */
	C_END,   /* a: the result */
};

enum { LIT_A = 1, LIT_B = 2 };

struct insn {
	uint16_t op, dst, a, b;
	uint32_t x;
	union {
		uint64_t u;
		const void *p;
		const char *str;
		const struct field *f;
	};
};

struct symtest {
	uint64_t value, mask;
};

/* PROG_TEXT: a constant string; PROG_COMM: the name of the running task. Both have code too. */
enum prog_kind { PROG_CODE, PROG_INT, PROG_NULL, PROG_TEXT, PROG_COMM };

struct prog {
	enum prog_kind kind;
	const struct field *f; /* PROG_INT; PROG_COMM: the task's id */
	struct insn *code;
	unsigned n, nregs;
};

/* Who ran when an event was held back, for when it goes on. */
struct heldtask {
	bool known;
	int tid;
	struct val pid, ppid, comm;
};

/* What an expression is evaluated in. */
struct ctx {
	const struct rec *r;    /* events */
	unsigned li;            /* local number of the event in its query */
	struct val *slots;      /* of the query */
	const struct cell *row; /* rows */
	struct val *regs;       /* nregs of the largest program */
	unsigned nregs;
	struct scratch *scratch;
	struct arena *arena;         /* of the engine: programs */
	struct tasks **tasks;        /* by origin index */
	struct stacktab *stacks;     /* NULL: nobody asks for stacks */
	struct origin *origin;       /* of rows, which come from no record: the first, or NULL */
	const struct val *comm;      /* of the running task, where it is told; else NULL */
	void *match;                 /* pcre2_match_data, made by the first regex */
	struct blockrun *blocks;     /* maps and variables; NULL: no blocks */
	struct qrun *q;              /* of the block that runs */
	uint64_t now;                /* ns: of a block without events */
	struct spec *spec;           /* of the block that runs, or NULL */
	const struct heldtask *held; /* the event was held back till now */
};

/* An expression of a query with its program per local event; rows have one, under 0. */
struct code {
	const struct expr *e; /* NULL: none */
	struct prog **by;
	bool cond; /* only its truth is asked: strings and decimals become 0 or 1 */
};

/* code_compile - the program for the event of c->r, or for rows where that is NULL; kept in k->by
 */
struct prog *code_compile(struct code *k, struct ctx *c);
struct val vm_run(const struct prog *p, struct ctx *c);

/* code_check - what the engine cannot do yet, pushed as "not-yet"; @blocks: the run has maps and
 * variables. 0 or -1 */
int code_check(struct diags *d, const struct expr *e, bool blocks);

static inline bool type_str(const struct type *t)
{
	return t->kind == T_STR || t->kind == T_STACK;
}

/* pieces of blocks in block.c: an instruction that acts, and one that may jump */
struct val block_value(const struct insn *i, struct ctx *c, const struct val *r);
void block_act(const struct insn *i, struct ctx *c, struct val *r);
bool block_jump(const struct insn *i, struct ctx *c, struct val *r);

/* the symbols of an engine file each */
bool sym_value(const struct field *f, const char *name, uint64_t *value, uint64_t *mask);
struct val sym_name(const struct field *f, struct val v, struct scratch *s);

/* ---- pieces of the machine in fn.c ---- */
bool glob_match(const char *pat, size_t np, const char *s, size_t n);
struct val val_text(struct scratch *s, const char *p, size_t n);
struct val val_printf(struct scratch *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct val fn_itos(struct scratch *s, struct val v);
struct val fn_dtos(struct scratch *s, double d);
struct val fn_log2(struct val v);
struct val fn_bucket(struct val v, struct val n);
struct val fn_substr(struct val s, struct val start, struct val len);
struct val fn_strftime(struct scratch *s, struct val fmt, struct val t);
struct val fn_errno(struct scratch *s, struct val v, bool positive);
struct val fn_syscall(struct scratch *s, const struct origin *o, struct val v);
struct val fn_kaddr(struct scratch *s, struct origin *o, struct val name);
struct val fn_ksym(struct scratch *s, struct origin *o, struct val v, bool offset);
struct val fn_ip(struct scratch *s, const struct origin *o, struct val v, bool number);
struct val fn_mac(struct scratch *s, struct val v);
struct val fn_dev(struct scratch *s, struct val v);
struct val fn_signal(struct scratch *s, struct val v);
struct val fn_elem(const struct rec *r, const struct field *f, uint64_t index);
struct val fn_match(struct ctx *c, struct val s, const void *re);

static inline struct val val_null(void)
{
	return (struct val){.null = true};
}

static inline struct val val_int(uint64_t u, bool uns)
{
	return (struct val){.u = u, .uns = uns};
}

/* val_cmp - -1, 0, 1 by value whatever the signs */
static inline int val_cmp(struct val a, struct val b)
{
	if (a.uns != b.uns) {
		if (!a.uns && a.s < 0)
			return -1;
		if (!b.uns && b.s < 0)
			return 1;
		return (a.u > b.u) - (a.u < b.u);
	}
	if (a.uns)
		return (a.u > b.u) - (a.u < b.u);
	return (a.s > b.s) - (a.s < b.s);
}

static inline __int128 val_wide(struct val v)
{
	return v.uns ? (__int128)v.u : (__int128)v.s;
}

static inline int bytes_cmp(const char *a, size_t na, const char *b, size_t nb)
{
	size_t n = na < nb ? na : nb;
	int r = n ? memcmp(a, b, n) : 0;

	return r ? (r > 0) - (r < 0) : (na > nb) - (na < nb);
}

static inline struct val code_eval(struct code *k, struct ctx *c)
{
	struct prog *p = k->by[c->li];
	uint64_t u;

	if (__builtin_expect(!p, 0))
		p = code_compile(k, c);
	if (p->kind == PROG_INT) {
		if (rec_int(c->r, p->f, &u))
			return val_int(u, !p->f->is_signed);
		return val_null();
	}
	return vm_run(p, c);
}

/* truth of a condition's value: null is false */
static inline bool val_true(struct val v)
{
	return !v.null && v.u;
}

/* val_cell - a value of type @t as it rests in a row; strings stay borrowed */
void val_cell(const struct type *t, struct val v, struct cell *out);

#endif
