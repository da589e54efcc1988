/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types of fetch arguments, and values while an expression is compiled. Private to source/. */
#ifndef TRACESH_SOURCE_FETCH_TYPES_H
#define TRACESH_SOURCE_FETCH_TYPES_H

#include "source/fetch.h"

struct fetch_type {
	const char *kernel; /* "u64", "string", "x8[16]" */
	const char *ctype;  /* as the format file will have it: "u64", "__data_loc char[]" */
	enum field_kind kind;
	unsigned size, elem; /* bytes in the record; of an element */
	bool is_signed;
	bool sym; /* the number is shown as a symbol */
	struct type type;
};

/* fetch_type - by its word (ours or the kernel's), NULL: no such type */
const struct fetch_type *fetch_type(struct arena *a, const char *word, unsigned long_size);
/* fetch_field - the field that an argument of type @t makes */
void fetch_field(struct field *f, const char *name, const struct fetch_type *t);
/* fetch_retype - `E : T`; 0 or -1 with a diag */
int fetch_retype(struct fetch *f, struct fetch_val *v, const struct fetch_type *t, struct span at);
const char *fetch_join(struct arena *a, const char *const *v, size_t n);

#endif
