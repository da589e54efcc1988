/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suffixes: `.us`, `.sym`, `.bucket(N)`. A table says what each takes and gives. */
#include "check/checker.h"

#include <string.h>

enum takes { TAKES_INT, TAKES_NUM, TAKES_STR, TAKES_ANY, TAKES_BYTES /* or an integer */ };

struct suffix {
	const char *name;
	enum takes takes;
	unsigned nargs;
	struct expr *(*make)(struct checker *ck, const struct node *n, struct expr *e);
	const char *brief;
};

/* A copy of @e that is shown, or meant, otherwise */
static struct expr *retyped(struct checker *ck, const struct expr *e, struct type t)
{
	struct expr *c = expr_new(ck, e->op, t, e->span);

	*c = *e;
	c->type = t;
	return c;
}

static struct expr *call(struct checker *ck, const struct node *n, enum fn fn, struct type t,
			 struct expr *e)
{
	return expr_call(ck, fn, t, e, n->span);
}

static struct expr *unit(struct checker *ck, const struct node *n, struct expr *e)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	struct type t = e->type, one = type_int(SG_SIGNED);
	struct expr *r;
	size_t i = 0;

	while (strcmp(units[i].name, n->str) != 0)
		i++;
	if (t.kind == T_TIME || t.kind == T_BOOL || t.kind == T_ADDR)
		t.kind = T_INT;
	t.show = SHOW_PLAIN;
	if (units[i].ns == 1)
		return retyped(ck, e, t);
	one.literal = true;
	r = check_arith(ck, XO_DIV, retyped(ck, e, t), expr_num(ck, units[i].ns, one, n->span),
			n->span);
	if (r->op == XO_DIV)
		r->str = units[i].name; /* to tell who compares it with a duration */
	return r;
}

static struct expr *sym(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, strcmp(n->str, "sym") == 0 ? FN_KSYM : FN_KSYMOFF, type_str(), e);
}

static struct expr *base(struct checker *ck, const struct node *n, struct expr *e)
{
	struct type t = e->type;

	t.show = strcmp(n->str, "hex") == 0 ? SHOW_HEX : SHOW_OCT;
	if (t.kind != T_ADDR || t.show == SHOW_OCT)
		t.kind = T_INT;
	return retyped(ck, e, t);
}

static struct expr *log2_of(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_LOG2, type_int(SG_SIGNED), e);
}

static struct expr *bucket(struct checker *ck, const struct node *n, struct expr *e)
{
	struct expr *c = call(ck, n, FN_BUCKET, e->type, e);
	struct type t = type_int(SG_SIGNED);
	uint64_t width;

	if (check_uint(ck, n->kids[1], "the width of a bucket", 1, INT64_MAX, &width))
		return NULL;
	c->type.literal = false;
	t.literal = true;
	expr_add(ck, c, expr_num(ck, width, t, n->kids[1]->span));
	return c;
}

static struct expr *comm(struct checker *ck, const struct node *n, struct expr *e)
{
	check_tasks(ck);
	return call(ck, n, FN_TIDCOMM, type_str(), e);
}

static struct expr *syscall(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_SYSCALL, type_str(), e);
}

static struct expr *errno_of(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_ERRNO, type_str(), e);
}

static struct expr *ip(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_IP, type_str(), e);
}

static struct expr *mac(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_MAC, type_str(), e);
}

static struct expr *dev(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_DEV, type_str(), e);
}

static struct expr *signal_of(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_SIGNAL, type_str(), e);
}

static struct expr *str(struct checker *ck, const struct node *n, struct expr *e)
{
	if (type_is_str(e->type))
		return e;
	if ((e->op == XO_FIELD || e->op == XO_SLOT) && expr_symfield(e)) {
		struct expr *c = call(ck, n, FN_SYMNAME, type_str(), e);

		c->symfield = e->symfield;
		return c;
	}
	return call(ck, n, FN_STR, type_str(), e);
}

static struct expr *len(struct checker *ck, const struct node *n, struct expr *e)
{
	return call(ck, n, FN_STRLEN, type_int(SG_SIGNED), e);
}

static const struct suffix suffixes[] = {
	{"us", TAKES_NUM, 0, unit, "a time in microseconds, a whole number"},
	{"ms", TAKES_NUM, 0, unit, "a time in milliseconds"},
	{"s", TAKES_NUM, 0, unit, "a time in seconds"},
	{"ns", TAKES_NUM, 0, unit, "a time in nanoseconds"},
	{"sym", TAKES_INT, 0, sym, "an address as the name of its kernel symbol"},
	{"symoff", TAKES_INT, 0, sym, "an address as name+0xoffset"},
	{"hex", TAKES_INT, 0, base, "shown as 0x..."},
	{"oct", TAKES_INT, 0, base, "shown as 0o..."},
	{"log2", TAKES_INT, 0, log2_of, "smallest n with E <= 2^n"},
	{"bucket", TAKES_INT, 1, bucket, "rounded down to a multiple: E.bucket(10)"},
	{"comm", TAKES_INT, 0, comm, "a task id as the name of the task"},
	{"syscall", TAKES_INT, 0, syscall,
	 "a system call number as its name on this architecture; those of 32-bit programs on a "
	 "64-bit kernel cannot be told from its own"},
	{"errno", TAKES_INT, 0, errno_of, "a negative return value as the name of its error"},
	{"signal", TAKES_INT, 0, signal_of, "a signal number as its name"},
	{"ip", TAKES_BYTES, 0, ip,
	 "an IPv4 or IPv6 address: 4 or 16 bytes, a sockaddr, or a number in network order"},
	{"mac", TAKES_STR, 0, mac, "six bytes as a hardware address"},
	{"dev", TAKES_INT, 0, dev, "a device number as major:minor"},
	{"str", TAKES_ANY, 0, str, "the value as text; where the print format names it, that name"},
	{"len", TAKES_STR, 0, len, "bytes of a string"},
};
#define NSUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))

const char *check_suffix_brief(unsigned i)
{
	return i < NSUFFIXES ? suffixes[i].brief : NULL;
}

const char *check_suffix_name(unsigned i)
{
	return i < NSUFFIXES ? suffixes[i].name : NULL;
}

/* The place of the suffix itself: the last word of the node */
static struct span suffix_span(const struct node *n)
{
	struct span at = n->span;
	uint32_t from = n->kids[0]->span.off + n->kids[0]->span.len, k;

	if (!at.src || (n->flags & NF_CALL))
		return at;
	k = (uint32_t)strlen(n->str);
	if (at.off + at.len < from + k || at.len < k)
		return at;
	at.off = at.off + at.len - k;
	at.len = k;
	return at;
}

static void unknown(struct checker *ck, const struct node *n)
{
	const char *names[NSUFFIXES];
	struct diag *g;

	for (size_t i = 0; i < NSUFFIXES; i++)
		names[i] = suffixes[i].name;
	g = diag_error(ck->d, "unknown-suffix", suffix_span(n), "no suffix '.%s'", n->str);
	if (!diag_nearest(ck->d, g, n->str, names, NSUFFIXES))
		diag_hint(ck->d, g,
			  "suffixes are .us .ms .s .ns .sym .symoff .hex .oct .log2 .bucket(N) "
			  ".comm .syscall .errno .signal .ip .mac .dev .str .len");
}

struct expr *check_suffix(struct checker *ck, const struct node *n)
{
	const struct suffix *s = NULL;
	struct expr *e;
	bool mine, fits;

	e = scope_dot(ck, n, &mine);
	if (e || mine)
		return e;
	for (size_t i = 0; i < NSUFFIXES && !s; i++) {
		if (strcmp(suffixes[i].name, n->str) == 0)
			s = &suffixes[i];
	}
	e = check_expr(ck, n->kids[0]);
	if (!e)
		return NULL;
	if (!s) {
		unknown(ck, n);
		return NULL;
	}
	if (n->n != s->nargs + 1) {
		struct diag *g = diag_error(ck->d, "bad-arguments", n->span, "'.%s' takes %s",
					    s->name, s->nargs ? "one argument" : "no arguments");

		if (s->nargs)
			diag_hint(ck->d, g, ".%s(10)", s->name);
		return NULL;
	}
	fits = s->takes == TAKES_ANY || (s->takes == TAKES_INT && type_is_int(e->type)) ||
	       (s->takes == TAKES_NUM && type_is_num(e->type)) ||
	       (s->takes == TAKES_STR && type_is_str(e->type)) ||
	       (s->takes == TAKES_BYTES && (type_is_int(e->type) || type_is_str(e->type)));
	if (!fits) {
		diag_error(ck->d, "unknown-suffix", suffix_span(n), "'.%s' does not fit %s",
			   s->name, type_word(e->type));
		return NULL;
	}
	e = s->make(ck, n, e);
	if (e)
		e->span = n->span;
	return e;
}
