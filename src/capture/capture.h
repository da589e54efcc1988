/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ring buffers of a trace instance as a trace.dat. Owns taking pages out of the kernel and the
 * file's completeness; writes nothing to tracefs. Pages go from the ring buffer to the file through
 * a pipe (splice), not through this program's memory, unless they are compressed or somebody else
 * reads them too.
 *
 * In order: capture_open, (make the instance), capture_begin, (start tracing), capture_pump as long
 * as it lasts, (stop tracing), capture_finish, capture_free, (remove the instance).
 */
#ifndef TRACESH_CAPTURE_CAPTURE_H
#define TRACESH_CAPTURE_CAPTURE_H

#include "base/session.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

struct capture_options {
	const char *path; /* of the file; "-": standard output */
	bool zstd;        /* version 7, compressed; else version 6 */
	bool flight;      /* nothing is taken before the end: what the buffer then holds */
	uint64_t last_ns; /* flight: no pages that end earlier than this before the end; 0: all */
};

/* What became of it. */
struct capture_result {
	uint64_t events, bytes; /* bytes: of the whole file */
	uint64_t lost;          /* that should be in it and are not */
	bool whole;             /* last_ns could not be kept to: the clock is not in ns */
};

/**
 * capture_open - open the file, mode 0600; what it held is kept until capture_begin()
 * NULL with a diag "write-failed" in s->diags.
 */
struct capture *capture_open(struct session *s, const struct capture_options *o);

/**
 * capture_begin - write what is known beforehand and open the buffers
 * @tracefs: the top directory; @instance: whole path of the instance (or @tracefs itself). Every
 * event there is then is in the file's formats. 0, or -1 with a diag.
 */
int capture_begin(struct capture *c, const char *tracefs, const char *instance);

/* capture_fd - readable when there is something to take (an epoll descriptor); -1: flight */
int capture_fd(const struct capture *c);

/* capture_pump - take what is there: 1 when more is left, 0 when not, negative errno when nothing
 * more can be written (said in s->diags; capture_finish() keeps what there is) */
int capture_pump(struct capture *c);

/* capture_page - instead of capture_pump(): a sub-buffer that somebody else took, @len bytes of
 * CPU @cpu. After an error all further ones are dropped and counted. */
void capture_page(void *capture, int cpu, const void *page, uint32_t len);

/* capture_failed - the negative errno of the first failed write, 0 none */
int capture_failed(const struct capture *c);

/**
 * capture_finish - tracing was stopped: take the rest, complete the file
 * 0; -1 after a diag "write-failed": what could be written is a trace.dat all the same where the
 * file system let it be one. May be called once.
 */
int capture_finish(struct capture *c, struct capture_result *out);

/* capture_free - the buffers are closed; a file that capture_begin() never began is removed if it
 * is new. NULL is allowed. */
void capture_free(struct capture *c);

#endif
