/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signals that end a run cleanly, as one flag and one file descriptor to poll. */
#ifndef TRACESH_BASE_SIG_H
#define TRACESH_BASE_SIG_H

#include <stdbool.h>

/* sig_setup - SIGINT, SIGTERM, SIGHUP set the flag; SIGPIPE and SIGXFSZ are ignored (writes fail)
 */
void sig_setup(void);
/* sig_pending - number of the first signal since sig_clear, else 0 */
int sig_pending(void);
void sig_clear(void);
/* sig_fd - becomes readable when a signal arrived; for poll(2) */
int sig_fd(void);

#endif
