/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the formats of this folder share: the report itself. Not for other layers. */
#ifndef TRACESH_REPORT_KIND_H
#define TRACESH_REPORT_KIND_H

#include "report/report.h"
#include "report/text.h"

struct report {
	struct sink sink;
	struct session *s;
	const struct query *q;
	struct out *out;
	bool own_out; /* a redirection, closed with the report */
	bool several;
	const char *name; /* of the job or, while one is shown, of a map; or NULL */
	char *job;        /* of the job, owned */
	bool of_map;      /* name is a map's */
	uint64_t schema;  /* csv, streamed tables: hash of the columns whose header was written last
			   */
	bool headed;      /* a header was written */
	bool titled;      /* tables: the job's name was written */
	bool shown;       /* a result was written */
	struct texttab tab; /* streamed rows */
	struct buf tmp;     /* one number */
};

extern const struct report_kind report_table, report_plot, report_csv, report_json, report_folded;

/* report_schema_hash - of the names and types of columns; results with the same go under one header
 */
uint64_t report_schema_hash(const struct schema *sc);
/* report_title - people's formats: blank line between results, the job's name when there are
 * several */
void report_title(struct report *r);
/* report_table_columns - columns of @sc as columns of an empty text table, @n of them; T_STACK ones
 * only with @stacks */
void report_table_columns(struct report *r, struct texttab *t, const struct schema *sc, unsigned n,
			  bool stacks);
/* report_table_cells - the first @n cells of a row; @dec: decimals for each column, NULL: 6 */
void report_table_cells(struct report *r, struct texttab *t, const struct schema *sc,
			const struct cell *cells, unsigned n, bool stacks, const unsigned *dec);

static inline struct buf *report_buf(struct report *r)
{
	return &r->out->b;
}

#endif
