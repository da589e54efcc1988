/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checked expressions and queries as text: for `explain`, and for tests to compare. */
#ifndef TRACESH_CHECK_DUMP_H
#define TRACESH_CHECK_DUMP_H

#include "base/buf.h"
#include "check/query.h"

/**
 * dump_expr - an expression as a tree in parentheses
 * Leaves carry their type behind a colon: i signed, u unsigned, x mixed, t time, s string, b
 * condition, a address, k stack, d decimal, n null. `@ts:t` is a builtin, `pid|pid:i` a field with
 * the builtin that stands in for it, `$0:i` a slot, `#1:u` a column.
 */
void dump_expr(const struct expr *e, struct buf *out);
/* dump_query - source, saves and stages, one a line */
void dump_query(const struct query *q, struct buf *out);

#endif
