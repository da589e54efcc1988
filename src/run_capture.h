/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries that are recorded: their files and instances over a run. Shared by the files of the
 * passes only. */
#ifndef TRACESH_RUN_CAPTURE_H
#define TRACESH_RUN_CAPTURE_H

#include "capture/capture.h"
#include "plan/plan.h"

struct run;

/* One query's recording: record, record last (a flight recorder), snapshot. */
struct run_capture {
	const struct op *op; /* NULL: this query is not recorded */
	struct plan_capture plan;
	const char *instance; /* where its pages are, relative to tracefs */
	bool shared;          /* the engine reads these pages too and hands them on */
	bool flight;          /* nothing is taken before the end */
	bool over, paused;
	struct capture *c;
};

/* captures_find - which queries are recorded; over files says that this has no meaning */
void captures_find(struct run *r);
/* captures_open - open the files, before anything is made in the kernel; 0 or -1 with a diag */
int captures_open(struct run *r);
/* captures_place - the instance of each, once it is known what else is to be read: @from for
 * plan_instance_name(); 0 or -1 with a diag */
int captures_place(struct run *r, unsigned *from);
/* captures_want - add what is recorded where the engine reads */
void captures_want(const struct run *r, uint8_t *by_index, unsigned n);
/* captures_begin - the instances are there; 0 or -1 with a diag */
int captures_begin(struct run *r);
/* captures_step - take what is there; 1: more is left, 0, -1: no more can be written */
int captures_step(struct run *r);
/* captures_look - before tracing is stopped: was a snapshot taken? */
void captures_look(struct run *r);
/* captures_show - flight recorders write what they have, and go on */
void captures_show(struct run *r);
void captures_pause(struct run *r, bool paused);
/* captures_end - tracing was stopped: complete the files and say what is in them */
void captures_end(struct run *r);
void captures_free(struct run *r);
/* captures_fd - of @engine's and all recordings' descriptors */
int captures_fd(struct run *r, int engine);

/* feed_none - a feed without records, for runs that only record */
struct feed *feed_none(void);

#endif
