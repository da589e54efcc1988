/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys of groups and pairs: evaluated, encoded into bytes that compare equal exactly when they do.
 */
#include "engine/nodes.h"
#include "engine/tasks.h"

#include <stdlib.h>

/* an integer is its sign tag and eight bytes, a string its length and bytes */
#define INT_BYTES 9u
#define MAX_CPUS 4096u

/* the text is known before the record is: the event's name, or the running task's */
static bool cheap_text(const struct expr *e)
{
	return (e->op == XO_BUILTIN || e->op == XO_FIELD) &&
	       (e->builtin == BI_EVENT || e->builtin == BI_SYSTEM || e->builtin == BI_COMM);
}

/* An integer and a text, or up to three texts, fit into an integer key with its companion. */
void keys_choose_packed(struct keys *k, struct qrun *q)
{
	unsigned ints = 0, texts = 0;
	bool cheap = false;

	for (unsigned i = 0; i < k->n; i++) {
		const struct expr *e = k->v[i].e;

		if (type_str(&e->type)) {
			texts++;
			cheap |= cheap_text(e);
		} else {
			ints++;
		}
	}
	if (!cheap || ints > 1 || texts > (ints ? 1 : 3))
		return;
	k->packed = true;
	k->with_int = ints;
	k->nlocal = q->nlocal;
	k->norigins = catalog_norigins(q->e->c);
	tab_init(&k->texts, &q->e->mem, 0, true);
}

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
	if (!k->packed)
		return;
	tab_clear(&k->texts);
	free(k->consts);
	free(k->cpus);
	for (unsigned i = 0; k->names && i < k->norigins; i++)
		free(k->names[i]);
	free(k->names);
	free(k->nnames);
	k->consts = k->nnames = NULL;
	k->cpus = NULL;
	k->names = NULL;
}

/* ---- packed keys ---- */

/* 0: no room */
static uint32_t number_of(struct keys *k, const char *p, uint32_t len)
{
	uint64_t h = tab_hash_bytes(p, len);
	const struct ent *e = tab_find_bytes(&k->texts, p, len, h);

	if (!e)
		e = tab_add_bytes(&k->texts, p, len, h, false);
	return e ? e->live : 0;
}

/* the place where the number of a task's name is remembered; NULL: nowhere */
static struct name_number *name_place(struct keys *k, const struct rec *r, uint32_t place)
{
	unsigned o = r->origin->index;

	if (o >= k->norigins)
		return NULL;
	if (!k->names) {
		k->names = xcalloc(k->norigins, sizeof(*k->names));
		k->nnames = xcalloc(k->norigins, sizeof(*k->nnames));
	}
	if (place >= k->nnames[o]) {
		uint32_t n = (place + 64) * 2;

		k->names[o] = xrealloc(k->names[o], n * sizeof(**k->names));
		memset(k->names[o] + k->nnames[o], 0, (n - k->nnames[o]) * sizeof(**k->names));
		k->nnames[o] = n;
	}
	return &k->names[o][place];
}

/* where the number of the running task's name is remembered; NULL: nowhere */
static uint32_t *comm_number(struct keys *k, const struct prog *p, struct ctx *c)
{
	struct tasks *t = c->tasks ? c->tasks[c->r->origin->index] : NULL;
	struct cpu_name *cpu;
	struct name_number *n;
	uint32_t place, version;
	uint64_t tid;

	if (!t || c->comm || !rec_int(c->r, p->f, &tid) || c->r->cpu < 0 ||
	    (unsigned)c->r->cpu >= MAX_CPUS)
		return NULL;
	if (!k->cpus)
		k->cpus = xcalloc(MAX_CPUS, sizeof(*k->cpus));
	cpu = &k->cpus[c->r->cpu];
	if ((int)tid == 0)
		return &cpu->idle;
	if (cpu->known && cpu->tid == (int)tid && cpu->changes == tasks_changes(t) &&
	    cpu->origin == c->r->origin->index && cpu->number)
		return &cpu->number;
	cpu->known = false;
	if (!tasks_name(t, (int)tid, &place, &version))
		return NULL;
	n = name_place(k, c->r, place);
	if (!n)
		return NULL;
	if (n->version != version) {
		n->version = version;
		n->number = 0;
	}
	if (!n->number)
		return &n->number;
	*cpu = (struct cpu_name){.changes = tasks_changes(t),
				 .tid = (int)tid,
				 .origin = (uint16_t)c->r->origin->index,
				 .known = true,
				 .number = n->number,
				 .idle = cpu->idle};
	return &cpu->number;
}

/* the number of a text; false: null, or no room for it */
static bool text_number(struct keys *k, unsigned i, struct ctx *c, uint32_t *out, bool *no_room)
{
	const struct prog *p = k->v[i].by[c->li];
	uint32_t *kept = NULL;
	struct val v;

	if (!p)
		p = code_compile(&k->v[i], c);
	if (p->kind == PROG_COMM) {
		kept = comm_number(k, p, c);
	} else if (p->kind == PROG_TEXT) {
		if (!k->consts)
			k->consts = xcalloc((size_t)k->n * (k->nlocal + 1), sizeof(*k->consts));
		kept = c->li <= k->nlocal ? &k->consts[i * (k->nlocal + 1) + c->li] : NULL;
	}
	if (kept && *kept) {
		*out = *kept;
		return true;
	}
	v = code_eval(&k->v[i], c);
	if (v.null)
		return false;
	*out = number_of(k, v.p, v.len);
	*no_room = !*out;
	if (kept)
		*kept = *out;
	return *out != 0;
}

/* The first two texts are the halves of the key, the third is beside the sign in aux. */
static inline void put_number(struct keyval *out, unsigned at, uint32_t n)
{
	if (at == 2)
		out->aux |= n << 1;
	else
		out->key |= (uint64_t)n << 32 * at;
}

static inline uint32_t get_number(const struct ent *e, unsigned at)
{
	return at == 2 ? e->aux >> 1 : (uint32_t)(e->key >> 32 * at);
}

bool keys_pack(struct keys *k, struct ctx *c, struct keyval *out)
{
	unsigned texts = k->with_int ? 2 : 0;

	out->key = out->aux = 0;
	for (unsigned i = 0; i < k->n; i++) {
		uint32_t n;

		if (!type_str(&k->v[i].e->type)) {
			struct val v = code_eval(&k->v[i], c);

			if (v.null)
				return false;
			out->key = v.u;
			out->aux |= v.uns && v.s < 0;
			continue;
		}
		if (!text_number(k, i, c, &n, &out->no_room))
			return false;
		put_number(out, texts++, n);
	}
	return true;
}

bool keys_again(struct keys *k, const struct keys *from, const struct ent *e, struct keyval *out)
{
	unsigned texts = k->with_int ? 2 : 0;

	*out = (struct keyval){.key = e->key, .aux = e->aux};
	if (k->one_int)
		return true;
	if (!k->packed) {
		out->key = tab_hash_bytes(e->bytes, e->aux);
		return true;
	}
	if (!k->with_int)
		out->key = 0;
	out->aux &= 1;
	for (unsigned i = 0; i < k->n; i++) {
		const struct ent *t;
		uint32_t n;

		if (!type_str(&k->v[i].e->type))
			continue;
		n = get_number(e, texts);
		t = tab_ent(&from->texts, n - 1);
		n = number_of(k, (const char *)t->bytes, t->aux);
		if (!n)
			return false;
		put_number(out, texts++, n);
	}
	return true;
}

static void packed_cells(const struct keys *k, const struct ent *e, struct cell *out)
{
	unsigned texts = k->with_int ? 2 : 0;

	for (unsigned i = 0; i < k->n; i++) {
		const struct ent *t;
		uint32_t n;

		if (!type_str(&k->v[i].e->type)) {
			val_cell(&k->v[i].e->type, val_int(e->key, e->aux & 1), &out[i]);
			continue;
		}
		n = get_number(e, texts++);
		t = tab_ent(&k->texts, n - 1);
		out[i] = (struct cell){.p = (const char *)t->bytes, .len = t->aux};
	}
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
	if (k->packed) {
		packed_cells(k, e, out);
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
