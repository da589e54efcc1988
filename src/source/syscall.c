/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * syscall:NAME is the call from entry to exit: a pair on task and number, over the events of its
 * own (syscalls:sys_enter_NAME) or over raw_syscalls. A live source takes one of the two; a
 * recording may hold either, so there the pair takes both.
 */
#include "source/rows.h"
#include "base/io.h"
#include "catalog/names.h"

#include <string.h>

#define MAX_NR 1024

struct call_set {
	const char *pattern;
	bool all; /* `*` */
	bool nr[MAX_NR];
	unsigned n; /* numbers in nr[] */
	struct event_list enter, exit;
	struct event *raw_enter, *raw_exit;
};

static const char *arch_of(const struct checker *ck)
{
	return catalog_norigins(ck->c) ? catalog_origin(ck->c, 0)->arch : NULL;
}

/* Events of their own of the calls that match */
static void own_events(struct checker *ck, struct call_set *set)
{
	bool glob = io_has_glob(set->pattern);
	unsigned n = glob ? catalog_nevents(ck->c) : 0;

	if (!glob) {
		char *in = arena_printf(ck->a, "sys_enter_%s", set->pattern);
		char *out = arena_printf(ck->a, "sys_exit_%s", set->pattern);
		struct event *a = catalog_find(ck->c, "syscalls", in);
		struct event *b = catalog_find(ck->c, "syscalls", out);

		if (a && b && catalog_norigins(ck->c) == 1) {
			evs_add(ck, &set->enter, a);
			evs_add(ck, &set->exit, b);
			return;
		}
		n = catalog_nevents(ck->c);
	}
	for (unsigned i = 0; i < n; i++) {
		struct event *ev = catalog_event(ck->c, i);
		size_t have;

		if (strcmp(ev->system, "syscalls") != 0)
			continue;
		if (strncmp(ev->name, "sys_enter_", 10) == 0 &&
		    io_glob(set->pattern, ev->name + 10)) {
			have = set->enter.n;
			ARENA_PUSH(ck->a, set->enter.v, have, ev);
			set->enter.n = (unsigned)have;
		} else if (strncmp(ev->name, "sys_exit_", 9) == 0 &&
			   io_glob(set->pattern, ev->name + 9)) {
			have = set->exit.n;
			ARENA_PUSH(ck->a, set->exit.v, have, ev);
			set->exit.n = (unsigned)have;
		}
	}
}

static void numbers(struct checker *ck, struct call_set *set)
{
	const char *arch = arch_of(ck);

	for (unsigned i = 0; i < MAX_NR; i++) {
		const char *name = syscall_name(arch, i);

		if (name && io_glob(set->pattern, name)) {
			set->nr[i] = true;
			set->n++;
		}
	}
}

static void no_such(struct checker *ck, const struct node *n, const char *pattern)
{
	const char *arch = arch_of(ck);
	const char **names = ARENA_ARRAY(ck->a, const char *, MAX_NR);
	struct span at = n->span;
	struct diag *g;
	size_t k = 0;

	if (at.len == strlen("syscall:") + strlen(pattern)) {
		at.off += (uint32_t)strlen("syscall:");
		at.len = (uint32_t)strlen(pattern);
	}
	g = diag_error(ck->d, "unknown-syscall", at, "no system call %s '%s'",
		       io_has_glob(pattern) ? "matches" : "is called", pattern);
	for (unsigned i = 0; i < MAX_NR; i++) {
		const char *name = syscall_name(arch, i);

		if (name)
			names[k++] = name;
	}
	if (strncmp(pattern, "sys_", 4) == 0)
		diag_hint(ck->d, g, "the name alone: syscall:%s", pattern + 4);
	else
		diag_nearest(ck->d, g, pattern, names, k);
}

/* ---- which events ---- */

static bool is_arg(const char *name)
{
	return strncmp(name, "arg", 3) == 0 && name[3] >= '1' && name[3] <= '6' && !name[4];
}

struct uses {
	const struct call_set *set;
	bool by_number; /* arg1 */
	bool by_name;   /* filename */
};

/* Which arguments does the pipeline ask for? */
static void look(const struct node *n, struct uses *u)
{
	if (n->kind == E_NAME) {
		u->by_number |= is_arg(n->str);
		for (unsigned i = 0; i < u->set->enter.n && !u->by_name; i++) {
			const struct field *f = event_field(u->set->enter.v[i], n->str);

			u->by_name = f && !f->is_common && strcmp(n->str, "nr") != 0;
		}
	}
	if (n->kind == E_DOT)
		u->by_number |= is_arg(n->str);
	for (size_t i = 0; i < n->n; i++)
		look(n->kids[i], u);
}

static bool recorded(const struct checker *ck)
{
	for (unsigned i = 0; i < catalog_norigins(ck->c); i++) {
		if (catalog_origin(ck->c, i)->kind == ORIGIN_FILE)
			return true;
	}
	return false;
}

/* Leave one kind of events where a live source has both. */
static void choose(struct checker *ck, struct call_set *set)
{
	struct uses u = {.set = set};
	bool raw = set->raw_enter && set->raw_exit, own = set->enter.n && set->exit.n;

	if (!raw)
		set->raw_enter = set->raw_exit = NULL;
	if (!own)
		set->enter.n = set->exit.n = 0;
	if (!raw || !own || recorded(ck))
		return;
	look(ck->top, &u);
	/* two events are cheaper to arm than 700; the numbers are only there */
	if (u.by_number || (!u.by_name && set->all))
		set->enter.n = set->exit.n = 0;
	else
		set->raw_enter = set->raw_exit = NULL;
}

/* ---- the pair ---- */

/* The number of the call, whichever event the record is of */
static struct expr *number(struct checker *ck, const struct event_list *evs, struct span at)
{
	static const char *const fields[] = {"__syscall_nr", "nr", "id"};
	struct expr *e = NULL, *f;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		f = scope_field(ck, evs, fields[i], at);
		if (f)
			e = e ? expr_first(ck, e, f) : f;
	}
	if (e && e->type.kind == T_INT)
		e->type.sign = SG_SIGNED;
	return e;
}

static void only_numbers(struct checker *ck, struct pipe *p, const struct call_set *set)
{
	struct type t = {.kind = T_INT, .literal = true};
	struct expr *in = expr_new(ck, XO_IN, type_bool(), p->src->span), *nr;
	struct op *op = ARENA_NEW(ck->a, struct op);

	nr = number(ck, &p->src->evs, p->src->span);
	expr_add(ck, in, nr);
	for (unsigned i = 0; i < MAX_NR; i++) {
		if (set->nr[i])
			expr_add(ck, in, expr_num(ck, i, t, p->src->span));
	}
	if (in->n == 2)
		in->op = XO_EQ;
	op->kind = OP_WHERE;
	op->span = p->src->span;
	op->cond = in;
	p->ops = op;
}

static struct pipe *side(struct checker *ck, const struct node *n, const struct call_set *set,
			 const struct event_list *own, struct event *raw)
{
	struct src *src = src_new(ck, SRC_EVENTS, n);
	struct pipe *p;

	evs_join(ck, &src->evs, own);
	if (raw) {
		for (unsigned i = 0; i < catalog_nevents(ck->c); i++) {
			struct event *ev = catalog_event(ck->c, i);

			if (strcmp(ev->system, raw->system) == 0 &&
			    strcmp(ev->name, raw->name) == 0)
				evs_add(ck, &src->evs, ev);
		}
	}
	p = pipe_new(ck, src);
	if (raw && !set->all)
		only_numbers(ck, p, set);
	return p;
}

static void add_key(struct checker *ck, struct src *src, struct expr *a, struct expr *b)
{
	size_t na = src->npairkeys, nb = na;

	ARENA_PUSH(ck->a, src->akeys, na, a);
	ARENA_PUSH(ck->a, src->bkeys, nb, b);
	src->npairkeys++;
}

static struct src *make_pair(struct checker *ck, const struct node *n, const struct call_set *set)
{
	struct src *src = src_new(ck, SRC_PAIR, n);
	struct expr *a, *b;

	src->is_syscall = true;
	src->kids = ARENA_ARRAY(ck->a, struct pipe *, 2);
	src->nkids = 2;
	src->kids[0] = side(ck, n, set, &set->enter, set->raw_enter);
	src->kids[1] = side(ck, n, set, &set->exit, set->raw_exit);
	src->evs = src->kids[1]->src->evs;
	ck->q->needs_order = true;
	a = number(ck, &src->kids[0]->src->evs, n->span);
	b = number(ck, &src->evs, n->span);
	if (!a || !b) {
		diag_error(ck->d, "bad-file", n->span, "the system call events have no number");
		return NULL;
	}
	add_key(ck, src, scope_builtin(ck, &src->kids[0]->src->evs, BI_TID, n->span),
		scope_builtin(ck, &src->evs, BI_TID, n->span));
	add_key(ck, src, a, b);
	return src;
}

static struct src *check(struct checker *ck, const struct node *n)
{
	struct call_set *set = ARENA_NEW(ck->a, struct call_set);
	struct diag *g;

	set->pattern = check_expand(ck->a, ck->d, ck->env, n->str2, n->span);
	if (!set->pattern)
		return NULL;
	set->all = strcmp(set->pattern, "*") == 0;
	set->raw_enter = catalog_find(ck->c, "raw_syscalls", "sys_enter");
	set->raw_exit = catalog_find(ck->c, "raw_syscalls", "sys_exit");
	own_events(ck, set);
	numbers(ck, set);
	if (!set->enter.n && !set->n && !(set->all && set->raw_enter)) {
		no_such(ck, n, set->pattern);
		return NULL;
	}
	choose(ck, set);
	if (!set->enter.n && !set->raw_enter) {
		g = diag_error(ck->d, "unknown-event", n->span,
			       "there are no events of system calls here");
		diag_hint(ck->d, g,
			  "the kernel wants CONFIG_FTRACE_SYSCALLS; a recording needs "
			  "raw_syscalls or syscalls events");
		return NULL;
	}
	return make_pair(ck, n, set);
}

/* ---- names ---- */

static struct expr *exit_field(struct checker *ck, const struct src *src, const char *name,
			       struct span at)
{
	struct expr *e = scope_field(ck, &src->evs, name, at);

	if (e && e->type.kind == T_INT)
		e->type.sign = SG_SIGNED;
	return e;
}

/* arg1 .. arg6: of raw_syscalls' array, and by position in the events of their own */
static struct expr *argument(struct checker *ck, struct src *src, const char *name, struct span at)
{
	const struct event_list *evs = &src->kids[0]->src->evs;
	unsigned want = (unsigned)(name[3] - '1');
	struct expr *e = NULL;

	for (unsigned i = 0; i < evs->n; i++) {
		struct event *ev = evs->v[i];
		struct event_list *one;
		unsigned pos = 0;
		struct expr *k = NULL;

		one = ARENA_NEW(ck->a, struct event_list);
		evs_add(ck, one, ev);
		if (event_field(ev, "args")) {
			k = expr_new(ck, XO_ELEM, type_int(SG_UNSIGNED), at);
			k->str = "args";
			k->num = want;
			k->evs = one;
		} else if (evs->n <= 4) { /* beyond, the chain of choices would cost too much */
			for (unsigned f = 0; f < ev->nfields && !k; f++) {
				const struct field *fd = &ev->fields[f];

				if (fd->is_common || !strcmp(fd->name, "__syscall_nr") ||
				    !strcmp(fd->name, "nr"))
					continue;
				if (pos++ == want && fd->kind == FK_INT)
					k = scope_field(ck, one, fd->name, at);
			}
		}
		if (k)
			e = e ? expr_first(ck, e, k) : k;
	}
	return e ? scope_save(ck, src, e, arena_printf(ck->a, "start.%s", name), at) : NULL;
}

static struct expr *find(struct checker *ck, struct scope *sc, const char *name, struct span at)
{
	struct src *src = sc->pipe->src;

	if (strcmp(name, "nr") == 0)
		return number(ck, &src->evs, at);
	if (strcmp(name, "ret") == 0)
		return exit_field(ck, src, "ret", at);
	if (strcmp(name, "name") == 0)
		return expr_call(ck, FN_SYSCALL, type_str(), number(ck, &src->evs, at), at);
	return is_arg(name) ? argument(ck, src, name, at) : NULL;
}

static void list(struct checker *ck, struct scope *sc, void (*add)(void *arg, const char *name),
		 void *arg)
{
	static const char *const names[] = {"name", "ret",  "nr",   "arg1", "arg2",
					    "arg3", "arg4", "arg5", "arg6"};

	(void)ck;
	(void)sc;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add(arg, names[i]);
}

static const struct source_names names_of_calls = {.find = find, .list = list};

const struct source_names *syscall_names(void)
{
	return &names_of_calls;
}

const struct source_kind source_syscall = {
	.name = "syscall",
	.usage = "syscall:NAME, syscall:PATTERN, syscall:*",
	.brief = "system calls from entry to exit",
	.help = "Gives the arguments by their names (also arg1 to arg6), ret, delta, name and nr. "
		"It uses\n"
		"the events of the call, or raw_syscalls where there are none: there arguments "
		"have no names.\n"
		"  syscall:openat | where ret < 0 | count by comm, ret.errno\n"
		"  syscall:* | stats delta by name | top 10 by total",
	.check = check,
};
