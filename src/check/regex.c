/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Regular expressions of `=~`, compiled once by PCRE2; the query owns the compiled patterns. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "check/checker.h"

#include <pcre2.h>
#include <string.h>

static int options(struct checker *ck, const struct node *n, uint32_t *opt)
{
	static const struct {
		char c;
		uint32_t opt;
	} flags[] = {{'i', PCRE2_CASELESS},
		     {'m', PCRE2_MULTILINE},
		     {'s', PCRE2_DOTALL},
		     {'x', PCRE2_EXTENDED}};

	for (const char *p = n->str2; p && *p; p++) {
		size_t i = 0;

		while (i < 4 && flags[i].c != *p)
			i++;
		if (i == 4) {
			struct span at = n->span;

			if (at.len >= strlen(p)) {
				at.off += at.len - (uint32_t)strlen(p);
				at.len = 1;
			}
			diag_error(ck->d, "bad-regex", at, "no flag '%c'; flags are i, m, s and x",
				   *p);
			return -1;
		}
		*opt |= flags[i].opt;
	}
	return 0;
}

/* The place inside the pattern, one character long */
static struct span inside(const struct node *n, size_t off)
{
	struct span at = n->span;

	if (n->kind != E_REGEX || off + 1 >= at.len)
		return at;
	at.off += 1 + (uint32_t)off;
	at.len = 1;
	return at;
}

struct expr *check_regex(struct checker *ck, struct expr *left, const struct node *right,
			 struct span at)
{
	const char *pat = right->str;
	uint32_t opt = 0, len;
	PCRE2_SIZE off;
	struct expr *e;
	size_t n;
	int err;

	if (right->kind == E_REGEX) {
		len = (uint32_t)strlen(pat);
		if (options(ck, right, &opt))
			return NULL;
	} else {
		pat = check_string(ck, right, "a regular expression", &len);
	}
	if (!pat || !left)
		return NULL;
	if (!type_is_str(left->type)) {
		diag_error(ck->d, "bad-type", left->span, "'=~' matches strings, this is %s",
			   type_word(left->type));
		return NULL;
	}
	e = expr_new(ck, XO_MATCH, type_bool(), at);
	e->re = pcre2_compile((PCRE2_SPTR)pat, len, opt, &err, &off, NULL);
	if (!e->re) {
		PCRE2_UCHAR msg[160];

		pcre2_get_error_message(err, msg, sizeof(msg));
		diag_error(ck->d, "bad-regex", inside(right, off), "%s", (const char *)msg);
		return NULL;
	}
	pcre2_jit_compile(e->re,
			  PCRE2_JIT_COMPLETE); /* where there is none, it matches all the same */
	e->str = pat;
	e->str2 = right->kind == E_REGEX ? right->str2 : "";
	e->len = len;
	expr_add(ck, e, left);
	n = ck->q->nregexes;
	ARENA_PUSH(ck->a, ck->q->regexes, n, e->re);
	ck->q->nregexes = (unsigned)n;
	return e;
}

void query_free_external(struct query *q)
{
	for (unsigned i = 0; i < q->nregexes; i++)
		pcre2_code_free(q->regexes[i]);
	q->nregexes = 0;
}
