/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's own words: finds in error_log what is new since before a write, and turns the caret
 * under the command into a place of the script.
 */
#include "kernel/internal.h"

#include "base/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_MAX (1u << 20)
#define PREFIX "  Command: "
#define POS_MAX 255 /* the kernel keeps the caret in a byte */

struct words {
	const char *what; /* "hist:sched:sched_wakeup: error: Couldn't find field" */
	size_t what_len;
	const char *cmd;
	size_t cmd_len;
	size_t caret; /* in cmd */
};

/* the log of the instance a write is in, or of the top */
static unsigned which(const struct plan *p, const struct write *w)
{
	size_t n = strlen(p->instance);

	return strncmp(w->path, p->instance, n) == 0 && w->path[n] == '/' ? 0 : 1;
}

void errlog_init(struct errlog *l, const char *root, const struct plan *p)
{
	memset(l, 0, sizeof(*l));
	snprintf(l->path[0], sizeof(l->path[0]), "%s/%s/error_log", root, p->instance);
	snprintf(l->path[1], sizeof(l->path[1]), "%s/error_log", root);
	l->marked[0] = true; /* that of a new instance is empty */
}

void errlog_free(struct errlog *l)
{
	buf_free(&l->seen[0]);
	buf_free(&l->seen[1]);
}

static void read_log(struct errlog *l, unsigned i)
{
	buf_clear(&l->seen[i]);
	if (io_read_file(l->path[i], &l->seen[i], LOG_MAX))
		buf_clear(&l->seen[i]);
	l->marked[i] = true;
}

void errlog_mark(struct errlog *l, const struct plan *p, const struct write *w)
{
	unsigned i = which(p, w);

	if (!l->marked[i])
		read_log(l, i);
}

void errlog_skip(struct errlog *l, const struct plan *p, const struct write *w)
{
	read_log(l, which(p, w));
}

/* The entry at @t: "[time] what\n  Command: text\n   ^\n". Returns where the next begins. */
static const char *entry(const char *t, struct words *w)
{
	const char *end = strstr(t, "\n[");
	const char *cmd, *caret;

	end = end ? end + 1 : t + strlen(t);
	memset(w, 0, sizeof(*w));
	w->what = strchr(t, ']');
	if (!w->what || w->what >= end)
		return end;
	w->what += 1 + strspn(w->what + 1, " ");
	w->what_len = strcspn(w->what, "\n");
	cmd = strstr(t, "\n" PREFIX);
	if (!cmd || cmd >= end)
		return end;
	w->cmd = cmd + 1 + strlen(PREFIX);
	w->cmd_len = strcspn(w->cmd, "\n");
	caret = w->cmd + w->cmd_len + (w->cmd[w->cmd_len] == '\n');
	w->caret = strcspn(caret, "^\n");
	w->caret -= w->caret < strlen(PREFIX) ? w->caret : strlen(PREFIX);
	return end;
}

/* where the command of an entry begins in the text written, -1: it is about another text */
static long offset_in(const struct write *w, const struct words *k)
{
	size_t len = strlen(w->text);
	const char *at;

	if (!k->cmd_len)
		return -1;
	at = memmem(w->text, len, k->cmd, k->cmd_len);
	if (at)
		return at - w->text;
	at = memmem(k->cmd, k->cmd_len, w->text, len);
	return at ? -(long)(at - k->cmd) - 2 : -1;
}

static struct span place(const struct write *w, size_t at)
{
	for (size_t i = 0; i < w->nmap; i++) {
		if (at >= w->map[i].off && at < w->map[i].off + w->map[i].len)
			return w->map[i].span;
	}
	return w->span;
}

static bool is_old(const struct buf *old, const char *from, const char *to)
{
	return old->len && memmem(old->p, old->len, from, (size_t)(to - from));
}

/* The new entries about @w: their words joined into @out, the place of the first into *at. */
static void new_words(struct errlog *l, unsigned i, const struct write *w, struct buf *out,
		      struct span *at)
{
	struct buf old = l->seen[i];
	const char *t;

	memset(&l->seen[i], 0, sizeof(l->seen[i]));
	read_log(l, i);
	for (t = buf_str(&l->seen[i]); *t == '[';) {
		struct words k;
		const char *next = entry(t, &k);
		long off;

		if (!is_old(&old, t, next) && k.what_len && (off = offset_in(w, &k)) != -1) {
			bool first = out->len == 0;
			long pos = (off >= 0 ? off : off + 2) + (long)k.caret;

			buf_puts(out, first ? "" : "; ");
			buf_add(out, k.what, k.what_len);
			if (first && pos >= 0 && k.cmd_len <= POS_MAX)
				*at = place(w, (size_t)pos);
		}
		t = next;
	}
	buf_free(&old);
}

/* What the kernel's words do not say of a refused probe. */
static bool probe_hint(struct diags *d, struct diag *g, const struct write *w, int err)
{
	const char *t = w->text ? w->text : "";

	if (w->kind != WR_APPEND || !strchr(t, ':'))
		return false;
	if (*t == 't' && err == EEXIST)
		diag_hint(d, g, "this kernel takes one probe for a tracepoint, and it has one");
	else if (*t == 'r' && strstr(t, "$arg"))
		diag_hint(d, g,
			  "this kernel may not keep arguments until a function returns: take them "
			  "with kprobe:F -> kretprobe:F on tid");
	else if (g->note && strstr(g->note, "Failed to register probe event"))
		diag_hint(d, g,
			  "functions that probes themselves need cannot be probed, nor one of "
			  "several of the same name");
	else
		return false;
	return true;
}

static void hint(struct diags *d, struct diag *g, const char *root, const struct write *w, int err)
{
	const char *file = strrchr(w->path, '/');
	struct buf b = {0};
	char path[PATH_MAX];

	if (err == EACCES || err == EPERM) {
		diag_hint(d, g,
			  "writing to tracefs needs root, and a kernel that is not locked down");
	} else if (file && strcmp(file, "/trace_clock") == 0) {
		snprintf(path, sizeof(path), "%s/trace_clock", root);
		if (io_read_file(path, &b, LOG_MAX) == 0) {
			b.p[strcspn(b.p, "\n")] = '\0';
			diag_hint(d, g, "clocks of this kernel: %s", b.p);
		}
		buf_free(&b);
	} else if (file && strcmp(file, "/current_tracer") == 0) {
		snprintf(path, sizeof(path), "%s/%.*s/available_tracers", root,
			 (int)(file - w->path), w->path);
		if (io_read_file(path, &b, LOG_MAX) == 0) {
			b.p[strcspn(b.p, "\n")] = '\0';
			diag_hint(
				d, g,
				"tracers that this kernel lets a buffer of ours have: %s; kprobe: "
				"and kretprobe: follow single functions",
				b.p);
		}
		buf_free(&b);
	} else if (probe_hint(d, g, w, err)) {
		return;
	} else if (err == ENOMEM) {
		diag_hint(d, g, "a smaller buffer may fit (set buffer 1MiB)");
	}
}

void errlog_explain(struct errlog *l, struct diags *d, const char *root, const struct plan *p,
		    const struct write *w, int err)
{
	struct span at = w->span;
	struct buf words = {0};
	struct diag *g;

	if (w->text)
		new_words(l, which(p, w), w, &words, &at);
	if (w->text)
		g = diag_error(d, "refused", at, "the kernel refused '%s' in %s: %s", w->text,
			       w->path, strerror(err));
	else
		g = diag_error(d, "refused", at, "the kernel refused to make %s: %s", w->path,
			       strerror(err));
	if (g && words.len)
		g->note = arena_strdup(d->arena, buf_str(&words));
	if (g)
		hint(d, g, root, w, err);
	buf_free(&words);
}
