/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as a `hist` file. */
#include "kernel/hist.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	char *text = malloc(size + 1);
	struct hist_table *v;

	memcpy(text, data, size);
	text[size] = '\0';
	hist_parse(a, text, size, &v);
	free(text);
	arena_free(a);
	return 0;
}
