/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys of groups and pairs: evaluated, encoded into bytes that compare equal exactly when they do.
 */
#include "engine/nodes.h"

#include <stdlib.h>

/* an integer is its sign tag and eight bytes, a string its length and bytes */
#define INT_BYTES 9u

void keys_init(struct keys *k, struct qrun *q, const struct key *keys, struct expr *const *exprs,
	       unsigned n)
{
	k->n = n;
	k->v = ARENA_ARRAY(q->e->arena, struct code, n ? n : 1);
	for (unsigned i = 0; i < n; i++)
		k->v[i] = code_new(q, keys ? keys[i].e : exprs[i]);
	k->one_int = n == 1 && !type_str(&k->v[0].e->type);
}

void keys_types(struct keys *k, struct arena *a, const struct type *types, unsigned n)
{
	struct expr *e = ARENA_ARRAY(a, struct expr, n + 1);

	k->n = n;
	k->v = ARENA_ARRAY(a, struct code, n ? n : 1);
	for (unsigned i = 0; i < n; i++) {
		e[i] = (struct expr){.op = XO_NULL, .type = types[i]};
		k->v[i].e = &e[i];
	}
	k->one_int = n == 1 && !type_str(&types[0]);
}

void keys_free(struct keys *k)
{
	free(k->buf);
	k->buf = NULL;
	k->cap = 0;
}

static uint8_t *room(struct keys *k, size_t at, size_t n)
{
	if (k->cap - at < n) {
		k->cap = (at + n) * 2;
		k->buf = xrealloc(k->buf, k->cap);
	}
	return k->buf + at;
}

/* one key behind what is in the buffer already */
static void put(struct keys *k, unsigned i, struct val v, size_t *at)
{
	uint8_t *p;

	if (type_str(&k->v[i].e->type)) {
		p = room(k, *at, 4 + (size_t)v.len);
		memcpy(p, &v.len, 4);
		if (v.len)
			memcpy(p + 4, v.p, v.len);
		*at += 4 + (size_t)v.len;
	} else {
		p = room(k, *at, INT_BYTES);
		p[0] = v.uns && v.s < 0;
		memcpy(p + 1, &v.u, 8);
		*at += INT_BYTES;
	}
}

static bool done(struct keys *k, size_t at, struct keyval *out)
{
	if (!k->n)
		room(k, 0, 1);
	out->aux = (uint32_t)at;
	out->key = tab_hash_bytes(k->buf, out->aux);
	return at <= UINT32_MAX;
}

bool keys_encode(struct keys *k, struct ctx *c, struct keyval *out)
{
	size_t at = 0;

	for (unsigned i = 0; i < k->n; i++) {
		struct val v = code_eval(&k->v[i], c);

		if (v.null)
			return false;
		put(k, i, v, &at);
	}
	return done(k, at, out);
}

bool keys_of(struct keys *k, const struct val *v, struct keyval *out)
{
	size_t at = 0;

	if (k->one_int) {
		out->key = v->u;
		out->aux = v->uns && v->s < 0;
		return !v->null;
	}
	for (unsigned i = 0; i < k->n; i++) {
		if (v[i].null)
			return false;
		put(k, i, v[i], &at);
	}
	return done(k, at, out);
}

void keys_vals(const struct keys *k, const struct ent *e, struct val *out, struct scratch *s)
{
	const uint8_t *p;

	if (k->one_int) {
		*out = val_int(e->key, e->aux & 1);
		return;
	}
	p = e->bytes;
	for (unsigned i = 0; i < k->n; i++) {
		uint64_t u;
		uint32_t len;

		if (type_str(&k->v[i].e->type)) {
			memcpy(&len, p, 4);
			out[i] = val_text(s, (const char *)p + 4, len);
			p += 4 + (size_t)len;
		} else {
			memcpy(&u, p + 1, 8);
			out[i] = val_int(u, p[0]);
			p += INT_BYTES;
		}
	}
}

static void int_cell(const struct type *t, uint64_t u, bool big, struct cell *out)
{
	struct val v = val_int(u, big);

	/* decimals rest as the double's bits in a key */
	val_cell(t, v, out);
}

void keys_cells(const struct keys *k, const struct ent *e, struct cell *out)
{
	const uint8_t *p;

	if (k->one_int) {
		int_cell(&k->v[0].e->type, e->key, e->aux & 1, out);
		return;
	}
	p = e->bytes;
	for (unsigned i = 0; i < k->n; i++) {
		uint64_t u;
		uint32_t len;

		if (type_str(&k->v[i].e->type)) {
			memcpy(&len, p, 4);
			out[i] = (struct cell){.p = (const char *)p + 4, .len = len};
			p += 4 + (size_t)len;
		} else {
			memcpy(&u, p + 1, 8);
			int_cell(&k->v[i].e->type, u, p[0], &out[i]);
			p += INT_BYTES;
		}
	}
}
