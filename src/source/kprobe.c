/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kprobe: an event at a function of the kernel. */
#include "source/rows.h"

const struct source_kind source_kprobe = {
	.name = "kprobe",
	.usage = "kprobe:FUNC[+OFF](NAME = FETCH, ...)",
	.brief = "an event at a function of the kernel",
	.help = "Made and removed by tracesh; FUNC may be a pattern.\n  kprobe:do_sys_openat2(path "
		"= ustr(arg2)) | print comm, path",
	.check = source_not_yet,
};
