/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a `hist` file to the rows of one trigger, and arithmetic on such rows. */
#include "kernel/hist_read.h"

#include "base/io.h"
#include "kernel/hist.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (512u << 20)

static int by_key(const void *x, const void *y)
{
	const struct krow *a = x, *b = y;
	int r = memcmp(a->key, b->key, a->len < b->len ? a->len : b->len);

	return r ? r : (a->len > b->len) - (a->len < b->len);
}

/* the word that names a variable of a pair's trigger, which no other has */
static const char *variable(struct arena *a, const char *trigger)
{
	const char *v = strstr(trigger, ":ts_");

	if (!v)
		v = strstr(trigger, ":lt_");
	return v ? arena_strndup(a, v + 1, strcspn(v, "=")) : "";
}

/* Does the condition of a listed trigger, up to its state, read @filter (" if ..." or NULL)? */
static bool same_filter(const char *info, const char *filter)
{
	const char *at = strstr(info, " if ");
	size_t n = filter ? strlen(filter) : 0;

	if (!filter || !at)
		return !filter && !at;
	return strncmp(at, filter, n) == 0 && (at[n] == '\0' || strncmp(at + n, " [", 2) == 0);
}

/* The kernel lists a trigger with all defaults filled in, and in no order that is promised: ours is
 * the one with the same keys, values, variables and condition. */
static const struct hist_table *find(struct arena *a, const struct hist_table *v, size_t n,
				     const struct phist *h)
{
	struct hist_table want = {0};
	const char *filter = strstr(h->trigger, " if "), *var = variable(a, h->trigger);

	hist_parse_info(a, h->trigger, strlen(h->trigger), &want);
	for (size_t i = 0; i < n; i++) {
		const struct hist_table *t = &v[i];
		bool same = t->nkeys == want.nkeys && t->nvals == want.nvals;

		for (size_t k = 0; same && k < t->nkeys; k++)
			same = strcmp(t->keys[k].name, want.keys[k].name) == 0 &&
			       strcmp(t->keys[k].mod, want.keys[k].mod) == 0;
		for (size_t k = 0; same && k < t->nvals; k++)
			same = strcmp(t->vals[k], want.vals[k]) == 0;
		if (same && same_filter(t->info, filter) && strstr(t->info, var))
			return t;
	}
	return NULL;
}

static void encode(struct buf *b, const struct phist *h, const struct hist_row *row)
{
	buf_clear(b);
	for (size_t i = 0; i < h->nkeys; i++) {
		const struct hist_value *v = &row->keys[i];
		uint32_t len = (uint32_t)v->len;

		if (!h->keys[i].str) {
			buf_add(b, &v->u, sizeof(v->u));
			continue;
		}
		buf_add(b, &len, sizeof(len));
		buf_add(b, v->p, len);
	}
}

int hist_read(const char *dir, const struct phist *h, struct ksnap *out)
{
	struct arena *a = arena_new();
	struct buf text = {0}, key = {0};
	const struct hist_table *t;
	struct hist_table *v = NULL;
	size_t n;
	char path[PATH_MAX];
	int rc;

	*out = (struct ksnap){.a = arena_new(), .nvals = h->nvals};
	if (snprintf(path, sizeof(path), "%s/%s/hist", dir, h->dir) >= (int)sizeof(path))
		rc = -ENAMETOOLONG;
	else
		rc = io_read_file(path, &text, FILE_MAX);
	n = rc ? 0 : hist_parse(a, buf_str(&text), text.len, &v);
	t = rc ? NULL : find(a, v, n, h);
	if (!rc && !t)
		rc = -EINVAL;
	if (t) {
		out->dropped = t->dropped;
		out->bad = t->bad;
		out->v = ARENA_ARRAY(out->a, struct krow, t->nrows + 1);
	}
	for (size_t i = 0; t && i < t->nrows; i++) {
		const struct hist_row *row = &t->rows[i];
		struct krow *k = &out->v[out->n++];
		uint64_t *vals = ARENA_ARRAY(out->a, uint64_t, h->nvals + 1);

		encode(&key, h, row);
		for (size_t j = 0; j < h->nvals; j++)
			vals[j] = row->vals[j];
		k->key = (const uint8_t *)arena_strndup(out->a, key.p ? key.p : "", key.len);
		k->len = key.len;
		k->hits = row->hits;
		k->vals = vals;
	}
	qsort(out->v, out->n, sizeof(*out->v), by_key);
	buf_free(&text);
	buf_free(&key);
	arena_free(a);
	if (rc)
		ksnap_free(out);
	return rc;
}

/* All rows, then equal neighbours become one. */
struct ksnap ksnap_combine(const struct ksnap *const *in, const int *sign, unsigned n)
{
	struct ksnap out = {.a = arena_new()};
	size_t total = 0, kept = 0;

	for (unsigned i = 0; i < n; i++) {
		total += in[i]->n;
		if (in[i]->nvals > out.nvals)
			out.nvals = in[i]->nvals;
		out.dropped += (uint64_t)sign[i] * in[i]->dropped;
		out.bad += in[i]->bad;
	}
	out.v = ARENA_ARRAY(out.a, struct krow, total + 1);
	for (unsigned i = 0; i < n; i++) {
		for (size_t k = 0; k < in[i]->n; k++) {
			const struct krow *r = &in[i]->v[k];
			uint64_t *vals = ARENA_ARRAY(out.a, uint64_t, out.nvals + 1);

			for (size_t j = 0; j < in[i]->nvals; j++)
				vals[j] = (uint64_t)sign[i] * r->vals[j];
			out.v[out.n++] = (struct krow){.key = (const uint8_t *)arena_strndup(
							       out.a, (const char *)r->key, r->len),
						       .len = r->len,
						       .hits = (uint64_t)sign[i] * r->hits,
						       .vals = vals};
		}
	}
	qsort(out.v, out.n, sizeof(*out.v), by_key);
	for (size_t i = 0; i < out.n;) {
		struct krow row = out.v[i];
		uint64_t *vals = (uint64_t *)row.vals;

		for (i++; i < out.n && by_key(&row, &out.v[i]) == 0; i++) {
			row.hits += out.v[i].hits;
			for (size_t j = 0; j < out.nvals; j++)
				vals[j] += out.v[i].vals[j];
		}
		if (row.hits)
			out.v[kept++] = row;
	}
	out.n = kept;
	return out;
}

void ksnap_free(struct ksnap *s)
{
	arena_free(s->a);
	*s = (struct ksnap){0};
}

bool ksnap_key(const struct krow *r, size_t *at, bool str, uint64_t *u, const char **p, size_t *len)
{
	uint32_t n;

	*u = 0;
	*p = NULL;
	*len = 0;
	if (!str) {
		if (*at + sizeof(*u) > r->len)
			return false;
		memcpy(u, r->key + *at, sizeof(*u));
		*at += sizeof(*u);
		return true;
	}
	if (*at + sizeof(n) > r->len)
		return false;
	memcpy(&n, r->key + *at, sizeof(n));
	*at += sizeof(n);
	if (n > r->len - *at)
		return false;
	*p = (const char *)r->key + *at;
	*len = n;
	*at += n;
	return true;
}
