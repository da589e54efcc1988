/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of a field's values, from its print format: name to value, value to name. */
#include "base/buf.h"
#include "engine/code.h"

#include <stdio.h>

static bool flag_value(const struct field *f, const char *p, size_t n, uint64_t *v)
{
	for (unsigned i = 0; i < f->nflags; i++) {
		if (strlen(f->flags[i].name) == n && memcmp(f->flags[i].name, p, n) == 0) {
			*v |= f->flags[i].value;
			return true;
		}
	}
	return false;
}

static uint64_t flag_mask(const struct field *f)
{
	uint64_t m = 0;

	for (unsigned i = 0; i < f->nflags; i++)
		m |= f->flags[i].value;
	return m;
}

/*
 * sym_value - what (v & mask) == value means for a name. Names joined by '|' are or-ed; "R" on a
 * field with flags is sched_switch's name for none of them.
 */
bool sym_value(const struct field *f, const char *name, uint64_t *value, uint64_t *mask)
{
	const char *p = name, *end;

	for (unsigned i = 0; i < f->nsyms; i++) {
		if (strcmp(f->syms[i].name, name) == 0) {
			*value = f->syms[i].value;
			*mask = f->size && f->size < 8 ? (1ull << (f->size * 8)) - 1 : UINT64_MAX;
			*value &= *mask;
			return true;
		}
	}
	if (!f->nflags)
		return false;
	*mask = flag_mask(f);
	*value = 0;
	for (;; p = end + 1) {
		end = strchrnul(p, '|');
		if (!flag_value(f, p, (size_t)(end - p), value))
			break;
		if (!*end)
			return true;
	}
	*value = 0;
	return strcmp(name, "R") == 0;
}

struct val sym_name(const struct field *f, struct val v, struct scratch *s)
{
	uint64_t mask = f->size && f->size < 8 ? (1ull << (f->size * 8)) - 1 : UINT64_MAX;
	uint64_t rest = v.u & mask;
	char tmp[512];
	size_t n = 0;

	for (unsigned i = 0; i < f->nsyms; i++) {
		if ((f->syms[i].value & mask) == rest)
			return (struct val){.p = f->syms[i].name,
					    .len = (uint32_t)strlen(f->syms[i].name)};
	}
	if (!f->nflags)
		return fn_itos(s, v);
	if (!(rest & flag_mask(f)) && f->name && strcmp(f->name, "prev_state") == 0)
		return (struct val){.p = "R", .len = 1};
	for (unsigned i = 0; i < f->nflags && rest; i++) {
		uint64_t b = f->flags[i].value;

		if (!b || (rest & b) != b || n > sizeof(tmp) - 80)
			continue;
		n += (size_t)snprintf(tmp + n, 72, "%s%.60s", n ? (f->delim ? f->delim : "|") : "",
				      f->flags[i].name);
		if (n > sizeof(tmp) - 80)
			n = sizeof(tmp) - 80;
		rest &= ~b;
	}
	if (rest || !n)
		n += (size_t)snprintf(tmp + n, sizeof(tmp) - n, "%s0x%llx", n ? "|" : "",
				      (unsigned long long)rest);
	return val_text(s, tmp, n);
}
