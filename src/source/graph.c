/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph: calls of functions from entry to return. */
#include "source/rows.h"

const struct source_kind source_graph = {
	.name = "graph",
	.usage = "graph:PATTERN",
	.brief = "calls of functions from entry to return",
	.help = "Gives func and delta, by the function_graph tracer.\n  graph:vfs_* | hist delta "
		"by func",
	.check = source_not_yet,
};
