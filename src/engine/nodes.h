/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operators as a chain that records are pushed through, and what a running query consists of. Each
 * operator is a struct that begins with a node; the makers are in the file of their subject.
 */
#ifndef TRACESH_ENGINE_NODES_H
#define TRACESH_ENGINE_NODES_H

#include "engine/code.h"
#include "engine/engine.h"
#include "engine/tab.h"

struct qrun;

struct node {
	void (*run)(struct node *n, struct ctx *c);
	struct node *next; /* NULL: the end */
	struct qrun *q;
	const struct op *op;
};

static inline void node_pass(const struct node *n, struct ctx *c)
{
	if (n->next)
		n->next->run(n->next, c);
}

/* Rows while they are worked on: row-major, strings borrowed. */
struct rows {
	struct cell *cells;
	size_t n, cap;
	unsigned width;
};

/* A table that gives rows: an aggregate, or collected rows. */
struct table {
	struct node node;
	unsigned width, nkeys; /* columns */
	bool hist;
	bool ordered; /* rows come in an order that means something */
	void (*fill)(struct table *t, struct rows *out);
	void (*clear)(struct table *t);
	bool (*empty)(const struct table *t);
	/* NULL: its events must come one by one */
	void (*add)(struct table *t, struct ctx *c, const struct engine_part *p);
	/* @s of the same query, over other records, is added to @d; -1: no room. NULL: cannot */
	int (*merge)(struct table *d, struct table *s);
};

struct pair;

/* A row stage with its expressions compiled. */
struct rowop {
	const struct op *op;
	struct code *codes;
};

struct qrun {
	struct engine *e;
	const struct query *q;
	struct sink *sink;
	struct ctx *c;
	bool done, paused, finished, printed;
	bool closing; /* a limit was reached: done once this record is through */
	struct val *slots;
	unsigned stacks[2]; /* slots of kstack and ustack that `stack`, `ustack` made, plus one */
	unsigned nlocal;    /* events of its sources */
	struct table *table;
	struct rowop *rowops;
	unsigned nrowops, width; /* width: columns while rows are worked on */
	struct pair **pairs;
	size_t npairs;
	struct spec **specs;
	size_t nspecs;
	bool fired;             /* an event came to a snapshot */
	struct blockcode *hook; /* begin, end, tick */
	bool blocks;            /* it has a block: maps show with it */
	bool started;
	uint64_t for_end;     /* UINT64_MAX: never */
	uint64_t every, next; /* ns, time of the next; 0: none */
	bool keep;
	struct engine_stats st;
	bool want_tasks;
	const struct engine_source *from; /* NULL: its records come by engine_feed() */
};

struct entry {
	struct node *head;
	struct qrun *q;
	unsigned li;
};

struct entries {
	struct entry *v;
	size_t n;
	uint8_t stacks; /* WANT_KSTACK, WANT_USTACK */
	bool tells;     /* the table of tasks is told of it */
};

struct engine {
	struct session *s;
	struct catalog *c;
	struct arena *arena;
	struct mem mem;
	struct scratch scratch;
	struct ctx ctx;
	struct qrun *q;
	unsigned nq;
	struct entries *by_event; /* by event index */
	unsigned nevents;
	bool want_tasks, want_stacks;
	bool stopped;         /* an event came to a stop: no more are taken */
	struct tasks **tasks; /* by origin index; NULL: not followed */
	unsigned ntasks;
	uint64_t deadline;       /* the next time a query has to do something */
	struct buf text;         /* print, printf */
	struct lines *lines;     /* print; NULL: nothing printed yet */
	struct blockrun *blocks; /* NULL: there are none */
	bool begun;
	uint64_t last_ts; /* ns: of the last record, or where time came to */
};

/* code_new - @e to be compiled per event of @q; code_rows for rows */
struct code code_new(struct qrun *q, const struct expr *e);
struct code code_rows(struct qrun *q, const struct expr *e);

/* ---- makers: NULL with a diag where the engine cannot ---- */
struct node *agg_new(struct qrun *q, const struct op *op);
struct node *collect_new(struct qrun *q, const struct op *op);
struct node *print_new(struct qrun *q, const struct op *op);
struct node *printf_new(struct qrun *q, const struct op *op);
/* print_record - the event in the kernel's format */
void print_record(struct qrun *q, struct ctx *c, struct val tid, struct val comm);
/* simple event operators: where, let, limit. @last: a limit that is reached ends the query */
struct node *event_op_new(struct qrun *q, const struct op *op, bool last);

/* pair_new - two entries, for the start's chain and the end's; @out what made pairs flow into */
struct pair *pair_new(struct qrun *q, const struct src *src, struct node *out, struct node **start,
		      struct node **end);
void pair_clear(struct pair *p);
void pair_lost(struct pair *p, const struct rec *r);
uint64_t pair_open(const struct pair *p);

/* ---- keys ---- */
/* Integers by value whatever the sign, strings as bytes; one key of eight bytes is not encoded. */
struct keys {
	struct code *v;
	unsigned n;
	bool one_int;
	bool packed; /* texts by their number in texts, so that the whole is an integer key */
	bool with_int;
	uint8_t *buf;
	size_t cap;
	unsigned nlocal;
	struct tab texts;
	uint32_t *consts;      /* numbers of constant texts, [key * nlocal + event]; 0: not yet */
	struct cpu_name *cpus; /* of the task that was seen last, by CPU */
	struct name_number **names; /* of tasks' names, by origin and the task's place */
	uint32_t *nnames, norigins;
};

/* good while no name has changed since */
struct cpu_name {
	uint64_t changes;
	int tid;
	uint16_t origin;
	bool known;
	uint32_t number;
	uint32_t idle; /* the number of its idle task's name; 0: not yet */
};

struct name_number {
	uint32_t version, number;
};

/* An evaluated key. */
struct keyval {
	uint64_t key; /* one_int: the value; packed: all but aux; else the hash */
	uint32_t aux; /* one_int: 1 beyond INT64_MAX; else bytes in buf */
	bool no_room; /* with keys_eval() false */
};

void keys_init(struct keys *k, struct qrun *q, const struct key *keys, struct expr *const *exprs,
	       unsigned n);
/* keys_types - keys that are handed in as values of these types */
void keys_types(struct keys *k, struct arena *a, const struct type *types, unsigned n);
/* keys_choose_packed - for keys that are kept until keys_free(): pack them if that pays */
void keys_choose_packed(struct keys *k, struct qrun *q);
/* keys_as_int - the key is an integer with a companion: for the integer calls of tables */
static inline bool keys_as_int(const struct keys *k)
{
	return k->one_int || k->packed;
}
void keys_free(struct keys *k);
/* keys_of - encode @v; false: one of them is null. keys_vals - back, strings copied to @s */
bool keys_of(struct keys *k, const struct val *v, struct keyval *out);
void keys_vals(const struct keys *k, const struct ent *e, struct val *out, struct scratch *s);
/* keys_eval - false: one of them is null */
bool keys_encode(struct keys *k, struct ctx *c, struct keyval *out);
bool keys_pack(struct keys *k, struct ctx *c, struct keyval *out);
static inline bool keys_eval(struct keys *k, struct ctx *c, struct keyval *out)
{
	if (k->one_int) {
		struct val v = code_eval(&k->v[0], c);

		out->key = v.u;
		out->aux = v.uns && v.s < 0;
		out->no_room = false;
		return !v.null;
	}
	out->no_room = false;
	if (k->packed)
		return keys_pack(k, c, out);
	return keys_encode(k, c, out);
}
/* keys_again - the key of @e, which is from the table of @from, as one of @k; false: no room */
bool keys_again(struct keys *k, const struct keys *from, const struct ent *e, struct keyval *out);
/* keys_cells - the key columns of an entry */
void keys_cells(const struct keys *k, const struct ent *e, struct cell *out);

/* ---- rows ---- */
struct cell *rows_add(struct rows *r);
void rows_free(struct rows *r);
/* rows_default - by the first value, largest first, then by the keys; histograms by keys and
 * buckets */
void rows_default(struct rows *r, unsigned nkeys, bool hist);
/* rows_finish - the row stages of a query over @r, then its sink */
void rows_finish(struct qrun *q, struct rows *r, bool interim);
/* rowops_new - compile them; 0 or -1 */
int rowops_new(struct qrun *q, const struct op *first);
void query_result(struct qrun *q, bool interim);

/* printf_expand - the text of a format with its values into @out */
void printf_expand(const char *fmt, struct expr *const *args, const struct val *vals, unsigned n,
		   struct buf *out);

int not_yet(struct qrun *q, struct span at, const char *what);

#endif
