/* SPDX-License-Identifier: GPL-3.0-or-later */
/* uprobe: an event at a function of a program or library. */
#include "source/rows.h"

const struct source_kind source_uprobe = {
	.name = "uprobe",
	.usage = "uprobe:FILE:SYMBOL[+OFF](NAME = FETCH, ...)",
	.brief = "an event at a function of a program or library",
	.help = "Symbols come from the ELF file.\n  uprobe:/bin/bash:readline | count by pid",
	.check = source_not_yet,
};
