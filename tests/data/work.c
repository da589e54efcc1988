/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work N US: two tasks, one named "my task 1", each N times getppid, openat and a sleep of US
 * microseconds. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 20, us = argc > 2 ? atoi(argv[2]) : 1000;
	pid_t pid = fork();

	if (pid == 0)
		prctl(PR_SET_NAME, "my task 1");
	for (int i = 0; i < n; i++) {
		struct timespec t = {0, us * 1000L};
		int fd;

		syscall(SYS_getppid);
		fd = openat(AT_FDCWD, i % 3 ? "/etc/hostname" : "/no/such/file", O_RDONLY);
		if (fd >= 0)
			close(fd);
		if (us)
			nanosleep(&t, NULL);
	}
	if (pid > 0)
		wait(NULL);
	return 0;
}
