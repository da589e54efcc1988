/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often a probe of ours could not follow: kprobe_profile, whose lines have no group and stand
 * in the order of kprobe_events. Reads only. */
#include "kernel/internal.h"

#include "base/io.h"

#include <stdlib.h>
#include <string.h>

#define LIST_MAX (16u << 20)

static int slurp(const char *root, const char *file, struct buf *b)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", root, file) >= (int)sizeof(path))
		return -1;
	return io_read_file(path, b, LIST_MAX);
}

/* the line of "r128:GROUP/EVENT ..." in kprobe_events, -1: not there */
static long line_of(const char *list, const char *group, const char *event)
{
	size_t ng = strlen(group), ne = strlen(event);
	long line = 0;

	for (; *list; line++) {
		size_t n = strcspn(list, "\n"), colon = strcspn(list, ":");

		if (colon + 1 + ng + 1 + ne <= n && memcmp(list + colon + 1, group, ng) == 0 &&
		    list[colon + 1 + ng] == '/' && memcmp(list + colon + ng + 2, event, ne) == 0 &&
		    strchr(" \n", list[colon + ng + 2 + ne]))
			return line;
		list += n + (list[n] == '\n');
	}
	return -1;
}

uint64_t kernel_missed(const char *root, const char *group, const char *event)
{
	struct buf list = {0}, profile = {0};
	uint64_t missed = 0;
	long line;

	if (slurp(root, "kprobe_events", &list) || slurp(root, "kprobe_profile", &profile))
		goto out;
	line = line_of(buf_str(&list), group, event);
	for (const char *p = buf_str(&profile); line >= 0 && *p; line--) {
		size_t n = strcspn(p, "\n");
		unsigned long long hits, misses;
		char name[128];

		if (line == 0 && n < 256 &&
		    sscanf(p, "%127s %llu %llu", name, &hits, &misses) == 3 &&
		    strcmp(name, event) == 0)
			missed = misses;
		p += n + (p[n] == '\n');
	}
out:
	buf_free(&list);
	buf_free(&profile);
	return missed;
}
