/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the passes only: a group of pipelines that are armed together. */
#ifndef TRACESH_RUN_PRIV_H
#define TRACESH_RUN_PRIV_H

#include "child.h"
#include "feed/feed.h"
#include "kernel/kernel.h"
#include "plan/plan.h"
#include "report/progress.h"
#include "report/report.h"
#include "run.h"
#include "run_capture.h"
#include "run_kernel.h"

struct run {
	struct shell *sh;
	struct arena *arena;
	struct diags diags, *outer_diags;
	struct catalog *catalog;
	bool own_catalog;
	struct feed **feeds; /* files, until merged into feed */
	unsigned nfeeds;
	struct query **q;
	unsigned n;
	struct out *out;
	struct report **reports;
	struct sink **sinks;
	struct engine *engine;
	struct feed *feed;
	struct progress progress;
	/* live */
	bool live;
	bool unattended; /* goes on without this process: it has not to be kept out */
	struct origin *origin;
	const char *instance;
	struct push *push;       /* what the kernel counts, for each query */
	const struct caps *caps; /* of this tracefs, looked at once */
	bool *no_push;           /* the kernel refused it */
	struct ktables *tables;
	bool *frozen;                 /* queries that are over and were read */
	struct run_capture *captures; /* for each query */
	unsigned ncaptures;
	struct off *offs; /* what ends all of it, in the kernel */
	size_t noffs;
	bool only_captures; /* nothing is read by the engine */
	int wake;           /* descriptor for all there is to wait for; 0 none */
	bool more;          /* a recording has more to take at once */
	struct plan *plan;
	struct kernel *kernel;
	struct child child;
	pid_t *old_pids; /* of the settings, while the command is one of them */
	unsigned old_npids;
	bool old_children, scoped;
	uint64_t armed_at; /* io_now(), ns */
	uint64_t last_ts, last_seen;
	bool over; /* no more events are wanted */
	bool tried_parallel;
	int status;
};

/* ---- run.c ---- */
/* run_new - pipelines that are checked; NULL with diags rendered */
struct run *run_new(struct shell *sh, const struct node *const *pipelines, unsigned n);
void run_free(struct run *r);
/* run_say - its diagnostics so far to standard error */
void run_say(struct run *r);
int run_open_reports(struct run *r);
void run_close_reports(struct run *r);
/* run_drain - records until there are none now (0), the end (1), or @deadline (io_now()) passes (2)
 */
int run_drain(struct run *r, uint64_t deadline);
void run_tell_losses(struct run *r);

/* ---- run_divert.c, run_armed.c ---- */
/* run_divert - what becomes of pipelines that are not run here: sh->mode */
int run_divert(struct shell *sh, const struct node *const *pipelines, unsigned n, uint64_t max_ns);
int run_arm_script(struct shell *sh, const struct node *const *pipelines, unsigned n);
int run_collect(struct shell *sh, const struct node *const *pipelines, unsigned n);

/* ---- run_live.c ---- */
/* run_twins - with `set pushdown both` each query is there a second time, for the engine; 0 or -1
 */
int run_twins(struct run *r, const struct node *const *pipelines, unsigned n);
/* run_wanted - WANT_ flags by event index, *n long */
uint8_t *run_wanted(struct run *r, unsigned *n);
/* run_divide - which queries the kernel counts: push, tables; 0 or -1 with diags */
int run_divide(struct run *r);
/* run_apply - plan and writes, but those that begin; what the kernel refuses to count the engine
 * counts; 0 or -1 with diags */
int run_apply(struct run *r);
/* run_open_live - the feed, once all is written; 0 or -1 with diags */
int run_open_live(struct run *r);
/* run_plan - what the kernel does and the writes for it; 0 or -1 with diags */
int run_plan(struct run *r);
/* run_prepare_child, run_arm - up to where events come; 0 or -1 with diags */
int run_prepare_child(struct run *r);
/* run_unscope - the settings' tasks as they were before run_prepare_child() */
void run_unscope(struct run *r);
int run_arm(struct run *r);
/* run_tell_ready - the byte for --ready-fd */
void run_tell_ready(struct run *r);
/* run_disarm - everything undone; may be called twice */
void run_disarm(struct run *r);
/* ---- run_parallel.c ---- */
/* run_parallel - all records of the files by several threads, where their order does not matter;
 * false: nothing was done, as if it had not been called */
bool run_parallel(struct run *r);

#endif
