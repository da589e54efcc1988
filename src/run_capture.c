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

static const struct op *record_op(const struct query *q)
{
	const struct op *o = q->pipe->ops;

	while (o && o->kind != OP_RECORD)
		o = o->next;
	return o;
}

void captures_find(struct run *r)
{
	r->captures = ARENA_ARRAY(r->arena, struct run_capture, r->n + 1);
	r->only_captures = r->n > 0;
	for (unsigned i = 0; i < r->n; i++) {
		const struct op *o = record_op(r->q[i]);

		if (o && r->own_catalog)
			session_warn(r->sh->s,
				     "record has no meaning over a file: its events are recorded");
		else if (o)
			r->captures[i].op = o;
		r->only_captures &= r->captures[i].op != NULL;
		r->ncaptures += r->captures[i].op != NULL;
	}
}

int captures_open(struct run *r)
{
	struct session *s = r->sh->s;

	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];
		struct capture_options o;

		if (!c->op)
			continue;
		for (unsigned k = 0; k < i; k++) {
			if (r->captures[k].op && strcmp(r->captures[k].op->str, c->op->str) == 0) {
				diag_error(s->diags, "duplicate-name", c->op->span,
					   "'%s' is recorded to already", c->op->str);
				return -1;
			}
		}
		o = (struct capture_options){.path = c->op->str,
					     .zstd = strcmp(s->set.compress, "zstd") == 0,
					     .flight = c->op->ns != 0,
					     .last_ns = c->op->ns};
		c->c = capture_open(s, &o);
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
	bool any = false, same = !c->op->ns;

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

	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];
		struct pick *v;

		if (!c->op)
			continue;
		c->plan = (struct plan_capture){0};
		if (plan_picks(r->sh->s, r->arena, r->q[i], &v, &c->plan.n))
			return -1;
		c->plan.v = v;
		c->shared = !r->only_captures && !shared && can_share(r, c);
		shared |= c->shared;
		if (c->shared) {
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

		if (!c->op)
			continue;
		if (capture_begin(c->c, r->origin->path, path_of(r, c)))
			return -1;
		if (c->shared)
			feed_live_tap(r->feed, capture_page, c->c);
	}
	return 0;
}

int captures_step(struct run *r)
{
	struct diags *outer = r->sh->s->diags;
	int left = 0;

	r->sh->s->diags = &r->diags;
	for (unsigned i = 0; i < r->n && left >= 0; i++) {
		struct run_capture *c = &r->captures[i];
		int rc = 0;

		if (!c->op)
			continue;
		if (!c->over && r->kernel && r->n > 1 && !c->shared &&
		    engine_query_done(r->engine, i)) {
			kernel_switch(r->kernel, c->instance, false);
			c->over = true;
		}
		rc = c->shared ? capture_failed(c->c) : capture_pump(c->c);
		left = rc < 0 ? -1 : left | rc;
	}
	r->sh->s->diags = outer;
	return left;
}

void captures_pause(struct run *r, bool paused)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct run_capture *c = &r->captures[i];

		if (c->op && !c->shared && !c->over)
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

static void tell(struct run *r, const struct run_capture *c, const struct capture_result *res)
{
	struct session *s = r->sh->s;
	const char *name = strcmp(c->op->str, "-") == 0 ? "standard output" : c->op->str;

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

void captures_end(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct run_capture *c = &r->captures[i];
		struct capture_result res;

		if (!c->op || !c->c)
			continue;
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
