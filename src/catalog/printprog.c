/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Making print programs. It accepts what it knows to be printed the same way by every version of
 * libtraceevent and its plugins, and refuses all else; it runs nothing.
 */
#include "base/num.h"
#include "catalog/internal.h"
#include "catalog/printprog.h"

#include <ctype.h>
#include <dlfcn.h>
#include <event-parse.h>
#include <stdlib.h>

#define MAX_DEPTH 64
#define MAX_WIDTH 200
#define MAX_RECORD_OFF (1u << 20)

struct pc {
	struct arena *a;
	struct event *e;
	struct printprog *p;
	uint32_t min_size;
	unsigned long_size;
	unsigned depth;
};

/* a text with room behind it to be read in pieces */
static const char *padded(struct pc *c, const char *s, size_t n)
{
	char *p = arena_alloc(c->a, n + PROG_PAD);

	memcpy(p, s, n);
	return p;
}

/* ---- numbers ---- */

static struct pexpr *expr_new(struct pc *c, enum pexpr_op op)
{
	struct pexpr *x = ARENA_NEW(c->a, struct pexpr);

	x->op = op;
	return x;
}

static struct pexpr *constant(struct pc *c, uint64_t v)
{
	struct pexpr *x = expr_new(c, PX_CONST);

	x->v = v;
	return x;
}

static struct pexpr *load(struct pc *c, uint64_t off, uint32_t size)
{
	struct pexpr *x = expr_new(c, PX_LOAD);

	if ((size != 1 && size != 2 && size != 4 && size != 8) || off > MAX_RECORD_OFF ||
	    off + size > c->min_size)
		return NULL;
	x->off = (uint32_t)off;
	x->size = size;
	return x;
}

/* a place of its own in every record: no dynamic array */
static const struct tep_format_field *plain(const struct tep_format_field *f)
{
	return f && !(f->flags & TEP_FIELD_IS_DYNAMIC) && f->offset >= 0 && f->size >= 0 ? f : NULL;
}

/* a cast cuts to the type's size and never extends the sign */
static bool cast_mask(const char *type, uint64_t *mask)
{
	static const struct {
		const char *name;
		unsigned bits;
	} types[] = {{"u8", 8},     {"s8", 8},   {"char", 8}, {"u16", 16}, {"s16", 16},
		     {"short", 16}, {"u32", 32}, {"s32", 32}, {"int", 32}};
	size_t n = strlen(type);

	*mask = UINT64_MAX;
	if (n < 2)
		return false;
	if (type[n - 1] == '*' || strncmp(type, "struct", 6) == 0)
		return true;
	if (strncmp(type, "unsigned ", 9) == 0)
		type += 9;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(type, types[i].name) == 0)
			*mask = (1ull << types[i].bits) - 1;
	}
	return true;
}

static const struct pexpr *number(struct pc *c, const struct tep_print_arg *arg);

static const struct pexpr *element(struct pc *c, const struct tep_print_arg *arg)
{
	const struct pexpr *index = number(c, arg->op.right);
	const struct tep_format_field *f;

	if (!index || index->op != PX_CONST || index->v > MAX_RECORD_OFF ||
	    arg->op.left->type != TEP_PRINT_FIELD)
		return NULL;
	f = plain(arg->op.left->field.field);
	return f ? load(c, (uint64_t)f->offset + index->v * f->elementsize, f->elementsize) : NULL;
}

static const struct pexpr *operation(struct pc *c, const struct tep_print_arg *arg)
{
	static const struct {
		const char *name;
		enum pexpr_op op;
	} ops[] = {{"&", PX_AND},   {"|", PX_OR},   {"+", PX_ADD}, {"-", PX_SUB}, {"*", PX_MUL},
		   {"<<", PX_SHL},  {">>", PX_SHR}, {"==", PX_EQ}, {"!=", PX_NE}, {"<", PX_LT},
		   {"<=", PX_LE},   {">", PX_GT},   {">=", PX_GE}, {"!", PX_NOT}, {"~", PX_BNOT},
		   {"&&", PX_LAND}, {"||", PX_LOR}};
	struct pexpr *x;

	if (strcmp(arg->op.op, "[") == 0)
		return element(c, arg);
	if (strcmp(arg->op.op, "?") == 0) {
		if (arg->op.right->type != TEP_PRINT_OP || strcmp(arg->op.right->op.op, ":") != 0)
			return NULL;
		x = expr_new(c, PX_CHOICE);
		x->cond = number(c, arg->op.left);
		x->l = number(c, arg->op.right->op.left);
		x->r = number(c, arg->op.right->op.right);
		return x->cond && x->l && x->r ? x : NULL;
	}
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (strcmp(arg->op.op, ops[i].name) != 0)
			continue;
		x = expr_new(c, ops[i].op);
		x->r = number(c, arg->op.right);
		x->l = x->op == PX_NOT || x->op == PX_BNOT ? x->r : number(c, arg->op.left);
		if (!x->l || !x->r)
			return NULL;
		if ((x->op == PX_SHL || x->op == PX_SHR) && (x->r->op != PX_CONST || x->r->v >= 64))
			return NULL;
		return x;
	}
	return NULL;
}

/* The address of a symbol, 0 if there is none; false: libtraceevent may choose among several. */
static bool symbol(struct pc *c, const char *name, uint64_t *v)
{
	size_t len = 0, n = strlen(name);
	const char *text = origin_text(c->e->origin, OT_KALLSYMS, &len), *p = text,
		   *end = text + len;
	unsigned found = 0;

	*v = 0;
	for (const char *s = name; *s; s++) {
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	}
	while (p && n && (p = memmem(p, (size_t)(end - p), name, n))) {
		const char *line = p;

		p += n;
		if (line == text || line[-1] != ' ' || p == end || !strchr("\n\t ", *p))
			continue;
		while (line > text && line[-1] != '\n')
			line--;
		found++;
		*v = 0;
		for (; isxdigit((unsigned char)*line); line++)
			*v = *v << 4 |
			     (unsigned)(isdigit((unsigned char)*line) ? *line - '0'
								      : (*line | 32) - 'a' + 10);
		if (*line != ' ' || !*v)
			return false;
	}
	return n && found <= 1;
}

static const struct pexpr *number_of(struct pc *c, const struct tep_print_arg *arg)
{
	const struct tep_format_field *f;
	struct pexpr *x;
	uint64_t v;

	switch (arg->type) {
	case TEP_PRINT_NULL: return constant(c, 0);
	case TEP_PRINT_ATOM:
		if (isdigit((unsigned char)arg->atom.atom[0]))
			v = strtoull(arg->atom.atom, NULL, 0);
		else if (!symbol(c, arg->atom.atom, &v))
			return NULL;
		return constant(c, v);
	case TEP_PRINT_FIELD:
		f = plain(arg->field.field);
		return f ? load(c, (uint64_t)f->offset, (uint32_t)f->size) : NULL;
	case TEP_PRINT_TYPE:
		x = expr_new(c, PX_MASK);
		x->l = number(c, arg->typecast.item);
		if (!x->l || !cast_mask(arg->typecast.type, &x->v))
			return NULL;
		return x->v == UINT64_MAX ? x->l : x;
	case TEP_PRINT_OP: return operation(c, arg);
	default: return NULL;
	}
}

static const struct pexpr *number(struct pc *c, const struct tep_print_arg *arg)
{
	const struct pexpr *x = NULL;

	if (arg && c->depth < MAX_DEPTH) {
		c->depth++;
		x = number_of(c, arg);
		c->depth--;
	}
	return x;
}

/* ---- texts ---- */

static bool names(struct pc *c, struct ptext *t, const struct tep_print_flag_sym *s)
{
	struct pname *v = NULL;

	for (; s; s = s->next) {
		struct pname n = {.len = (uint32_t)strlen(s->str)};
		int64_t value = -1;

		if (isdigit((unsigned char)s->value[0]))
			value = (int64_t)strtoull(s->value, NULL, 0);
		else if (s->value[0] != '-')
			return false; /* a name that libtraceevent may know */
		n.s = padded(c, s->str, n.len);
		c->p->max += n.len + t->len + MAX_WIDTH;
		n.v = (uint64_t)value;
		n.zero = value < 0;
		ARENA_PUSH(c->a, v, t->nnames, n);
	}
	t->names = v;
	return true;
}

static const struct field *field_named(const struct event *e, const char *name)
{
	for (unsigned i = 0; i < e->nfields; i++) {
		if (strcmp(e->fields[i].name, name) == 0)
			return &e->fields[i];
	}
	return NULL;
}

static struct ptext *text(struct pc *c, const struct tep_print_arg *arg, unsigned width);

static bool text_of(struct pc *c, const struct tep_print_arg *arg, unsigned width, struct ptext *t)
{
	const struct tep_format_field *f;

	switch (arg->type) {
	case TEP_PRINT_ATOM:
		t->kind = PT_LITERAL;
		t->len = (uint32_t)strlen(arg->atom.atom);
		t->s = padded(c, arg->atom.atom, t->len);
		c->p->max += t->len;
		return true;
	case TEP_PRINT_FIELD:
		f = plain(arg->field.field);
		if (!f || (!(f->flags & TEP_FIELD_IS_ARRAY) && (unsigned)f->size == c->long_size))
			return false; /* a pointer to a text, maybe */
		c->p->texts++;
		t->kind = f->size ? PT_ARRAY : PT_TAIL;
		t->off = (uint32_t)f->offset;
		t->size = (uint32_t)f->size;
		return (uint64_t)f->offset + (unsigned)f->size <= c->min_size;
	case TEP_PRINT_FLAGS:
		t->kind = PT_FLAGS;
		t->e = number(c, arg->flags.field);
		if (arg->flags.delim) {
			t->len = (uint32_t)strlen(arg->flags.delim);
			t->s = padded(c, arg->flags.delim, t->len);
		}
		return t->e && names(c, t, arg->flags.flags);
	case TEP_PRINT_SYMBOL:
		t->kind = PT_SYMBOL;
		t->e = number(c, arg->symbol.field);
		return t->e && names(c, t, arg->symbol.symbols);
	case TEP_PRINT_STRING:
		c->p->texts++;
		t->kind = PT_DYNAMIC;
		t->f = field_named(c->e, arg->string.string);
		return t->f && t->f->size == 4 && !width &&
		       (t->f->kind == FK_DYN || t->f->kind == FK_REL);
	case TEP_PRINT_OP:
		if (strcmp(arg->op.op, "?") != 0 || arg->op.right->type != TEP_PRINT_OP)
			return false;
		t->kind = PT_CHOICE;
		t->e = number(c, arg->op.left);
		t->yes = text(c, arg->op.right->op.left, width);
		t->no = text(c, arg->op.right->op.right, width);
		return t->e && t->yes && t->no;
	default: return false;
	}
}

static struct ptext *text(struct pc *c, const struct tep_print_arg *arg, unsigned width)
{
	struct ptext *t = ARENA_NEW(c->a, struct ptext);
	bool ok = false;

	if (arg && c->depth < MAX_DEPTH) {
		c->depth++;
		ok = text_of(c, arg, width, t);
		c->depth--;
	}
	return ok ? t : NULL;
}

/* ---- conversions ---- */

static bool pointer(struct pc *c, const char **q, const struct tep_print_arg *arg, struct pstep *s)
{
	const char *p = *q;

	s->e = number(c, arg);
	switch (*p) {
	case 's':
	case 'f':
		s->op = PS_FUNC;
		p++;
		break;
	case 'S':
	case 'F':
		s->op = PS_FUNCOFF;
		p++;
		break;
	default:
		if (isalnum((unsigned char)*p))
			return false;
		s->op = PS_POINTER;
	}
	*q = p;
	return s->e != NULL;
}

static bool digits(struct pc *c, char conv, int ls, bool rare, const struct tep_print_arg *arg,
		   struct pstep *s)
{
	if (ls < -2 || ls > 2)
		return false;
	s->bytes = ls == -2   ? 1
		   : ls == -1 ? 2
		   : ls == 0  ? 4
		   : ls == 1  ? (c->long_size == 8 ? 8 : (uint8_t)sizeof(long))
			      : 8;
	s->e = number(c, arg);
	s->op = conv == 'd' || conv == 'i' ? PS_DEC
		: conv == 'u'              ? PS_UDEC
		: conv == 'x'              ? PS_HEX
					   : PS_OTHER;
	if (rare)
		s->op = PS_OTHER;
	return s->e != NULL;
}

/* A conversion at @p ('%'): flags, width, length, letter, in the order of printf. */
static bool conversion(struct pc *c, const char **p, const struct tep_print_arg **arg)
{
	static const char *const length[] = {"hh", "h", "", "l", "ll"};
	struct pstep s = {0};
	const char *q = *p + 1, *start = q, *prec;
	unsigned width = 0, ls_at;
	bool rare = false;
	int ls = 0;

	for (; *q && strchr("-+#0", *q); q++) {
		s.left |= *q == '-';
		s.zero |= *q == '0';
		s.alt |= *q == '#';
		rare |= *q == '+';
	}
	for (; isdigit((unsigned char)*q) && width < 1000; q++)
		width = width * 10 + (unsigned)(*q - '0');
	if (width > MAX_WIDTH || !*arg)
		return false;
	s.width = (uint8_t)width;
	s.zero = s.zero && !s.left;
	prec = q;
	if (*q == '.') {
		rare = true;
		for (q++; isdigit((unsigned char)*q); q++)
			;
		if (q - prec > 3)
			return false;
	}
	ls_at = (unsigned)(q - start);
	for (; *q && strchr("hlLzZ", *q); q++)
		ls = *q == 'h' ? ls - 1 : *q == 'l' ? ls + 1 : *q == 'L' ? 2 : 1;
	rare |= s.alt && (width || s.zero);
	if (*q == 's') {
		if (q != prec || s.zero || s.alt || rare)
			return false;
		s.op = PS_TEXT;
		s.t = text(c, *arg, width);
		if (!s.t)
			return false;
		q++;
	} else if (*q == 'p') {
		q++;
		if (!pointer(c, &q, *arg, &s))
			return false;
	} else if (*q && strchr("cduixXo", *q)) {
		if (!digits(c, *q, ls, rare, *arg, &s))
			return false;
		s.s = arena_printf(c->a, "%%%.*s%s%c", (int)ls_at, start,
				   length[s.bytes == 1   ? 0
					  : s.bytes == 2 ? 1
					  : s.bytes == 4 ? 2
							 : 4],
				   *q);
		if (*q == 'c' && s.bytes != 4)
			return false;
		q++;
	} else {
		return false;
	}
	c->p->max += MAX_WIDTH + NUM_MAX + 2;
	if (s.op == PS_FUNC || s.op == PS_FUNCOFF)
		c->p->max += PROG_NAME;
	*arg = (*arg)->next;
	*p = q;
	ARENA_PUSH(c->a, c->p->steps, c->p->nsteps, s);
	return true;
}

/* The literal text up to the next conversion, with the escapes that libtraceevent knows. */
static void literal(struct pc *c, const char **p)
{
	struct pstep s = {.op = PS_LITERAL};
	struct buf b = {0};
	const char *q = *p;

	for (; *q; q++) {
		if (*q == '\\' && q[1]) {
			q++;
			buf_putc(&b, *q == 'n' ? '\n' : *q == 't' ? '\t' : *q == 'r' ? '\r' : *q);
		} else if (*q == '%') {
			if (q[1] != '%')
				break;
			buf_putc(&b, '%');
			q++;
		} else {
			buf_putc(&b, *q);
		}
	}
	s.len = (uint32_t)b.len;
	s.s = padded(c, buf_str(&b), s.len);
	c->p->max += s.len;
	buf_free(&b);
	*p = q;
	ARENA_PUSH(c->a, c->p->steps, c->p->nsteps, s);
}

static bool steps(struct pc *c, const struct tep_event *te)
{
	const struct tep_print_arg *arg = te->print_fmt.args;
	const char *p = te->print_fmt.format;

	if (!p || strchr(p, '\\') == p + strlen(p) - 1)
		return false;
	while (*p) {
		if (*p != '%' || p[1] == '%')
			literal(c, &p);
		else if (!conversion(c, &p, &arg))
			return false;
	}
	return true;
}

/* ---- plugins ---- */

static bool from_plugin(const struct tep_event *te, const char *file)
{
	const char *name;
	Dl_info info;

	if (!dladdr((void *)(uintptr_t)te->handler, &info) || !info.dli_fname)
		return false;
	name = strrchr(info.dli_fname, '/');
	return strcmp(name ? name + 1 : info.dli_fname, file) == 0;
}

static const struct pexpr *own(struct pc *c, const struct tep_event *te, const char *name)
{
	for (const struct tep_format_field *f = te->format.fields; f; f = f->next) {
		if (strcmp(f->name, name) == 0)
			return plain(f) ? load(c, (uint64_t)f->offset, (uint32_t)f->size) : NULL;
	}
	return NULL;
}

static bool comm(struct pc *c, const char *name, unsigned i)
{
	const struct field *f = field_named(c->e, name);

	if (!f || f->kind != FK_STRING || (uint64_t)f->offset + f->size > c->min_size)
		return false;
	c->p->max += f->size;
	c->p->comm_off[i] = f->offset;
	c->p->comm_size[i] = f->size;
	return true;
}

static bool sched_plugin(struct pc *c, const struct tep_event *te)
{
	static const char *const sw[] = {"prev_pid", "prev_prio", "prev_state", "next_pid",
					 "next_prio"},
				 *const wake[] = {"pid", "prio", "target_cpu"};
	bool is_switch = strcmp(te->name, "sched_switch") == 0;
	unsigned n = is_switch ? 5 : 3;

	for (unsigned i = 0; i < n; i++) {
		c->p->plug[i] = own(c, te, is_switch ? sw[i] : wake[i]);
		if (!c->p->plug[i])
			return false;
	}
	if (is_switch) {
		c->p->plugin = PP_SWITCH;
		return comm(c, "prev_comm", 0) && comm(c, "next_comm", 1);
	}
	c->p->plugin = PP_WAKEUP;
	c->p->plug[3] = own(c, te, "success");
	return comm(c, "comm", 0) && (c->p->plug[3] || !field_named(c->e, "success"));
}

/* Handlers that are known to us; true: and the format is printed behind what they write. */
static bool plugin(struct pc *c, const struct tep_event *te, bool *format_too)
{
	*format_too = true;
	if (!te->handler)
		return true;
	if (strcmp(te->system, "sched") == 0 && from_plugin(te, "plugin_sched_switch.so")) {
		*format_too = false;
		return sched_plugin(c, te);
	}
	if (strcmp(te->system, "kmem") == 0 && from_plugin(te, "plugin_kmem.so")) {
		c->p->plugin = PP_CALL_SITE;
		c->p->plug[0] = own(c, te, "call_site");
		return c->p->plug[0] != NULL;
	}
	return false;
}

struct printprog *printprog_compile(struct arena *a, const struct tep_event *te, struct event *e,
				    uint32_t min_size)
{
	struct pc c = {.a = a, .e = e, .min_size = min_size, .long_size = e->origin->long_size};
	const struct field *type = event_field(e, "common_type");
	bool format_too;

	if (te->flags & ~(TEP_EVENT_FL_ISFTRACE | TEP_EVENT_FL_ISPRINT))
		return NULL;
	/* the record names its event where libtraceevent looks for the name */
	if (!type || type->kind != FK_INT || type->offset != 0 || type->size != 2 || e->id < 0 ||
	    e->id > UINT16_MAX || min_size < 2)
		return NULL;
	c.p = ARENA_NEW(a, struct printprog);
	c.p->min_size = min_size;
	c.p->id = (uint16_t)e->id;
	c.p->max = 256 + PROG_NAME; /* what a plugin writes */
	if (!plugin(&c, te, &format_too) || (format_too && !steps(&c, te)))
		return NULL;
	for (unsigned i = 0; i < e->nfields; i++) {
		const struct field *f = &e->fields[i];

		if (f->kind != FK_INT && f->kind != FK_STRING &&
		    !(f->kind == FK_ARRAY && f->size && f->offset + f->size <= min_size))
			ARENA_PUSH(a, c.p->dynamic, c.p->ndynamic, f);
	}
	return c.p;
}
