/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that a run traces. Knows nothing of tracing. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: default signals (ours are caught or ignored), wait for the gate, become the
 * command. */
static void become(const char *cmd, int gate)
{
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ};
	char c;
	ssize_t n;

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		signal(sigs[i], SIG_DFL);
	do {
		n = read(gate, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(126); /* never released: the run failed before it was armed */
	execl("/bin/sh", "sh", "-c", cmd, (char *)NULL);
	_exit(127);
}

int child_prepare(struct child *c, const char *cmd)
{
	int gate[2];

	c->gate = c->pidfd = -1;
	if (pipe2(gate, O_CLOEXEC) < 0)
		return -errno;
	c->pid = fork();
	if (c->pid < 0) {
		int err = errno;

		close(gate[0]);
		close(gate[1]);
		c->pid = 0;
		return -err;
	}
	if (c->pid == 0) {
		close(gate[1]);
		become(cmd, gate[0]);
	}
	close(gate[0]);
	c->gate = gate[1];
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return 0;
}

void child_release(struct child *c)
{
	if (c->gate < 0)
		return;
	if (write(c->gate, "g", 1) < 0) {
		/* it was ended already: child_ended() tells */
	}
	close(c->gate);
	c->gate = -1;
}

bool child_ended(struct child *c)
{
	int st;

	if (!c->pid || c->ended)
		return c->ended;
	if (waitpid(c->pid, &st, WNOHANG) == c->pid) {
		c->ended = true;
		c->status = WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
	}
	return c->ended;
}

void child_finish(struct child *c)
{
	if (!c->pid)
		return;
	if (c->gate >= 0) { /* closing the gate unsent ends it */
		close(c->gate);
		c->gate = -1;
		if (!c->ended)
			waitpid(c->pid, NULL, 0);
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
	c->pid = 0;
}
