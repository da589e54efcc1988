/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tokens of print formats; for printfmt*.c only. */
#ifndef TRACESH_CATALOG_PRINTFMT_LEX_H
#define TRACESH_CATALOG_PRINTFMT_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pf_kind { PF_END, PF_IDENT, PF_NUM, PF_STR, PF_CHAR, PF_OP, PF_BAD };

struct pf_token {
	enum pf_kind kind;
	const char *text;
	size_t len;
	uint64_t num; /* PF_NUM */
};

/* pf_lex - the token at @p; returns where the next one may begin */
const char *pf_lex(const char *p, struct pf_token *t);
/* pf_is - is it this operator or identifier */
bool pf_is(const struct pf_token *t, const char *s);

#endif
