// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * storm N [FIRST SPAN]: N short processes one after another, a few at a time; with FIRST and SPAN
 * their ids are FIRST .. FIRST+SPAN-1, over and over (clone3 with set_tid, root only). Each makes
 * getppid calls under its inherited name, under a name it gives itself, and then, by turns: in a
 * child of its own, in a thread, after exec, or orphaned. Prints a line for each such phase: TID
 * PID PPID NAME FROM TO CALLS FROM and TO are CLOCK_MONOTONIC in ns; all CALLS were made in
 * between.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PHASES 6
#define AT_ONCE 4

struct phase {
	int tid, pid, ppid, calls;
	char name[16];
	uint64_t from, to;
};

static struct phase (*all)[PHASES];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void phase(struct phase *p, int calls)
{
	prctl(PR_GET_NAME, p->name);
	p->tid = (int)syscall(SYS_gettid);
	p->pid = getpid();
	p->from = now();
	for (int i = 0; i < calls; i++)
		p->ppid = (int)syscall(SYS_getppid);
	p->to = now();
	p->calls = calls;
}

static void *thread(void *arg)
{
	prctl(PR_SET_NAME, "thread");
	phase(arg, 2);
	return NULL;
}

/* a process with the id @tid if it is free, any id where @tid is 0 */
static pid_t process(pid_t tid)
{
	struct clone_args a = {.exit_signal = SIGCHLD};

	if (!tid)
		return fork();
	a.set_tid = (uint64_t)(uintptr_t)&tid;
	a.set_tid_size = 1;
	return (pid_t)syscall(SYS_clone3, &a, sizeof(a));
}

static void body(int i, int fd)
{
	struct phase *p = all[i];
	char name[32], arg[2][16];
	pthread_t t;
	pid_t child;

	phase(&p[0], 1);
	snprintf(name, sizeof(name), "s %d: [%u]", i % 100000, (unsigned)i % 7);
	prctl(PR_SET_NAME, name);
	phase(&p[1], 2);
	switch (i % 5) {
	case 0:
		child = fork();
		if (child == 0) {
			phase(&p[2], 1);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		break;
	case 1:
		if (pthread_create(&t, NULL, thread, &p[2]) == 0)
			pthread_join(t, NULL);
		break;
	case 2:
		snprintf(arg[0], sizeof(arg[0]), "%d", i);
		snprintf(arg[1], sizeof(arg[1]), "%d", fd);
		execl("/proc/self/exe", "storm", "again", arg[0], arg[1], (char *)NULL);
		break;
	case 3:
		/* its child sees it go, and has another parent then */
		if (fork() == 0) {
			while (getppid() == p[1].pid)
				usleep(1000);
			phase(&p[2], 1);
			_exit(0);
		}
		break;
	default: break;
	}
	phase(&p[3], 1);
	_exit(0);
}

static int memory(int n, int fd)
{
	size_t size = (size_t)n * sizeof(*all);

	if (fd < 0) {
		fd = memfd_create("storm", 0);
		if (fd < 0 || ftruncate(fd, (off_t)size))
			return -1;
	}
	all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return all == MAP_FAILED ? -1 : fd;
}

static void print(int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < PHASES; k++) {
			const struct phase *p = &all[i][k];

			if (p->calls)
				printf("%d\t%d\t%d\t%s\t%llu\t%llu\t%d\n", p->tid, p->pid, p->ppid,
				       p->name, (unsigned long long)p->from,
				       (unsigned long long)p->to, p->calls);
		}
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, first = argc > 3 ? atoi(argv[2]) : 0;
	int span = argc > 3 ? atoi(argv[3]) : 1, fd, running = 0, k = 0;

	if (argc > 3 && strcmp(argv[1], "again") == 0) {
		int i = atoi(argv[2]);

		if (memory(i + 1, atoi(argv[3])) < 0)
			return 1;
		phase(&all[i][4], 3);
		return 0;
	}
	/* orphans come to us, so that who they belong to afterwards is known everywhere */
	if (prctl(PR_SET_CHILD_SUBREAPER, getenv("STORM_REAPER") ? 1 : 0))
		return 1;
	fd = memory(n, -1);
	if (fd < 0)
		return 1;
	for (int i = 0; i < n; i++) {
		pid_t child = -1;

		while (running >= AT_ONCE && waitpid(-1, NULL, 0) > 0)
			running--;
		for (int tries = 0; child < 0 && tries <= span; tries++) {
			child = process(first ? first + k++ % span : 0);
			if (child < 0 && errno != EEXIST && errno != EAGAIN) {
				perror("storm: clone");
				return 1;
			}
			if (child < 0 && waitpid(-1, NULL, WNOHANG) > 0)
				running--;
		}
		if (child == 0)
			body(i, fd);
		if (child > 0)
			running++;
	}
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	usleep(100000); /* orphans */
	print(n);
	return 0;
}
