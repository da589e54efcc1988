/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events as text, in the kernel's own format, by libtraceevent and its plugins. libtraceevent
 * trusts formats and records, we do not: it only gets formats that printfmt_safe.c accepts, that it
 * reads as we do, and records whose fields all lie inside them, in a buffer with zeros behind.
 */
#include "catalog/internal.h"
#include "catalog/printfmt.h"
#include "catalog/printer.h"
#include "catalog/rec.h"

#include <ctype.h>
#include <event-parse.h>
#include <inttypes.h>
#include <stdlib.h>

#define SCRATCH_TAIL 65536 /* a 16-bit length in a data_loc cannot reach further */
#define MAX_RECORD (1u << 20)
#define MAX_PRINTK 4096 /* each conversion of a text moves through the record */
#define MAX_ELEMENT 64  /* times the highest index of printfmt_safe.c: within the tail */
#define MAX_SYMBOL 320  /* bytes of a line */
#define MAX_CPU 8191    /* a plugin keeps a table of them */

static void printer_free(void *arg)
{
	struct printer *p = arg;

	if (p->plugins)
		tep_unload_plugins(p->plugins, p->tep);
	trace_seq_destroy(&p->seq);
	tep_free(p->tep);
	free(p->events);
	free(p->scratch);
	free(p->env);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* The texts tep wants NUL-terminated, in a copy since it may write to it. */
static void give_text(struct origin *o, struct tep_handle *tep, enum origin_text kind,
		      int (*parse)(struct tep_handle *, const char *))
{
	size_t len = 0;
	const char *text = origin_text(o, kind, &len);
	char *copy;

	if (!text || !len)
		return;
	copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = 0;
	parse(tep, copy);
	free(copy);
}

/* `0xADDR : "TEXT"` lines only: tep looks for the quotes without a bound, and follows a text's
 * conversions through the record. */
static int give_printk(struct tep_handle *tep, const char *text)
{
	struct buf b = {0};

	while (*text) {
		size_t n = strcspn(text, "\n");
		const char *colon = memmem(text, n, " : \"", 4);

		if (n > 2 && strncmp(text, "0x", 2) == 0 && colon && text + n - colon >= 7 &&
		    text[n - 1] == '"' && n < MAX_PRINTK &&
		    printfmt_conversions_safe(colon + 4, (size_t)(text + n - 1 - colon - 4)))
			buf_printf(&b, "%.*s\n", (int)n, text);
		text += n + (text[n] != 0);
	}
	if (b.len)
		tep_parse_printk_formats(tep, b.p);
	buf_free(&b);
	return 0;
}

/* "ADDR T NAME" lines only; tep takes what it is given at its word. */
static bool symbol_line(const char *p, size_t n)
{
	const char *end = p + n, *start = p;
	bool zero = true;

	for (; p < end && isxdigit((unsigned char)*p); p++)
		zero &= *p == '0';
	if (zero || p - start > 16 || end - p < 4 || p[0] != ' ' || !isalpha((unsigned char)p[1]) ||
	    p[2] != ' ' || p[3] == ' ')
		return false;
	return n < MAX_SYMBOL && !memchr(start, 0, n);
}

static int give_symbols(struct tep_handle *tep, const char *text)
{
	struct buf b = {0};

	buf_reserve(&b, strlen(text));
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (symbol_line(text, n)) {
			buf_add(&b, text, n);
			buf_putc(&b, '\n');
		}
		text += n + (text[n] != 0);
	}
	if (b.len)
		tep_parse_kallsyms(tep, b.p);
	buf_free(&b);
	return 0;
}

/* Only texts with functions in them want symbols. */
static void need_symbols(struct printer *p)
{
	if (!p->symbols)
		give_text(p->o, p->tep, OT_KALLSYMS, give_symbols);
	p->symbols = true;
}

static void find_function(void *arg, struct prog_sym *y)
{
	struct printer *p = arg;

	pthread_mutex_lock(&p->lock);
	need_symbols(p);
	y->name = tep_find_function(p->tep, y->addr);
	y->start = y->name ? tep_find_function_address(p->tep, y->addr) : 0;
	pthread_mutex_unlock(&p->lock);
}

struct prog_env *printer_env(struct printer *p)
{
	struct prog_env *env = xcalloc(1, sizeof(*env));

	env->find = find_function;
	env->arg = p;
	return env;
}

/* Clocks that count nanoseconds are shown in microseconds, the others as they are. */
static bool clock_is_time(const struct origin *o)
{
	static const char *const raw[] = {"counter", "x86-tsc", "uptime"};

	for (size_t i = 0; o->clock && i < sizeof(raw) / sizeof(raw[0]); i++) {
		if (strcmp(o->clock, raw[i]) == 0)
			return false;
	}
	return true;
}

struct printer *printer_of(struct origin *o)
{
	struct printer *p = o->priv->tep;
	struct tep_handle *tep;

	if (p)
		return p;
	tep = tep_alloc();
	if (!tep)
		abort(); /* no memory, as in xmalloc() */
	p = xcalloc(1, sizeof(*p));
	p->tep = tep;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, (int)o->long_size);
	tep_set_page_size(tep, (int)o->page_size);
	tep_set_file_bigendian(tep, o->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
					    ? TEP_BIG_ENDIAN
					    : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? TEP_BIG_ENDIAN
									    : TEP_LITTLE_ENDIAN);
	give_text(o, tep, OT_PRINTK, give_printk);
	p->plugins = tep_load_plugins(tep);
	trace_seq_init(&p->seq);
	p->o = o;
	p->env = printer_env(p);
	p->time = clock_is_time(o);
	pthread_mutex_init(&p->lock, NULL);
	p->fast = !o->priv->c->s || !o->priv->c->s->set.slow_print;
	o->priv->tep = p;
	o->priv->tep_free = printer_free;
	return p;
}

/* "\tfield:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;", as kernels write it and no other way */
static bool plain_field(const char *p, size_t n)
{
	static const char *const keys[] = {"\toffset:", "\tsize:", "\tsigned:"};
	const char *end = p + n;

	if (n < 7 || memcmp(p, "\tfield:", 7) != 0)
		return false;
	for (p += 7; p < end && *p != ';'; p++) {
		if (!isalnum((unsigned char)*p) && !memchr("_ *[]()", *p, 7))
			return false;
	}
	for (unsigned i = 0; i < 3; i++) {
		size_t k = strlen(keys[i]);

		if ((size_t)(end - p) < k + 2 || *p++ != ';' || memcmp(p, keys[i], k) != 0)
			return false;
		for (p += k; p < end && isdigit((unsigned char)*p); p++)
			;
	}
	return end - p == 1 && *p == ';';
}

/* Will tep find the print format where we found it: nothing before it but what belongs there. */
static bool plain_head(const char *text, size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *p = text + i, *nl = memchr(p, '\n', len - i);
		size_t n = nl ? (size_t)(nl - p) : len - i;

		if (n > 11 && memcmp(p, "print fmt: ", 11) == 0)
			return !memchr(p, 0, len - i);
		if (n && !(n > 6 && memcmp(p, "name: ", 6) == 0) &&
		    !(n > 4 && memcmp(p, "ID: ", 4) == 0) &&
		    (n != 7 || memcmp(p, "format:", 7) != 0) && !plain_field(p, n))
			return false;
		i += n + 1;
	}
	return false;
}

/* The next of our fields, @i of them seen, must be this one of tep's. */
static bool same_field(const struct event *e, unsigned *i, const struct tep_format_field *t)
{
	const struct field *f = &e->fields[*i];
	bool rel = f->kind == FK_REL || f->kind == FK_REL_ARRAY,
	     dyn = f->kind == FK_DYN || f->kind == FK_DYN_ARRAY || rel;

	return (*i)++ < e->nfields && strcmp(f->name, t->name) == 0 &&
	       (int)f->offset == t->offset && (int)f->size == t->size &&
	       t->elementsize <= MAX_ELEMENT + (t->flags & TEP_FIELD_IS_ARRAY ? 0 : MAX_RECORD) &&
	       dyn == !!(t->flags & TEP_FIELD_IS_DYNAMIC) &&
	       rel == !!(t->flags & TEP_FIELD_IS_RELATIVE);
}

static bool same_fields(const struct event *e, const struct tep_event *te)
{
	unsigned i = 0;

	for (const struct tep_format_field *t = te->format.common_fields; t; t = t->next) {
		if (!same_field(e, &i, t))
			return false;
	}
	for (const struct tep_format_field *t = te->format.fields; t; t = t->next) {
		if (!same_field(e, &i, t))
			return false;
	}
	return i == e->nfields;
}

/* The least bytes of a record: a kernel_stack holds as many callers as there were. */
static uint32_t least(struct event *e)
{
	const struct field *f;

	if (strcmp(e->system, "ftrace") != 0 || strcmp(e->name, "kernel_stack") != 0)
		return e->min_size;
	f = event_field(e, "caller");
	if (!f || f->kind != FK_ARRAY)
		return e->min_size;
	for (unsigned i = 0; i < e->nfields; i++) {
		if (&e->fields[i] != f && e->fields[i].offset + e->fields[i].size > f->offset)
			return e->min_size;
	}
	return f->offset;
}

static void set_title(struct arena *a, const struct event *e, struct printable *pe)
{
	const char *s = arena_printf(a, ": %s: %*s", e->name,
				     (int)(strlen(e->name) < 20 ? 20 - strlen(e->name) : 0), "");
	char *p;

	pe->title_len = (uint32_t)strlen(s);
	p = arena_alloc(a, pe->title_len + PROG_PAD);
	memcpy(p, s, pe->title_len);
	pe->title = p;
}

/* Hand the format to tep, if it is fit to be. */
static void try_event(struct printer *p, struct event *e, struct printable *pe)
{
	struct printfmt_limit *limits;
	struct arena *a;
	const char *text;
	struct tep_event *te;
	size_t len = 0, n;
	bool ok;

	pe->tried = true;
	set_title(e->origin->priv->c->arena, e, pe);
	if (event_load(e) || !e->print_fmt || event_id(e) < 0)
		return;
	text = event_format_text(e, &len);
	if (!text || !plain_head(text, len))
		return;
	a = arena_new();
	ok = printfmt_safe(a, e->print_fmt, e->fields, e->nfields, &limits, &n);
	if (ok && n) {
		pe->limits = ARENA_ARRAY(e->origin->priv->c->arena, struct printfmt_limit, n);
		memcpy(pe->limits, limits, n * sizeof(*limits));
		pe->nlimits = n;
	}
	arena_free(a);
	if (!ok || tep_find_event(p->tep, e->id) ||
	    tep_parse_event(p->tep, text, len, e->system) != TEP_ERRNO__SUCCESS)
		return;
	te = tep_find_event(p->tep, e->id);
	if (!te || !same_fields(e, te) || (te->flags & TEP_EVENT_FL_FAILED && !te->handler))
		return;
	pe->min_size = least(e);
	pe->tev = te;
	if (p->fast && !pe->nlimits)
		pe->prog = printprog_compile(e->origin->priv->c->arena, te, e, pe->min_size);
}

const struct printable *printable_of(struct printer *p, struct event *e)
{
	if (e->index >= p->nevents) {
		unsigned n = e->index + 256;

		p->events = xrealloc(p->events, n * sizeof(*p->events));
		memset(p->events + p->nevents, 0, (n - p->nevents) * sizeof(*p->events));
		p->nevents = n;
	}
	if (!p->events[e->index].tried)
		try_event(p, e, &p->events[e->index]);
	return &p->events[e->index];
}

/* kvm's plugin writes the instruction's bytes to a place for 15, and before it if there are none */
static bool plugin_sound(const struct rec *r)
{
	const struct field *f;
	uint64_t n;

	if (strcmp(r->ev->name, "kvm_emulate_insn") != 0)
		return true;
	f = event_field(r->ev, "len");
	return f && f->kind == FK_INT && rec_int(r, f, &n) && n >= 1 && n <= 15;
}

/* Does every field lie inside the record, also what the dynamic ones point to? Are numbers that
 * tep takes for sizes within reason? */
static bool record_sound(const struct rec *r, const struct printable *pe)
{
	uint64_t v;

	if (r->len < pe->min_size || r->len > MAX_RECORD)
		return false;
	for (size_t i = 0; i < pe->nlimits; i++) {
		if (!rec_int(r, pe->limits[i].field, &v) || v > pe->limits[i].max)
			return false;
	}
	for (unsigned i = 0; i < r->ev->nfields; i++) {
		const struct field *f = &r->ev->fields[i];
		const char *s;
		uint32_t n;

		if (pe->min_size < r->ev->min_size && f->offset >= pe->min_size)
			continue; /* the callers of a kernel_stack */
		if (f->kind != FK_INT && !rec_bytes(r, f, &s, &n))
			return false;
	}
	return plugin_sound(r);
}

static void put_bytes(struct buf *out, const char *s, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_putc(out, (char)c);
	}
}

static void print_raw(const struct rec *r, struct buf *out)
{
	bool first = true;

	event_load(r->ev);
	for (unsigned i = 0; i < r->ev->nfields; i++) {
		const struct field *f = &r->ev->fields[i];
		const char *s;
		uint32_t n;
		uint64_t v;

		if (f->is_common)
			continue;
		buf_printf(out, "%s%s=", first ? "" : " ", f->name);
		first = false;
		if (f->kind == FK_INT) {
			if (!rec_int(r, f, &v))
				buf_puts(out, "?");
			else if (f->is_pointer)
				buf_printf(out, "0x%" PRIx64, v);
			else if (f->is_signed)
				buf_printf(out, "%" PRId64, (int64_t)v);
			else
				buf_printf(out, "%" PRIu64, v);
		} else if (!rec_bytes(r, f, &s, &n)) {
			buf_puts(out, "?");
		} else if (f->kind == FK_STRING || f->kind == FK_DYN || f->kind == FK_REL ||
			   f->kind == FK_TAIL) {
			put_bytes(out, s, n);
		} else {
			for (uint32_t k = 0; k < n; k++)
				buf_printf(out, "%02x", (unsigned char)s[k]);
		}
	}
}

static bool by_tep(struct printer *p, const struct printable *pe, const struct rec *r,
		   struct buf *out)
{
	struct tep_record t = {.ts = r->ts, .cpu = r->cpu <= MAX_CPU ? r->cpu : -1, .ref_count = 1};
	bool good;

	if (p->scratch_size < r->len) {
		p->scratch_size = r->len < 4096 ? 4096 : r->len;
		p->scratch = xrealloc(p->scratch, p->scratch_size + SCRATCH_TAIL);
		memset(p->scratch + p->scratch_size, 0, SCRATCH_TAIL);
	}
	memcpy(p->scratch, r->data, r->len);
	memset(p->scratch + r->len, 0, p->scratch_size - r->len);
	t.data = p->scratch;
	t.size = t.record_size = (int)r->len;
	pthread_mutex_lock(&p->lock);
	/* the record names its event too: it must be the one we looked at */
	good = tep_find_event_by_record(p->tep, &t) == pe->tev;
	if (good) {
		need_symbols(p);
		trace_seq_reset(&p->seq);
		tep_print_event(p->tep, &p->seq, &t, "%s", TEP_PRINT_INFO);
		good = p->seq.state == TRACE_SEQ__GOOD;
	}
	pthread_mutex_unlock(&p->lock);
	if (good)
		buf_add(out, p->seq.buffer, p->seq.len);
	return good;
}

void rec_print(const struct rec *r, struct buf *out)
{
	struct printer *p = printer_of(r->origin);
	const struct printable *pe = printable_of(p, r->ev);

	if (pe->prog && printprog_fits(pe->prog, r))
		printprog_run(pe->prog, p->env, r, out);
	else if (!pe->tev || !record_sound(r, pe) || !by_tep(p, pe, r, out))
		print_raw(r, out);
}
