/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making, finding and comparing nodes. Knows the shapes ast.h lists and no meaning. */
#include "lang/ast.h"

#include <string.h>

struct node *node_new(struct arena *a, enum node_kind kind, struct span at)
{
	struct node *n = ARENA_NEW(a, struct node);

	n->kind = kind;
	n->span = at;
	return n;
}

void node_add(struct arena *a, struct node *parent, struct node *kid)
{
	ARENA_PUSH(a, parent->kids, parent->n, kid);
	if (kid->depth >= parent->depth)
		parent->depth = kid->depth + 1;
}

const struct node *node_clause(const struct node *stage, const char *word)
{
	for (size_t i = 0; i < stage->n; i++) {
		const struct node *k = stage->kids[i];

		if (k->kind == N_CLAUSE && strcmp(k->str, word) == 0)
			return k;
	}
	return NULL;
}

const struct node *node_arg(const struct node *stage, unsigned at)
{
	for (size_t i = 0; i < stage->n; i++) {
		if (stage->kids[i]->kind == N_ARG && at-- == 0)
			return stage->kids[i];
	}
	return NULL;
}

unsigned node_nargs(const struct node *stage)
{
	unsigned n = 0;

	for (size_t i = 0; i < stage->n; i++)
		n += stage->kids[i]->kind == N_ARG;
	return n;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool node_equal(const struct node *a, const struct node *b)
{
	const unsigned kept = NF_BG | NF_BIG | NF_CALL | NF_VARS;

	if (a->kind != b->kind || a->n != b->n || a->num != b->num ||
	    (a->flags & kept) != (b->flags & kept))
		return false;
	if (a->kind == E_STRING) { /* may hold NUL; how it was written does not count */
		if (memcmp(a->str, b->str, a->num) != 0)
			return false;
	} else if (!same_text(a->str, b->str) || !same_text(a->str2, b->str2)) {
		return false;
	}
	for (size_t i = 0; i < a->n; i++) {
		if (!node_equal(a->kids[i], b->kids[i]))
			return false;
	}
	return true;
}

const char *node_kind_name(enum node_kind k)
{
	static const char *const names[] = {
		[N_SCRIPT] = "script",
		[N_PIPELINE] = "pipeline",
		[N_REDIRECT] = "redirect",
		[N_FOR_DUR] = "for-duration",
		[N_COMMAND] = "command",
		[N_ASSIGN] = "assignment",
		[N_DEF] = "def",
		[N_IF] = "if",
		[N_WHILE] = "while",
		[N_FOR] = "for",
		[N_BLOCK] = "block",
		[N_BEGIN] = "begin",
		[N_END] = "end",
		[N_TICK] = "tick",
		[N_EXPR_STMT] = "statement",
		[N_WORD] = "word",
		[N_EVENT] = "event",
		[N_UNION] = "union",
		[N_PAIR] = "pair",
		[N_ON] = "on",
		[N_WITHIN] = "within",
		[N_SUBPIPE] = "sub-pipeline",
		[N_PROBE] = "probe",
		[N_FETCH] = "fetch",
		[N_STAGE] = "stage",
		[N_ARG] = "argument",
		[N_CLAUSE] = "clause",
		[E_NUM] = "number",
		[E_TIME] = "time",
		[E_SIZE] = "size",
		[E_STRING] = "string",
		[E_REGEX] = "regex",
		[E_NAME] = "name",
		[E_DOT] = "dot",
		[E_ARROW] = "arrow",
		[E_TYPED] = "typed",
		[E_CALL] = "call",
		[E_UNARY] = "unary",
		[E_BINARY] = "binary",
		[E_COND] = "conditional",
		[E_IN] = "in",
		[E_VAR] = "variable",
		[E_MAP] = "map",
	};

	return (size_t)k < sizeof(names) / sizeof(names[0]) && names[k] ? names[k] : "?";
}
