// SPDX-License-Identifier: GPL-3.0-or-later
// keys N [PATH]: N seeks, each to another place, then N that fail; with PATH it is opened N times
// instead.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	int fd = open(argv[0], O_RDONLY | O_CLOEXEC);

	if (n <= 0 || fd < 0)
		return 2;
	for (int i = 0; i < n; i++) {
		if (argc > 2) {
			int f = open(argv[2], O_RDONLY);

			if (f >= 0)
				close(f);
		} else if (lseek(fd, i, SEEK_SET) != i || lseek(-1, i, SEEK_SET) != -1) {
			return 1;
		}
	}
	return 0;
}
