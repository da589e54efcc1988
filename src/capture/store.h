/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a capture is collected: one sparse file with a front for metadata and a region for each
 * CPU, far apart, so that all CPUs grow at once. At the end the holes between them are taken out,
 * by the file system where it can (no data are copied), else by moving what lies behind them. What
 * cannot be sparse or be written at any place (a pipe, FAT) gets a copy of a temporary file.
 * Knows nothing of what is in the regions. Private to capture/.
 */
#ifndef TRACESH_CAPTURE_STORE_H
#define TRACESH_CAPTURE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct region {
	uint64_t at, len; /* bytes in the file */
	uint64_t room;    /* the most it can hold */
};

struct store {
	int fd;      /* the sparse file */
	int target;  /* where it goes in the end; the same as fd, or a pipe or the like */
	bool is_new; /* the file was not there before */
	char *path;
	uint64_t front, align;
	unsigned n;
	struct region *r;
	uint64_t spare; /* where space is held for moving, 0 none */
};

/**
 * store_open - open @path ("-": standard output) for writing, mode 0600; nothing is written yet
 * 0 or negative errno.
 */
int store_open(struct store *s, const char *path);
/* store_layout - @n regions behind a front of @front bytes; starts are multiples of @page. What the
 * file held before is gone. 0 or negative errno. */
int store_layout(struct store *s, uint64_t front, uint32_t page, unsigned n);
/* store_append - at the end of region @i; what fitted is counted when it fails. 0 or negative errno
 */
int store_append(struct store *s, unsigned i, const void *p, size_t n);
/* store_put - at an offset in the front; 0 or negative errno */
int store_put(struct store *s, uint64_t off, const void *p, size_t n);
/* store_pack - regions one behind the other; their @at changes. 0 or negative errno: then they lie
 * where r[].at says all the same */
int store_pack(struct store *s);
/* store_hand_over - to the target, if that is another; all is on its way to the disk. 0 or negative
 * errno (EPIPE: nobody reads). */
int store_hand_over(struct store *s);
/* store_close - @keep false: a file that was made by store_open() is removed */
void store_close(struct store *s, bool keep);

#endif
