/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both versions of a trace.dat, in this machine's byte order. */
#include "capture/dat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define LEVEL 1
#define SECTION_HEAD 16
#define SECTION_COMPRESSED 1

enum {
	O_DONE = 0,
	O_CPUSTAT = 2,
	O_BUFFER = 3,
	O_TRACECLOCK = 4,
	O_UNAME = 5,
	O_CPUCOUNT = 8,
	O_VERSION = 9,
	O_TRACEID = 11,
	O_TSC2NSEC = 14,
	O_HEADER_INFO = 16,
	O_FTRACE_EVENTS = 17,
	O_EVENT_FORMATS = 18,
	O_KALLSYMS = 19,
	O_PRINTK = 20,
	O_CMDLINES = 21,
};

void dat_num(struct buf *b, unsigned bytes, uint64_t v)
{
	uint8_t u8 = (uint8_t)v;
	uint16_t u16 = (uint16_t)v;
	uint32_t u32 = (uint32_t)v;

	switch (bytes) {
	case 1: buf_add(b, &u8, 1); break;
	case 2: buf_add(b, &u16, 2); break;
	case 4: buf_add(b, &u32, 4); break;
	default: buf_add(b, &v, 8); break;
	}
}

static void add(struct buf *out, const struct buf *text)
{
	if (text->len)
		buf_add(out, text->p, text->len);
}

static void sized(struct buf *out, unsigned bytes, const struct buf *text)
{
	dat_num(out, bytes, text->len);
	add(out, text);
}

static void zeros(struct buf *out, uint64_t n)
{
	buf_reserve(out, (size_t)n);
	while (n--)
		buf_putc(out, 0);
}

/* ---- the head ---- */

static void header_info(const struct dat *d, struct buf *out)
{
	buf_add(out, "header_page", 12);
	sized(out, 8, &d->header_page);
	buf_add(out, "header_event", 13);
	sized(out, 8, &d->header_event);
}

static void section_head(struct buf *out, unsigned id, unsigned flags, uint64_t size)
{
	dat_num(out, 2, id);
	dat_num(out, 2, flags);
	dat_num(out, 4, 0); /* a name, of which there is none */
	dat_num(out, 8, size);
}

static int compress(const void *p, size_t n, struct buf *out)
{
	size_t bound = ZSTD_compressBound(n), got;

	buf_reserve(out, bound + 1);
	got = ZSTD_compress(out->p + out->len, bound, p, n, LEVEL);
	if (ZSTD_isError(got))
		return -ENOMEM;
	out->len += got;
	out->p[out->len] = '\0';
	return 0;
}

int dat_chunk(const void *p, size_t n, struct buf *out)
{
	size_t start = out->len;
	uint32_t size;

	dat_num(out, 4, 0);
	dat_num(out, 4, n);
	if (compress(p, n, out))
		return -ENOMEM;
	size = (uint32_t)(out->len - start - 8);
	memcpy(out->p + start, &size, sizeof(size));
	return 0;
}

/* A section of metadata, compressed; its place is noted for the options. */
static int section(struct dat *d, struct buf *out, unsigned id, const struct buf *text)
{
	struct buf b = {0};
	int rc = dat_chunk(text->len ? text->p : "", text->len, &b);

	d->section[id] = out->len;
	section_head(out, id, SECTION_COMPRESSED, b.len);
	add(out, &b);
	buf_free(&b);
	return rc;
}

static int sized_section(struct dat *d, struct buf *out, unsigned id, const struct buf *text)
{
	struct buf b = {0};
	int rc;

	sized(&b, 4, text);
	rc = section(d, out, id, &b);
	buf_free(&b);
	return rc;
}

static int head_v7(struct dat *d, struct buf *out)
{
	struct buf info = {0};
	int rc;

	buf_add(out, "zstd", 5);
	buf_add(out, ZSTD_VERSION_STRING, sizeof(ZSTD_VERSION_STRING));
	dat_num(out, 8, 0); /* dat_options_offset() */
	header_info(d, &info);
	rc = section(d, out, O_HEADER_INFO, &info);
	buf_free(&info);
	if (!rc)
		rc = section(d, out, O_FTRACE_EVENTS, &d->ftrace);
	if (!rc)
		rc = section(d, out, O_EVENT_FORMATS, &d->events);
	if (!rc)
		rc = sized_section(d, out, O_KALLSYMS, &d->kallsyms);
	if (!rc)
		rc = sized_section(d, out, O_PRINTK, &d->printk);
	return rc;
}

int dat_head(struct dat *d, struct buf *out)
{
	buf_add(out, "\x17\x08\x44tracing", 10);
	buf_add(out, d->v7 ? "7" : "6", 2);
	dat_num(out, 1, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	dat_num(out, 1, sizeof(long));
	dat_num(out, 4, d->buffer[0].page);
	if (d->v7)
		return head_v7(d, out);
	header_info(d, out);
	add(out, &d->ftrace);
	add(out, &d->events);
	sized(out, 4, &d->kallsyms);
	sized(out, 4, &d->printk);
	return 0;
}

/* ---- options ---- */

static void option(struct buf *out, unsigned id, const void *p, size_t n)
{
	dat_num(out, 2, id);
	dat_num(out, 4, n);
	buf_add(out, p, n);
}

static void text_option(struct buf *out, unsigned id, const char *text)
{
	option(out, id, text, strlen(text) + 1);
}

static void stats_options(const struct dat *d, struct buf *out)
{
	struct buf b = {0};

	for (unsigned i = 0; i < d->nbuffers; i++) {
		const struct dat_buffer *u = &d->buffer[i];

		if (i) {
			buf_clear(&b);
			buf_printf(&b, "\n\nBuffer: %s\n\n", u->name);
			text_option(out, O_CPUSTAT, buf_str(&b));
		}
		for (unsigned c = 0; c < u->ncpus; c++) {
			buf_clear(&b);
			buf_printf(&b, "CPU: %d\n%s", u->cpu[c].cpu, buf_str(&u->cpu[c].stats));
			text_option(out, O_CPUSTAT, buf_str(&b));
		}
	}
	buf_free(&b);
}

static int last_cpu(const struct dat *d)
{
	int last = 0;

	for (unsigned i = 0; i < d->nbuffers; i++) {
		const struct dat_buffer *u = &d->buffer[i];

		if (u->ncpus && u->cpu[u->ncpus - 1].cpu > last)
			last = u->cpu[u->ncpus - 1].cpu;
	}
	return last;
}

static void common_options(const struct dat *d, struct buf *out)
{
	struct buf b = {0};

	text_option(out, O_TRACECLOCK, d->buffer[0].clocks);
	text_option(out, O_UNAME, d->uname);
	text_option(out, O_VERSION, "tracesh " TRACESH_VERSION);
	option(out, O_TRACEID, &d->trace_id, sizeof(d->trace_id));
	if (d->has_tsc) {
		dat_num(&b, 4, d->tsc_mult);
		dat_num(&b, 4, d->tsc_shift);
		dat_num(&b, 8, d->tsc_offset);
		option(out, O_TSC2NSEC, b.p, b.len);
	}
	stats_options(d, out);
	buf_clear(&b);
	dat_num(&b, 4, (uint64_t)last_cpu(d) + 1);
	if (d->v7)
		option(out, O_CPUCOUNT, b.p, b.len);
	buf_free(&b);
}

/* "[mono]" and "mono" of "local [mono] counter" */
static void clock_name(const char *clocks, struct buf *out, bool brackets)
{
	const char *p = strchr(clocks, '['), *e = p ? strchr(p, ']') : NULL;

	if (!e)
		buf_puts(out, brackets ? "[local]" : "local");
	else if (brackets)
		buf_add(out, p, (size_t)(e - p) + 1);
	else
		buf_add(out, p + 1, (size_t)(e - p) - 1);
}

/* ---- version 6 ---- */

/* The table has a line for each CPU up to the last, also where there is none. */
static void table_v6(const struct dat *d, const struct dat_buffer *u, struct buf *out)
{
	struct buf clock = {0};
	unsigned c = 0;

	buf_add(out, "flyrecord", 10);
	for (int cpu = 0; cpu <= last_cpu(d); cpu++) {
		bool have = c < u->ncpus && u->cpu[c].cpu == cpu;

		dat_num(out, 8, have ? u->cpu[c].off : u->ncpus ? u->cpu[0].off : 0);
		dat_num(out, 8, have ? u->cpu[c].size : 0);
		c += have;
	}
	clock_name(u->clocks, &clock, true);
	dat_num(out, 8, clock.len);
	add(out, &clock);
	buf_free(&clock);
}

/* @names: bytes of the task names that are written */
static void tail_v6(struct dat *d, uint64_t at, size_t names, struct buf *out)
{
	size_t *places = calloc(d->nbuffers + 1, sizeof(*places));

	dat_num(out, 8, names);
	if (names)
		buf_add(out, d->cmdlines.p, names);
	dat_num(out, 4, (uint64_t)last_cpu(d) + 1);
	buf_add(out, "options  ", 10);
	common_options(d, out);
	for (unsigned i = 1; places && i < d->nbuffers; i++) {
		dat_num(out, 2, O_BUFFER);
		dat_num(out, 4, 8 + strlen(d->buffer[i].name) + 1);
		places[i] = out->len;
		dat_num(out, 8, 0);
		buf_add(out, d->buffer[i].name, strlen(d->buffer[i].name) + 1);
	}
	dat_num(out, 2, O_DONE);
	table_v6(d, &d->buffer[0], out);
	for (unsigned i = 1; places && i < d->nbuffers; i++) {
		uint64_t v = at + out->len;

		memcpy(out->p + places[i], &v, sizeof(v));
		table_v6(d, &d->buffer[i], out);
	}
	free(places);
}

/* ---- version 7 ---- */

static void buffer_option(const struct dat_buffer *u, uint64_t section_at, struct buf *out)
{
	struct buf b = {0};

	dat_num(&b, 8, section_at);
	buf_add(&b, u->name, strlen(u->name) + 1);
	clock_name(u->clocks, &b, false);
	buf_putc(&b, 0);
	dat_num(&b, 4, u->page);
	dat_num(&b, 4, u->ncpus);
	for (unsigned c = 0; c < u->ncpus; c++) {
		dat_num(&b, 4, (uint64_t)u->cpu[c].cpu);
		dat_num(&b, 8, u->cpu[c].off);
		/* the number of chunks does not count */
		dat_num(&b, 8, u->cpu[c].size > 4 ? u->cpu[c].size - 4 : 0);
	}
	option(out, O_BUFFER, b.p, b.len);
	buf_free(&b);
}

static void tail_v7(struct dat *d, uint64_t at, size_t names, uint64_t room, uint64_t end,
		    struct buf *out)
{
	uint64_t data = at + room - SECTION_HEAD;
	size_t options, size;

	d->section[O_CMDLINES] = at;
	section_head(out, O_CMDLINES, 0, 8 + names);
	dat_num(out, 8, names);
	if (names)
		buf_add(out, d->cmdlines.p, names);
	options = out->len;
	d->section[O_DONE] = at + options;
	section_head(out, 0, 0, 0);
	for (unsigned id = O_HEADER_INFO; id <= O_CMDLINES; id++)
		option(out, id, &d->section[id], 8);
	common_options(d, out);
	for (unsigned i = 0; i < d->nbuffers; i++)
		buffer_option(&d->buffer[i], data, out);
	dat_num(out, 2, O_DONE);
	dat_num(out, 4, 8);
	dat_num(out, 8, 0);
	if (out->len + SECTION_HEAD > room)
		return;
	zeros(out, room - SECTION_HEAD - out->len);
	size = out->len - options - SECTION_HEAD;
	memcpy(out->p + options + 8, &size, 8);
	section_head(out, O_BUFFER, SECTION_COMPRESSED,
		     end > data + SECTION_HEAD ? end - data - SECTION_HEAD : 0);
}

uint64_t dat_options_offset(const struct dat *d, uint64_t *value)
{
	*value = d->section[O_DONE];
	return 18 + 5 + sizeof(ZSTD_VERSION_STRING);
}

/* ---- the tail ---- */

uint64_t dat_room(const struct dat *d, unsigned tasks)
{
	uint64_t n = 4096 + strlen(d->uname) + (uint64_t)tasks * 24;

	for (unsigned i = 0; i < d->nbuffers; i++) {
		const struct dat_buffer *u = &d->buffer[i];

		n += 1024 + strlen(u->name) * 2 + strlen(u->clocks) * 2;
		n += (uint64_t)(last_cpu(d) + 1) * 20 + (uint64_t)u->ncpus * 512;
	}
	return n;
}

int dat_tail(struct dat *d, uint64_t at, uint64_t room, uint64_t end, struct buf *out)
{
	size_t names = d->cmdlines.len;

	for (;;) {
		buf_clear(out);
		if (d->v7)
			tail_v7(d, at, names, room, end, out);
		else
			tail_v6(d, at, names, out);
		if (out->len <= room && (!d->v7 || out->len == room))
			break;
		if (!names)
			return -ENOSPC;
		/* fewer names, cut at a line */
		names = names > 4096 ? names - 4096 : 0;
		while (names && d->cmdlines.p[names - 1] != '\n')
			names--;
	}
	zeros(out, room - out->len);
	return 0;
}
