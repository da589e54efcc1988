/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types of fetch arguments: our words and the kernel's, and the fields they make. */
#include "source/fetch_types.h"

#include "check/checker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARRAY 64

static const struct {
	const char *word, *kernel, *ctype;
	enum field_kind kind;
	unsigned size; /* 0: of a pointer */
	bool is_signed, sym;
	enum show show;
} words[] = {
	{"u8", "u8", "u8", FK_INT, 1, false, false, SHOW_PLAIN},
	{"u16", "u16", "u16", FK_INT, 2, false, false, SHOW_PLAIN},
	{"u32", "u32", "u32", FK_INT, 4, false, false, SHOW_PLAIN},
	{"u64", "u64", "u64", FK_INT, 8, false, false, SHOW_PLAIN},
	{"s8", "s8", "s8", FK_INT, 1, true, false, SHOW_PLAIN},
	{"s16", "s16", "s16", FK_INT, 2, true, false, SHOW_PLAIN},
	{"s32", "s32", "s32", FK_INT, 4, true, false, SHOW_PLAIN},
	{"s64", "s64", "s64", FK_INT, 8, true, false, SHOW_PLAIN},
	{"x8", "x8", "u8", FK_INT, 1, false, false, SHOW_HEX},
	{"x16", "x16", "u16", FK_INT, 2, false, false, SHOW_HEX},
	{"x32", "x32", "u32", FK_INT, 4, false, false, SHOW_HEX},
	{"x64", "x64", "u64", FK_INT, 8, false, false, SHOW_HEX},
	{"char", "char", "char", FK_INT, 1, true, false, SHOW_PLAIN},
	{"sym", "symbol", "u64", FK_INT, 0, false, true, SHOW_PLAIN},
	{"symbol", "symbol", "u64", FK_INT, 0, false, true, SHOW_PLAIN},
	{"str", "string", "__data_loc char[]", FK_DYN, 4, true, false, SHOW_PLAIN},
	{"string", "string", "__data_loc char[]", FK_DYN, 4, true, false, SHOW_PLAIN},
	{"ustr", "ustring", "__data_loc char[]", FK_DYN, 4, true, false, SHOW_PLAIN},
	{"ustring", "ustring", "__data_loc char[]", FK_DYN, 4, true, false, SHOW_PLAIN},
	{"symstr", "symstr", "__data_loc char[]", FK_DYN, 4, true, false, SHOW_PLAIN},
};

static struct type shown(enum field_kind kind, bool is_signed, enum show show)
{
	struct type t = {.kind = kind == FK_INT ? T_INT : T_STR, .show = show};

	if (kind == FK_INT)
		t.sign = is_signed ? SG_SIGNED : SG_UNSIGNED;
	return t;
}

/* b3@5/32: bits of a container */
static struct fetch_type *bitfield(struct arena *a, const char *word)
{
	struct fetch_type *t;
	unsigned width, off, size;
	int end = 0;

	if (sscanf(word, "b%u@%u/%u%n", &width, &off, &size, &end) != 3 || word[end] || !width ||
	    width > size || off > size - width ||
	    (size != 8 && size != 16 && size != 32 && size != 64))
		return NULL;
	t = ARENA_NEW(a, struct fetch_type);
	t->kernel = arena_strdup(a, word);
	t->ctype = arena_printf(a, "u%u", size);
	t->kind = FK_INT;
	t->size = t->elem = size / 8;
	t->type = shown(FK_INT, false, SHOW_PLAIN);
	return t;
}

const struct fetch_type *fetch_type(struct arena *a, const char *word, unsigned long_size)
{
	size_t n = strcspn(word, "["), i;
	struct fetch_type *t;
	unsigned long count = 0;
	char *end;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) == n && memcmp(words[i].word, word, n) == 0)
			break;
	}
	if (i == sizeof(words) / sizeof(words[0]))
		return bitfield(a, word);
	t = ARENA_NEW(a, struct fetch_type);
	t->kernel = words[i].kernel;
	t->ctype = words[i].ctype;
	t->kind = words[i].kind;
	t->size = t->elem = words[i].size ? words[i].size : long_size;
	t->is_signed = words[i].is_signed;
	t->sym = words[i].sym;
	if (t->sym && long_size == 4)
		t->ctype = "u32";
	if (word[n]) {
		if (!isdigit((unsigned char)word[n + 1]))
			return NULL;
		count = strtoul(word + n + 1, &end, 10);
		if (strcmp(end, "]") != 0 || !count || count > MAX_ARRAY)
			return NULL;
		t->kernel = arena_printf(a, "%s[%lu]", t->kernel, count);
		t->ctype = arena_printf(a, "%s[%lu]", t->ctype, count);
		t->kind = t->kind == FK_INT ? FK_ARRAY : FK_DYN_ARRAY;
		t->size *= (unsigned)count;
		t->sym = false;
	}
	t->type = shown(t->kind, t->is_signed, words[i].show);
	return t;
}

void fetch_field(struct field *f, const char *name, const struct fetch_type *t)
{
	f->name = name;
	f->type = t->ctype;
	f->kind = t->kind;
	f->size = t->size;
	f->elem = t->elem;
	f->is_signed = t->is_signed;
}

int fetch_retype(struct fetch *f, struct fetch_val *v, const struct fetch_type *t, struct span at)
{
	bool str = t->kind != FK_INT && t->kind != FK_ARRAY;

	/* a string or an array is read from memory; a value has to be followed for that */
	if (v->how == FV_VALUE && !v->raw && (t->kind == FK_ARRAY || str) &&
	    strcmp(t->kernel, "symstr") != 0 && strcmp(v->tok, "$comm") != 0) {
		struct diag *g = diag_error(f->ck->d, "bad-type", at,
					    "a value is no %s; what it points to can be",
					    str ? "string" : "array");

		diag_hint(f->ck->d, g, "%s",
			  str ? "str(E) reads a string of the kernel, ustr(E) one of a process"
			      : "bytes(E, N) reads N bytes");
		return -1;
	}
	v->type = t;
	return 0;
}

const char *fetch_join(struct arena *a, const char *const *v, size_t n)
{
	struct buf b = {0};
	const char *s;

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", v[i]);
	s = arena_strdup(a, buf_str(&b));
	buf_free(&b);
	return s;
}
