/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fexit: an fprobe event at a function's return. */
#include "source/rows.h"

const struct source_kind source_fexit = {
	.name = "fexit",
	.usage = "fexit:FUNC(NAME = FETCH, ...)",
	.brief = "an fprobe event at a function's return",
	.help = "retval is what it returns.\n  fexit:vfs_read(n = retval) | hist n",
	.check = source_not_yet,
};
