/* SPDX-License-Identifier: GPL-3.0-or-later */
/* function: calls of functions, by the function tracer. */
#include "source/rows.h"

const struct source_kind source_function = {
	.name = "function",
	.usage = "function:PATTERN",
	.brief = "calls of functions, by the function tracer",
	.help = "Every call of the functions that match.\n  function:vfs_* | count by func",
	.check = source_not_yet,
};
