/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that tracesh makes itself: kprobes and friends, uprobes, eprobes. A source adds one
 * definition for each event; check sees its fields as *declared*, the planner writes the
 * definitions, and the declared events are read again from tracefs once they exist. Over a
 * recorded file the same source finds the events that a live run has made.
 */
#ifndef TRACESH_SOURCE_PROBE_H
#define TRACESH_SOURCE_PROBE_H

#include "catalog/caps.h"
#include "check/query.h"
#include "lang/ast.h"

struct checker;

enum probe_kind {
	PROBE_KPROBE,
	PROBE_KRETPROBE,
	PROBE_FPROBE,
	PROBE_FEXIT,
	PROBE_TPROBE,
	PROBE_EPROBE,
	PROBE_UPROBE,
	PROBE_URETPROBE,
	PROBE_FUNCTION, /* no event of ours: the records of a tracer */
	PROBE_GRAPH,
};

/* Where in the script a part of the definition's text came from. */
struct probe_place {
	size_t off, len;
	struct span span;
};

/* One event of ours. Definitions that are equal within a run are one. */
struct probe_def {
	enum probe_kind kind;
	const char *target; /* "do_sys_openat2+0x10", as a user would name it */
	struct event *ev;   /* declared */
	const char *list;   /* "dynamic_events", "kprobe_events" ...: where it is written */
	const char
		*text; /* "p:tracesh_12_0/do_sys_openat2 do_sys_openat2 path=+0($arg2):ustring" */
	const char *undo; /* "-:tracesh_12_0/do_sys_openat2" */
	struct span span;
	struct probe_place *places;
	size_t nplaces;
	const char *kind_text; /* "p", "r128" */
	const char *body;      /* text behind the event's name: what makes two definitions equal */
	size_t place_len;      /* of the body: the place in the kernel's words */
	struct span place_span;
	struct probe_def *next;
};

/* What a name of the fetch list means beside its field: `x: sym`, `x: x64`. */
struct probe_name {
	const char *name;
	bool typed;       /* type is known */
	struct type type; /* how it is shown */
	bool sym;         /* an address that is shown as the symbol */
};

struct probe {
	enum probe_kind kind;
	struct probe_def **v; /* live and for explain; none over a file */
	unsigned n;
	struct probe_name *names;
	unsigned nnames;
	const char *tracer;  /* "function", "function_graph": makes the records; NULL: none */
	const char *pattern; /* of the functions it is to follow */
};

/* probe_each - call @fn for every definition that @src needs, pairs and unions included */
void probe_each(const struct src *src, void (*fn)(void *arg, struct probe_def *d), void *arg);

#endif
