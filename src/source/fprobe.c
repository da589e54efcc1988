/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fprobe: an fprobe event at a function. */
#include "source/rows.h"

const struct source_kind source_fprobe = {
	.name = "fprobe",
	.usage = "fprobe:FUNC(NAME = FETCH, ...)",
	.brief = "an fprobe event at a function",
	.help = "Cheaper than kprobe, where the kernel has it.\n  fprobe:vfs_read(count = arg3) | "
		"hist count",
	.check = source_not_yet,
};
