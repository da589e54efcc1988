/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads `hist` files. A row is `{ KEYS } hitcount: N  NAME: N ...`; strings in keys may hold
 * anything, newlines and braces too, so that a row ends where a line's tail has the form of one.
 */
#include "kernel/hist.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "# trigger info: hist:"
#define TAIL "} hitcount:"

struct reader {
	struct arena *a;
	const char *end; /* of the text */
	struct hist_table *t;
};

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl : end;
}

static bool begins(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

static const char *blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* decimal or 0x..., also with a sign; false: no number */
static bool number(const char **p, const char *end, uint64_t *u)
{
	const char *s = blanks(*p, end);
	bool neg = s < end && *s == '-';
	uint64_t v = 0;
	const char *from;

	s += neg;
	if (begins(s, end, "0x")) {
		for (from = s += 2; s < end && isxdigit((unsigned char)*s); s++)
			v = v << 4 | (uint64_t)(isdigit((unsigned char)*s)
							? *s - '0'
							: tolower((unsigned char)*s) - 'a' + 10);
	} else {
		for (from = s; s < end && isdigit((unsigned char)*s); s++)
			v = v * 10 + (uint64_t)(*s - '0');
	}
	if (s == from)
		return false;
	*u = neg ? 0 - v : v;
	*p = s;
	return true;
}

/* ---- heads ---- */

/* 7.2 prints a pseudo field's name twice */
static const char *undoubled(struct arena *a, const char *s, size_t n)
{
	if (n > 7 && n % 2 == 0 && memcmp(s, "common_", 7) == 0 && memcmp(s, s + n / 2, n / 2) == 0)
		n /= 2;
	return arena_strndup(a, s, n);
}

static void keys(struct reader *r, const char *p, const char *end)
{
	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end, *dot = memchr(p, '.', (size_t)(stop - p));
		struct hist_key k = {.mod = ""};

		k.name = undoubled(r->a, p, (size_t)((dot ? dot : stop) - p));
		if (dot)
			k.mod = arena_strndup(r->a, dot + 1, (size_t)(stop - dot - 1));
		ARENA_PUSH(r->a, r->t->keys, r->t->nkeys, k);
		p = stop + 1;
	}
}

static void vals(struct reader *r, const char *p, const char *end)
{
	while (p < end) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		const char *stop = comma ? comma : end, *dot = memchr(p, '.', (size_t)(stop - p));
		const char *name = arena_strndup(r->a, p, (size_t)((dot ? dot : stop) - p));

		if (strcmp(name, "hitcount") != 0 && strchr(name, '=') == NULL)
			ARENA_PUSH(r->a, r->t->vals, r->t->nvals, name);
		p = stop + 1;
	}
}

/* "hist:keys=a,b.sym:vals=hitcount,c:sort=...": the parts between colons */
static void head(struct reader *r, const char *p, const char *end)
{
	r->t->info = arena_strndup(r->a, p, (size_t)(end - p));
	for (p += strlen("hist:"); p < end;) {
		const char *colon = memchr(p, ':', (size_t)(end - p));
		const char *stop = colon ? colon : end;

		const char *cond = memmem(p, (size_t)(stop - p), " if ", 4);

		if (cond)
			stop = cond;
		if (begins(p, stop, "keys=") && !r->t->nkeys)
			keys(r, p + 5, stop);
		else if (begins(p, stop, "vals=") && !r->t->nvals)
			vals(r, p + 5, stop);
		if (cond)
			break;
		p = stop + 1;
	}
}

void hist_parse_info(struct arena *a, const char *text, size_t len, struct hist_table *t)
{
	struct reader r = {.a = a, .end = text + len, .t = t};

	head(&r, text, r.end);
}

/* ---- rows ---- */

/* `  NAME: VALUE` as often as it comes, to the end of the line */
static bool tail(struct reader *r, const char *p, const char *end, struct hist_row *row)
{
	size_t at = 0;

	p += strlen(TAIL);
	if (!number(&p, end, &row->hits))
		return false;
	for (;;) {
		const char *name = p = blanks(p, end);
		uint64_t v = 0;

		if (p >= end)
			return true;
		while (p < end && *p != ':' && *p != '\n')
			p++;
		if (p >= end || *p != ':')
			return false;
		p = blanks(p + 1, end);
		if (!number(&p, end, &v) && (p >= end || *p != '#')) {
			if (p < end)
				return false;
		}
		/* percentages have a fraction, graphs are drawn */
		while (p < end && (isdigit((unsigned char)*p) || *p == '.' || *p == '#'))
			p++;
		if (!row->vals)
			continue;
		for (size_t i = 0; i < r->t->nvals; i++) {
			size_t k = (at + i) % r->t->nvals, n = strlen(r->t->vals[k]);

			if (begins(name, end, r->t->vals[k]) &&
			    (name[n] == ':' || name[n] == ' ')) {
				row->vals[k] = v;
				at = k + 1;
				break;
			}
		}
	}
}

/* Where the keys of the row at @p end: at the last TAIL of the first line that ends as a row does
 */
static const char *keys_end(struct reader *r, const char *p, const char **next)
{
	struct hist_row probe = {0};

	for (const char *line = p; line < r->end;) {
		const char *end = line_end(line, r->end), *from = line, *last = NULL, *at;

		while ((at = memmem(from, (size_t)(end - from), TAIL, strlen(TAIL)))) {
			last = at;
			from = at + 1;
		}
		if (last && tail(r, last, end, &probe)) {
			*next = end;
			return last;
		}
		line = end + 1;
		/* a row that never ends must not swallow the others */
		if (begins(line, r->end, "\nTotals:"))
			break;
	}
	return NULL;
}

static void trim(struct hist_value *v)
{
	while (v->len && v->p[v->len - 1] == ' ')
		v->len--;
}

static bool bracketed(struct hist_value *v, const char *end, bool first)
{
	const char *p = v->p, *open;

	if (first) { /* [address] name */
		char *stop;

		p = blanks(p, end);
		if (p >= end || *p != '[')
			return false;
		v->u = strtoull(p + 1, &stop, 16);
		if (*stop != ']')
			return false;
		v->p = blanks(stop + 1, end);
		v->len = (size_t)(end - v->p);
		trim(v);
		return true;
	}
	open = memrchr(p, '[', (size_t)(end - p));
	if (!open)
		return false;
	v->len = (size_t)(open - p);
	trim(v);
	p = open + 1;
	return number(&p, end, &v->u);
}

/* A value between @p and @end in the form its modifier says. */
static bool value(const struct hist_key *k, const char *p, const char *end, struct hist_value *v)
{
	*v = (struct hist_value){.p = p, .len = (size_t)(end - p)};
	if (strstr(k->name, "stacktrace") || strcmp(k->mod, "stacktrace") == 0) {
		v->form = HF_STACK;
		while (v->len && strchr(" \n", v->p[v->len - 1]))
			v->len--;
		return true;
	}
	if (strncmp(k->mod, "sym", 3) == 0) {
		v->form = HF_SYMBOL;
		return bracketed(v, end, true);
	}
	if (strcmp(k->mod, "execname") == 0 || strcmp(k->mod, "syscall") == 0) {
		v->form = HF_NAMED;
		return bracketed(v, end, false);
	}
	p = blanks(p, end);
	if (strcmp(k->mod, "log2") == 0) {
		uint64_t n;

		v->form = HF_LOG2;
		if (!begins(p, end, "~ 2^"))
			return false;
		p += 4;
		if (!number(&p, end, &n))
			return false;
		v->u = n < 64 ? 1ull << n : UINT64_MAX;
		return true;
	}
	if (strncmp(k->mod, "buckets", 7) == 0) {
		v->form = HF_BUCKET;
		if (!begins(p, end, "~ "))
			return false;
		p += 2;
		if (!number(&p, end, &v->u) || p >= end || *p != '-')
			return false;
		p++;
		return number(&p, end, &v->hi);
	}
	if (strcmp(k->mod, "hex") == 0) {
		char *stop;

		v->u = strtoull(p, &stop, 16);
		return stop > p && blanks(stop, end) >= end;
	}
	v->form = HF_STRING;
	if (number(&p, end, &v->u) && blanks(p, end) >= end)
		v->form = HF_NUMBER; /* or a string of digits: who asks knows */
	trim(v);
	return true;
}

/* "NAME: VALUE, NAME: VALUE": a string reaches to where the next name stands last */
static bool row_keys(struct reader *r, const char *p, const char *end, struct hist_value *out)
{
	const struct hist_table *t = r->t;

	for (size_t i = 0; i < t->nkeys; i++) {
		const char *stop = end;
		size_t n = strlen(t->keys[i].name);

		if (!begins(p, end, t->keys[i].name))
			return false;
		p += n;
		if (p < end && *p == ':')
			p++;
		else if (p < end && *p == '.') /* x.stacktrace has no colon */
			p += strcspn(p, " \n");
		if (p < end && *p == ' ')
			p++;
		if (i + 1 < t->nkeys) {
			char *sep = arena_printf(r->a, ", %s:", t->keys[i + 1].name), *at;
			const char *from = p;

			stop = NULL;
			while ((at = memmem(from, (size_t)(end - from), sep, strlen(sep)))) {
				stop = at;
				from = at + 1;
			}
			if (!stop)
				return false;
		}
		if (!value(&t->keys[i], p, stop, &out[i]))
			return false;
		p = stop + 2 < end ? stop + 2 : end;
	}
	return true;
}

/* Where the value at @p ends: before two blanks and the next `NAME: `, or with the line */
static const char *extra_end(const char *p, const char *end)
{
	for (; p < end; p++) {
		const char *q = p + 2;

		if (*p == '\t')
			return p;
		if (end - p < 4 || p[0] != ' ' || p[1] != ' ' ||
		    !(isalpha((unsigned char)*q) || *q == '_'))
			continue;
		while (q < end && (isalnum((unsigned char)*q) || *q == '_'))
			q++;
		if (q < end && *q == ':')
			return p;
	}
	return end;
}

static bool row_begins(const struct reader *r, const char *p)
{
	return begins(p, r->end, "{ ") && r->t->nkeys && begins(p + 2, r->end, r->t->keys[0].name);
}

/* Where what stands below a row ends: strings in it may hold newlines */
static const char *below_end(struct reader *r, const char *p)
{
	while (p < r->end && *p != '\n' && !row_begins(r, p)) {
		p = line_end(p, r->end);
		p += p < r->end;
	}
	return p;
}

/* "\tmax:  5  name: value ..." below a row */
static const char *extras(struct reader *r, const char *p, struct hist_row *row)
{
	const char *end;

	if (p >= r->end || *p != '\t')
		return p;
	end = below_end(r, p);
	for (const char *at = p; at < end;) {
		struct hist_extra x = {0};
		const char *colon, *q;

		at = blanks(at, end);
		colon = memchr(at, ':', (size_t)(end - at));
		if (!colon)
			break;
		x.name = at;
		x.name_len = (size_t)(colon - at);
		at = extra_end(colon + 1, end); /* an empty string is all blanks */
		x.value = blanks(colon + 1, at);
		x.value_len = (size_t)(at - x.value);
		while (x.value_len && strchr(" \n", x.value[x.value_len - 1]))
			x.value_len--;
		q = x.value;
		if (!number(&q, at, &x.u))
			x.u = 0;
		ARENA_PUSH(r->a, row->extra, row->nextra, x);
	}
	return end;
}

static const char *row(struct reader *r, const char *p)
{
	const char *next = NULL, *end = keys_end(r, p, &next);
	struct hist_row w = {0};

	if (!end) {
		r->t->bad++;
		return line_end(p, r->end);
	}
	w.keys = ARENA_ARRAY(r->a, struct hist_value, r->t->nkeys + 1);
	w.vals = ARENA_ARRAY(r->a, uint64_t, r->t->nvals + 1);
	tail(r, end, next, &w);
	if (next < r->end)
		next = extras(r, next + 1, &w);
	/* "} hitcount" comes after one blank of its own */
	if (!row_keys(r, p + 2, end > p + 2 && end[-1] == ' ' ? end - 1 : end, w.keys))
		r->t->bad++;
	else
		ARENA_PUSH(r->a, r->t->rows, r->t->nrows, w);
	return next;
}

static void total(const char *p, const char *end, const char *name, uint64_t *out)
{
	p = blanks(p, end);
	if (begins(p, end, name)) {
		p += strlen(name);
		number(&p, end, out);
	}
}

size_t hist_parse(struct arena *a, const char *text, size_t len, struct hist_table **out)
{
	struct reader r = {.a = a, .end = text + len};
	struct hist_table *v = NULL;
	size_t n = 0;
	bool totals = false;

	for (const char *p = text; p < r.end;) {
		const char *end = line_end(p, r.end);

		if (begins(p, end, HEAD)) {
			struct hist_table t = {0};

			ARENA_PUSH(a, v, n, t);
			r.t = &v[n - 1];
			head(&r, p + strlen("# trigger info: "), end);
			totals = false;
		} else if (r.t && !totals && row_begins(&r, p)) {
			end = row(&r, p);
			/* extras may have been read up to the beginning of a line */
			if (end > p && end[-1] == '\n') {
				p = end;
				continue;
			}
		} else if (r.t && begins(p, end, "Totals:")) {
			totals = true;
		} else if (r.t && totals) {
			total(p, end, "Hits:", &r.t->hits);
			total(p, end, "Entries:", &r.t->entries);
			total(p, end, "Dropped:", &r.t->dropped);
		}
		p = end + 1;
	}
	*out = v;
	return n;
}
