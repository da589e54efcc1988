/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The writer. After an error nothing more is written and what is added is thrown away; who added it
 * need not check. It does not know what the bytes mean.
 */
#include "report/out.h"

#include "base/arena.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUT_FULL = 64 << 10, OUT_AGE_NS = 100000000 };

static struct out *make(void)
{
	struct out *o = xcalloc(1, sizeof(*o));

	o->fd = -1;
	return o;
}

struct out *out_new(struct session *s, FILE *f)
{
	struct out *o = make();

	o->f = f;
	o->tty = s->out_tty;
	return o;
}

struct out *out_open(const char *path, bool append, int *err)
{
	/* O_APPEND in both cases: two pipelines that name one file don't write over each other */
	int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | (append ? 0 : O_TRUNC);
	int fd;
	struct out *o;

	do
		fd = open(path, flags, 0666);
	while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		*err = -errno;
		return NULL;
	}
	o = make();
	o->fd = fd;
	o->tty = isatty(fd);
	*err = 0;
	return o;
}

struct out *out_command(const char *cmd)
{
	struct out *o = make();

	o->command = xstrdup(cmd);
	return o;
}

/* `sh -c command` with a pipe as its standard input; signals are as we found them */
static int start(struct out *o)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)"--", o->command, NULL};
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t def, mask;
	int p[2], rc;

	if (pipe2(p, O_CLOEXEC) < 0)
		return -errno;
	fflush(stdout);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, p[0], STDIN_FILENO);
	posix_spawnattr_init(&at);
	sigemptyset(&def);
	sigaddset(&def, SIGPIPE);
	sigemptyset(&mask);
	posix_spawnattr_setsigdefault(&at, &def);
	posix_spawnattr_setsigmask(&at, &mask);
	posix_spawnattr_setflags(&at, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawn(&o->pid, "/bin/sh", &fa, &at, argv, environ);
	posix_spawnattr_destroy(&at);
	posix_spawn_file_actions_destroy(&fa);
	close(p[0]);
	if (rc) {
		o->pid = 0;
		close(p[1]);
		return -rc;
	}
	o->fd = p[1];
	return 0;
}

static int write_out(struct out *o)
{
	int rc;

	if (o->command && !o->pid) {
		rc = start(o);
		if (rc)
			return rc;
	}
	if (!o->f)
		return io_write_all(o->fd, o->b.p, o->b.len);
	errno = 0;
	if (fwrite(o->b.p, 1, o->b.len, o->f) != o->b.len || fflush(o->f)) {
		rc = errno ? -errno : -EIO;
		/* or exit would try once more, and fail */
		__fpurge(o->f);
		clearerr(o->f);
		return rc;
	}
	return 0;
}

void out_flush(struct out *o)
{
	if (o->b.len && !o->err)
		o->err = write_out(o);
	buf_clear(&o->b);
}

void out_commit(struct out *o, bool now)
{
	uint64_t t;

	if (!o->b.len)
		return;
	o->used = true;
	if (!now && !o->tty && o->b.len < OUT_FULL) {
		if (++o->adds % 32) /* the clock is not free */
			return;
		t = io_now();
		if (t - o->flushed < OUT_AGE_NS)
			return;
		o->flushed = t;
	}
	out_flush(o);
}

void out_cancel(struct out *o)
{
	buf_clear(&o->b);
	if (o->command && !o->pid) {
		free(o->command);
		o->command = NULL;
	}
}

int out_close(struct out *o, int *status)
{
	int rc, st = 0;

	out_flush(o);
	/* a command whose input is empty is run all the same */
	if (o->command && !o->pid && !o->err)
		o->err = start(o);
	rc = o->err;
	if (o->fd >= 0 && close(o->fd) < 0 && !rc && errno != EINTR)
		rc = -errno;
	if (o->pid) {
		pid_t got;

		do
			got = waitpid(o->pid, &st, 0);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			st = 0;
	}
	if (status)
		*status = WIFSIGNALED(st) ? 128 + WTERMSIG(st) : WEXITSTATUS(st);
	free(o->command);
	buf_free(&o->b);
	free(o);
	return rc;
}
