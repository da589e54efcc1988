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

#endif
