/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of one of our histogram triggers at one moment, and sums and differences of such
 * moments: histograms with variables cannot be cleared, and clearing others loses what comes
 * between reading and clearing, so intervals are differences.
 */
#ifndef TRACESH_KERNEL_HIST_READ_H
#define TRACESH_KERNEL_HIST_READ_H

#include "plan/push.h"

struct krow {
	const uint8_t *key; /* numbers as 8 bytes, strings as 4 bytes of length and themselves */
	size_t len;
	uint64_t hits;
	const uint64_t *vals; /* nvals, modulo 2^64 */
};

struct ksnap {
	struct arena *a; /* NULL: nothing was read, no rows */
	struct krow *v;  /* by key */
	size_t n, nvals;
	uint64_t dropped; /* events that found no room in the table */
	size_t bad;       /* rows whose text could not be read */
};

/**
 * hist_read - what the trigger @h holds now
 * @dir: our instance's directory. 0, or negative errno (-EINVAL: the file is not what was
 * expected). *out is to be freed with ksnap_free().
 */
int hist_read(const char *dir, const struct phist *h, struct ksnap *out);

/* ksnap_combine - the rows of all @n moments times their signs, those with nothing left taken out
 */
struct ksnap ksnap_combine(const struct ksnap *const *in, const int *sign, unsigned n);

void ksnap_free(struct ksnap *s);

/* ksnap_key - takes the next value from a row's key; *at starts at 0; false: no more, or corrupt */
bool ksnap_key(const struct krow *r, size_t *at, bool str, uint64_t *u, const char **p,
	       size_t *len);

#endif
