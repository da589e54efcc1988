/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checked blocks: statements with typed expressions, and the maps and variables that all blocks of
 * one run share. A map's keys and values have the types of their first use. Nothing here knows how
 * statements are carried out.
 */
#ifndef TRACESH_CHECK_BLOCK_H
#define TRACESH_CHECK_BLOCK_H

#include "check/query.h"

/* @name[keys] of a run. */
struct bmap {
	const char *name; /* without its @, "" for @ alone */
	unsigned index;
	/* keys, once some use has said what they are */
	bool keyed;
	struct span key_span;
	unsigned nkeys;
	struct type *ktypes;
	const char **knames; /* as written where they were first stored */
	bool knamed;         /* by a place that stores, whose names go before others */
	/* values, once something was stored */
	bool typed, is_agg;
	struct span span;
	struct type type; /* of what is stored; aggregations: of their argument */
	struct agg agg;
	bool used; /* in the pass that counts, not only learned of */
};

/* $name of a run. */
struct bvar {
	const char *name;
	unsigned index;
	bool set; /* some statement sets it */
	struct span span;
	struct type type;
	const struct expr *init; /* the shell's value, or NULL */
	bool warned;
};

struct globals {
	struct arena *a;
	struct bmap **maps;
	size_t nmaps;
	struct bvar **vars;
	size_t nvars;
	bool changed; /* by the pass that is going on */
	bool learning;
};

enum bs_kind {
	BS_VAR,    /* var = e */
	BS_STORE,  /* map[keys] = e */
	BS_AGG,    /* map[keys] takes e */
	BS_DELETE, /* map[keys] */
	BS_CLEAR,  /* map */
	BS_SHOW,   /* print(map[, count]) */
	BS_PRINTF, /* str, args */
	BS_EVENT,  /* print: the event in the kernel's format; args: tid, comm */
	BS_ROW,    /* print E, ...: args, schema */
	BS_EXIT,
	BS_NEXT,
	BS_IF,        /* e, body, other */
	BS_WHILE,     /* e, body */
	BS_FOR,       /* map, local: its first, nkeys of the map; body */
	BS_SPECULATE, /* keys */
	BS_COMMIT,
	BS_DISCARD,
};

struct bstmt {
	enum bs_kind kind;
	struct span span;
	struct bstmt *next;
	struct bmap *map;
	struct bvar *var;
	struct expr **keys; /* of map, or of the speculation */
	unsigned nkeys;
	struct expr *e;
	struct bstmt *body, *other;
	const char *str;
	struct expr **args;
	unsigned nargs;
	struct schema schema;
	uint64_t count;
	unsigned local;
};

enum hook { HOOK_NONE, HOOK_BEGIN, HOOK_END, HOOK_TICK };

struct block {
	struct globals *globals;
	struct bstmt *body;
	unsigned nlocals;
	bool speculates;
	unsigned nspec; /* keys of its speculations */
	struct type *spec_types;
	struct span spec_span;
	enum hook hook;
	uint64_t tick; /* ns */
};

struct globals *globals_new(struct arena *a);

/* block_exprs - call @fn with every expression of @b; stops at and returns what is not 0 */
int block_exprs(const struct block *b, int (*fn)(void *arg, struct expr *e), void *arg);

/* bmap_schema - the columns of a map as a table */
struct schema bmap_schema(const struct bmap *m, struct arena *a);
/* bmap_read_type - of @m[k] in an expression; false where it has none (hist ...) */
bool bmap_read_type(const struct bmap *m, struct type *out);

#endif
