/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Completion: what could stand at the cursor. */
#ifndef TRACESH_SHELL_COMPLETE_H
#define TRACESH_SHELL_COMPLETE_H

#include "shell/shell.h"

/**
 * complete_matches - candidates for @word, which stands behind @before
 * In readline's form: [0] the longest common start, then each candidate; malloc'd, NULL if there
 * are none.
 */
char **complete_matches(struct shell *sh, const char *before, const char *word);

#endif
