/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * check: an AST pipeline to a query. It knows the catalog and, through tables handed in, sources
 * and stages; it does not know how anything is carried out.
 */
#ifndef TRACESH_CHECK_CHECK_H
#define TRACESH_CHECK_CHECK_H

#include "base/session.h"
#include "catalog/catalog.h"
#include "check/query.h"
#include "lang/ast.h"

struct globals; /* check/block.h */

/* Values of shell variables and named pipelines, by callback: the shell stands above this layer. */
struct check_env {
	void *arg;
	/* value of $name as text, NULL if unset; "1".., "#", "@" too */
	const char *(*var)(void *arg, const char *name);
	/* the N_PIPELINE that was named NAME, NULL if none */
	const struct node *(*named)(void *arg, const char *name);
	/* maps and variables of the run, for blocks; NULL: there are none */
	struct globals *globals;
};

/**
 * check_query - check one N_PIPELINE, or the block of an N_BEGIN, N_END or N_TICK
 * Returns the query (in @a) or NULL with at least one error in @d. Several errors are found in one
 * go.
 */
struct query *check_query(struct session *s, struct catalog *c, struct arena *a, struct diags *d,
			  const struct check_env *env, const struct node *pipeline);

/**
 * blocks_learn - find out the types of maps and variables that the blocks of a run share
 * Checks all statements of the run without saying what is wrong, until nothing new is learned; the
 * check that counts comes after it, with @env->globals set.
 */
void blocks_learn(struct session *s, struct catalog *c, struct arena *a,
		  const struct check_env *env, const struct node *const *v, unsigned n);

/* check_expand - text with its $name, ${name} references replaced; NULL with a diag if one is unset
 */
const char *check_expand(struct arena *a, struct diags *d, const struct check_env *env,
			 const char *text, struct span at);

/* query_free_external - frees what is not in the arena (compiled regexes) */
void query_free_external(struct query *q);

/* schema_events - columns that a plain event row has (ts, cpu, tid, comm, event, then the fields of
 * all events): for csv and json of events without an aggregate. check sets OP_ROWS with these
 * itself. */

/* functions and suffixes of expressions for help and completion: the i-th, NULL at the end */
const char *check_function_usage(unsigned i);
const char *check_function_brief(unsigned i);
const char *check_suffix_name(unsigned i);
const char *check_suffix_brief(unsigned i);

#endif
