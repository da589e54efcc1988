/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What names mean at a point of a pipeline: fields of the events, `let` values, the two sides of a
 * pair, columns of rows. Values that must outlive their record are given slots here. It does not
 * know operators or stages.
 */
#include "check/checker.h"

#include <string.h>

static const struct {
	const char *name;
	enum builtin b;
	enum type_kind kind;
} builtins[] = {
	{"ts", BI_TS, T_TIME},          {"cpu", BI_CPU, T_INT},
	{"tid", BI_TID, T_INT},         {"pid", BI_PID, T_INT},
	{"ppid", BI_PPID, T_INT},       {"comm", BI_COMM, T_STR},
	{"event", BI_EVENT, T_STR},     {"system", BI_SYSTEM, T_STR},
	{"kstack", BI_KSTACK, T_STACK}, {"ustack", BI_USTACK, T_STACK},
};
#define NBUILTINS (sizeof(builtins) / sizeof(builtins[0]))

enum builtin builtin_find(const char *name)
{
	for (size_t i = 0; i < NBUILTINS; i++) {
		if (strcmp(builtins[i].name, name) == 0)
			return builtins[i].b;
	}
	return BI_NONE;
}

const char *builtin_name(enum builtin b)
{
	for (size_t i = 0; i < NBUILTINS; i++) {
		if (builtins[i].b == b)
			return builtins[i].name;
	}
	return "";
}

static struct type builtin_type(enum builtin b)
{
	for (size_t i = 0; i < NBUILTINS; i++) {
		if (builtins[i].b == b)
			return builtins[i].kind == T_TIME ? type_time()
							  : (struct type){.kind = builtins[i].kind};
	}
	return (struct type){.kind = T_NULL};
}

static void uses_builtin(struct checker *ck, enum builtin b)
{
	if (b == BI_COMM || b == BI_PID || b == BI_PPID)
		check_tasks(ck);
	if (b == BI_KSTACK || b == BI_USTACK)
		ck->q->needs_order = true; /* stacks are records of their own, behind their event */
}

struct expr *scope_builtin(struct checker *ck, const struct event_list *evs, enum builtin b,
			   struct span at)
{
	struct expr *e = expr_new(ck, XO_BUILTIN, builtin_type(b), at);

	e->builtin = b;
	e->evs = evs;
	uses_builtin(ck, b);
	return e;
}

struct expr *scope_field(struct checker *ck, const struct event_list *evs, const char *name,
			 struct span at)
{
	const struct event *had = NULL;
	struct type t = {.kind = T_NULL}, ft;
	bool some_lack = false;
	struct expr *e;

	for (unsigned i = 0; i < evs->n; i++) {
		const struct field *f = event_field(evs->v[i], name);

		if (!f) {
			some_lack = true;
			continue;
		}
		ft = type_of_field(f);
		if (!had) {
			had = evs->v[i];
			t = ft;
		} else if (!type_unify(t, ft, &t)) {
			struct diag *g = diag_error(
				ck->d, "bad-type", at, "'%s' is %s in %s:%s but %s in %s:%s", name,
				type_word(t), had->system, had->name, type_word(ft),
				evs->v[i]->system, evs->v[i]->name);

			diag_hint(ck->d, g, "narrow the source to events where it is the same");
			return expr_new(ck, XO_NULL, (struct type){.kind = T_NULL}, at);
		}
	}
	if (!had)
		return NULL;
	e = expr_new(ck, XO_FIELD, t, at);
	e->str = arena_strdup(ck->a, name);
	e->evs = evs;
	if (some_lack)
		e->builtin = builtin_find(name);
	if (e->builtin != BI_NONE) {
		if (type_unify(t, builtin_type(e->builtin), &t)) {
			e->type = t;
			uses_builtin(ck, e->builtin);
		} else {
			/* a pointer called `event` in one of a system's events does not take the
			 * name away from all of them: what has one type for every event stands */
			return scope_builtin(ck, evs, e->builtin, at);
		}
	}
	return e;
}

/* ---- scopes and bindings ---- */

struct scope *scope_new(struct checker *ck, struct pipe *p)
{
	struct scope *sc = ARENA_NEW(ck->a, struct scope);

	sc->pipe = p;
	sc->next = ck->scopes;
	ck->scopes = sc;
	if (p->src)
		sc->names = source_names_of(ck, p->src);
	return sc;
}

struct scope *scope_of(struct checker *ck, const struct pipe *p)
{
	struct scope *sc = ck->scopes;

	while (sc && sc->pipe != p)
		sc = sc->next;
	return sc;
}

struct binding *scope_bind(struct checker *ck, struct scope *sc, const char *name,
			   const char *canon, struct type t, unsigned at,
			   const struct field *symfield)
{
	struct binding b = {
		.name = name, .canon = canon, .type = t, .at = at, .symfield = symfield};

	b.type.literal = false;
	ARENA_PUSH(ck->a, sc->lets, sc->nlets, b);
	return &sc->lets[sc->nlets - 1];
}

void scope_rows(struct checker *ck, struct scope *sc, const struct schema *schema,
		const char *const *canons, const struct field *const *symfields)
{
	sc->lets = NULL;
	sc->nlets = 0;
	for (unsigned i = 0; i < schema->n; i++) {
		const char *name = schema->cols[i].name;

		scope_bind(ck, sc, name, canons && canons[i] ? canons[i] : name,
			   schema->cols[i].type, i, symfields ? symfields[i] : NULL);
	}
}

/* A value column of that name goes before a key of the same name (`count by count`). */
static const struct binding *find_column(const struct scope *sc, const char *text)
{
	const struct schema *s = &sc->pipe->schema;
	const struct binding *key = NULL;

	for (size_t i = 0; i < sc->nlets; i++) {
		const struct binding *b = &sc->lets[i];

		if (strcmp(b->canon, text) != 0 && strcmp(b->name, text) != 0)
			continue;
		if (b->at < s->n && s->cols[b->at].key)
			key = key ? key : b;
		else
			return b;
	}
	return key;
}

const struct binding *scope_column(const struct scope *sc, const struct node *n)
{
	const struct binding *b;
	struct buf t = {0};

	ast_print(n, &t);
	b = find_column(sc, buf_str(&t));
	buf_free(&t);
	return b;
}

/* ---- hints ---- */

struct name_list {
	struct checker *ck;
	const char **v;
	size_t n;
};

static void add_name(void *arg, const char *name)
{
	struct name_list *l = arg;

	ARENA_PUSH(l->ck->a, l->v, l->n, name);
}

static void list_fields(struct name_list *l, const struct event_list *evs)
{
	for (unsigned i = 0; i < evs->n && i < 200; i++) {
		struct event *ev = evs->v[i];

		if (event_load(ev) && !ev->nfields)
			continue;
		for (unsigned k = 0; k < ev->nfields; k++)
			add_name(l, ev->fields[k].name);
	}
}

static void list_scope(struct name_list *l, const struct scope *sc)
{
	const struct src *src = sc->pipe->src;

	for (size_t i = 0; i < sc->nlets; i++)
		add_name(l, sc->lets[i].name);
	if (sc->pipe->rows)
		return;
	if (sc->names)
		sc->names->list(l->ck, (struct scope *)sc, add_name, l);
	list_fields(l, &src->evs);
	if (src->kind == SRC_PAIR)
		add_name(l, "delta");
	for (unsigned i = 0; i < src->nkids; i++)
		list_scope(l, scope_of(l->ck, src->kids[i]));
}

static void list_columns(const struct scope *sc, struct buf *b)
{
	for (size_t i = 0; i < sc->nlets; i++)
		buf_printf(b, "%s%s", i ? ", " : "", sc->lets[i].name);
}

void scope_no_column(struct checker *ck, const struct scope *sc, const struct node *n)
{
	const char *word = n->kind == E_NAME ? n->str : check_written(ck, n);
	struct name_list l = {.ck = ck};
	struct buf b = {0};
	struct diag *g;

	g = diag_error(ck->d, "unknown-column", n->span, "the result has no column '%s'", word);
	list_scope(&l, sc);
	if (!diag_nearest(ck->d, g, word, l.v, l.n)) {
		list_columns(sc, &b);
		diag_hint(ck->d, g, "its columns are %s", buf_str(&b));
		buf_free(&b);
	}
}

static void no_field(struct checker *ck, const struct scope *sc, const char *name, struct span at)
{
	static const char *const words[] = {"ts",   "cpu",   "tid",    "pid",    "ppid",
					    "comm", "event", "system", "kstack", "ustack"};
	const struct src *src = sc->pipe->src;
	struct name_list l = {.ck = ck};
	struct diag *g;

	if (src->kind == SRC_PAIR)
		g = diag_error(ck->d, "unknown-field", at, "neither side of %s has a field '%s'",
			       src->text, name);
	else if (src->evs.n == 1)
		g = diag_error(ck->d, "unknown-field", at, "%s has no field '%s'",
			       src->evs.v[0]->name, name);
	else
		g = diag_error(ck->d, "unknown-field", at, "no event of %s has a field '%s'",
			       src->text, name);
	list_scope(&l, sc);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		add_name(&l, words[i]);
	if (diag_nearest(ck->d, g, name, l.v, l.n))
		return;
	if (strcmp(name, "delta") == 0 || strcmp(name, "start") == 0 || strcmp(name, "end") == 0)
		diag_hint(ck->d, g, "'%s' belongs to pairs: A -> B on KEYS", name);
	else if (src->evs.n == 1)
		diag_hint(ck->d, g, "`describe %s` lists its fields", src->evs.v[0]->name);
}

/* ---- names of event streams ---- */

static struct expr *binding_expr(struct checker *ck, const struct scope *sc,
				 const struct binding *b, struct span at)
{
	struct expr *e;

	if (b->failed)
		return expr_new(ck, XO_NULL, (struct type){.kind = T_NULL}, at);
	e = expr_new(ck, sc->pipe->rows ? XO_COL : XO_SLOT, b->type, at);
	e->num = b->at;
	e->symfield = b->symfield;
	return e;
}

static struct expr *find_name(struct checker *ck, struct scope *sc, const char *name,
			      struct span at, bool builtin);

struct expr *scope_save(struct checker *ck, struct src *pair, struct expr *e, const char *name,
			struct span at)
{
	struct expr *s = expr_new(ck, XO_SLOT, e->type, at);
	size_t n = pair->nsaves;

	if (e->op == XO_NUM || e->op == XO_STR || e->op == XO_NULL)
		return e;
	s->type.literal = false;
	s->symfield = expr_symfield(e);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(pair->saves[i].name, name) == 0) {
			s->num = pair->saves[i].slot;
			return s;
		}
	}
	s->num = ck->q->nslots++;
	ARENA_PUSH(ck->a, pair->saves, n,
		   ((struct save){
			   .e = e, .slot = (unsigned)s->num, .name = arena_strdup(ck->a, name)}));
	pair->nsaves = (unsigned)n;
	return s;
}

static struct expr *pair_delta(struct checker *ck, struct src *src, struct span at)
{
	struct scope *a = scope_of(ck, src->kids[0]);
	struct expr *start = scope_builtin(ck, &a->pipe->src->evs, BI_TS, at), *e;
	struct expr *end = scope_builtin(ck, &src->evs, BI_TS, at);

	e = expr_2(ck, XO_SUB, type_time(), end, scope_save(ck, src, start, "start.ts", at));
	e->span = at;
	return e;
}

static struct expr *start_name(struct checker *ck, struct src *src, const char *name,
			       struct span at, bool builtin)
{
	struct expr *e = find_name(ck, scope_of(ck, src->kids[0]), name, at, builtin);

	if (!e)
		return NULL;
	return scope_save(ck, src, e, arena_printf(ck->a, "start.%s", name), at);
}

/* Can @e be null because some event lacks the field? */
static bool may_lack(const struct expr *e)
{
	if (e->op != XO_FIELD)
		return false;
	for (unsigned i = 0; i < e->evs->n; i++) {
		if (!event_field(e->evs->v[i], e->str))
			return true;
	}
	return false;
}

/* A bare name in a pair: the end's field, then the start's, then what stands for the end's. */
static struct expr *pair_name(struct checker *ck, struct src *src, const char *name, struct span at,
			      bool builtin)
{
	struct scope *b = scope_of(ck, src->kids[1]);
	struct expr *end, *start;

	if (strcmp(name, "delta") == 0)
		return pair_delta(ck, src, at);
	end = find_name(ck, b, name, at, false);
	if (end && !may_lack(end))
		return end;
	start = start_name(ck, src, name, at, false);
	if (!start)
		return builtin ? find_name(ck, b, name, at, true) : end;
	if (!end)
		return start;
	end->builtin = BI_NONE;
	return expr_first(ck, end, start);
}

/*
 * A name over the branches of a union. Where it is a plain field everywhere, one XO_FIELD does;
 * else each branch puts its own meaning into a slot that all share.
 */
static struct expr *union_name(struct checker *ck, struct src *src, const char *name,
			       struct span at, bool builtin)
{
	struct expr **v = ARENA_ARRAY(ck->a, struct expr *, src->nkids), *e;
	struct type t = {.kind = T_NULL};
	bool plain = true, any = false;
	struct binding *b;
	struct scope *sc;

	for (unsigned i = 0; i < src->nkids; i++) {
		v[i] = find_name(ck, scope_of(ck, src->kids[i]), name, at, builtin);
		if (!v[i])
			continue;
		any = true;
		if (v[i]->op != XO_FIELD && v[i]->op != XO_BUILTIN)
			plain = false;
		if (!type_unify(t, v[i]->type, &t)) {
			diag_error(ck->d, "bad-type", at,
				   "'%s' is %s in one branch of the union but %s in another", name,
				   type_word(t), type_word(v[i]->type));
			return expr_new(ck, XO_NULL, (struct type){.kind = T_NULL}, at);
		}
	}
	if (!any)
		return NULL;
	if (plain) {
		e = scope_field(ck, &src->evs, name, at);
		return e ? e : scope_builtin(ck, &src->evs, builtin_find(name), at);
	}
	for (unsigned i = 0; i < src->nkids; i++) {
		struct op *op = ARENA_NEW(ck->a, struct op), *last = pipe_last(src->kids[i]);

		if (!v[i])
			v[i] = expr_new(ck, XO_NULL, t, at);
		op->kind = OP_LET;
		op->span = at;
		op->lets = ARENA_NEW(ck->a, struct let);
		op->nlets = 1;
		op->lets[0] = (struct let){
			.name = arena_strdup(ck->a, name), .e = v[i], .slot = ck->q->nslots};
		if (last)
			last->next = op;
		else
			src->kids[i]->ops = op;
	}
	for (sc = ck->scopes; sc && sc->pipe->src != src; sc = sc->next)
		;
	b = scope_bind(ck, sc, arena_strdup(ck->a, name), name, t, ck->q->nslots++, NULL);
	for (unsigned i = 0; i < src->nkids && !b->symfield; i++)
		b->symfield = expr_symfield(v[i]);
	return binding_expr(ck, sc, b, at);
}

static struct expr *find_name(struct checker *ck, struct scope *sc, const char *name,
			      struct span at, bool builtin)
{
	struct src *src = sc->pipe->src;
	struct expr *e = NULL;

	for (size_t i = sc->nlets; i > 0; i--) {
		if (strcmp(sc->lets[i - 1].name, name) == 0)
			return binding_expr(ck, sc, &sc->lets[i - 1], at);
	}
	if (sc->names)
		e = sc->names->find(ck, sc, name, at);
	if (e)
		return e;
	switch (src->kind) {
	case SRC_PAIR: return pair_name(ck, src, name, at, builtin);
	case SRC_UNION: return union_name(ck, src, name, at, builtin);
	case SRC_PIPE: return find_name(ck, scope_of(ck, src->kids[0]), name, at, builtin);
	case SRC_EVENTS:
	case SRC_PROBE: break;
	}
	e = scope_field(ck, &src->evs, name, at);
	if (!e && builtin && builtin_find(name) != BI_NONE)
		e = scope_builtin(ck, &src->evs, builtin_find(name), at);
	return e;
}

struct expr *scope_name(struct checker *ck, struct scope *sc, const char *name, struct span at,
			bool quiet)
{
	const struct binding *b;
	struct expr *e;

	if (sc->pipe->rows) {
		struct node n = {.kind = E_NAME, .str = name, .span = at};

		b = find_column(sc, name);
		if (b)
			return binding_expr(ck, sc, b, at);
		if (!quiet)
			scope_no_column(ck, sc, &n);
		return NULL;
	}
	e = find_name(ck, sc, name, at, true);
	if (!e && !quiet)
		no_field(ck, sc, name, at);
	return e;
}

/* ---- start.F, end.F, task.F ---- */

/* The source whose pair `start` and `end` speak of: through sub-pipelines that are nothing but one
 */
static struct src *pair_of(struct checker *ck, struct scope *sc)
{
	struct src *src = sc->pipe->src;

	while (src && src->kind == SRC_PIPE)
		src = scope_of(ck, src->kids[0])->pipe->src;
	return src && src->kind == SRC_PAIR ? src : NULL;
}

static bool task_word(const char *s)
{
	return !strcmp(s, "tid") || !strcmp(s, "pid") || !strcmp(s, "ppid") || !strcmp(s, "comm");
}

/* words[i..n): start/end steps, the last one a name. The written path names the save. */
static struct expr *path(struct checker *ck, struct scope *sc, const char *const *words, size_t n,
			 const char *written, struct span at)
{
	struct src *src;
	struct expr *e;
	bool start;

	if (n == 1)
		return find_name(ck, sc, words[0], at, true);
	if (n == 2 && strcmp(words[0], "task") == 0 && task_word(words[1]))
		return scope_builtin(ck, &sc->pipe->src->evs, builtin_find(words[1]), at);
	src = pair_of(ck, sc);
	start = strcmp(words[0], "start") == 0;
	if (!src || (!start && strcmp(words[0], "end") != 0))
		return NULL;
	e = path(ck, scope_of(ck, src->kids[start ? 0 : 1]), words + 1, n - 1, written, at);
	return e && start ? scope_save(ck, src, e, written, at) : e;
}

#define MAX_PATH 12

/* E_DOT chain to words; 0 when it is not made of plain names */
static size_t flatten(const struct node *n, const char **words)
{
	size_t k;

	if (n->kind == E_NAME) {
		words[0] = n->str;
		return 1;
	}
	if (n->kind != E_DOT || (n->flags & (NF_CALL | NF_PAREN)))
		return 0;
	k = flatten(n->kids[0], words);
	if (!k || k == MAX_PATH)
		return 0;
	words[k] = n->str;
	return k + 1;
}

struct expr *scope_dot(struct checker *ck, const struct node *n, bool *mine)
{
	const char *words[MAX_PATH];
	size_t k = flatten(n, words);
	struct scope *sc = ck->scope;
	bool start, end;
	struct expr *e;
	struct src *src;

	*mine = false;
	if (k < 2 || sc->pipe->rows)
		return NULL;
	start = strcmp(words[0], "start") == 0;
	end = strcmp(words[0], "end") == 0;
	if (!start && !end && strcmp(words[0], "task") != 0)
		return NULL;
	e = path(ck, sc, words, k, check_canon(ck, n), n->span);
	if (e)
		return e;
	src = pair_of(ck, sc);
	if (find_name(ck, sc, words[0], n->span, true) || (k > 2 && src))
		return NULL; /* a field of that name, or start.F.suffix: a suffix follows */
	*mine = true;
	if (src && k == 2 && (start || end))
		no_field(ck, scope_of(ck, src->kids[start ? 0 : 1]), words[1], n->span);
	else if (start || end)
		no_field(ck, sc, words[0], n->kids[0]->span);
	else
		diag_error(ck->d, "unknown-field", n->span,
			   "task has tid, pid, ppid and comm, but no '%s'", words[1]);
	return NULL;
}
