/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file's records by several threads: each has the CPUs of a part of the file and an engine of its
 * own; their tables are merged when all are done. Where tables run out of room what one engine
 * would have kept cannot be told from the parts: then the whole is done again by one.
 */
#include "base/sig.h"
#include "run_priv.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCH 4096
#define MAX_THREADS 256u

struct worker {
	pthread_t thread;
	bool started;
	struct engine *engine;
	struct feed *feed;
	atomic_bool *stop;
	int rc;
};

/* a batch of records: 1 there may be more, 0 the end, or negative errno */
static int batch(struct worker *w)
{
	struct rec rec;

	for (unsigned i = 0; i < BATCH; i++) {
		int rc = feed_next(w->feed, &rec);

		if (rc <= 0)
			return rc;
		engine_feed(w->engine, &rec);
	}
	return 1;
}

static void *work(void *arg)
{
	struct worker *w = arg;

	do
		w->rc = batch(w);
	while (w->rc > 0 && !atomic_load_explicit(w->stop, memory_order_relaxed));
	return NULL;
}

static unsigned threads(const struct run *r)
{
	long n = r->sh->s->set.threads;

	if (!n)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > (long)MAX_THREADS ? MAX_THREADS : (unsigned)n;
}

/* parts for @n threads; false: the file has fewer */
static bool prepare(struct run *r, struct worker *w, unsigned n, atomic_bool *stop)
{
	unsigned nevents;
	uint8_t *by_index = run_wanted(r, &nevents);

	for (unsigned i = 0; i < n; i++) {
		w[i].stop = stop;
		w[i].feed = r->feed->ops->part(r->feed, r->catalog, i, n);
		w[i].engine = engine_new(r->sh->s, r->catalog, r->q, r->sinks, r->n);
		if (!w[i].feed || !w[i].engine)
			return false;
		w[i].feed->ops->want(w[i].feed, by_index, nevents);
		engine_bound(w[i].engine, r->sh->s->set.maxmem / n);
	}
	return true;
}

static void join(struct worker *w, atomic_bool *stop)
{
	struct timespec t;
	bool told = false;
	int rc;

	if (!w->started)
		return;
	do {
		clock_gettime(CLOCK_REALTIME, &t);
		t.tv_nsec += 20000000;
		if (t.tv_nsec >= 1000000000) {
			t.tv_sec++;
			t.tv_nsec -= 1000000000;
		}
		rc = pthread_timedjoin_np(w->thread, NULL, &t);
		if (rc && !told && sig_pending()) {
			told = true;
			atomic_store(stop, true);
		}
	} while (rc);
	w->started = false;
}

/* the first part by this thread, which also looks at signals */
static void run_all(struct run *r, struct worker *w, unsigned n, atomic_bool *stop)
{
	for (unsigned i = 1; i < n; i++)
		w[i].started = pthread_create(&w[i].thread, NULL, work, &w[i]) == 0;
	do {
		w[0].rc = batch(&w[0]);
		progress_update(&r->progress, w[0].feed->stats.events, 0, 0);
		if (sig_pending())
			atomic_store(stop, true);
	} while (w[0].rc > 0 && !atomic_load(stop));
	for (unsigned i = 1; i < n; i++) {
		if (w[i].started)
			join(&w[i], stop);
		else
			work(&w[i]);
	}
}

static void add_stats(struct feed_stats *to, const struct feed_stats *s)
{
	to->events += s->events;
	to->unknown += s->unknown;
	to->lost += s->lost;
	to->lost_spots += s->lost_spots;
	to->cut_bytes += s->cut_bytes;
	to->bad_pages += s->bad_pages;
	to->cut |= s->cut;
}

/* all parts into r->engine, which is new, and r->feed's figures */
static bool merge(struct run *r, struct worker *w, unsigned n)
{
	struct feed_stats sum = {0};

	for (unsigned i = 0; i < n; i++) {
		if (w[i].rc < 0 || engine_merge(r->engine, w[i].engine))
			return false;
		add_stats(&sum, &w[i].feed->stats);
	}
	r->feed->stats = sum;
	return true;
}

/* r->engine has tables of a merge that failed */
static void start_anew(struct run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		engine_clear(r->engine, i);
	engine_reset_stats(r->engine);
}

bool run_parallel(struct run *r)
{
	unsigned n = threads(r);
	struct worker *w;
	atomic_bool stop = false;
	bool ok;

	if (n < 2 || !r->feed->ops->part || !engine_orderless(r->engine))
		return false;
	engine_load(r->engine);
	w = xcalloc(n, sizeof(*w));
	if (n > r->feed->ops->parts(r->feed))
		n = r->feed->ops->parts(r->feed);
	ok = n > 1 && prepare(r, w, n, &stop);
	if (ok) {
		run_all(r, w, n, &stop);
		ok = merge(r, w, n);
		if (!ok)
			start_anew(r);
	}
	for (unsigned i = 0; i < n; i++) {
		if (w[i].feed)
			feed_free(w[i].feed);
		engine_free(w[i].engine);
	}
	free(w);
	return ok;
}
