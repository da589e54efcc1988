/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries that the kernel counts: its histograms read into the engine's tables. */
#ifndef TRACESH_RUN_KERNEL_H
#define TRACESH_RUN_KERNEL_H

#include "engine/engine.h"
#include "plan/push.h"

struct ktables;

/**
 * ktables_new - for the queries of @push that the kernel counts
 * @dir: our instance's directory. Call it once all is armed: what was counted before does not
 * count. The engine asks for rows through it from now on. All is borrowed but the result.
 */
struct ktables *ktables_new(struct session *s, const char *dir, struct query *const *q,
			    const struct push *push, unsigned n);
/* ktables_source - for engine_elsewhere() */
const struct engine_source *ktables_source(struct ktables *k, struct engine *e);
/* ktables_begin - all is armed: from now on rows can be read; @anew: what was counted so far does
 * not count */
void ktables_begin(struct ktables *k, bool anew);
void ktables_pause(struct ktables *k, bool paused);
/* ktables_freeze - query @i is over: what is counted from now on is none of it */
void ktables_freeze(struct ktables *k, unsigned i);
struct klosses {
	uint64_t rows;   /* events that found no room in the table */
	uint64_t starts; /* the same of a pair's starts and ends */
	bool cut;        /* texts in keys were longer than the kernel keeps */
};
struct klosses ktables_losses(struct ktables *k, unsigned i);
void ktables_free(struct ktables *k);

#endif
