/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which tasks `-p`, `set pid` and `--children` mean right now. */
#ifndef TRACESH_PLAN_SCOPE_H
#define TRACESH_PLAN_SCOPE_H

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

/* scope_exists - is there such a task */
bool scope_exists(pid_t pid);

#endif
