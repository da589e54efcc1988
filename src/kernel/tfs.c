/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Single operations on tracefs and their reversal. Owns how a file is opened: lists that others
 * share are only ever appended to, never truncated. Knows no plans and no journals.
 */
#include "kernel/internal.h"

#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUSY_TRIES 100
#define BUSY_PAUSE_NS 10000000
#define LIST_MAX (16u << 20)

static int join(char *out, const char *root, const char *path)
{
	int n = snprintf(out, PATH_MAX, "%s/%s", root, path);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

bool tfs_own_instance(const char *path)
{
	static const char ours[] = "instances/tracesh-";

	return strncmp(path, ours, sizeof(ours) - 1) == 0 && !strchr(path + sizeof(ours) - 1, '/');
}

static int write_file(const char *file, int flags, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC | flags);
	struct buf b = {0};
	int rc;

	if (fd < 0)
		return -errno;
	/* in one piece: some files take a command a write */
	buf_printf(&b, "%s\n", text);
	rc = io_write_all(fd, b.p, b.len);
	buf_free(&b);
	if (close(fd) && !rc)
		rc = -errno;
	return rc;
}

int tfs_write(const char *root, enum write_kind kind, const char *path, const char *text)
{
	char file[PATH_MAX];
	int rc = join(file, root, path);

	if (rc)
		return rc;
	switch (kind) {
	case WR_MKDIR: return mkdir(file, 0750) ? -errno : 0;
	case WR_SET: return write_file(file, O_TRUNC, text);
	case WR_APPEND:
	case WR_TRIGGER: return write_file(file, O_APPEND, text);
	}
	return -EINVAL;
}

/* ---- reading back ---- */

/* how many lines of a list that are no comments */
static size_t count_lines(const char *t)
{
	size_t n = 0;

	while (*t) {
		size_t len = strcspn(t, "\n");

		n += len > 0 && *t != '#';
		t += len + (t[len] == '\n');
	}
	return n;
}

/* Does the definition that "-:group/name" or "!name ..." removes stand in a list? */
static bool still_listed(const char *list, const char *undo)
{
	const char *name = strncmp(undo, "-:", 2) == 0 ? undo + 2 : undo + (*undo == '!');
	size_t n = strcspn(name, " \t\n");

	while (*list) {
		size_t len = strcspn(list, "\n");

		for (const char *p = list; p + n <= list + len; p++) {
			bool starts = p == list || strchr(": \t", p[-1]);
			bool ends = p + n == list + len || strchr(" \t;", p[n]);

			if (n && starts && ends && memcmp(p, name, n) == 0)
				return true;
		}
		list += len + (list[len] == '\n');
	}
	return false;
}

static bool holds(const char *list, const char *text)
{
	size_t n = strcspn(list, "\n");

	return n == strlen(text) && memcmp(list, text, n) == 0;
}

/* ---- undo ---- */

static int undo_once(const char *root, enum write_kind kind, const char *path, const char *text)
{
	struct buf before = {0}, after = {0};
	char file[PATH_MAX];
	int rc = join(file, root, path);

	if (rc)
		return rc;
	if (kind == WR_MKDIR) {
		if (rmdir(file) && errno != ENOENT)
			return -errno;
		return access(file, F_OK) == 0 ? -EBUSY : 0;
	}
	if (access(file, F_OK)) /* gone with its instance, or with its event */
		return 0;
	if (io_read_file(file, &before, LIST_MAX) == 0 && kind == WR_APPEND &&
	    !still_listed(buf_str(&before), text))
		goto out;
	rc = tfs_write(root, kind, path, text);
	if (rc == 0)
		rc = io_read_file(file, &after, LIST_MAX);
	if (rc)
		goto out;
	/* success of the write proves nothing */
	if (kind == WR_APPEND && still_listed(buf_str(&after), text))
		rc = -EBUSY;
	if (kind == WR_TRIGGER && count_lines(buf_str(&before)) <= count_lines(buf_str(&after)) &&
	    count_lines(buf_str(&after)))
		rc = -EBUSY;
	if (kind == WR_SET && !holds(buf_str(&after), text))
		rc = -EIO;
out:
	buf_free(&before);
	buf_free(&after);
	return rc;
}

int tfs_undo(const char *root, enum write_kind kind, const char *path, const char *text)
{
	int rc = 0;

	for (unsigned i = 0; i < BUSY_TRIES; i++) {
		rc = undo_once(root, kind, path, text);
		if (rc != -EBUSY)
			break;
		nanosleep(&(struct timespec){0, BUSY_PAUSE_NS}, NULL);
	}
	return rc;
}

/* ---- an instance somebody left ---- */

/* Each trigger by its own "!": truncating removes only some. True when one was removed. */
static bool clear_triggers(const char *file)
{
	struct buf b = {0};
	bool any = false;

	if (io_read_file(file, &b, LIST_MAX) == 0) {
		for (char *t = b.p, *line; t && (line = strsep(&t, "\n"));) {
			struct buf cmd = {0};

			if (!*line || *line == '#')
				continue;
			/* the state at the end of a listed line is no part of the command */
			if (strstr(line, " [active]"))
				*strstr(line, " [active]") = '\0';
			if (strstr(line, " [paused]"))
				*strstr(line, " [paused]") = '\0';
			buf_printf(&cmd, "!%s", line);
			any |= write_file(file, O_APPEND, buf_str(&cmd)) == 0;
			buf_free(&cmd);
		}
	}
	buf_free(&b);
	return any;
}

static bool clear_system(const char *dir)
{
	struct dirent *e;
	DIR *d = opendir(dir);
	char file[PATH_MAX];
	bool any = false;

	while (d && (e = readdir(d))) {
		if (*e->d_name == '.' || snprintf(file, sizeof(file), "%s/%s/trigger", dir,
						  e->d_name) >= (int)sizeof(file))
			continue;
		any |= clear_triggers(file);
	}
	if (d)
		closedir(d);
	return any;
}

void tfs_clear_instance(const char *root, const char *path)
{
	char dir[PATH_MAX - 64], file[PATH_MAX];

	if (!tfs_own_instance(path) ||
	    snprintf(dir, sizeof(dir), "%s/%s", root, path) >= (int)sizeof(dir))
		return;
	snprintf(file, sizeof(file), "%s/tracing_on", dir);
	write_file(file, 0, "0");
	snprintf(file, sizeof(file), "%s/events/enable", dir);
	write_file(file, 0, "0");
	snprintf(file, sizeof(file), "%s/events", dir);
	/* consumers of a histogram's variables must go before it: until nothing more goes */
	for (unsigned pass = 0; pass < 8; pass++) {
		struct dirent *e;
		DIR *d = opendir(file);
		bool any = false;

		while (d && (e = readdir(d))) {
			char sys[PATH_MAX];

			if (*e->d_name == '.' || e->d_type != DT_DIR ||
			    snprintf(sys, sizeof(sys), "%s/%s", file, e->d_name) >=
				    (int)sizeof(sys))
				continue;
			any |= clear_system(sys);
		}
		if (d)
			closedir(d);
		if (!any)
			break;
	}
}
