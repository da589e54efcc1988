/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Speculation: events of a key are kept as copies until it is known whether they matter. Bounded by
 * maxmem; the oldest are dropped, and counted.
 */
#ifndef TRACESH_ENGINE_SPEC_H
#define TRACESH_ENGINE_SPEC_H

#include "engine/nodes.h"

struct spec;
struct bstmt;

/* spec_new - keys are @n values of @types; freed by spec_clear, which q's end calls */
struct spec *spec_new(struct qrun *q, const struct type *types, unsigned n);
void spec_clear(struct spec *s);
uint64_t spec_dropped(const struct spec *s);

/* spec_begin - around a block's run: what its statements say is carried out by spec_end. It gives
 * whether the event itself goes on (@on: the block did not keep it). */
void spec_begin(struct spec *s, struct ctx *c);
void spec_statement(struct ctx *c, const struct bstmt *st, const struct val *keys);
bool spec_end(struct spec *s, struct node *n, struct ctx *c, bool on);

/* the stage */
struct node *speculate_new(struct qrun *q, const struct op *op);

#endif
