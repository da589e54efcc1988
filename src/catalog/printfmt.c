/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A strict parser of print formats. It owns nothing of how records are shown: it says whether a
 * text is safe to hand to libtraceevent and collects the names that a format gives to values.
 */
#include "catalog/printfmt.h"
#include "catalog/printfmt_lex.h"

#include <string.h>

#define MAX_DEPTH 100

struct pf {
	const char *p;
	struct pf_token t;
	unsigned depth;
	struct arena *a; /* NULL: only validate */
	struct field *fields;
	unsigned nfields;
};

/* What an expression is, as far as names of values care. */
struct pval {
	bool konst;
	uint64_t v;
	struct field *field; /* REC->field, maybe cast or masked */
	struct field *flags; /* __print_flags of this field */
	bool is_str;
	const char *str; /* string literal, decoded; only with an arena */
};

static void lex(struct pf *f)
{
	f->p = pf_lex(f->p, &f->t);
}

static bool is(const struct pf *f, const char *s)
{
	return pf_is(&f->t, s);
}

static bool eat(struct pf *f, const char *s)
{
	if (!is(f, s))
		return false;
	lex(f);
	return true;
}

static bool expression(struct pf *f, struct pval *v);
static bool unary(struct pf *f, struct pval *v);

static struct field *find_field(struct pf *f, const char *s, size_t n)
{
	for (unsigned i = 0; i < f->nfields; i++) {
		if (strlen(f->fields[i].name) == n && memcmp(f->fields[i].name, s, n) == 0)
			return &f->fields[i];
	}
	return NULL;
}

/* One or more string literals in a row. */
static bool string(struct pf *f, struct pval *v)
{
	struct buf b = {0};

	if (f->t.kind != PF_STR)
		return false;
	for (; f->t.kind == PF_STR; lex(f))
		buf_add(&b, f->t.text + 1, f->t.len - 2);
	v->is_str = true;
	if (f->a)
		v->str = arena_strdup(f->a, buf_str(&b));
	buf_free(&b);
	return true;
}

/* `{ value, "name" }, { value, "name" }` ... up to the closing bracket of the call */
static bool name_rows(struct pf *f, struct symname **rows, unsigned *n)
{
	size_t count = 0;

	*rows = NULL;
	while (eat(f, "{")) {
		struct pval value = {0}, name = {0};

		if (eat(f, "}"))
			break; /* an empty table: `{ }` */
		if (!expression(f, &value) || !eat(f, ",") || !expression(f, &name) || !eat(f, "}"))
			return false;
		if (f->a && value.konst && name.str) {
			struct symname row = {.value = value.v, .name = name.str};

			ARENA_PUSH(f->a, *rows, count, row);
		}
		if (!eat(f, ","))
			break;
	}
	*n = (unsigned)count;
	return true;
}

static bool print_symbolic(struct pf *f, struct pval *v)
{
	struct pval x = {0};
	struct symname *rows;
	unsigned n;

	if (!expression(f, &x) || !eat(f, ",") || !name_rows(f, &rows, &n) || !eat(f, ")"))
		return false;
	if (x.field && n) {
		x.field->syms = rows;
		x.field->nsyms = n;
	}
	v->is_str = true;
	return true;
}

static bool print_flags(struct pf *f, struct pval *v)
{
	struct pval x = {0}, delim = {0};
	struct symname *rows;
	unsigned n;

	if (!expression(f, &x) || !eat(f, ",") || !expression(f, &delim) || !delim.is_str ||
	    !eat(f, ",") || !name_rows(f, &rows, &n) || !eat(f, ")"))
		return false;
	if (x.field && n) {
		x.field->flags = rows;
		x.field->nflags = n;
		x.field->delim = delim.str;
		v->flags = x.field;
	}
	v->is_str = true;
	return true;
}

/* Words of a type: "unsigned long", "struct foo *"; at the closing bracket when it is one. */
static bool type_name(struct pf *f)
{
	unsigned words = 0;

	for (; f->t.kind == PF_IDENT; lex(f))
		words++;
	while (words && eat(f, "*"))
		;
	return words && is(f, ")");
}

static bool call(struct pf *f, const char *name, size_t n, struct pval *v)
{
	struct pf save;

#define NAMED(s) (n == strlen(s) && memcmp(name, s, n) == 0)
	if (NAMED("__print_symbolic") || NAMED("__print_symbolic_u64"))
		return print_symbolic(f, v);
	if (NAMED("__print_flags") || NAMED("__print_flags_u64"))
		return print_flags(f, v);
	save = *f;
	if (NAMED("sizeof") && type_name(f))
		return eat(f, ")");
	*f = save;
#undef NAMED
	if (eat(f, ")"))
		return true;
	do {
		struct pval x = {0};

		if (is(f, "{")) {
			struct symname *rows;
			unsigned rn;

			if (!name_rows(f, &rows, &rn))
				return false;
			break;
		}
		if (!expression(f, &x))
			return false;
	} while (eat(f, ","));
	return eat(f, ")");
}

static bool primary(struct pf *f, struct pval *v)
{
	const char *name = f->t.text;
	size_t n = f->t.len;

	if (f->t.kind == PF_NUM) {
		v->konst = true;
		v->v = f->t.num;
		lex(f);
		return true;
	}
	if (f->t.kind == PF_CHAR) {
		lex(f);
		return true;
	}
	if (f->t.kind == PF_STR)
		return string(f, v);
	if (eat(f, "(")) {
		struct pf save = *f;

		/* a cast, if a type name and then an operand follow */
		if (f->t.kind == PF_IDENT && !is(f, "REC") && type_name(f)) {
			lex(f);
			if (f->t.kind == PF_IDENT || f->t.kind == PF_NUM || f->t.kind == PF_STR ||
			    is(f, "(") || is(f, "-") || is(f, "~") || is(f, "!") || is(f, "*") ||
			    is(f, "&"))
				return unary(f, v);
		}
		*f = save;
		return expression(f, v) && eat(f, ")");
	}
	if (f->t.kind != PF_IDENT)
		return false;
	lex(f);
	if (eat(f, "("))
		return call(f, name, n, v);
	return true;
}

static bool postfix(struct pf *f, struct pval *v)
{
	const char *start = f->t.text;
	bool rec;

	if (!primary(f, v))
		return false;
	rec = strncmp(start, "REC", 3) == 0 || strncmp(start, "(REC)", 5) == 0;
	for (;;) {
		if (is(f, "->") || is(f, ".")) {
			bool arrow = is(f, "->");

			lex(f);
			if (f->t.kind != PF_IDENT)
				return false;
			v->field = rec && arrow ? find_field(f, f->t.text, f->t.len) : NULL;
			rec = false;
			lex(f);
		} else if (eat(f, "[")) {
			struct pval x = {0};

			if (!expression(f, &x) || !eat(f, "]"))
				return false;
			memset(v, 0, sizeof(*v));
		} else {
			return true;
		}
	}
}

static bool unary(struct pf *f, struct pval *v)
{
	bool ok;

	if (++f->depth > MAX_DEPTH)
		return false;
	if (is(f, "-") || is(f, "~") || is(f, "!") || is(f, "+") || is(f, "*") || is(f, "&")) {
		char op = f->t.text[0];

		lex(f);
		ok = unary(f, v);
		if (v->konst)
			v->v = op == '-' ? -v->v : op == '~' ? ~v->v : op == '!' ? !v->v : v->v;
		v->field = NULL;
	} else {
		ok = postfix(f, v);
	}
	f->depth--;
	return ok;
}

static int priority(const struct pf *f)
{
	static const struct {
		const char *op;
		int prio;
	} ops[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
		   {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
		   {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (f->t.kind == PF_OP && is(f, ops[i].op))
			return ops[i].prio;
	}
	return 0;
}

static uint64_t fold(const char *op, size_t n, uint64_t a, uint64_t b)
{
	if (n == 2) {
		switch (op[0]) {
		case '<': return op[1] == '<' ? (b < 64 ? a << b : 0) : a <= b;
		case '>': return op[1] == '>' ? (b < 64 ? a >> b : 0) : a >= b;
		case '=': return a == b;
		case '!': return a != b;
		case '&': return a && b;
		default: return a || b;
		}
	}
	switch (op[0]) {
	case '|': return a | b;
	case '^': return a ^ b;
	case '&': return a & b;
	case '<': return a < b;
	case '>': return a > b;
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return b ? a / b : 0;
	default: return b ? a % b : 0;
	}
}

static bool binary(struct pf *f, struct pval *v, int min)
{
	int prio;

	if (!unary(f, v))
		return false;
	while ((prio = priority(f)) >= min && prio) {
		const char *op = f->t.text;
		size_t n = f->t.len;
		struct pval r = {0}, res = {0};

		lex(f);
		if (!binary(f, &r, prio + 1))
			return false;
		if (v->konst && r.konst) {
			res.konst = true;
			res.v = fold(op, n, v->v, r.v);
		} else if (n == 1 && *op == '&') {
			res.field = v->field && r.konst   ? v->field
				    : r.field && v->konst ? r.field
							  : NULL;
		}
		*v = res;
	}
	return true;
}

/* `flags ? __print_flags(...) : "R"`: what stands for no flag is a name of the value 0. */
static void name_zero(struct pf *f, const struct pval *yes, const struct pval *no)
{
	struct field *fl = yes->flags;
	struct symname row = {.value = 0, .name = no->str};
	struct symname *rows;

	if (!fl || !no->str || !f->a)
		return;
	rows = ARENA_ARRAY(f->a, struct symname, fl->nflags + 1);
	memcpy(rows, fl->flags, fl->nflags * sizeof(*rows));
	rows[fl->nflags++] = row;
	fl->flags = rows;
}

static bool expression(struct pf *f, struct pval *v)
{
	bool ok;

	if (++f->depth > MAX_DEPTH)
		return false;
	ok = binary(f, v, 1);
	if (ok && eat(f, "?")) {
		struct pval a = {0}, b = {0};

		ok = expression(f, &a) && eat(f, ":") && expression(f, &b);
		if (ok)
			name_zero(f, &a, &b);
		memset(v, 0, sizeof(*v));
		v->is_str = a.is_str && b.is_str;
	}
	f->depth--;
	return ok;
}

static bool whole(struct pf *f)
{
	struct pval v = {0};

	lex(f);
	if (!string(f, &v))
		return false;
	while (eat(f, ",")) {
		memset(&v, 0, sizeof(v));
		if (!expression(f, &v))
			return false;
	}
	return f->t.kind == PF_END;
}

bool printfmt_valid(const char *print_fmt)
{
	struct pf f = {.p = print_fmt};

	return whole(&f);
}

int printfmt_symbols(struct arena *a, const char *print_fmt, struct field *fields, unsigned nfields)
{
	struct pf f = {.p = print_fmt, .a = a, .fields = fields, .nfields = nfields};

	return whole(&f) ? 0 : -1;
}
