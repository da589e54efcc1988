/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of print formats, cut where libtraceevent cuts them. Knows no grammar. */
#include "catalog/printfmt_lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *number(const char *p, struct pf_token *t)
{
	char *end;

	t->num = strtoull(p, &end, 0);
	p = end;
	while (*p == 'U' || *p == 'L' || *p == 'u' || *p == 'l')
		p++;
	t->kind = isalnum((unsigned char)*p) || *p == '_' ? PF_BAD : PF_NUM;
	return p;
}

static const char *quoted(const char *p, struct pf_token *t)
{
	char q = *p++;

	while (*p && *p != q) {
		if (*p == '\\' && p[1])
			p++;
		p++;
	}
	t->kind = *p ? (q == '"' ? PF_STR : PF_CHAR) : PF_BAD;
	return p + (*p != 0);
}

static const char *operator(const char *p, struct pf_token *t)
{
	static const char *const two[] = {"->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

	t->kind = strchr("-+*/%&|^~!<>=?:,.()[]{}", *p) ? PF_OP : PF_BAD;
	for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++) {
		if (p[0] == two[i][0] && p[1] == two[i][1])
			return p + 2;
	}
	return p + 1;
}

const char *pf_lex(const char *p, struct pf_token *t)
{
	while (isspace((unsigned char)*p))
		p++;
	t->text = p;
	t->num = 0;
	if (!*p) {
		t->kind = PF_END;
	} else if (isalpha((unsigned char)*p) || *p == '_') {
		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		t->kind = PF_IDENT;
	} else if (isdigit((unsigned char)*p)) {
		p = number(p, t);
	} else if (*p == '"' || *p == '\'') {
		p = quoted(p, t);
	} else {
		p = operator(p, t);
	}
	t->len = (size_t)(p - t->text);
	return p;
}

bool pf_is(const struct pf_token *t, const char *s)
{
	return (t->kind == PF_OP || t->kind == PF_IDENT) && strlen(s) == t->len &&
	       memcmp(t->text, s, t->len) == 0;
}
