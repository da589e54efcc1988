/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of source/, one file each, and what they share. Private to source/. */
#ifndef TRACESH_SOURCE_ROWS_H
#define TRACESH_SOURCE_ROWS_H

#include "check/checker.h"
#include "source/source.h"

extern const struct source_kind source_tracepoint, source_pair, source_syscall, source_kprobe,
	source_kretprobe, source_uprobe, source_uretprobe, source_usdt, source_tprobe,
	source_fprobe, source_fexit, source_eprobe, source_function, source_graph;

/* source_not_yet - the check of kinds of later issues */
struct src *source_not_yet(struct checker *ck, const struct node *n);

/* tracer_names - what function: and graph: add to the fields of their records */
const struct source_names *tracer_names(void);

/* syscall_names - what `syscall:` adds to the fields of its events */
const struct source_names *syscall_names(void);

#endif
