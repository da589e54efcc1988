/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks to register code, once per event as expressions are. The first registers are the keys of
 * its `for`s, then the block's answer: does the event go on.
 */
#include "engine/block.h"
#include "engine/gen.h"

struct bgen {
	struct gen g;
	const struct block *b;
	uint16_t goes_on;
	size_t *ends; /* jumps to the end of the program */
	size_t nends;
};

static void statements(struct bgen *k, const struct bstmt *s);

static void to_end(struct bgen *k, size_t at)
{
	ARENA_PUSH(k->g.c->arena, k->ends, k->nends, at);
}

static size_t here(const struct bgen *k)
{
	return k->g.n;
}

static void target(struct bgen *k, size_t jump)
{
	k->g.code[jump].x = (uint32_t)k->g.n;
}

static void stop(struct bgen *k)
{
	gen_emit(&k->g, (struct insn){.op = C_NUM, .dst = k->goes_on});
	to_end(k, gen_emit(&k->g, (struct insn){.op = C_JMP}));
}

/* a value as what it goes into holds it */
static uint16_t value(struct bgen *k, const struct expr *e, const struct type *into)
{
	uint16_t r = gen_reg(&k->g);

	if (!e)
		gen_emit(&k->g, (struct insn){.op = C_NUM, .dst = r, .u = 1});
	else
		gen_expr(&k->g, e, r);
	if (e && into->kind == T_DEC && e->type.kind != T_DEC)
		gen_emit(&k->g, (struct insn){.op = C_TODEC, .dst = r, .a = r});
	return r;
}

static void act(struct bgen *k, const struct bstmt *s, enum opcode op)
{
	struct insn i = {.op = op};
	bool has_value = op == C_STORE || op == C_ADD_AGG;

	i.a = gen_args(&k->g, s->keys, s->nkeys);
	if (has_value)
		i.b = value(k, s->e, &s->map->type);
	i.p = block_map(k->g.c, s->map->index);
	gen_emit(&k->g, i);
}

static void if_else(struct bgen *k, const struct bstmt *s)
{
	uint16_t r = gen_reg(&k->g);
	size_t no, end;

	gen_truth(&k->g, s->e, r);
	no = gen_emit(&k->g, (struct insn){.op = C_JF, .a = r});
	statements(k, s->body);
	if (!s->other) {
		target(k, no);
		return;
	}
	end = gen_emit(&k->g, (struct insn){.op = C_JMP});
	target(k, no);
	statements(k, s->other);
	target(k, end);
}

static void loop(struct bgen *k, const struct bstmt *s)
{
	uint16_t mark = gen_reg(&k->g), r = gen_reg(&k->g);
	size_t top, out;

	gen_emit(&k->g, (struct insn){.op = C_MARK, .dst = mark});
	top = here(k);
	to_end(k, gen_emit(&k->g, (struct insn){.op = C_ROUND, .b = mark, .p = s}));
	gen_truth(&k->g, s->e, r);
	out = gen_emit(&k->g, (struct insn){.op = C_JF, .a = r});
	statements(k, s->body);
	gen_emit(&k->g, (struct insn){.op = C_JMP, .x = (uint32_t)top});
	target(k, out);
}

static void each(struct bgen *k, const struct bstmt *s)
{
	uint16_t at = gen_reg(&k->g), mark = gen_reg(&k->g);
	size_t top;

	/* a fresh count: its null says that the end is not known yet */
	gen_emit(&k->g, (struct insn){.op = C_NULL, .dst = at});
	gen_emit(&k->g, (struct insn){.op = C_MARK, .dst = mark});
	top = gen_emit(&k->g, (struct insn){.op = C_EACH,
					    .dst = (uint16_t)s->local,
					    .a = at,
					    .b = mark,
					    .p = block_map(k->g.c, s->map->index)});
	to_end(k, gen_emit(&k->g, (struct insn){.op = C_ROUND, .a = 1, .b = mark, .p = s}));
	statements(k, s->body);
	gen_emit(&k->g, (struct insn){.op = C_JMP, .x = (uint32_t)top});
	target(k, top);
}

static void one(struct bgen *k, const struct bstmt *s)
{
	struct insn i = {.op = C_OUT, .p = s};

	switch (s->kind) {
	case BS_VAR:
		i.op = C_SETVAR;
		i.b = value(k, s->e, &s->var->type);
		i.p = block_var(k->g.c, s->var->index);
		gen_emit(&k->g, i);
		break;
	case BS_STORE: act(k, s, C_STORE); break;
	case BS_AGG: act(k, s, C_ADD_AGG); break;
	case BS_DELETE: act(k, s, C_DELETE); break;
	case BS_CLEAR: act(k, s, C_CLEAR); break;
	case BS_SHOW:
	case BS_PRINTF:
	case BS_EVENT:
	case BS_ROW:
		i.a = gen_args(&k->g, s->args, s->nargs);
		gen_emit(&k->g, i);
		break;
	case BS_EXIT:
		gen_emit(&k->g, (struct insn){.op = C_EXIT});
		stop(k);
		break;
	case BS_NEXT: stop(k); break;
	case BS_IF: if_else(k, s); break;
	case BS_WHILE: loop(k, s); break;
	case BS_FOR: each(k, s); break;
	case BS_SPECULATE:
	case BS_COMMIT:
	case BS_DISCARD:
		i.op = C_SPEC;
		i.a = gen_args(&k->g, s->keys, s->nkeys);
		gen_emit(&k->g, i);
		break;
	}
}

static void statements(struct bgen *k, const struct bstmt *s)
{
	unsigned mark = k->g.top;

	for (; s; s = s->next) {
		one(k, s);
		k->g.top = mark;
	}
}

struct prog *block_compile(struct blockcode *c, struct ctx *x)
{
	struct bgen k = {.g = {.c = x, .ev = x->r ? x->r->ev : NULL}, .b = c->b};
	struct prog *p;

	for (unsigned i = 0; i < c->b->nlocals; i++)
		gen_reg(&k.g);
	k.goes_on = gen_reg(&k.g);
	gen_emit(&k.g, (struct insn){.op = C_NUM, .dst = k.goes_on, .u = 1});
	statements(&k, c->b->body);
	for (size_t i = 0; i < k.nends; i++)
		target(&k, k.ends[i]);
	gen_emit(&k.g, (struct insn){.op = C_END, .a = k.goes_on});
	p = gen_finish(&k.g);
	c->by[x->li] = p;
	return p;
}
