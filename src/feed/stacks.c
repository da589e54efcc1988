/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events with their stacks. The kernel writes the stacks of an event as records of their own, right
 * behind it on the same CPU, but an interrupt may come in between. This feed holds records back in
 * a queue of bounded size until the stacks that are asked for came, or cannot come any more;
 * nothing is allocated for an event. It knows no symbols.
 *
 * A stack belongs to the latest event that still waits for one, of the same CPU, buffer, task and
 * kind of context (task, softirq, hardirq, NMI). An event stops waiting when two more events of its
 * own context came on that CPU: one may be a page fault that taking the stack itself caused.
 */
#include "base/io.h"
#include "feed/feed.h"

#include <stdlib.h>

#define SLOTS 4096u
#define ROOM (8u << 20)       /* bytes of records in the queue */
#define LONG_AFTER 100000000u /* ns of trace time behind an event that end its waiting */
#define IDLE_NS 20000000u     /* without a record of any CPU, live */
#define LISTS 64u
#define NONE UINT32_MAX
#define FRAMES_MAX 1024u

enum role { R_UNSEEN, R_EVENT, R_KSTACK, R_USTACK };

/* What is known of an event's records. */
struct kind {
	uint8_t role, want;
	const struct field *pid, *flags, *caller, *tgid, *size;
};

struct slot {
	struct rec r;
	struct rec_frames k, u;
	uint64_t end;  /* position of its data's end */
	uint32_t next; /* of its list of waiting ones, towards older ones */
	uint8_t waits; /* WANT_ flags of what has not come */
	uint8_t level;
	uint8_t newer;
	bool hidden; /* not given */
	int pid;
};

struct stacks {
	struct feed f;
	struct feed *inner;
	uint8_t *want;
	unsigned nwant;
	struct kind *kinds; /* by event index */
	unsigned nkinds;
	struct slot *v;
	uint64_t head, tail; /* counts of slots taken out and put in */
	uint8_t *mem;
	uint64_t used, freed; /* positions in mem */
	uint32_t lists[LISTS];
	struct rec hand; /* a record that found no room */
	bool in_hand, given, stopped, ended;
	uint64_t idle_at, idle_tail; /* the queue when nothing came, io_now() */
};

static struct slot *at(struct stacks *s, uint64_t n)
{
	return &s->v[n % SLOTS];
}

/* ---- events ---- */

static void learn(struct stacks *s, struct event *ev, struct kind *k)
{
	bool own = ev->system && strcmp(ev->system, "ftrace") == 0;

	k->role = own && strcmp(ev->name, "kernel_stack") == 0 ? R_KSTACK
		  : own && strcmp(ev->name, "user_stack") == 0 ? R_USTACK
							       : R_EVENT;
	k->want = ev->index < s->nwant ? s->want[ev->index] : 0;
	k->pid = event_field(ev, "common_pid");
	k->flags = event_field(ev, "common_flags");
	if (k->role == R_EVENT)
		return;
	k->caller = event_field(ev, "caller");
	k->tgid = event_field(ev, "tgid");
	k->size = event_field(ev, "size");
}

static const struct kind *kind_of(struct stacks *s, struct event *ev)
{
	if (ev->index >= s->nkinds) {
		unsigned n = ev->index + 64;

		s->kinds = xrealloc(s->kinds, n * sizeof(*s->kinds));
		memset(s->kinds + s->nkinds, 0, (n - s->nkinds) * sizeof(*s->kinds));
		s->nkinds = n;
	}
	if (s->kinds[ev->index].role == R_UNSEEN)
		learn(s, ev, &s->kinds[ev->index]);
	return &s->kinds[ev->index];
}

static uint64_t number(const struct rec *r, const struct field *f)
{
	uint64_t v;

	return f && f->kind == FK_INT && rec_int(r, f, &v) ? v : 0;
}

static uint8_t level_of(uint64_t flags)
{
	return flags & 0x40 ? 3 : flags & 0x08 ? 2 : flags & 0x10 ? 1 : 0;
}

/* ---- lists of waiting events ---- */

static uint32_t *list_of(struct stacks *s, const struct rec *r)
{
	return &s->lists[((unsigned)r->cpu + r->buffer * 7u + r->origin->index * 13u) % LISTS];
}

static bool same_place(const struct rec *a, const struct rec *b)
{
	return a->cpu == b->cpu && a->buffer == b->buffer && a->origin == b->origin;
}

static void unlink_done(struct stacks *s, uint32_t *list)
{
	while (*list != NONE) {
		if (s->v[*list].waits)
			list = &s->v[*list].next;
		else
			*list = s->v[*list].next;
	}
}

/* an event came: which older ones wait no longer */
static void settle(struct stacks *s, const struct rec *r, uint8_t level)
{
	uint32_t *list = list_of(s, r);

	for (uint32_t i = *list; i != NONE; i = s->v[i].next) {
		struct slot *e = &s->v[i];

		if (!same_place(&e->r, r))
			continue;
		if (r->missed || (level <= e->level && ++e->newer >= 2))
			e->waits = 0;
	}
	unlink_done(s, list);
}

static void attach(struct stacks *s, const struct kind *k, const struct slot *st)
{
	uint8_t which = k->role == R_KSTACK ? WANT_KSTACK : WANT_USTACK;
	const struct rec *r = &st->r;
	uint32_t *list = list_of(s, r), word = r->origin->long_size == 4 ? 4 : 8;
	struct rec_frames f;
	uint64_t n;

	for (uint32_t i = *list; i != NONE; i = s->v[i].next) {
		struct slot *e = &s->v[i];

		if (!(e->waits & which) || e->level != st->level || e->pid != st->pid ||
		    !same_place(&e->r, r))
			continue;
		e->waits &= (uint8_t)~which;
		if (!k->caller || k->caller->offset >= r->len)
			break;
		n = (r->len - k->caller->offset) / word;
		if (k->size && k->role == R_KSTACK && number(r, k->size) < n)
			n = number(r, k->size);
		f = (struct rec_frames){.p = r->data + k->caller->offset,
					.n = n < FRAMES_MAX ? (uint32_t)n : FRAMES_MAX,
					.tgid = (int)number(r, k->tgid)};
		if (k->role == R_KSTACK) {
			e->k = f;
			e->r.kstack = &e->k;
		} else {
			e->u = f;
			e->r.ustack = &e->u;
		}
		break;
	}
	unlink_done(s, list);
}

/* ---- the queue ---- */

/* where @n bytes may be put; NULL: no room */
static uint8_t *room(struct stacks *s, uint32_t n)
{
	uint64_t off = s->used % ROOM, pad;

	n = (n + 7) & ~7u;
	pad = off + n > ROOM ? ROOM - off : 0;
	if (s->tail - s->head >= SLOTS || s->used + pad + n - s->freed > ROOM)
		return NULL;
	s->used += pad + n;
	return s->mem + (off + pad) % ROOM;
}

/* false: no room */
static bool put(struct stacks *s, const struct rec *r)
{
	const struct kind *k = kind_of(s, r->ev);
	bool keep = (k->want & WANT_EVENT) || k->role != R_EVENT;
	uint8_t *p = room(s, keep ? r->len : 0);
	struct slot *e = at(s, s->tail);
	uint32_t *list;

	if (!p)
		return false;
	*e = (struct slot){.r = *r, .end = s->used, .hidden = !(k->want & WANT_EVENT)};
	if (keep)
		memcpy(p, r->data, r->len);
	e->r.data = p;
	e->pid = (int)number(r, k->pid);
	e->level = level_of(number(r, k->flags));
	s->tail++;
	if (k->role != R_EVENT) {
		attach(s, k, e);
		return true;
	}
	settle(s, r, e->level);
	/* who does not want its stacks takes them all the same, lest another gets them */
	e->waits = k->want & (WANT_KSTACK | WANT_USTACK);
	if (!(k->want & WANT_EVENT))
		e->waits = WANT_KSTACK | WANT_USTACK;
	if (e->waits) {
		list = list_of(s, r);
		e->next = *list;
		*list = (uint32_t)((s->tail - 1) % SLOTS);
	}
	return true;
}

static void pop(struct stacks *s)
{
	struct slot *e = at(s, s->head);

	if (e->waits) {
		e->waits = 0;
		unlink_done(s, list_of(s, &e->r));
	}
	s->freed = e->end;
	if (++s->head == s->tail)
		s->used = s->freed = 0;
}

/* @now: the time of the latest record. Hidden ones are in nobody's way. */
static bool ready(const struct slot *e, uint64_t now)
{
	return !e->waits || e->hidden || (now > e->r.ts && now - e->r.ts > LONG_AFTER);
}

/* Nothing came from any CPU: what waited then and has not got its stack by now won't. */
static void idle(struct stacks *s)
{
	uint64_t now = io_now();

	if (s->idle_at && now - s->idle_at >= IDLE_NS) {
		for (uint64_t i = s->head; i < s->idle_tail; i++)
			at(s, i)->waits = 0;
		for (unsigned i = 0; i < LISTS; i++)
			unlink_done(s, &s->lists[i]);
		s->idle_at = 0;
	}
	if (!s->idle_at && s->head != s->tail) {
		s->idle_at = now;
		s->idle_tail = s->tail;
	}
}

static bool is_live(const struct stacks *s)
{
	return s->inner->ops->fd && s->inner->ops->fd(s->inner) >= 0;
}

/* The next record of the inner feed into the queue: 1, 0: none, 2: no room, negative errno */
static int fetch(struct stacks *s)
{
	if (!s->in_hand) {
		int rc = feed_next(s->inner, &s->hand);

		if (rc <= 0)
			return rc;
		s->in_hand = true;
	}
	if (!put(s, &s->hand))
		return 2;
	s->in_hand = false;
	return 1;
}

static void give(struct stacks *s, struct rec *r)
{
	*r = at(s, s->head)->r;
	s->given = true;
}

static int stacks_next(struct feed *f, struct rec *r)
{
	struct stacks *s = (struct stacks *)f;
	bool forced = false;
	int rc;

	if (s->given)
		pop(s);
	s->given = false;
	for (;;) {
		struct slot *e = at(s, s->head);

		if (s->head != s->tail &&
		    (forced || s->ended || ready(e, at(s, s->tail - 1)->r.ts))) {
			forced = false;
			if (e->hidden) {
				pop(s);
				continue;
			}
			give(s, r);
			break;
		}
		if (s->ended)
			break;
		rc = fetch(s);
		f->stats = s->inner->stats;
		if (rc < 0)
			return rc;
		if (rc == 2 && s->head == s->tail) { /* larger than the queue: as it is */
			*r = s->hand;
			s->in_hand = false;
			return 1;
		}
		forced = rc == 2;
		if (rc)
			continue;
		if (is_live(s) && !s->stopped) {
			idle(s);
			if (s->head == s->tail || !ready(at(s, s->head), 0))
				return 0;
		} else {
			s->ended = true;
		}
	}
	return s->given;
}

static int stacks_fd(struct feed *f)
{
	const struct stacks *s = (struct stacks *)f;

	return s->inner->ops->fd ? s->inner->ops->fd(s->inner) : -1;
}

static void stacks_stop(struct feed *f)
{
	struct stacks *s = (struct stacks *)f;

	s->stopped = true;
	if (s->inner->ops->stop)
		s->inner->ops->stop(s->inner);
}

static void stacks_free(struct feed *f)
{
	struct stacks *s = (struct stacks *)f;

	feed_free(s->inner);
	free(s->want);
	free(s->kinds);
	free(s->v);
	free(s->mem);
	free(s);
}

static const struct feed_ops stacks_ops = {
	.next = stacks_next,
	.fd = stacks_fd,
	.stop = stacks_stop,
	.free = stacks_free,
};

struct feed *feed_stacks(struct feed *inner, const uint8_t *by_index, unsigned n)
{
	struct stacks *s = xcalloc(1, sizeof(*s));

	s->f.ops = &stacks_ops;
	s->f.stats = inner->stats;
	s->inner = inner;
	s->want = xmalloc(n + 1);
	memcpy(s->want, by_index, n);
	s->nwant = n;
	s->v = xcalloc(SLOTS, sizeof(*s->v));
	s->mem = xmalloc(ROOM);
	for (unsigned i = 0; i < LISTS; i++)
		s->lists[i] = NONE;
	/* events nobody asks for tell which stacks are theirs */
	if (inner->ops->want)
		inner->ops->want(inner, NULL, 0);
	return &s->f;
}

bool feed_stacks_asked(const uint8_t *by_index, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (by_index[i] & (WANT_KSTACK | WANT_USTACK))
			return true;
	}
	return false;
}
