/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of kernel/ only. */
#ifndef TRACESH_KERNEL_INTERNAL_H
#define TRACESH_KERNEL_INTERNAL_H

#include "kernel/kernel.h"

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- tfs.c: one operation on tracefs ---- */
/* tfs_write - do a write; 0 or negative errno */
int tfs_write(const char *root, enum write_kind kind, const char *path, const char *text);
/* tfs_undo - remove an object (@kind WR_MKDIR: rmdir) and look whether it is gone; waits a second
 * at most while it is busy; an object that is not there is no error; 0 or negative errno */
int tfs_undo(const char *root, enum write_kind kind, const char *path, const char *text);
/* tfs_clear_instance - make an instance of ours idle: tracing off, events off, triggers removed */
void tfs_clear_instance(const char *root, const char *path);
/* tfs_own_instance - is this the path of an instance that only tracesh makes */
bool tfs_own_instance(const char *path);

/* ---- journal.c ---- */
struct journal;

struct entry {
	enum write_kind kind; /* of the undo */
	const char *root, *path, *text;
};

struct journal_file {
	char *path;
	pid_t pid;
	bool foreign; /* of another boot, or of tasks we cannot see */
	bool stale;   /* of another boot: what it lists is gone */
	bool alive;
	const char *armed; /* name of the set it lists, left on purpose; NULL: a process's own */
	struct entry *v;   /* what is not undone yet, in the order of making */
	size_t n;
};

/* journal_open - of this process, made when needed; NULL with a warning when none can be made */
struct journal *journal_open(struct session *s);
/* journal_add - @e is about to be made; journal_done: it is gone. NULL journal: nothing. */
int journal_add(struct journal *j, const struct entry *e);
void journal_done(struct journal *j, const struct entry *e);
/* journal_close - the file goes when it lists nothing */
void journal_close(struct journal *j);

/* journal_leave - the file becomes that of the armed set @name and is closed: 0 or negative errno
 */
int journal_leave(struct journal *j, const char *name);

/* journal_list - all journals there are of this user; arena memory */
size_t journal_list(struct arena *a, struct journal_file **out);
/* journal_strike - note in somebody's journal that an entry is gone */
void journal_strike(const struct journal_file *f, const struct entry *e);

/* ---- errlog.c: the kernel's own words ---- */
struct errlog {
	char path[2][PATH_MAX]; /* of the instance, of the top */
	struct buf seen[2];     /* what the log held before */
	bool marked[2];
};

void errlog_init(struct errlog *l, const char *root, const struct plan *p);
void errlog_free(struct errlog *l);
/* errlog_mark - before a write: what is in its log already is not about it */
void errlog_mark(struct errlog *l, const struct plan *p, const struct write *w);
/* errlog_explain - a diag for the refusal @err of @w, at the script place the kernel points at */
void errlog_explain(struct errlog *l, struct diags *d, const char *root, const struct plan *p,
		    const struct write *w, int err);
/* errlog_skip - what the log holds now was about an optional write */
void errlog_skip(struct errlog *l, const struct plan *p, const struct write *w);

/* ---- scope.c ---- */
/* kernel_follow_tasks - with --children: add descendants that were born while the plan was applied
 */
void kernel_follow_tasks(struct session *s, const char *root, const struct plan *p);

#endif
