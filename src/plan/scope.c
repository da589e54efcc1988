/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tasks and their descendants, from /proc; those of control groups. Knows nothing of tracefs. */
#include "plan/scope.h"

#include "base/arena.h"
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CGROUP_DEPTH 64
#define LIST_MAX (16u << 20)

struct ids {
	pid_t *v;
	size_t n, cap;
};

struct proc {
	pid_t pid, ppid;
	bool in;
};

static void add(struct ids *l, pid_t id)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->v = xrealloc(l->v, l->cap * sizeof(*l->v));
	}
	l->v[l->n++] = id;
}

static int by_id(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* the numeric names of a directory of /proc */
static struct ids numbers(const char *dir)
{
	struct ids l = {0};
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		char *end;
		long id = strtol(e->d_name, &end, 10);

		if (id > 0 && *end == '\0')
			add(&l, (pid_t)id);
	}
	if (d)
		closedir(d);
	return l;
}

/* a line of /proc/PID/status as a number, -1 when it is not there */
static long status_number(pid_t pid, const char *key)
{
	char path[64], text[4096], *line;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	/* the name in the first line may hold anything but a newline */
	line = strchr(text, '\n');
	line = line ? strstr(line, key) : NULL;
	return line ? strtol(line + strlen(key), NULL, 10) : -1;
}

static void add_threads(struct ids *out, pid_t pid)
{
	char path[64];
	struct ids t;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	t = numbers(path);
	for (size_t i = 0; i < t.n; i++)
		add(out, t.v[i]);
	free(t.v);
}

static void add_descendants(struct ids *out, const pid_t *pids, size_t npids)
{
	struct ids all = numbers("/proc");
	struct proc *p = xcalloc(all.n + 1, sizeof(*p));
	bool more = true;

	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_id);
	for (size_t i = 0; i < all.n; i++) {
		p[i].pid = all.v[i];
		p[i].ppid = (pid_t)status_number(all.v[i], "\nPPid:");
		for (size_t k = 0; k < npids; k++)
			p[i].in |= pids[k] == p[i].pid;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < all.n; i++) {
			pid_t *up;

			if (p[i].in || p[i].ppid <= 0)
				continue;
			up = bsearch(&p[i].ppid, all.v, all.n, sizeof(*all.v), by_id);
			if (up && p[up - all.v].in) {
				p[i].in = more = true;
				add_threads(out, p[i].pid);
			}
		}
	}
	free(p);
	free(all.v);
}

bool scope_exists(pid_t pid)
{
	return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH);
}

/* sorted, each once */
static size_t finish(struct ids *l, pid_t **out)
{
	size_t n = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_id);
	for (size_t i = 0; i < l->n; i++) {
		if (n == 0 || l->v[n - 1] != l->v[i])
			l->v[n++] = l->v[i];
	}
	*out = l->v;
	return n;
}

static void add_tasks(struct ids *l, const pid_t *pids, size_t npids, bool children)
{
	for (size_t i = 0; i < npids; i++) {
		if (!scope_exists(pids[i]))
			continue;
		add(l, pids[i]);
		if (status_number(pids[i], "\nTgid:") == pids[i])
			add_threads(l, pids[i]);
	}
	if (children)
		add_descendants(l, pids, npids);
}

size_t scope_tasks(const pid_t *pids, size_t npids, bool children, pid_t **out)
{
	struct ids l = {0};

	add_tasks(&l, pids, npids, children);
	return finish(&l, out);
}

/* Version 1 has `tasks` in the place of cgroup.threads. */
static void add_cgroup(struct ids *l, const char *dir, unsigned depth)
{
	static const char *const files[] = {"cgroup.threads", "tasks"};
	struct buf b = {0}, path = {0};
	struct dirent *e;
	DIR *d;

	for (size_t i = 0; i < 2 && !b.len; i++) {
		buf_clear(&path);
		buf_printf(&path, "%s/%s", dir, files[i]);
		if (io_read_file(buf_str(&path), &b, LIST_MAX))
			buf_clear(&b);
	}
	for (char *t = b.p, *end; t; t = end) {
		long id = strtol(t, &end, 10);

		if (end == t)
			break;
		if (id > 0)
			add(l, (pid_t)id);
	}
	d = depth < CGROUP_DEPTH ? opendir(dir) : NULL;
	while (d && (e = readdir(d))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		buf_clear(&path);
		buf_printf(&path, "%s/%s", dir, e->d_name);
		add_cgroup(l, buf_str(&path), depth + 1);
	}
	if (d)
		closedir(d);
	buf_free(&b);
	buf_free(&path);
}

bool scope_limited(const struct settings *set)
{
	return set->npids || set->cgroup[0];
}

bool scope_grows(const struct settings *set)
{
	return (set->npids && set->children) || set->cgroup[0];
}

size_t scope_now(const struct settings *set, pid_t **out)
{
	struct ids l = {0};

	add_tasks(&l, set->pids, set->npids, set->children && set->npids);
	if (set->cgroup[0])
		add_cgroup(&l, set->cgroup, 0);
	return finish(&l, out);
}
