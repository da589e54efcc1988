/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defaults of a session and its warnings. */
#include "base/session.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void session_init(struct session *s)
{
	struct winsize w;

	memset(s, 0, sizeof(*s));
	s->set.buffer = 4 << 20;
	strcpy(s->set.clock, "mono");
	s->set.maxmem = 64ull << 20;
	s->set.maxactive = 128;
	s->set.histsize = 8192;
	s->set.pushdown = true;
	s->err = stderr;
	s->out_tty = isatty(STDOUT_FILENO);
	s->err_tty = isatty(STDERR_FILENO);
	s->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	s->width = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col >= 20)
		s->width = w.ws_col;
}

void session_free(struct session *s)
{
	free(s->set.pids);
	s->set.pids = NULL;
}

void session_warn(struct session *s, const char *fmt, ...)
{
	va_list ap;

	if (s->verbosity < 0)
		return;
	fputs("tracesh: warning: ", s->err);
	va_start(ap, fmt);
	vfprintf(s->err, fmt, ap);
	va_end(ap);
	fputc('\n', s->err);
	fflush(s->err);
}
