/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's `hist` files as rows: every form that a key or value is printed in. Knows nothing of
 * queries; the text may hold anything, names of tasks are in it.
 */
#ifndef TRACESH_KERNEL_HIST_H
#define TRACESH_KERNEL_HIST_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hist_form {
	HF_NUMBER,
	HF_STRING,
	HF_LOG2,   /* ~ 2^n: u is the upper end */
	HF_BUCKET, /* ~ lo-hi: u is lo */
	HF_SYMBOL, /* [address] name: u is the address, p the name */
	HF_NAMED,  /* name [id]: u is the id, p the name (.execname, .syscall) */
	HF_STACK,  /* p holds the frames, a line each, innermost first */
};

struct hist_value {
	enum hist_form form;
	uint64_t u, hi;
	const char *p; /* in the text */
	size_t len;
};

/* A word that save() or onmax printed below a row. */
struct hist_extra {
	const char *name, *value;
	size_t name_len, value_len;
	uint64_t u; /* of the value, where it is a number */
};

struct hist_row {
	struct hist_value *keys; /* nkeys of the table */
	uint64_t hits;
	uint64_t *vals; /* nvals of the table */
	struct hist_extra *extra;
	size_t nextra;
};

struct hist_key {
	const char *name; /* without its modifier */
	const char *mod;  /* "log2", "buckets=10", "sym" ...; "" none */
};

/* One histogram of a file: an event may have several triggers. */
struct hist_table {
	const char *info; /* the trigger as the kernel lists it */
	struct hist_key *keys;
	size_t nkeys;
	const char **vals; /* names, without hitcount */
	size_t nvals;
	struct hist_row *rows;
	size_t nrows;
	uint64_t hits, entries, dropped;
	size_t bad; /* rows that could not be read */
};

/**
 * hist_parse - all histograms of a file, in its order
 * @text: NUL-terminated behind @len; rows point into it, the rest lives in @a
 * Returns how many; what cannot be read is counted in bad.
 */
size_t hist_parse(struct arena *a, const char *text, size_t len, struct hist_table **out);

/* hist_parse_info - keys and vals of a trigger's text, "hist:keys=..." */
void hist_parse_info(struct arena *a, const char *text, size_t len, struct hist_table *t);

#endif
