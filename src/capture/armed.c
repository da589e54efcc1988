/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state file: a head line, lines of a word, a tab and the value (newlines and backslashes
 * escaped), then "text" with its length and the script as it is.
 */
#include "capture/armed.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "tracesh-armed 1"
#define STATE_MAX (20u << 20)

static int state_path(char *out, const char *journal)
{
	return snprintf(out, PATH_MAX, "%s.state", journal) >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static void put(struct buf *b, const char *word, const char *value)
{
	buf_printf(b, "%s\t", word);
	for (; *value; value++) {
		if (*value == '\n')
			buf_puts(b, "\\n");
		else if (*value == '\\')
			buf_puts(b, "\\\\");
		else
			buf_putc(b, *value);
	}
	buf_putc(b, '\n');
}

int armed_save(const char *journal, const struct armed *a)
{
	char path[PATH_MAX];
	struct buf b = {0};
	int fd, rc = state_path(path, journal);

	if (rc)
		return rc;
	buf_puts(&b, HEAD "\n");
	put(&b, "script", a->script);
	for (size_t i = 0; i < a->nsettings; i++) {
		put(&b, "set", a->settings[i].name);
		put(&b, "to", a->settings[i].value);
	}
	for (size_t i = 0; i < a->nargs; i++)
		put(&b, "arg", a->args[i]);
	for (size_t i = 0; i < a->nqueries; i++)
		put(&b, "counts", a->kernel[i] ? "kernel" : "tracesh");
	buf_printf(&b, "text\t%zu\n", a->len);
	buf_add(&b, a->text, a->len);
	/* a name of its own in a directory that only we can write to */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	rc = fd < 0 ? -errno : io_write_all(fd, b.p, b.len);
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	buf_free(&b);
	return rc;
}

static char *unescape(char *v)
{
	char *to = v;

	for (char *p = v; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			*to++ = *p == 'n' ? '\n' : *p;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return v;
}

/* One line; 1: the text follows, with its length in out->len */
static int line(struct arena *arena, struct armed *out, const char *word, char *value)
{
	struct armed_setting set = {.name = value};
	const char *arg = value;
	bool kernel = strcmp(value, "kernel") == 0;
	char *end;

	if (strcmp(word, "text") == 0) {
		out->len = strtoul(value, &end, 10);
		return *value && !*end ? 1 : -EINVAL;
	}
	unescape(value);
	if (strcmp(word, "script") == 0)
		out->script = value;
	else if (strcmp(word, "set") == 0)
		ARENA_PUSH(arena, out->settings, out->nsettings, set);
	else if (strcmp(word, "to") == 0 && out->nsettings)
		out->settings[out->nsettings - 1].value = value;
	else if (strcmp(word, "arg") == 0)
		ARENA_PUSH(arena, out->args, out->nargs, arg);
	else if (strcmp(word, "counts") == 0)
		ARENA_PUSH(arena, out->kernel, out->nqueries, kernel);
	return 0;
}

int armed_load(struct arena *arena, const char *journal, struct armed *out)
{
	char path[PATH_MAX];
	struct buf b = {0};
	int rc = state_path(path, journal);
	char *t, *end, *l, *tab;

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = io_read_file(path, &b, STATE_MAX);
	t = arena_strndup(arena, buf_str(&b), b.len);
	end = t + b.len;
	buf_free(&b);
	if (rc)
		return rc;
	l = strsep(&t, "\n");
	if (!t || strcmp(l, HEAD) != 0)
		return -EINVAL;
	while (rc == 0) {
		l = strsep(&t, "\n");
		if (!t)
			return -EINVAL;
		tab = strchr(l, '\t');
		if (!tab)
			return -EINVAL;
		*tab = '\0';
		rc = line(arena, out, l, tab + 1);
	}
	if (rc < 0)
		return rc;
	if (out->len != (size_t)(end - t) || !out->script)
		return -EINVAL;
	for (size_t i = 0; i < out->nsettings; i++) {
		if (!out->settings[i].value)
			return -EINVAL;
	}
	out->text = t;
	return 0;
}

void armed_forget(const char *journal)
{
	char path[PATH_MAX];

	if (state_path(path, journal) == 0)
		unlink(path);
}
