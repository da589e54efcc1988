/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The session: settings and the few things every layer may ask for. One per process, made by main,
 * passed along; there are no mutable globals (except the signal flag, see sig.h).
 */
#ifndef TRACESH_BASE_SESSION_H
#define TRACESH_BASE_SESSION_H

#include "base/arena.h"
#include "base/diag.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum out_format { FMT_AUTO, FMT_TABLE, FMT_CSV, FMT_JSON, FMT_PLOT };
enum reader_kind { READER_AUTO, READER_NATIVE, READER_LIBTRACECMD };

/* What `set NAME VALUE` sets; the rows (name, range, help) are in shell/settings.c. */
struct settings {
	uint64_t buffer;   /* bytes a CPU of the ring buffer */
	char clock[32];    /* trace_clock name; "mono" by default */
	uint64_t maxmem;   /* bytes for all maps and tables of a run */
	unsigned histsize; /* entries of a histogram in the kernel */
	uint64_t for_ns;   /* --for: end each pipeline after, 0 = none */
	enum out_format format;
	enum reader_kind reader;
	bool pushdown;
	bool push_both;     /* count in the kernel and in the engine, show both */
	unsigned maxactive; /* functions that run at a time, for kretprobes; 0: the kernel's choice
			     */
	bool children;      /* --children / set children on */
	bool scope_run;     /* set scope run */
	bool plain;         /* --plain: no block characters, no colour */
	char unit[8];       /* "" = chosen by magnitude; else us, ms, s, ns */
	char compress[8];   /* "" or "zstd" */
	pid_t *pids;        /* -p / set pid; malloc'd */
	unsigned npids;
	char cgroup[512];  /* set cgroup: a directory, "" = none */
	char cpus[256];    /* "" = all, else a list like 0-3,5 */
	char btf[512];     /* --btf FILE */
	char kernel[32];   /* emit: for this version, "" = the running one */
	char tracefs[512]; /* --tracefs DIR, "" = find it */
	unsigned threads;  /* 0 = number of CPUs */
	bool slow_print;   /* set fastprint off: texts of events only through libtraceevent */
};

struct session {
	struct settings set;
	int verbosity; /* -1 quiet, 0, 1 verbose */
	bool out_tty, err_tty;
	bool utf8;             /* locale can show block characters */
	unsigned width;        /* terminal columns, 80 if unknown */
	FILE *err;             /* standard error (a memory stream in tests) */
	struct diags *diags;   /* where the current compilation reports */
	uint64_t lost;         /* events lost in the run: exit status 5 */
	bool cut;              /* the input was cut short: exit status 5 */
	const char *run_group; /* the group of its probes; NULL: of its name */
	const char *run_name;  /* the word in names of what a run makes; NULL: by process id */
	bool undo_failed;      /* exit status 4 */
};

void session_init(struct session *s);
void session_free(struct session *s);
/* session_warn - "tracesh: warning: ..." on standard error, unless -q */
void session_warn(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
