/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture from its opening to the complete file. */
#include "capture/capture.h"

#include "base/io.h"
#include "capture/cpus.h"
#include "capture/dat.h"
#include "capture/meta.h"
#include "capture/store.h"
#include "feed/instance.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define TABLE_NS 1000000000ull /* how old the tables in the file may become */

struct capture {
	struct session *s;
	struct capture_options o;
	char *path, *tracefs, *instance;
	struct store store;
	struct cap_cpus cpus;
	struct dat dat;
	struct dat_buffer buffer;
	char *clocks;
	struct meta_tasks tasks;
	uint64_t tail_at, tail_room; /* in the file */
	uint64_t tables_at;          /* io_now() when they were last written */
	uint64_t dropped;            /* pages' losses after a failure cannot be known: pages */
	bool opened, begun, written;
	int error;
};

static int fail(struct capture *c, int rc, const char *what)
{
	const char *name = strcmp(c->o.path, "-") == 0 ? "standard output" : c->o.path;

	if (!c->error)
		diag_error(c->s->diags, "write-failed", (struct span){0}, "%s '%s': %s", what, name,
			   strerror(-rc));
	c->error = c->error ? c->error : rc;
	return -1;
}

struct capture *capture_open(struct session *s, const struct capture_options *o)
{
	struct capture *c = xcalloc(1, sizeof(*c));
	int rc;

	c->s = s;
	c->o = *o;
	c->o.path = c->path = xstrdup(o->path);
	c->cpus.epfd = c->cpus.pipe[0] = c->cpus.pipe[1] = -1;
	if (strcmp(c->path, "-") == 0 && isatty(STDOUT_FILENO)) {
		diag_error(s->diags, "write-failed", (struct span){0},
			   "a trace.dat is nothing for a terminal: redirect standard output");
		rc = 0;
		goto fail;
	}
	rc = store_open(&c->store, c->path);
	if (!rc)
		return c;
fail:
	if (rc)
		fail(c, rc, "cannot write");
	capture_free(c);
	return NULL;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	if (c->opened)
		cpus_close(&c->cpus);
	store_close(&c->store, c->begun);
	buf_free(&c->dat.header_page);
	buf_free(&c->dat.header_event);
	buf_free(&c->dat.ftrace);
	buf_free(&c->dat.events);
	buf_free(&c->dat.kallsyms);
	buf_free(&c->dat.printk);
	buf_free(&c->dat.cmdlines);
	free((char *)c->dat.uname);
	for (unsigned i = 0; i < c->buffer.ncpus; i++)
		buf_free(&c->buffer.cpu[i].stats);
	free(c->buffer.cpu);
	meta_tasks_free(&c->tasks);
	free(c->clocks);
	free(c->tracefs);
	free(c->instance);
	free(c->path);
	free(c);
}

/* ---- the beginning ---- */

/* The size of a sub-buffer of the instance, whatever the top's header_page says. */
static uint32_t page_size(const char *instance)
{
	uint32_t size = instance_subbuf(instance);

	return size ? size : (uint32_t)sysconf(_SC_PAGESIZE);
}

static char *clocks_of(const char *instance)
{
	struct buf b = {0};

	if (instance_text(instance, "trace_clock", &b) || !b.len) {
		buf_clear(&b);
		buf_puts(&b, "[local]\n");
	}
	return b.p;
}

static void describe(struct capture *c)
{
	struct dat_buffer *b = &c->buffer;

	b->name = "";
	b->clocks = c->clocks = clocks_of(c->instance);
	b->page = c->cpus.page;
	b->ncpus = c->cpus.n;
	b->cpu = xcalloc(b->ncpus + 1, sizeof(*b->cpu));
	for (unsigned i = 0; i < b->ncpus; i++)
		b->cpu[i].cpu = c->cpus.v[i].cpu;
	c->dat.buffer = b;
	c->dat.nbuffers = 1;
	c->dat.v7 = c->o.zstd;
	if (getrandom(&c->dat.trace_id, sizeof(c->dat.trace_id), GRND_NONBLOCK) < 0)
		c->dat.trace_id = io_now();
	meta_tsc(&c->dat, b->clocks);
}

/*
 * The tables as they are now. They are in the file from the beginning and are renewed as it grows,
 * so that it can be read whatever happens to us.
 */
static int write_tables(struct capture *c)
{
	uint64_t end = c->store.front, at, value;
	struct buf b = {0};
	int rc;

	for (unsigned i = 0; i < c->buffer.ncpus; i++) {
		const struct region *r = &c->store.r[i];

		c->buffer.cpu[i].off = r->at;
		c->buffer.cpu[i].size = c->o.zstd ? r->len : r->len - r->len % c->cpus.page;
		if (r->len && r->at + r->len > end)
			end = r->at + r->len;
	}
	rc = dat_tail(&c->dat, c->tail_at, c->tail_room, end, &b);
	if (!rc)
		rc = store_put(&c->store, c->tail_at, b.p, b.len);
	buf_free(&b);
	if (!rc && c->o.zstd) {
		at = dat_options_offset(&c->dat, &value);
		rc = store_put(&c->store, at, &value, sizeof(value));
	}
	for (unsigned i = 0; c->o.zstd && i < c->cpus.n && !rc; i++) {
		if (c->store.r[i].len)
			rc = store_put(&c->store, c->store.r[i].at, &c->cpus.v[i].chunks, 4);
	}
	c->tables_at = io_now();
	return rc;
}

static void renew_tables(struct capture *c)
{
	if (io_now() - c->tables_at < TABLE_NS)
		return;
	/* the kernel notes few names at a time */
	meta_tasks_saved(&c->tasks, c->tracefs);
	buf_clear(&c->dat.cmdlines);
	meta_tasks_text(&c->tasks, &c->dat.cmdlines);
	(void)!write_tables(c); /* the end says whether it can be written */
}

int capture_begin(struct capture *c, const char *tracefs, const char *instance)
{
	struct buf head = {0};
	int rc;

	c->tracefs = xstrdup(tracefs);
	c->instance = xstrdup(instance);
	c->opened = true;
	rc = cpus_open(&c->cpus, instance, &c->store, page_size(instance), c->o.zstd);
	if (!rc)
		rc = meta_read(&c->dat, tracefs, c->cpus.page);
	if (rc) {
		diag_error(c->s->diags, "refused", (struct span){0},
			   "cannot read the buffers and formats of %s: %s", instance,
			   strerror(-rc));
		return -1;
	}
	describe(c);
	/* as many as may be there at the end, so that there is room for them */
	meta_tasks_saved(&c->tasks, tracefs);
	meta_tasks_now(&c->tasks);
	rc = dat_head(&c->dat, &head);
	/* sections begin at multiples of 16; in version 6 nothing may lie between */
	while (c->o.zstd && head.len % 16)
		buf_putc(&head, 0);
	c->tail_at = head.len;
	if (!rc)
		rc = store_layout(&c->store,
				  c->tail_at + dat_room(&c->dat, (unsigned)c->tasks.n * 2 + 1024),
				  c->cpus.page, c->cpus.n);
	if (!rc) {
		c->begun = true;
		c->tail_room = c->store.front - c->tail_at;
		rc = store_put(&c->store, 0, head.p, head.len);
	}
	if (!rc)
		rc = cpus_begin(&c->cpus);
	if (!rc)
		rc = write_tables(c);
	buf_free(&head);
	if (!rc)
		return 0;
	c->begun = false;
	return fail(c, rc, "cannot write");
}

/* ---- while it lasts ---- */

int capture_fd(const struct capture *c)
{
	return c->o.flight ? -1 : c->cpus.epfd;
}

int capture_failed(const struct capture *c)
{
	return c->error;
}

int capture_pump(struct capture *c)
{
	bool left = false;

	if (c->o.flight || c->error)
		return c->error;
	for (unsigned i = 0; i < c->cpus.n; i++) {
		int rc = cpus_take(&c->cpus, i);

		if (rc < 0) {
			fail(c, rc, "cannot write any more to");
			return rc;
		}
		left |= rc > 0;
	}
	renew_tables(c);
	return left;
}

void capture_page(void *capture, int cpu, const void *page, uint32_t len)
{
	struct capture *c = capture;
	int rc;

	for (unsigned i = 0; i < c->cpus.n; i++) {
		if (c->cpus.v[i].cpu != cpu)
			continue;
		if (c->error) {
			c->dropped++;
			return;
		}
		rc = cpus_add(&c->cpus, i, page, len);
		if (rc)
			fail(c, rc, "cannot write any more to");
		renew_tables(c);
		return;
	}
}

/* ---- the end ---- */

static uint64_t beginning(struct capture *c, struct capture_result *out)
{
	struct cpu_stats st;

	if (!c->o.last_ns || !c->cpus.n)
		return 0;
	if (cpus_stats(&c->cpus, 0, &st, NULL) || !st.now) {
		out->whole = true;
		return 0;
	}
	return st.now > c->o.last_ns ? st.now - c->o.last_ns : 0;
}

/* Writers that were interrupted may commit a moment after tracing was switched off. */
static int take_rest(struct capture *c, struct capture_result *out)
{
	uint64_t from = beginning(c, out);
	int rc = 0;

	for (unsigned i = 0; i < c->cpus.n && !rc; i++) {
		bool first = c->o.flight;

		for (unsigned tries = 0; tries < 10 && !rc; tries++) {
			struct cpu_stats st;

			while (!c->o.flight && !rc && (rc = cpus_take(&c->cpus, i)) > 0)
				rc = 0;
			if (!rc)
				rc = cpus_rest(&c->cpus, i, from, first);
			first = false;
			if (cpus_stats(&c->cpus, i, &st, NULL) || !st.entries)
				break;
			sched_yield();
		}
	}
	return rc;
}

/* "overrun: 12" of what a flight recorder has overwritten, which is its purpose, to 0 */
static void no_overrun(struct buf *text)
{
	char *p = text->len ? strstr(text->p, "\noverrun: ") : NULL;
	struct buf b = {0};

	if (!p)
		return;
	buf_add(&b, text->p, (size_t)(p - text->p));
	buf_puts(&b, "\noverrun: 0");
	p = strchr(p + 1, '\n');
	if (p)
		buf_puts(&b, p);
	buf_free(text);
	*text = b;
}

static void last_stats(struct capture *c, struct capture_result *out)
{
	for (unsigned i = 0; i < c->cpus.n; i++) {
		struct buf *text = &c->buffer.cpu[i].stats;
		struct cpu_stats st;

		buf_clear(text);
		if (cpus_stats(&c->cpus, i, &st, text))
			continue;
		if (c->o.flight)
			no_overrun(text);
		out->events += st.read;
		out->lost += st.dropped + (c->o.flight ? 0 : st.overrun);
	}
}

int capture_finish(struct capture *c, struct capture_result *out)
{
	uint64_t end;
	int rc;

	memset(out, 0, sizeof(*out));
	if (!c->begun || c->written)
		return -1;
	c->written = true;
	if (!c->error && (rc = take_rest(c, out)))
		fail(c, rc, "cannot write any more to");
	if (!c->error && (rc = cpus_end(&c->cpus)))
		fail(c, rc, "cannot write any more to");
	cpus_settle(&c->cpus);
	last_stats(c, out);
	meta_tasks_saved(&c->tasks, c->tracefs);
	meta_tasks_now(&c->tasks);
	buf_clear(&c->dat.cmdlines);
	meta_tasks_text(&c->tasks, &c->dat.cmdlines);
	rc = store_pack(&c->store);
	if (rc)
		fail(c, rc, "cannot bring together the parts of");
	rc = write_tables(c);
	if (rc)
		fail(c, rc, "cannot complete");
	rc = store_hand_over(&c->store);
	if (rc)
		fail(c, rc, "cannot write");
	end = c->store.front;
	for (unsigned i = 0; i < c->cpus.n; i++) {
		const struct region *r = &c->store.r[i];

		if (r->len && r->at + r->len > end)
			end = r->at + r->len;
	}
	out->bytes = end;
	return c->error ? -1 : 0;
}
