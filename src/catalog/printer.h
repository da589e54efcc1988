/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of printing an origin's events. For catalog/ only. */
#ifndef TRACESH_CATALOG_PRINTER_H
#define TRACESH_CATALOG_PRINTER_H

#include "catalog/printprog.h"

#include <pthread.h>
#include <trace-seq.h>

struct tep_plugin_list;
struct printfmt_limit;

/* What is known of an event. */
struct printable {
	bool tried;
	struct tep_event *tev; /* NULL: not for libtraceevent */
	struct printfmt_limit *limits;
	size_t nlimits;
	uint32_t min_size;
	const struct printprog *prog; /* the same without libtraceevent; NULL: none */
	const char *title;            /* ": NAME: " and spaces; PROG_PAD bytes may be read behind */
	uint32_t title_len;
};

struct printer {
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	struct trace_seq seq;
	struct printable *events; /* by index in the catalog */
	unsigned nevents;
	uint8_t *scratch;
	size_t scratch_size;
	struct origin *o;
	struct prog_env *env;
	bool symbols;         /* tep has them */
	bool fast;            /* by programs, where there are some */
	bool time;            /* its clock counts nanoseconds */
	pthread_mutex_t lock; /* of tep, which is not for threads */
};

struct printer *printer_of(struct origin *o);
/* printable_of - valid until the next event is new */
const struct printable *printable_of(struct printer *p, struct event *e);
/* printer_env - names of functions for one thread more */
struct prog_env *printer_env(struct printer *p);

#endif
