/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeping the scope of --children and of a control group whole: tasks that were forked between the
 * planner's look at /proc and the moment the kernel began to follow forks are added until none is
 * missing.
 */
#include "kernel/internal.h"

#include "base/io.h"
#include "plan/scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5
#define LIST_MAX (16u << 20)

static int by_id(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* ids of set_event_pid or set_ftrace_pid, one a line; sorted, malloc'd */
static size_t listed(const char *file, pid_t **out)
{
	struct buf b = {0};
	size_t n = 0, cap = 64;

	*out = xmalloc(cap * sizeof(**out));
	if (io_read_file(file, &b, LIST_MAX) == 0) {
		char *end;

		for (char *t = b.p; t && *t; t = end) {
			long id = strtol(t, &end, 10);

			if (end == t)
				break;
			if (n == cap)
				*out = xrealloc(*out, (cap *= 2) * sizeof(**out));
			(*out)[n++] = (pid_t)id;
		}
	}
	qsort(*out, n, sizeof(**out), by_id);
	buf_free(&b);
	return n;
}

static void follow(struct session *s, const char *root, const char *path)
{
	const struct settings *set = &s->set;
	char file[PATH_MAX];
	bool more = true;

	if (snprintf(file, sizeof(file), "%s/%s", root, path) >= (int)sizeof(file))
		return;
	for (unsigned round = 0; more && round < ROUNDS; round++) {
		pid_t *now, *have;
		size_t n = scope_now(set, &now);
		size_t nhave = listed(file, &have);
		struct buf add = {0};

		for (size_t i = 0; i < n; i++) {
			if (!bsearch(&now[i], have, nhave, sizeof(*have), by_id))
				buf_printf(&add, "%s%d", add.len ? " " : "", (int)now[i]);
		}
		more = add.len && tfs_write(root, WR_APPEND, path, buf_str(&add)) == 0;
		buf_free(&add);
		free(now);
		free(have);
	}
}

void kernel_follow_tasks(struct session *s, const char *root, const struct plan *p)
{
	if (!scope_grows(&s->set))
		return;
	for (size_t i = 0; i < p->n; i++) {
		const char *file = strrchr(p->v[i].path, '/');

		/* events and the function tracer have lists of their own */
		if (file && (!strcmp(file, "/set_event_pid") || !strcmp(file, "/set_ftrace_pid")))
			follow(s, root, p->v[i].path);
	}
}
