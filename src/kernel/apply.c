/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Applying a plan: writes in order, each in the journal before it is done, all undone again when
 * one is refused. Owns the life of a struct kernel; what the writes mean is the planner's business.
 */
#include "kernel/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
	struct session *s;
	const struct plan *plan;
	char *root;
	uint8_t *done; /* for each write of the plan */
	struct journal *journal;
	struct errlog log;
	struct kernel_hooks hooks;
	const struct write *refused;
};

static struct entry undo_entry(const struct kernel *k, const struct write *w)
{
	return (struct entry){w->undo_kind, k->root, w->undo_path,
			      w->undo_text ? w->undo_text : ""};
}

/* A value inside our instance goes with it; all else has to be found again after a kill. */
static bool journalled(const struct write *w)
{
	return w->undo_path && w->undo_kind != WR_SET;
}

static int do_write(struct kernel *k, size_t i)
{
	const struct write *w = &k->plan->v[i];
	struct entry e;
	int rc;

	errlog_mark(&k->log, k->plan, w);
	if (journalled(w)) {
		e = undo_entry(k, w);
		journal_add(k->journal, &e);
	}
	rc = k->hooks.write ? k->hooks.write(k->hooks.arg, i) : 0;
	if (rc == 0)
		rc = tfs_write(k->root, w->kind, w->path, w->text);
	if (rc && journalled(w))
		journal_done(k->journal, &e);
	k->done[i] = rc == 0;
	return rc;
}

static int apply(struct kernel *k, struct diags *d, bool start)
{
	for (size_t i = 0; i < k->plan->n; i++) {
		const struct write *w = &k->plan->v[i];
		int rc;

		if (w->start != start || k->done[i])
			continue;
		rc = do_write(k, i);
		if (rc && w->optional) {
			errlog_skip(&k->log, k->plan, w);
		} else if (rc) {
			errlog_explain(&k->log, d, k->root, k->plan, w, -rc);
			k->refused = w;
			return -1;
		}
	}
	return 0;
}

struct kernel *kernel_apply(struct session *s, const char *root, const struct plan *p,
			    struct diags *d, const struct kernel_hooks *h,
			    const struct write **refused)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	k->s = s;
	k->plan = p;
	k->root = xstrdup(root);
	k->done = xcalloc(p->n + 1, 1);
	if (h)
		k->hooks = *h;
	k->journal = journal_open(s);
	errlog_init(&k->log, root, p);
	if (apply(k, d, false)) {
		if (refused)
			*refused = k->refused;
		kernel_undo(k);
		return NULL;
	}
	kernel_follow_tasks(s, root, p);
	return k;
}

int kernel_start(struct kernel *k, struct diags *d)
{
	return apply(k, d, true);
}

/* ---- back ---- */

/* true: it is undone */
static bool undo(struct kernel *k, size_t i)
{
	const struct write *w = &k->plan->v[i];
	struct entry e = undo_entry(k, w);
	int rc = tfs_undo(k->root, w->undo_kind, w->undo_path, w->undo_text);

	k->done[i] = 0;
	if (rc == 0) {
		if (journalled(w))
			journal_done(k->journal, &e);
		return true;
	}
	k->s->undo_failed = true;
	if (w->undo_kind == WR_MKDIR)
		session_warn(k->s, "cannot remove %s/%s: %s", k->root, w->undo_path, strerror(-rc));
	else
		session_warn(k->s, "cannot undo with '%s' in %s/%s: %s", w->undo_text, k->root,
			     w->undo_path, strerror(-rc));
	return false;
}

void kernel_stop(struct kernel *k)
{
	for (size_t i = k->plan->n; i-- > 0;) {
		if (k->plan->v[i].start && k->done[i] && k->plan->v[i].undo_path)
			undo(k, i);
	}
}

void kernel_switch(struct kernel *k, const char *instance, bool on)
{
	char path[PATH_MAX];

	if (k && tfs_own_instance(instance) &&
	    snprintf(path, sizeof(path), "%s/tracing_on", instance) < (int)sizeof(path))
		tfs_write(k->root, WR_SET, path, on ? "1" : "0");
}

static void kernel_free(struct kernel *k)
{
	errlog_free(&k->log);
	free(k->done);
	free(k->root);
	free(k);
}

int kernel_leave(struct kernel *k, const char *name)
{
	int rc = k->journal ? journal_leave(k->journal, name) : -ENOENT;

	if (rc)
		return rc;
	kernel_free(k);
	return 0;
}

void kernel_undo(struct kernel *k)
{
	bool stuck = false;

	if (!k)
		return;
	for (size_t i = k->plan->n; i-- > 0;) {
		const struct write *w = &k->plan->v[i];

		if (!k->done[i] || !w->undo_path)
			continue;
		/* An instance removed with its triggers would keep their synthetic event busy until
		 * the next boot: it stays, in the journal, for cleanup. */
		if (stuck && w->undo_kind == WR_MKDIR)
			continue;
		stuck |= !undo(k, i) && w->undo_kind == WR_TRIGGER;
	}
	journal_close(k->journal);
	kernel_free(k);
}
