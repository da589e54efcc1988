/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the aggregating stages share: keys of `by`, columns of the result. Private to stage/. */
#ifndef TRACESH_STAGE_AGG_H
#define TRACESH_STAGE_AGG_H

#include "check/checker.h"
#include "stage/stage.h"

/* One aggregating stage while it is checked. */
struct agg_build {
	struct checker *ck;
	const struct node *st;
	struct pipe *p;
	struct op *op;
	struct schema schema;
	const char **canons;
	const struct field **symfields;
	size_t n, ncanons, nsymfields;
};

/* agg_begin - the op with its keys; 0 or -1 with a diag */
int agg_begin(struct agg_build *b, struct checker *ck, const struct node *st, struct pipe *p);
/* agg_add - one aggregate with its columns; names NULL for those of the language ("sum(E)") */
void agg_add(struct agg_build *b, struct agg g, const char *name, const char *canon);
/* agg_finish - from here on there are rows */
int agg_finish(struct agg_build *b);
/* agg_one - the whole of sum, avg, min, max, stats, distinct */
int agg_one(struct checker *ck, const struct node *st, struct pipe *p, enum agg_kind kind);
/* agg_quantile - "p99.9" as a number; false when it is none between 0 and 100 */
bool agg_quantile(const char *word, double *q);

/* render_check - the whole of table, plot, csv, json */
int render_check(struct checker *ck, const struct node *st, struct pipe *p, enum render r);
/* print_fields - columns for events as rows: ts, cpu, tid, comm, event, then their fields */
int print_fields(struct checker *ck, const struct node *st, struct pipe *p, struct op *op);
/* print_as_rows - the events that a `print E, ...` would show become rows */
void print_as_rows(struct checker *ck, struct pipe *p, struct op *op);
/* print_all - append `print` without arguments */
void print_all(struct checker *ck, struct pipe *p, const struct node *st);

/* The rows, one file each. */
extern const struct stage_kind stage_where, stage_let, stage_count, stage_sum, stage_avg, stage_min,
	stage_max, stage_stats, stage_hist, stage_quantile, stage_distinct, stage_agg, stage_sort,
	stage_top, stage_limit, stage_every, stage_print, stage_printf, stage_stack, stage_ustack,
	stage_speculate, stage_do, stage_record, stage_snapshot, stage_stop, stage_table,
	stage_plot, stage_csv, stage_json, stage_folded;

#define BY                                                                                         \
	{                                                                                          \
		"by", CL_LIST                                                                      \
	}

#endif
