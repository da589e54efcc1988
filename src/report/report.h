/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports: rows and text of queries to a file, a command or the terminal, as table, plot, csv, json
 * or folded stacks. They know columns and cells, not how these came about.
 */
#ifndef TRACESH_REPORT_REPORT_H
#define TRACESH_REPORT_REPORT_H

#include "base/session.h"
#include "check/query.h"
#include "engine/engine.h"
#include "report/out.h"

struct report;

/* A format; rows of report_kinds[]. The hooks write to the report's buffer. */
struct report_kind {
	const char *name; /* "table" */
	enum render render;
	const char *brief; /* one line for lists */
	const char *help;  /* for help and the man page */
	void (*result)(struct report *r, const struct rowset *rows);
	void (*row)(struct report *r, const struct schema *sc, const struct cell *cells);
};
extern const struct report_kind *const report_kinds[]; /* NULL-terminated */
const struct report_kind *report_kind_find(const char *name, size_t len);

/**
 * report_new - where query @q's output goes
 * @out: standard output (or -o FILE) of the run, shared by its reports; borrowed. Not used when the
 *	query has a redirection of its own, which is opened here.
 * @job_name: name or number of the pipeline, copied; NULL if there is only one
 * @several: the run has several pipelines: results are told apart by @job_name
 * Returns NULL with a diag (write-failed) when the redirection cannot be opened. @s, @q and @out
 *must outlive the report.
 */
struct report *report_new(struct session *s, const struct query *q, struct out *out,
			  const char *job_name, bool several);

/* report_sink - what the engine writes to; owned by the report */
struct sink *report_sink(struct report *r);

/* report_flush - hand on what is buffered; live drivers call it when no events come */
void report_flush(struct report *r);

/* report_broken - nothing more can be written (the reader went away, the disk is full): end the run
 */
bool report_broken(const struct report *r);

/**
 * report_close - flush, close a redirection, wait for its command, free the report
 * Returns 0 (also when the reader went away early, which is its right) or the negative errno of the
 * first write error, for which a diag is pushed (once for a shared output).
 */
int report_close(struct report *r);

#endif
