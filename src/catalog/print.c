/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events as text, in the kernel's own format, by libtraceevent and its plugins. libtraceevent
 * trusts formats and records, we do not: it only gets formats that printfmt.c accepts and records
 * whose fields all lie inside them, in a buffer with zeros behind.
 */
#include "catalog/internal.h"
#include "catalog/printfmt.h"
#include "catalog/rec.h"

#include <event-parse.h>
#include <inttypes.h>
#include <stdlib.h>
#include <trace-seq.h>

#define SCRATCH_TAIL 65536 /* a 16-bit length in a data_loc cannot reach further */
#define MAX_RECORD (1u << 20)

struct printer {
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	struct trace_seq seq;
	uint8_t *state; /* by event index: 0 not tried, 1 usable, 2 not */
	unsigned nstate;
	uint8_t *scratch;
	size_t scratch_size;
};

static void printer_free(void *arg)
{
	struct printer *p = arg;

	if (p->plugins)
		tep_unload_plugins(p->plugins, p->tep);
	trace_seq_destroy(&p->seq);
	tep_free(p->tep);
	free(p->state);
	free(p->scratch);
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

/* `0xADDR : "TEXT"` lines only: tep looks for the quotes without a bound. */
static int give_printk(struct tep_handle *tep, const char *text)
{
	struct buf b = {0};

	while (*text) {
		size_t n = strcspn(text, "\n");
		const char *colon = memmem(text, n, " : \"", 4);

		if (n > 2 && strncmp(text, "0x", 2) == 0 && colon && text + n - colon >= 7 &&
		    text[n - 1] == '"')
			buf_printf(&b, "%.*s\n", (int)n, text);
		text += n + (text[n] != 0);
	}
	if (b.len)
		tep_parse_printk_formats(tep, b.p);
	buf_free(&b);
	return 0;
}

/* "ADDR T NAME" lines only; tep takes what it is given at its word. */
static int give_symbols(struct tep_handle *tep, const char *text)
{
	struct buf b = {0};

	while (*text) {
		size_t n = strcspn(text, "\n");
		char line[400], name[256], type;
		unsigned long long addr;

		/* a line of its own: sscanf(3) measures the whole text it is given */
		if (n < sizeof(line)) {
			memcpy(line, text, n);
			line[n] = 0;
			if (sscanf(line, "%llx %c %255s", &addr, &type, name) == 3 && addr)
				buf_printf(&b, "%s\n", line);
		}
		text += n + (text[n] != 0);
	}
	if (b.len)
		tep_parse_kallsyms(tep, b.p);
	buf_free(&b);
	return 0;
}

static struct printer *printer(struct origin *o)
{
	struct printer *p = o->priv->tep;
	struct tep_handle *tep;

	if (p)
		return p;
	tep = tep_alloc();
	if (!tep)
		return NULL;
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
	give_text(o, tep, OT_KALLSYMS, give_symbols);
	p->plugins = tep_load_plugins(tep);
	trace_seq_init(&p->seq);
	o->priv->tep = p;
	o->priv->tep_free = printer_free;
	return p;
}

/* Does tep know the event; its format is handed over at first sight, if it is fit to be. */
static bool event_usable(struct printer *p, struct event *e)
{
	const char *text;
	size_t len = 0;

	if (e->index >= p->nstate) {
		unsigned n = e->index + 256;

		p->state = xrealloc(p->state, n);
		memset(p->state + p->nstate, 0, n - p->nstate);
		p->nstate = n;
	}
	if (p->state[e->index])
		return p->state[e->index] == 1;
	p->state[e->index] = 2;
	if (event_load(e) || !e->print_fmt || !printfmt_valid(e->print_fmt))
		return false;
	text = event_format_text(e, &len);
	if (!text || tep_parse_event(p->tep, text, len, e->system) != TEP_ERRNO__SUCCESS)
		return false;
	p->state[e->index] = 1;
	return true;
}

/* Does every field lie inside the record, also what the dynamic ones point to? */
static bool record_sound(const struct rec *r)
{
	if (r->len < r->ev->min_size || r->len > MAX_RECORD)
		return false;
	for (unsigned i = 0; i < r->ev->nfields; i++) {
		const struct field *f = &r->ev->fields[i];
		const char *s;
		uint32_t n;

		if (f->kind != FK_INT && !rec_bytes(r, f, &s, &n))
			return false;
	}
	return true;
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

void rec_print(struct catalog *c, const struct rec *r, struct buf *out)
{
	struct printer *p = printer(r->origin);
	struct tep_record t = {.ts = r->ts, .cpu = r->cpu, .ref_count = 1};

	(void)c;
	if (!p || !event_usable(p, r->ev) || !record_sound(r)) {
		print_raw(r, out);
		return;
	}
	if (p->scratch_size < r->len) {
		p->scratch_size = r->len < 4096 ? 4096 : r->len;
		p->scratch = xrealloc(p->scratch, p->scratch_size + SCRATCH_TAIL);
		memset(p->scratch + p->scratch_size, 0, SCRATCH_TAIL);
	}
	memcpy(p->scratch, r->data, r->len);
	memset(p->scratch + r->len, 0, p->scratch_size - r->len);
	t.data = p->scratch;
	t.size = t.record_size = (int)r->len;
	trace_seq_reset(&p->seq);
	tep_print_event(p->tep, &p->seq, &t, "%s", TEP_PRINT_INFO);
	if (p->seq.state == TRACE_SEQ__GOOD)
		buf_add(out, p->seq.buffer, p->seq.len);
	else
		print_raw(r, out);
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

void rec_print_line(struct catalog *c, const struct rec *r, const char *comm, int tid,
		    struct buf *out)
{
	size_t n = strlen(r->ev->name);

	buf_printf(out, "%16s-%-5d [%03d]", !tid ? "<idle>" : comm ? comm : "<...>", tid, r->cpu);
	if (clock_is_time(r->origin)) {
		uint64_t us = r->ts / 1000 + (r->ts % 1000 >= 500);

		if (us > 1000000)
			buf_printf(out, " %5" PRIu64 ".%06" PRIu64, us / 1000000, us % 1000000);
		else
			buf_printf(out, " %12" PRIu64, us);
	} else {
		buf_printf(out, "%12" PRIu64, r->ts);
	}
	buf_printf(out, ": %s: %*s", r->ev->name, n < 20 ? (int)(20 - n) : 0, "");
	rec_print(c, r, out);
}
