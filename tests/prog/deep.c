// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * deep N [wait]: calls getppid N times from a chain of functions with frame pointers,
 * outer -> middle -> inner, then once from outer -> other. With `wait` it prints its pid and lives
 * until its standard input ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FRAME                                                                                      \
	__attribute__((noinline, noclone,                                                          \
		       optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

/* the call itself, without a function of libc in between */
static inline long call(long nr)
{
	long ret;

#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr) : "rcx", "r11", "memory");
#else
	ret = syscall(nr);
#endif
	return ret;
}

FRAME long inner(void)
{
	long r = call(SYS_getppid);

	__asm__ volatile("" ::: "memory");
	return r;
}

FRAME long middle(void)
{
	long r = inner();

	__asm__ volatile("" ::: "memory");
	return r + 1;
}

FRAME long other(void)
{
	long r = call(SYS_getppid);

	__asm__ volatile("" ::: "memory");
	return r;
}

FRAME long outer(long n)
{
	long r = 0;

	for (long i = 0; i < n; i++)
		r += middle();
	r += other();
	__asm__ volatile("" ::: "memory");
	return r;
}

FRAME int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;

	outer(n);
	if (argc > 2 && strcmp(argv[2], "wait") == 0) {
		printf("%d\n", (int)getpid());
		fflush(stdout);
		while (getchar() != EOF)
			;
	}
	return 0;
}
