/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One CPU's ring buffer through libtracefs, never blocking: whole and partial sub-buffers into a
 * queue of fixed size, and out of it record by record. Counts what the pages say was lost.
 */
#include "feed/live_cpu.h"

#include "feed/instance.h"

#include <tracefs.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int live_cpu_open(struct live_cpu *c, const struct live_layout *l, const char *instance, int cpu)
{
	size_t size = (size_t)l->size * l->npages;
	int rc;

	memset(c, 0, sizeof(*c));
	c->cpu = cpu;
	c->npages = l->npages;
	c->mem_size = size;
	c->stats_fd = -1;
	c->fd = instance_open(instance, cpu, "trace_pipe_raw", O_NONBLOCK);
	if (c->fd < 0)
		return c->fd;
	c->stats_fd = instance_open(instance, cpu, "stats", 0);
	if (c->stats_fd < 0) {
		rc = c->stats_fd;
		goto fail;
	}
	c->tc = tracefs_cpu_alloc_fd(c->fd, (int)l->size, true);
	c->len = calloc(l->npages, sizeof(*c->len));
	/* touched only as far as it is needed */
	c->mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->mem == MAP_FAILED)
		c->mem = NULL;
	if (c->tc && c->len && c->mem)
		return 0;
	rc = -ENOMEM;
fail:
	live_cpu_close(c);
	return rc;
}

void live_cpu_close(struct live_cpu *c)
{
	if (c->tc)
		tracefs_cpu_free_fd(c->tc); /* leaves the descriptor to us */
	if (c->fd >= 0)
		close(c->fd);
	if (c->stats_fd >= 0)
		close(c->stats_fd);
	if (c->mem)
		munmap(c->mem, c->mem_size);
	free(c->len);
	memset(c, 0, sizeof(*c));
	c->fd = c->stats_fd = -1;
}

/* bytes, 0: nothing there, negative errno */
static int take(struct live_cpu *c, void *page, bool last)
{
	int n;

	for (;;) {
		errno = 0;
		/* libtracefs makes 0 of EAGAIN; a read gives partial sub-buffers as well */
		n = last ? tracefs_cpu_flush(c->tc, page) : tracefs_cpu_read(c->tc, page, true);
		if (n >= 0)
			return n;
		if (errno == EAGAIN || errno == 0)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
}

int live_cpu_fill(struct live_cpu *c, const struct live_layout *l, bool last)
{
	c->drained = false;
	while (c->used < c->npages) {
		unsigned slot = (c->first + c->used) % c->npages;
		uint8_t *page = c->mem + (size_t)slot * l->size;
		int n = take(c, page, last);

		if (n <= 0) {
			c->drained = n == 0;
			return n;
		}
		c->len[slot] = (uint32_t)n;
		if (l->tap)
			l->tap(l->tap_arg, c->cpu, page, (uint32_t)n);
		c->used++;
		if (n >= 8)
			memcpy(&c->last_start, page, 8);
	}
	return 0;
}

/* The next page that has a sane header into c->it. What it says was lost comes before its first
 * record. */
static bool next_page(struct live_cpu *c, const struct live_layout *l, struct feed_stats *st)
{
	if (c->begun) {
		c->first = (c->first + 1) % c->npages;
		c->used--;
		c->begun = false;
	}
	while (c->used) {
		if (page_start(&c->it, &l->page, c->mem + (size_t)c->first * l->size,
			       c->len[c->first]) == 0) {
			c->begun = true;
			break;
		}
		st->bad_pages++;
		c->missed = -1;
		c->spots++;
		st->lost_spots++;
		c->first = (c->first + 1) % c->npages;
		c->used--;
	}
	if (!c->begun)
		return false;
	if (c->it.missed > 0) {
		c->lost += (uint64_t)c->it.missed;
		st->lost += (uint64_t)c->it.missed;
		if (c->missed >= 0)
			c->missed += c->it.missed;
	} else if (c->it.missed < 0) {
		c->spots++;
		st->lost_spots++;
		c->missed = -1;
	}
	return true;
}

bool live_cpu_record(struct live_cpu *c, const struct live_layout *l, struct feed_stats *st)
{
	for (;;) {
		if (c->begun && page_next(&c->it, &c->data, &c->dlen))
			return true;
		if (c->begun && c->it.bad) {
			st->bad_pages++;
			c->missed = -1;
			c->spots++;
			st->lost_spots++;
		}
		if (!next_page(c, l, st))
			return false;
	}
}

/* ---- stats ---- */

static bool number(const char *text, const char *key, const char **at)
{
	const char *p = strncmp(text, key, strlen(key)) == 0 ? text : NULL;

	for (const char *q = text; !p && (q = strchr(q, '\n'));) {
		q++;
		if (strncmp(q, key, strlen(key)) == 0)
			p = q;
	}
	*at = p ? p + strlen(key) : NULL;
	return p != NULL;
}

int live_cpu_stats(const struct live_cpu *c, struct live_stats *out)
{
	char text[1024], *end;
	ssize_t n = pread(c->stats_fd, text, sizeof(text) - 1, 0);
	const char *at;

	memset(out, 0, sizeof(*out));
	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (number(text, "overrun:", &at))
		out->lost += strtoull(at, NULL, 10);
	if (number(text, "commit overrun:", &at))
		out->lost += strtoull(at, NULL, 10);
	if (number(text, "dropped events:", &at))
		out->lost += strtoull(at, NULL, 10);
	if (number(text, "entries:", &at))
		out->entries = strtoull(at, NULL, 10);
	if (number(text, "now ts:", &at)) {
		out->now = strtoull(at, &end, 10);
		out->has_now = end != at;
		if (*end == '.') { /* seconds and microseconds */
			out->in_ns = true;
			out->now = out->now * 1000000000ull + strtoull(end + 1, NULL, 10) * 1000;
		}
	}
	return 0;
}
