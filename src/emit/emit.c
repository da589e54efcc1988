/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of kinds and what they share. */
#include "emit/emit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define WORD_MAX 20

const struct emit_kind *const emit_kinds[] = {&emit_sh, &emit_cmdline, &emit_bootconfig, NULL};

const struct emit_kind *emit_find(const char *name)
{
	for (unsigned i = 0; emit_kinds[i]; i++) {
		if (strcmp(emit_kinds[i]->name, name) == 0)
			return emit_kinds[i];
	}
	return NULL;
}

void emit_names(struct buf *out)
{
	for (unsigned i = 0; emit_kinds[i]; i++)
		buf_printf(out, "%s%s",
			   !i                  ? ""
			   : emit_kinds[i + 1] ? ", "
					       : " or ",
			   emit_kinds[i]->name);
}

unsigned emit_kernel(const struct session *s)
{
	unsigned major = 0, minor = 0;
	struct utsname u;
	const char *text = s->set.kernel;

	if (!*text && uname(&u) == 0)
		text = u.release;
	sscanf(text, "%u.%u", &major, &minor);
	return major * 100 + (minor > 99 ? 99 : minor);
}

static unsigned sum_of(const char *t)
{
	unsigned h = 2166136261u;

	for (; *t; t++)
		h = (h ^ (unsigned char)*t) * 16777619u;
	return h;
}

const char *emit_word(struct arena *a, const char *name, const char *text)
{
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	size_t n = strcspn(base, ".");
	char *w;

	if (!n || !isalpha((unsigned char)*base))
		return arena_printf(a, "s%08x", sum_of(text));
	w = arena_strndup(a, base, n < WORD_MAX ? n : WORD_MAX);
	for (char *p = w; *p; p++) {
		if (!isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80)
			*p = '_';
	}
	return w;
}

/* On one line, without what a terminal or a parser of comments could take for more than text. */
static void put_plain(struct buf *out, const char *t)
{
	for (; *t; t++)
		buf_putc(out, (unsigned char)*t < 0x20 || *t == 0x7f ? ' ' : *t);
}

void emit_head(const struct emit_input *in, struct buf *out)
{
	buf_puts(out, "# ");
	put_plain(out, in->script);
	buf_puts(out, ", compiled by tracesh " TRACESH_VERSION "\n");
	for (unsigned i = 0; i < in->n; i++)
		plan_print_query(in->q[i], &in->push[i], in->plan, out);
}
