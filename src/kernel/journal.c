/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal: one file a process that lists what must be removed, written before it is made, so
 * that `cleanup` can finish after a kill -9. Owns its place and format; knows nothing of tracefs.
 *
 * A file is named PID-STARTTIME, or armed-NAME where its process has left all on purpose. It has a
 * head line (boot, pid namespace) and then lines of tab-separated words: "+" kind root path text
 * for what is about to be made, "-" and the same for what is gone again. A last line without its
 * newline was never finished: its object was not made.
 */
#include "kernel/internal.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD "tracesh-journal 1"
#define ARMED "armed-"
#define JOURNAL_MAX (16u << 20)

struct journal {
	char path[PATH_MAX];
	int fd;
};

/* ---- who ---- */

/* start time of a process in clock ticks since boot, 0: there is none */
static unsigned long long start_time(pid_t pid)
{
	unsigned long long t = 0;
	struct buf b = {0};
	char path[64];
	char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	/* the name in parentheses may hold anything; 20 words later */
	if (io_read_file(path, &b, 1 << 16) == 0 && (p = strrchr(b.p, ')'))) {
		p++;
		for (int i = 0; p && i < 20; i++)
			p = strchr(p + 1, ' ');
		if (p)
			t = strtoull(p, NULL, 10);
	}
	buf_free(&b);
	return t;
}

static void head_line(struct buf *out)
{
	struct buf boot = {0};
	char ns[64];
	ssize_t n = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);

	ns[n > 0 ? n : 0] = '\0';
	if (io_read_file("/proc/sys/kernel/random/boot_id", &boot, 256) == 0)
		boot.p[strcspn(boot.p, "\n")] = '\0';
	buf_printf(out, HEAD "\t%s\t%s\n", buf_str(&boot), ns);
	buf_free(&boot);
}

/* ---- where ---- */

static int dir_name(unsigned i, char *out, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	int n = -1;

	switch (i) {
	case 0: n = snprintf(out, size, "/run/tracesh"); break;
	case 1:
		if (tmp && *tmp == '/')
			n = snprintf(out, size, "%s/tracesh-%u", tmp, (unsigned)geteuid());
		break;
	case 2: n = snprintf(out, size, "/tmp/tracesh-%u", (unsigned)geteuid()); break;
	}
	return n > 0 && (size_t)n < size ? 0 : -1;
}

/* a directory that only we can write to; anyone may have made one of this name in /tmp */
static bool dir_ours(const char *dir)
{
	struct stat st;

	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 022);
}

/* ---- lines ---- */

static void put_word(struct buf *out, const char *w)
{
	buf_putc(out, '\t');
	for (; w && *w; w++) {
		const char *esc = strchr("\\\\\tt\nn", *w);

		if (*w == '\\' || *w == '\t' || *w == '\n') {
			buf_putc(out, '\\');
			buf_putc(out, *w == '\\' ? '\\' : esc[1]);
		} else {
			buf_putc(out, *w);
		}
	}
}

static void put_entry(struct buf *out, char sign, const struct entry *e)
{
	buf_printf(out, "%c\t%d", sign, (int)e->kind);
	put_word(out, e->root);
	put_word(out, e->path);
	put_word(out, e->text);
	buf_putc(out, '\n');
}

/* the next tab-separated word of *t, unescaped in place; NULL: no more */
static char *take_word(char **t)
{
	char *w = strsep(t, "\t"), *to = w;

	for (char *p = w; p && *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			*to++ = *p == 't' ? '\t' : *p == 'n' ? '\n' : *p;
		} else {
			*to++ = *p;
		}
	}
	if (w)
		*to = '\0';
	return w;
}

static bool same(const struct entry *a, const struct entry *b)
{
	return a->kind == b->kind && strcmp(a->root, b->root) == 0 &&
	       strcmp(a->path, b->path) == 0 && strcmp(a->text, b->text) == 0;
}

static void read_entry(struct arena *a, struct journal_file *f, char *line)
{
	char *sign = take_word(&line), *kind = take_word(&line);
	struct entry e = {0};

	e.root = take_word(&line);
	e.path = take_word(&line);
	e.text = take_word(&line);
	if (!e.text || strlen(sign) != 1 || strlen(kind) != 1 || *kind < '0' || *kind > '3')
		return;
	e.kind = (enum write_kind)(*kind - '0');
	if (*sign == '+') {
		ARENA_PUSH(a, f->v, f->n, e);
		return;
	}
	for (size_t i = f->n; *sign == '-' && i-- > 0;) {
		if (same(&f->v[i], &e)) {
			memmove(&f->v[i], &f->v[i + 1], (f->n - i - 1) * sizeof(e));
			f->n--;
			return;
		}
	}
}

static int read_journal(struct arena *a, struct journal_file *f)
{
	struct buf b = {0}, head = {0};
	char *text, *line;
	int rc = io_read_file(f->path, &b, JOURNAL_MAX);

	if (rc == 0) {
		head_line(&head);
		head.p[head.len - 1] = '\0';
		text = arena_strndup(a, buf_str(&b), b.len);
		line = strchr(text, '\n') ? strsep(&text, "\n") : NULL;
		if (!line || strncmp(line, HEAD "\t", sizeof(HEAD)) != 0) {
			rc = -EINVAL;
		} else if (strcmp(line, head.p) != 0) {
			size_t boot = strlen(HEAD) + 1 + strcspn(head.p + sizeof(HEAD), "\t");

			f->foreign = true;
			f->stale = strncmp(line, head.p, boot) != 0;
		}
		/* strsep gives a last line without its newline as well: stop before it */
		while (rc == 0 && text && strchr(text, '\n'))
			read_entry(a, f, strsep(&text, "\n"));
	}
	buf_free(&b);
	buf_free(&head);
	return rc;
}

/* ---- our own ---- */

struct journal *journal_open(struct session *s)
{
	struct journal *j = xcalloc(1, sizeof(*j));
	char dir[PATH_MAX - 64];
	int err = ENOENT;

	for (unsigned i = 0; i < 3; i++) {
		struct buf head = {0};
		struct stat st;

		if (dir_name(i, dir, sizeof(dir)))
			continue;
		if (mkdir(dir, 0700) && errno != EEXIST) {
			err = errno;
			continue;
		}
		if (!dir_ours(dir)) {
			err = EPERM;
			continue;
		}
		snprintf(j->path, sizeof(j->path), "%s/%d-%llu", dir, (int)getpid(),
			 start_time(getpid()));
		j->fd = open(j->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (j->fd < 0) {
			err = errno;
			continue;
		}
		head_line(&head);
		if (fstat(j->fd, &st) == 0 &&
		    (st.st_size || io_write_all(j->fd, head.p, head.len) == 0)) {
			buf_free(&head);
			return j;
		}
		err = errno;
		buf_free(&head);
		close(j->fd);
		unlink(j->path);
	}
	session_warn(s,
		     "no journal can be written (%s): what a kill leaves has to be removed by hand",
		     strerror(err));
	free(j);
	return NULL;
}

static int append(int fd, char sign, const struct entry *e)
{
	struct buf b = {0};
	int rc;

	put_entry(&b, sign, e);
	rc = io_write_all(fd, b.p, b.len);
	buf_free(&b);
	return rc;
}

int journal_add(struct journal *j, const struct entry *e)
{
	return j ? append(j->fd, '+', e) : 0;
}

void journal_done(struct journal *j, const struct entry *e)
{
	if (j)
		append(j->fd, '-', e);
}

void journal_close(struct journal *j)
{
	struct journal_file f = {0};
	struct arena *a;

	if (!j)
		return;
	a = arena_new();
	f.path = j->path;
	if (read_journal(a, &f) == 0 && f.n == 0) {
		unlink(j->path);
		*strrchr(j->path, '/') = '\0';
		rmdir(j->path); /* the last one */
	}
	arena_free(a);
	close(j->fd);
	free(j);
}

int journal_leave(struct journal *j, const char *name)
{
	char path[PATH_MAX];
	char *slash = strrchr(j->path, '/');
	int rc = 0;

	if (snprintf(path, sizeof(path), "%.*s/" ARMED "%s", (int)(slash - j->path), j->path,
		     name) >= (int)sizeof(path))
		rc = -ENAMETOOLONG;
	/* two sets of one name cannot be: they would have the same objects */
	if (!rc && rename(j->path, path))
		rc = -errno;
	if (rc)
		return rc;
	close(j->fd);
	free(j);
	return 0;
}

/* ---- everybody's ---- */

static void list_dir(struct arena *a, const char *dir, struct journal_file **v, size_t *n)
{
	struct dirent *e;
	DIR *d = dir_ours(dir) ? opendir(dir) : NULL;

	while (d && (e = readdir(d))) {
		struct journal_file f = {0};
		unsigned long long start;
		int pid, end = 0;

		f.path = arena_printf(a, "%s/%s", dir, e->d_name);
		if (strncmp(e->d_name, ARMED, strlen(ARMED)) == 0 && !strchr(e->d_name, '.')) {
			f.armed = arena_strdup(a, e->d_name + strlen(ARMED));
		} else if (sscanf(e->d_name, "%d-%llu%n", &pid, &start, &end) == 2 && pid > 0 &&
			   !e->d_name[end]) {
			f.pid = pid;
			f.alive = start_time(pid) == start && start;
		} else {
			continue;
		}
		if (read_journal(a, &f) == 0)
			ARENA_PUSH(a, *v, *n, f);
	}
	if (d)
		closedir(d);
}

size_t journal_list(struct arena *a, struct journal_file **out)
{
	char dir[PATH_MAX], before[3][PATH_MAX];
	unsigned nbefore = 0;
	size_t n = 0;

	*out = NULL;
	for (unsigned i = 0; i < 3; i++) {
		bool again = false;

		if (dir_name(i, dir, sizeof(dir)))
			continue;
		for (unsigned k = 0; k < nbefore; k++)
			again |= strcmp(before[k], dir) == 0;
		strcpy(before[nbefore++], dir);
		if (!again)
			list_dir(a, dir, out, &n);
	}
	return n;
}

void journal_strike(const struct journal_file *f, const struct entry *e)
{
	int fd = open(f->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	append(fd, '-', e);
	close(fd);
}
