/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statements of blocks, from tree to typed. What maps and variables are is in block_map.c; how
 * statements are carried out is not known here.
 */
#include "check/checker.h"

#include <string.h>

static struct bstmt *statement(struct checker *ck, const struct node *n);

static struct bstmt *stmt_new(struct checker *ck, enum bs_kind kind, const struct node *n)
{
	struct bstmt *s = ARENA_NEW(ck->a, struct bstmt);

	s->kind = kind;
	s->span = n->span;
	return s;
}

/* ok: also when it is empty; wrong statements are left out, and counted by their diags */
static struct bstmt *body(struct checker *ck, const struct node *n)
{
	struct bstmt *first = NULL, **link = &first, *s;

	if (n->kind == N_IF)
		return statement(ck, n);
	for (size_t i = 0; i < n->n; i++) {
		s = statement(ck, n->kids[i]);
		if (!s)
			continue;
		*link = s;
		link = &s->next;
	}
	return first;
}

/* ---- aggregations ---- */

static const struct {
	const char *name;
	enum agg_kind kind;
	unsigned args;
	const char *usage;
} aggs[] = {
	{"count", AG_COUNT, 0, "count()"},
	{"sum", AG_SUM, 1, "sum(E)"},
	{"avg", AG_AVG, 1, "avg(E)"},
	{"min", AG_MIN, 1, "min(E)"},
	{"max", AG_MAX, 1, "max(E)"},
	{"stats", AG_STATS, 1, "stats(E)"},
	{"hist", AG_HIST, 1, "hist(E)"},
	{"lhist", AG_HIST, 4, "lhist(E, FROM, TO, STEP)"},
	{"quantile", AG_QUANTILE, 1, "quantile(E)"},
	{"distinct", AG_DISTINCT, 1, "distinct(E)"},
};
#define NAGGS (sizeof(aggs) / sizeof(aggs[0]))

static size_t find_agg(const struct node *n)
{
	size_t i = 0;

	if (n->kind != E_CALL)
		return NAGGS;
	while (i < NAGGS && strcmp(aggs[i].name, n->str) != 0)
		i++;
	/* of two numbers they are functions */
	if (i < NAGGS && (aggs[i].kind == AG_MIN || aggs[i].kind == AG_MAX) && n->n > 1)
		return NAGGS;
	return i;
}

static int linear(struct checker *ck, const struct node *n, struct agg *g)
{
	g->hist = HK_LINEAR;
	g->bounded = true;
	if (check_int(ck, n->kids[1], "the lower end", &g->from) ||
	    check_int(ck, n->kids[2], "the upper end", &g->to) ||
	    check_uint(ck, n->kids[3], "the step", 1, INT64_MAX, &g->step))
		return -1;
	if (g->from < g->to)
		return 0;
	diag_error(ck->d, "bad-value", n->kids[2]->span,
		   "the upper end must be greater than the lower");
	return -1;
}

static void percentiles(struct checker *ck, struct agg *g)
{
	static const double usual[] = {50, 90, 99};
	static const char *const names[] = {"p50", "p90", "p99"};

	g->nquants = 3;
	g->quants = ARENA_ARRAY(ck->a, double, 3);
	g->quant_names = ARENA_ARRAY(ck->a, const char *, 3);
	for (unsigned i = 0; i < 3; i++) {
		g->quants[i] = usual[i];
		g->quant_names[i] = names[i];
	}
}

static int aggregation(struct checker *ck, const struct node *n, size_t row, struct agg *g)
{
	struct diag *d;

	*g = (struct agg){.kind = aggs[row].kind};
	if (n->n != aggs[row].args) {
		d = diag_error(ck->d, "bad-arguments", n->span, "'%s' has too %s arguments", n->str,
			       n->n < aggs[row].args ? "few" : "many");
		diag_hint(ck->d, d, "%s", aggs[row].usage);
		return -1;
	}
	if (n->n) {
		g->e = g->kind == AG_DISTINCT ? check_expr(ck, n->kids[0])
					      : check_number(ck, n->kids[0], n->str);
		if (!g->e)
			return -1;
		if (g->kind != AG_HIST)
			g->name = check_written(ck, n);
	}
	if (g->kind == AG_QUANTILE)
		percentiles(ck, g);
	return aggs[row].args == 4 ? linear(ck, n, g) : 0;
}

/* ---- assignments ---- */

static struct bstmt *assign_map(struct checker *ck, const struct node *n)
{
	const struct node *target = n->kids[0], *right = n->kids[1];
	struct bstmt *s = stmt_new(ck, BS_STORE, n);
	size_t row = find_agg(right);
	struct agg g;
	int rc;

	s->map = map_get(ck, target);
	rc = map_keys(ck, s->map, target, true, &s->keys, &s->nkeys);
	if (row < NAGGS) {
		s->kind = BS_AGG;
		if (aggregation(ck, right, row, &g))
			return NULL;
		s->e = g.e;
		rc |= map_value(ck, s->map, n, &g, g.e);
	} else {
		s->e = check_expr(ck, right);
		if (!s->e)
			return NULL;
		rc |= map_value(ck, s->map, n, NULL, s->e);
	}
	return rc ? NULL : s;
}

static struct bstmt *assign_var(struct checker *ck, const struct node *n)
{
	const struct node *target = n->kids[0];
	struct bstmt *s = stmt_new(ck, BS_VAR, n);
	struct diag *g;

	if (strchr("0123456789#@", target->str[0])) {
		diag_error(ck->d, "bad-value", target->span,
			   "$%s is an argument of the script, it cannot be set", target->str);
		return NULL;
	}
	if (find_agg(n->kids[1]) < NAGGS) {
		g = diag_error(ck->d, "bad-type", n->kids[1]->span,
			       "only maps aggregate, $%s is a variable", target->str);
		diag_hint(ck->d, g, "@%s = %s", target->str, check_written(ck, n->kids[1]));
		return NULL;
	}
	s->var = var_get_run(ck, target->str);
	s->e = check_expr(ck, n->kids[1]);
	return s->e && var_value(ck, s->var, n, s->e) == 0 ? s : NULL;
}

static struct bstmt *assign(struct checker *ck, const struct node *n)
{
	if (n->kids[0]->kind == E_MAP)
		return assign_map(ck, n);
	if (n->kids[0]->kind == E_VAR)
		return assign_var(ck, n);
	diag_error(ck->d, "syntax", n->kids[0]->span, "only @maps and $variables can be set");
	return NULL;
}

/* ---- calls ---- */

static int count_args(struct checker *ck, const struct node *n, size_t min, size_t max,
		      const char *usage)
{
	struct diag *g;

	if (n->n >= min && n->n <= max)
		return 0;
	g = diag_error(ck->d, "bad-arguments", n->span, "'%s' has too %s arguments", n->str,
		       n->n < min ? "few" : "many");
	diag_hint(ck->d, g, "%s", usage);
	return -1;
}

static const struct node *map_arg(struct checker *ck, const struct node *n, const char *usage)
{
	struct diag *g;

	if (n->n && n->kids[0]->kind == E_MAP)
		return n->kids[0];
	g = diag_error(ck->d, "bad-arguments", n->span, "'%s' takes a map", n->str);
	diag_hint(ck->d, g, "%s", usage);
	return NULL;
}

static struct bstmt *call_clear(struct checker *ck, const struct node *n)
{
	const struct node *m = map_arg(ck, n, "clear(@m)");
	struct bstmt *s = stmt_new(ck, BS_CLEAR, n);

	if (!m || count_args(ck, n, 1, 1, "clear(@m)"))
		return NULL;
	if (m->n) {
		diag_hint(
			ck->d,
			diag_error(ck->d, "bad-arguments", m->span, "'clear' empties a whole map"),
			"delete(%s) takes one entry out", check_written(ck, m));
		return NULL;
	}
	s->map = map_get(ck, m);
	return s;
}

static struct bstmt *call_delete(struct checker *ck, const struct node *n)
{
	const struct node *m = map_arg(ck, n, "delete(@m[k])");
	struct bstmt *s = stmt_new(ck, BS_DELETE, n);

	if (!m || count_args(ck, n, 1, 1, "delete(@m[k])"))
		return NULL;
	s->map = map_get(ck, m);
	return map_keys(ck, s->map, m, false, &s->keys, &s->nkeys) ? NULL : s;
}

static int arguments(struct checker *ck, const struct node *n, size_t from, struct bstmt *s)
{
	bool failed = false;
	size_t k = 0;

	for (size_t i = from; i < n->n; i++) {
		struct expr *e = check_expr(ck, n->kids[i]);

		if (e)
			ARENA_PUSH(ck->a, s->args, k, e);
		else
			failed = true;
	}
	s->nargs = (unsigned)k;
	return failed ? -1 : 0;
}

static struct bstmt *call_printf(struct checker *ck, const struct node *n)
{
	struct bstmt *s = stmt_new(ck, BS_PRINTF, n);
	uint32_t len = 0;
	struct block *b = ck->block;
	int rc;

	if (count_args(ck, n, 1, SIZE_MAX, "printf(\"FMT\", E, ...)"))
		return NULL;
	ck->block = NULL; /* a format is a constant: $x in it is the shell's */
	s->str = check_string(ck, n->kids[0], "the format", &len);
	ck->block = b;
	rc = arguments(ck, n, 1, s);
	if (rc || !s->str || check_format(ck, n->kids[0], s->str, len, s->args, s->nargs))
		return NULL;
	return s;
}

static struct bstmt *print_event(struct checker *ck, const struct node *n)
{
	struct bstmt *s = stmt_new(ck, BS_EVENT, n);
	const struct event_list *evs = &ck->scope->pipe->src->evs;

	if (ck->block->hook) {
		diag_hint(ck->d,
			  diag_error(ck->d, "bad-arguments", n->span, "there is no event here"),
			  "print(@m) shows a map");
		return NULL;
	}
	s->nargs = 2;
	s->args = ARENA_ARRAY(ck->a, struct expr *, 2);
	s->args[0] = scope_builtin(ck, evs, BI_TID, n->span);
	s->args[1] = scope_builtin(ck, evs, BI_COMM, n->span);
	return s;
}

static struct bstmt *print_row(struct checker *ck, const struct node *n)
{
	struct bstmt *s = stmt_new(ck, BS_ROW, n);

	if (arguments(ck, n, 0, s))
		return NULL;
	s->schema.n = s->nargs;
	s->schema.cols = ARENA_ARRAY(ck->a, struct column, s->nargs + 1);
	for (unsigned i = 0; i < s->nargs; i++) {
		s->schema.cols[i].name = check_written(ck, n->kids[i]);
		s->schema.cols[i].type = s->args[i]->type;
		s->schema.cols[i].type.literal = false;
	}
	return s;
}

/* print(@m) shows a map, print(@m, 3) its first rows; anything else is a row of values */
static bool shows_map(const struct node *n)
{
	return n->kids[0]->kind == E_MAP && !n->kids[0]->n &&
	       (n->n == 1 || (n->n == 2 && n->kids[1]->kind == E_NUM));
}

static struct bstmt *call_print(struct checker *ck, const struct node *n)
{
	struct bstmt *s;

	if (!n->n)
		return print_event(ck, n);
	if (!shows_map(n))
		return print_row(ck, n);
	s = stmt_new(ck, BS_SHOW, n);
	if (n->n == 2 && check_uint(ck, n->kids[1], "the number of rows", 1, INT64_MAX, &s->count))
		return NULL;
	s->map = map_get(ck, n->kids[0]);
	return s;
}

static struct bstmt *call_speculation(struct checker *ck, const struct node *n)
{
	struct block *b = ck->block;
	struct bstmt *s = stmt_new(ck,
				   n->str[0] == 's'   ? BS_SPECULATE
				   : n->str[0] == 'c' ? BS_COMMIT
						      : BS_DISCARD,
				   n);
	struct type t;

	if (b->hook && s->kind == BS_SPECULATE) {
		diag_error(ck->d, "bad-stage", n->span, "there is no event here to hold back");
		return NULL;
	}
	if (b->hook) {
		diag_error(ck->d, "bad-stage", n->span, "'%s' belongs to the block that speculates",
			   n->str);
		return NULL;
	}
	if (count_args(ck, n, 1, SIZE_MAX, "speculate(K), commit(K), discard(K)") ||
	    arguments(ck, n, 0, s))
		return NULL;
	if (!b->speculates) {
		b->speculates = true;
		b->nspec = s->nargs;
		b->spec_span = n->span;
		b->spec_types = ARENA_ARRAY(ck->a, struct type, s->nargs);
		for (unsigned i = 0; i < s->nargs; i++)
			b->spec_types[i] = s->args[i]->type;
	}
	for (unsigned i = 0; i < s->nargs; i++) {
		if (b->nspec != s->nargs || !type_unify(b->spec_types[i], s->args[i]->type, &t)) {
			diag_error(ck->d, "bad-type", n->span,
				   "the keys of a block's speculations must be alike");
			return NULL;
		}
	}
	s->keys = s->args;
	s->nkeys = s->nargs;
	s->args = NULL;
	s->nargs = 0;
	return s;
}

static struct bstmt *call_exit(struct checker *ck, const struct node *n)
{
	return count_args(ck, n, 0, 0, "exit") ? NULL : stmt_new(ck, BS_EXIT, n);
}

static struct bstmt *call_next(struct checker *ck, const struct node *n)
{
	return count_args(ck, n, 0, 0, "next") ? NULL : stmt_new(ck, BS_NEXT, n);
}

static const struct {
	const char *name;
	struct bstmt *(*check)(struct checker *ck, const struct node *n);
} calls[] = {
	{"printf", call_printf},
	{"print", call_print},
	{"delete", call_delete},
	{"clear", call_clear},
	{"exit", call_exit},
	{"next", call_next},
	{"speculate", call_speculation},
	{"commit", call_speculation},
	{"discard", call_speculation},
};
#define NCALLS (sizeof(calls) / sizeof(calls[0]))

static struct bstmt *call(struct checker *ck, const struct node *n)
{
	const char *names[NCALLS];
	struct span at = n->span;
	struct diag *g;

	for (size_t i = 0; i < NCALLS; i++) {
		if (strcmp(calls[i].name, n->str) == 0)
			return calls[i].check(ck, n);
		names[i] = calls[i].name;
	}
	if (at.len > strlen(n->str))
		at.len = (uint32_t)strlen(n->str);
	g = diag_error(ck->d, "unknown-function", at, "no statement '%s'", n->str);
	if (find_agg(n) < NAGGS)
		diag_hint(ck->d, g, "a map holds it: @%s[...] = %s", n->str, check_written(ck, n));
	else
		diag_nearest(ck->d, g, n->str, names, NCALLS);
	return NULL;
}

/* ---- flow ---- */

static struct bstmt *if_else(struct checker *ck, const struct node *n)
{
	struct bstmt *s = stmt_new(ck, BS_IF, n);

	s->e = check_cond(ck, n->kids[0]);
	s->body = body(ck, n->kids[1]);
	if (n->n > 2)
		s->other = body(ck, n->kids[2]);
	return s->e ? s : NULL;
}

static struct bstmt *loop(struct checker *ck, const struct node *n)
{
	struct bstmt *s = stmt_new(ck, BS_WHILE, n);

	s->e = check_cond(ck, n->kids[0]);
	s->body = body(ck, n->kids[1]);
	return s->e ? s : NULL;
}

static struct bstmt *each(struct checker *ck, const struct node *n)
{
	struct bstmt *s = stmt_new(ck, BS_FOR, n);
	struct local l = {.name = n->str, .outer = ck->locals};
	struct diag *g;

	s->map = map_get(ck, n->kids[0]);
	l.map = s->map;
	l.at = s->local = ck->block->nlocals;
	if (s->map->keyed && !s->map->nkeys) {
		g = diag_error(ck->d, "bad-type", n->kids[0]->span, "@%s has no keys to go over",
			       s->map->name);
		(void)g;
		return NULL;
	}
	ck->block->nlocals += s->map->nkeys;
	s->nkeys = s->map->nkeys;
	ck->locals = &l;
	s->body = body(ck, n->kids[1]);
	ck->locals = l.outer;
	return s;
}

static struct bstmt *statement(struct checker *ck, const struct node *n)
{
	switch (n->kind) {
	case N_ASSIGN: return assign(ck, n);
	case N_EXPR_STMT: return call(ck, n->kids[0]);
	case N_IF: return if_else(ck, n);
	case N_WHILE: return loop(ck, n);
	case N_FOR: return each(ck, n);
	default: break;
	}
	diag_error(ck->d, "syntax", n->span, "this is no statement of a block");
	return NULL;
}

struct expr *check_hook_name(struct checker *ck, const struct node *n)
{
	static const char *const words[] = {"", "begin", "end", "tick"};
	struct diag *g;

	if (strcmp(n->str, "ts") == 0)
		return scope_builtin(ck, &ck->scope->pipe->src->evs, BI_TS, n->span);
	g = diag_error(ck->d, "unknown-field", n->span, "'%s' is of an event, and '%s' has none",
		       n->str, words[ck->block->hook]);
	diag_hint(ck->d, g, "the time is 'ts', variables are $x, maps are @m");
	return NULL;
}

struct block *check_block(struct checker *ck, const struct node *n, enum hook hook)
{
	struct block *b = ARENA_NEW(ck->a, struct block), *outer = ck->block;
	unsigned errors = ck->d->errors;

	if (!ck->globals)
		ck->globals = globals_new(ck->a);
	ck->q->globals = b->globals = ck->globals;
	b->hook = hook;
	ck->block = b;
	b->body = body(ck, n);
	ck->block = outer;
	ck->q->needs_order = true;
	return ck->d->errors == errors ? b : NULL;
}

/* ---- the run's blocks together ---- */

static bool has_block(const struct node *n)
{
	if (n->kind == N_BLOCK)
		return true;
	for (size_t i = 0; i < n->n; i++) {
		if (has_block(n->kids[i]))
			return true;
	}
	return false;
}

#define MAX_PASSES 8 /* types only widen, a few steps each */

void blocks_learn(struct session *s, struct catalog *c, struct arena *a,
		  const struct check_env *env, const struct node *const *v, unsigned n)
{
	struct globals *g = env->globals;
	bool any = false;

	for (unsigned i = 0; i < n; i++)
		any |= has_block(v[i]);
	g->learning = true;
	g->changed = any;
	for (unsigned pass = 0; g->changed && pass < MAX_PASSES; pass++) {
		g->changed = false;
		for (unsigned i = 0; i < n; i++) {
			struct diags quiet;
			struct query *q;

			diags_init(&quiet, a);
			q = check_query(s, c, a, &quiet, env, v[i]);
			if (q)
				query_free_external(q);
		}
	}
	g->learning = false;
}

static int stmt_exprs(const struct bstmt *s, int (*fn)(void *arg, struct expr *e), void *arg)
{
	int rc = 0;

	for (; s && !rc; s = s->next) {
		if (s->e)
			rc = fn(arg, s->e);
		for (unsigned i = 0; !rc && i < s->nkeys && s->keys; i++)
			rc = fn(arg, s->keys[i]);
		for (unsigned i = 0; !rc && i < s->nargs; i++)
			rc = fn(arg, s->args[i]);
		if (!rc)
			rc = stmt_exprs(s->body, fn, arg);
		if (!rc)
			rc = stmt_exprs(s->other, fn, arg);
	}
	return rc;
}

int block_exprs(const struct block *b, int (*fn)(void *arg, struct expr *e), void *arg)
{
	return stmt_exprs(b->body, fn, arg);
}
