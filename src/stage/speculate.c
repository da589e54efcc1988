/* SPDX-License-Identifier: GPL-3.0-or-later */
/* speculate: holds events back until it is known whether they matter. */
#include "stage/agg.h"

static struct expr *clause(struct checker *ck, const struct node *st, const char *word, bool must,
			   bool *failed)
{
	const struct node *c = node_clause(st, word);
	struct expr *e = NULL;
	struct diag *g;

	if (c)
		e = check_cond(ck, c->kids[0]);
	else if (must) {
		g = diag_error(ck->d, "bad-arguments", st->span, "'speculate' needs '%s'", word);
		diag_hint(ck->d, g, "speculate by K from P commit Q [discard R]");
	}
	*failed |= !e && (c || must);
	return e;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	const struct node *by = node_clause(st, "by");
	const char **canons;
	struct key *keys;
	unsigned nkeys = 0;
	bool failed = false;
	struct expr *from, *commit, *discard;
	struct op *op;
	struct diag *g;

	if (!by) {
		g = diag_error(ck->d, "bad-arguments", st->span,
			       "'speculate' needs a key whose events belong together");
		diag_hint(ck->d, g, "speculate by tid from P commit Q");
		failed = true;
	} else {
		failed |= check_keys(ck, by->kids, by->n, &keys, &nkeys, &canons) != 0;
	}
	from = clause(ck, st, "from", true, &failed);
	commit = clause(ck, st, "commit", true, &failed);
	discard = clause(ck, st, "discard", false, &failed);
	if (failed)
		return -1;
	op = check_op(ck, p, OP_SPECULATE, st);
	op->keys = keys;
	op->nkeys = nkeys;
	op->cond = from;
	op->args = ARENA_ARRAY(ck->a, struct expr *, 2);
	op->args[0] = commit;
	op->args[1] = discard;
	op->nargs = discard ? 2 : 1;
	ck->q->needs_order = true;
	return 0;
}

const struct stage_kind stage_speculate = {
	.syntax = {.name = "speculate",
		   .flags = ST_COND,
		   .clauses = {BY, {"from", CL_ONE}, {"commit", CL_ONE}, {"discard", CL_ONE}}},
	.usage = "speculate by K from P commit Q [discard R]",
	.brief = "holds events back until it is known whether they matter",
	.help = "Holds back the events of a key from the one where P holds; the one where Q holds "
		"lets them and\n"
		"itself through, in time order; R or a new P drops them. Other events do not "
		"pass.\n"
		"What is held back takes at most half of maxmem; the oldest are dropped and "
		"counted.\n"
		"  sched:* | speculate by tid from event == \"sched_waking\" commit event == "
		"\"sched_switch\"",
	.on = ON_EVENTS,
	.check = check,
};
