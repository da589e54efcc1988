/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this kernel's tracefs offers, found by looking (its README, files, sysfs), never by version.
 * `doctor` prints the rows; the planner asks caps_has().
 */
#ifndef TRACESH_CATALOG_CAPS_H
#define TRACESH_CATALOG_CAPS_H

#include "base/arena.h"

#include <stdbool.h>

enum cap {
	CAP_EVENTS,
	CAP_INSTANCES,
	CAP_RAW_PIPE,
	CAP_EVENT_PID,
	CAP_NOTRACE_PID,
	CAP_ERROR_LOG,
	CAP_SNAPSHOT,
	CAP_MARKER,
	CAP_HIST,
	CAP_HIST_BUCKETS,
	CAP_HIST_PERCENT,
	CAP_HIST_STACK,
	CAP_HIST_COMM,
	CAP_SYNTH,
	CAP_KPROBES,
	CAP_UPROBES,
	CAP_EPROBES,
	CAP_FPROBES,
	CAP_TPROBES,
	CAP_BTF_ARGS,
	CAP_SYMSTR,
	CAP_FUNC_ARGS,
	CAP_BTF,
	CAP_FUNCTION,
	CAP_GRAPH,
	CAP_FUNCTION_LIST,
	CAP_SYSCALL_EVENTS,
	CAP_SYMBOLS,
	CAP_NO_LOCKDOWN,
	CAP_COUNT,
};

struct cap_row {
	enum cap cap;
	const char *name;    /* "histogram triggers" */
	const char *config;  /* what would switch it on */
	const char *instead; /* what tracesh does without it */
};
extern const struct cap_row cap_rows[CAP_COUNT];

struct caps {
	bool has[CAP_COUNT];
	const char *clocks;   /* names, space-separated, the current one in brackets */
	const char *lockdown; /* "none", "integrity", "confidentiality" or "" where unknown */
};

/* caps_probe - look at the tracefs in directory @tracefs; the result lives in @a */
struct caps *caps_probe(struct arena *a, const char *tracefs);

struct catalog;
/**
 * catalog_caps - those of the catalog's tracefs, looked at once
 * Of a directory without a README, and of files, nothing is known: all is taken to be there.
 */
const struct caps *catalog_caps(struct catalog *c);

static inline bool caps_has(const struct caps *c, enum cap cap)
{
	return c->has[cap];
}

#endif
