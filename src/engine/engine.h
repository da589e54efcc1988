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

/* engine_feed - run one record through all queries */
void engine_feed(struct engine *e, const struct rec *r);

/* engine_time - trace or live time has come to @ts (ns): `every` prints, `for` ends queries.
 * engine_feed calls it itself with the record's time; live drivers call it when no events come. */
void engine_time(struct engine *e, uint64_t ts);

/* engine_done - every query is finished (limit reached, for passed): no more records are needed */
bool engine_done(const struct engine *e);
bool engine_query_done(const struct engine *e, unsigned i);

/* engine_result - query @i's result now, into its sink (@interim as in the sink); engine_clear
 * empties its tables */
void engine_result(struct engine *e, unsigned i, bool interim);
void engine_clear(struct engine *e, unsigned i);
/* engine_pause - a paused query takes no events */
void engine_pause(struct engine *e, unsigned i, bool paused);

/**
 * engine_table - a table made elsewhere (the kernel's histograms) in the place of query @i's
 * aggregate
 * @cells: @nrows rows of the aggregate's own columns (keys, then values), in any order. Row stages
 * and order are applied as to the engine's own tables, then the result goes to the sink.
 */
void engine_table(struct engine *e, unsigned i, const struct cell *cells, size_t nrows,
		  bool interim);

/* engine_finish - the end of the input: final results of all queries that print one, in order, each
 * once */
void engine_finish(struct engine *e);

/* What went wrong while it ran, per query: said at the end on standard error by the driver. */
struct engine_stats {
	uint64_t events;      /* records that entered the query's source */
	uint64_t dropped;     /* updates that found no room within maxmem */
	uint64_t unmatched_a; /* pairs: starts that were replaced or never ended */
	uint64_t unmatched_b; /* ends without a start */
	uint64_t lost_pairs;  /* starts dropped because events were lost in between, or no room */
};
void engine_stats(const struct engine *e, unsigned i, struct engine_stats *out);

#endif
