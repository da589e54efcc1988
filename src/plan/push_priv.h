/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by push.c and push_pair.c only. */
#ifndef TRACESH_PLAN_PUSH_PRIV_H
#define TRACESH_PLAN_PUSH_PRIV_H

#include "plan/filter.h"
#include "plan/push.h"

struct pusher {
	struct session *s;
	struct arena *a;
	const struct caps *caps;
	const struct query *q;
	const char *id;
	struct push *out;
	struct event *ev; /* whose columns are looked up now */
	/* what holds of all that is counted, and how it is named there */
	struct expr *const *conds;
	size_t nconds;
	struct knames *names;
	/* pairs */
	const struct src *pair;
	struct event *start, *end;
	struct pfield *fields; /* of the synthetic event */
	size_t nfields;
};

/* A field of a pair's synthetic event. */
struct pfield {
	struct pcol col;   /* as its histogram sees it */
	const char *def;   /* "pid_t b_next_pid" */
	const char *param; /* what the end's trigger hands over: "next_pid", "$a0_prio" */
	const char *var;   /* a start's: the field behind the variable, else NULL */
};

/* push_no - remember why not (the first reason stays); false */
bool push_no(struct pusher *p, const char *why);

/* push_leaf - the field (or cpu, comm) behind @e, if a trigger can name it */
bool push_leaf(struct event *ev, const struct expr *e, struct kname *k);

bool push_where(struct pusher *p, const struct op *first, struct expr ***conds, size_t *n,
		const struct op **rest);
const struct src *push_source(struct pusher *p, const struct src *s, struct expr ***conds,
			      size_t *n);
bool push_filter(struct pusher *p, struct knames *k, struct expr *const *conds, size_t n,
		 struct ptext *out);
bool push_columns(struct pusher *p, const struct op *agg, struct phist *h);
void push_begin(struct pusher *p, struct ptext *t);
void push_keys(struct ptext *t, const struct pcol *v, size_t n, struct span at);
void push_if(struct ptext *t, const struct ptext *filter);
void push_text(struct ptext *t, struct phist *h);
void push_hist(struct pusher *p, const struct op *agg, struct phist *h, struct ptext *filter);

/* ---- push_pair.c ---- */
bool push_pair(struct pusher *p, const struct src *s, struct expr *const *conds, size_t n,
	       const struct op *agg);
bool push_pair_column(struct pusher *p, const struct expr *e, struct pcol *c);
void push_pair_delta(struct pusher *p, struct pcol *c);

#endif
