/* SPDX-License-Identifier: GPL-3.0-or-later */
/* usdt: a static probe of a program. */
#include "source/rows.h"

const struct source_kind source_usdt = {
	.name = "usdt",
	.usage = "usdt:FILE:PROVIDER:NAME(NAME = FETCH, ...)",
	.brief = "a static probe of a program",
	.help = "Probes that a program was built with.\n  usdt:/usr/lib/libc.so.6:libc:setjmp | "
		"count",
	.check = source_not_yet,
};
