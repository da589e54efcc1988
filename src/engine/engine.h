/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine runs checked queries over records: expression code, maps, aggregates, pairing. It is
 * handed records by whoever drives a feed and hands rows and text to sinks. It knows no files.
 */
#ifndef TRACESH_ENGINE_ENGINE_H
#define TRACESH_ENGINE_ENGINE_H

#include "base/session.h"
#include "catalog/rec.h"
#include "check/query.h"

struct engine;

/* Rows of a result, row-major; strings belong to the rowset. */
struct rowset {
	const struct schema *schema;
	struct cell *cells; /* nrows * schema->n */
	size_t nrows;
	const char *name; /* "@m" where a run shows several maps, else NULL: the query's own */
};

/* Where a query's output goes; implemented by report (and by tests). */
struct sink {
	/* one result: at the end, at each `every`, at `show`. @interim: more will follow */
	void (*result)(struct sink *k, const struct rowset *r, bool interim);
	/* streaming rows of print with columns (header first time); ncells == schema->n */
	void (*row)(struct sink *k, const struct schema *s, const struct cell *cells);
	/* text of printf and of print in the kernel's own format (with its newline) */
	void (*text)(struct sink *k, const char *p, size_t n);
};

/**
 * engine_new - compile @n queries; sinks[i] gets query i's output (borrowed)
 * Returns NULL with a diag (what the engine cannot do yet: "not-yet").
 */
struct engine *engine_new(struct session *s, struct catalog *c, struct query *const *q,
			  struct sink *const *sinks, unsigned n);
void engine_free(struct engine *e);

/* engine_wants - WANT_ flags in @by_index (array over event index, @n long) for the events that any
 * query or task tracking needs */
void engine_wants(const struct engine *e, uint8_t *by_index, unsigned n);

/* engine_begin - run the `begin` blocks now, at @ts (ns, 0: unknown); else they run before the
 * first record */
void engine_begin(struct engine *e, uint64_t ts);

/* engine_armed - live: from now on all events are recorded, and none was fed yet */
void engine_armed(struct engine *e);

/* engine_wants_ahead - marks the events that engine_ahead() learns from; false: it needs none.
 * engine_ahead - files: a record that engine_feed() will be given later */
bool engine_wants_ahead(const struct engine *e, uint8_t *by_index, unsigned n);
void engine_ahead(struct engine *e, const struct rec *r);

/* engine_feed - run one record through all queries */
void engine_feed(struct engine *e, const struct rec *r);

/* engine_time - trace or live time has come to @ts (ns): `every` prints, `for` ends queries.
 * engine_feed calls it itself with the record's time; live drivers call it when no events come. */
void engine_time(struct engine *e, uint64_t ts);

/* engine_done - every query is finished (limit reached, for passed): no more records are needed */
bool engine_done(const struct engine *e);
bool engine_query_done(const struct engine *e, unsigned i);

/* engine_fired - an event of query @i came to a snapshot */
bool engine_fired(const struct engine *e, unsigned i);

/* engine_result - query @i's result now, into its sink (@interim as in the sink); engine_clear
 * empties its tables */
void engine_result(struct engine *e, unsigned i, bool interim);
void engine_clear(struct engine *e, unsigned i);
/* engine_pause - a paused query takes no events */
void engine_pause(struct engine *e, unsigned i, bool paused);

/* Who counts in the engine's place, for example the kernel in its histograms. */
struct engine_source {
	/* query @i is about to be shown: give all that it holds by engine_add() */
	void (*fill)(void *arg, unsigned i);
	/* it was shown and begins anew */
	void (*cleared)(void *arg, unsigned i);
	void *arg;
};
/* engine_elsewhere - query @i's events are counted by @s (borrowed): it needs no records */
void engine_elsewhere(struct engine *e, unsigned i, const struct engine_source *s);

/* Many equal events at once. */
struct engine_part {
	const struct rec *r;     /* one that stands for them, as far as keys and buckets need it */
	const struct val *slots; /* pairs: the query's slots, else NULL */
	const struct val *comm;  /* name of the task that ran, or NULL */
	uint64_t weight;         /* how many */
	const __int128 *sums;    /* by aggregate: what its values add up to */
};
/* engine_add - add them to query @i's aggregate, as if its stages before it had let them pass */
void engine_add(struct engine *e, unsigned i, const struct engine_part *p);

/* ---- several engines, each over a part of the records ---- */
/* engine_orderless - may the records come in any order, and parts of them go to other engines */
bool engine_orderless(const struct engine *e);
/* engine_load - read now what running would read of the catalog, which is not for threads */
void engine_load(struct engine *e);
/* engine_bound - the bytes that tables may take; returns what it was */
size_t engine_bound(struct engine *e, size_t bytes);
/* engine_reset_stats - as if nothing had been fed */
void engine_reset_stats(struct engine *e);
/* engine_merge - @from, of the same queries, is added to @to; -1: tables had or have no room */
int engine_merge(struct engine *to, struct engine *from);

/* engine_finish - the end of the input: final results of all queries that print one, in order, each
 * once */
void engine_finish(struct engine *e);

/* What went wrong while it ran, per query: said at the end on standard error by the driver. */
struct engine_stats {
	uint64_t events;       /* records that entered the query's source */
	uint64_t dropped;      /* updates that found no room within maxmem */
	uint64_t unmatched_a;  /* pairs: starts that were replaced or never ended */
	uint64_t unmatched_b;  /* ends without a start */
	uint64_t lost_pairs;   /* starts dropped because events were lost in between, or no room */
	uint64_t held_dropped; /* events held back that found no room within maxmem */
};
void engine_stats(const struct engine *e, unsigned i, struct engine_stats *out);

#endif
