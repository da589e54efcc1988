/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Print formats: is the text after "print fmt:" a well-formed expression list, and which names does
 * it give to a field's values. Printing itself is libtraceevent's (print.c).
 */
#ifndef TRACESH_CATALOG_PRINTFMT_H
#define TRACESH_CATALOG_PRINTFMT_H

#include "catalog/catalog.h"

/* printfmt_valid - string literal(s), then comma-separated C expressions, strictly */
bool printfmt_valid(const char *print_fmt);

/* printfmt_symbols - fill syms, flags, delim of the fields that __print_symbolic / __print_flags
 * name (masks and casts around REC->field are seen through); 0, or -1 when the text does not parse
 */
int printfmt_symbols(struct arena *a, const char *print_fmt, struct field *fields,
		     unsigned nfields);

/* A field that must be at most @max (as unsigned) in a record before it may be printed. */
struct printfmt_limit {
	const struct field *field;
	uint64_t max;
};

/* printfmt_safe - can libtraceevent print by this text without going astray, in records whose
 * fields lie inside them and keep the @limits (in @a) */
bool printfmt_safe(struct arena *a, const char *print_fmt, const struct field *fields,
		   unsigned nfields, struct printfmt_limit **limits, size_t *nlimits);
/* printfmt_conversions_safe - a printf text (C escapes as written, NUL-terminated) by itself, where
 * nothing is known of the arguments: no lengths from them, no wide strings, no huge widths */
bool printfmt_conversions_safe(const char *s, size_t n);

#endif
