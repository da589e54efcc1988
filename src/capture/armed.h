/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `collect` has to know of a script that `arm` left running: its text, its arguments, the
 * settings it was armed with, and which of its pipelines the kernel counts. Kept as a file beside
 * the journal of the set.
 */
#ifndef TRACESH_CAPTURE_ARMED_H
#define TRACESH_CAPTURE_ARMED_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct armed_setting {
	const char *name, *value;
};

struct armed {
	const char *script; /* as it was called */
	const char *text;
	size_t len;
	struct armed_setting *settings;
	size_t nsettings;
	const char **args; /* $1 and so on */
	size_t nargs;
	bool *kernel; /* by pipeline: the kernel counts it */
	size_t nqueries;
};

/* armed_save - the state of the set whose journal will be @journal; 0 or negative errno */
int armed_save(const char *journal, const struct armed *a);
/* armed_load - in arena memory; 0 or negative errno (-EINVAL: not what was saved) */
int armed_load(struct arena *arena, const char *journal, struct armed *out);
/* armed_forget - the set is gone */
void armed_forget(const char *journal);

#endif
