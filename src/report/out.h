/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The buffered writer of all reports: one stream, command or file, with its first error kept. It
 * knows bytes only.
 */
#ifndef TRACESH_REPORT_OUT_H
#define TRACESH_REPORT_OUT_H

#include "base/buf.h"
#include "base/session.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct out {
	struct buf b;  /* add to it, then call out_commit() */
	FILE *f;       /* borrowed stream, or NULL: fd */
	int fd;        /* -1: none, or a command that is not started yet */
	char *command; /* started at the first output, so that Ctrl-C does not end it before */
	pid_t pid;     /* of the command, 0: not started */
	bool tty;      /* a terminal: units, clipping, control characters escaped */
	bool reported; /* a diag was pushed for err */
	bool used;     /* something was written */
	unsigned adds; /* since it was made */
	int err;       /* negative errno of the first failed write, -EPIPE: the reader went away */
	uint64_t flushed;    /* io_now() of the last flush */
	const void *section; /* who wrote last: a report, for csv's sections */
};

/* out_new - writes to @f, which stays the caller's; a terminal when @s->out_tty says so */
struct out *out_new(struct session *s, FILE *f);
/* out_open - create (0666 & ~umask) or append to a file; NULL with *@err the negative errno */
struct out *out_open(const char *path, bool append, int *err);
/* out_command - writes to `sh -c @cmd`, whose output goes where ours goes */
struct out *out_command(const char *cmd);

/* out_commit - what was added to b is complete for now; @now: to be seen at once */
void out_commit(struct out *o, bool now);
void out_flush(struct out *o);
/* out_cancel - what is buffered is dropped, a command that has not begun is not run */
void out_cancel(struct out *o);
/**
 * out_close - flush, close, free; waits for a command
 * @status: exit status of the command (128 + signal), 0 if there is none; may be NULL
 * Returns 0 or the negative errno of the first error, -EPIPE included.
 */
int out_close(struct out *o, int *status);

#endif
