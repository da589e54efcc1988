/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions as texts of the kernel's filters: for an event's filter file and for the `if` of a
 * trigger. What a filter cannot say exactly as the engine means it is not said at all.
 */
#ifndef TRACESH_PLAN_FILTER_H
#define TRACESH_PLAN_FILTER_H

#include "base/buf.h"
#include "check/query.h"
#include "plan/write.h"

/* What a leaf of an expression is called in the kernel. */
struct kname {
	const char *name;
	bool str;
	bool is_signed;
	unsigned size;         /* bytes; integers: 1, 2, 4, 8 */
	const struct field *f; /* names of its values, or NULL */
};

/* How leaves are found; the event's own fields, or those of a synthetic event. */
struct knames {
	bool (*leaf)(struct knames *k, const struct expr *e, struct kname *out);
};

/* A text with the script places of its parts. */
struct ptext {
	struct arena *a;
	struct buf b; /* buf_free() by who made it */
	struct text_map *map;
	size_t nmap;
};

/* ptext_put - append @s, which came from @at */
void ptext_put(struct ptext *t, struct span at, const char *s);

/**
 * filter_all - the whole condition @e; false (and nothing appended) when a filter cannot say it
 */
bool filter_all(struct knames *k, const struct expr *e, struct ptext *t);

/**
 * filter_some - those conjuncts of @e that a filter can say, joined to what @t holds by &&
 * Returns true when that was all of it.
 */
bool filter_some(struct knames *k, const struct expr *e, struct ptext *t);

/* An event's own fields: struct event_names names = event_names(ev); filter_some(&names.k, ...) */
struct event_names {
	struct knames k;
	struct event *ev;
};
struct event_names event_names(struct event *ev);
/* event_leaf - what the leaf @e is in a filter of @ev; false: nothing a filter could name */
bool event_leaf(struct event *ev, const struct expr *e, struct kname *out);

#endif
