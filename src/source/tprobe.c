/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tprobe: a bare tracepoint that has no event. */
#include "source/rows.h"

const struct source_kind source_tprobe = {
	.name = "tprobe",
	.usage = "tprobe:NAME(NAME = FETCH, ...)",
	.brief = "a bare tracepoint that has no event",
	.help = "Tracepoints without an event of their own, where the kernel can.\n  "
		"tprobe:sched_util_est_cfs_tp | count by cpu",
	.check = source_not_yet,
};
