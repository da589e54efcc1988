/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries made by hand, records made from bytes, and a sink that remembers: for the engine's tests.
 */
#ifndef TRACESH_TESTS_ENGINE_UTIL_H
#define TRACESH_TESTS_ENGINE_UTIL_H

#include "catalog/rec.h"
#include "engine/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define COMMON                                                                                     \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"            \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* test:vals has a field of each size and sign, test:other has only one of them, elsewhere and wider
 */
static const char *const t_formats[][2] = {
	{"test", "name: vals\nID: 501\n" COMMON "\tfield:s8 s8;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield:u8 u8;\toffset:9;\tsize:1;\tsigned:0;\n"
		 "\tfield:s16 s16;\toffset:10;\tsize:2;\tsigned:1;\n"
		 "\tfield:u16 u16;\toffset:12;\tsize:2;\tsigned:0;\n"
		 "\tfield:s32 s32;\toffset:16;\tsize:4;\tsigned:1;\n"
		 "\tfield:u32 u32;\toffset:20;\tsize:4;\tsigned:0;\n"
		 "\tfield:s64 s64;\toffset:24;\tsize:8;\tsigned:1;\n"
		 "\tfield:u64 u64;\toffset:32;\tsize:8;\tsigned:0;\n"
		 "\tfield:char str[16];\toffset:40;\tsize:16;\tsigned:0;\n"
		 "\tfield:u32 arr[4];\toffset:56;\tsize:16;\tsigned:0;\n"
		 "\tfield:s64 b64;\toffset:72;\tsize:8;\tsigned:1;\n"
		 "\tfield:u64 c64;\toffset:80;\tsize:8;\tsigned:0;\n"
		 "\tfield:long state;\toffset:88;\tsize:8;\tsigned:1;\n"
		 "\nprint fmt: \"state=%s\", __print_flags(REC->state, \"|\", "
		 "{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" })\n"},
	{"test", "name: other\nID: 502\n" COMMON "\tfield:s64 u8;\toffset:16;\tsize:8;\tsigned:1;\n"
		 "\tfield:int key;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\nprint fmt: \"u8=%lld\", REC->u8\n"},
	{"sched", "name: sched_switch\nID: 300\n" COMMON
		  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:char next_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t next_pid;\toffset:44;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"%s\", REC->prev_comm\n"},
	{"task",
	 "name: task_rename\nID: 301\n" COMMON "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	 "\tfield:char oldcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	 "\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
	 "\nprint fmt: \"%d\", REC->pid\n"},
	{"task", "name: task_newtask\nID: 302\n" COMMON
		 "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:char comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
		 "\tfield:unsigned long clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n"
		 "\nprint fmt: \"%d\", REC->pid\n"},
	{"sched", "name: sched_process_exec\nID: 303\n" COMMON
		  "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
		  "\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
		  "\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->pid\n"},
	{"sched", "name: sched_process_fork\nID: 304\n" COMMON
		  "\tfield:char parent_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t parent_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		  "\tfield:char child_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
		  "\tfield:pid_t child_pid;\toffset:44;\tsize:4;\tsigned:1;\n"
		  "\nprint fmt: \"%d\", REC->child_pid\n"},
};

/* A sink that keeps the last result and all rows and text. */
struct tsink {
	struct sink k; /* first */
	struct cell *cells;
	size_t nrows;
	unsigned ncols, results, interims;
	struct buf strings, text;
	size_t streamed;
};

struct t {
	struct session s;
	struct arena *a;
	struct catalog *c;
	struct origin *o;
	struct event *vals, *other, *sw, *rename, *newtask, *exec, *fork;
	struct tsink sink[2];
	struct query *q[2];
	unsigned nq;
	struct engine *e;
	uint8_t data[256];
	struct rec r;
};

static inline void t_result(struct sink *k, const struct rowset *r, bool interim)
{
	struct tsink *t = (struct tsink *)k;
	size_t n = r->nrows * r->schema->n, room = 0;

	t->results++;
	t->interims += interim;
	t->nrows = r->nrows;
	t->ncols = r->schema->n;
	t->cells = realloc(t->cells, (n + 1) * sizeof(*t->cells));
	buf_clear(&t->strings);
	for (size_t i = 0; i < n; i++)
		room += r->cells[i].len + 1u;
	buf_reserve(&t->strings, room); /* so that it does not move any more */
	for (size_t i = 0; i < n; i++) {
		t->cells[i] = r->cells[i];
		if (!r->cells[i].p)
			continue;
		t->cells[i].p = t->strings.p + t->strings.len;
		buf_add(&t->strings, r->cells[i].p, r->cells[i].len);
		buf_putc(&t->strings, '\0');
	}
}

static inline void t_row(struct sink *k, const struct schema *s, const struct cell *cells)
{
	struct tsink *t = (struct tsink *)k;

	t->streamed++;
	for (unsigned i = 0; i < s->n; i++) {
		if (i)
			buf_putc(&t->text, ' ');
		if (cells[i].null)
			buf_puts(&t->text, "null");
		else if (cells[i].p)
			buf_add(&t->text, cells[i].p, cells[i].len);
		else
			buf_printf(&t->text, "%lld", (long long)cells[i].n);
	}
	buf_putc(&t->text, '\n');
}

static inline void t_text(struct sink *k, const char *p, size_t n)
{
	buf_add(&((struct tsink *)k)->text, p, n);
}

static inline void t_init(struct t *t)
{
	memset(t, 0, sizeof(*t));
	session_init(&t->s);
	t->a = arena_new();
	if (!t->s.diags) {
		t->s.diags = ARENA_NEW(t->a, struct diags);
		diags_init(t->s.diags, t->a);
	}
	t->c = catalog_new(&t->s);
	t->o = catalog_add_file(t->c, "test.dat");
	t->o->long_size = 8;
	for (size_t i = 0; i < sizeof(t_formats) / sizeof(t_formats[0]); i++)
		assert_int_equal(origin_put_format(t->o, t_formats[i][0], t_formats[i][1],
						   strlen(t_formats[i][1])),
				 0);
	t->vals = catalog_find(t->c, "test", "vals");
	t->other = catalog_find(t->c, "test", "other");
	t->sw = catalog_find(t->c, "sched", "sched_switch");
	t->rename = catalog_find(t->c, "task", "task_rename");
	t->newtask = catalog_find(t->c, "task", "task_newtask");
	t->exec = catalog_find(t->c, "sched", "sched_process_exec");
	t->fork = catalog_find(t->c, "sched", "sched_process_fork");
	assert_non_null(t->vals);
	assert_non_null(t->fork);
	for (int i = 0; i < 2; i++)
		t->sink[i].k = (struct sink){.result = t_result, .row = t_row, .text = t_text};
}

static inline void t_free(struct t *t)
{
	engine_free(t->e);
	for (int i = 0; i < 2; i++) {
		free(t->sink[i].cells);
		buf_free(&t->sink[i].strings);
		buf_free(&t->sink[i].text);
	}
	catalog_free(t->c);
	arena_free(t->a);
	session_free(&t->s);
}

/* ---- expressions ---- */
static inline struct expr *x_new(struct t *t, enum xop op, enum type_kind kind, enum sign sign)
{
	struct expr *e = ARENA_NEW(t->a, struct expr);

	e->op = op;
	e->type.kind = kind;
	e->type.sign = sign;
	return e;
}

static inline struct expr *x_lit(struct t *t, int64_t v)
{
	struct expr *e = x_new(t, XO_NUM, T_INT, SG_SIGNED);

	e->num = (uint64_t)v;
	e->type.literal = true;
	return e;
}

static inline struct expr *x_str(struct t *t, const char *s)
{
	struct expr *e = x_new(t, XO_STR, T_STR, SG_SIGNED);

	e->str = s;
	e->len = (uint32_t)strlen(s);
	return e;
}

static inline struct expr *x_field(struct t *t, const char *name)
{
	struct expr *e = x_new(t, XO_FIELD, T_INT,
			       name[0] == 'u' || name[0] == 'c' ? SG_UNSIGNED : SG_SIGNED);

	e->str = name;
	if (strcmp(name, "str") == 0 || strstr(name, "comm"))
		e->type.kind = T_STR;
	return e;
}

static inline struct expr *x_builtin(struct t *t, enum builtin b)
{
	struct expr *e =
		x_new(t, XO_BUILTIN, b == BI_COMM || b == BI_EVENT ? T_STR : T_INT, SG_SIGNED);

	e->builtin = b;
	return e;
}

static inline struct expr *x_slot(struct t *t, unsigned n, enum type_kind kind)
{
	struct expr *e = x_new(t, XO_SLOT, kind, SG_SIGNED);

	e->num = n;
	return e;
}

static inline struct expr *x_col(struct t *t, unsigned n, enum type_kind kind)
{
	struct expr *e = x_new(t, XO_COL, kind, SG_SIGNED);

	e->num = n;
	return e;
}

static inline struct expr *x_n(struct t *t, enum xop op, unsigned n, ...)
{
	struct expr *e = x_new(t, op, T_INT, SG_SIGNED);
	va_list ap;

	e->kids = ARENA_ARRAY(t->a, struct expr *, n);
	e->n = n;
	va_start(ap, n);
	for (unsigned i = 0; i < n; i++)
		e->kids[i] = va_arg(ap, struct expr *);
	va_end(ap);
	return e;
}

static inline struct expr *x_1(struct t *t, enum xop op, struct expr *a)
{
	return x_n(t, op, 1, a);
}

static inline struct expr *x_2(struct t *t, enum xop op, struct expr *a, struct expr *b)
{
	return x_n(t, op, 2, a, b);
}

static inline struct expr *x_fn(struct t *t, enum fn fn, enum type_kind kind, struct expr *a,
				struct expr *b)
{
	struct expr *e = x_n(t, XO_FN, b ? 2 : 1, a, b);

	e->fn = fn;
	e->type.kind = kind;
	return e;
}

/* ---- queries ---- */
static inline struct pipe *p_events(struct t *t, struct event *a, struct event *b)
{
	struct pipe *p = ARENA_NEW(t->a, struct pipe);

	p->src = ARENA_NEW(t->a, struct src);
	p->src->evs.v = ARENA_ARRAY(t->a, struct event *, 2);
	p->src->evs.v[0] = a;
	p->src->evs.v[1] = b;
	p->src->evs.n = b ? 2 : 1;
	return p;
}

static inline struct op *p_op(struct t *t, struct pipe *p, enum op_kind kind)
{
	struct op **o = &p->ops;

	while (*o)
		o = &(*o)->next;
	*o = ARENA_NEW(t->a, struct op);
	(*o)->kind = kind;
	return *o;
}

static inline void op_keys(struct t *t, struct op *o, unsigned n, ...)
{
	va_list ap;

	o->keys = ARENA_ARRAY(t->a, struct key, n + 1);
	o->nkeys = n;
	va_start(ap, n);
	for (unsigned i = 0; i < n; i++) {
		o->keys[i].e = va_arg(ap, struct expr *);
		o->keys[i].name = "k";
	}
	va_end(ap);
}

static inline struct agg *op_agg(struct t *t, struct op *o, enum agg_kind kind, struct expr *e)
{
	size_t n = o->naggs;

	ARENA_PUSH(t->a, o->aggs, n, ((struct agg){.kind = kind, .e = e, .name = "v"}));
	o->naggs = (unsigned)n;
	return &o->aggs[n - 1];
}

/* the query of @p, with @ncols columns in its result */
static inline struct query *q_add(struct t *t, struct pipe *p, unsigned ncols, unsigned nslots)
{
	struct query *q = ARENA_NEW(t->a, struct query);

	q->arena = t->a;
	q->pipe = p;
	q->nslots = nslots;
	p->schema.n = ncols;
	p->schema.cols = ARENA_ARRAY(t->a, struct column, ncols + 1);
	t->q[t->nq++] = q;
	return q;
}

static inline void t_start(struct t *t)
{
	struct sink *k[2] = {&t->sink[0].k, &t->sink[1].k};

	t->e = engine_new(&t->s, t->c, t->q, k, t->nq);
	assert_non_null(t->e);
}

/* ---- records ---- */
static inline void put(struct t *t, unsigned off, unsigned size, uint64_t v)
{
	memcpy(t->data + off, &v, size);
}

static inline void put_str(struct t *t, unsigned off, const char *s)
{
	strncpy((char *)t->data + off, s, 16);
}

/* begin a record of @ev by task @tid; the fields are put then */
static inline void r_begin(struct t *t, struct event *ev, int tid, int cpu, uint64_t ts)
{
	memset(t->data, 0, sizeof(t->data));
	put(t, 0, 2, (uint64_t)ev->id);
	put(t, 4, 4, (uint64_t)tid);
	t->r = (struct rec){
		.ev = ev, .origin = t->o, .data = t->data, .len = 128, .cpu = cpu, .ts = ts};
}

static inline void feed_vals(struct t *t, uint64_t ts, int64_t s64, uint64_t u64, const char *str)
{
	r_begin(t, t->vals, 7, 0, ts);
	put(t, 24, 8, (uint64_t)s64);
	put(t, 32, 8, u64);
	put_str(t, 40, str);
	engine_feed(t->e, &t->r);
}

static inline const struct cell *cell_at(const struct t *t, unsigned i, size_t row, unsigned col)
{
	assert_true(row < t->sink[i].nrows && col < t->sink[i].ncols);
	return &t->sink[i].cells[row * t->sink[i].ncols + col];
}

#define assert_cell(t, row, col, v)                                                                \
	do {                                                                                       \
		const struct cell *c_ = cell_at((t), 0, (row), (col));                             \
		assert_false(c_->null);                                                            \
		assert_true(c_->n == (__int128)(v));                                               \
	} while (0)
#define assert_text(t, row, col, v)                                                                \
	do {                                                                                       \
		const struct cell *c_ = cell_at((t), 0, (row), (col));                             \
		assert_false(c_->null);                                                            \
		assert_non_null(c_->p);                                                            \
		assert_int_equal(c_->len, strlen(v));                                              \
		assert_memory_equal(c_->p, (v), c_->len);                                          \
	} while (0)

#endif
