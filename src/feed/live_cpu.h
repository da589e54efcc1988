/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The buffer of one CPU of a running kernel, as a queue of sub-buffers. Private to feed/. */
#ifndef TRACESH_FEED_LIVE_CPU_H
#define TRACESH_FEED_LIVE_CPU_H

#include "feed/feed.h"
#include "feed/page.h"

struct tracefs_cpu;

struct live_cpu {
	int cpu;
	int fd;       /* trace_pipe_raw */
	int stats_fd; /* per_cpu/cpuN/stats */
	struct tracefs_cpu *tc;
	uint8_t *mem; /* npages sub-buffers in a ring */
	size_t mem_size;
	uint32_t *len; /* bytes in each */
	unsigned npages, first, used;
	struct page_iter it; /* in the first page, if begun */
	bool begun;
	bool drained;        /* the last round left nothing in the kernel */
	uint64_t last_start; /* time of the last page's beginning: all that comes is not older */
	/* the record that comes next, if alive */
	bool alive;
	const uint8_t *data;
	uint32_t dlen;
	int64_t missed; /* lost before it */
	struct event *ev;
	/* losses found in pages */
	uint64_t lost, spots;
};

/* What all CPUs of a feed share. */
struct live_layout {
	struct origin page; /* as page_start() wants it, with the instance's own sub-buffer size */
	uint32_t size;      /* bytes of a sub-buffer */
	unsigned npages;    /* room of each CPU */
	/* gets each sub-buffer as well; NULL: nobody does */
	void (*tap)(void *arg, int cpu, const void *page, uint32_t len);
	void *tap_arg;
};

/* live_cpu_open - 0, or negative errno; what was opened is closed again */
int live_cpu_open(struct live_cpu *c, const struct live_layout *l, const char *instance, int cpu);
void live_cpu_close(struct live_cpu *c);

/* live_cpu_fill - take pages from the kernel until there are none or there is no room; @last:
 * tracing is off. 0 or negative errno. */
int live_cpu_fill(struct live_cpu *c, const struct live_layout *l, bool last);

/* live_cpu_record - the next record of the pages taken, whatever its event, into data and dlen
 * (it.ts is its time); false: there is none */
bool live_cpu_record(struct live_cpu *c, const struct live_layout *l, struct feed_stats *st);

/* numbers of per_cpu/cpuN/stats */
struct live_stats {
	uint64_t lost;    /* overrun + commit overrun + dropped events */
	uint64_t entries; /* not read yet */
	uint64_t now;     /* the trace clock: ns, or its own unit */
	bool has_now, in_ns;
};
int live_cpu_stats(const struct live_cpu *c, struct live_stats *out);

#endif
