/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live events, merged by time. Owns when a record may be given: the buffers are read in rounds, and
 * a record that was read is held back until no older one of another CPU can come any more.
 *
 * A round notes the trace clock first and then takes from each CPU all it has. What a CPU commits
 * after it was emptied is younger than the note, save for a record whose writer was interrupted
 * between taking its time and committing it; SLACK_NS is for those. A CPU that had more than
 * there is room for bounds the round by the beginning of its last page instead. So a record may be
 * given when its time is not past the least of these bounds. Room is bounded, and nothing is
 * allocated for an event.
 */
#include "feed/live.h"

#include "base/io.h"
#include "feed/instance.h"
#include "feed/live_cpu.h"
#include "feed/ltree.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define SLACK_NS 10000000
#define ROOM_ALL (32u << 20) /* bytes for pages of all CPUs */
#define ROOM_CPU 256         /* pages of a CPU at most; at least 4 */
#define IDS 65536

/* kinds[]: what an event id is */
enum { ID_NEW, ID_UNKNOWN, ID_WANTED, ID_OTHER };

struct live {
	struct feed f;
	struct origin *o;
	struct live_layout layout;
	struct live_cpu *v;
	unsigned n;
	struct ltree tree;
	uint64_t bound; /* records up to this time may be given */
	int clock;      /* a clockid_t that is the trace clock, -1: ask the kernel */
	bool given;     /* the winner's record is with the caller */
	bool stopped, ended;
	int epfd;
	uint8_t *wanted; /* by event index, NULL: all */
	unsigned nwanted;
	uint8_t kinds[IDS];
	struct event *events[IDS];
};

/* ---- event ids ---- */

static unsigned id_kind(struct live *l, unsigned id)
{
	struct event *ev;

	if (l->kinds[id] != ID_NEW)
		return l->kinds[id];
	ev = event_by_id(l->o, (int)id);
	l->events[id] = ev;
	if (!ev)
		l->kinds[id] = ID_UNKNOWN;
	else if (!l->wanted)
		l->kinds[id] = ID_WANTED;
	else
		l->kinds[id] =
			ev->index < l->nwanted && l->wanted[ev->index] ? ID_WANTED : ID_OTHER;
	return l->kinds[id];
}

static void live_want(struct feed *f, const uint8_t *by_index, unsigned n)
{
	struct live *l = (struct live *)f;

	free(l->wanted);
	l->wanted = NULL;
	l->nwanted = n;
	if (by_index) {
		l->wanted = xmalloc(n + 1);
		memcpy(l->wanted, by_index, n);
	}
	memset(l->kinds, ID_NEW, sizeof(l->kinds));
}

/* ---- heads ---- */

/* the next record of a CPU that somebody wants, from the pages taken */
static void advance(struct live *l, unsigned i)
{
	struct live_cpu *c = &l->v[i];

	c->alive = false;
	while (live_cpu_record(c, &l->layout, &l->f.stats)) {
		uint16_t id;
		unsigned kind;

		if (c->dlen < sizeof(id))
			continue;
		memcpy(&id, c->data, sizeof(id));
		kind = id_kind(l, id);
		if (kind == ID_WANTED) {
			c->ev = l->events[id];
			c->alive = true;
			break;
		}
		if (kind == ID_UNKNOWN)
			l->f.stats.unknown++;
	}
	ltree_set(&l->tree, i, c->alive, c->it.ts);
}

/* ---- rounds ---- */

/* The trace clock now, less the slack; UINT64_MAX when it cannot be known: then nothing is held
 * back. */
static uint64_t clock_bound(struct live *l, uint64_t slack)
{
	struct live_stats st;
	struct timespec t;
	uint64_t now;

	if (l->clock >= 0 && clock_gettime(l->clock, &t) == 0) {
		now = (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
	} else {
		if (!l->n || live_cpu_stats(&l->v[0], &st) || !st.has_now)
			return UINT64_MAX;
		now = st.now;
		if (!st.in_ns)
			slack = 0;
	}
	return now > slack ? now - slack : 0;
}

static int round_all(struct live *l, uint64_t slack)
{
	uint64_t bound = l->stopped ? UINT64_MAX : clock_bound(l, slack);
	int rc = 0;

	for (unsigned i = 0; i < l->n && !rc; i++) {
		struct live_cpu *c = &l->v[i];

		rc = live_cpu_fill(c, &l->layout, l->stopped);
		if (!c->drained && c->last_start < bound)
			bound = c->last_start;
		if (!c->alive)
			advance(l, i);
	}
	l->bound = bound;
	ltree_build(&l->tree);
	return rc;
}

static bool ready(const struct live *l)
{
	return ltree_any(&l->tree) && l->tree.key[l->tree.win] <= l->bound;
}

static bool any_full(const struct live *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		if (!l->v[i].drained)
			return true;
	}
	return false;
}

/* ---- the end ---- */

/* Losses that no page told: at the buffer's end, or of kernels that do not store the number. */
static void count_losses(struct live *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct live_cpu *c = &l->v[i];
		struct live_stats st;

		if (live_cpu_stats(c, &st) || (st.lost == 0 && c->lost))
			continue;
		if (st.lost > c->lost) {
			l->f.stats.lost += st.lost - c->lost;
			c->lost = st.lost;
		}
		/* with the kernel's number the places are counted as well */
		if (st.lost) {
			l->f.stats.lost_spots -= c->spots;
			c->spots = 0;
		}
	}
}

/* Writers that were interrupted may commit a moment after tracing was switched off. */
static bool left_behind(struct live *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct live_stats st;

		if (live_cpu_stats(&l->v[i], &st) == 0 && st.entries)
			return true;
	}
	return false;
}

static int last_round(struct live *l)
{
	for (unsigned tries = 0; tries < 10; tries++) {
		int rc = round_all(l, 0);

		if (rc || ready(l))
			return rc;
		if (!any_full(l) && !left_behind(l))
			break;
		sched_yield();
	}
	count_losses(l);
	l->ended = true;
	return 0;
}

/* ---- the feed ---- */

static int more(struct live *l)
{
	int rc;

	if (l->ended)
		return 0;
	if (l->stopped)
		return last_round(l);
	rc = round_all(l, SLACK_NS);
	/* no room, yet all is younger than the slack: go on without it, else events are lost */
	if (!rc && !ready(l) && any_full(l))
		rc = round_all(l, 0);
	return rc;
}

static int live_next(struct feed *f, struct rec *r)
{
	struct live *l = (struct live *)f;
	struct live_cpu *c;

	if (l->given) {
		l->given = false;
		advance(l, l->tree.win);
		ltree_update(&l->tree);
	}
	if (!ready(l)) {
		int rc = more(l);

		if (rc)
			return rc;
		if (!ready(l))
			return 0;
	}
	c = &l->v[l->tree.win];
	r->ev = c->ev;
	r->origin = l->o;
	r->data = c->data;
	r->len = c->dlen;
	r->cpu = c->cpu;
	r->ts = c->it.ts;
	r->buffer = 0;
	r->missed = c->missed;
	r->kstack = r->ustack = NULL;
	c->missed = 0;
	l->given = true;
	f->stats.events++;
	return 1;
}

static int live_fd(struct feed *f)
{
	return ((struct live *)f)->epfd;
}

static void live_free(struct feed *f)
{
	struct live *l = (struct live *)f;

	for (unsigned i = 0; i < l->n; i++)
		live_cpu_close(&l->v[i]);
	if (l->epfd >= 0)
		close(l->epfd);
	ltree_free(&l->tree);
	free(l->wanted);
	free(l->v);
	free(l);
}

static void live_stop(struct feed *f)
{
	((struct live *)f)->stopped = true;
}

static const struct feed_ops live_ops = {
	.next = live_next,
	.want = live_want,
	.fd = live_fd,
	.stop = live_stop,
	.free = live_free,
};

void feed_live_stop(struct feed *f)
{
	if (f->ops->stop)
		f->ops->stop(f);
}

void feed_live_tap(struct feed *f, void (*fn)(void *arg, int cpu, const void *page, uint32_t len),
		   void *arg)
{
	struct live *l = (struct live *)f;

	if (f->ops != &live_ops)
		return;
	l->layout.tap = fn;
	l->layout.tap_arg = arg;
}

/* ---- opening ---- */

/* An instance has a sub-buffer size of its own, whatever the top's header_page says. */
static void find_layout(struct live *l, const char *dir)
{
	struct live_layout *y = &l->layout;

	y->page = *l->o;
	y->size = instance_subbuf(dir);
	if (!y->size)
		y->size = l->o->page_size;
	if (y->size < 64 || y->size > INSTANCE_SUBBUF_MAX)
		y->size = (uint32_t)sysconf(_SC_PAGESIZE);
	y->page.page_size = y->size;
}

/* The clock in brackets in trace_clock, when user space can read it too. */
static int find_clock(const char *dir)
{
	static const struct {
		const char *name;
		clockid_t id;
	} clocks[] = {
		{"mono", CLOCK_MONOTONIC},
		{"mono_raw", CLOCK_MONOTONIC_RAW},
		{"boot", CLOCK_BOOTTIME},
		{"tai", CLOCK_TAI},
	};
	struct buf b = {0};
	int id = -1;

	if (instance_text(dir, "trace_clock", &b) == 0) {
		const char *name = strchr(b.p, '[');
		size_t n = name ? strcspn(++name, "]") : 0;

		for (unsigned i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
			if (n && strlen(clocks[i].name) == n && !memcmp(clocks[i].name, name, n))
				id = (int)clocks[i].id;
		}
	}
	buf_free(&b);
	return id;
}

static int watch(struct live *l, struct live_cpu *c)
{
	struct epoll_event ev = {.events = EPOLLIN};
	struct pollfd p = {.fd = c->fd, .events = POLLIN};

	/* a CPU that never was online only ever gives errors: look in without being woken by it */
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLNVAL)))
		return 0;
	return epoll_ctl(l->epfd, EPOLL_CTL_ADD, c->fd, &ev) ? -errno : 0;
}

static int open_cpus(struct live *l, const char *dir)
{
	int *cpus = xcalloc(INSTANCE_CPUS_MAX, sizeof(*cpus));
	int n = instance_cpus(dir, cpus);
	int rc = n < 0 ? n : n == 0 ? -ENOENT : 0;
	size_t room;

	if (!rc) {
		room = ROOM_ALL / ((size_t)n * l->layout.size);
		l->layout.npages = room < 4 ? 4 : room > ROOM_CPU ? ROOM_CPU : (unsigned)room;
		l->v = xcalloc((size_t)n, sizeof(*l->v));
		ltree_init(&l->tree, (unsigned)n);
	}
	for (int i = 0; i < n && !rc; i++) {
		rc = live_cpu_open(&l->v[i], &l->layout, dir, cpus[i]);
		if (rc)
			break;
		l->n++;
		rc = watch(l, &l->v[i]);
	}
	free(cpus);
	return rc;
}

struct feed *feed_open_live(struct session *s, struct catalog *c, struct origin *o,
			    const char *instance_path)
{
	struct live *l = xcalloc(1, sizeof(*l));
	int rc;

	(void)c;
	l->f.ops = &live_ops;
	l->o = o;
	l->clock = find_clock(instance_path);
	l->epfd = epoll_create1(EPOLL_CLOEXEC);
	rc = l->epfd < 0 ? -errno : 0;
	find_layout(l, instance_path);
	if (!rc)
		rc = open_cpus(l, instance_path);
	if (!rc)
		return &l->f;
	diag_error(s->diags, "refused", (struct span){0}, "cannot read the buffers of %s: %s",
		   instance_path, strerror(-rc));
	live_free(&l->f);
	return NULL;
}
