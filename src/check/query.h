/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A checked pipeline: names are resolved to events, fields, slots and columns, every expression has
 * a type. This is what the planner cuts, the engine compiles and the reports take their columns
 * from. Everything lives in the arena of one compilation.
 *
 * Where values live while an event flows through: the current record (of the event that is being
 * processed; for a pair, its end B), and the *slots* of the query: `let` values and what pairs
 * saved of their start. Slots are numbered over the whole query, so a chain of pairs just has more
 * of them. After an aggregate there are no records any more but rows with columns.
 */
#ifndef TRACESH_CHECK_QUERY_H
#define TRACESH_CHECK_QUERY_H

#include "base/arena.h"
#include "base/span.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- types ---- */
enum type_kind {
	T_INT,
	T_TIME, /* ns; comparison with 500us etc. works as all times are ns */
	T_STR,
	T_BOOL,  /* 0 or 1 */
	T_ADDR,  /* unsigned, shown as 0x... */
	T_STACK, /* string of frames joined by ';', innermost first */
	T_DEC,   /* decimal: row cells hold millionths (avg, stddev), expressions a double */
	T_NULL,
};

enum sign { SG_SIGNED, SG_UNSIGNED, SG_MIXED }; /* MIXED: known per value only (val.uns) */
enum show { SHOW_PLAIN, SHOW_HEX, SHOW_OCT, SHOW_SIZE };

struct type {
	enum type_kind kind;
	enum sign sign; /* T_INT, T_TIME, T_BOOL */
	bool literal;   /* a constant of the script: takes the other side's sign */
	enum show show;
};

/* ---- values ---- */
/* A value in flight. Strings are borrowed: from the record, the query, or the engine's scratch. */
struct val {
	union {
		uint64_t u;
		int64_t s;
		double d;
		const char *p;
	};
	uint32_t len; /* strings: bytes */
	bool null;
	bool uns; /* integers: unsigned */
};

/* A value at rest in a result row. */
struct cell {
	__int128 n;    /* integers, times (ns), T_DEC in millionths */
	const char *p; /* strings */
	uint32_t len;
	bool null;
};

/* ---- expressions ---- */
enum builtin {
	BI_NONE,
	BI_TS,
	BI_CPU,
	BI_TID,
	BI_PID,
	BI_PPID,
	BI_COMM,
	BI_EVENT,
	BI_SYSTEM,
	BI_KSTACK,
	BI_USTACK
};

enum xop {
	/* leaves */
	XO_NUM, /* num; type says sign and kind */
	XO_STR, /* str, len */
	XO_NULL,
	XO_FIELD,   /* str: name. Of the current record, by its event; where that has no such field,
		       builtin, else null */
	XO_BUILTIN, /* builtin, whatever the event holds (task.pid, ts ...) */
	XO_ELEM,    /* str: name of an array field, num: index (args of raw_syscalls) */
	XO_SLOT,    /* num: slot of the query */
	XO_COL,     /* num: column of the row */
	XO_MAP,     /* blocks: str: map name, num: its index, kids: keys */
	XO_VAR,     /* blocks: str: variable of the run, num: its index */
	XO_LOCAL,   /* blocks: num: a key of the `for` around */
	/* integers; division by zero and null operands give null. XO_LT.. compare by value whatever
	   the signs */
	XO_NEG,
	XO_BNOT,
	XO_NOT,
	XO_ADD,
	XO_SUB,
	XO_MUL,
	XO_DIV,
	XO_MOD,
	XO_AND,
	XO_OR,
	XO_XOR,
	XO_SHL,
	XO_SHR,
	XO_LAND,
	XO_LOR, /* short-circuit; null counts as false, result is never null: `null || 1` is 1 */
	XO_EQ,
	XO_NE,
	XO_LT,
	XO_LE,
	XO_GT,
	XO_GE,
	/* strings */
	XO_SEQ,
	XO_SNE,
	XO_SLT,
	XO_SLE,
	XO_SGT,
	XO_SGE,
	XO_GLOB,
	XO_NGLOB, /* kids[0], str: pattern */
	XO_MATCH, /* kids[0] =~ regex: str pattern, str2 flags; re: compiled pcre2_code, owned by
		     the query */
	/* names of values: kids[0] is an XO_FIELD (or XO_SLOT with symfield set); per event the
	 * name is looked up with field_symvalue() and compared as (v & mask) == value */
	XO_SYMEQ,
	XO_SYMNE,
	XO_HAS,   /* str: the name ("D", "GFP_ATOMIC", "A|B") */
	XO_COND,  /* kids: c, a, b */
	XO_IN,    /* kids[0] in kids[1..]; all integers or all strings */
	XO_INMAP, /* blocks: kids[0..] in map str, num: its index */
	XO_FN,    /* fn, kids */
};

enum fn {
	FN_MIN,
	FN_MAX,
	FN_ABS,
	FN_LOG2,
	FN_BUCKET,
	FN_STRLEN,
	FN_SUBSTR,
	FN_STRFTIME,
	FN_ERRNO,
	FN_SYSCALL,
	FN_KADDR,
	FN_KSYM,
	FN_KSYMOFF,
	FN_TIDCOMM,
	FN_STR,
	FN_SYMNAME,
	FN_IP,
	FN_MAC,
	FN_DEV,
	FN_SIGNAL,
	FN_EXT /* from a plugin: ext */
};

struct expr {
	enum xop op;
	enum builtin builtin;
	enum fn fn;
	struct type type;
	struct span span;
	struct expr **kids;
	unsigned n;
	uint64_t num;
	const char *str, *str2;
	uint32_t len;
	void *re;
	const struct field
		*symfield; /* XO_SYMEQ.. over a slot: the field the slot was saved from */
	const struct event_list
		*evs; /* XO_FIELD, XO_BUILTIN: the events this may be evaluated on */
};

/* ---- columns ---- */
struct column {
	const char *name; /* as written: "next_comm", "call_site.sym", "sum(bytes_req)" */
	struct type type;
	bool key;
};

struct schema {
	struct column *cols;
	unsigned n, nkeys;
	bool hist;             /* the last three columns are lo, hi, count of buckets */
	struct type hist_type; /* of the value: time, size ... for labels */
};

/* ---- aggregates ---- */
enum agg_kind {
	AG_COUNT,
	AG_SUM,
	AG_AVG,
	AG_MIN,
	AG_MAX,
	AG_STATS,
	AG_HIST,
	AG_QUANTILE,
	AG_DISTINCT
};
enum hist_kind { HK_LOG2, HK_LINEAR, HK_LOGLIN };

struct agg {
	enum agg_kind kind;
	struct expr *e;   /* NULL for count */
	const char *name; /* column name; stats and quantile have several columns, named by
			     themselves */
	enum hist_kind hist;
	uint64_t step; /* HK_LINEAR */
	bool bounded;  /* from/to given: below and above are counted in buckets of their own */
	int64_t from, to;
	unsigned digits;          /* HK_LOGLIN */
	double *quants;           /* AG_QUANTILE: 0 < q < 100 */
	const char **quant_names; /* "p50" */
	unsigned nquants;
};

struct key {
	struct expr *e;
	const char *name;
};

/* ---- stages ---- */
struct pipe;
struct stage_kind;
struct block; /* check/block.h */
struct globals;

enum op_kind {
	OP_WHERE,  /* cond; on events, or on rows */
	OP_LET,    /* lets; on events into slots, on rows as further columns */
	OP_AGG,    /* keys, aggs: ends the events, begins the rows */
	OP_ROWS,   /* `print E, ...` followed by row stages or an output stage: keys[] are its
		      columns, each event a row */
	OP_SORT,   /* col, desc */
	OP_TOP,    /* count, col: largest first */
	OP_LIMIT,  /* count; on events or rows */
	OP_EVERY,  /* ns, keep */
	OP_PRINT,  /* keys[] are the columns; nkeys == 0: the event in the kernel's own format */
	OP_PRINTF, /* str: format, args */
	OP_RENDER, /* render */
	OP_STACK,  /* adds kstack (ustack: user) with at most count frames */
	OP_SPECULATE,
	OP_BLOCK,
	OP_RECORD,
	OP_SNAPSHOT,
	OP_STOP,
	OP_PLUGIN,
};

enum render { RENDER_AUTO, RENDER_TABLE, RENDER_PLOT, RENDER_CSV, RENDER_JSON, RENDER_FOLDED };

struct let {
	const char *name;
	struct expr *e;
	unsigned slot; /* events: slot; rows: column */
};

struct op {
	enum op_kind kind;
	const struct stage_kind *stage; /* who made it: its name, help, push-down rule */
	struct span span;
	struct op *next;
	bool rows; /* works on rows */
	struct expr *cond;
	struct let *lets;
	unsigned nlets;
	struct key *keys;
	unsigned nkeys;
	struct agg *aggs;
	unsigned naggs;
	unsigned col;
	bool desc, keep;
	uint64_t count;
	uint64_t ns;
	const char *str;
	struct expr **args;
	unsigned nargs;
	enum render render;
	struct block *block;
	void *priv; /* stages of plugins and later issues */
};

/* ---- sources ---- */
enum src_kind {
	SRC_EVENTS, /* evs */
	SRC_UNION,  /* kids: any number of pipes; their events in time order */
	SRC_PAIR,   /* kids[0] -> kids[1]; syscall: is checked into this as well */
	SRC_PIPE,   /* kids[0]: a pipeline in parentheses or by name */
	SRC_PROBE,  /* probe: a dynamic event to be made first (evs is filled once it exists) */
};

/* What a pair keeps of its start: evaluated on A, put into the slot when B takes it. */
struct save {
	struct expr *e;
	unsigned slot;
	const char *name;
};

struct probe; /* source/probe.h: kprobe and friends */

struct src {
	enum src_kind kind;
	struct span span;
	const char *text;      /* as written, for explain and messages */
	struct event_list evs; /* all events that can be its current record (a pair: those of B) */
	struct pipe **kids;
	unsigned nkids;
	/* SRC_PAIR */
	struct expr **akeys,
		**bkeys; /* evaluated on A resp. B; widths and signs are made equal by check */
	unsigned npairkeys;
	uint64_t within; /* ns, 0: no bound. A pair whose delta is larger is not made, its A is
			    dropped */
	struct save *saves;
	unsigned nsaves;
	bool is_syscall; /* `syscall:`: unmatched exits and entries at the edges are nothing to warn
			    of */
	struct probe *probe;
};

struct pipe {
	struct src *src;
	struct op *ops;       /* in order, NULL: none */
	bool rows;            /* its result is rows (schema) */
	struct schema schema; /* of the rows, after all ops */
};

/* ---- a whole statement ---- */
struct query {
	struct arena *arena;
	struct pipe *pipe;
	const char *name; /* NAME = pipeline, else NULL */
	const char *text; /* canonical text */
	struct span span;
	unsigned nslots;
	uint64_t for_ns;      /* `for DUR`, 0: none */
	const char *redirect; /* ">", ">>", "|!" or NULL */
	const char *target;   /* file or command */
	bool background;
	enum render render; /* RENDER_AUTO: by format setting and terminal */
	bool needs_tasks;   /* comm, pid, ppid are used: task events must be followed */
	bool needs_order;   /* pairs, print, blocks ...: records must come in time order */
	struct span origin_span;
	struct globals *globals; /* of the run, shared with its other queries; NULL: no blocks */
	struct block *hook;      /* begin, end, tick: the statement has no source but this */
	void **regexes;          /* compiled patterns, freed by query_free_external() */
	unsigned nregexes;
};

#endif
