/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsing a text with the test grammar, for the parser's tests. */
#ifndef TRACESH_TESTS_LANG_PARSE_H
#define TRACESH_TESTS_LANG_PARSE_H

#include "lang_grammar.h"

#include <stdio.h>

struct parsed {
	struct arena *a;
	struct diags d;
	struct source src;
	struct node *tree;
};

static inline void parse(struct parsed *x, const char *text, size_t len)
{
	x->a = arena_new();
	diags_init(&x->d, x->a);
	x->src = (struct source){.name = "t", .text = text, .len = (uint32_t)len};
	x->tree = parse_script(x->a, &x->d, &lang_grammar, &x->src);
}

static inline void done(struct parsed *x)
{
	arena_free(x->a);
}

static inline void show_errors(const struct parsed *x)
{
	struct buf b = {0};

	diags_render(&x->d, false, &b);
	fputs(buf_str(&b), stderr);
	buf_free(&b);
}

#endif
