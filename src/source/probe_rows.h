/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a source makes its events; see probe.h. Private to source/. */
#ifndef TRACESH_SOURCE_PROBE_ROWS_H
#define TRACESH_SOURCE_PROBE_ROWS_H

#include "source/fetch.h"
#include "source/rows.h"

/* One event to be made. */
struct probe_spec {
	const char *kind_text; /* "p", "r128", "f", "t", "e" */
	const char *event;     /* name wished for; made fit by probe_add() */
	const char *target;    /* as a user would name it */
	const char *place;     /* as the kernel is told: "do_sys_openat2+16", "/bin/sh:0x1f0" */
	struct span place_span;
	const char *old_list; /* where there is no dynamic_events: "kprobe_events"; NULL: none */
	const struct fetch_target *t;
	bool merge; /* a second fetch list at the same place is added to the first's event */
};

/* probe_src - a source without events yet */
struct src *probe_src(struct checker *ck, const struct node *n, enum probe_kind kind);
/* probe_add - a further event of @src, with the fetch list of @n; 0 or -1 with diags */
int probe_add(struct checker *ck, struct src *src, const struct node *n,
	      const struct probe_spec *spec);
/* probe_recorded - is the source of events a file, so that nothing is made */
bool probe_recorded(const struct checker *ck);
/* probe_find - over a file: the events that a live run of the same source made; @event is the name
 * it wishes for and may be a pattern where @glob. NULL with a diag. */
struct src *probe_find(struct checker *ck, const struct node *n, enum probe_kind kind,
		       const char *event, bool glob);
/* probe_needs - 0, or -1 with a diag when this kernel lacks @cap */
int probe_needs(struct checker *ck, const struct node *n, enum cap cap);
/* probe_target - the target with $-references replaced and where it stands; NULL with a diag */
const char *probe_target(struct checker *ck, const struct node *n, struct span *at);
/* probe_suffix - what the event's name has behind the target's: "__exit" or "" */
const char *probe_suffix(enum probe_kind kind);
/* probe_names - what probes add to the fields of their events */
const struct source_names *probe_names(void);

#endif
