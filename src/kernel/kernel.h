/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only code that writes to tracefs: applies a plan, starts and stops it, undoes it, and removes
 * what a killed process left.
 *
 * Order of a run: kernel_apply, (open the feed), kernel_start, kernel_stop, (drain and free the
 * feed), kernel_undo.
 */
#ifndef TRACESH_KERNEL_KERNEL_H
#define TRACESH_KERNEL_KERNEL_H

#include "base/buf.h"
#include "base/session.h"
#include "plan/write.h"

struct kernel;

/* Called before each write with its index in the plan; a negative errno is taken for the kernel's
 * answer and nothing is done. */
struct kernel_hooks {
	int (*write)(void *arg, size_t i);
	void *arg;
};

/**
 * kernel_apply - do all writes of @p in order but those that start
 * @root: the tracefs directory; @p is borrowed until kernel_undo; @h may be NULL
 * What has to be removed later is in the journal before it is made. On a refusal all that was done
 * is undone and a diag "refused" is pushed with the kernel's words. NULL then; *refused (unless
 * @refused is NULL) is the write.
 */
struct kernel *kernel_apply(struct session *s, const char *root, const struct plan *p,
			    struct diags *d, const struct kernel_hooks *h,
			    const struct write **refused);

/* kernel_start - do the writes that begin the tracing; 0, or -1 with a diag (kernel_undo is still
 * to be called) */
int kernel_start(struct kernel *k, struct diags *d);
/* kernel_stop - undo those of kernel_start: no more events come; may be called twice */
void kernel_stop(struct kernel *k);

/* kernel_switch - tracing in an instance of ours on or off while it runs; kernel_stop() ends it in
 * any case */
void kernel_switch(struct kernel *k, const char *instance, bool on);

/* kernel_missed - how many returns (or hits) of kprobe event @group/@event the kernel could not
 * follow
 */
uint64_t kernel_missed(const char *root, const char *group, const char *event);

/**
 * kernel_undo - undo what was done, last first, and check by reading back; frees @k
 * What stays is named in a warning and s->undo_failed is set; the journal keeps it for
 * kernel_cleanup. NULL is allowed.
 */
void kernel_undo(struct kernel *k);

/**
 * kernel_leave - what was applied and started stays when this process ends, as the armed set @name
 * The journal becomes that of the set, which kernel_cleanup() leaves alone. @k is freed; on a
 * negative errno it is not, and kernel_undo() is still to be called.
 */
int kernel_leave(struct kernel *k, const char *name);

/* A set that arm has left. */
struct kernel_armed {
	const char *name;
	const char *journal; /* path of what it made; the rest of its state lies beside it */
	bool stale;          /* of another boot: nothing of it is there any more */
};
/* kernel_armed_list - all there are, in arena memory */
size_t kernel_armed_list(struct arena *a, struct kernel_armed **out);
/* kernel_armed_pause - no more events into the buffer of @instance; 0 or negative errno */
int kernel_armed_pause(const char *root, const char *instance);
/* kernel_armed_undo - remove what the set has made; how many objects stay (each with a warning) */
unsigned kernel_armed_undo(struct session *s, const char *root, const struct kernel_armed *set,
			   struct buf *out);

/**
 * kernel_boot_undo - remove what kernel parameters or a bootconfig have made of @p
 * @own: in an instance of its name; else in the top buffer, whose clock and size are then the
 * kernel's own again. How many objects stay (each with a warning).
 */
unsigned kernel_boot_undo(struct session *s, const char *root, const struct plan *p, bool own);

/**
 * kernel_cleanup - remove what the journals of dead processes list, and nothing else
 * @root: the tracefs directory in use; objects of others are left alone. @out gets a line for each
 * object that was removed. Returns how many objects could not be removed (each with a warning).
 */
unsigned kernel_cleanup(struct session *s, const char *root, struct buf *out);

#endif
