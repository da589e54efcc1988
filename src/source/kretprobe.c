/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kretprobe: an event at the return of a function of the kernel. */
#include "source/rows.h"

const struct source_kind source_kretprobe = {
	.name = "kretprobe",
	.usage = "kretprobe:FUNC(NAME = FETCH, ...)",
	.brief = "an event at the return of a function of the kernel",
	.help = "retval is what it returns.\n  kretprobe:vfs_read(n = retval) | hist n",
	.check = source_not_yet,
};
