/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and groups of tasks that an origin knows: saved_cmdlines and saved_tgids, live also /proc.
 */
#include "catalog/internal.h"

#include "base/io.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_tid(const void *a, const void *b)
{
	const struct taskname *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static struct taskname *add(struct origin_priv *p, size_t *cap, int tid)
{
	if (p->ntasks == *cap) {
		*cap = *cap ? *cap * 2 : 256;
		p->tasks = xrealloc(p->tasks, *cap * sizeof(*p->tasks));
	}
	p->tasks[p->ntasks] = (struct taskname){.tid = tid};
	return &p->tasks[p->ntasks++];
}

static struct taskname *find(struct origin_priv *p, int tid)
{
	struct taskname key = {.tid = tid};

	return p->ntasks ? bsearch(&key, p->tasks, p->ntasks, sizeof(key), by_tid) : NULL;
}

/* Each "NUMBER REST" line of a text; names may hold anything but a newline. */
static void each_line(const char *text, size_t len, void (*fn)(void *, int, const char *, size_t),
		      void *arg)
{
	for (size_t i = 0; i < len;) {
		const char *nl = memchr(text + i, '\n', len - i);
		size_t n = nl ? (size_t)(nl - text - i) : len - i, k = 0;
		long tid = 0;

		while (k < n && isspace((unsigned char)text[i + k]))
			k++;
		if (k < n && isdigit((unsigned char)text[i + k])) {
			for (; k < n && isdigit((unsigned char)text[i + k]) && tid < 1L << 31; k++)
				tid = tid * 10 + (text[i + k] - '0');
			if (k + 1 < n && text[i + k] == ' ')
				fn(arg, (int)tid, text + i + k + 1, n - k - 1);
		}
		i += n + 1;
	}
}

struct loading {
	struct origin_priv *p;
	size_t cap;
};

static void put_comm(void *arg, int tid, const char *s, size_t n)
{
	struct loading *l = arg;
	struct taskname *t = add(l->p, &l->cap, tid);

	t->comm = arena_strndup(l->p->c->arena, s, n < 64 ? n : 64);
}

static void put_tgid(void *arg, int tid, const char *s, size_t n)
{
	struct loading *l = arg;
	char digits[16];
	struct taskname *t = find(l->p, tid);

	snprintf(digits, sizeof(digits), "%.*s", (int)(n < 15 ? n : 15), s);
	if (t)
		t->tgid = atoi(digits);
}

static void load(struct origin *o)
{
	struct loading l = {.p = o->priv};
	const char *text;
	size_t len = 0;

	if (o->priv->tasks_loaded)
		return;
	o->priv->tasks_loaded = true;
	text = origin_text(o, OT_CMDLINES, &len);
	if (text)
		each_line(text, len, put_comm, &l);
	if (l.p->ntasks)
		qsort(l.p->tasks, l.p->ntasks, sizeof(*l.p->tasks), by_tid);
	len = 0;
	text = origin_text(o, OT_TGIDS, &len);
	if (text)
		each_line(text, len, put_tgid, &l);
}

/* comm, tgid and parent of a living task from /proc; false if it is gone */
static bool proc_task(int tid, char comm[64], int *tgid, int *ppid)
{
	char path[48];
	struct buf b = {0};
	const char *p, *end;

	*tgid = *ppid = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (io_read_file(path, &b, 1 << 16) || !b.len || strncmp(b.p, "Name:\t", 6) != 0) {
		buf_free(&b);
		return false;
	}
	end = strchr(b.p, '\n');
	snprintf(comm, 64, "%.*s", (int)((end ? end : b.p + b.len) - b.p - 6), b.p + 6);
	p = strstr(b.p, "\nTgid:");
	if (p)
		*tgid = atoi(p + 6);
	p = strstr(b.p, "\nPPid:");
	if (p)
		*ppid = atoi(p + 6);
	buf_free(&b);
	return true;
}

const char *origin_comm(struct origin *o, int tid)
{
	char comm[64];
	struct taskname *t;
	int tgid, ppid;

	load(o);
	t = find(o->priv, tid);
	if (t && t->comm)
		return t->comm;
	if (o->kind == ORIGIN_LIVE && proc_task(tid, comm, &tgid, &ppid))
		return arena_strdup(o->priv->c->arena, comm);
	return NULL;
}

int origin_tgid(struct origin *o, int tid)
{
	char comm[64];
	int tgid, ppid;
	struct taskname *t;

	if (o->kind == ORIGIN_LIVE && proc_task(tid, comm, &tgid, &ppid))
		return tgid;
	load(o);
	t = find(o->priv, tid);
	return t ? t->tgid : 0;
}

int origin_ppid(struct origin *o, int tid)
{
	char comm[64];
	int tgid, ppid;

	return o->kind == ORIGIN_LIVE && proc_task(tid, comm, &tgid, &ppid) ? ppid : 0;
}

typedef void (*task_fn)(void *arg, int tid, int tgid, int ppid, const char *comm);

/* All threads of all processes. */
static void proc_tasks(task_fn fn, void *arg)
{
	struct dirent *d, *t;
	DIR *proc = opendir("/proc");

	while (proc && (d = readdir(proc)) != NULL) {
		char path[300], comm[64];
		DIR *tasks;

		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", d->d_name);
		tasks = opendir(path);
		while (tasks && (t = readdir(tasks)) != NULL) {
			int tgid, ppid, tid = atoi(t->d_name);

			if (tid > 0 && proc_task(tid, comm, &tgid, &ppid))
				fn(arg, tid, tgid, ppid, comm);
		}
		if (tasks)
			closedir(tasks);
	}
	if (proc)
		closedir(proc);
}

void origin_tasks(struct origin *o, task_fn fn, void *arg)
{
	load(o);
	for (size_t i = 0; i < o->priv->ntasks; i++) {
		const struct taskname *t = &o->priv->tasks[i];

		if (t->comm)
			fn(arg, t->tid, t->tgid, 0, t->comm);
	}
	if (o->kind == ORIGIN_LIVE)
		proc_tasks(fn, arg);
}
