// SPDX-License-Identifier: GPL-3.0-or-later
// opens FILE N [M]: opens FILE N times and reads a byte each time, then closes; M: reads more with
// a size of 0.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char c;

	if (argc < 3)
		return 2;
	for (int i = 0; i < atoi(argv[2]); i++) {
		int fd = open(argv[1], O_RDONLY);

		if (fd < 0 || read(fd, &c, 1) < 0)
			return 1;
		for (int k = 0; argc > 3 && k < atoi(argv[3]); k++)
			if (read(fd, &c, 0) < 0)
				return 1;
		close(fd);
	}
	return 0;
}
