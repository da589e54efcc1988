/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The passes in order: check, plan, explain | kernel and feed, engine, report. One struct run is a
 * group of pipelines that are armed together and share one pass over the events.
 */
#include "run_priv.h"

#include "base/io.h"
#include "base/sig.h"
#include "check/block.h"
#include "feed/live.h"
#include "source/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH 4096       /* records between looks at signals and the clock */
#define AHEAD (1u << 20) /* records of a file that are looked at beforehand */

/* ---- diagnostics of a run go to standard error as soon as a pass is over ---- */

void run_say(struct run *r)
{
	struct buf b = {0};
	struct session *s = r->sh->s;
	int st = diags_status(&r->diags);

	if (r->diags.n && (s->verbosity >= 0 || r->diags.errors)) {
		diags_render(&r->diags, s->err_tty && !s->set.plain, &b);
		fflush(r->sh->out);
		fwrite(buf_str(&b), 1, b.len, s->err);
		fflush(s->err);
	}
	buf_free(&b);
	diags_init(&r->diags, r->arena);
	if (st > r->status)
		r->status = st;
}

void run_free(struct run *r)
{
	struct session *s = r->sh->s;

	if (r->feed)
		feed_free(r->feed);
	captures_free(r);
	for (unsigned i = 0; i < r->nfeeds; i++)
		feed_free(r->feeds[i]);
	engine_free(r->engine);
	ktables_free(r->tables);
	for (unsigned i = 0; i < r->n; i++)
		if (r->q[i])
			query_free_external(r->q[i]);
	if (r->out)
		out_close(r->out, NULL);
	child_finish(&r->child);
	if (r->own_catalog)
		catalog_free(r->catalog);
	else if (r->catalog)
		catalog_undeclare(r->catalog, r->arena);
	if (r->outer_diags)
		s->diags = r->outer_diags;
	free(r->feeds);
	arena_free(r->arena);
	free(r);
}

/* ---- check ---- */

static int open_source(struct run *r)
{
	struct shell *sh = r->sh;

	if (!sh->nfiles) {
		r->catalog = shell_catalog(sh);
		r->live = !sh->catalog_dir;
		return r->catalog ? 0 : -1;
	}
	r->catalog = catalog_new(sh->s);
	r->own_catalog = true;
	r->feeds = xcalloc(sh->nfiles, sizeof(struct feed *));
	for (unsigned i = 0; i < sh->nfiles; i++) {
		struct feed *f = feed_open_file(sh->s, r->catalog, sh->files[i]);

		if (!f)
			return -1;
		r->feeds[r->nfeeds++] = f;
	}
	return 0;
}

static int check(struct run *r, const struct node *const *pipelines, unsigned n)
{
	struct shell *sh = r->sh;
	struct check_env env = sh->env;

	/* blocks of one run share their maps and variables */
	env.globals = globals_new(r->arena);
	blocks_learn(sh->s, r->catalog, r->arena, &env, pipelines, n);
	r->q = ARENA_ARRAY(r->arena, struct query *, n);
	r->n = n;
	for (unsigned i = 0; i < n; i++) {
		r->q[i] = check_query(sh->s, r->catalog, r->arena, &r->diags, &env, pipelines[i]);
		if (r->q[i] && sh->s->set.for_ns && !r->q[i]->for_ns)
			r->q[i]->for_ns = sh->s->set.for_ns;
	}
	return r->diags.errors ? -1 : 0;
}

struct run *run_new(struct shell *sh, const struct node *const *pipelines, unsigned n)
{
	struct run *r = xcalloc(1, sizeof(*r));

	r->sh = sh;
	r->arena = arena_new();
	r->child.gate = r->child.pidfd = -1;
	diags_init(&r->diags, r->arena);
	r->outer_diags = sh->s->diags;
	sh->s->diags = &r->diags;
	if (open_source(r) == 0 && check(r, pipelines, n) == 0) {
		captures_find(r);
		return r;
	}
	run_say(r);
	sh->status = r->status ? r->status : 1;
	run_free(r);
	return NULL;
}

/* ---- plan and explain ---- */

static int explain(struct shell *sh, const struct node *const *pipelines, unsigned n)
{
	struct run *r = run_new(sh, pipelines, n);
	struct buf b = {0};
	int status;

	if (!r)
		return sh->status;
	if (!r->own_catalog) {
		r->sinks = ARENA_ARRAY(r->arena, struct sink *, n);
		r->engine = engine_new(sh->s, r->catalog, r->q, r->sinks, n);
		if (r->engine)
			run_plan(r);
	}
	for (unsigned i = 0; i < n; i++)
		plan_print_query(r->q[i], r->push ? &r->push[i] : NULL, r->plan, &b);
	if (r->plan)
		plan_print(r->plan, catalog_origin(r->catalog, 0)->path, &b);
	if (!r->diags.errors)
		fwrite(buf_str(&b), 1, b.len, sh->out);
	fflush(sh->out);
	buf_free(&b);
	run_say(r);
	status = r->status;
	run_free(r);
	return status;
}

/* ---- outputs ---- */

int run_open_reports(struct run *r)
{
	struct shell *sh = r->sh;
	struct session *s = sh->s;
	unsigned several = sh->npipelines, number = sh->npipelines;

	r->out = out_new(s, r->sh->out);
	/* what a script printed before the last `wait` counts: this is no first result */
	r->out->used = sh->printed;
	r->reports = ARENA_ARRAY(r->arena, struct report *, r->n);
	r->sinks = ARENA_ARRAY(r->arena, struct sink *, r->n);
	for (unsigned i = 0; i < r->n; i++)
		several += !r->q[i]->hook;
	for (unsigned i = 0; i < r->n; i++) {
		const char *name = r->q[i]->name;

		number += !r->q[i]->hook;
		if (!name)
			name = arena_printf(r->arena, "%u", number);
		r->reports[i] = report_new(s, r->q[i], r->out, name,
					   (sh->several || several > 1) && !r->q[i]->hook);
		if (!r->reports[i])
			return -1;
		r->sinks[i] = report_sink(r->reports[i]);
	}
	if (!sh->interactive)
		sh->npipelines = number;
	return 0;
}

void run_close_reports(struct run *r)
{
	for (unsigned i = 0; r->reports && i < r->n; i++) {
		if (r->reports[i])
			report_close(r->reports[i]);
		r->reports[i] = NULL;
	}
	if (r->out && !r->sh->interactive)
		r->sh->printed |= r->out->used;
}

/* ---- events: a file ---- */

/* What the first records of each file say of tasks before they are run. */
static void look_ahead(struct run *r)
{
	unsigned n = catalog_nevents(r->catalog);
	uint8_t *by_index = arena_alloc(r->arena, n + 1);
	struct rec rec;

	if (!engine_wants_ahead(r->engine, by_index, n))
		return;
	for (unsigned i = 0; i < r->nfeeds; i++) {
		struct feed *f = r->feeds[i]->ops->again
					 ? r->feeds[i]->ops->again(r->feeds[i], r->catalog)
					 : NULL;

		if (!f)
			continue;
		f->ops->want(f, by_index, n);
		for (unsigned k = 0; k < AHEAD && feed_next(f, &rec) == 1; k++)
			engine_ahead(r->engine, &rec);
		feed_free(f);
	}
}

static int open_files(struct run *r)
{
	unsigned n;
	uint8_t *by_index = run_wanted(r, &n);

	look_ahead(r);

	r->feed = feed_merge(r->feeds, r->nfeeds);
	r->nfeeds = 0;
	if (r->feed && r->feed->ops->want)
		r->feed->ops->want(r->feed, by_index, n);
	if (r->feed && feed_stacks_asked(by_index, n))
		r->feed = feed_stacks(r->feed, by_index, n);
	progress_start(&r->progress, r->sh->s);
	return r->feed ? 0 : -1;
}

/* The trace clock's now, for `every` and `for` while no events come. */
static uint64_t trace_now(struct run *r)
{
	uint64_t now = io_now();
	struct timespec t;

	if (r->only_captures || strcmp(r->sh->s->set.clock, "mono") == 0)
		return now;
	if (strcmp(r->sh->s->set.clock, "boot") == 0) {
		clock_gettime(CLOCK_BOOTTIME, &t);
		return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
	}
	return r->last_ts ? r->last_ts + (now - r->last_seen) : 0;
}

static struct run *start(struct shell *sh, const struct node *const *pipelines, unsigned n)
{
	struct run *r;

	if (sh->explain_only) {
		sh->status = explain(sh, pipelines, n);
		return NULL;
	}
	r = run_new(sh, pipelines, n);
	if (!r)
		return NULL;
	if (r->live && sh->s->set.push_both && run_twins(r, pipelines, n))
		goto fail;
	n = r->n;
	if (!r->live && !r->own_catalog) {
		diag_error(&r->diags, "no-source", r->q[0]->span,
			   "a saved catalog has no events to run over");
		goto fail;
	}
	if (run_open_reports(r) || captures_open(r))
		goto fail;
	r->engine = engine_new(sh->s, r->catalog, r->q, r->sinks, n);
	if (!r->engine)
		goto fail;
	if (r->live ? run_prepare_child(r) || run_arm(r) : open_files(r))
		goto fail;
	run_unscope(r);
	run_say(r);
	if (r->live)
		engine_begin(r->engine, trace_now(r));
	child_release(&r->child);
	run_tell_ready(r);
	sh->s->diags = r->outer_diags;
	return r;
fail:
	run_unscope(r);
	run_disarm(r);
	run_close_reports(r);
	run_say(r);
	sh->status = r->status ? r->status : 3;
	run_free(r);
	return NULL;
}

/* ---- the loop ---- */

static bool broken(const struct run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		if (!report_broken(r->reports[i]))
			return false;
	}
	return true;
}

/* Takes records until there are none now (0), the end (1: files), or @deadline passes (2). */
int run_drain(struct run *r, uint64_t deadline)
{
	struct rec rec;

	for (;;) {
		for (unsigned i = 0; i < BATCH; i++) {
			int rc = feed_next(r->feed, &rec);

			if (rc < 0) {
				session_warn(r->sh->s, "reading stopped: %s", strerror(-rc));
				return 1;
			}
			if (rc == 0)
				return r->live ? 0 : 1;
			engine_feed(r->engine, &rec);
			r->last_ts = rec.ts;
		}
		if (!r->live)
			progress_update(&r->progress, r->feed->stats.events, 0, 0);
		if (sig_pending() || engine_done(r->engine) || broken(r))
			return 1;
		if (io_now() >= deadline)
			return 2;
	}
}

static int fd(struct run *r)
{
	if (!r->live)
		return -1;
	return captures_fd(r, r->feed->ops->fd ? r->feed->ops->fd(r->feed) : -1);
}

static void wait_events(struct run *r, int timeout_ms)
{
	struct pollfd p[3] = {
		{.fd = fd(r), .events = POLLIN},
		{.fd = sig_fd(), .events = POLLIN},
		{.fd = r->child.pid && !r->child.ended ? r->child.pidfd : -1, .events = POLLIN},
	};

	poll(p, 3, timeout_ms);
}

static int step_live(struct run *r, int timeout_ms)
{
	uint64_t ts;
	int left;

	if (timeout_ms > 0 && !r->more)
		wait_events(r, timeout_ms < 100 ? timeout_ms : 100);
	r->over |= child_ended(&r->child);
	left = captures_step(r);
	r->more = left > 0;
	r->over |= left < 0;
	if (run_drain(r, io_now() + 100000000ull) == 1)
		r->over = true;
	if (r->last_ts && r->last_seen < r->armed_at)
		r->last_seen = io_now();
	ts = trace_now(r);
	/* records of the last moments may still be held back by the merge */
	if (ts > 50000000ull)
		engine_time(r->engine, ts - 50000000ull);
	for (unsigned i = 0; i < r->n; i++) {
		if (!r->frozen[i] && engine_query_done(r->engine, i)) {
			r->frozen[i] = true;
			ktables_freeze(r->tables, i);
		}
		report_flush(r->reports[i]);
	}
	return !(r->over || sig_pending() || engine_done(r->engine) || broken(r));
}

static int step(struct run *r, int timeout_ms)
{
	if (r->over)
		return 0;
	if (r->live)
		return step_live(r, timeout_ms);
	if (!r->tried_parallel && !r->sh->interactive) {
		r->tried_parallel = true;
		if (run_parallel(r)) {
			r->over = true;
			return 0;
		}
	}
	if (run_drain(r, io_now() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 20) * 1000000ull) == 1)
		r->over = true;
	return !r->over;
}

/* ---- the end ---- */

/* Entries of the kernel's tables are never freed: what comes when all are taken is dropped. */
static void tell_tables(struct run *r, unsigned i)
{
	struct klosses l;

	if (!r->tables || !r->push[i].kernel)
		return;
	l = ktables_losses(r->tables, i);
	if (l.rows)
		session_warn(r->sh->s,
			     "%llu events found no room in the kernel's table: raise histsize (set "
			     "histsize 65536), or set pushdown off",
			     (unsigned long long)l.rows);
	if (l.starts)
		session_warn(r->sh->s,
			     "%llu starts or ends of pairs found no room in the kernel's table: "
			     "raise histsize (set histsize 65536), or set pushdown off",
			     (unsigned long long)l.starts);
	if (l.cut)
		session_warn(r->sh->s, "texts in keys are cut by the kernel after 255 bytes: set "
				       "pushdown off to have them whole");
	if ((l.rows || l.starts || l.cut) && !r->status)
		r->status = 5;
	r->sh->s->lost += l.rows + l.starts;
}

/* Before the events are removed: what the kernel could not follow. */
static void tell_missed(void *arg, struct probe_def *d)
{
	struct run *r = arg;
	uint64_t n = 0;

	if (d->kind == PROBE_KPROBE || d->kind == PROBE_KRETPROBE)
		n = kernel_missed(r->origin->path, d->ev->system, d->ev->name);
	if (!n)
		return;
	session_warn(r->sh->s, "%llu %s of %s were missed%s", (unsigned long long)n,
		     d->kind == PROBE_KRETPROBE ? "returns" : "calls", d->target,
		     d->kind == PROBE_KRETPROBE
			     ? ": more of them ran at a time than `set maxactive` allows"
			     : "");
	r->sh->s->lost += n;
	r->status = r->status ? r->status : 5;
}

void run_tell_losses(struct run *r)
{
	struct session *s = r->sh->s;
	const struct feed_stats *f = &r->feed->stats;

	if (f->lost)
		session_warn(s, "%llu events were lost%s", (unsigned long long)f->lost,
			     r->live ? ": a larger buffer may help (set buffer 64MiB)"
				     : " when the file was recorded");
	if (f->lost_spots)
		session_warn(s, "events were lost at %llu places, how many is not known",
			     (unsigned long long)f->lost_spots);
	if (f->cut)
		session_warn(
			s, "the input is cut short or corrupt: %llu bytes and %llu pages not read",
			(unsigned long long)f->cut_bytes, (unsigned long long)f->bad_pages);
	if (f->unknown)
		session_warn(s, "%llu events have no format and were left out",
			     (unsigned long long)f->unknown);
	for (unsigned i = 0; r->live && i < r->n; i++)
		probe_each(r->q[i]->pipe->src, tell_missed, r);
	for (unsigned i = 0; i < r->n; i++) {
		struct engine_stats e;

		engine_stats(r->engine, i, &e);
		tell_tables(r, i);
		if (e.dropped) {
			session_warn(s,
				     "%llu updates found no room: raise maxmem (set maxmem 256MiB)",
				     (unsigned long long)e.dropped);
			r->status = r->status ? r->status : 5;
		}
		if (e.held_dropped) {
			session_warn(s,
				     "%llu events that were held back found no room: raise maxmem "
				     "(set maxmem 256MiB)",
				     (unsigned long long)e.held_dropped);
			r->status = r->status ? r->status : 5;
		}
		if (e.lost_pairs)
			session_warn(s,
				     "%llu pairs were not made because events were lost in between",
				     (unsigned long long)e.lost_pairs);
	}
	s->lost += f->lost + f->lost_spots;
	s->cut |= f->cut;
	if ((f->lost || f->lost_spots || f->cut) && !r->status)
		r->status = 5;
}

/* The last records are read where somebody wants them. */
static void take_rest(struct run *r, bool quiet)
{
	bool wanted = !quiet && !engine_done(r->engine);
	struct rec rec;

	while ((wanted || r->ncaptures) && feed_next(r->feed, &rec) == 1) {
		if (wanted)
			engine_feed(r->engine, &rec);
	}
	captures_end(r);
}

static int end(struct run *r, bool quiet)
{
	struct session *s = r->sh->s;
	int status;

	s->diags = &r->diags;
	if (!r->live)
		progress_end(&r->progress);
	if (r->live) {
		captures_look(r);
		kernel_stop(r->kernel);
		feed_live_stop(r->feed);
		take_rest(r, quiet);
	}
	if (!quiet)
		engine_finish(r->engine);
	run_close_reports(r);
	run_tell_losses(r);
	run_disarm(r);
	run_say(r);
	if (s->undo_failed && r->status < 4)
		r->status = 4;
	status = r->status;
	run_free(r);
	return status;
}

/* ---- what the shell asks of a job ---- */

static void show(struct run *r)
{
	captures_show(r);
	for (unsigned i = 0; i < r->n; i++) {
		engine_result(r->engine, i, true);
		report_flush(r->reports[i]);
	}
}

static void clear(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		engine_clear(r->engine, i);
}

static void pause_all(struct run *r, bool paused)
{
	if (r->tables)
		ktables_pause(r->tables, paused);
	captures_pause(r, paused);
	for (unsigned i = 0; i < r->n; i++)
		engine_pause(r->engine, i, paused);
}

const struct runner run_runner = {
	.start = start,
	.step = step,
	.end = end,
	.show = show,
	.clear = clear,
	.pause = pause_all,
	.fd = fd,
	.divert = run_divert,
	.explain = explain,
};
