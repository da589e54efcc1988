/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a kill -9: removes what the journals of dead processes list, last made first. */
#include "kernel/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An object a living process lists is its own, whoever listed it before. */
static bool in_use(const struct journal_file *v, size_t n, size_t which, const struct entry *e)
{
	for (size_t i = 0; i < n; i++) {
		/* an armed set's objects are in use until it is asked for itself */
		for (size_t k = 0; (v[i].alive || (v[i].armed && i != which)) && k < v[i].n; k++) {
			if (strcmp(v[i].v[k].root, e->root) == 0 &&
			    strcmp(v[i].v[k].path, e->path) == 0 &&
			    strcmp(v[i].v[k].text, e->text) == 0)
				return true;
		}
	}
	return false;
}

/* tracefs may be mounted at several places */
static bool same_dir(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void name(struct buf *out, const struct entry *e)
{
	if (*e->text)
		buf_printf(out, "'%s' in ", e->text);
	buf_printf(out, "%s/%s", e->root, e->path);
}

/* 1 removed, 0 it was not there, negative errno: it stays */
static int remove_entry(const struct entry *e)
{
	char path[PATH_MAX];
	size_t n = strlen(e->root);
	int rc;

	if (n + strlen(e->path) + 2 > sizeof(path))
		return 0;
	memcpy(path, e->root, n);
	path[n] = '/';
	strcpy(path + n + 1, e->path);
	if (access(path, F_OK))
		return 0;
	if (e->kind == WR_MKDIR) {
		if (!tfs_own_instance(e->path))
			return 0;
		tfs_clear_instance(e->root, e->path);
	}
	rc = tfs_undo(e->root, e->kind, e->path, e->text);
	return rc ? rc : 1;
}

static unsigned clean(struct session *s, const struct journal_file *v, size_t n, size_t which,
		      const char *root, struct buf *out)
{
	const struct journal_file *f = &v[which];
	unsigned left = 0, elsewhere = 0;

	for (size_t i = f->n; i-- > 0;) {
		const struct entry *e = &f->v[i];
		struct buf what = {0};
		int rc;

		if (!same_dir(e->root, root)) { /* another --tracefs: another cleanup's */
			elsewhere++;
			continue;
		}
		rc = in_use(v, n, which, e) ? 0 : remove_entry(e);
		name(&what, e);
		if (rc < 0) {
			session_warn(s, "cannot remove %s: %s", buf_str(&what), strerror(-rc));
			left++;
		} else {
			journal_strike(f, e);
			if (rc && f->armed)
				buf_printf(out, "removed %s, armed by %s\n", buf_str(&what),
					   f->armed);
			else if (rc)
				buf_printf(out, "removed %s, left by process %d\n", buf_str(&what),
					   (int)f->pid);
		}
		buf_free(&what);
	}
	if (!left && !elsewhere)
		unlink(f->path);
	return left;
}

unsigned kernel_cleanup(struct session *s, const char *root, struct buf *out)
{
	struct arena *a = arena_new();
	struct journal_file *v;
	size_t n = journal_list(a, &v);
	unsigned left = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].armed)
			continue;
		if (v[i].stale)
			unlink(v[i].path);
		else if (!v[i].alive && !v[i].foreign)
			left += clean(s, v, n, i, root, out);
	}
	if (left)
		s->undo_failed = true;
	arena_free(a);
	return left;
}

/* ---- sets that were left on purpose ---- */

size_t kernel_armed_list(struct arena *a, struct kernel_armed **out)
{
	struct journal_file *v;
	size_t n = journal_list(a, &v), found = 0;

	*out = NULL;
	for (size_t i = 0; i < n; i++) {
		struct kernel_armed set = {v[i].armed, v[i].path, v[i].stale};

		if (set.name)
			ARENA_PUSH(a, *out, found, set);
	}
	return found;
}

int kernel_armed_pause(const char *root, const char *instance)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/tracing_on", instance) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return tfs_write(root, WR_SET, path, "0");
}

unsigned kernel_armed_undo(struct session *s, const char *root, const struct kernel_armed *set,
			   struct buf *out)
{
	struct arena *a = arena_new();
	struct journal_file *v;
	size_t n = journal_list(a, &v);
	unsigned left = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].armed || strcmp(v[i].path, set->journal) != 0)
			continue;
		if (v[i].stale)
			unlink(v[i].path);
		else
			left += clean(s, v, n, i, root, out);
	}
	if (left)
		s->undo_failed = true;
	arena_free(a);
	return left;
}

/* ---- what was set up at boot ---- */

#define CLOCK_OF_KERNEL "local"
#define BUFFER_OF_KERNEL "1408" /* TRACE_BUF_SIZE_DEFAULT in KiB */

static const char *inside(const struct plan *p, const char *path)
{
	size_t n = strlen(p->instance);

	return strncmp(path, p->instance, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

static int undo_top(const char *root, const char *path, const struct write *w)
{
	const char *file = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;

	if (w->kind == WR_TRIGGER)
		return tfs_undo(root, WR_TRIGGER, path, w->undo_text);
	if (strcmp(file, "enable") == 0)
		return tfs_undo(root, WR_SET, path, "0");
	if (strcmp(path, "trace_clock") == 0)
		return tfs_write(root, WR_SET, path, CLOCK_OF_KERNEL);
	if (strcmp(path, "buffer_size_kb") == 0)
		return tfs_write(root, WR_SET, path, BUFFER_OF_KERNEL);
	return 0;
}

unsigned kernel_boot_undo(struct session *s, const char *root, const struct plan *p, bool own)
{
	unsigned left = 0;

	for (size_t i = p->n; i-- > 0;) {
		const struct write *w = &p->v[i];
		const char *path = inside(p, w->path);
		int rc = 0;

		if (!own && path)
			rc = undo_top(root, path, w);
		else if (!w->undo_path || w->undo_kind == WR_SET || (!own && w->kind == WR_MKDIR))
			continue;
		else if (w->kind == WR_MKDIR)
			tfs_clear_instance(root, p->instance);
		if (!rc && (own || !path))
			rc = tfs_undo(root, w->undo_kind, w->undo_path, w->undo_text);
		if (!rc || w->optional)
			continue;
		left++;
		session_warn(s, "cannot undo what was set up in %s/%s: %s", root,
			     own || !path ? w->path : path, strerror(-rc));
	}
	if (!own) {
		tfs_write(root, WR_SET, "trace", "");
		tfs_write(root, WR_SET, "tracing_on", "1");
	}
	if (left)
		s->undo_failed = true;
	return left;
}
