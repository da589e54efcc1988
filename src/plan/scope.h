/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tasks `-p`, `set pid`, `--children` and `set cgroup` mean right now. */
#ifndef TRACESH_PLAN_SCOPE_H
#define TRACESH_PLAN_SCOPE_H

#include "base/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * scope_tasks - thread ids of @pids now
 * A process id means all threads the process has, the id of another thread that thread alone;
 * @children adds all living descendants. Ids of tasks that do not exist are left out.
 * Returns how many; *out is malloc'd, sorted, each id once.
 */
size_t scope_tasks(const pid_t *pids, size_t npids, bool children, pid_t **out);

/* scope_limited - do the settings ask for some tasks only; scope_grows - for their children too */
bool scope_limited(const struct settings *set);
bool scope_grows(const struct settings *set);
/* scope_now - the tasks of the settings as scope_tasks() gives them; those of a control group are
 * in its cgroup.threads and in those of the groups below it */
size_t scope_now(const struct settings *set, pid_t **out);

/* scope_exists - is there such a task */
bool scope_exists(pid_t pid);

#endif
