/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command of -c and `run`: started stopped, released once everything is armed. */
#ifndef TRACESH_CHILD_H
#define TRACESH_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;  /* 0: none */
	int gate;   /* closed to release it, -1: released */
	int pidfd;  /* readable when it ended, -1 where the kernel has none */
	int status; /* exit status once ended, 128 + signal */
	bool ended;
};

/* child_prepare - fork `sh -c @cmd`; it waits at the gate before exec; 0 or negative errno */
int child_prepare(struct child *c, const char *cmd);
/* child_release - let it go */
void child_release(struct child *c);
/* child_ended - has it ended (does not wait) */
bool child_ended(struct child *c);
/* child_finish - a child that was never released is ended; one that runs on is left alone */
void child_finish(struct child *c);

#endif
