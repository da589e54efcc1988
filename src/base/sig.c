/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals that end a run. The only mutable file-scope state of the program: a signal handler has no
 * other way to reach it.
 */
#include "base/sig.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t pending;
static int pipe_fd[2] = {-1, -1};

static void on_signal(int sig)
{
	int saved = errno;

	if (!pending)
		pending = sig;
	if (pipe_fd[1] >= 0 && write(pipe_fd[1], "", 1) < 0) {
		/* full: it is readable already */
	}
	errno = saved;
}

void sig_setup(void)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction sa;

	if (pipe_fd[0] < 0 && pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK) < 0)
		pipe_fd[0] = pipe_fd[1] = -1;
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigaction(sigs[i], &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
	sigaction(SIGXFSZ, &sa, NULL);
}

int sig_pending(void)
{
	return pending;
}

void sig_clear(void)
{
	char junk[64];

	pending = 0;
	while (pipe_fd[0] >= 0 && read(pipe_fd[0], junk, sizeof(junk)) > 0)
		;
}

int sig_fd(void)
{
	return pipe_fd[0];
}
