/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A row of a kernel's histogram stands for many equal events: it is made a record again, of the
 * event that it counts, and handed to the engine with its weight. Intervals, pauses and what was
 * counted before the beginning are differences between readings.
 */
#include "run_kernel.h"

#include "base/buf.h"
#include "kernel/hist_read.h"

#include <stdlib.h>
#include <string.h>

#define MAX_STRING 256 /* what the kernel keeps of one, with its end */

struct ktable {
	const struct phist *h;
	struct ksnap base;   /* what does not count */
	struct ksnap last;   /* of the last fill */
	struct ksnap frozen; /* what is read while paused or over */
	bool is_frozen;
	uint64_t dropped0;      /* when it began */
	const struct field **f; /* of the keys in the record */
	uint8_t *rec;           /* a record to be filled */
	uint32_t fixed;
};

struct kquery {
	const struct query *q;
	struct ktable *t;
	size_t n;
	struct val *slots;
	__int128 *sums;
	unsigned naggs;
	bool failed; /* said once */
	bool cut;    /* a text may have been longer */
};

struct ktables {
	struct session *s;
	char *dir;
	struct kquery *q;
	unsigned n;
	struct engine *e;
	struct engine_source source;
};

static const struct op *aggregate(const struct query *q)
{
	const struct op *o = q->pipe->ops;

	while (o && o->kind != OP_AGG)
		o = o->next;
	return o;
}

static bool read_now(struct ktables *k, struct kquery *kq, struct ktable *t, struct ksnap *out)
{
	int rc;

	if (t->is_frozen) {
		*out = ksnap_combine((const struct ksnap *const[]){&t->frozen}, (int[]){1}, 1);
		return true;
	}
	rc = hist_read(k->dir, t->h, out);
	if (rc && !kq->failed)
		session_warn(k->s, "cannot read %s/%s/hist: %s", k->dir, t->h->dir, strerror(-rc));
	if (!rc && out->bad && !kq->failed)
		session_warn(k->s, "%zu lines of %s/%s/hist could not be read", out->bad, k->dir,
			     t->h->dir);
	kq->failed |= rc || out->bad;
	return rc == 0;
}

/* ---- a row as a record ---- */

static void put(uint8_t *rec, const struct field *f, uint64_t u)
{
	uint8_t u8 = (uint8_t)u;
	uint16_t u16 = (uint16_t)u;
	uint32_t u32 = (uint32_t)u;

	switch (f->size) {
	case 1: memcpy(rec + f->offset, &u8, 1); break;
	case 2: memcpy(rec + f->offset, &u16, 2); break;
	case 4: memcpy(rec + f->offset, &u32, 4); break;
	default: memcpy(rec + f->offset, &u, 8); break;
	}
}

static void put_string(struct ktable *t, const struct field *f, const char *p, size_t len,
		       uint32_t *end)
{
	uint32_t loc;

	if (len >= MAX_STRING)
		len = MAX_STRING - 1;
	if (f->kind == FK_STRING) {
		memset(t->rec + f->offset, 0, f->size);
		memcpy(t->rec + f->offset, p, len < f->size ? len : f->size);
		return;
	}
	loc = (uint32_t)(len + 1) << 16 | *end;
	memcpy(t->rec + f->offset, &loc, sizeof(loc));
	memcpy(t->rec + *end, p, len);
	t->rec[*end + len] = '\0';
	*end += (uint32_t)len + 1;
}

/* As many bytes as the field of a synthetic event had, with the sign that the start's has */
static struct val slot_value(const struct pcol *c, uint64_t u, const char *p, size_t len)
{
	struct val v = {.u = u, .uns = !c->is_signed};

	if (c->str)
		return (struct val){.p = p, .len = (uint32_t)len};
	if (c->size < 8) {
		unsigned shift = 64 - 8 * c->size;

		v.u = c->is_signed ? (uint64_t)((int64_t)(u << shift) >> shift)
				   : u << shift >> shift;
	}
	return v;
}

static void delta_value(struct kquery *kq, const struct pcol *c, uint64_t u, struct rec *r)
{
	r->ts = u;
	kq->slots[c->slot] = (struct val){.u = 0, .uns = true};
}

static void add_row(struct ktables *k, struct kquery *kq, struct ktable *t, const struct krow *row)
{
	const struct phist *h = t->h;
	struct rec r = {.ev = h->ev, .origin = h->ev->origin, .data = t->rec};
	struct engine_part part = {
		.r = &r, .slots = kq->slots, .weight = row->hits, .sums = kq->sums};
	struct val comm = {0};
	uint32_t end = t->fixed;
	size_t at = 0;

	memset(t->rec, 0, t->fixed);
	for (size_t i = 0; i < h->nkeys; i++) {
		const struct pcol *c = &h->keys[i];
		const char *p;
		uint64_t u;
		size_t len;

		if (!ksnap_key(row, &at, c->str, &u, &p, &len))
			return;
		kq->cut |= c->str && len >= MAX_STRING - 1;
		switch (c->to) {
		case PT_NONE: break;
		case PT_CPU: r.cpu = (int)u; break;
		case PT_COMM:
			comm = (struct val){.p = p, .len = (uint32_t)len};
			part.comm = &comm;
			break;
		case PT_DELTA: delta_value(kq, c, u, &r); break;
		case PT_SLOT: kq->slots[c->slot] = slot_value(c, u, p, len); break;
		case PT_FIELD:
			if (t->f[i] && c->str)
				put_string(t, t->f[i], p, len, &end);
			else if (t->f[i])
				put(t->rec, t->f[i], u);
			break;
		}
	}
	r.len = end;
	for (unsigned i = 0; i < kq->naggs; i++) {
		int col = h->sum_of[i];

		kq->sums[i] = 0;
		if (col < 0)
			continue;
		/* sums are kept modulo 2^64 */
		kq->sums[i] = h->vals[col].is_signed ? (__int128)(int64_t)row->vals[col]
						     : (__int128)row->vals[col];
	}
	engine_add(k->e, (unsigned)(kq - k->q), &part);
}

/* ---- what the engine asks for ---- */

static void fill(void *arg, unsigned i)
{
	struct ktables *k = arg;
	struct kquery *kq = &k->q[i];

	for (size_t n = 0; n < kq->n; n++) {
		struct ktable *t = &kq->t[n];
		struct ksnap now, diff;

		if (!t->rec || !read_now(k, kq, t, &now))
			continue;
		diff = ksnap_combine((const struct ksnap *const[]){&now, &t->base}, (int[]){1, -1},
				     2);
		for (size_t r = 0; r < diff.n; r++)
			add_row(k, kq, t, &diff.v[r]);
		ksnap_free(&diff);
		ksnap_free(&t->last);
		t->last = now;
	}
}

static void cleared(void *arg, unsigned i)
{
	struct ktables *k = arg;
	struct kquery *kq = &k->q[i];

	for (size_t n = 0; n < kq->n; n++) {
		struct ktable *t = &kq->t[n];

		if (!t->h->ev)
			continue;
		if (!t->last.a && !read_now(k, kq, t, &t->last))
			continue;
		ksnap_free(&t->base);
		t->base = t->last;
		t->last = (struct ksnap){0};
	}
}

/* ---- life ---- */

struct ktables *ktables_new(struct session *s, const char *dir, struct query *const *q,
			    const struct push *push, unsigned n)
{
	struct ktables *k = xcalloc(1, sizeof(*k));

	k->s = s;
	k->dir = xstrdup(dir);
	k->n = n;
	k->q = xcalloc(n + 1, sizeof(*k->q));
	k->source = (struct engine_source){.fill = fill, .cleared = cleared, .arg = k};
	for (unsigned i = 0; i < n; i++) {
		struct kquery *kq = &k->q[i];
		const struct op *agg = aggregate(q[i]);

		if (!push[i].kernel)
			continue;
		kq->q = q[i];
		kq->n = push[i].nh;
		kq->t = xcalloc(kq->n + 1, sizeof(*kq->t));
		kq->slots = xcalloc(q[i]->nslots + 1, sizeof(*kq->slots));
		kq->naggs = agg->naggs;
		kq->sums = xcalloc(agg->naggs + 1, sizeof(*kq->sums));
		for (size_t j = 0; j < kq->n; j++) {
			kq->t[j].h = &push[i].h[j];
		}
	}
	return k;
}

const struct engine_source *ktables_source(struct ktables *k, struct engine *e)
{
	k->e = e;
	return &k->source;
}

/* The event has its format by now, also one that was made just before. */
static void make_record(struct ktable *t)
{
	const struct phist *h = t->h;

	event_load(h->ev);
	t->fixed = h->ev->min_size;
	t->rec = xcalloc(1, t->fixed + h->nkeys * MAX_STRING + 8);
	t->f = xcalloc(h->nkeys + 1, sizeof(*t->f));
	for (size_t i = 0; i < h->nkeys; i++) {
		if (h->keys[i].to == PT_FIELD)
			t->f[i] = event_field(h->ev, h->keys[i].f->name);
	}
}

void ktables_begin(struct ktables *k, bool anew)
{
	for (unsigned i = 0; i < k->n; i++) {
		for (size_t j = 0; j < k->q[i].n; j++) {
			struct ktable *t = &k->q[i].t[j];

			if (t->h->ev)
				make_record(t);
			if (anew && read_now(k, &k->q[i], t, &t->base))
				t->dropped0 = t->base.dropped;
		}
	}
}

static void freeze(struct ktables *k, struct kquery *kq, struct ktable *t)
{
	if (!t->is_frozen && read_now(k, kq, t, &t->frozen))
		t->is_frozen = true;
}

/* What came while it was paused is put to what does not count. */
static void thaw(struct ktables *k, struct kquery *kq, struct ktable *t)
{
	struct ksnap now, base;

	if (!t->is_frozen)
		return;
	t->is_frozen = false;
	if (read_now(k, kq, t, &now)) {
		base = ksnap_combine((const struct ksnap *const[]){&t->base, &now, &t->frozen},
				     (int[]){1, 1, -1}, 3);
		ksnap_free(&t->base);
		t->base = base;
		ksnap_free(&now);
	}
	ksnap_free(&t->frozen);
}

void ktables_pause(struct ktables *k, bool paused)
{
	for (unsigned i = 0; i < k->n; i++) {
		for (size_t j = 0; j < k->q[i].n; j++) {
			if (paused)
				freeze(k, &k->q[i], &k->q[i].t[j]);
			else
				thaw(k, &k->q[i], &k->q[i].t[j]);
		}
	}
}

void ktables_freeze(struct ktables *k, unsigned i)
{
	for (size_t j = 0; j < k->q[i].n; j++)
		freeze(k, &k->q[i], &k->q[i].t[j]);
}

struct klosses ktables_losses(struct ktables *k, unsigned i)
{
	struct kquery *kq = &k->q[i];
	struct klosses l = {.cut = kq->cut};

	for (size_t j = 0; j < kq->n; j++) {
		struct ktable *t = &kq->t[j];
		struct ksnap now;

		if (!read_now(k, kq, t, &now))
			continue;
		*(t->h->ev ? &l.rows : &l.starts) += now.dropped - t->dropped0;
		ksnap_free(&now);
	}
	return l;
}

void ktables_free(struct ktables *k)
{
	if (!k)
		return;
	for (unsigned i = 0; i < k->n; i++) {
		for (size_t j = 0; j < k->q[i].n; j++) {
			ksnap_free(&k->q[i].t[j].base);
			ksnap_free(&k->q[i].t[j].last);
			ksnap_free(&k->q[i].t[j].frozen);
			free(k->q[i].t[j].rec);
			free(k->q[i].t[j].f);
		}
		free(k->q[i].t);
		free(k->q[i].slots);
		free(k->q[i].sums);
	}
	free(k->q);
	free(k->dir);
	free(k);
}
