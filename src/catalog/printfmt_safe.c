/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * May libtraceevent print by this format? It divides by zero, indexes arrays without a bound, takes
 * any argument for a buffer and a record's word for a count. So of the well-formed texts only those
 * pass that do nothing of the kind; for what depends on the record, the fields to look at are
 * given. Works on the flat tokens: what the grammar allows is printfmt.c's.
 */
#include "catalog/printfmt.h"
#include "catalog/printfmt_lex.h"

#include <ctype.h>
#include <string.h>

#define MAX_TEXT 65536  /* the kernel's longest is 5,000 */
#define MAX_TOKENS 8192 /* libtraceevent recurses for each operator */
#define MAX_BYTES 32768 /* that a count may ask for */
#define MAX_INDEX 512
#define MAX_WIDTH 4096 /* of `%*d`, `%.*s` */
#define MAX_STARS 64

struct safe {
	struct arena *a;
	const struct field *fields;
	unsigned nfields;
	struct pf_token *t; /* ends with PF_END */
	size_t n;
	unsigned stars[MAX_STARS]; /* arguments that are widths of something but a pointer */
	unsigned nstars;
	struct printfmt_limit *limits;
	size_t nlimits;
};

static const struct field *field_of(const struct safe *s, const struct pf_token *t)
{
	for (unsigned i = 0; t->kind == PF_IDENT && i < s->nfields; i++) {
		if (strlen(s->fields[i].name) == t->len &&
		    memcmp(s->fields[i].name, t->text, t->len) == 0)
			return &s->fields[i];
	}
	return NULL;
}

static bool is_loc(const struct field *f)
{
	return f && (f->kind == FK_DYN || f->kind == FK_DYN_ARRAY || f->kind == FK_REL ||
		     f->kind == FK_REL_ARRAY);
}

static void limit(struct safe *s, const struct field *f, uint64_t max)
{
	struct printfmt_limit l = {.field = f, .max = max};

	ARENA_PUSH(s->a, s->limits, s->nlimits, l);
}

/* ---- conversions ---- */

/* One conversion at @p ('%'): how many arguments it takes; where it ends; is one of them a width */
static bool conversion(const char **p, unsigned *args, bool *star)
{
	const char *start = *p, *q = start + 1;
	bool modified = false;
	unsigned digits = 0;

	*args = 0;
	*star = false;
	for (;; q++) {
		digits = isdigit((unsigned char)*q) ? digits + 1 : 0;
		if (digits > 2 || q - start > 20)
			return false;
		if (*q == '*') {
			if (*star)
				return false;
			*star = true;
			(*args)++;
		} else if (*q && strchr("hlLzZ", *q)) {
			modified = true;
		} else if (!*q || !strchr("#.0123456789-+", *q)) {
			break;
		}
	}
	if (*q && strchr("cduixXosp", *q))
		(*args)++;
	/* wide characters */
	if ((*q == 's' || *q == 'c') && modified)
		return false;
	if (*q == 'p')
		*star = false; /* a length that %*ph bounds itself */
	*p = *q ? q + 1 : q;
	return true;
}

/* The conversions of the literal @s of @n bytes, with C escapes as written; NUL-terminated. */
static bool conversions(struct safe *sf, const char *s, size_t n)
{
	const char *p = s, *end = s + n;
	unsigned arg = 0;

	while (p < end) {
		unsigned args;
		bool star;

		if ((*p == '\\' && p + 1 < end) || (*p == '%' && p[1] == '%')) {
			p += 2;
			continue;
		}
		if (*p != '%') {
			p++;
			continue;
		}
		if (!conversion(&p, &args, &star))
			return false;
		if (star && sf->nstars == MAX_STARS)
			return false;
		if (star)
			sf->stars[sf->nstars++] = arg;
		arg += args;
	}
	return true;
}

bool printfmt_conversions_safe(const char *s, size_t n)
{
	struct safe sf = {0};

	return conversions(&sf, s, n) && sf.nstars == 0;
}

/* ---- operators ---- */

static bool after_operand(const struct pf_token *t)
{
	static const char *const ops[] = {")", ",", "}",  ":",  "?",  "+",  "-",  "<",  ">",  "&",
					  "|", "^", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (pf_is(t, ops[i]))
			return true;
	}
	return t->kind == PF_END;
}

/* sizeof(TYPE) of a known size, at @t; its tokens are counted in @n */
static unsigned size_of(const struct pf_token *t, unsigned *n)
{
	static const struct {
		const char *name;
		unsigned size;
	} types[] = {{"u8", 1},  {"s8", 1},  {"char", 1}, {"u16", 2}, {"s16", 2},
		     {"u32", 4}, {"s32", 4}, {"int", 4},  {"u64", 8}, {"s64", 8}};
	const struct pf_token *name = t + 2;

	if (!pf_is(t, "sizeof") || !pf_is(t + 1, "("))
		return 0;
	if (pf_is(name, "unsigned"))
		name++;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (pf_is(name, types[i].name) && pf_is(name + 1, ")")) {
			*n = (unsigned)(name + 2 - t);
			return types[i].size;
		}
	}
	return 0;
}

/* A number that nothing can change: a literal, or sizeof. 0: none. */
static uint64_t plain_number(const struct pf_token *t, unsigned *n)
{
	*n = 1;
	return t->kind == PF_NUM ? t->num : size_of(t, n);
}

/* Division only by what is plainly not zero, and nothing that binds as strongly may follow:
 * libtraceevent takes `a / 5 * 0` for a / (5 * 0). */
static bool division(const struct pf_token *t)
{
	unsigned n;

	return plain_number(t + 1, &n) != 0 && after_operand(t + 1 + n);
}

static bool indexing(const struct pf_token *t)
{
	return t[1].kind == PF_NUM && t[1].num < MAX_INDEX && pf_is(&t[2], "]");
}

/* ---- calls ---- */

/* `__get_dynamic_array(NAME)` or `REC->NAME`: where a buffer begins; its tokens, 0 if it is none */
static unsigned buffer_arg(const struct safe *s, const struct pf_token *t)
{
	if (pf_is(t, "REC") && pf_is(t + 1, "->") && field_of(s, t + 2))
		return 3;
	if ((pf_is(t, "__get_dynamic_array") || pf_is(t, "__get_rel_dynamic_array")) &&
	    pf_is(t + 1, "(") && is_loc(field_of(s, t + 2)) && pf_is(t + 3, ")"))
		return 4;
	return 0;
}

/* How many elements of @el bytes: a number, a field (then limited), or an array's length */
static unsigned count_arg(struct safe *s, const struct pf_token *t, unsigned el)
{
	const struct field *f;
	uint64_t div = 1;
	unsigned n;

	if (t->kind == PF_NUM)
		return t->num <= MAX_BYTES / el ? 1 : 0;
	if (pf_is(t, "REC") && pf_is(t + 1, "->")) {
		f = field_of(s, t + 2);
		if (!f || f->kind != FK_INT)
			return 0;
		limit(s, f, MAX_BYTES / el);
		return 3;
	}
	if (!pf_is(t, "__get_dynamic_array_len") || !pf_is(t + 1, "("))
		return 0;
	if (pf_is(t + 4, "/")) {
		div = plain_number(t + 5, &n);
		n += 5;
	} else {
		n = 4;
	}
	return div >= el ? n : 0; /* the array's name is looked at as a call of its own */
}

/* __print_hex(BUFFER, COUNT), __print_array(BUFFER, COUNT, SIZE) */
static bool print_buffer(struct safe *s, const struct pf_token *t, bool array)
{
	unsigned n = buffer_arg(s, t), el = 1, k = 0;
	const struct pf_token *count;

	if (!n || !pf_is(t + n, ","))
		return false;
	count = t + n + 1;
	if (array) { /* the size stands behind the count: look for it first */
		const struct pf_token *p = count;

		while (p->kind != PF_END && !pf_is(p, ","))
			p++;
		if (p->kind == PF_END)
			return false;
		el = (unsigned)plain_number(p + 1, &k);
		if ((el != 1 && el != 2 && el != 4 && el != 8) || !pf_is(p + 1 + k, ")"))
			return false;
		n = count_arg(s, count, el);
		return n && count + n == p;
	}
	n = count_arg(s, count, 1);
	return n && pf_is(count + n, ")");
}

static bool one_of(const struct pf_token *t, const char *const *names)
{
	for (; *names; names++) {
		if (pf_is(t, *names))
			return true;
	}
	return false;
}

/* The call whose name is @t and whose bracket follows. */
static bool call(struct safe *s, const struct pf_token *t)
{
	static const char *const any[] = {"__print_flags",      "__print_flags_u64",
					  "__print_symbolic",   "__print_symbolic_u64",
					  "__builtin_expect",   "sizeof",
					  "jiffies_to_msecs",   "jbd2_dev_to_name",
					  "xen_hypercall_name", NULL};
	static const char *const dynamic[] = {"__get_str",
					      "__get_rel_str",
					      "__get_bitmask",
					      "__get_rel_bitmask",
					      "__get_cpumask",
					      "__get_rel_cpumask",
					      "__get_sockaddr",
					      "__get_rel_sockaddr",
					      "__get_dynamic_array",
					      "__get_rel_dynamic_array",
					      NULL};
	const struct field *f = field_of(s, t + 2);

	if (one_of(t, any))
		return true;
	if (one_of(t, dynamic))
		return is_loc(f) && pf_is(t + 3, ")");
	if (pf_is(t, "__get_dynamic_array_len")) /* of a relative one: it writes to NULL */
		return f && (f->kind == FK_DYN || f->kind == FK_DYN_ARRAY) && pf_is(t + 3, ")");
	if (pf_is(t, "__print_hex") || pf_is(t, "__print_hex_str"))
		return print_buffer(s, t + 2, false);
	if (pf_is(t, "__print_array"))
		return print_buffer(s, t + 2, true);
	if (pf_is(t, "scsi_trace_parse_cdb"))
		return t[2].kind == PF_IDENT && pf_is(t + 3, ",") &&
		       pf_is(t + 4, "__get_dynamic_array") && pf_is(t + 8, ",");
	return false; /* a function of a plugin may follow any pointer */
}

static bool operators(struct safe *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct pf_token *t = &s->t[i];

		if ((pf_is(t, "/") || pf_is(t, "%")) && !division(t))
			return false;
		if (pf_is(t, "[") && !indexing(t))
			return false;
		if (t->kind == PF_IDENT && pf_is(t + 1, "(") && !call(s, t))
			return false;
		if (t->kind == PF_BAD)
			return false;
	}
	return true;
}

/* ---- arguments that are widths ---- */

/* A width: a small number, or a field that must hold one; libtraceevent forgets to pass the string
 * when it is negative. */
static bool width(struct safe *s, const struct pf_token *t, const struct pf_token *end)
{
	const struct field *f;

	if (pf_is(t, "(") && pf_is(t + 1, "int") && pf_is(t + 2, ")"))
		t += 3;
	if (t + 1 == end)
		return t->kind == PF_NUM && t->num <= MAX_WIDTH;
	if (t + 3 != end || !pf_is(t, "REC") || !pf_is(t + 1, "->"))
		return false;
	f = field_of(s, t + 2);
	if (!f || f->kind != FK_INT)
		return false;
	limit(s, f, MAX_WIDTH);
	return true;
}

static bool widths(struct safe *s)
{
	unsigned arg = 0, star = 0;
	size_t i = 0, start;

	while (s->t[i].kind == PF_STR)
		i++;
	while (pf_is(&s->t[i], ",") && star < s->nstars) {
		int depth = 0;

		for (start = ++i; s->t[i].kind != PF_END; i++) {
			if (depth == 0 && pf_is(&s->t[i], ","))
				break;
			if (pf_is(&s->t[i], "(") || pf_is(&s->t[i], "[") || pf_is(&s->t[i], "{"))
				depth++;
			if (pf_is(&s->t[i], ")") || pf_is(&s->t[i], "]") || pf_is(&s->t[i], "}"))
				depth--;
		}
		if (s->stars[star] == arg) {
			if (!width(s, &s->t[start], &s->t[i]))
				return false;
			star++;
		}
		arg++;
	}
	return true;
}

/* Every token, and enough ends behind them that looking ahead needs no bound. */
static bool tokens(struct safe *s, const char *text)
{
	struct pf_token t;

	for (const char *p = text;;) {
		p = pf_lex(p, &t);
		ARENA_PUSH(s->a, s->t, s->n, t);
		if (s->n > MAX_TOKENS)
			return false;
		if (t.kind == PF_END)
			break;
	}
	for (unsigned i = 0; i < 16; i++)
		ARENA_PUSH(s->a, s->t, s->n, t);
	s->n -= 16;
	return true;
}

bool printfmt_safe(struct arena *a, const char *text, const struct field *fields, unsigned nfields,
		   struct printfmt_limit **limits, size_t *nlimits)
{
	struct safe s = {.a = a, .fields = fields, .nfields = nfields};
	struct buf literal = {0};
	size_t len = strlen(text);
	bool ok;

	*limits = NULL;
	*nlimits = 0;
	if (len > MAX_TEXT)
		return false;
	/* a byte that is no character ends libtraceevent's tokens where it likes */
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x7f || (c < ' ' && c != '\n' && c != '\t'))
			return false;
	}
	if (!printfmt_valid(text) || !tokens(&s, text))
		return false;
	for (size_t i = 0; s.t[i].kind == PF_STR; i++)
		buf_add(&literal, s.t[i].text + 1, s.t[i].len - 2);
	ok = conversions(&s, buf_str(&literal), literal.len) && operators(&s) && widths(&s);
	buf_free(&literal);
	*limits = s.limits;
	*nlimits = s.nlimits;
	return ok;
}
