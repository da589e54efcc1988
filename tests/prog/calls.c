// SPDX-License-Identifier: GPL-3.0-or-later
/* calls N [SECONDS]: makes exactly N getppid system calls (spread over SECONDS), prints how many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, done = 0;
	double seconds = argc > 2 ? atof(argv[2]) : 0;
	long batch = seconds > 0 ? n / (long)(seconds * 100) + 1 : n;

	while (done < n) {
		for (long i = 0; i < batch && done < n; i++, done++)
			syscall(SYS_getppid);
		if (done < n)
			nanosleep(&(struct timespec){0, 10000000}, NULL);
	}
	printf("%ld\n", done);
	return 0;
}
