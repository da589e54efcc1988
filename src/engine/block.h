/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks at run time: the maps and variables that the blocks of a run share, their programs, and
 * when those without events run.
 */
#ifndef TRACESH_ENGINE_BLOCK_H
#define TRACESH_ENGINE_BLOCK_H

#include "check/block.h"
#include "engine/map.h"

/* A variable of the run; strings are kept in a buffer of its own. */
struct var {
	struct val v;
	bool str;
	char *p;
	size_t cap;
};

struct spec;

struct blockrun {
	struct engine *e;
	const struct globals *g;
	struct map *maps;
	struct var *vars;
	bool named; /* several maps: results carry their names */
	bool shown; /* at the end */
	bool exiting;
	uint64_t rounds, entries;    /* that loops went round for this event */
	const struct bstmt *runaway; /* the loop that was stopped */
};

/* A block of one query: programs by local event, under 0 where there are no events. */
struct blockcode {
	const struct block *b;
	struct prog **by;
	struct spec *spec; /* NULL: it does not speculate */
};

/* blocks_new - of the run of @g; in the engine's arena. blocks_free gives back what is not there */
struct blockrun *blocks_new(struct engine *e, const struct globals *g);
void blocks_free(struct blockrun *r);
void blocks_clear(struct blockrun *r);
uint64_t blocks_dropped(const struct blockrun *r);
/* blocks_show - the maps that query @q's statement or an earlier one uses, through its sink */
void blocks_show(struct blockrun *r, struct qrun *q, bool interim);
/* blocks_complain - the diag of a loop that was stopped */
void blocks_complain(struct blockrun *r);

/* for compile.c: what an index means */
struct map *block_map(struct ctx *c, uint64_t index);
struct var *block_var(struct ctx *c, uint64_t index);

/* block_compile - the program for the event of c->r, or for none */
struct prog *block_compile(struct blockcode *k, struct ctx *c);
/* block_run - false: the event goes no further */
bool block_run(struct blockcode *k, struct qrun *q, struct ctx *c);
/* block_hook - run a block without events, at time @ts */
void block_hook(struct qrun *q, uint64_t ts);

struct node *block_new(struct qrun *q, const struct op *op);

#endif
