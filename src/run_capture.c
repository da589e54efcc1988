/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings of a run. Each has an instance of its own, so that the file holds what was asked and
 * nothing else, and its pages are never looked at. Where the engine reads the very same events it
 * shares the engine's instance: then both see each event, or neither does.
 */
#include "run_capture.h"

#include "base/io.h"
#include "feed/live.h"
#include "run_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* ---- which ---- */

static const struct op *op_of(const struct query *q, enum op_kind kind)
{
	const struct op *o = q->pipe->ops;

	while (o && o->kind != kind)
		o = o->next;
	return o;
}

static const char *name_of(const struct run_capture *c)
{
	return strcmp(c->op->str, "-") == 0 ? "standard output" : c->op->str;
}

void captures_find(struct run *r)
{
	r->captures = ARENA_ARRAY(r->arena, struct run_capture, r->n + 1);
	r->only_captures = r->n > 0;
	for (unsigned i = 0; i < r->n; i++) {
		const struct op *rec = op_of(r->q[i], OP_RECORD);
		const struct op *o = rec ? rec : op_of(r->q[i], OP_SNAPSHOT);

		if (o && r->own_catalog)
			session_warn(r->sh->s, "%s has no meaning over a file: %s",
				     rec ? "record" : "snapshot",
				     rec ? "its events are recorded"
					 : "there is no buffer that could be kept");
		else if (o)
			r->captures[i].op = o;
		r->captures[i].flight = o && (!rec || rec->ns);
		r->captures[i].plan.unread = rec != NULL;
		r->only_captures &= r->captures[i].op && rec;
		r->ncaptures += r->captures[i].op != NULL;
	}
}

static struct capture *open_one(struct session *s, const struct run_capture *c)
{
	struct capture_options o = {.path = c->op->str,
				    .zstd = strcmp(s->set.compress, "zstd") == 0,
				    .flight = c->flight,
				    .last_ns = c->op->ns};

	return capture_open(s, &o);
}

int captures_open(struct run *r)
{
	struct session *s = r->sh->s;

	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];

		if (!c->op)
			continue;
		for (unsigned k = 0; k < i; k++) {
			if (r->captures[k].op && strcmp(r->captures[k].op->str, c->op->str) == 0) {
				diag_error(s->diags, "duplicate-name", c->op->span,
					   "'%s' is recorded to already", c->op->str);
				return -1;
			}
		}
		c->c = open_one(s, c);
		if (!c->c)
			return -1;
	}
	return 0;
}

/* ---- where ---- */

/* Does the engine ask for events of this recording only, with the same stacks? */
static bool can_share(const struct run *r, const struct run_capture *c)
{
	unsigned n = catalog_nevents(r->catalog);
	uint8_t *want = arena_alloc(r->arena, n + 1);
	bool any = false, same = !c->flight;

	engine_wants(r->engine, want, n);
	for (size_t i = 0; i < c->plan.n && same; i++) {
		const struct pick *k = &c->plan.v[i];
		unsigned at = k->ev->index;

		same = !k->filter && at < n;
		if (same && want[at]) {
			any = true;
			same = (want[at] & ~WANT_TASKS) == k->flags;
			want[at] = 0;
		}
	}
	for (unsigned i = 0; i < n && same; i++)
		same = !want[i];
	return same && any;
}

int captures_place(struct run *r, unsigned *from)
{
	const struct origin *o = catalog_origin(r->catalog, 0);
	bool first = true, shared = false;

	r->offs = NULL;
	r->noffs = 0;

	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];
		const struct op *stop = op_of(r->q[i], OP_STOP);
		struct off *off = NULL;
		struct pick *v;
		int rc;

		if (stop && !r->own_catalog)
			plan_offs(r->sh->s, r->arena, r->q[i], stop, &r->offs, &r->noffs);
		if (!c->op)
			continue;
		c->plan = (struct plan_capture){.unread = c->op->kind == OP_RECORD};
		rc = c->plan.unread ? plan_picks(r->sh->s, r->arena, r->q[i], &v, &c->plan.n)
				    : plan_picks_all(r->sh->s, r->arena, r->q[i], &v, &c->plan.n);
		if (rc)
			return -1;
		c->plan.v = v;
		if (!c->plan.unread)
			plan_offs(r->sh->s, r->arena, r->q[i], c->op, &off, &c->plan.noff);
		c->plan.off = off;
		c->shared = !r->only_captures && !shared && can_share(r, c);
		shared |= c->shared;
		if (c->shared) {
			c->plan.unread = false;
			c->instance = r->instance;
			continue;
		}
		c->instance = r->only_captures && first
				      ? r->instance
				      : plan_instance_name(r->sh->s, r->arena, o, from);
		c->plan.instance = c->instance;
		first = false;
	}
	return 0;
}

void captures_want(const struct run *r, uint8_t *by_index, unsigned n)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct run_capture *c = &r->captures[i];

		for (size_t k = 0; c->shared && k < c->plan.n; k++) {
			if (c->plan.v[k].ev->index < n)
				by_index[c->plan.v[k].ev->index] |= c->plan.v[k].flags;
		}
	}
}

/* ---- while it runs ---- */

static const char *path_of(const struct run *r, const struct run_capture *c)
{
	return arena_printf(r->arena, "%s/%s", r->origin->path, c->instance);
}

int captures_begin(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];

		if (!c->op || c->flight) /* that comes when it ends */
			continue;
		if (capture_begin(c->c, r->origin->path, path_of(r, c)))
			return -1;
		if (c->shared)
			feed_live_tap(r->feed, capture_page, c->c);
	}
	return 0;
}

static void tell(struct run *r, const struct run_capture *c, const struct capture_result *res)
{
	struct session *s = r->sh->s;
	const char *name = name_of(c);

	/* a failed write outranks losses, which it may have caused */
	if (capture_failed(c->c) && !r->status)
		r->status = 3;
	if (s->verbosity >= 0) {
		fflush(r->sh->out);
		fprintf(s->err, "tracesh: %s: %llu event%s, %.1f MB\n", name,
			(unsigned long long)res->events, res->events == 1 ? "" : "s",
			(double)res->bytes / 1e6);
	}
	if (res->whole)
		session_warn(s,
			     "%s holds all that the buffer had: the clock '%s' does not tell how "
			     "long ago that was",
			     name, s->set.clock);
	if (!res->lost || c->shared) /* what is shared the feed counts */
		return;
	session_warn(s,
		     "%llu events were lost and are not in %s: a larger buffer may help (set "
		     "buffer 64MiB)",
		     (unsigned long long)res->lost, name);
	s->lost += res->lost;
	if (!r->status)
		r->status = 5;
}

/* A flight recorder is over, its instance is stopped: into the file. */
static void land(struct run *r, struct run_capture *c)
{
	struct capture_result res;

	if (capture_begin(c->c, r->origin->path, path_of(r, c)))
		return;
	capture_finish(c->c, &res);
	tell(r, c, &res);
}

/* Somebody's trigger may have stopped it; while it is paused that is us. */
static bool is_off(const struct run *r, const struct run_capture *c)
{
	struct buf b = {0}, path = {0};
	bool off;

	buf_printf(&path, "%s/%s/tracing_on", r->origin->path, c->instance);
	off = io_read_file(buf_str(&path), &b, 64) == 0 && *buf_str(&b) == '0';
	buf_free(&path);
	buf_free(&b);
	return off;
}

/* A snapshot is taken once, of what led to the first event. */
static void look(struct run *r, struct run_capture *c, bool fired)
{
	if (c->over || !c->op || c->op->kind != OP_SNAPSHOT || c->paused ||
	    !(fired || is_off(r, c)))
		return;
	kernel_switch(r->kernel, c->instance, false);
	c->over = true;
	land(r, c);
}

static int step_one(struct run *r, struct run_capture *c, unsigned i)
{
	if (!c->over && r->n > 1 && c->op->kind == OP_RECORD && !c->shared &&
	    engine_query_done(r->engine, i)) {
		kernel_switch(r->kernel, c->instance, false);
		c->over = true;
	}
	if (c->shared)
		return capture_failed(c->c);
	if (!c->flight)
		return capture_pump(c->c);
	look(r, c, engine_fired(r->engine, i));
	return 0;
}

int captures_step(struct run *r)
{
	struct diags *outer = r->sh->s->diags;
	int left = 0;

	r->sh->s->diags = &r->diags;
	for (unsigned i = 0; i < r->n && left >= 0; i++) {
		int rc = r->captures[i].op ? step_one(r, &r->captures[i], i) : 0;

		left = rc < 0 ? -1 : left | rc;
	}
	r->sh->s->diags = outer;
	return left;
}

void captures_look(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		look(r, &r->captures[i], engine_fired(r->engine, i));
}

void captures_show(struct run *r)
{
	struct diags *outer = r->sh->s->diags;

	r->sh->s->diags = &r->diags;
	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];

		if (!c->op || c->op->kind != OP_RECORD || !c->flight || c->over)
			continue;
		kernel_switch(r->kernel, c->instance, false);
		if (c->c)
			land(r, c);
		capture_free(c->c);
		c->c = open_one(r->sh->s, c);
		if (!c->paused)
			kernel_switch(r->kernel, c->instance, true);
	}
	r->sh->s->diags = outer;
}

void captures_pause(struct run *r, bool paused)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];

		if (!c->op || c->shared || c->over)
			continue;
		c->paused = paused;
		kernel_switch(r->kernel, c->instance, !paused);
	}
}

int captures_fd(struct run *r, int engine)
{
	if (!r->ncaptures)
		return engine;
	if (r->wake > 0)
		return r->wake;
	r->wake = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned i = 0; i <= r->n && r->wake > 0; i++) {
		struct epoll_event ev = {.events = EPOLLIN};
		int fd = engine;

		if (i < r->n)
			fd = r->captures[i].op && !r->captures[i].shared
				     ? capture_fd(r->captures[i].c)
				     : -1;
		if (fd >= 0)
			(void)!epoll_ctl(r->wake, EPOLL_CTL_ADD, fd, &ev);
	}
	return r->wake > 0 ? r->wake : -1;
}

/* ---- the end ---- */

void captures_end(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];
		struct capture_result res;

		if (!c->op || !c->c)
			continue;
		if (c->op->kind == OP_SNAPSHOT) {
			if (!c->over && engine_fired(r->engine, i))
				land(r, c);
			else if (!c->over)
				session_warn(r->sh->s,
					     "no event came to snapshot: %s is not written",
					     name_of(c));
			continue;
		}
		if (c->flight) {
			land(r, c);
			continue;
		}
		/* the diags of a failure are said by the end of the run */
		capture_finish(c->c, &res);
		tell(r, c, &res);
	}
}

void captures_free(struct run *r)
{
	for (unsigned i = 0; r->captures && i < r->n; i++) {
		capture_free(r->captures[i].c);
		r->captures[i].c = NULL;
	}
	if (r->wake > 0)
		close(r->wake);
	r->wake = 0;
}

/* ---- nothing to read ---- */

static int none_next(struct feed *f, struct rec *rec)
{
	(void)f;
	(void)rec;
	return 0;
}

static void none_free(struct feed *f)
{
	free(f);
}

struct feed *feed_none(void)
{
	static const struct feed_ops ops = {.next = none_next, .free = none_free};
	struct feed *f = xcalloc(1, sizeof(*f));

	f->ops = &ops;
	return f;
}
