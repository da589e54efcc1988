/* SPDX-License-Identifier: GPL-3.0-or-later */
/* print: events as they come, whole or by columns; columns of rows. */
#include "stage/agg.h"

#include <string.h>

/* Columns from keys, into the schema */
static const struct field **columns(struct checker *ck, struct pipe *p, const struct op *op)
{
	const struct field **sf = ARENA_ARRAY(ck->a, const struct field *, op->nkeys + 1);

	p->schema = (struct schema){.n = op->nkeys};
	p->schema.cols = ARENA_ARRAY(ck->a, struct column, op->nkeys + 1);
	for (unsigned i = 0; i < op->nkeys; i++) {
		p->schema.cols[i] =
			(struct column){.name = op->keys[i].name, .type = op->keys[i].e->type};
		p->schema.cols[i].type.literal = false;
		sf[i] = expr_symfield(op->keys[i].e);
	}
	return sf;
}

void print_as_rows(struct checker *ck, struct pipe *p, struct op *op)
{
	const struct field **sf = columns(ck, p, op);
	const char **canons = ARENA_ARRAY(ck->a, const char *, op->nkeys + 1);

	op->kind = OP_ROWS;
	p->rows = true;
	for (unsigned i = 0; i < op->nkeys; i++)
		canons[i] = op->keys[i].name;
	if (op->priv)
		canons = op->priv;
	scope_rows(ck, ck->scope, &p->schema, canons, sf);
}

void print_all(struct checker *ck, struct pipe *p, const struct node *st)
{
	struct op *op = check_op(ck, p, OP_PRINT, st);

	op->stage = &stage_print;
	check_tasks(ck); /* the kernel's own format begins with the task's name */
	ck->q->needs_order = true;
}

/* ---- events as rows ---- */

struct fields {
	struct checker *ck;
	struct op *op;
	const struct src *src;
	struct span at;
	size_t n;
};

static void add(struct fields *f, const char *name, struct expr *e)
{
	if (e)
		ARENA_PUSH(f->ck->a, f->op->keys, f->n, ((struct key){.e = e, .name = name}));
	f->op->nkeys = (unsigned)f->n;
}

static bool have(const struct fields *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		if (strcmp(f->op->keys[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Events where the field is text, or where it is not; NULL when there are none */
static const struct event_list *split(struct fields *f, const char *name, bool text)
{
	struct event_list *l = ARENA_NEW(f->ck->a, struct event_list);
	size_t n = 0;

	for (unsigned i = 0; i < f->src->evs.n; i++) {
		const struct field *fd = event_field(f->src->evs.v[i], name);

		if (fd && (fd->kind != FK_INT) == text)
			ARENA_PUSH(f->ck->a, l->v, n, f->src->evs.v[i]);
	}
	l->n = (unsigned)n;
	return n ? l : NULL;
}

/* A field that is a number in some events and text in others has a column for each. */
static void add_field(struct fields *f, const char *name)
{
	const struct event_list *num = split(f, name, false), *text = split(f, name, true);
	struct expr *e = NULL, *t = NULL;

	name = arena_strdup(f->ck->a, name);
	if (!num || !text) {
		e = scope_name(f->ck, f->ck->scope, name, f->at, true);
		if (e && e->op == XO_FIELD)
			e->builtin = BI_NONE;
		add(f, name, e);
		return;
	}
	e = scope_field(f->ck, num, name, f->at);
	t = scope_field(f->ck, text, name, f->at);
	add(f, name, e);
	add(f, arena_printf(f->ck->a, "%s.str", name), t);
}

static bool any_field(const struct fields *f, const char *name)
{
	return split((struct fields *)f, name, true) || split((struct fields *)f, name, false);
}

int print_fields(struct checker *ck, const struct node *st, struct pipe *p, struct op *op)
{
	static const char *const first[] = {"ts", "cpu", "tid", "comm", "event"};
	struct fields f = {.ck = ck, .op = op, .src = p->src, .at = st->span};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		const char *name = first[i];
		bool task = i == 2 || i == 3;

		/* an event's own `comm` or `cpu` has that name, the running task's another */
		if (any_field(&f, name))
			name = arena_printf(ck->a, "%s%s", task ? "task." : "common_", name);
		add(&f, name, scope_builtin(ck, &p->src->evs, builtin_find(first[i]), st->span));
	}
	if (p->src->kind == SRC_PAIR)
		add(&f, "delta", scope_name(ck, ck->scope, "delta", st->span, true));
	for (size_t i = 0; i < ck->scope->nlets; i++)
		add(&f, ck->scope->lets[i].name,
		    scope_name(ck, ck->scope, ck->scope->lets[i].name, st->span, true));
	for (unsigned i = 0; i < p->src->evs.n; i++) {
		struct event *ev = p->src->evs.v[i];

		if (event_load(ev) && !ev->nfields)
			continue;
		for (unsigned k = 0; k < ev->nfields; k++) {
			if (!ev->fields[k].is_common && !have(&f, ev->fields[k].name))
				add_field(&f, ev->fields[k].name);
		}
	}
	columns(ck, p, op);
	ck->q->needs_order = true;
	return 0;
}

static int check(struct checker *ck, const struct node *st, struct pipe *p)
{
	size_t n = node_nargs(st);
	const char **canons;
	struct key *keys;
	unsigned nkeys;
	struct op *op;

	if (!n && !p->rows) {
		print_all(ck, p, st);
		return 0;
	}
	if (!n)
		return 0; /* rows print anyway */
	if (check_keys(ck, st->kids, n, &keys, &nkeys, &canons))
		return -1;
	op = check_op(ck, p, OP_PRINT, st);
	op->keys = keys;
	op->nkeys = nkeys;
	ck->q->needs_order = true;
	if (p->rows) {
		const struct field **sf = columns(ck, p, op);

		scope_rows(ck, ck->scope, &p->schema, canons, sf);
	} else {
		columns(ck, p, op);
		op->priv = canons;
	}
	return 0;
}

const struct stage_kind stage_print = {
	.syntax = {.name = "print", .max_args = UINT32_MAX},
	.usage = "print [E, ...]",
	.brief = "events as they come, or the columns that are wanted",
	.help = "Without arguments, events in the kernel's own format. With arguments, a column "
		"each;\n"
		"stages for rows may follow. Behind an aggregate it chooses among the columns.\n"
		"  sched_switch | print ts, prev_comm, next_comm\n"
		"  syscall:openat | where ret < 0 | print comm, ret.errno",
	.on = ON_EVENTS | ON_ROWS,
	.check = check,
};
