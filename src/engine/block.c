/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the instructions of blocks do, the blocks' place in a chain, and those that run without
 * events. The machine is vm.c, maps are map.c, what is held back is spec.c.
 */
#include "engine/block.h"

#include "engine/spec.h"

#include <stdlib.h>

#define MAX_ROUNDS 1000000   /* of the whiles, for one event */
#define MAX_ENTRIES 10000000 /* that its fors go over */

struct blockrun *blocks_new(struct engine *e, const struct globals *g)
{
	struct blockrun *r = ARENA_NEW(e->arena, struct blockrun);
	unsigned used = 0;

	r->e = e;
	r->g = g;
	r->maps = ARENA_ARRAY(e->arena, struct map, g->nmaps + 1);
	r->vars = ARENA_ARRAY(e->arena, struct var, g->nvars + 1);
	for (size_t i = 0; i < g->nmaps; i++) {
		map_init(&r->maps[i], e, g->maps[i]);
		used += g->maps[i]->typed;
	}
	r->named = used > 1;
	for (size_t i = 0; i < g->nvars; i++) {
		const struct bvar *v = g->vars[i];

		r->vars[i].str = type_str(&v->type) && v->type.kind != T_NULL;
		r->vars[i].v = r->vars[i].str ? (struct val){.p = ""} : val_int(0, false);
		if (v->init && v->init->op == XO_STR)
			r->vars[i].v = (struct val){.p = v->init->str, .len = v->init->len};
		else if (v->init && v->type.kind == T_DEC)
			r->vars[i].v.d = (double)(int64_t)v->init->num;
		else if (v->init)
			r->vars[i].v = val_int(v->init->num, v->init->type.sign == SG_UNSIGNED);
	}
	return r;
}

void blocks_clear(struct blockrun *r)
{
	for (size_t i = 0; i < r->g->nmaps; i++)
		map_clear(&r->maps[i]);
}

void blocks_free(struct blockrun *r)
{
	if (!r)
		return;
	blocks_clear(r);
	for (size_t i = 0; i < r->g->nvars; i++)
		free(r->vars[i].p);
}

uint64_t blocks_dropped(const struct blockrun *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->g->nmaps; i++)
		n += r->maps[i].dropped;
	return n;
}

void blocks_show(struct blockrun *r, struct qrun *q, bool interim)
{
	for (size_t i = 0; i < r->g->nmaps; i++) {
		if (r->g->maps[i]->typed && !map_empty(&r->maps[i])) {
			map_show(&r->maps[i], q->sink, 0, r->named, interim);
			q->printed = true;
		}
	}
}

void blocks_complain(struct blockrun *r)
{
	const struct bstmt *s = r->runaway;

	if (!s)
		return;
	diag_error(r->e->s->diags, "runaway-loop", s->span,
		   "this loop went round %u times for one event",
		   s->kind == BS_FOR ? MAX_ENTRIES : MAX_ROUNDS);
	r->runaway = NULL;
}

struct map *block_map(struct ctx *c, uint64_t index)
{
	return &c->blocks->maps[index];
}

struct var *block_var(struct ctx *c, uint64_t index)
{
	return &c->blocks->vars[index];
}

/* ---- instructions ---- */

struct val block_value(const struct insn *i, struct ctx *c, const struct val *r)
{
	switch (i->op) {
	case C_NOW: return c->now ? val_int(c->now, true) : val_null();
	case C_VAR: return ((const struct var *)i->p)->v;
	case C_MAP: return map_read((struct map *)i->p, r + i->a);
	default: return map_has((struct map *)i->p, r + i->a);
	}
}

static void set_var(struct var *v, struct val x)
{
	if (!v->str || x.null) {
		v->v = x;
		return;
	}
	if (x.len > v->cap || !v->p) {
		char *p = xmalloc(2 * (size_t)x.len + 16);

		/* what is copied may be part of what was there */
		memcpy(p, x.p, x.len);
		free(v->p);
		v->p = p;
		v->cap = 2 * (size_t)x.len + 16;
	} else if (x.len) {
		memmove(v->p, x.p, x.len);
	}
	x.p = v->p;
	v->v = x;
}

static void out_printf(const struct bstmt *s, struct qrun *q, const struct val *args)
{
	struct buf *b = &q->e->text;

	buf_clear(b);
	printf_expand(s->str, s->args, args, s->nargs, b);
	q->sink->text(q->sink, buf_str(b), b->len);
}

static void out_row(const struct bstmt *s, struct ctx *c, const struct val *args)
{
	struct cell *cells = scratch_alloc(c->scratch, s->nargs * sizeof(*cells) + 1);

	for (unsigned i = 0; i < s->nargs; i++)
		val_cell(&s->args[i]->type, args[i], &cells[i]);
	c->q->sink->row(c->q->sink, &s->schema, cells);
}

static void out(const struct bstmt *s, struct ctx *c, const struct val *args)
{
	switch (s->kind) {
	case BS_SHOW:
		map_show(block_map(c, s->map->index), c->q->sink, s->count, c->blocks->named, true);
		break;
	case BS_PRINTF: out_printf(s, c->q, args); break;
	case BS_EVENT: print_record(c->q, c, args[0], args[1]); break;
	default: out_row(s, c, args);
	}
	c->q->printed = true;
}

static void leave(struct blockrun *b)
{
	b->exiting = true;
	for (unsigned i = 0; i < b->e->nq; i++)
		b->e->q[i].done = true;
}

void block_act(const struct insn *i, struct ctx *c, struct val *r)
{
	struct map *m = (struct map *)i->p;
	struct scratch_mark at;

	switch (i->op) {
	case C_SETVAR: set_var((struct var *)i->p, r[i->b]); break;
	case C_STORE: map_store(m, r + i->a, r[i->b]); break;
	case C_ADD_AGG: map_add(m, r + i->a, r[i->b], c->scratch); break;
	case C_DELETE: map_delete(m, r + i->a); break;
	case C_CLEAR: map_clear(m); break;
	case C_OUT: out(i->p, c, r + i->a); break;
	case C_EXIT: leave(c->blocks); break;
	case C_SPEC: spec_statement(c, i->p, r + i->a); break;
	default: /* C_MARK */
		at = scratch_mark(c->scratch);
		r[i->dst] = (struct val){.p = (const char *)at.cur, .len = (uint32_t)at.off};
	}
}

static void rewind_to(struct ctx *c, const struct val *mark)
{
	scratch_rewind(c->scratch,
		       (struct scratch_mark){(struct scratch_chunk *)mark->p, mark->len});
}

bool block_jump(const struct insn *i, struct ctx *c, struct val *r)
{
	struct blockrun *b = c->blocks;
	bool entries = i->op == C_ROUND && i->a;

	if (i->op == C_EACH) {
		struct map *m = (struct map *)i->p;
		struct val *at = &r[i->a];
		uint32_t id;

		rewind_to(c, &r[i->b]);
		if (at->null)
			*at = (struct val){.u = 0, .len = m->g.groups.nent};
		id = (uint32_t)at->u;
		if (!map_next(m, &id, at->len, r + i->dst, c->scratch))
			return true;
		at->u = id;
		return false;
	}
	if (!entries)
		rewind_to(c, &r[i->b]);
	if (entries ? ++b->entries <= MAX_ENTRIES : ++b->rounds <= MAX_ROUNDS)
		return false;
	b->runaway = i->p;
	leave(b);
	return true;
}

/* ---- running ---- */

bool block_run(struct blockcode *k, struct qrun *q, struct ctx *c)
{
	struct prog *p = k->by[c->li];

	if (__builtin_expect(!p, 0))
		p = block_compile(k, c);
	c->q = q;
	c->blocks->rounds = c->blocks->entries = 0;
	return val_true(vm_run(p, c));
}

void block_hook(struct qrun *q, uint64_t ts)
{
	struct ctx *c = q->c;

	if (c->blocks->runaway)
		return;
	scratch_reset(c->scratch);
	c->r = NULL;
	c->li = 0;
	c->slots = q->slots;
	c->now = ts;
	block_run(q->hook, q, c);
}

struct block_node {
	struct node node;
	struct blockcode code;
};

static void run(struct node *n, struct ctx *c)
{
	struct block_node *b = (struct block_node *)n;
	bool on;

	if (b->code.spec)
		spec_begin(b->code.spec, c);
	on = block_run(&b->code, n->q, c);
	if (b->code.spec)
		on = spec_end(b->code.spec, n, c, on);
	if (on)
		node_pass(n, c);
}

struct node *block_new(struct qrun *q, const struct op *op)
{
	struct arena *a = q->e->arena;
	struct block_node *b = ARENA_NEW(a, struct block_node);

	b->node.run = run;
	b->code.b = op->block;
	b->code.by = ARENA_ARRAY(a, struct prog *, q->nlocal ? q->nlocal : 1);
	if (op->block->speculates)
		b->code.spec = spec_new(q, op->block->spec_types, op->block->nspec);
	if (op->block->hook)
		q->hook = &b->code;
	return &b->node;
}
