/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks as text: frames by name, joined by ';', the innermost first. */
#ifndef TRACESH_ENGINE_STACKS_H
#define TRACESH_ENGINE_STACKS_H

#include "catalog/rec.h"
#include "check/query.h"
#include "engine/mem.h"

struct stacktab;

struct stacktab *stacks_new(void);
void stacks_free(struct stacktab *t);

/* stacks_text - the kernel's or the @user's stack of @r, at most @max frames (0: all); null where
 * none came with it. Each stack is made into text once and then stays; what finds no room is in @s,
 * until the next record. */
struct val stacks_text(struct stacktab *t, const struct rec *r, bool user, uint32_t max,
		       struct scratch *s);

#endif
