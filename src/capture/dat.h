/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a trace.dat around its pages: version 6, and version 7 with zstd. Made in two parts:
 * the head, known before the first event, and the tail (task names, options, tables), known at the
 * end, for which room is left between the head and the pages. Knows no kernel and no file. Private
 * to capture/.
 */
#ifndef TRACESH_CAPTURE_DAT_H
#define TRACESH_CAPTURE_DAT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

#define DAT_CHUNK_PAGES 16 /* pages that version 7 compresses together */

/* where the pages of a CPU are */
struct dat_cpu {
	int cpu;
	uint64_t off, size;
	struct buf stats; /* per_cpu/cpuN/stats at the end */
};

/* one ring buffer */
struct dat_buffer {
	const char *name;   /* "" = the top one, which is the first */
	const char *clocks; /* the text of trace_clock: "local [mono]" */
	uint32_t page;      /* of a sub-buffer; version 6: the same for all */
	struct dat_cpu *cpu;
	unsigned ncpus; /* ascending by number */
};

struct dat {
	bool v7;
	/* texts as the kernel has them */
	struct buf header_page, header_event;
	struct buf ftrace; /* u32 n, n x (u64 length, format) */
	struct buf events; /* u32 systems x (name, u32 n, n x (u64 length, format)) */
	struct buf kallsyms, printk;
	struct buf cmdlines; /* "PID NAME" lines; cut at a line's end where room is short */
	const char *uname;
	uint64_t trace_id;
	bool has_tsc;
	uint32_t tsc_mult, tsc_shift;
	uint64_t tsc_offset;
	struct dat_buffer *buffer;
	unsigned nbuffers;
	/* of version 7: offsets noted by dat_head() */
	uint64_t section[32];
};

void dat_num(struct buf *b, unsigned bytes, uint64_t v);
/* dat_head - append what comes first in the file to an empty @out; 0, or -ENOMEM/-EIO when zstd
 * fails */
int dat_head(struct dat *d, struct buf *out);
/* dat_room - bytes to leave for the tail; @tasks: how many names are expected */
uint64_t dat_room(const struct dat *d, unsigned tasks);
/**
 * dat_tail - append exactly @room bytes, which go to offset @at, to an empty @out
 * The pages' places are in the buffers' tables by now; version 7: the first begin right behind, at
 * @at + @room, @end is where all end. 0 or -ENOSPC when the tables do not fit.
 */
int dat_tail(struct dat *d, uint64_t at, uint64_t room, uint64_t end, struct buf *out);
/* dat_options_offset - of version 7: where in the file the offset of the options stands, and it */
uint64_t dat_options_offset(const struct dat *d, uint64_t *value);

/* dat_chunk - @n bytes of pages as a chunk of version 7, appended to @out; 0 or -ENOMEM */
int dat_chunk(const void *p, size_t n, struct buf *out);

#endif
