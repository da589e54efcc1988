/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The per-CPU buffers of an instance, as pages for regions of a store. Private to capture/. */
#ifndef TRACESH_CAPTURE_CPUS_H
#define TRACESH_CAPTURE_CPUS_H

#include "base/buf.h"
#include "capture/store.h"

struct cap_cpu {
	int cpu;
	int fd, stats_fd; /* trace_pipe_raw, stats */
	struct buf chunk; /* zstd: pages that wait */
	uint32_t chunks;
};

struct cap_cpus {
	struct store *store;
	uint32_t page; /* bytes of a sub-buffer */
	bool zstd;
	int pipe[2];
	uint32_t pipe_size;
	bool by_hand; /* the file system takes no pages from a pipe */
	int epfd;
	struct cap_cpu *v;
	unsigned n;
	uint8_t *mem; /* a sub-buffer, and one more */
	struct buf packed;
};

/* cpus_open - all of @instance; 0 or negative errno. cpus_close in either case. */
int cpus_open(struct cap_cpus *c, const char *instance, struct store *s, uint32_t page, bool zstd);
void cpus_close(struct cap_cpus *c);
/* cpus_begin - the regions are laid out */
int cpus_begin(struct cap_cpus *c);
/* cpus_take - whole sub-buffers of CPU @i, a bounded number of bytes: 1 when more may be left, 0,
 * or negative errno of the file (nothing more can be written) */
int cpus_take(struct cap_cpus *c, unsigned i);
/* cpus_add - a sub-buffer that is in memory already; 0 or negative errno */
int cpus_add(struct cap_cpus *c, unsigned i, const void *page, uint32_t len);
/* cpus_rest - tracing is off: all that is left, partial sub-buffers too; those that end before
 * @from (trace clock) are dropped; @clean: what is marked lost before the first is no loss */
int cpus_rest(struct cap_cpus *c, unsigned i, uint64_t from, bool clean);
/* cpus_end - what waits is written; 0 or negative errno */
int cpus_end(struct cap_cpus *c);
/* cpus_settle - after a failed write: regions end with a whole page or chunk */
void cpus_settle(struct cap_cpus *c);

/* numbers of per_cpu/cpuN/stats; its text is appended to @text unless NULL */
struct cpu_stats {
	uint64_t entries, overrun, dropped, read;
	uint64_t now; /* trace clock, ns; 0: not in ns */
};
int cpus_stats(const struct cap_cpus *c, unsigned i, struct cpu_stats *out, struct buf *text);

#endif
