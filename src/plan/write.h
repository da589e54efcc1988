/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plan is an ordered list of writes to tracefs, each with its undo and its place in the script.
 * It is applied by kernel/, printed by explain, written as a script by emit/. Paths are relative to
 * the tracefs root, so that the same plan works on any of them.
 */
#ifndef TRACESH_PLAN_WRITE_H
#define TRACESH_PLAN_WRITE_H

#include "base/arena.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

enum write_kind {
	WR_MKDIR,   /* text NULL: make the directory (an instance); undo: rmdir */
	WR_SET,     /* write text to a file of our own instance that holds one value */
	WR_APPEND,  /* append a line to a shared list (dynamic_events, *_events): O_APPEND, never
		       O_TRUNC */
	WR_TRIGGER, /* write a trigger command */
};

/* Where in the script each part of a text came from: for error_log's caret. */
struct text_map {
	size_t off, len; /* in the text */
	struct span span;
};

struct write {
	enum write_kind kind;
	const char *path, *text;
	const char *undo_path, *undo_text; /* NULL: nothing to undo (it goes with its instance) */
	enum write_kind undo_kind;         /* WR_MKDIR: rmdir */
	bool optional;   /* refusal is no error: a convenience older kernels lack */
	bool start;      /* begins the tracing: kept for kernel_start(), comes last */
	const char *why; /* for explain: "own buffer", "this event", "keep ourselves out" */
	struct span span;
	struct text_map *map;
	size_t nmap;
	unsigned query; /* 1 + the query that it belongs to alone, 0 none: refused, the query can
			   do without */
};

struct plan {
	struct arena *arena;
	const char *instance; /* "instances/tracesh-1234-0" */
	struct write *v;
	size_t n;
};

#endif
