/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of a buffer instance that the live feed and the recorder both look at. Knows no pages. */
#include "feed/instance.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

int instance_text(const char *dir, const char *file, struct buf *b)
{
	struct buf path = {0};
	int rc;

	buf_printf(&path, "%s/%s", dir, file);
	rc = io_read_file(buf_str(&path), b, 1 << 16);
	buf_free(&path);
	return rc;
}

uint32_t instance_subbuf(const char *dir)
{
	unsigned long long kb = 0;
	struct buf b = {0};

	if (instance_text(dir, "buffer_subbuf_size_kb", &b) == 0)
		kb = strtoull(buf_str(&b), NULL, 10);
	buf_free(&b);
	return kb && kb <= INSTANCE_SUBBUF_MAX / 1024 ? (uint32_t)kb * 1024 : 0;
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

int instance_cpus(const char *dir, int *out)
{
	struct buf path = {0};
	struct dirent *e;
	int n = 0;
	DIR *d;

	buf_printf(&path, "%s/per_cpu", dir);
	d = opendir(buf_str(&path));
	buf_free(&path);
	if (!d)
		return -errno;
	while ((e = readdir(d)) && n < INSTANCE_CPUS_MAX) {
		int cpu, end = 0;

		if (sscanf(e->d_name, "cpu%d%n", &cpu, &end) == 1 && cpu >= 0 && !e->d_name[end])
			out[n++] = cpu;
	}
	closedir(d);
	qsort(out, (size_t)n, sizeof(*out), by_number);
	return n;
}

int instance_open(const char *dir, int cpu, const char *file, int flags)
{
	struct buf path = {0};
	int fd;

	buf_printf(&path, "%s/per_cpu/cpu%d/%s", dir, cpu, file);
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC | flags);
	buf_free(&path);
	return fd < 0 ? -errno : fd;
}
