/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a buffer instance in tracefs says of itself, for who reads its pages. Changes nothing. */
#ifndef TRACESH_FEED_INSTANCE_H
#define TRACESH_FEED_INSTANCE_H

#include "base/buf.h"

#include <stdint.h>

#define INSTANCE_CPUS_MAX 8192
#define INSTANCE_SUBBUF_MAX (4u << 20)

/* instance_text - append its file @file to @b; 0 or negative errno */
int instance_text(const char *dir, const char *file, struct buf *b);
/* instance_subbuf - bytes of its sub-buffers, where it says so; else 0 */
uint32_t instance_subbuf(const char *dir);
/* instance_cpus - numbers of the directories per_cpu/cpuN, ascending, at most INSTANCE_CPUS_MAX;
 * how many, or negative errno */
int instance_cpus(const char *dir, int *out);
/* instance_open - a file of one CPU, to be read; @flags besides. The descriptor or negative errno.
 */
int instance_open(const char *dir, int cpu, const char *file, int flags);

#endif
