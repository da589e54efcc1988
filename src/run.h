/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The passes in order, as the shell's runner. */
#ifndef TRACESH_RUN_H
#define TRACESH_RUN_H

#include "shell/shell.h"

extern const struct runner run_runner;

#endif
