/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages out of the kernel: splice where it can be, read where it must. */
#include "capture/cpus.h"

#include "base/arena.h"
#include "base/io.h"
#include "capture/dat.h"
#include "feed/instance.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define PIPE_WANTED (1 << 20)
#define TURN (8u << 20)           /* bytes of a CPU before the next one's turn */
#define MISSED_STORED (1ul << 30) /* in a page's commit word; above it that there are any */

/* ---- opening ---- */

static int open_cpu(struct cap_cpus *c, const char *instance, int cpu)
{
	struct cap_cpu *v = &c->v[c->n++];
	struct epoll_event ev = {.events = EPOLLIN};
	struct pollfd p;

	v->cpu = cpu;
	v->stats_fd = -1;
	v->fd = instance_open(instance, cpu, "trace_pipe_raw", O_NONBLOCK);
	if (v->fd < 0)
		return v->fd;
	v->stats_fd = instance_open(instance, cpu, "stats", O_NONBLOCK);
	if (v->stats_fd < 0)
		return v->stats_fd;
	/* a CPU that never was online gives nothing but errors */
	p = (struct pollfd){.fd = v->fd, .events = POLLIN};
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLNVAL)))
		return 0;
	return epoll_ctl(c->epfd, EPOLL_CTL_ADD, v->fd, &ev) ? -errno : 0;
}

int cpus_open(struct cap_cpus *c, const char *instance, struct store *s, uint32_t page, bool zstd)
{
	int *cpus = xcalloc(INSTANCE_CPUS_MAX, sizeof(*cpus));
	int n = instance_cpus(instance, cpus), rc = n < 0 ? n : n ? 0 : -ENOENT, size;

	memset(c, 0, sizeof(*c));
	c->store = s;
	c->page = page;
	c->zstd = zstd;
	c->pipe[0] = c->pipe[1] = -1;
	c->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (!rc && c->epfd < 0)
		rc = -errno;
	if (!rc && pipe2(c->pipe, O_CLOEXEC))
		rc = -errno;
	c->v = xcalloc((size_t)(n > 0 ? n : 0) + 1, sizeof(*c->v));
	for (int i = 0; i < n && !rc; i++)
		rc = open_cpu(c, instance, cpus[i]);
	free(cpus);
	if (rc)
		return rc;
	(void)!fcntl(c->pipe[1], F_SETPIPE_SZ, PIPE_WANTED);
	size = fcntl(c->pipe[1], F_GETPIPE_SZ);
	/* a sub-buffer takes one of the pipe's places, whatever its size */
	c->pipe_size = size > 0 ? (uint32_t)size / (uint32_t)sysconf(_SC_PAGESIZE) * page : page;
	c->mem = calloc(2, page);
	return c->mem ? 0 : -ENOMEM;
}

void cpus_close(struct cap_cpus *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (c->v[i].fd >= 0)
			close(c->v[i].fd);
		if (c->v[i].stats_fd >= 0)
			close(c->v[i].stats_fd);
		buf_free(&c->v[i].chunk);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (c->pipe[i] >= 0)
			close(c->pipe[i]);
	}
	if (c->epfd >= 0)
		close(c->epfd);
	free(c->v);
	free(c->mem);
	buf_free(&c->packed);
	memset(c, 0, sizeof(*c));
	c->pipe[0] = c->pipe[1] = c->epfd = -1;
}

/* ---- into the file ---- */

static int write_chunk(struct cap_cpus *c, unsigned i)
{
	struct cap_cpu *v = &c->v[i];
	int rc;

	if (!v->chunk.len)
		return 0;
	buf_clear(&c->packed);
	rc = dat_chunk(v->chunk.p, v->chunk.len, &c->packed);
	buf_clear(&v->chunk);
	if (!rc) {
		uint64_t before = c->store->r[i].len;

		rc = store_append(c->store, i, c->packed.p, c->packed.len);
		if (rc)
			c->store->r[i].len = before; /* half a chunk is none */
		else
			v->chunks++;
	}
	return rc;
}

int cpus_begin(struct cap_cpus *c)
{
	uint32_t none = 0;
	int rc = 0;

	/* the number of chunks, filled in at the end */
	for (unsigned i = 0; c->zstd && i < c->n && !rc; i++)
		rc = store_append(c->store, i, &none, sizeof(none));
	return rc;
}

int cpus_add(struct cap_cpus *c, unsigned i, const void *page, uint32_t len)
{
	struct cap_cpu *v = &c->v[i];

	if (len > c->page)
		return -EINVAL;
	if (len < c->page) { /* what is not there is zero */
		memcpy(c->mem, page, len);
		memset(c->mem + len, 0, c->page - len);
		page = c->mem;
	}
	if (!c->zstd)
		return store_append(c->store, i, page, c->page);
	buf_add(&v->chunk, page, c->page);
	return v->chunk.len >= (size_t)DAT_CHUNK_PAGES * c->page ? write_chunk(c, i) : 0;
}

/* @n bytes that are in the pipe, through memory */
static int pipe_to_memory(struct cap_cpus *c, unsigned i, size_t n)
{
	int rc = 0;

	while (n) {
		size_t have = 0;

		while (have < c->page && have < n) {
			ssize_t got = read(c->pipe[0], c->mem + c->page + have, c->page - have);

			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0)
				return got < 0 ? -errno : -EIO;
			have += (size_t)got;
		}
		/* after an error the pipe is emptied all the same */
		if (!rc)
			rc = cpus_add(c, i, c->mem + c->page, (uint32_t)have);
		n -= have;
	}
	return rc;
}

/* @n bytes that are in the pipe, straight into the file */
static int pipe_to_file(struct cap_cpus *c, unsigned i, size_t n)
{
	struct region *r = &c->store->r[i];

	if (n > r->room - r->len)
		return -EFBIG;
	while (n) {
		off64_t off = (off64_t)(r->at + r->len);
		ssize_t got = splice(c->pipe[0], NULL, c->store->fd, &off, n, SPLICE_F_MOVE);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EINVAL) {
			c->by_hand = true;
			return pipe_to_memory(c, i, n);
		}
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		r->len += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

int cpus_take(struct cap_cpus *c, unsigned i)
{
	uint32_t taken = 0;

	while (taken < TURN) {
		/* gives whole sub-buffers only */
		ssize_t n = splice(c->v[i].fd, NULL, c->pipe[1], NULL, c->pipe_size,
				   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		/* none now; a CPU that is not there; whatever else cannot be spliced is read at the
		 * end */
		if (n <= 0)
			return 0;
		rc = c->zstd || c->by_hand ? pipe_to_memory(c, i, (size_t)n)
					   : pipe_to_file(c, i, (size_t)n);
		if (rc)
			return rc;
		taken += (uint32_t)n;
	}
	return 1;
}

/* ---- the end ---- */

static ssize_t read_page(struct cap_cpus *c, unsigned i, void *p)
{
	ssize_t n;

	do
		n = read(c->v[i].fd, p, c->page);
	while (n < 0 && errno == EINTR);
	return n;
}

static uint64_t page_time(const uint8_t *p)
{
	uint64_t t;

	memcpy(&t, p, sizeof(t));
	return t;
}

/* What was lost before the window that is kept is no loss. The kernel adds the marks to a long, and
 * the upper one is negative there. */
static void forget_missed(uint8_t *p, size_t len)
{
	unsigned long w;

	if (len < 8 + sizeof(w))
		return;
	memcpy(&w, p + 8, sizeof(w));
	w &= MISSED_STORED - 1;
	memcpy(p + 8, &w, sizeof(w));
}

int cpus_rest(struct cap_cpus *c, unsigned i, uint64_t from, bool clean)
{
	uint8_t *held = c->mem, *next = c->mem + c->page, *x;
	uint8_t *two = malloc((size_t)c->page * 2);
	ssize_t len = 0, n;
	int rc = two ? 0 : -ENOMEM;

	if (rc)
		return rc;
	/* c->mem is cpus_add()'s */
	held = two;
	next = two + c->page;
	while ((n = read_page(c, i, next)) > 0) {
		/* a page ends where the next one begins */
		if (len && (!from || n < 8 || page_time(next) >= from)) {
			if (clean)
				forget_missed(held, (size_t)len);
			clean = false;
			rc = rc ? rc : cpus_add(c, i, held, (uint32_t)len);
		}
		x = held;
		held = next;
		next = x;
		len = n;
	}
	if (len && !rc) {
		if (clean)
			forget_missed(held, (size_t)len);
		rc = cpus_add(c, i, held, (uint32_t)len);
	}
	free(two);
	return rc;
}

int cpus_end(struct cap_cpus *c)
{
	int rc = 0;

	for (unsigned i = 0; i < c->n; i++) {
		int one = write_chunk(c, i);

		rc = rc ? rc : one;
	}
	return rc;
}

void cpus_settle(struct cap_cpus *c)
{
	for (unsigned i = 0; !c->zstd && i < c->n; i++)
		c->store->r[i].len -= c->store->r[i].len % c->page;
}

/* ---- stats ---- */

static const char *find(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		if (strncmp(p, key, n) == 0)
			return p + n;
	}
	return NULL;
}

static uint64_t number(const char *text, const char *key)
{
	const char *p = find(text, key);

	return p ? strtoull(p, NULL, 10) : 0;
}

int cpus_stats(const struct cap_cpus *c, unsigned i, struct cpu_stats *out, struct buf *text)
{
	char t[1024], *end;
	ssize_t n = pread(c->v[i].stats_fd, t, sizeof(t) - 1, 0);
	const char *now;

	memset(out, 0, sizeof(*out));
	if (n < 0)
		return -errno;
	t[n] = '\0';
	out->entries = number(t, "entries:");
	out->overrun = number(t, "overrun:");
	out->dropped = number(t, "commit overrun:") + number(t, "dropped events:");
	out->read = number(t, "read events:");
	now = find(t, "now ts:");
	if (now) {
		uint64_t s = strtoull(now, &end, 10);

		/* a clock that counts something else is shown without a point */
		if (*end == '.')
			out->now = s * 1000000000ull + strtoull(end + 1, NULL, 10) * 1000;
	}
	if (text)
		buf_puts(text, t);
	return 0;
}
