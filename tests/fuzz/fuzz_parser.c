/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libFuzzer target: any text parses or is refused without a crash, and what parses prints to a
 * text of the same tree.
 */
#include "../unit/lang_grammar.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	char *text = arena_strndup(a, "", 0);
	struct source src = {.name = "fuzz", .len = (uint32_t)size}, again = {.name = "again"};
	struct buf out = {0};
	struct node *n, *m;
	struct diags d;

	text = arena_alloc(a, size + 1);
	memcpy(text, data, size);
	src.text = text;
	diags_init(&d, a);
	(void)parse_incomplete(text);
	n = parse_script(a, &d, &lang_grammar, &src);
	if (d.errors == 0) {
		ast_print(n, &out);
		again.text = buf_str(&out);
		again.len = (uint32_t)out.len;
		m = parse_script(a, &d, &lang_grammar, &again);
		if (d.errors || !node_equal(n, m))
			abort();
	} else {
		diags_render(&d, false, &out);
	}
	buf_free(&out);
	arena_free(a);
	return 0;
}
