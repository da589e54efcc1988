/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of numbers that are the same on every kernel of an architecture: system calls, errnos,
 * signals. */
#ifndef TRACESH_CATALOG_NAMES_H
#define TRACESH_CATALOG_NAMES_H

/* syscall_name - NULL if unknown; @arch "x86_64" "i386" "aarch64" "arm" "riscv64", NULL: the host's
 */
const char *syscall_name(const char *arch, unsigned nr);
/* syscall_nr - -1 if unknown */
int syscall_nr(const char *arch, const char *name);
/* errno_name - "ENOENT" for 2; NULL if unknown */
const char *errno_name(int e);
/* signal_name - "SIGKILL" for 9; NULL if unknown */
const char *signal_name(int sig);

#endif
