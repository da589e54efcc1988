/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Running print programs. Records are checked once, before the first byte is written; after that
 * every load is inside. Allocates nothing but the buffer's growth.
 */
#include "base/num.h"
#include "catalog/printprog.h"

#include <stdio.h>

/* ---- numbers ---- */

static inline uint64_t load(const struct rec *r, uint32_t off, uint32_t size)
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

static uint64_t eval_tree(const struct pexpr *x, const struct rec *r);

static inline uint64_t eval(const struct pexpr *x, const struct rec *r)
{
	return x->op == PX_LOAD ? load(r, x->off, x->size) : eval_tree(x, r);
}

static uint64_t eval_tree(const struct pexpr *x, const struct rec *r)
{
	uint64_t a, b;

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

/* ---- writing: printprog_run() has made room for all of it; what writes returns its end ---- */

/* short texts without a call */
static inline char *put(char *p, const char *s, size_t n)
{
	uint64_t a, b;
	uint32_t c, d;

	if (n > 16) {
		memcpy(p, s, n);
	} else if (n >= 8) {
		memcpy(&a, s, 8);
		memcpy(&b, s + n - 8, 8);
		memcpy(p, &a, 8);
		memcpy(p + n - 8, &b, 8);
	} else if (n >= 4) {
		memcpy(&c, s, 4);
		memcpy(&d, s + n - 4, 4);
		memcpy(p, &c, 4);
		memcpy(p + n - 4, &d, 4);
	} else {
		for (size_t i = 0; i < n; i++)
			p[i] = s[i];
	}
	return p + n;
}

/* a text of the program */
static inline char *put_own(char *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i += PROG_PAD)
		memcpy(p + i, s + i, PROG_PAD);
	return p + n;
}

static inline char *put_char(char *p, char c)
{
	*p = c;
	return p + 1;
}

static inline char *put_dec(char *p, uint64_t v)
{
	return p + num_dec(p, v);
}

static inline char *put_signed(char *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return put_dec(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static inline char *put_hex(char *p, uint64_t v)
{
	p[0] = '0';
	p[1] = 'x';
	return p + 2 + num_hex(p + 2, v);
}

/* the digits at @d with their sign and what the width asks for */
static char *put_number(char *p, const struct pstep *s, const char *sign, const char *d, unsigned n)
{
	unsigned ns = (unsigned)strlen(sign),
		 pad = s->width > n + ns ? (unsigned)s->width - n - ns : 0;

	if (pad && !s->left && !s->zero) {
		memset(p, ' ', pad);
		p += pad;
	}
	p = put(p, sign, ns);
	if (pad && s->zero) {
		memset(p, '0', pad);
		p += pad;
	}
	p = put(p, d, n);
	if (pad && s->left) {
		memset(p, ' ', pad);
		p += pad;
	}
	return p;
}

/* as printf takes it: so many bytes, signed or not */
static inline uint64_t cut(const struct pstep *s, uint64_t v)
{
	unsigned n = 64 - s->bytes * 8u;

	v <<= n;
	return s->op == PS_DEC ? (uint64_t)((int64_t)v >> n) : v >> n;
}

static char *wide(char *p, const struct pstep *s, uint64_t v)
{
	const char *sign = "";
	char d[NUM_MAX];
	unsigned n;

	if (s->op == PS_HEX) {
		sign = s->alt && v ? "0x" : "";
		n = num_hex(d, v);
	} else {
		if (s->op == PS_DEC && (int64_t)v < 0) {
			sign = "-";
			v = 0 - v;
		}
		n = num_dec(d, v);
	}
	return put_number(p, s, sign, d, n);
}

static inline char *number(char *p, const struct pstep *s, uint64_t v)
{
	v = cut(s, v);
	if (s->width)
		return wide(p, s, v);
	if (s->op == PS_DEC)
		return put_signed(p, (int64_t)v);
	if (s->op != PS_HEX)
		return put_dec(p, v);
	return s->alt && v ? put_hex(p, v) : p + num_hex(p, v);
}

static char *other(char *p, const struct pstep *s, uint64_t v)
{
	const size_t room = PROG_CONVERSION;
	int n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	switch (s->bytes) {
	case 1: n = snprintf(p, room, s->s, (int)(char)v); break;
	case 2: n = snprintf(p, room, s->s, (int)(short)v); break;
	case 4: n = snprintf(p, room, s->s, (int)v); break;
	default: n = snprintf(p, room, s->s, (long long)v);
	}
#pragma GCC diagnostic pop
	return n > 0 && (size_t)n < room ? p + n : p;
}

/* ---- functions ---- */

static const struct prog_sym *function(struct prog_env *env, uint64_t addr)
{
	struct prog_sym *y = &env->syms[(addr ^ addr >> 10 ^ addr >> 20) % PROG_SYMS];

	if (!y->known || y->addr != addr) {
		y->known = true;
		y->addr = addr;
		env->find(env->arg, y);
		y->len = y->name ? (uint32_t)strnlen(y->name, PROG_NAME) : 0;
	}
	return y;
}

static char *put_function(char *p, const struct prog_sym *y, bool offset)
{
	if (!y->name)
		return put_hex(p, y->addr);
	p = put(p, y->name, y->len);
	if (offset)
		p = put_hex(put_char(p, '+'), y->addr - y->start);
	return p;
}

/* ---- texts ---- */

static inline char *put_padded(char *d, const struct pstep *s, const char *p, size_t n)
{
	size_t pad = s->width > n ? s->width - n : 0;

	if (pad && !s->left) {
		memset(d, ' ', pad);
		d += pad;
	}
	d = put(d, p, n);
	if (pad && s->left) {
		memset(d, ' ', pad);
		d += pad;
	}
	return d;
}

static inline char *put_name(char *d, const struct pstep *s, const char *p, size_t n)
{
	return s->width ? put_padded(d, s, p, n) : put_own(d, p, n);
}

static char *flags(char *p, const struct pstep *s, const struct ptext *t, uint64_t v)
{
	bool some = false;

	for (size_t i = 0; i < t->nnames; i++) {
		const struct pname *n = &t->names[i];

		if (n->zero) {
			if (v)
				continue;
			p = put_name(p, s, n->s, n->len);
			break;
		}
		if (!n->v || (v & n->v) != n->v)
			continue;
		if (some && t->s)
			p = put_own(p, t->s, t->len);
		p = put_name(p, s, n->s, n->len);
		some = true;
		v &= ~n->v;
	}
	if (v) {
		if (some && t->s)
			p = put_own(p, t->s, t->len);
		p = put_hex(p, v);
	}
	return p;
}

static char *symbol(char *p, const struct pstep *s, const struct ptext *t, uint64_t v)
{
	for (size_t i = 0; i < t->nnames; i++) {
		if (t->names[i].v == v)
			return put_name(p, s, t->names[i].s, t->names[i].len);
	}
	return put_hex(p, v);
}

static char *text(char *d, const struct pstep *s, const struct ptext *t, const struct rec *r)
{
	const char *p = (const char *)r->data + t->off;
	uint32_t n;

	switch (t->kind) {
	case PT_LITERAL: return put_name(d, s, t->s, t->len);
	case PT_ARRAY: return put_padded(d, s, p, strnlen(p, t->size));
	case PT_TAIL: return put_padded(d, s, p, strnlen(p, r->len - t->off));
	case PT_DYNAMIC: /* to its NUL, whatever its length says */
		if (rec_bytes(r, t->f, &p, &n) && load(r, t->f->offset, 4) >> 16)
			d = put(d, p, strnlen(p, (size_t)((const char *)r->data + r->len - p)));
		return d;
	case PT_FLAGS: return flags(d, s, t, eval(t->e, r));
	case PT_SYMBOL: return symbol(d, s, t, eval(t->e, r));
	case PT_CHOICE: return text(d, s, eval(t->e, r) ? t->yes : t->no, r);
	}
	return d;
}

/* ---- plugins ---- */

static char *put_comm(char *d, const struct printprog *p, unsigned i, const struct rec *r)
{
	const char *s = (const char *)r->data + p->comm_off[i];

	d = put(d, s, strnlen(s, p->comm_size[i]));
	return put_char(d, ':');
}

static char *sched_switch(char *d, const struct printprog *p, const struct rec *r)
{
	static const char states[] = "SDTtZXxW";
	uint64_t state = eval(p->plug[2], r);
	bool found = false;

	d = put_comm(d, p, 0, r);
	d = put_signed(d, (int64_t)eval(p->plug[0], r));
	d = put(d, " [", 2);
	d = put_signed(d, (int)eval(p->plug[1], r));
	d = put(d, "] ", 2);
	for (unsigned i = 0; state & 0xff && i < sizeof(states) - 1; i++) {
		if (!(state & 1u << i))
			continue;
		if (found)
			d = put_char(d, '|');
		d = put_char(d, states[i]);
		found = true;
	}
	if (!found)
		d = put_char(d, 'R');
	d = put(d, " ==> ", 5);
	d = put_comm(d, p, 1, r);
	d = put_signed(d, (int64_t)eval(p->plug[3], r));
	d = put(d, " [", 2);
	d = put_signed(d, (int)eval(p->plug[4], r));
	return put_char(d, ']');
}

static char *sched_wakeup(char *d, const struct printprog *p, const struct rec *r)
{
	static const struct pstep cpu = {.op = PS_UDEC, .width = 3, .zero = true, .bytes = 8};

	d = put_comm(d, p, 0, r);
	d = put_signed(d, (int64_t)eval(p->plug[0], r));
	d = put(d, " [", 2);
	d = put_signed(d, (int64_t)eval(p->plug[1], r));
	d = put_char(d, ']');
	if (p->plug[3]) {
		d = put(d, " success=", 9);
		d = put_signed(d, (int64_t)eval(p->plug[3], r));
	}
	d = put(d, " CPU:", 5);
	return number(d, &cpu, eval(p->plug[2], r));
}

static char *call_site(char *p, const struct prog_sym *y)
{
	if (!y->name)
		return p;
	p = put_char(p, '(');
	p = put(p, y->name, y->len);
	p = put_char(p, '+');
	p = put_hex(p, (uint32_t)(y->addr - y->start));
	return put(p, ") ", 2);
}

/* ---- the whole ---- */

bool printprog_fits(const struct printprog *p, const struct rec *r)
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

static inline char *step(char *p, const struct pstep *s, struct prog_env *env, const struct rec *r)
{
	uint64_t v;

	switch (s->op) {
	case PS_LITERAL: return put_own(p, s->s, s->len);
	case PS_DEC:
	case PS_UDEC:
	case PS_HEX: return number(p, s, eval(s->e, r));
	case PS_OTHER: return other(p, s, eval(s->e, r));
	case PS_TEXT: return text(p, s, s->t, r);
	case PS_POINTER: v = eval(s->e, r); return v ? put_hex(p, v) : put(p, "(nil)", 5);
	case PS_FUNC:
	case PS_FUNCOFF: return put_function(p, function(env, eval(s->e, r)), s->op == PS_FUNCOFF);
	}
	return p;
}

void printprog_run(const struct printprog *p, struct prog_env *env, const struct rec *r,
		   struct buf *out)
{
	size_t max = p->max + (size_t)p->texts * r->len + PROG_PAD;
	char *d;

	if (out->cap - out->len <= max)
		buf_reserve(out, max);
	d = out->p + out->len;
	switch (p->plugin) {
	case PP_SWITCH: d = sched_switch(d, p, r); break;
	case PP_WAKEUP: d = sched_wakeup(d, p, r); break;
	case PP_CALL_SITE: d = call_site(d, function(env, eval(p->plug[0], r))); break;
	case PP_NONE: break;
	}
	for (const struct pstep *s = p->steps, *end = s + p->nsteps; s < end; s++)
		d = step(d, s, env, r);
	*d = 0;
	out->len = (size_t)(d - out->p);
}
