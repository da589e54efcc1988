/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine as its driver sees it: queries side by side over one pass of records, their clocks,
 * and when their results go out. Operators are in the other files.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/engine.h"

#include "engine/block.h"
#include "engine/build.h"
#include "engine/spec.h"
#include "engine/stacks.h"
#include "engine/tasks.h"

#include <pcre2.h>
#include <stdlib.h>

static void follow_tasks(struct engine *e)
{
	e->ntasks = catalog_norigins(e->c);
	e->tasks = xcalloc(e->ntasks + 1, sizeof(struct tasks *));
	for (unsigned i = 0; i < e->ntasks; i++)
		e->tasks[i] = tasks_new(catalog_origin(e->c, i));
	e->ctx.tasks = e->tasks;
	for (unsigned i = 0; i < e->nevents && i < catalog_nevents(e->c); i++)
		e->by_event[i].tells = tasks_tells(catalog_event(e->c, i));
}

static bool has_block(const struct pipe *p)
{
	bool has = false;

	for (unsigned i = 0; i < p->src->nkids; i++)
		has |= has_block(p->src->kids[i]);
	for (const struct op *o = p->ops; o; o = o->next)
		has |= o->block != NULL;
	return has;
}

struct engine *engine_new(struct session *s, struct catalog *c, struct query *const *q,
			  struct sink *const *sinks, unsigned n)
{
	struct engine *e = xcalloc(1, sizeof(*e));
	int bad = 0;

	e->s = s;
	e->c = c;
	e->arena = arena_new();
	e->mem.max = s->set.maxmem ? s->set.maxmem : SIZE_MAX;
	e->nevents = catalog_nevents(c);
	e->by_event = xcalloc(e->nevents + 1, sizeof(*e->by_event));
	e->nq = n;
	e->q = ARENA_ARRAY(e->arena, struct qrun, n + 1);
	e->ctx.arena = e->arena;
	e->ctx.scratch = &e->scratch;
	e->ctx.origin = catalog_norigins(c) ? catalog_origin(c, 0) : NULL;
	for (unsigned i = 0; i < n && !e->blocks; i++) {
		if (q[i]->globals && has_block(q[i]->pipe))
			e->blocks = e->ctx.blocks = blocks_new(e, q[i]->globals);
	}
	for (unsigned i = 0; i < n; i++) {
		e->q[i] = (struct qrun){.e = e, .q = q[i], .sink = sinks[i], .c = &e->ctx};
		bad |= build_query(e, &e->q[i]);
		e->q[i].done = e->q[i].closing;
	}
	if (bad) {
		engine_free(e);
		return NULL;
	}
	if (e->want_tasks)
		follow_tasks(e);
	if (e->want_stacks)
		e->ctx.stacks = stacks_new();
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	for (unsigned i = 0; i < e->nq; i++) {
		for (size_t k = 0; k < e->q[i].npairs; k++)
			pair_clear(e->q[i].pairs[k]);
		for (size_t k = 0; k < e->q[i].nspecs; k++)
			spec_clear(e->q[i].specs[k]);
		if (e->q[i].table)
			e->q[i].table->clear(e->q[i].table);
	}
	blocks_free(e->blocks);
	for (unsigned i = 0; i < e->ntasks; i++)
		tasks_free(e->tasks[i]);
	stacks_free(e->ctx.stacks);
	pcre2_match_data_free(e->ctx.match);
	free(e->tasks);
	free(e->by_event);
	free(e->ctx.regs);
	scratch_free(&e->scratch);
	buf_free(&e->text);
	lines_free(e->lines);
	arena_free(e->arena);
	free(e);
}

void engine_wants(const struct engine *e, uint8_t *by_index, unsigned n)
{
	bool tasks = false;

	for (unsigned i = 0; i < e->nq; i++)
		tasks |= e->q[i].want_tasks && !e->q[i].from;
	for (unsigned i = 0; i < n; i++) {
		for (size_t k = 0; i < e->nevents && k < e->by_event[i].n; k++) {
			if (!e->by_event[i].v[k].q->from)
				by_index[i] |= WANT_EVENT | e->by_event[i].stacks;
		}
		if (tasks && tasks_wants(catalog_event(e->c, i)))
			by_index[i] |= WANT_EVENT | WANT_TASKS;
	}
}

void engine_armed(struct engine *e)
{
	for (unsigned i = 0; i < e->ntasks; i++)
		tasks_seed(e->tasks[i]);
}

bool engine_wants_ahead(const struct engine *e, uint8_t *by_index, unsigned n)
{
	for (unsigned i = 0; i < n && e->ntasks; i++)
		by_index[i] = tasks_tells(catalog_event(e->c, i)) ? WANT_EVENT : 0;
	return e->ntasks > 0;
}

void engine_ahead(struct engine *e, const struct rec *r)
{
	if (r->origin->index < e->ntasks)
		tasks_ahead(e->tasks[r->origin->index], r);
}

/* ---- time ---- */
static void start(struct qrun *q, uint64_t ts)
{
	uint64_t dur = q->q->for_ns ? q->q->for_ns : q->e->s->set.for_ns;

	q->started = true;
	q->for_end = dur && dur < UINT64_MAX - ts ? ts + dur : UINT64_MAX;
	q->next = q->every && q->every < UINT64_MAX - ts ? ts + q->every : 0;
	if (q->hook && q->hook->b->hook == HOOK_TICK)
		q->next = q->hook->b->tick < UINT64_MAX - ts ? ts + q->hook->b->tick : 0;
}

/* every interval has its tick, but not more than so many at once */
#define MAX_TICKS 100000

static void run_ticks(struct qrun *q, uint64_t now)
{
	uint64_t dur = q->hook->b->tick, n = 0;

	while (q->next && q->next <= now && !q->done) {
		if (++n > MAX_TICKS) {
			q->next += (now - q->next) / dur * dur;
			n = 0;
		}
		if (!q->paused)
			block_hook(q, q->next);
		q->next = dur < UINT64_MAX - q->next ? q->next + dur : 0;
	}
}

/* ---- tables that are kept elsewhere ---- */
static void refill(struct qrun *q)
{
	if (!q->table || !q->from)
		return;
	q->table->clear(q->table);
	q->from->fill(q->from->arg, (unsigned)(q - q->e->q));
}

static void clear(struct qrun *q)
{
	q->table->clear(q->table);
	if (q->from)
		q->from->cleared(q->from->arg, (unsigned)(q - q->e->q));
}

static void interval(struct qrun *q)
{
	if (!q->table || q->paused)
		return;
	refill(q);
	if (!q->keep && q->table->empty(q->table))
		return;
	query_result(q, true);
	if (!q->keep)
		clear(q);
}

static void tick(struct qrun *q, uint64_t ts)
{
	uint64_t now = ts < q->for_end ? ts : q->for_end;

	if (!q->started) {
		start(q, ts);
		return;
	}
	if (q->hook) {
		run_ticks(q, now);
	} else if (q->next && q->next <= now) {
		interval(q);
		/* intervals in which nothing came are passed over in one step */
		now = (now - q->next) / q->every;
		q->next = now < (UINT64_MAX - q->next) / q->every ? q->next + (now + 1) * q->every
								  : 0;
	}
	if (ts >= q->for_end)
		q->done = true;
}

static void hooks(struct engine *e, enum hook which, uint64_t ts)
{
	for (unsigned i = 0; e->blocks && i < e->nq; i++) {
		struct qrun *q = &e->q[i];

		if (q->hook && q->hook->b->hook == which && (which == HOOK_END || !q->done))
			block_hook(q, ts);
	}
}

void engine_begin(struct engine *e, uint64_t ts)
{
	if (!e->begun) {
		e->begun = true;
		hooks(e, HOOK_BEGIN, ts);
	}
}

static void time_passed(struct engine *e, uint64_t ts)
{
	uint64_t dl = UINT64_MAX;

	engine_begin(e, ts);
	e->last_ts = ts;

	for (unsigned i = 0; i < e->nq; i++) {
		struct qrun *q = &e->q[i];

		if (q->done)
			continue;
		tick(q, ts);
		if (q->done)
			continue;
		if (q->for_end < dl)
			dl = q->for_end;
		if (q->next && q->next < dl)
			dl = q->next;
	}
	e->deadline = dl;
}

void engine_time(struct engine *e, uint64_t ts)
{
	if (ts >= e->deadline)
		time_passed(e, ts);
}

/* ---- records ---- */
static void lost(struct engine *e, const struct rec *r)
{
	for (unsigned i = 0; i < e->nq; i++) {
		for (size_t k = 0; k < e->q[i].npairs; k++)
			pair_lost(e->q[i].pairs[k], r);
	}
}

void engine_feed(struct engine *e, const struct rec *r)
{
	struct tasks *t = r->origin->index < e->ntasks ? e->tasks[r->origin->index] : NULL;
	const struct entries *at = r->ev->index < e->nevents ? &e->by_event[r->ev->index] : NULL;
	struct qrun *last = NULL;
	struct ctx *c = &e->ctx;

	if (e->stopped)
		return;
	if (r->ts >= e->deadline)
		time_passed(e, r->ts);
	scratch_reset(&e->scratch);
	e->last_ts = r->ts;
	if (r->missed)
		lost(e, r);
	if (t && at && !at->tells)
		t = NULL;
	if (t)
		tasks_before(t, r);
	if (at && at->n) {
		c->r = r;
		for (size_t i = 0; i < at->n; i++) {
			const struct entry *en = &at->v[i];
			struct qrun *q = en->q;

			if (q->done || q->paused || q->from)
				continue;
			if (q != last)
				q->st.events++;
			last = q;
			c->li = en->li;
			c->slots = q->slots;
			en->head->run(en->head, c);
			q->done |= q->closing;
		}
	}
	if (t)
		tasks_after(t, r);
}

bool engine_query_done(const struct engine *e, unsigned i)
{
	return e->q[i].done;
}

bool engine_fired(const struct engine *e, unsigned i)
{
	return e->q[i].fired;
}

bool engine_done(const struct engine *e)
{
	bool source = false, tick = false;

	if (e->stopped)
		return true;
	for (unsigned i = 0; i < e->nq; i++) {
		const struct qrun *q = &e->q[i];

		source |= !q->hook;
		tick |= q->hook && q->hook->b->hook == HOOK_TICK && !q->done;
		if (!q->done && !q->hook)
			return false;
	}
	/* ticks go on alone, but not behind pipelines that are over */
	return source || !tick;
}

/* ---- results ---- */
void engine_result(struct engine *e, unsigned i, bool interim)
{
	refill(&e->q[i]);
	query_result(&e->q[i], interim);
	if (e->q[i].blocks && !e->q[i].hook && e->blocks)
		blocks_show(e->blocks, &e->q[i], interim);
}

void engine_elsewhere(struct engine *e, unsigned i, const struct engine_source *s)
{
	e->q[i].from = s;
}

void engine_add(struct engine *e, unsigned i, const struct engine_part *p)
{
	struct qrun *q = &e->q[i];
	struct ctx *c = &e->ctx;
	const struct entries *at;

	if (!q->table || !q->table->add || p->r->ev->index >= e->nevents)
		return;
	at = &e->by_event[p->r->ev->index];
	for (size_t k = 0; k < at->n; k++) {
		if (at->v[k].q != q)
			continue;
		scratch_reset(&e->scratch);
		for (unsigned j = 0; p->slots && j < q->q->nslots; j++)
			q->slots[j] = p->slots[j];
		c->r = p->r;
		c->li = at->v[k].li;
		c->slots = q->slots;
		c->comm = p->comm;
		q->st.events += p->weight;
		q->table->add(q->table, c, p);
		c->comm = NULL;
		return;
	}
}

void engine_clear(struct engine *e, unsigned i)
{
	if (e->q[i].table)
		clear(&e->q[i]);
	if (e->q[i].blocks && e->blocks)
		blocks_clear(e->blocks);
}

void engine_pause(struct engine *e, unsigned i, bool paused)
{
	e->q[i].paused = paused;
}

/* whose output the maps go to: the first pipeline with a block, else the first block */
static struct qrun *maps_owner(struct engine *e)
{
	struct qrun *first = NULL;

	for (unsigned i = 0; e->blocks && i < e->nq; i++) {
		struct qrun *q = &e->q[i];

		if (q->blocks && !q->hook)
			return q;
		if (q->blocks && !first)
			first = q;
	}
	return first;
}

static void finish_table(struct qrun *q)
{
	if (q->finished || !q->table)
		return;
	q->finished = true;
	refill(q);
	/* the last interval, unless it is empty and others were printed */
	if (q->every && !q->keep && q->printed && q->table->empty(q->table))
		return;
	query_result(q, false);
}

void engine_finish(struct engine *e)
{
	struct qrun *owner = maps_owner(e);

	if (owner && !e->blocks->shown) {
		engine_begin(e, e->last_ts);
		hooks(e, HOOK_END, e->last_ts);
	}
	for (unsigned i = 0; i < e->nq; i++) {
		finish_table(&e->q[i]);
		if (&e->q[i] != owner || e->blocks->shown)
			continue;
		e->blocks->shown = true;
		blocks_show(e->blocks, owner, false);
	}
	if (e->blocks)
		blocks_complain(e->blocks);
}

void engine_stats(const struct engine *e, unsigned i, struct engine_stats *out)
{
	const struct qrun *q = &e->q[i];
	bool first = true;

	*out = q->st;
	for (size_t k = 0; k < q->npairs; k++)
		out->unmatched_a += pair_open(q->pairs[k]);
	for (size_t k = 0; k < q->nspecs; k++)
		out->held_dropped += spec_dropped(q->specs[k]);
	/* maps belong to all blocks: said once */
	for (unsigned k = 0; k < i; k++)
		first &= !e->q[k].blocks;
	if (q->blocks && first && e->blocks)
		out->dropped += blocks_dropped(e->blocks);
}
