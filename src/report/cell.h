/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of result cells as text, for people and exact. */
#ifndef TRACESH_REPORT_CELL_H
#define TRACESH_REPORT_CELL_H

#include "base/buf.h"
#include "base/session.h"
#include "check/query.h"

/* cell_is_text - strings and stacks; all else is a number, aligned right */
static inline bool cell_is_text(enum type_kind k)
{
	return k == T_STR || k == T_STACK;
}

/* How numbers are shown to people. */
struct cell_style {
	bool human;       /* units by magnitude: a terminal */
	const char *unit; /* times in this unit, "" or NULL: none is forced */
	unsigned dec;     /* decimals of T_DEC, at most 6 */
};

/* cell_style - of a table on @tty */
struct cell_style cell_style(const struct session *s, bool tty);

/* cell_exact - a number that is not null, exact: times in ns, addresses 0x..., decimals with six
 * places */
void cell_exact(struct buf *b, const struct type *t, const struct cell *c);
/* cell_show - a number for people; @name is the column's (time stamps are shown as seconds) */
void cell_show(struct buf *b, const char *name, const struct type *t, const struct cell *c,
	       const struct cell_style *st);
/* cell_time - ns with a unit and @dec decimals: "12.345 us" */
void cell_time(struct buf *b, __int128 ns, unsigned dec);

#endif
