/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From checked queries to the writes that make the kernel do its share. */
#ifndef TRACESH_PLAN_PLAN_H
#define TRACESH_PLAN_PLAN_H

#include "base/buf.h"
#include "base/session.h"
#include "catalog/catalog.h"
#include "check/query.h"
#include "plan/push.h"
#include "plan/write.h"

/* plan_instance_name - that of session.run_name, or one that is not in use; in arena memory. *@from
 * is 0 for the first and then from where to look for another. */
const char *plan_instance_name(struct session *s, struct arena *a, const struct origin *o,
			       unsigned *from);

/* An event as the kernel is to record it: what it lets through, and with which stacks. */
struct pick {
	struct event *ev;
	const char *filter; /* of its filter file; NULL: all */
	struct text_map *map;
	size_t nmap;
	uint8_t flags; /* WANT_ */
	struct span span;
};
/**
 * plan_picks - the events of a query that ends with a stage for the kernel (record)
 * Conditions become event filters, for nobody looks again. 0, or -1 with a diag when a filter
 * cannot hold one.
 */
int plan_picks(struct session *s, struct arena *a, const struct query *q, struct pick **out,
	       size_t *n);
/* plan_picks_all - the same for a stage that wants all events of the query's sources */
int plan_picks_all(struct session *s, struct arena *a, const struct query *q, struct pick **out,
		   size_t *n);

/* A trigger that switches an instance's tracing off. */
struct off {
	struct event *ev;
	const char *trigger;
	struct text_map *map;
	size_t nmap;
	struct span span;
};
/* plan_offs - for events that surely come to @end, a stage of @q; the engine sees to the others */
void plan_offs(struct session *s, struct arena *a, const struct query *q, const struct op *end,
	       struct off **out, size_t *n);

/* An instance of its own, into which a query's events go. */
struct plan_capture {
	const char *instance; /* NULL: none, or the run's */
	bool unread;          /* the engine does not read these events for this query */
	const struct pick *v;
	size_t n;
	const struct off *off; /* what ends it alone */
	size_t noff;
};

/* What plan_live() goes by; all borrowed. */
struct plan_input {
	struct session *s;
	struct catalog *c;
	struct arena *a; /* the plan lives there */
	struct query *const *q;
	const struct push *push; /* one for each query */
	unsigned n;
	const struct plan_capture *captures; /* one for each query, or NULL */
	const struct off *offs;              /* what ends all */
	size_t noffs;
	bool only_captures;    /* nothing is read by the engine: no instance for it */
	const char *instance;  /* plan_instance_name() */
	const uint8_t *wanted; /* WANT_ flags for each event: what the engine takes */
	unsigned nevents;
};

/**
 * plan_live - the writes of a live run of several queries together, in an instance of our own
 * Returns NULL after pushing diags into s->diags (a task that does not exist, CPUs that cannot be
 * read, events that cannot be recorded).
 */
struct plan *plan_live(const struct plan_input *in);

/* plan_print - the writes as shell lines in order, then their undo in its order, with the reason
 * of each as a comment; @root is the tracefs directory */
void plan_print(const struct plan *p, const char *root, struct buf *out);

/* plan_quote - a word as any POSIX shell reads it back, quoted where it has to be */
void plan_quote(struct buf *out, const char *t);

/* plan_print_query - a line for the source and for each stage: where it runs and why; @plan: all
 * writes, NULL where there are none */
void plan_print_query(const struct query *q, const struct push *p, const struct plan *plan,
		      struct buf *out);

#endif
