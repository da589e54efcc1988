/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Our own reader of a file: a cursor for each CPU of each buffer, merged by time. Knows pages
 * through page_step() and the file through its container; of a record it reads common_type alone.
 */
#include "feed/native.h"
#include "feed/cursor.h"
#include "feed/ltree.h"
#include "feed/page_step.h"

#define READAHEAD_ALL ((size_t)2 << 20) /* for all cursors together */
#define READAHEAD_MAX ((size_t)64 << 10)

struct native {
	struct feed f;
	struct container *ct;
	struct origin *origin;
	struct idmap ids;
	struct cursor *cur;
	unsigned ncur;
	struct ltree tree;
	struct chunk_mem mem;
	bool started, rebuild;
};

/* ---- ids ---- */

void idmap_init(struct idmap *m, struct catalog *c, const struct origin *o)
{
	unsigned n = c ? catalog_nevents(c) : 0;

	m->n = 0;
	for (unsigned i = 0; i < n; i++) {
		const struct event *e = catalog_event(c, i);

		if (e->origin == o && e->id >= 0 && e->id <= UINT16_MAX && (unsigned)e->id >= m->n)
			m->n = (unsigned)e->id + 1;
	}
	if (!c)
		m->n = UINT16_MAX + 1;
	m->ev = xcalloc(m->n ? m->n : 1, sizeof(*m->ev));
	m->kind = xcalloc(m->n ? m->n : 1, 1);
	for (unsigned i = 0; i < n; i++) {
		struct event *e = catalog_event(c, i);

		if (e->origin == o && e->id >= 0 && e->id <= UINT16_MAX && !m->ev[e->id])
			m->ev[e->id] = e;
	}
	for (unsigned i = 0; i < m->n; i++)
		m->kind[i] = !c || m->ev[i];
}

void idmap_want(struct idmap *m, const uint8_t *by_index, unsigned n)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct event *e = m->ev[i];

		if (e)
			m->kind[i] = !by_index || (e->index < n && by_index[e->index]) ? 1 : 2;
	}
}

void idmap_free(struct idmap *m)
{
	free(m->ev);
	free(m->kind);
}

/* ---- reading ---- */

/* advance - the next wanted record of a CPU becomes its head; false at the end */
static bool advance(struct native *n, struct cursor *c)
{
	const bool swap = c->it.swap;

	for (;;) {
		uint16_t id;

		while (page_step(&c->it, &c->data, &c->len)) {
			unsigned kind = 0;

			if (c->len >= 2) {
				memcpy(&id, c->data, 2);
				if (swap)
					id = bswap_16(id);
				c->id = id;
				kind = id < n->ids.n ? n->ids.kind[id] : 0;
			}
			if (__builtin_expect(kind == 1, 1))
				return true;
			n->f.stats.unknown += kind == 0;
		}
		if (!cursor_page(c, &n->mem, &n->f.stats)) {
			cursor_losses(c->where, c->lost, c->spots, &n->f.stats);
			cursor_free(c);
			return false;
		}
	}
}

static void set_head(struct native *n, unsigned i)
{
	bool alive = advance(n, &n->cur[i]);

	ltree_set(&n->tree, i, alive, feed_time(n->ct, n->cur[i].it.ts));
}

static void start(struct native *n)
{
	n->started = true;
	for (unsigned i = 0; i < n->ncur; i++) {
		n->cur[i].it.swap = n->ct->swap; /* an empty page: the first step asks for one */
		set_head(n, i);
	}
	ltree_build(&n->tree);
}

static int native_next(struct feed *f, struct rec *r)
{
	struct native *n = (struct native *)f;
	struct ltree *t = &n->tree;
	struct cursor *c;

	if (__builtin_expect(!n->started, 0)) {
		start(n);
	} else if (ltree_any(t)) {
		n->cur[t->win].missed = 0;
		set_head(n, t->win);
		if (n->rebuild)
			ltree_build(t);
		else
			ltree_update(t);
		n->rebuild = false;
	}
	if (!ltree_any(t))
		return 0;
	c = &n->cur[t->win];
	r->ev = n->ids.ev[c->id];
	r->origin = n->origin;
	r->data = c->data;
	r->len = c->len;
	r->cpu = c->cpu;
	r->ts = t->key[t->win];
	r->buffer = c->buffer;
	r->missed = c->missed;
	r->kstack = r->ustack = NULL;
	f->stats.events++;
	return 1;
}

static void native_want(struct feed *f, const uint8_t *by_index, unsigned count)
{
	struct native *n = (struct native *)f;

	idmap_want(&n->ids, by_index, count);
	if (!n->started)
		return;
	/* heads that were read ahead and are wanted no longer; the winner was given already */
	for (unsigned i = 0; i < n->ncur; i++) {
		if (i != n->tree.win && ltree_alive(&n->tree, i) && n->ids.kind[n->cur[i].id] != 1)
			set_head(n, i);
	}
	n->rebuild = true;
}

static struct feed *native_again(struct feed *f, struct catalog *c)
{
	const struct native *n = (struct native *)f;

	return feed_native(n->ct, c, n->origin);
}

static int native_fd(struct feed *f)
{
	(void)f;
	return -1;
}

static void native_free(struct feed *f)
{
	struct native *n = (struct native *)f;

	for (unsigned i = 0; i < n->ncur; i++)
		cursor_free(&n->cur[i]);
	free(n->cur);
	free(n->mem.p);
	ltree_free(&n->tree);
	idmap_free(&n->ids);
	container_put(n->ct);
	free(n);
}

/* Largest first, each to the part that has least. */
static unsigned part_of(const struct native *n, unsigned at, unsigned parts)
{
	uint64_t *sum = xcalloc(parts, sizeof(*sum));
	bool *done = xcalloc(n->ncur, sizeof(*done));
	unsigned least = 0;

	for (unsigned k = 0; k < n->ncur; k++) {
		unsigned best = n->ncur;

		for (unsigned i = 0; i < n->ncur; i++) {
			if (!done[i] &&
			    (best == n->ncur || n->cur[i].where->size > n->cur[best].where->size))
				best = i;
		}
		least = 0;
		for (unsigned i = 1; i < parts; i++)
			least = sum[i] < sum[least] ? i : least;
		done[best] = true;
		sum[least] += n->cur[best].where->size + 1;
		if (best == at)
			break;
	}
	free(sum);
	free(done);
	return least;
}

static unsigned native_parts(const struct feed *f)
{
	return ((const struct native *)f)->ncur;
}

static struct feed *native_part(struct feed *f, struct catalog *c, unsigned part, unsigned parts)
{
	const struct native *from = (struct native *)f;
	struct native *n;
	unsigned kept = 0;

	n = (struct native *)feed_native(from->ct, c, from->origin);
	for (unsigned i = 0; i < n->ncur; i++) {
		if (part_of(from, i, parts) == part)
			n->cur[kept++] = n->cur[i];
	}
	n->ncur = kept;
	ltree_free(&n->tree);
	ltree_init(&n->tree, kept);
	if (part) /* what the container says of the whole is said once */
		n->f.stats = (struct feed_stats){0};
	return &n->f;
}

static const struct feed_ops native_ops = {
	.next = native_next,
	.want = native_want,
	.fd = native_fd,
	.again = native_again,
	.parts = native_parts,
	.part = native_part,
	.free = native_free,
};

struct feed *feed_native(struct container *ct, struct catalog *c, struct origin *o)
{
	struct native *n = xcalloc(1, sizeof(*n));
	size_t ahead, total = 0;

	n->f.ops = &native_ops;
	n->f.stats.cut = ct->cut;
	n->f.stats.cut_bytes = ct->cut_bytes;
	n->ct = ct;
	n->origin = o;
	container_get(ct);
	idmap_init(&n->ids, c, o);
	for (size_t i = 0; i < ct->nbuffers; i++)
		total += ct->buffers[i].ncpus;
	n->cur = xcalloc(total ? total : 1, sizeof(*n->cur));
	ahead = READAHEAD_ALL / (total ? total : 1);
	if (ahead > READAHEAD_MAX)
		ahead = READAHEAD_MAX;
	for (size_t i = 0; i < ct->nbuffers; i++) {
		for (size_t k = 0; k < ct->buffers[i].ncpus; k++) {
			/* CPUs without data but with losses are counted when they end, at once */
			cursor_init(&n->cur[n->ncur++], ct, (unsigned)i, (unsigned)k, ahead);
		}
	}
	ltree_init(&n->tree, n->ncur);
	return &n->f;
}
