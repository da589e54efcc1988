/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The container of a trace.dat (version 6 and 7): where its metadata and each CPU's pages are.
 * Every length and offset is checked against the file before use; what a cut or corrupt file
 * still holds is kept, the rest counted. Private to feed/.
 */
#ifndef TRACESH_FEED_CONTAINER_H
#define TRACESH_FEED_CONTAINER_H

#include "base/session.h"
#include "catalog/catalog.h"
#include "feed/page.h"

/* a piece of text inside the file (or of a decompressed section); p NULL: not there */
struct cont_text {
	const char *p;
	size_t len;
};

struct cont_format {
	const char *system; /* NULL: ftrace's own */
	struct cont_text text;
};

/* the pages of one CPU in one buffer */
struct cont_cpu {
	int cpu;
	uint64_t off, size;   /* bytes that are in the file */
	uint64_t missing;     /* bytes that the table promised beyond it */
	uint64_t lost_at_end; /* from cpustat: lost with no mark in the pages (dropped, commit
				 overrun) */
	uint64_t overrun;     /* from cpustat: overwritten, which pages may mark or not */
};

/* one ring buffer: the top one or an instance */
struct cont_buffer {
	const char *name;  /* "" = top */
	const char *clock; /* or NULL */
	uint32_t page_size;
	bool chunked; /* compressed in chunks, else plain pages */
	struct cont_cpu *cpus;
	size_t ncpus;
};

/* what per_cpu/cpuN/stats said at the end */
struct cont_stat {
	const char *buffer;
	int cpu;
	uint64_t overrun, dropped;
};

struct container {
	struct arena *arena;
	const char *path;
	int fd;
	uint64_t size;
	unsigned refs;

	int version;
	bool file_big;      /* numbers are big-endian */
	bool swap;          /* they differ from this machine's */
	unsigned long_size; /* of the kernel */
	uint32_t page_size; /* of a sub-buffer */
	/* from header_page */
	uint32_t commit_off, commit_size, data_off, data_size;
	const char *compression; /* name, NULL for none */

	struct cont_text header_page, kallsyms, printk, cmdlines;
	uint64_t kallsyms_off; /* where they are, if not read yet; else 0 */
	struct cont_format *formats;
	size_t nformats;
	struct cont_buffer *buffers;
	size_t nbuffers;
	size_t nregions; /* cpus in all buffers */

	const char *uname, *clock, *tool; /* or NULL */
	bool has_tsc2nsec;
	uint32_t tsc_mult, tsc_shift;
	uint64_t tsc_offset;
	int64_t ts_offset;  /* added to every time */
	unsigned cpu_count; /* option CPUCOUNT, 0 none */

	bool cut; /* short or corrupt somewhere */
	uint64_t cut_bytes;
	bool strange;    /* fine for us, but not to be shown to other readers */
	const char *why; /* what is wrong, the first finding; NULL nothing */

	/* internal: the front of the file as far as it was looked at, and blocks to free */
	uint8_t *front;
	size_t front_cap, front_len;
	struct cont_block *blocks;
	size_t block_bytes;
	const char *stat_buffer; /* the buffer that following CPUSTAT options are about */
	struct cont_stat *stats;
	size_t nstats, noptions;
};

/**
 * container_open - parse a trace.dat; NULL with a diag "bad-file" or "refused"
 * The result has one reference. A file that is cut or corrupt but holds something is returned
 * with ->cut set.
 */
struct container *container_open(struct session *s, const char *path);
/* container_open_fd - the same for an open file, which is taken over; @path is for messages */
struct container *container_open_fd(struct session *s, int fd, const char *path);
void container_get(struct container *ct);
/* container_put - gives up a reference; void pointer so that it can be a callback */
void container_put(void *ct);
/* container_kallsyms - the symbols, read now if they were not; void pointer so that it can be a
 * callback. NULL: none */
const char *container_kallsyms(void *ct, size_t *len);
/* container_sane - complete and without oddities: other readers may see it */
bool container_sane(struct container *ct);
/* container_origin_layout - page layout, word size and byte order into @o, for page_start() */
void container_origin_layout(const struct container *ct, const struct cont_buffer *b,
			     struct origin *o);
/* container_pread - exactly @n bytes unless the file ends; returns how many, or negative errno */
int64_t container_pread(const struct container *ct, void *p, size_t n, uint64_t off);

/* ---- for container_v6.c and container_v7.c ---- */

/* a bounded reader over [pos, end) of the file's front or of a block */
struct cont_rd {
	struct container *ct; /* front grows on demand; NULL: @base holds all */
	const uint8_t *base;
	uint64_t pos, end;
	bool swap;
	bool out; /* ran beyond the end: everything read since is 0 */
};

struct cont_rd cont_rd_front(struct container *ct, uint64_t pos);
struct cont_rd cont_rd_block(const struct container *ct, const void *p, uint64_t len);
const uint8_t *cont_take(struct cont_rd *r, uint64_t n); /* NULL (and out) beyond the end */
/* cont_pass - as cont_take(), of bytes that need not be read now; false (and out) beyond the end */
bool cont_pass(struct cont_rd *r, uint64_t n);
uint16_t cont_u16(struct cont_rd *r);
uint32_t cont_u32(struct cont_rd *r);
uint64_t cont_u64(struct cont_rd *r);
/* cont_str - NUL-terminated text of at most @max bytes with the NUL; NULL (and out) else */
const char *cont_str(struct cont_rd *r, size_t max);
static inline uint64_t cont_left(const struct cont_rd *r)
{
	return r->end - r->pos;
}

int container_parse_v6(struct container *ct, struct cont_rd *r);
int container_parse_v7(struct container *ct, struct cont_rd *r);

int container_kallsyms_v7(struct container *ct); /* 0 and ct->kallsyms, or negative */

#define OPTIONS_MAX (1u << 17) /* in a file */
#define FORMATS_MAX (1u << 17)

/* pieces that both versions have; 0 or -EINVAL */
int cont_header_info(struct container *ct, struct cont_rd *r);
int cont_ftrace_formats(struct container *ct, struct cont_rd *r);
int cont_event_formats(struct container *ct, struct cont_rd *r);
int cont_sized_text(struct cont_rd *r, bool wide, struct cont_text *out);
/* cont_format_ok - looks like a format file, so that a reader less careful than ours may see it */
bool cont_format_ok(struct cont_text t);
/* cont_option - those without offsets; others are ignored */
void cont_option(struct container *ct, unsigned id, const uint8_t *p, uint32_t len);
struct cont_buffer *cont_add_buffer(struct container *ct, const char *name);
void cont_add_cpu(struct container *ct, struct cont_buffer *b, int cpu, uint64_t off,
		  uint64_t size);
/* cont_wrong - notes what is wrong (the first stays) */
void cont_wrong(struct container *ct, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* cont_block - memory that lives as long as the container; NULL beyond the bound for all of them */
void *cont_block(struct container *ct, size_t n);

enum cont_option_id {
	OPT_DONE = 0,
	OPT_DATE = 1,
	OPT_CPUSTAT = 2,
	OPT_BUFFER = 3,
	OPT_TRACECLOCK = 4,
	OPT_UNAME = 5,
	OPT_OFFSET = 7,
	OPT_CPUCOUNT = 8,
	OPT_VERSION = 9,
	OPT_TSC2NSEC = 14,
	OPT_STRINGS = 15,
	OPT_HEADER_INFO = 16,
	OPT_FTRACE_EVENTS = 17,
	OPT_EVENT_FORMATS = 18,
	OPT_KALLSYMS = 19,
	OPT_PRINTK = 20,
	OPT_CMDLINES = 21,
	OPT_BUFFER_TEXT = 22,
};

#endif
