/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File input and output, shell patterns, the clock. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int io_read_fd(int fd, struct buf *b, size_t max)
{
	for (;;) {
		ssize_t n;

		buf_reserve(b, 16384);
		n = read(fd, b->p + b->len, b->cap - b->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		b->len += (size_t)n;
		b->p[b->len] = 0;
		if (n == 0)
			return 0;
		if (b->len > max)
			return -EFBIG;
	}
}

int io_read_file(const char *path, struct buf *b, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = io_read_fd(fd, b, max);
	close(fd);
	return rc;
}

int io_write_all(int fd, const void *p, size_t n)
{
	const char *s = p;

	while (n) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		s += w;
		n -= (size_t)w;
	}
	return 0;
}

bool io_has_glob(const char *s)
{
	for (; *s; s++) {
		if (*s == '*' || *s == '?')
			return true;
	}
	return false;
}

bool io_glob(const char *pat, const char *s)
{
	const char *star = NULL, *back = NULL;

	while (*s) {
		if (*pat == '*') {
			star = pat++;
			back = s;
		} else if (*pat == '?' || *pat == *s) {
			pat++;
			s++;
		} else if (star) {
			pat = star + 1;
			s = ++back;
		} else {
			return false;
		}
	}
	while (*pat == '*')
		pat++;
	return *pat == 0;
}

uint64_t io_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}
