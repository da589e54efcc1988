/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generated system call tables; use names.h. */
#ifndef TRACESH_CATALOG_SYSCALL_NAMES_H
#define TRACESH_CATALOG_SYSCALL_NAMES_H

struct syscall_table {
	const char *arch;
	const char *const *names; /* NULL in gaps */
	unsigned n;
};
extern const struct syscall_table syscall_tables[]; /* ends with arch == NULL */

#endif
