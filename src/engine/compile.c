/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expression trees to register code, once per event that can be current. A field becomes a load
 * with its place in that event, a builtin, or null. Knows no operators of pipelines.
 */
#include "engine/code.h"

#include "engine/block.h"
#include "engine/gen.h"
#include "engine/tasks.h"

#include <stdlib.h>
#include <string.h>

size_t gen_emit(struct gen *g, struct insn i)
{
	ARENA_PUSH(g->c->arena, g->code, g->n, i);
	return g->n - 1;
}

uint16_t gen_reg(struct gen *g)
{
	unsigned r = g->top++;

	if (g->top > g->nregs)
		g->nregs = g->top;
	return (uint16_t)r;
}

/* a kid into a new register */
static uint16_t operand(struct gen *g, const struct expr *e)
{
	uint16_t r = gen_reg(g);

	gen_expr(g, e, r);
	return r;
}

static bool is_dec(const struct expr *e)
{
	return e->type.kind == T_DEC;
}

static uint16_t operand_dec(struct gen *g, const struct expr *e)
{
	uint16_t r = operand(g, e);

	if (!is_dec(e))
		gen_emit(g, (struct insn){.op = C_TODEC, .dst = r, .a = r});
	return r;
}

/* a kid of which only the truth is asked */
void gen_truth(struct gen *g, const struct expr *e, uint16_t dst)
{
	gen_expr(g, e, dst);
	if (type_str(&e->type))
		gen_emit(g, (struct insn){.op = C_STRUTH, .dst = dst, .a = dst});
	else if (is_dec(e))
		gen_emit(g, (struct insn){.op = C_DTRUTH, .dst = dst, .a = dst});
}

static void put_null(struct gen *g, uint16_t dst)
{
	gen_emit(g, (struct insn){.op = C_NULL, .dst = dst});
}

static void put_num(struct gen *g, uint16_t dst, uint64_t u, bool uns)
{
	gen_emit(g, (struct insn){.op = C_NUM, .dst = dst, .x = uns, .u = u});
}

static void put_str(struct gen *g, uint16_t dst, const char *s, size_t n)
{
	gen_emit(g, (struct insn){.op = C_STR, .dst = dst, .x = (uint32_t)n, .str = s});
}

static void gen_builtin(struct gen *g, const struct expr *e, uint16_t dst)
{
	bool uns = e->type.sign == SG_UNSIGNED;
	const struct field *tid;

	if (!g->ev) {
		/* of blocks without events: rows have no builtins */
		if (e->builtin == BI_TS)
			gen_emit(g, (struct insn){.op = C_NOW, .dst = dst});
		else
			put_null(g, dst);
		return;
	}
	tid = event_field(g->ev, "common_pid");
	switch (e->builtin) {
	case BI_TS: gen_emit(g, (struct insn){.op = C_TS, .dst = dst, .x = uns}); return;
	case BI_CPU: gen_emit(g, (struct insn){.op = C_CPU, .dst = dst, .x = uns}); return;
	case BI_EVENT: put_str(g, dst, g->ev->name, strlen(g->ev->name)); return;
	case BI_SYSTEM:
		if (g->ev->system)
			put_str(g, dst, g->ev->system, strlen(g->ev->system));
		else
			put_null(g, dst);
		return;
	case BI_TID:
	case BI_PID:
	case BI_PPID:
	case BI_COMM:
		if (!tid || tid->kind != FK_INT)
			break;
		gen_emit(g, (struct insn){.op = C_INT, .dst = dst, .f = tid});
		if (e->builtin != BI_TID)
			gen_emit(g, (struct insn){.op = e->builtin == BI_PID    ? C_PID
							: e->builtin == BI_PPID ? C_PPID
										: C_COMM,
						  .dst = dst,
						  .a = dst});
		return;
	case BI_KSTACK:
	case BI_USTACK:
		gen_emit(g, (struct insn){.op = C_STACK,
					  .dst = dst,
					  .a = dst,
					  .b = e->builtin == BI_USTACK,
					  .x = e->op == XO_BUILTIN ? (uint32_t)e->num : 0});
		return;
	default: break;
	}
	put_null(g, dst);
}

static void gen_field(struct gen *g, const struct expr *e, uint16_t dst)
{
	const struct field *f = g->ev ? event_field(g->ev, e->str) : NULL;

	if (!f) {
		gen_builtin(g, e, dst);
		return;
	}
	if (e->op == XO_ELEM) {
		if (f->kind == FK_ARRAY || f->kind == FK_DYN_ARRAY || f->kind == FK_REL_ARRAY)
			gen_emit(g, (struct insn){.op = C_ELEM,
						  .dst = dst,
						  .a = 0,
						  .f = f,
						  .x = e->num > UINT32_MAX ? UINT32_MAX
									   : (uint32_t)e->num});
		else
			put_null(g, dst);
		return;
	}
	if (f->kind == FK_INT && !type_str(&e->type))
		gen_emit(g, (struct insn){.op = C_INT, .dst = dst, .f = f});
	else if (f->kind != FK_INT && type_str(&e->type))
		gen_emit(g, (struct insn){.op = C_BYTES, .dst = dst, .f = f});
	else
		put_null(g, dst); /* another kind than in the event that gave the type */
}

static void gen_fn(struct gen *g, const struct expr *e, uint16_t dst);

uint16_t gen_args(struct gen *g, struct expr *const *v, unsigned n)
{
	uint16_t first = (uint16_t)g->top;

	for (unsigned i = 0; i < n; i++)
		gen_reg(g);
	for (unsigned i = 0; i < n; i++)
		gen_expr(g, v[i], (uint16_t)(first + i));
	return first;
}

static void gen_map(struct gen *g, const struct expr *e, uint16_t dst)
{
	unsigned mark = g->top;
	uint16_t keys = gen_args(g, e->kids, e->n);

	gen_emit(g, (struct insn){.op = e->op == XO_MAP ? C_MAP : C_INMAP,
				  .dst = dst,
				  .a = keys,
				  .p = block_map(g->c, e->num)});
	g->top = mark;
}

static void binary(struct gen *g, const struct expr *e, uint16_t dst, enum opcode op)
{
	const struct expr *l = e->kids[0], *r = e->kids[1];
	bool ll = l->type.literal, rl = r->type.literal;
	unsigned mark = g->top;
	uint16_t b;

	gen_expr(g, l, dst);
	b = operand(g, r);
	gen_emit(g, (struct insn){.op = op,
				  .dst = dst,
				  .a = dst,
				  .b = b,
				  .x = ll == rl ? 0
				       : ll     ? LIT_A
						: LIT_B});
	g->top = mark;
}

static void binary_dec(struct gen *g, const struct expr *e, uint16_t dst, enum opcode op)
{
	unsigned mark = g->top;
	uint16_t b;

	gen_expr(g, e->kids[0], dst);
	if (!is_dec(e->kids[0]))
		gen_emit(g, (struct insn){.op = C_TODEC, .dst = dst, .a = dst});
	b = operand_dec(g, e->kids[1]);
	gen_emit(g, (struct insn){.op = op, .dst = dst, .a = dst, .b = b});
	g->top = mark;
}

static const struct {
	uint16_t num, dec;
} operators[] = {
	[XO_ADD] = {C_ADD, C_DADD}, [XO_SUB] = {C_SUB, C_DSUB}, [XO_MUL] = {C_MUL, C_DMUL},
	[XO_DIV] = {C_DIV, C_DDIV}, [XO_MOD] = {C_MOD, 0},      [XO_AND] = {C_AND, 0},
	[XO_OR] = {C_OR, 0},        [XO_XOR] = {C_XOR, 0},      [XO_SHL] = {C_SHL, 0},
	[XO_SHR] = {C_SHR, 0},      [XO_EQ] = {C_EQ, C_DEQ},    [XO_NE] = {C_NE, C_DNE},
	[XO_LT] = {C_LT, C_DLT},    [XO_LE] = {C_LE, C_DLE},    [XO_GT] = {C_GT, C_DGT},
	[XO_GE] = {C_GE, C_DGE},    [XO_SEQ] = {C_SEQ, 0},      [XO_SNE] = {C_SNE, 0},
	[XO_SLT] = {C_SLT, 0},      [XO_SLE] = {C_SLE, 0},      [XO_SGT] = {C_SGT, 0},
	[XO_SGE] = {C_SGE, 0},
};

static void gen_logic(struct gen *g, const struct expr *e, uint16_t dst)
{
	bool and = e->op == XO_LAND;
	size_t skip, end;

	gen_truth(g, e->kids[0], dst);
	skip = gen_emit(g, (struct insn){.op = and? C_JF : C_JT, .a = dst});
	gen_truth(g, e->kids[1], dst);
	gen_emit(g, (struct insn){.op = C_BOOL, .dst = dst, .a = dst});
	end = gen_emit(g, (struct insn){.op = C_JMP});
	g->code[skip].x = (uint32_t)g->n;
	put_num(g, dst, !and, false);
	g->code[end].x = (uint32_t)g->n;
}

static void gen_cond(struct gen *g, const struct expr *e, uint16_t dst)
{
	size_t null, no, end;

	gen_truth(g, e->kids[0], dst);
	null = gen_emit(g, (struct insn){.op = C_JNULL, .a = dst});
	no = gen_emit(g, (struct insn){.op = C_JF, .a = dst});
	gen_expr(g, e->kids[1], dst);
	if (is_dec(e) && !is_dec(e->kids[1]))
		gen_emit(g, (struct insn){.op = C_TODEC, .dst = dst, .a = dst});
	end = gen_emit(g, (struct insn){.op = C_JMP});
	g->code[no].x = (uint32_t)g->n;
	gen_expr(g, e->kids[2], dst);
	if (is_dec(e) && !is_dec(e->kids[2]))
		gen_emit(g, (struct insn){.op = C_TODEC, .dst = dst, .a = dst});
	g->code[null].x = (uint32_t)g->n;
	g->code[end].x = (uint32_t)g->n;
}

/* x in (a, b, c): null where x is; a null among the others equals nothing */
static void gen_in(struct gen *g, const struct expr *e, uint16_t dst)
{
	unsigned mark = g->top;
	uint16_t x = operand(g, e->kids[0]);
	bool str = type_str(&e->kids[0]->type);
	size_t null, end, *hit = ARENA_ARRAY(g->c->arena, size_t, e->n);

	gen_emit(g, (struct insn){.op = C_MOV, .dst = dst, .a = x});
	null = gen_emit(g, (struct insn){.op = C_JNULL, .a = x});
	for (unsigned i = 1; i < e->n; i++) {
		unsigned m = g->top;
		uint16_t y =
			is_dec(e->kids[0]) ? operand_dec(g, e->kids[i]) : operand(g, e->kids[i]);

		gen_emit(g, (struct insn){.op = str                  ? C_SEQ
						: is_dec(e->kids[0]) ? C_DEQ
								     : C_EQ,
					  .dst = y,
					  .a = x,
					  .b = y});
		hit[i] = gen_emit(g, (struct insn){.op = C_JT, .a = y});
		g->top = m;
	}
	put_num(g, dst, 0, false);
	end = gen_emit(g, (struct insn){.op = C_JMP});
	for (unsigned i = 1; i < e->n; i++)
		g->code[hit[i]].x = (uint32_t)g->n;
	put_num(g, dst, 1, false);
	g->code[end].x = (uint32_t)g->n;
	g->code[null].x = (uint32_t)g->n;
	g->top = mark;
}

/* the field behind a value: of this event, or the one a slot was saved from */
static const struct field *field_of(struct gen *g, const struct expr *e, const struct expr *kid)
{
	const struct field *f = NULL;

	if (kid->op == XO_FIELD && g->ev)
		f = event_field(g->ev, kid->str);
	else if (kid->op == XO_SLOT || kid->op == XO_COL)
		f = e->symfield ? e->symfield : kid->symfield;
	return f;
}

static void gen_sym(struct gen *g, const struct expr *e, uint16_t dst)
{
	const struct field *f = field_of(g, e, e->kids[0]);
	struct symtest *t = ARENA_NEW(g->c->arena, struct symtest);

	if (!f || !sym_value(f, e->str, &t->value, &t->mask)) {
		put_null(g, dst);
		return;
	}
	gen_expr(g, e->kids[0], dst);
	gen_emit(g,
		 (struct insn){
			 .op = e->op == XO_HAS ? C_SYMHAS : C_SYMEQ, .dst = dst, .a = dst, .p = t});
	if (e->op == XO_SYMNE)
		gen_emit(g, (struct insn){.op = C_NOT, .dst = dst, .a = dst});
}

void gen_expr(struct gen *g, const struct expr *e, uint16_t dst)
{
	bool dec = false;

	for (unsigned i = 0; i < e->n; i++)
		dec |= is_dec(e->kids[i]);
	switch (e->op) {
	case XO_NUM: put_num(g, dst, e->num, e->type.sign == SG_UNSIGNED); break;
	case XO_STR: put_str(g, dst, e->str, e->len); break;
	case XO_FIELD:
	case XO_ELEM: gen_field(g, e, dst); break;
	case XO_BUILTIN: gen_builtin(g, e, dst); break;
	case XO_SLOT:
		gen_emit(g, (struct insn){.op = C_SLOT, .dst = dst, .x = (uint32_t)e->num});
		break;
	case XO_COL:
		gen_emit(g, (struct insn){.op = type_str(&e->type) ? C_COL_STR
						: is_dec(e)        ? C_COL_DEC
								   : C_COL_INT,
					  .dst = dst,
					  .x = (uint32_t)e->num});
		break;
	case XO_LOCAL:
		gen_emit(g, (struct insn){.op = C_MOV, .dst = dst, .a = (uint16_t)e->num});
		break;
	case XO_VAR:
		gen_emit(g, (struct insn){.op = C_VAR, .dst = dst, .p = block_var(g->c, e->num)});
		break;
	case XO_MAP:
	case XO_INMAP: gen_map(g, e, dst); break;
	case XO_NEG:
	case XO_BNOT:
	case XO_NOT:
		if (e->op == XO_NOT)
			gen_truth(g, e->kids[0], dst);
		else
			gen_expr(g, e->kids[0], dst);
		gen_emit(g, (struct insn){.op = e->op == XO_NOT    ? C_NOT
						: e->op == XO_BNOT ? C_BNOT
						: dec              ? C_DNEG
								   : C_NEG,
					  .dst = dst,
					  .a = dst,
					  .x = e->type.sign == SG_UNSIGNED});
		break;
	case XO_LAND:
	case XO_LOR: gen_logic(g, e, dst); break;
	case XO_COND: gen_cond(g, e, dst); break;
	case XO_IN: gen_in(g, e, dst); break;
	case XO_GLOB:
	case XO_NGLOB:
		gen_expr(g, e->kids[0], dst);
		gen_emit(g, (struct insn){.op = C_GLOB,
					  .dst = dst,
					  .a = dst,
					  .x = (uint32_t)strlen(e->str),
					  .str = e->str});
		if (e->op == XO_NGLOB)
			gen_emit(g, (struct insn){.op = C_NOT, .dst = dst, .a = dst});
		break;
	case XO_MATCH:
		gen_expr(g, e->kids[0], dst);
		gen_emit(g, (struct insn){.op = C_MATCH, .dst = dst, .a = dst, .p = e->re});
		break;
	case XO_SYMEQ:
	case XO_SYMNE:
	case XO_HAS: gen_sym(g, e, dst); break;
	case XO_FN: gen_fn(g, e, dst); break;
	default:
		if (e->op < sizeof(operators) / sizeof(operators[0]) && operators[e->op].num) {
			if (dec && operators[e->op].dec)
				binary_dec(g, e, dst, operators[e->op].dec);
			else
				binary(g, e, dst, operators[e->op].num);
		} else {
			put_null(g, dst);
		}
	}
}

/* functions of one value: opcode, .x */
static bool simple_fn(const struct expr *e, uint16_t *op, uint32_t *x)
{
	*x = 0;
	switch (e->fn) {
	case FN_LOG2: *op = C_LOG2; return true;
	case FN_STRLEN: *op = C_STRLEN; return true;
	case FN_ERRNO:
		*op = C_ERRNO;
		*x = e->num != 0;
		return true;
	case FN_SYSCALL: *op = C_SYSCALL; return true;
	case FN_KADDR: *op = C_KADDR; return true;
	case FN_KSYM: *op = C_KSYM; return true;
	case FN_KSYMOFF:
		*op = C_KSYM;
		*x = 1;
		return true;
	case FN_TIDCOMM: *op = C_TIDCOMM; return true;
	case FN_IP:
		*op = C_IP;
		*x = !type_str(&e->kids[0]->type);
		return true;
	case FN_MAC: *op = C_MAC; return true;
	case FN_DEV: *op = C_DEV; return true;
	case FN_SIGNAL: *op = C_SIGNAL; return true;
	default: return false;
	}
}

static void gen_fold(struct gen *g, const struct expr *e, uint16_t dst, bool dec)
{
	enum opcode op = e->fn == FN_MIN ? (dec ? C_DMIN : C_MIN) : (dec ? C_DMAX : C_MAX);

	gen_expr(g, e->kids[0], dst);
	if (dec && !is_dec(e->kids[0]))
		gen_emit(g, (struct insn){.op = C_TODEC, .dst = dst, .a = dst});
	for (unsigned i = 1; i < e->n; i++) {
		unsigned mark = g->top;
		uint16_t b = dec ? operand_dec(g, e->kids[i]) : operand(g, e->kids[i]);

		gen_emit(g, (struct insn){.op = op, .dst = dst, .a = dst, .b = b});
		g->top = mark;
	}
}

static void gen_fn(struct gen *g, const struct expr *e, uint16_t dst)
{
	unsigned mark = g->top;
	struct insn i = {.dst = dst, .a = dst};
	const struct field *f;
	bool dec = false, flip;

	for (unsigned k = 0; k < e->n; k++)
		dec |= is_dec(e->kids[k]);
	if (!e->n) {
		put_null(g, dst);
		return;
	}
	if (e->fn == FN_KADDR && e->kids[0]->op == XO_STR && g->ev) {
		uint64_t at = origin_kaddr(g->ev->origin, e->kids[0]->str);

		if (at)
			put_num(g, dst, at, true);
		else
			put_null(g, dst);
		return;
	}
	if (simple_fn(e, &i.op, &i.x)) {
		gen_expr(g, e->kids[0], dst);
		gen_emit(g, i);
		return;
	}
	switch (e->fn) {
	case FN_MIN:
	case FN_MAX: gen_fold(g, e, dst, dec); break;
	case FN_ABS:
		gen_expr(g, e->kids[0], dst);
		i.op = dec ? C_DABS : C_ABS;
		gen_emit(g, i);
		break;
	case FN_BUCKET:
		gen_expr(g, e->kids[0], dst);
		i.b = operand(g, e->kids[1]);
		i.op = C_BUCKET;
		gen_emit(g, i);
		break;
	case FN_SUBSTR:
		gen_expr(g, e->kids[0], dst);
		i.b = operand(g, e->kids[1]);
		if (e->n > 2)
			operand(g, e->kids[2]); /* the register after b */
		i.x = e->n > 2;
		i.op = C_SUBSTR;
		gen_emit(g, i);
		break;
	case FN_STRFTIME:
		/* format and time in either order */
		flip = !type_str(&e->kids[0]->type);
		gen_expr(g, e->kids[flip], dst);
		i.b = operand(g, e->kids[!flip]);
		i.op = C_STRFTIME;
		gen_emit(g, i);
		break;
	case FN_STR:
		gen_expr(g, e->kids[0], dst);
		if (!type_str(&e->kids[0]->type)) {
			i.op = dec ? C_DTOS : C_ITOS;
			gen_emit(g, i);
		}
		break;
	case FN_SYMNAME:
		f = field_of(g, e, e->kids[0]);
		gen_expr(g, e->kids[0], dst);
		i.op = f && (f->nsyms || f->nflags) ? C_SYMNAME : C_ITOS;
		i.f = f;
		if (!type_str(&e->kids[0]->type))
			gen_emit(g, i);
		break;
	default: put_null(g, dst);
	}
	g->top = mark;
}

struct prog *gen_finish(struct gen *g)
{
	struct prog *p = ARENA_NEW(g->c->arena, struct prog);

	if (g->n == 2 && g->code[0].op == C_INT && g->code[1].op == C_END) {
		p->kind = PROG_INT;
		p->f = g->code[0].f;
	} else if (g->n == 2 && g->code[0].op == C_STR && g->code[1].op == C_END) {
		p->kind = PROG_TEXT;
	} else if (g->n == 3 && g->code[0].op == C_INT && g->code[1].op == C_COMM &&
		   g->code[1].a == g->code[0].dst && g->code[2].op == C_END) {
		p->kind = PROG_COMM;
		p->f = g->code[0].f;
	}
	p->code = g->code;
	p->n = (unsigned)g->n;
	p->nregs = g->nregs;
	if (p->nregs > g->c->nregs) {
		g->c->regs = xrealloc(g->c->regs, p->nregs * sizeof(*g->c->regs));
		g->c->nregs = p->nregs;
	}
	return p;
}

struct prog *code_compile(struct code *k, struct ctx *c)
{
	struct gen g = {.c = c, .ev = c->r ? c->r->ev : NULL};
	struct prog *p;
	uint16_t dst = gen_reg(&g);

	if (k->cond)
		gen_truth(&g, k->e, dst);
	else
		gen_expr(&g, k->e, dst);
	gen_emit(&g, (struct insn){.op = C_END, .a = dst});
	p = gen_finish(&g);
	k->by[c->li] = p;
	return p;
}

int code_check(struct diags *d, const struct expr *e, bool blocks)
{
	const char *what = NULL;

	if (!e)
		return 0;
	switch (e->op) {
	case XO_MAP:
	case XO_INMAP: what = blocks ? NULL : "maps"; break;
	case XO_VAR: what = blocks ? NULL : "variables of a run"; break;
	case XO_FN:
		if (e->fn == FN_EXT)
			what = "functions of plugins";
		break;
	default: break;
	}
	if (what) {
		diag_error(d, "not-yet", e->span, "%s are not carried out by this version", what);
		return -1;
	}
	for (unsigned i = 0; i < e->n; i++) {
		if (code_check(d, e->kids[i], blocks))
			return -1;
	}
	return 0;
}
