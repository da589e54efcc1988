/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of a query the kernel does by itself: a histogram trigger for each event of its source, and
 * for a pair a synthetic event with a histogram on top. Rows of these are read back as parts of the
 * engine's aggregate (engine_add), so that keys, order and formats are the engine's in both ways.
 */
#ifndef TRACESH_PLAN_PUSH_H
#define TRACESH_PLAN_PUSH_H

#include "base/session.h"
#include "catalog/caps.h"
#include "check/query.h"
#include "plan/write.h"

enum pcol_mode {
	PC_VALUE,
	PC_LOG2,   /* printed as ~ 2^n: stands for its upper end */
	PC_BUCKET, /* printed as ~ lo-hi: stands for lo */
};

/* Where the value of a column goes when a row is made a record again. */
enum pcol_to { PT_NONE, PT_FIELD, PT_CPU, PT_COMM, PT_DELTA, PT_SLOT };

struct pcol {
	const char *name; /* in the kernel's event: "next_pid", "common_cpu", "delta" */
	enum pcol_mode mode;
	uint64_t step; /* PC_BUCKET */
	enum pcol_to to;
	const struct field *f; /* the field it is, or NULL */
	unsigned slot;         /* PT_SLOT; PT_DELTA: that of the start's time */
	bool str;
	bool is_signed;
	unsigned size; /* bytes of a number */
};

/* One histogram trigger of our instance. */
struct phist {
	struct event *ev;    /* what its rows are records of; NULL: a pair's side, without rows */
	const char *dir;     /* "events/sched/sched_switch" */
	const char *trigger; /* the text written */
	struct text_map *map;
	size_t nmap;
	struct pcol *keys, *vals;
	size_t nkeys, nvals;
	const int *sum_of; /* by aggregate: its column in vals, -1 none */
	bool shared;       /* an equal one is written already: not again */
};

struct push {
	bool kernel;                    /* the kernel counts */
	const char *why;                /* why not; NULL: nothing to say */
	const char *synth, *synth_undo; /* definition of a pair's synthetic event, or NULL */
	const char *synth_name;
	struct phist *h; /* in the order of writing */
	size_t nh;
};

/**
 * push_query - decide for one query and make the texts
 * @id: unique in this tracefs and different for each query of a run, for names
 * Writes nothing. What is in @out lives in @a.
 */
void push_query(struct session *s, struct arena *a, const struct caps *caps, const struct query *q,
		const char *id, struct push *out);

/* push_share - marks triggers that are equal to an earlier one of the run */
void push_share(struct push *p, unsigned n);

#endif
