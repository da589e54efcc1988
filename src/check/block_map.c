/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps and variables of a run: what their first use makes of them, what a later one may do, and
 * how they read in expressions. Knows no statements.
 */
#include "check/checker.h"

#include <string.h>

struct globals *globals_new(struct arena *a)
{
	struct globals *g = ARENA_NEW(a, struct globals);

	g->a = a;
	return g;
}

static struct globals *globals_of(struct checker *ck)
{
	if (!ck->globals)
		ck->globals = ck->q->globals = globals_new(ck->a);
	return ck->globals;
}

/* "3:14", for the other place of a conflict */
static const char *place(struct checker *ck, struct span at)
{
	unsigned line, col;

	if (!at.src)
		return "another place";
	span_linecol(at, &line, &col);
	return arena_printf(ck->a, "%s:%u:%u", at.src->name, line, col);
}

/* ---- maps ---- */

struct bmap *map_get(struct checker *ck, const struct node *n)
{
	struct globals *g = globals_of(ck);
	struct bmap *m;

	for (size_t i = 0; i < g->nmaps; i++) {
		if (strcmp(g->maps[i]->name, n->str) == 0) {
			g->maps[i]->used |= !g->learning;
			return g->maps[i];
		}
	}
	m = ARENA_NEW(g->a, struct bmap);
	m->name = arena_strdup(g->a, n->str);
	m->index = (unsigned)g->nmaps;
	m->used = !g->learning;
	ARENA_PUSH(g->a, g->maps, g->nmaps, m);
	g->changed = true;
	return m;
}

static struct local *find_local(struct checker *ck, const char *name)
{
	struct local *l = ck->locals;

	while (l && strcmp(l->name, name) != 0)
		l = l->outer;
	return l;
}

static struct expr *local_key(struct checker *ck, const struct local *l, unsigned i, struct span at)
{
	struct type t = i < l->map->nkeys ? l->map->ktypes[i] : (struct type){.kind = T_NULL};
	struct expr *e = expr_new(ck, XO_LOCAL, t, at);

	e->num = l->at + i;
	return e;
}

static struct expr *null_expr(struct checker *ck, struct span at)
{
	return expr_new(ck, XO_NULL, (struct type){.kind = T_NULL}, at);
}

struct expr *check_local(struct checker *ck, const struct node *n)
{
	const struct node *name = n->kind == E_DOT ? n->kids[0] : n;
	struct local *l = name->kind == E_NAME ? find_local(ck, name->str) : NULL;
	const struct bmap *m = l ? l->map : NULL;
	struct diag *g;

	if (!l)
		return NULL;
	if (!m->keyed)
		return null_expr(ck, n->span);
	if (n->kind == E_NAME) {
		if (m->nkeys == 1)
			return local_key(ck, l, 0, n->span);
		g = diag_error(ck->d, "bad-type", n->span, "'%s' stands for the %u keys of @%s",
			       n->str, m->nkeys, m->name);
		diag_hint(ck->d, g, "as a key: @%s[%s]; one of them: %s.%s", m->name, n->str,
			  n->str, m->nkeys ? m->knames[0] : "key1");
		return null_expr(ck, n->span);
	}
	for (unsigned i = 0; i < m->nkeys && m->nkeys > 1; i++) {
		if (strcmp(m->knames[i], n->str) == 0 ||
		    strcmp(arena_printf(ck->a, "key%u", i + 1), n->str) == 0)
			return local_key(ck, l, i, n->span);
	}
	return NULL;
}

static void fix_keys(struct checker *ck, struct bmap *m, const struct node *n,
		     struct expr *const *keys, unsigned nkeys)
{
	struct arena *a = ck->globals->a;

	m->keyed = true;
	m->key_span = n->span;
	m->nkeys = nkeys;
	m->ktypes = ARENA_ARRAY(a, struct type, nkeys + 1);
	m->knames = ARENA_ARRAY(a, const char *, nkeys + 1);
	for (unsigned i = 0; i < nkeys; i++) {
		m->ktypes[i] = keys[i]->type;
		m->ktypes[i].literal = false;
		m->knames[i] = arena_printf(a, "key%u", i + 1);
	}
	ck->globals->changed = true;
}

static void name_keys(struct checker *ck, struct bmap *m, const char *const *names)
{
	for (unsigned i = 0; i < m->nkeys; i++)
		m->knames[i] = arena_strdup(ck->globals->a, names[i]);
	m->knamed = true;
}

static const char *shape(struct checker *ck, const struct type *t, unsigned n)
{
	struct buf b = {0};
	const char *s;

	for (unsigned i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", type_word(t[i]));
	s = n ? arena_strndup(ck->a, buf_str(&b), b.len) : "no keys";
	buf_free(&b);
	return s;
}

static int keys_differ(struct checker *ck, const struct bmap *m, const struct node *n,
		       struct expr *const *keys, unsigned nkeys)
{
	struct type *t = ARENA_ARRAY(ck->a, struct type, nkeys + 1);
	struct diag *g;

	for (unsigned i = 0; i < nkeys; i++)
		t[i] = keys[i]->type;
	g = diag_error(ck->d, "bad-type", n->span, "@%s has %s here, but %s at %s", m->name,
		       shape(ck, t, nkeys), shape(ck, m->ktypes, m->nkeys), place(ck, m->key_span));
	if (g && m->nkeys)
		diag_hint(ck->d, g, "the first use of a map says what its keys are");
	return -1;
}

/* what a key is called: the names of a `for` go on under those of its map */
static const char *key_name(struct checker *ck, const struct node *kid, const struct expr *e)
{
	const struct node *name = kid->kind == E_DOT ? kid->kids[0] : kid;
	struct local *l = name->kind == E_NAME ? find_local(ck, name->str) : NULL;

	if (l && e->op == XO_LOCAL && e->num >= l->at && e->num - l->at < l->map->nkeys)
		return l->map->knames[e->num - l->at];
	return check_written(ck, kid);
}

/* the keys as written, a `for`'s name for several of them as all */
static int eval_keys(struct checker *ck, const struct node *n, struct expr ***keys,
		     const char ***names, size_t *nkeys)
{
	size_t k = 0, m = 0;
	bool failed = false;

	*keys = NULL;
	*names = NULL;
	for (size_t i = 0; i < n->n; i++) {
		const struct node *kid = n->kids[i];
		struct local *l = kid->kind == E_NAME ? find_local(ck, kid->str) : NULL;
		struct expr *e;

		if (l && l->map->keyed && l->map->nkeys != 1) {
			for (unsigned j = 0; j < l->map->nkeys; j++) {
				e = local_key(ck, l, j, kid->span);
				ARENA_PUSH(ck->a, *keys, k, e);
				ARENA_PUSH(ck->a, *names, m, l->map->knames[j]);
			}
			continue;
		}
		e = check_expr(ck, kid);
		if (!e) {
			failed = true;
			continue;
		}
		ARENA_PUSH(ck->a, *keys, k, e);
		ARENA_PUSH(ck->a, *names, m, key_name(ck, kid, e));
	}
	*nkeys = k;
	return failed ? -1 : 0;
}

int map_keys(struct checker *ck, struct bmap *m, const struct node *n, bool stores,
	     struct expr ***keys, unsigned *nkeys)
{
	const char **names;
	bool open = false;
	size_t k;

	if (eval_keys(ck, n, keys, &names, &k))
		return -1;
	*nkeys = (unsigned)k;
	for (size_t i = 0; i < k; i++)
		open |= (*keys)[i]->type.kind == T_NULL;
	if (!m->keyed && !(open && ck->globals->learning))
		fix_keys(ck, m, n, *keys, *nkeys);
	if (!m->keyed)
		return 0;
	if (m->nkeys != k)
		return keys_differ(ck, m, n, *keys, *nkeys);
	for (unsigned i = 0; i < m->nkeys; i++) {
		struct type t;

		if (!type_unify(m->ktypes[i], (*keys)[i]->type, &t))
			return keys_differ(ck, m, n, *keys, *nkeys);
		t.literal = false;
		if (ck->globals->learning && t.kind != m->ktypes[i].kind)
			ck->globals->changed = true;
		m->ktypes[i] = t;
	}
	if (stores && !m->knamed)
		name_keys(ck, m, names);
	return 0;
}

static bool same_agg(const struct agg *a, const struct agg *b)
{
	if (a->kind != b->kind || a->hist != b->hist || a->step != b->step || a->from != b->from ||
	    a->to != b->to || a->digits != b->digits || a->nquants != b->nquants)
		return false;
	for (unsigned i = 0; i < a->nquants; i++) {
		if (strcmp(a->quant_names[i], b->quant_names[i]) != 0)
			return false;
	}
	return true;
}

static const char *agg_word(const struct agg *a)
{
	static const char *const words[] = {
		[AG_COUNT] = "count()", [AG_SUM] = "sum()",           [AG_AVG] = "avg()",
		[AG_MIN] = "min()",     [AG_MAX] = "max()",           [AG_STATS] = "stats()",
		[AG_HIST] = "hist()",   [AG_QUANTILE] = "quantile()", [AG_DISTINCT] = "distinct()",
	};

	return a->kind == AG_HIST && a->hist == HK_LINEAR ? "lhist()" : words[a->kind];
}

static int values_differ(struct checker *ck, const struct bmap *m, const struct node *n,
			 const struct agg *agg, const struct expr *e)
{
	const char *here = agg ? agg_word(agg) : type_word(e->type);
	const char *there = m->is_agg ? agg_word(&m->agg) : type_word(m->type);
	struct diag *g;

	if (agg && m->is_agg && agg->kind == m->agg.kind)
		here = "this with other arguments";
	g = diag_error(ck->d, "bad-type", n->span, "@%s holds %s here, but %s at %s", m->name, here,
		       there, place(ck, m->span));
	diag_hint(ck->d, g,
		  "the first use of a map says what it holds; give this one another name");
	return -1;
}

int map_value(struct checker *ck, struct bmap *m, const struct node *n, const struct agg *agg,
	      const struct expr *e)
{
	struct type t = e ? e->type : type_int(SG_UNSIGNED);

	if (t.kind == T_BOOL)
		t = type_int(SG_SIGNED);
	if (!m->typed) {
		if (t.kind == T_NULL && ck->globals->learning)
			return 0;
		m->typed = true;
		m->is_agg = agg != NULL;
		if (agg)
			m->agg = *agg;
		m->span = n->span;
		m->type = t;
		ck->globals->changed = true;
		return 0;
	}
	if ((agg != NULL) != m->is_agg || (agg && !same_agg(agg, &m->agg)) ||
	    !type_unify(m->type, t, &t))
		return values_differ(ck, m, n, agg, e);
	if (t.kind == T_BOOL)
		t.kind = T_INT;
	ck->globals->changed |= t.kind != m->type.kind;
	m->type = t;
	return 0;
}

bool bmap_read_type(const struct bmap *m, struct type *out)
{
	struct type whole = type_int(SG_UNSIGNED), dec = {.kind = T_DEC};

	*out = m->type;
	out->literal = false;
	if (!m->is_agg)
		return true;
	switch (m->agg.kind) {
	case AG_COUNT:
	case AG_DISTINCT: *out = whole; return true;
	case AG_AVG: *out = dec; return true;
	case AG_SUM:
		if (out->kind == T_ADDR)
			out->kind = T_INT;
		out->sign = SG_MIXED;
		return true;
	case AG_MIN:
	case AG_MAX: return true;
	default: return false;
	}
}

struct expr *check_map(struct checker *ck, const struct node *n)
{
	struct type t = {.kind = T_NULL};
	struct expr **keys, *e;
	struct bmap *m;
	struct diag *g;
	unsigned nkeys;

	if (!ck->block) {
		g = diag_error(ck->d, "bad-stage", n->span, "maps belong to blocks");
		diag_hint(ck->d, g, "do { ... }");
		return NULL;
	}
	m = map_get(ck, n);
	if (map_keys(ck, m, n, false, &keys, &nkeys))
		return NULL;
	if (m->typed && !bmap_read_type(m, &t)) {
		g = diag_error(ck->d, "bad-type", n->span, "%s has no single value",
			       agg_word(&m->agg));
		diag_hint(ck->d, g, "print(@%s) shows it", m->name);
		return NULL;
	}
	if (!m->typed && !ck->globals->learning)
		t = type_int(SG_SIGNED);
	e = expr_new(ck, XO_MAP, t, n->span);
	e->str = m->name;
	e->num = m->index;
	for (unsigned i = 0; i < nkeys; i++)
		expr_add(ck, e, keys[i]);
	return e;
}

struct expr *check_inmap(struct checker *ck, const struct node *n)
{
	struct node at = *n->kids[1];
	struct expr **keys, *e;
	struct bmap *m;
	unsigned nkeys;

	if (!ck->block)
		return check_map(ck, n->kids[1]);
	at.kids = n->kids;
	at.n = 1;
	at.span = n->span;
	m = map_get(ck, &at);
	if (map_keys(ck, m, &at, false, &keys, &nkeys))
		return NULL;
	e = expr_new(ck, XO_INMAP, type_bool(), n->span);
	e->str = m->name;
	e->num = m->index;
	for (unsigned i = 0; i < nkeys; i++)
		expr_add(ck, e, keys[i]);
	return e;
}

/* ---- variables ---- */

struct bvar *var_get_run(struct checker *ck, const char *name)
{
	struct globals *g = globals_of(ck);
	struct bvar *v;

	for (size_t i = 0; i < g->nvars; i++) {
		if (strcmp(g->vars[i]->name, name) == 0)
			return g->vars[i];
	}
	v = ARENA_NEW(g->a, struct bvar);
	v->name = arena_strdup(g->a, name);
	v->index = (unsigned)g->nvars;
	v->type.kind = T_NULL;
	ARENA_PUSH(g->a, g->vars, g->nvars, v);
	g->changed = true;
	return v;
}

static bool of_shell(struct checker *ck, const char *name)
{
	return ck->env && ck->env->var && ck->env->var(ck->env->arg, name);
}

int var_value(struct checker *ck, struct bvar *v, const struct node *n, const struct expr *e)
{
	struct node name = {.kind = E_VAR, .str = v->name, .span = n->span};
	struct type t = e->type;
	struct diag *g;

	if (t.kind == T_BOOL)
		t = type_int(SG_SIGNED);
	if (!v->set) {
		v->set = true;
		v->span = n->span;
		ck->globals->changed = true;
		if (of_shell(ck, v->name)) {
			v->init = check_var(ck, &name);
			if (v->init)
				v->type = v->init->type;
		}
	}
	if (!type_unify(v->type, t, &t)) {
		g = diag_error(ck->d, "bad-type", n->span, "$%s is %s here, but %s at %s", v->name,
			       type_word(e->type), type_word(v->type), place(ck, v->span));
		diag_hint(ck->d, g, "the first use of a variable says what it is");
		return -1;
	}
	if (t.kind == T_BOOL)
		t.kind = T_INT;
	ck->globals->changed |= t.kind != v->type.kind;
	v->type = t;
	return 0;
}

struct expr *check_block_var(struct checker *ck, const struct node *n)
{
	struct type t;
	struct bvar *v;
	struct expr *e;

	/* arguments of the script are never set in a block */
	if (strchr("0123456789#@", n->str[0]))
		return check_var(ck, n);
	v = var_get_run(ck, n->str);
	if (!v->set && !ck->globals->learning) {
		if (of_shell(ck, n->str))
			return check_var(ck, n);
		if (!v->warned)
			diag_warn(ck->d, "unknown-variable", n->span,
				  "$%s is never set: it reads as 0", n->str);
		v->warned = true;
		return expr_num(ck, 0, type_int(SG_SIGNED), n->span);
	}
	t = v->type;
	if (t.kind == T_NULL && !ck->globals->learning)
		t = type_int(SG_SIGNED);
	t.literal = false;
	e = expr_new(ck, XO_VAR, t, n->span);
	e->str = v->name;
	e->num = v->index;
	return e;
}

/* ---- as tables ---- */

static void column(struct schema *s, struct arena *a, const char *name, struct type t, bool key)
{
	size_t n = s->n;

	t.literal = false;
	ARENA_PUSH(a, s->cols, n, ((struct column){.name = name, .type = t, .key = key}));
	s->n = (unsigned)n;
	s->nkeys += key;
}

struct schema bmap_schema(const struct bmap *m, struct arena *a)
{
	static const char *const words[] = {
		[AG_COUNT] = "count", [AG_SUM] = "sum", [AG_AVG] = "avg",
		[AG_MIN] = "min",     [AG_MAX] = "max", [AG_DISTINCT] = "distinct"};
	struct type whole = type_int(SG_UNSIGNED), dec = {.kind = T_DEC}, t = m->type;
	const struct agg *g = &m->agg;
	struct schema s = {0};

	for (unsigned i = 0; i < m->nkeys; i++)
		column(&s, a, m->knames[i], m->ktypes[i], true);
	if (t.kind == T_NULL)
		t = type_int(SG_SIGNED);
	if (!m->is_agg) {
		column(&s, a, "value", t, false);
		return s;
	}
	switch (g->kind) {
	case AG_STATS:
		column(&s, a, "count", whole, false);
		column(&s, a, "min", t, false);
		column(&s, a, "avg", dec, false);
		column(&s, a, "max", t, false);
		column(&s, a, "stddev", dec, false);
		column(&s, a, "total", t, false);
		break;
	case AG_HIST:
		column(&s, a, "lo", t, false);
		column(&s, a, "hi", t, false);
		column(&s, a, "count", whole, false);
		s.hist = true;
		s.hist_type = t;
		break;
	case AG_QUANTILE:
		for (unsigned i = 0; i < g->nquants; i++)
			column(&s, a, g->quant_names[i], t, false);
		break;
	default:
		if (g->kind == AG_COUNT || g->kind == AG_DISTINCT)
			t = whole;
		else if (g->kind == AG_AVG)
			t = dec;
		column(&s, a, g->name ? g->name : words[g->kind], t, false);
	}
	return s;
}
