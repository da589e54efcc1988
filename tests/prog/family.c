// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * family BASE [GENERATIONS]: opens /dev/null under a mark of its own (the mode, BASE + a number) as
 * its very first call, in a thread as well, then starts children that do the same: one by fork, one
 * by vfork and exec, until there are so many generations. Prints "TID MARK" for each open.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void mark(int m)
{
	char line[32];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, m), n;

	if (fd < 0)
		exit(1);
	close(fd);
	n = snprintf(line, sizeof(line), "%d %d\n", (int)syscall(SYS_gettid), m);
	if (write(1, line, (size_t)n) != n)
		exit(1);
}

static void *thread(void *arg)
{
	mark(*(int *)arg);
	return NULL;
}

static void live(int base, int generations);

static void have_children(int base, int generations)
{
	pid_t a, b;

	a = fork();
	if (a == 0) {
		live(base * 3 + 1, generations - 1);
		_exit(0);
	}
	b = vfork();
	if (b == 0) {
		char arg[2][16];

		snprintf(arg[0], sizeof(arg[0]), "%d", base * 3 + 2);
		snprintf(arg[1], sizeof(arg[1]), "%d", generations - 1);
		execl("/proc/self/exe", "family", arg[0], arg[1], (char *)NULL);
		_exit(1);
	}
	while (wait(NULL) > 0)
		;
}

static void live(int base, int generations)
{
	pthread_t t;
	int m = base * 3;

	mark(base * 3 + 1);
	if (pthread_create(&t, NULL, thread, &m) == 0)
		pthread_join(t, NULL);
	if (generations > 1)
		have_children(base, generations);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	live(atoi(argv[1]), argc > 2 ? atoi(argv[2]) : 4);
	return 0;
}
