/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Format files: "field:TYPE NAME; offset:N; size:N; signed:N;" lines and the print format. The text
 * may come from a hostile file, so every number is bounded.
 */
#include "catalog/internal.h"
#include "catalog/printfmt.h"

#include <ctype.h>
#include <string.h>

#define MAX_OFFSET 65536
#define MAX_FIELDS 512

struct line {
	const char *p;
	size_t len;
};

static bool next_line(const char **p, const char *end, struct line *l)
{
	const char *nl;

	if (*p >= end)
		return false;
	nl = memchr(*p, '\n', (size_t)(end - *p));
	l->p = *p;
	l->len = (size_t)((nl ? nl : end) - *p);
	*p = nl ? nl + 1 : end;
	return true;
}

static bool starts(const struct line *l, const char *s)
{
	size_t n = strlen(s);

	return l->len >= n && memcmp(l->p, s, n) == 0;
}

/* The number after @key in the line; false if there is none or it is beyond all reason. */
static bool number_after(const struct line *l, const char *key, long *v)
{
	const char *p = memmem(l->p, l->len, key, strlen(key)), *end = l->p + l->len;
	bool neg = false;

	if (!p)
		return false;
	p += strlen(key);
	if (p < end && *p == '-') {
		neg = true;
		p++;
	}
	if (p >= end || !isdigit((unsigned char)*p))
		return false;
	for (*v = 0; p < end && isdigit((unsigned char)*p); p++) {
		*v = *v * 10 + (*p - '0');
		if (*v > 1L << 30)
			return false;
	}
	if (neg)
		*v = -*v;
	return true;
}

int format_id(const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	struct line l;
	long v;

	while (next_line(&p, end, &l)) {
		if (starts(&l, "ID:"))
			return number_after(&l, "ID: ", &v) && v >= 0 && v < 1 << 20 ? (int)v : -1;
	}
	return -1;
}

bool format_name(const char *text, size_t len, const char **name, size_t *n)
{
	const char *p = text, *end = text + len;
	struct line l;

	while (next_line(&p, end, &l)) {
		if (!starts(&l, "name: "))
			continue;
		*name = l.p + 6;
		*n = l.len - 6;
		return *n > 0 && *n < 256;
	}
	return false;
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "char comm[16]", "__data_loc char[] name", "struct x *p", "u8 (*f)[2]": the name is the last word
 * before a bracket. */
static bool split_declaration(struct arena *a, const char *p, size_t n, struct field *f,
			      long *count, bool *array)
{
	const char *end = p + n, *name_end, *name, *bracket;

	*count = 0;
	*array = false;
	while (n && isspace((unsigned char)end[-1]))
		end--, n--;
	name_end = end;
	if (n && end[-1] == ']') {
		bracket = memrchr(p, '[', n);
		if (!bracket)
			return false;
		*array = true;
		for (const char *q = bracket + 1; q < end - 1; q++) {
			if (!isdigit((unsigned char)*q) || *count > MAX_OFFSET) {
				*count = 0; /* a name of an enum: taken from the size */
				break;
			}
			*count = *count * 10 + (*q - '0');
		}
		name_end = bracket;
		while (name_end > p && isspace((unsigned char)name_end[-1]))
			name_end--;
	}
	name = name_end;
	while (name > p && word_char(name[-1]))
		name--;
	if (name == name_end || name == p || isdigit((unsigned char)*name))
		return false;
	f->name = arena_strndup(a, name, (size_t)(name_end - name));
	while (name > p && isspace((unsigned char)name[-1]))
		name--;
	f->type = *array ? arena_printf(a, "%.*s%.*s", (int)(name - p), p, (int)(end - name_end),
					name_end)
			 : arena_strndup(a, p, (size_t)(name - p));
	return true;
}

static bool is_char(const char *type)
{
	return strstr(type, "char") != NULL && strstr(type, "unsigned char") == NULL;
}

/* Bytes of an array's element by its C type; 1 where it is not known. */
static uint32_t element(const char *type, unsigned long_size)
{
	static const struct {
		const char *word;
		uint32_t size;
	} known[] = {{"64", 8}, {"long long", 8}, {"32", 4},    {"16", 2},  {"u8", 1},
		     {"s8", 1}, {"char", 1},      {"short", 2}, {"bool", 1}};

	if (strchr(type, '*'))
		return long_size;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strstr(type, known[i].word))
			return known[i].size;
	}
	if (strstr(type, "long") || strstr(type, "size_t"))
		return long_size;
	return strstr(type, "int") || strstr(type, "pid_t") ? 4 : 1;
}

static void classify(struct field *f, bool array, long count, unsigned long_size)
{
	bool loc = strncmp(f->type, "__data_loc", 10) == 0,
	     rel = strncmp(f->type, "__rel_loc", 9) == 0;

	f->is_pointer = strchr(f->type, '*') != NULL && !array;
	f->elem = array || loc || rel ? element(f->type, long_size) : f->size;
	if (loc || rel) {
		bool str = is_char(f->type);

		f->kind = loc ? (str ? FK_DYN : FK_DYN_ARRAY) : str ? FK_REL : FK_REL_ARRAY;
	} else if (array) {
		if (f->size == 0)
			f->kind = is_char(f->type) ? FK_TAIL : FK_ARRAY;
		else
			f->kind = is_char(f->type) ? FK_STRING : FK_ARRAY;
		if (count > 0 && f->size % (unsigned long)count == 0)
			f->elem = f->size / (uint32_t)count;
	} else if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) {
		f->kind = FK_INT;
	} else {
		f->kind = FK_ARRAY; /* a struct by value */
		f->elem = 1;
	}
}

static bool parse_field(struct arena *a, const struct line *l, unsigned long_size, struct field *f)
{
	const char *p = memmem(l->p, l->len, "field:", 6), *semi;
	long off, size, sign = 0, count;
	bool array;

	memset(f, 0, sizeof(*f));
	if (!p)
		return false;
	p += 6;
	semi = memchr(p, ';', (size_t)(l->p + l->len - p));
	if (!semi || !number_after(l, "offset:", &off) || !number_after(l, "size:", &size) ||
	    off < 0 || off > MAX_OFFSET || size < 0 || size > MAX_OFFSET)
		return false;
	number_after(l, "signed:", &sign);
	if (strncmp(p, "special ", 8) == 0)
		p += 8;
	f->offset = (uint32_t)off;
	f->size = (uint32_t)size;
	f->is_signed = sign != 0;
	if (!split_declaration(a, p, (size_t)(semi - p), f, &count, &array))
		return false;
	classify(f, array, count, long_size);
	f->is_common = strncmp(f->name, "common_", 7) == 0;
	return true;
}

int format_parse(struct arena *a, struct event *e, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	struct line l;
	size_t n = 0;
	int rc = 0;

	while (next_line(&p, end, &l)) {
		struct field f;

		if (starts(&l, "print fmt: ")) {
			/* print formats may hold newlines in their strings: all to the end */
			const char *stop = end;

			while (stop > l.p && (stop[-1] == '\n' || stop[-1] == ' '))
				stop--;
			if (stop > l.p + 11)
				e->print_fmt =
					arena_strndup(a, l.p + 11, (size_t)(stop - l.p - 11));
			break;
		}
		if (!memmem(l.p, l.len, "field:", 6))
			continue;
		if (n >= MAX_FIELDS || !parse_field(a, &l, e->origin->long_size, &f)) {
			rc = -1;
			continue;
		}
		ARENA_PUSH(a, e->fields, n, f);
		if (f.kind != FK_TAIL && f.offset + f.size > e->min_size)
			e->min_size = f.offset + f.size;
	}
	e->nfields = (unsigned)n;
	if (e->print_fmt)
		printfmt_symbols(a, e->print_fmt, e->fields, e->nfields);
	return n ? rc : -1;
}
