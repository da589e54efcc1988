/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats of printf, the stage's and the blocks': conversions and what they take. */
#include "check/checker.h"

#include <string.h>

/* The place of the conversion that ends at fmt[end], inside the string as written */
static struct span place(const struct node *s, const char *fmt, size_t from, size_t len)
{
	struct span at = s->span;
	unsigned percents = 0;
	const char *text;

	if (s->kind != E_STRING || !at.src || (s->flags & NF_VARS))
		return at;
	for (size_t i = 0; i < from; i++)
		percents += fmt[i] == '%';
	text = at.src->text + at.off;
	for (uint32_t i = 0; i < at.len; i++) {
		if (text[i] != '%' || percents--)
			continue;
		at.off += i;
		at.len = i + len < at.len ? (uint32_t)len : at.len - i;
		return at;
	}
	return at;
}

struct conversion {
	size_t from, len;
	char c; /* 0: the text ends in the middle of it */
};

/* The conversion at fmt[i], which is a % */
static struct conversion scan(const char *fmt, size_t i, size_t n)
{
	struct conversion v = {.from = i};

	i++;
	while (i < n && strchr("-+ #0", fmt[i]) && fmt[i])
		i++;
	while (i < n && fmt[i] >= '0' && fmt[i] <= '9')
		i++;
	if (i < n && fmt[i] == '.') {
		i++;
		while (i < n && fmt[i] >= '0' && fmt[i] <= '9')
			i++;
	}
	while (i < n && strchr("lhzjtq", fmt[i]) && fmt[i])
		i++;
	if (i < n)
		v.c = fmt[i++];
	v.len = i - v.from;
	return v;
}

static bool width_fits(const char *fmt, const struct conversion *v)
{
	unsigned n = 0;

	for (size_t i = v->from; i < v->from + v->len; i++) {
		if (fmt[i] < '0' || fmt[i] > '9')
			n = 0;
		else
			n = n * 10 + (unsigned)(fmt[i] - '0');
		if (n > 1024)
			return false;
	}
	return true;
}

static int check_argument(struct checker *ck, const struct node *s, const char *fmt,
			  const struct conversion *v, const struct expr *e)
{
	bool str = v->c == 's';
	struct diag *g;

	if (e->type.kind == T_NULL || (str ? type_is_str(e->type) : type_is_num(e->type)))
		return 0;
	g = diag_error(ck->d, "bad-type", place(s, fmt, v->from, v->len),
		       "'%.*s' does not print %s", (int)v->len, fmt + v->from, type_word(e->type));
	diag_hint(ck->d, g,
		  str ? "%%d prints numbers, .str makes them text" : "%%s prints strings");
	return -1;
}

int check_format(struct checker *ck, const struct node *s, const char *fmt, uint32_t len,
		 struct expr *const *args, unsigned nargs)
{
	unsigned used = 0;
	struct diag *g;
	int rc = 0;

	for (size_t i = 0; i < len; i++) {
		struct conversion v;

		if (fmt[i] != '%')
			continue;
		v = scan(fmt, i, len);
		i += v.len - 1;
		if (v.c == '%' && v.len == 2)
			continue;
		if (!v.c || !strchr("diuxXocspTfFeEgG", v.c)) {
			g = diag_error(ck->d, "bad-value", place(s, fmt, v.from, v.len),
				       "no conversion '%.*s'", (int)v.len, fmt + v.from);
			diag_hint(ck->d, g,
				  "conversions are %%d %%i %%u %%x %%X %%o %%c %%s %%f %%e %%g %%p "
				  "%%T %%%%");
			return -1;
		}
		if (!width_fits(fmt, &v)) {
			diag_error(ck->d, "bad-value", place(s, fmt, v.from, v.len),
				   "a width or precision beyond 1024");
			return -1;
		}
		if (used == nargs) {
			diag_error(ck->d, "bad-arguments", place(s, fmt, v.from, v.len),
				   "no argument for '%.*s'", (int)v.len, fmt + v.from);
			return -1;
		}
		rc |= check_argument(ck, s, fmt, &v, args[used++]);
	}
	if (used < nargs) {
		diag_error(ck->d, "bad-arguments", args[used]->span,
			   "the format has no conversion for this argument");
		return -1;
	}
	return rc;
}
