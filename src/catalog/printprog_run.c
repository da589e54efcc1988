/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running print programs. Records are checked once, before the first byte is written; after that
 * every load is inside. Allocates nothing but the buffer's growth.
 */
#include "base/num.h"
#include "catalog/printprog.h"

#include <event-parse.h>
#include <stdio.h>

/* ---- numbers ---- */

static uint64_t load(const struct rec *r, uint32_t off, uint32_t size)
{
	const uint8_t *p = r->data + off;
	bool swap = r->origin->big_endian;
	uint16_t h;
	uint32_t w;
	uint64_t d;

	switch (size) {
	case 1: return *p;
	case 2: memcpy(&h, p, 2); return swap ? bswap_16(h) : h;
	case 4: memcpy(&w, p, 4); return swap ? bswap_32(w) : w;
	default: memcpy(&d, p, 8); return swap ? bswap_64(d) : d;
	}
}

static uint64_t eval(const struct pexpr *x, const struct rec *r)
{
	uint64_t a, b;

	if (x->op == PX_LOAD)
		return load(r, x->off, x->size);
	if (x->op == PX_CONST)
		return x->v;
	if (x->op == PX_CHOICE)
		return eval(eval(x->cond, r) ? x->l : x->r, r);
	a = eval(x->l, r);
	if (x->op == PX_MASK)
		return a & x->v;
	if (x->op == PX_NOT)
		return !a;
	if (x->op == PX_BNOT)
		return ~a;
	b = eval(x->r, r);
	switch (x->op) {
	case PX_AND: return a & b;
	case PX_OR: return a | b;
	case PX_ADD: return a + b;
	case PX_SUB: return a - b;
	case PX_MUL: return a * b;
	case PX_SHL: return a << b;
	case PX_SHR: return a >> b;
	case PX_EQ: return a == b;
	case PX_NE: return a != b;
	case PX_LT: return a < b;
	case PX_LE: return a <= b;
	case PX_GT: return a > b;
	case PX_GE: return a >= b;
	case PX_LAND: return a && b;
	default: return a || b;
	}
}

/* ---- writing: printprog_run() has made room for all of it ---- */

static inline char *room(struct buf *b, size_t n)
{
	(void)n;
	return b->p + b->len;
}

static void put(struct buf *b, const char *s, size_t n)
{
	memcpy(b->p + b->len, s, n);
	b->len += n;
}

/* a text of the program */
static inline void put_own(struct buf *b, const char *s, size_t n)
{
	char *d = b->p + b->len;

	for (size_t i = 0; i < n; i += PROG_PAD)
		memcpy(d + i, s + i, PROG_PAD);
	b->len += n;
}

static inline void put_char(struct buf *b, char c)
{
	b->p[b->len++] = c;
}

static void put_dec(struct buf *b, uint64_t v)
{
	char *p = room(b, NUM_MAX);

	b->len += num_dec(p, v);
}

static void put_signed(struct buf *b, int64_t v)
{
	if (v < 0)
		put_char(b, '-');
	put_dec(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void put_hex(struct buf *b, uint64_t v)
{
	char *p = room(b, NUM_MAX + 2);

	p[0] = '0';
	p[1] = 'x';
	b->len += 2 + num_hex(p + 2, v);
}

/* the digits at @d with their sign and what the width asks for */
static void put_number(struct buf *b, const struct pstep *s, const char *sign, const char *d,
		       unsigned n)
{
	unsigned ns = (unsigned)strlen(sign),
		 pad = s->width > n + ns ? (unsigned)s->width - n - ns : 0;
	char *p = room(b, n + ns + pad);

	b->len += n + ns + pad;
	if (pad && !s->left && !s->zero) {
		memset(p, ' ', pad);
		p += pad;
	}
	memcpy(p, sign, ns);
	p += ns;
	if (pad && s->zero) {
		memset(p, '0', pad);
		p += pad;
	}
	memcpy(p, d, n);
	if (pad && s->left)
		memset(p + n, ' ', pad);
}

static void number(const struct pstep *s, uint64_t v, struct buf *b)
{
	const char *sign = "";
	char d[NUM_MAX];
	unsigned n;

	if (s->bytes < 8)
		v &= (1ull << s->bytes * 8) - 1;
	if (s->op == PS_DEC && s->bytes < 8 && v >> (s->bytes * 8 - 1))
		v |= ~0ull << s->bytes * 8;
	if (s->op == PS_DEC && (int64_t)v < 0) {
		sign = "-";
		v = 0 - v;
	}
	if (!s->width) {
		if (*sign)
			put_char(b, '-');
		if (s->op != PS_HEX)
			put_dec(b, v);
		else if (s->alt && v)
			put_hex(b, v);
		else
			b->len += num_hex(b->p + b->len, v);
		return;
	}
	if (s->op == PS_HEX) {
		sign = s->alt && v ? "0x" : "";
		n = num_hex(d, v);
	} else {
		n = num_dec(d, v);
	}
	put_number(b, s, sign, d, n);
}

static void other(const struct pstep *s, uint64_t v, struct buf *b)
{
	switch (s->bytes) {
	case 1: buf_printf(b, s->s, (int)(char)v); break;
	case 2: buf_printf(b, s->s, (int)(short)v); break;
	case 4: buf_printf(b, s->s, (int)v); break;
	default: buf_printf(b, s->s, (long long)v);
	}
}

/* ---- functions ---- */

static const struct prog_sym *function(struct prog_env *env, uint64_t addr)
{
	struct prog_sym *y = &env->syms[(addr ^ addr >> 10 ^ addr >> 20) % PROG_SYMS];

	if (!y->known || y->addr != addr) {
		env->need_symbols(env->arg);
		y->known = true;
		y->addr = addr;
		y->name = tep_find_function(env->tep, addr);
		y->len = y->name ? (uint32_t)strnlen(y->name, PROG_NAME) : 0;
		y->start = y->name ? tep_find_function_address(env->tep, addr) : 0;
	}
	return y;
}

static void put_function(const struct prog_sym *y, bool offset, struct buf *b)
{
	if (y->name)
		put(b, y->name, y->len);
	else
		put_hex(b, y->addr);
	if (y->name && offset) {
		put_char(b, '+');
		put_hex(b, y->addr - y->start);
	}
}

/* ---- texts ---- */

static void put_padded(struct buf *b, const struct pstep *s, const char *p, size_t n)
{
	size_t pad = s->width > n ? s->width - n : 0;
	char *d = room(b, n + pad);

	b->len += n + pad;
	if (pad && !s->left) {
		memset(d, ' ', pad);
		d += pad;
	}
	memcpy(d, p, n);
	if (pad && s->left)
		memset(d + n, ' ', pad);
}

static inline void put_name(struct buf *b, const struct pstep *s, const char *p, size_t n)
{
	if (s->width)
		put_padded(b, s, p, n);
	else
		put_own(b, p, n);
}

static void flags(const struct pstep *s, const struct ptext *t, uint64_t v, struct buf *b)
{
	bool some = false;

	for (size_t i = 0; i < t->nnames; i++) {
		const struct pname *n = &t->names[i];

		if (n->zero) {
			if (v)
				continue;
			put_name(b, s, n->s, n->len);
			break;
		}
		if (!n->v || (v & n->v) != n->v)
			continue;
		if (some && t->s)
			put_own(b, t->s, t->len);
		put_name(b, s, n->s, n->len);
		some = true;
		v &= ~n->v;
	}
	if (v) {
		if (some && t->s)
			put_own(b, t->s, t->len);
		put_hex(b, v);
	}
}

static void symbol(const struct pstep *s, const struct ptext *t, uint64_t v, struct buf *b)
{
	for (size_t i = 0; i < t->nnames; i++) {
		if (t->names[i].v == v) {
			put_name(b, s, t->names[i].s, t->names[i].len);
			return;
		}
	}
	put_hex(b, v);
}

static void text(const struct pstep *s, const struct ptext *t, const struct rec *r, struct buf *b)
{
	const char *p = (const char *)r->data + t->off;
	uint32_t n;

	switch (t->kind) {
	case PT_LITERAL: put_name(b, s, t->s, t->len); break;
	case PT_ARRAY: put_padded(b, s, p, strnlen(p, t->size)); break;
	case PT_TAIL: put_padded(b, s, p, strnlen(p, r->len - t->off)); break;
	case PT_DYNAMIC: /* to its NUL, whatever its length says */
		if (rec_bytes(r, t->f, &p, &n) && load(r, t->f->offset, 4) >> 16)
			put(b, p, strnlen(p, (size_t)((const char *)r->data + r->len - p)));
		break;
	case PT_FLAGS: flags(s, t, eval(t->e, r), b); break;
	case PT_SYMBOL: symbol(s, t, eval(t->e, r), b); break;
	case PT_CHOICE: text(s, eval(t->e, r) ? t->yes : t->no, r, b); break;
	}
}

/* ---- plugins ---- */

static void put_comm(const struct printprog *p, unsigned i, const struct rec *r, struct buf *b)
{
	const char *s = (const char *)r->data + p->comm_off[i];

	put(b, s, strnlen(s, p->comm_size[i]));
	put_char(b, ':');
}

static void sched_switch(const struct printprog *p, const struct rec *r, struct buf *b)
{
	static const char states[] = "SDTtZXxW";
	uint64_t state = eval(p->plug[2], r);
	bool found = false;

	put_comm(p, 0, r, b);
	put_signed(b, (int64_t)eval(p->plug[0], r));
	put(b, " [", 2);
	put_signed(b, (int)eval(p->plug[1], r));
	put(b, "] ", 2);
	for (unsigned i = 0; i < sizeof(states) - 1; i++) {
		if (!(state & 1u << i))
			continue;
		if (found)
			put_char(b, '|');
		put_char(b, states[i]);
		found = true;
	}
	if (!found)
		put_char(b, 'R');
	put(b, " ==> ", 5);
	put_comm(p, 1, r, b);
	put_signed(b, (int64_t)eval(p->plug[3], r));
	put(b, " [", 2);
	put_signed(b, (int)eval(p->plug[4], r));
	put_char(b, ']');
}

static void sched_wakeup(const struct printprog *p, const struct rec *r, struct buf *b)
{
	static const struct pstep cpu = {.op = PS_UDEC, .width = 3, .zero = true, .bytes = 8};

	put_comm(p, 0, r, b);
	put_signed(b, (int64_t)eval(p->plug[0], r));
	put(b, " [", 2);
	put_signed(b, (int64_t)eval(p->plug[1], r));
	put_char(b, ']');
	if (p->plug[3]) {
		put(b, " success=", 9);
		put_signed(b, (int64_t)eval(p->plug[3], r));
	}
	put(b, " CPU:", 5);
	number(&cpu, eval(p->plug[2], r), b);
}

static void call_site(const struct prog_sym *y, struct buf *b)
{
	if (!y->name)
		return;
	put_char(b, '(');
	put(b, y->name, y->len);
	put_char(b, '+');
	put_hex(b, (uint32_t)(y->addr - y->start));
	put(b, ") ", 2);
}

/* ---- the whole ---- */

static bool fits(const struct printprog *p, const struct rec *r)
{
	const char *s;
	uint32_t n;

	if (r->len < p->min_size || load(r, 0, 2) != p->id)
		return false;
	for (size_t i = 0; i < p->ndynamic; i++) {
		if (!rec_bytes(r, p->dynamic[i], &s, &n))
			return false;
	}
	return true;
}

static void step(const struct pstep *s, struct prog_env *env, const struct rec *r, struct buf *b)
{
	uint64_t v;

	switch (s->op) {
	case PS_LITERAL: put_own(b, s->s, s->len); break;
	case PS_DEC:
	case PS_UDEC:
	case PS_HEX: number(s, eval(s->e, r), b); break;
	case PS_OTHER: other(s, eval(s->e, r), b); break;
	case PS_TEXT: text(s, s->t, r, b); break;
	case PS_POINTER:
		v = eval(s->e, r);
		if (v)
			put_hex(b, v);
		else
			put(b, "(nil)", 5);
		break;
	case PS_FUNC:
	case PS_FUNCOFF: put_function(function(env, eval(s->e, r)), s->op == PS_FUNCOFF, b); break;
	}
}

bool printprog_run(const struct printprog *p, struct prog_env *env, const struct rec *r,
		   struct buf *out)
{
	size_t max = p->max + (size_t)p->texts * r->len + PROG_PAD;

	if (!fits(p, r))
		return false;
	if (out->cap - out->len <= max)
		buf_reserve(out, max);
	switch (p->plugin) {
	case PP_SWITCH: sched_switch(p, r, out); break;
	case PP_WAKEUP: sched_wakeup(p, r, out); break;
	case PP_CALL_SITE: call_site(function(env, eval(p->plug[0], r)), out); break;
	case PP_NONE: break;
	}
	for (size_t i = 0; i < p->nsteps; i++)
		step(&p->steps[i], env, r, out);
	out->p[out->len] = 0;
	return true;
}
