/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Origins that are directories: live tracefs (found, or mounted where we may) and saved ones. */
#include "catalog/internal.h"

#include "base/io.h"

#include <errno.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAX_TEXT (256u << 20)

const char *event_format_text(struct event *e, size_t *len)
{
	struct event_priv *p = (struct event_priv *)e;

	if (!p->text && e->origin->kind != ORIGIN_FILE) {
		struct arena *a = e->origin->priv->c->arena;
		struct buf path = {0}, b = {0};

		buf_printf(&path, "%s/events/%s/%s/format", e->origin->path, e->system, e->name);
		if (io_read_file(path.p, &b, 1 << 20) == 0) {
			p->text = arena_strndup(a, buf_str(&b), b.len);
			p->len = b.len;
		}
		buf_free(&path);
		buf_free(&b);
	}
	*len = p->len;
	return p->text;
}

/* Where a directory keeps the text; live, symbols come from /proc. */
static const char *text_file(const struct origin *o, enum origin_text kind, struct buf *path)
{
	static const char *const names[] = {
		[OT_KALLSYMS] = "kallsyms",
		[OT_PRINTK] = "printk_formats",
		[OT_CMDLINES] = "saved_cmdlines",
		[OT_TGIDS] = "saved_tgids",
	};

	if (kind == OT_KALLSYMS && o->kind == ORIGIN_LIVE)
		return "/proc/kallsyms";
	buf_printf(path, "%s/%s", o->path, names[kind]);
	return path->p;
}

const char *origin_text(struct origin *o, enum origin_text kind, size_t *len)
{
	struct text *t = &o->priv->text[kind];

	if (kind == OT_KALLSYMS && o->priv->kallsyms_later) {
		t->p = o->priv->kallsyms_later(o->priv->kallsyms_arg, &t->len);
		o->priv->kallsyms_later = NULL;
	}
	if (!t->tried) {
		struct buf path = {0}, b = {0};

		t->tried = true;
		if (io_read_file(text_file(o, kind, &path), &b, MAX_TEXT) == 0 && b.len) {
			t->p = arena_strndup(o->priv->c->arena, b.p, b.len);
			t->len = b.len;
		}
		buf_free(&path);
		buf_free(&b);
	}
	*len = t->len;
	return t->p;
}

/* "system:name" a line */
static int list_available(struct origin *o)
{
	struct buf path = {0}, b = {0};
	int rc;

	buf_printf(&path, "%s/available_events", o->path);
	rc = io_read_file(path.p, &b, 16 << 20);
	for (const char *p = buf_str(&b); rc == 0 && *p;) {
		size_t n = strcspn(p, "\n"), colon = strcspn(p, ":");

		if (colon < n)
			event_new(o->priv->c, o, p, colon, p + colon + 1, n - colon - 1, -1);
		p += n + (p[n] != 0);
	}
	buf_free(&path);
	buf_free(&b);
	return rc;
}

/* The ftrace system (print, function ...) is not in available_events. */
static void list_ftrace(struct origin *o)
{
	struct buf path = {0};
	struct dirent *d;
	DIR *dir;

	buf_printf(&path, "%s/events/ftrace", o->path);
	dir = opendir(path.p);
	while (dir && (d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.' || strcmp(d->d_name, "enable") == 0 ||
		    strcmp(d->d_name, "filter") == 0)
			continue;
		event_new(o->priv->c, o, "ftrace", 6, d->d_name, strlen(d->d_name), -1);
	}
	if (dir)
		closedir(dir);
	buf_free(&path);
}

int origin_list(struct origin *o)
{
	struct buf path = {0}, b = {0};
	int rc = list_available(o);

	if (rc == 0) {
		list_ftrace(o);
		buf_printf(&path, "%s/events/header_page", o->path);
		if (io_read_file(path.p, &b, 1 << 16) == 0)
			origin_put_header_page(o, buf_str(&b), b.len);
	}
	buf_free(&path);
	buf_free(&b);
	return rc;
}

struct origin *catalog_add_dir(struct catalog *c, const char *path)
{
	struct origin *o = origin_new(c, ORIGIN_DIR, path);
	int rc = origin_list(o);

	if (rc) {
		diag_error(c->s->diags, "refused", (struct span){0},
			   "cannot read events of '%s': %s", path, strerror(-rc));
		return NULL;
	}
	return o;
}

/* ---- live ---- */

/* A mounted tracefs from /proc/mounts (mount points have octal escapes for odd characters; such are
 * passed over). */
static bool mounted(char *dir, size_t size)
{
	struct buf b = {0};
	bool found = false;

	io_read_file("/proc/self/mounts", &b, 4 << 20);
	for (const char *p = buf_str(&b); *p && !found;) {
		size_t n = strcspn(p, "\n"), dev = strcspn(p, " "), at, fs;

		if (dev < n) {
			at = strcspn(p + dev + 1, " ");
			fs = dev + at + 2;
			if (fs < n && strncmp(p + fs, "tracefs ", 8) == 0 && at < size &&
			    !memchr(p + dev + 1, '\\', at)) {
				memcpy(dir, p + dev + 1, at);
				dir[at] = 0;
				found = true;
			}
		}
		p += n + (p[n] != 0);
	}
	buf_free(&b);
	return found;
}

static bool is_tracefs(const char *dir)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/available_events", dir);
	return access(path, F_OK) == 0;
}

static const char *find_tracefs(struct session *s, char *dir, size_t size, int *err)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

	*err = ENOENT;
	if (s->set.tracefs[0])
		return is_tracefs(s->set.tracefs) ? s->set.tracefs : NULL;
	if (mounted(dir, size) && is_tracefs(dir))
		return dir;
	for (unsigned i = 0; i < 2; i++) {
		if (is_tracefs(places[i]))
			return places[i];
	}
	if (mount("nodev", places[0], "tracefs", 0, NULL) == 0 && is_tracefs(places[0]))
		return places[0];
	*err = access(places[0], F_OK) == 0 && geteuid() != 0 ? EACCES : errno;
	return NULL;
}

struct origin *catalog_add_live(struct catalog *c)
{
	char dir[512];
	struct utsname u;
	struct origin *o;
	struct diag *g;
	int err, rc;
	const char *path = find_tracefs(c->s, dir, sizeof(dir), &err);

	if (!path) {
		g = diag_error(c->s->diags, "no-tracefs", (struct span){0},
			       "tracefs is not to be found%s%s: %s",
			       c->s->set.tracefs[0] ? " in " : "", c->s->set.tracefs,
			       strerror(err));
		diag_hint(c->s->diags, g,
			  err == EACCES || err == EPERM
				  ? "live tracing needs root; a recorded file does not (-i FILE)"
				  : "mount -t tracefs nodev /sys/kernel/tracing");
		return NULL;
	}
	o = origin_new(c, ORIGIN_LIVE, path);
	rc = origin_list(o);
	if (rc) {
		g = diag_error(c->s->diags, "refused", (struct span){0}, "cannot read '%s': %s",
			       path, strerror(-rc));
		if (rc == -EACCES || rc == -EPERM)
			diag_hint(c->s->diags, g,
				  "live tracing needs root; a recorded file does not (-i FILE)");
		return NULL;
	}
	o->clock = arena_strdup(c->arena, c->s->set.clock);
	if (uname(&u) == 0) {
		o->uname = arena_printf(c->arena, "%s %s %s %s", u.sysname, u.release, u.version,
					u.machine);
		o->arch = arena_strdup(c->arena, u.machine);
	}
	return o;
}
