/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making register code, for expressions (compile.c) and blocks (block_gen.c). Private to them. */
#ifndef TRACESH_ENGINE_GEN_H
#define TRACESH_ENGINE_GEN_H

#include "engine/code.h"

struct gen {
	struct ctx *c;
	struct event *ev; /* NULL: rows, or a block without events */
	struct insn *code;
	size_t n;
	unsigned top, nregs; /* registers in use, at most */
};

size_t gen_emit(struct gen *g, struct insn i);
/* gen_reg - a register that is free until g->top is set back */
uint16_t gen_reg(struct gen *g);
/* gen_expr - code for @e into @dst; gen_truth: 0 or 1 where only its truth is asked */
void gen_expr(struct gen *g, const struct expr *e, uint16_t dst);
void gen_truth(struct gen *g, const struct expr *e, uint16_t dst);
/* gen_args - @n expressions into registers that follow each other; the first */
uint16_t gen_args(struct gen *g, struct expr *const *v, unsigned n);
/* gen_finish - the program; room for its registers in the context */
struct prog *gen_finish(struct gen *g);

#endif
