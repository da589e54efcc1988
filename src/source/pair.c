/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs: their row for help; check/pair.c checks them. */
#include "source/rows.h"

const struct source_kind source_pair = {
	.name = "->",
	.usage = "A -> B on KEY, ... [within DUR]",
	.brief = "each B with the latest A of equal keys",
	.help = "A key is a field of both (`on tid`) or one of each side (`on pid == next_pid`). "
		"`delta` is\n"
		"the time between the two; start.F and end.F are their fields, a bare F is the "
		"end's, else\n"
		"the start's. The first B takes the A; a second A of the same key replaces the "
		"first. Pairs\n"
		"that took longer than `within` are dropped. Chains: A -> B on k -> C on k2.\n"
		"  sched_waking -> sched_switch on pid == next_pid | hist delta.us by next_comm",
};
