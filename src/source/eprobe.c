/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eprobe: further fields read through an event's pointers. */
#include "source/rows.h"

const struct source_kind source_eprobe = {
	.name = "eprobe",
	.usage = "eprobe:SYSTEM:EVENT(NAME = FETCH, ...)",
	.brief = "further fields read through an event's pointers",
	.help = "Fields of the event are names in FETCH.\n  eprobe:syscalls:sys_enter_openat(path "
		"= ustr(filename)) | print comm, path",
	.check = source_not_yet,
};
