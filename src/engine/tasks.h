/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who a thread was at the time of an event: name, process, parent. One table per origin, seeded
 * from what the origin knows and corrected by the scheduler's events as they pass.
 */
#ifndef TRACESH_ENGINE_TASKS_H
#define TRACESH_ENGINE_TASKS_H

#include "catalog/rec.h"
#include "check/query.h"
#include "engine/mem.h"

struct tasks;

/* what a table of tasks begins with: how often a name has changed */
struct tasks_seen {
	uint64_t changes;
};

static inline uint64_t tasks_changes(const struct tasks *t)
{
	return ((const struct tasks_seen *)t)->changes;
}

struct tasks *tasks_new(struct origin *o);
void tasks_free(struct tasks *t);

/* tasks_seed - ask a living system once more, for what changed until its events were recorded */
void tasks_seed(struct tasks *t);

/* tasks_wants - is @ev one of those the table is corrected by */
bool tasks_wants(const struct event *ev);
/* tasks_tells - can @ev tell the table anything, if it is there */
bool tasks_tells(const struct event *ev);

/* tasks_ahead - a record of a file that will be read from its beginning: what a task was called
 * before somebody told, as a file has its last names only */
void tasks_ahead(struct tasks *t, const struct rec *r);

/* tasks_before - what a record says about the time before and at it; tasks_after - about what
 * follows */
void tasks_before(struct tasks *t, const struct rec *r);
void tasks_after(struct tasks *t, const struct rec *r);

/* The idle task of each CPU has a name of its own ("swapper/3"); an unknown name is "<...>". @cpu
 * -1: unknown. Names stay valid until the next record. */
struct val tasks_comm(struct tasks *t, int tid, int cpu, struct scratch *s);
/* tasks_name - which name tasks_comm() gives: @place of the task, small and its own while the table
 * lives, and the @version of its name. false: an idle task, or no room. */
bool tasks_name(struct tasks *t, int tid, uint32_t *place, uint32_t *version);
/* tasks_pid - the process; the thread itself where the origin does not know it */
struct val tasks_pid(struct tasks *t, int tid);
/* tasks_ppid - null where unknown */
struct val tasks_ppid(struct tasks *t, int tid);

#endif
