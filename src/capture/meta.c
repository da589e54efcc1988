/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats, symbols and names for a trace.dat. */
#include "capture/meta.h"

#include "base/arena.h"
#include "base/io.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FILE_MAX ((size_t)512 << 20)
#define NAME_BYTES 16

static int read_in(const char *dir, const char *file, struct buf *out)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, file) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return io_read_file(path, out, FILE_MAX);
}

/* ---- formats ---- */

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* the formats of one system behind @out; how many */
static uint32_t system_formats(const char *dir, struct buf *out)
{
	struct dirent **v;
	int n = scandir(dir, &v, visible, alphasort);
	struct buf text = {0};
	uint32_t got = 0;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];

		buf_clear(&text);
		if (snprintf(path, sizeof(path), "%s/%s/format", dir, v[i]->d_name) <
			    (int)sizeof(path) &&
		    v[i]->d_type != DT_REG && io_read_file(path, &text, FILE_MAX) == 0 &&
		    text.len) {
			dat_num(out, 8, text.len);
			buf_add(out, text.p, text.len);
			got++;
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
	buf_free(&text);
	return got;
}

static void add_system(const char *dir, const char *name, struct buf *out, uint32_t *systems)
{
	struct buf formats = {0};
	char path[PATH_MAX];
	uint32_t n;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return;
	n = system_formats(path, &formats);
	if (n) {
		buf_add(out, name, strlen(name) + 1);
		dat_num(out, 4, n);
		buf_add(out, formats.p, formats.len);
		++*systems;
	}
	buf_free(&formats);
}

static int read_formats(struct dat *d, const char *tracefs)
{
	struct buf ftrace = {0}, rest = {0};
	uint32_t systems = 0, n;
	char dir[PATH_MAX], path[PATH_MAX];
	struct dirent **v;
	int count;

	if (snprintf(dir, sizeof(dir), "%s/events", tracefs) >= (int)sizeof(dir) ||
	    snprintf(path, sizeof(path), "%s/ftrace", dir) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	count = scandir(dir, &v, visible, alphasort);
	if (count < 0)
		return -errno;
	n = system_formats(path, &ftrace);
	dat_num(&d->ftrace, 4, n);
	if (ftrace.len)
		buf_add(&d->ftrace, ftrace.p, ftrace.len);
	for (int i = 0; i < count; i++) {
		if (strcmp(v[i]->d_name, "ftrace") != 0 && v[i]->d_type != DT_REG)
			add_system(dir, v[i]->d_name, &rest, &systems);
		free(v[i]);
	}
	free(v);
	dat_num(&d->events, 4, systems);
	if (rest.len)
		buf_add(&d->events, rest.p, rest.len);
	buf_free(&ftrace);
	buf_free(&rest);
	return systems ? 0 : -ENOENT;
}

/* The top buffer's text says its own size: "field: char data;\toffset:16;\tsize:4080;..." */
static void fix_page_size(struct buf *text, uint32_t page)
{
	char *data = text->len ? strstr(text->p, " data;") : NULL;
	char *off = data ? strstr(data, "offset:") : NULL,
	     *size = off ? strstr(off, "size:") : NULL;
	struct buf b = {0};
	unsigned long at;

	if (!size)
		return;
	at = strtoul(off + 7, NULL, 10);
	if (at >= page || strtoul(size + 5, NULL, 10) == page - at)
		return;
	buf_add(&b, text->p, (size_t)(size + 5 - text->p));
	buf_printf(&b, "%lu", page - at);
	size += 5;
	while (isdigit((unsigned char)*size))
		size++;
	buf_puts(&b, size);
	buf_free(text);
	*text = b;
}

static char *uname_text(void)
{
	struct utsname u;
	struct buf b = {0};

	if (uname(&u))
		return xstrdup("Linux");
	buf_printf(&b, "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	return b.p;
}

int meta_read(struct dat *d, const char *tracefs, uint32_t page)
{
	int rc = read_in(tracefs, "events/header_page", &d->header_page);

	if (!rc)
		rc = read_formats(d, tracefs);
	if (rc)
		return rc;
	fix_page_size(&d->header_page, page);
	/* a reader does without these */
	if (read_in(tracefs, "events/header_event", &d->header_event))
		buf_clear(&d->header_event);
	if (read_in(tracefs, "printk_formats", &d->printk))
		buf_clear(&d->printk);
	if (io_read_file("/proc/kallsyms", &d->kallsyms, FILE_MAX))
		buf_clear(&d->kallsyms);
	d->uname = uname_text();
	return 0;
}

void meta_tsc(struct dat *d, const char *clocks)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(a), .config = PERF_COUNT_SW_DUMMY};
	const struct perf_event_mmap_page *p;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd;

	if (!strstr(clocks, "[x86-tsc]"))
		return;
	a.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return;
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED) {
		if (p->cap_user_time && p->time_mult) {
			d->has_tsc = true;
			d->tsc_mult = p->time_mult;
			d->tsc_shift = p->time_shift;
			d->tsc_offset = p->cap_user_time_zero ? p->time_zero : 0;
		}
		munmap((void *)p, size);
	}
	close(fd);
}

/* ---- task names ---- */

struct meta_task {
	int pid;
	unsigned when; /* later ones have more */
	char name[NAME_BYTES];
};

static void add_task(struct meta_tasks *t, int pid, const char *name, size_t len)
{
	struct meta_task *k;

	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 256;
		t->v = xrealloc(t->v, t->cap * sizeof(*t->v));
	}
	k = &t->v[t->n];
	memset(k, 0, sizeof(*k));
	k->pid = pid;
	k->when = t->next++;
	t->n++;
	memcpy(k->name, name, len < NAME_BYTES - 1 ? len : NAME_BYTES - 1);
	for (char *c = k->name; *c; c++)
		*c = *c == '\n' ? '?' : *c;
}

void meta_tasks_now(struct meta_tasks *t)
{
	DIR *d = opendir("/proc");
	struct dirent *p;
	struct buf b = {0};

	while (d && (p = readdir(d))) {
		char path[64 + sizeof(p->d_name)];
		struct dirent *e;
		DIR *tasks;

		if (!isdigit((unsigned char)p->d_name[0]))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/task", p->d_name);
		tasks = opendir(path);
		while (tasks && (e = readdir(tasks))) {
			char comm[sizeof(path) + sizeof(e->d_name) + 8];

			snprintf(comm, sizeof(comm), "%s/%s/comm", path, e->d_name);
			buf_clear(&b);
			if (isdigit((unsigned char)e->d_name[0]) &&
			    io_read_file(comm, &b, 4096) == 0 && b.len)
				add_task(t, atoi(e->d_name), b.p, b.len - (b.p[b.len - 1] == '\n'));
		}
		if (tasks)
			closedir(tasks);
	}
	if (d)
		closedir(d);
	buf_free(&b);
}

static void compact(struct meta_tasks *t);

void meta_tasks_saved(struct meta_tasks *t, const char *tracefs)
{
	struct buf b = {0};

	if (read_in(tracefs, "saved_cmdlines", &b)) {
		buf_free(&b);
		return;
	}
	for (const char *p = buf_str(&b), *e; (e = strchr(p, '\n')); p = e + 1) {
		char *name;
		long pid = strtol(p, &name, 10);

		/* the kernel has this for those that it did not note */
		if (name == p || *name != ' ' || pid <= 0 || strncmp(name + 1, "<...>\n", 6) == 0)
			continue;
		add_task(t, (int)pid, name + 1, (size_t)(e - name - 1));
	}
	buf_free(&b);
	if (t->n > 2 * t->kept + 4096)
		compact(t);
}

static int by_pid(const void *a, const void *b)
{
	const struct meta_task *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->when < y->when ? -1 : x->when > y->when;
}

/* each task once, with its last name */
static void compact(struct meta_tasks *t)
{
	size_t n = 0;

	qsort(t->v, t->n, sizeof(*t->v), by_pid);
	for (size_t i = 0; i < t->n; i++) {
		if (i + 1 == t->n || t->v[i + 1].pid != t->v[i].pid)
			t->v[n++] = t->v[i];
	}
	t->n = t->kept = n;
}

void meta_tasks_text(struct meta_tasks *t, struct buf *out)
{
	compact(t);
	for (size_t i = 0; i < t->n; i++)
		buf_printf(out, "%d %s\n", t->v[i].pid, t->v[i].name);
}

void meta_tasks_free(struct meta_tasks *t)
{
	free(t->v);
	memset(t, 0, sizeof(*t));
}
