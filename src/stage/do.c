/* SPDX-License-Identifier: GPL-3.0-or-later */
/* do: a block of statements for each event. */
#include "stage/agg.h"

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	struct block *b = check_block(ck, st->kids[st->n - 1], HOOK_NONE);

	if (!b)
		return -1;
	check_op(ck, p, OP_BLOCK, st)->block = b;
	return 0;
}

const struct stage_kind stage_do = {
	.syntax = {.name = "do", .flags = ST_BLOCK},
	.usage = "do { ... }",
	.brief = "a block of statements for each event",
	.help = "Statements run for each event. Maps and variables belong to the run: the blocks "
		"of "
		"all its\n"
		"pipelines, and `begin { }`, `end { }`, `tick DUR { }`, share them.\n"
		"  @m[K, ...] = count() sum(E) avg(E) min(E) max(E) stats(E) hist(E) quantile(E)\n"
		"  @m[K, ...] = lhist(E, FROM, TO, STEP)      distinct(E)\n"
		"  @m[K, ...] = E      $x = E      += -= *= ++ --     K in @m      delete(@m[K])\n"
		"  if (E) { } else { }      while (E) { }      for (k in @m) { }\n"
		"  printf \"FMT\", E      print      print E, E      print(@m)      print(@m, N)   "
		"   "
		"clear(@m)\n"
		"  next: this event goes no further      exit: the run ends\n"
		"  speculate(K) holds this event back, commit(K) lets those of K pass, discard(K) "
		"drops them\n"
		"The first use of a map or variable says what it holds. What was not set reads as "
		"0 or "
		"\"\".\n"
		"In `for (k in @m)` over several keys, @m[k] takes them all and k.NAME (k.key1, "
		"k.key2) is one.\n"
		"A `while` may go round 1000000 times for an event. Maps print when the run ends.\n"
		"Stages may follow: they see the events that the block did not keep with `next`.\n"
		"  syscall:openat | do { if (ret < 0) { @errors[comm, ret.errno] = count() } }",
	.on = ON_EVENTS,
	.check = check,
};
