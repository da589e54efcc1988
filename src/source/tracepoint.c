/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that exist: their row for help; patterns are matched by the catalog. */
#include "source/rows.h"

const struct source_kind source_tracepoint = {
	.name = "",
	.usage = "SYSTEM:EVENT, EVENT, sched:*, sched:/^sched_(switch|wak)/",
	.brief = "tracepoints and every other event that exists",
	.help = "An event by its system and name, by its name alone where only one system has it, "
		"by a\n"
		"pattern with * and ?, or by a regular expression. Several, with commas between "
		"them,\n"
		"are the events of all in time order. `ls PATTERN` lists what there is.\n"
		"  irq_handler_entry, softirq_entry | count by event, cpu",
};
