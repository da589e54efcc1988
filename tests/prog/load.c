// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * load ROUNDS: a closed load. Four tasks named load-0 to load-3 in two pairs hand a byte to and fro
 * over pipes ROUNDS times; each round opens, reads and closes a file, asks for memory and for its
 * parent. Every call is made a known number of times. Prints nothing.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void work(long i)
{
	char b[64];
	int fd = open(i % 3 ? "/proc/self/stat" : "/nonexistent", O_RDONLY);
	char *m;

	if (fd >= 0) {
		if (read(fd, b, sizeof(b)) < 0)
			exit(1);
		close(fd);
	}
	m = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m != MAP_FAILED) {
		m[0] = m[4096] = 1;
		munmap(m, 16384);
	}
	syscall(SYS_getppid);
	if (i % 50 == 0)
		nanosleep(&(struct timespec){0, 200000}, NULL);
}

static void task(int n, int in, int out, long rounds)
{
	char name[16], b = 0;

	snprintf(name, sizeof(name), "load-%d", n);
	prctl(PR_SET_NAME, name);
	for (long i = 0; i < rounds; i++) {
		if (n % 2 == 0 && write(out, &b, 1) != 1)
			exit(1);
		if (read(in, &b, 1) != 1)
			exit(1);
		work(i);
		if (n % 2 == 1 && write(out, &b, 1) != 1)
			exit(1);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 500;
	int status, bad = 0;

	for (int pair = 0; pair < 2; pair++) {
		int a[2], b[2];

		if (pipe(a) || pipe(b))
			return 1;
		if (fork() == 0)
			task(2 * pair, a[0], b[1], rounds);
		if (fork() == 0)
			task(2 * pair + 1, b[0], a[1], rounds);
	}
	for (int i = 0; i < 4; i++) {
		wait(&status);
		bad |= status;
	}
	return bad != 0;
}
