/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of check/, stage/ and source/ share while one pipeline is checked: the checker
 * with its current scope, and the helpers that stages and sources are written with. Nothing above
 * those three folders includes this.
 */
#ifndef TRACESH_CHECK_CHECKER_H
#define TRACESH_CHECK_CHECKER_H

#include "check/block.h"
#include "check/check.h"

struct checker;
struct scope;

/* What a name stands for beside fields: a `let`, a column. */
struct binding {
	const char *name;  /* as shown */
	const char *canon; /* canonical text, by which rows are looked up */
	struct type type;
	unsigned at;                  /* slot or column */
	const struct field *symfield; /* the field it was taken from, when that names its values */
	bool failed; /* its definition was wrong: no further errors because of it */
};

/* Names a source adds to those of its events (syscall: its arguments, ret, name). */
struct source_names {
	/* the expression of @name, or NULL without a diag when there is no such name */
	struct expr *(*find)(struct checker *ck, struct scope *sc, const char *name,
			     struct span at);
	/* all names, for hints */
	void (*list)(struct checker *ck, struct scope *sc, void (*add)(void *arg, const char *name),
		     void *arg);
	void *priv;
};

/* What names mean at the end of a pipe, as far as it is checked. One for each pipe. */
struct scope {
	struct pipe *pipe;
	struct binding *lets; /* events: slots; rows: columns */
	size_t nlets;
	const struct source_names *names; /* of the source, or NULL */
	struct scope *next;
};

struct checker {
	struct session *s;
	struct catalog *c;
	struct arena *a;
	struct diags *d;
	const struct check_env *env;
	struct query *q;
	struct scope *scope;    /* where expressions are looked up now */
	struct scope *scopes;   /* all of this query */
	const struct node *top; /* the N_PIPELINE being checked */
	const char *within[16]; /* named pipelines that are being looked into */
	unsigned nwithin;
	unsigned nested;    /* depth of sub-pipelines */
	enum render render; /* set by an output stage */
	bool render_set;
	/* blocks */
	struct globals *globals;
	struct block *block;  /* being checked, or NULL */
	struct local *locals; /* of the `for`s around the statement, innermost first */
};

/* The name of a `for`: the keys of the entry it is at. */
struct local {
	const char *name;
	const struct bmap *map;
	unsigned at; /* number of its first key among the block's */
	struct local *outer;
};

/* ---- scope.c ---- */
struct scope *scope_new(struct checker *ck, struct pipe *p);
struct scope *scope_of(struct checker *ck, const struct pipe *p);
/* scope_name - a bare name; NULL with a diag (@quiet: without one) */
struct expr *scope_name(struct checker *ck, struct scope *sc, const char *name, struct span at,
			bool quiet);
/**
 * scope_dot - `start.F`, `end.F`, `task.F`
 * Returns the expression; NULL with *@mine set when it was one of these and is wrong (diag pushed),
 * NULL with *@mine false when the E_DOT is a suffix.
 */
struct expr *scope_dot(struct checker *ck, const struct node *n, bool *mine);
/* scope_bind - add a `let` or a column */
struct binding *scope_bind(struct checker *ck, struct scope *sc, const char *name,
			   const char *canon, struct type t, unsigned at,
			   const struct field *symfield);
/* scope_column - the column that expression @n names; NULL when there is none */
const struct binding *scope_column(const struct scope *sc, const struct node *n);
/* scope_no_column - push "unknown-column" for @n */
void scope_no_column(struct checker *ck, const struct scope *sc, const struct node *n);
/* scope_rows - from here on names are the columns of @schema */
void scope_rows(struct checker *ck, struct scope *sc, const struct schema *schema,
		const char *const *canons, const struct field *const *symfields);
/* scope_field - XO_FIELD over @evs if any of them has it, else NULL */
struct expr *scope_field(struct checker *ck, const struct event_list *evs, const char *name,
			 struct span at);
struct expr *scope_builtin(struct checker *ck, const struct event_list *evs, enum builtin b,
			   struct span at);
enum builtin builtin_find(const char *name);
const char *builtin_name(enum builtin b);
/* scope_save - slot in which pair @pair keeps @e of its start, under @name; made when first asked
 */
struct expr *scope_save(struct checker *ck, struct src *pair, struct expr *e, const char *name,
			struct span at);

/* ---- source.c ---- */
/* check_pipeline - source and stages of an N_PIPELINE; NULL with a diag */
struct pipe *check_pipeline(struct checker *ck, const struct node *n);
/* check_source - any source node as a pipe of its own; NULL with a diag */
struct pipe *check_source(struct checker *ck, const struct node *n);
struct pipe *pipe_new(struct checker *ck, struct src *src);
struct src *src_new(struct checker *ck, enum src_kind kind, const struct node *n);
void evs_add(struct checker *ck, struct event_list *l, struct event *e);
void evs_join(struct checker *ck, struct event_list *l, const struct event_list *more);

/* Implemented by stage/ and source/, which stand above: the rows are theirs. */
int stage_check(struct checker *ck, const struct node *st, struct pipe *p);
int stage_finish(struct checker *ck, struct pipe *p);
struct src *source_check(struct checker *ck, const struct node *n);
const struct source_names *source_names_of(struct checker *ck, const struct src *src);

/* ---- pair.c ---- */
struct src *check_pair(struct checker *ck, const struct node *n);

/* ---- expr.c ---- */
/* check_expr - in ck->scope; NULL with a diag */
struct expr *check_expr(struct checker *ck, const struct node *n);
/* check_cond - an expression that is true or false */
struct expr *check_cond(struct checker *ck, const struct node *n);
/* check_number - an expression whose values can be added up and compared; @who for the message */
struct expr *check_number(struct checker *ck, const struct node *n, const char *who);
/* constants of the script; 0 or -1 with a diag */
int check_uint(struct checker *ck, const struct node *n, const char *what, uint64_t min,
	       uint64_t max, uint64_t *out);
int check_int(struct checker *ck, const struct node *n, const char *what, int64_t *out);
/* check_duration - ns; plain numbers are seconds when @seconds, else an error */
int check_duration(struct checker *ck, const struct node *n, bool seconds, uint64_t *ns);
const char *check_string(struct checker *ck, const struct node *n, const char *what, uint32_t *len);
/* check_written - the text of @n as written (column names, messages); check_canon - as ast_print
 * has it */
const char *check_written(struct checker *ck, const struct node *n);
const char *check_canon(struct checker *ck, const struct node *n);
/* check_var - the constant a shell variable stands for */
struct expr *check_var(struct checker *ck, const struct node *n);
/* check_decoded - decoded bytes of an E_STRING with its $-references replaced */
const char *check_decoded(struct checker *ck, const struct node *n, uint32_t *len);

/* check_format - do the arguments of a printf fit its format; 0 or -1 with a diag (format.c) */
int check_format(struct checker *ck, const struct node *s, const char *fmt, uint32_t len,
		 struct expr *const *args, unsigned nargs);

/* ---- block.c, block_map.c ---- */
/* check_block - an N_BLOCK in the current scope; NULL with a diag */
struct block *check_block(struct checker *ck, const struct node *n, enum hook hook);
/* check_map - @m[keys] as a value; check_inmap - `k in @m`; check_block_var - $x in a block */
struct expr *check_map(struct checker *ck, const struct node *n);
struct expr *check_inmap(struct checker *ck, const struct node *n);
struct expr *check_block_var(struct checker *ck, const struct node *n);
/* check_local - a name of a `for` around, or what belongs to it (k.comm); NULL without a diag: none
 */
struct expr *check_local(struct checker *ck, const struct node *n);
/* check_hook_name - a name in a block without events: the time, else a diag */
struct expr *check_hook_name(struct checker *ck, const struct node *n);
/* map_get - the map of that name, made when new */
struct bmap *map_get(struct checker *ck, const struct node *n);
/* map_keys - the keys of an E_MAP, checked and fitting; @stores: its names go before others; -1
 * with a diag */
int map_keys(struct checker *ck, struct bmap *m, const struct node *n, bool stores,
	     struct expr ***keys, unsigned *nkeys);
/* map_value - @m stores @e, or takes it into @agg; -1 with a diag where it holds something else */
int map_value(struct checker *ck, struct bmap *m, const struct node *n, const struct agg *agg,
	      const struct expr *e);
struct bvar *var_get_run(struct checker *ck, const char *name);
int var_value(struct checker *ck, struct bvar *v, const struct node *n, const struct expr *e);

/* ---- expr_types.c ---- */
struct expr *expr_new(struct checker *ck, enum xop op, struct type t, struct span at);
void expr_add(struct checker *ck, struct expr *e, struct expr *kid);
struct expr *expr_num(struct checker *ck, uint64_t num, struct type t, struct span at);
struct expr *expr_str(struct checker *ck, const char *s, uint32_t len, struct span at);
struct expr *expr_2(struct checker *ck, enum xop op, struct type t, struct expr *a, struct expr *b);
/* expr_call - @fn of @e */
struct expr *expr_call(struct checker *ck, enum fn fn, struct type t, struct expr *e,
		       struct span at);
/* expr_first - @a where it is not null, else @b */
struct expr *expr_first(struct checker *ck, struct expr *a, struct expr *b);
struct expr *expr_fold(struct checker *ck, struct expr *e);
struct type type_int(enum sign s);
struct type type_time(void);
struct type type_str(void);
struct type type_bool(void);
struct type type_of_field(const struct field *f);
bool type_is_int(struct type t);      /* INT, TIME, BOOL, ADDR; NULL passes */
bool type_is_num(struct type t);      /* those and DEC */
bool type_is_str(struct type t);      /* STR, STACK; NULL passes */
const char *type_word(struct type t); /* "a number", "a string" ... */
/* type_unify - of two values one of which is taken (?:, a field of several events); false: they do
 * not fit */
bool type_unify(struct type a, struct type b, struct type *out);
/* expr_symfield - the first field behind @e whose print format names values, or NULL */
const struct field *expr_symfield(const struct expr *e);

/* ---- expr_ops.c, expr_names.c, expr_fn.c, suffix.c, regex.c ---- */
struct expr *check_unary(struct checker *ck, const struct node *n);
struct expr *check_binary(struct checker *ck, const struct node *n);
struct expr *check_ternary(struct checker *ck, const struct node *n);
struct expr *check_in(struct checker *ck, const struct node *n);
struct expr *check_arith(struct checker *ck, enum xop op, struct expr *a, struct expr *b,
			 struct span at);
/* expr_names - @e == / != / has the value name @s; NULL with a diag */
struct expr *expr_names(struct checker *ck, enum xop op, struct expr *e, const struct node *left,
			struct expr *s);
struct expr *check_call(struct checker *ck, const struct node *n);
struct expr *check_suffix(struct checker *ck, const struct node *n);
struct expr *check_regex(struct checker *ck, struct expr *left, const struct node *right,
			 struct span at);

/* ---- for stages: check.c ---- */
/* check_op - append an op of this stage */
struct op *check_op(struct checker *ck, struct pipe *p, enum op_kind kind, const struct node *st);
struct op *pipe_last(const struct pipe *p);
/* check_keys - the expressions of a list of nodes, with their names; -1 with a diag */
int check_keys(struct checker *ck, struct node *const *v, size_t n, struct key **keys,
	       unsigned *nkeys, const char ***canons);
/* check_tasks - the query needs the names or processes of tasks */
void check_tasks(struct checker *ck);
int check_not_yet(struct checker *ck, struct span at, const char *what);

#endif
