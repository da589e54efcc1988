/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uretprobe: an event at the return of a function of a program. */
#include "source/rows.h"

const struct source_kind source_uretprobe = {
	.name = "uretprobe",
	.usage = "uretprobe:FILE:SYMBOL(NAME = FETCH, ...)",
	.brief = "an event at the return of a function of a program",
	.help = "retval is what it returns.\n  uretprobe:/bin/bash:readline(line = ustr(retval)) | "
		"print line",
	.check = source_not_yet,
};
