/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A writer of small trace.dat files (version 6) for tests: formats, task names, options and records
 * as the test wants them, in any byte order and word size, with instances, lost events and wild
 * time stamps. Independent of src/feed and src/capture, so that it can show their faults.
 *
 *	struct mkdat *d = mkdat_new();
 *	d->ncpus = 2;                                   // settings first: ncpus, page_size,
 *big_endian, mkdat_sched(d);                                 // long_size, clock, uname
 *	mkdat_switch(d, 0, 0, 1000, "a: [b]-7", 7, 1, "swapper/0", 0); // buffer 0, cpu 0, at 1000
 *ns mkdat_write(d, path);                           // or mkdat_bytes(d, &buf) mkdat_free(d);
 *
 * Records of a CPU are added in the order they are to have in the file.
 */
#ifndef TRACESH_TESTS_MKDAT_H
#define TRACESH_TESTS_MKDAT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MKDAT_UNUSED __attribute__((unused))
#define MKDAT_CPUS 256
#define MKDAT_BUFFERS 8
#define MKDAT_SYSTEMS 32

struct mkdat_cpu {
	struct buf pages; /* finished ones */
	struct buf page;  /* events of the current one */
	uint64_t page_ts, last_ts;
	int64_t missed; /* for the current page's header */
	bool open;
};

struct mkdat {
	/* set these before the first record */
	unsigned ncpus;
	uint32_t page_size; /* of a sub-buffer */
	bool big_endian;
	unsigned long_size;      /* 4 or 8 */
	const char *clock;       /* "mono"; NULL: no option */
	const char *uname;       /* NULL: no option */
	bool absolute;           /* every record is preceded by an absolute time stamp */
	const char *header_page; /* NULL: the usual one */

	/* internal */
	struct {
		char *name;
		unsigned n;
		struct buf formats;
	} sys[MKDAT_SYSTEMS]; /* [0] is ftrace's own */
	unsigned nsys;
	struct {
		const char *name;
		struct mkdat_cpu *cpu;
	} buffer[MKDAT_BUFFERS];
	unsigned nbuffers;
	struct buf kallsyms, printk, cmdlines, options;
};

static MKDAT_UNUSED struct mkdat *mkdat_new(void)
{
	struct mkdat *d = calloc(1, sizeof(*d));

	d->ncpus = 1;
	d->page_size = 4096;
	d->long_size = 8;
	d->clock = "mono";
	d->nsys = 1;
	d->nbuffers = 1;
	d->buffer[0].name = "";
	d->buffer[0].cpu = calloc(MKDAT_CPUS, sizeof(struct mkdat_cpu));
	return d;
}

static MKDAT_UNUSED void mkdat_free(struct mkdat *d)
{
	for (unsigned i = 0; i < d->nsys; i++) {
		free(d->sys[i].name);
		buf_free(&d->sys[i].formats);
	}
	for (unsigned i = 0; i < d->nbuffers; i++) {
		for (unsigned k = 0; k < MKDAT_CPUS; k++) {
			buf_free(&d->buffer[i].cpu[k].pages);
			buf_free(&d->buffer[i].cpu[k].page);
		}
		free(d->buffer[i].cpu);
	}
	buf_free(&d->kallsyms);
	buf_free(&d->printk);
	buf_free(&d->cmdlines);
	buf_free(&d->options);
	free(d);
}

/* mkdat_num - @v as @size bytes in the file's byte order */
static MKDAT_UNUSED void mkdat_num(const struct mkdat *d, struct buf *b, unsigned size, uint64_t v)
{
	for (unsigned i = 0; i < size; i++)
		buf_putc(b, (char)(v >> 8 * (d->big_endian ? size - 1 - i : i)));
}

/* mkdat_format - a whole format file; system NULL: ftrace's own */
static MKDAT_UNUSED void mkdat_format(struct mkdat *d, const char *system, const char *text)
{
	unsigned i = 0;

	if (system) {
		for (i = 1; i < d->nsys && strcmp(d->sys[i].name, system) != 0; i++)
			;
		if (i == d->nsys) {
			d->sys[i].name = strdup(system);
			d->nsys++;
		}
	}
	mkdat_num(d, &d->sys[i].formats, 8, strlen(text));
	buf_puts(&d->sys[i].formats, text);
	d->sys[i].n++;
}

/*
 * mkdat_event - a format from its own fields, written as in a format file ("\tfield:int
 * x;\toffset:8;\t size:4;\tsigned:1;\n"); the common fields take bytes 0-7
 */
static MKDAT_UNUSED void mkdat_event(struct mkdat *d, const char *system, const char *name, int id,
				     const char *fields, const char *print_fmt)
{
	struct buf b = {0};

	buf_printf(&b,
		   "name: %s\nID: %d\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\nprint fmt: %s\n",
		   name, id, fields, print_fmt);
	mkdat_format(d, system, buf_str(&b));
	buf_free(&b);
}

static MKDAT_UNUSED void mkdat_comm(struct mkdat *d, int pid, const char *comm)
{
	buf_printf(&d->cmdlines, "%d %s\n", pid, comm);
}

static MKDAT_UNUSED void mkdat_symbol(struct mkdat *d, uint64_t addr, char type, const char *name)
{
	buf_printf(&d->kallsyms, "%016llx %c %s\n", (unsigned long long)addr, type, name);
}

static MKDAT_UNUSED void mkdat_option(struct mkdat *d, unsigned id, const void *p, size_t len)
{
	mkdat_num(d, &d->options, 2, id);
	mkdat_num(d, &d->options, 4, len);
	buf_add(&d->options, p, len);
}

/* mkdat_tsc2nsec - the option that turns counts into ns: (count * mult) >> shift */
static MKDAT_UNUSED void mkdat_tsc2nsec(struct mkdat *d, uint32_t mult, uint32_t shift,
					uint64_t offset)
{
	struct buf b = {0};

	mkdat_num(d, &b, 4, mult);
	mkdat_num(d, &b, 4, shift);
	mkdat_num(d, &b, 8, offset);
	mkdat_option(d, 14, b.p, b.len);
	buf_free(&b);
}

/* mkdat_instance - another buffer; returns its number */
static MKDAT_UNUSED unsigned mkdat_instance(struct mkdat *d, const char *name)
{
	unsigned i = d->nbuffers++;

	d->buffer[i].name = name;
	d->buffer[i].cpu = calloc(MKDAT_CPUS, sizeof(struct mkdat_cpu));
	return i;
}

/* ---- records ---- */

static MKDAT_UNUSED size_t mkdat_room(const struct mkdat *d)
{
	return d->page_size - 8 - d->long_size;
}

/* mkdat_page - ends the current page of a CPU */
static MKDAT_UNUSED void mkdat_page(struct mkdat *d, unsigned buffer, unsigned cpu)
{
	struct mkdat_cpu *c = &d->buffer[buffer].cpu[cpu];
	size_t start = c->pages.len, used = c->page.len;
	uint64_t commit = used;

	if (!c->open)
		return;
	if (c->missed) {
		commit |= 1u << 31;
		if (c->missed > 0 && mkdat_room(d) - used >= d->long_size) {
			commit |= 1u << 30;
			mkdat_num(d, &c->page, d->long_size, (uint64_t)c->missed);
		}
	}
	mkdat_num(d, &c->pages, 8, c->page_ts);
	mkdat_num(d, &c->pages, d->long_size, commit);
	if (c->page.len)
		buf_add(&c->pages, c->page.p, c->page.len);
	while (c->pages.len - start < d->page_size)
		buf_putc(&c->pages, 0);
	buf_clear(&c->page);
	c->missed = 0;
	c->open = false;
}

/* mkdat_missed - @n events were lost before the next record (-1: an unknown number) */
static MKDAT_UNUSED void mkdat_missed(struct mkdat *d, unsigned buffer, unsigned cpu, int64_t n)
{
	mkdat_page(d, buffer, cpu);
	d->buffer[buffer].cpu[cpu].missed = n;
}

static MKDAT_UNUSED void mkdat_head(struct mkdat *d, struct buf *b, unsigned type_len,
				    uint32_t delta)
{
	mkdat_num(d, b, 4, d->big_endian ? type_len << 27 | delta : delta << 5 | type_len);
}

/* mkdat_rec - a record (@p starts with common_type) of at most a page */
static MKDAT_UNUSED void mkdat_rec(struct mkdat *d, unsigned buffer, unsigned cpu, uint64_t ts,
				   const void *p, size_t len)
{
	struct mkdat_cpu *c = &d->buffer[buffer].cpu[cpu];
	size_t padded = (len + 3) / 4 * 4;
	uint64_t delta;

	if (c->open && c->page.len + padded + 16 > mkdat_room(d))
		mkdat_page(d, buffer, cpu);
	if (!c->open) {
		c->open = true;
		c->page_ts = c->last_ts = ts;
	}
	delta = ts - c->last_ts;
	if (d->absolute || ts < c->last_ts) {
		mkdat_head(d, &c->page, 31, ts & 0x7ffffff);
		mkdat_num(d, &c->page, 4, (ts & ((1ull << 59) - 1)) >> 27);
		delta = 0;
	} else if (delta >> 27) {
		mkdat_head(d, &c->page, 30, delta & 0x7ffffff);
		mkdat_num(d, &c->page, 4, delta >> 27);
		delta = 0;
	}
	c->last_ts = ts;
	if (padded && padded <= 28 * 4) {
		mkdat_head(d, &c->page, (unsigned)padded / 4, (uint32_t)delta);
	} else {
		mkdat_head(d, &c->page, 0, (uint32_t)delta);
		mkdat_num(d, &c->page, 4, padded + 4);
	}
	if (len)
		buf_add(&c->page, p, len);
	for (; len < padded; len++)
		buf_putc(&c->page, 0);
}

/* mkdat_common - the common fields of a record into an empty @b; add fields with mkdat_num(),
 * buf_add() */
static MKDAT_UNUSED void mkdat_common(const struct mkdat *d, struct buf *b, int id, int pid)
{
	buf_clear(b);
	mkdat_num(d, b, 2, (uint64_t)id);
	mkdat_num(d, b, 2, 0);
	mkdat_num(d, b, 4, (uint64_t)pid);
}

/* mkdat_chars - a fixed char array */
static MKDAT_UNUSED void mkdat_chars(struct buf *b, const char *s, size_t size)
{
	size_t n = strnlen(s, size);

	buf_add(b, s, n);
	for (; n < size; n++)
		buf_putc(b, 0);
}

/* ---- the scheduler's events, as every test wants them ---- */

#define MKDAT_SWITCH 314
#define MKDAT_WAKEUP 316

/* mkdat_sched - formats of sched_switch and sched_wakeup for the word size */
static MKDAT_UNUSED void mkdat_sched(struct mkdat *d)
{
	bool wide = d->long_size == 8;
	struct buf b = {0};

	buf_printf(&b,
		   "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		   "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		   "\tfield:long prev_state;\toffset:32;\tsize:%d;\tsigned:1;\n"
		   "\tfield:char next_comm[16];\toffset:%d;\tsize:16;\tsigned:0;\n"
		   "\tfield:pid_t next_pid;\toffset:%d;\tsize:4;\tsigned:1;\n"
		   "\tfield:int next_prio;\toffset:%d;\tsize:4;\tsigned:1;\n",
		   wide ? 8 : 4, wide ? 40 : 36, wide ? 56 : 52, wide ? 60 : 56);
	mkdat_event(
		d, "sched", "sched_switch", MKDAT_SWITCH, buf_str(&b),
		"\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
		"next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "
		"(REC->prev_state & ((((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | "
		"0x0020 "
		"| 0x0040) + 1) << 1) - 1)) ? __print_flags(REC->prev_state & ((((0x0000 | 0x0001 "
		"| "
		"0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 | 0x0040) + 1) << 1) - 1), \"|\", "
		"{ 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, "
		"{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }) : "
		"\"R\", "
		"REC->prev_state & (((0x0000 | 0x0001 | 0x0002 | 0x0004 | 0x0008 | 0x0010 | 0x0020 "
		"| "
		"0x0040) + 1) << 1) ? \"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio");
	mkdat_event(d, "sched", "sched_wakeup", MKDAT_WAKEUP,
		    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
		    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
		    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n",
		    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, "
		    "REC->target_cpu");
	buf_free(&b);
}

static MKDAT_UNUSED void mkdat_switch(struct mkdat *d, unsigned buffer, unsigned cpu, uint64_t ts,
				      const char *prev_comm, int prev_pid, uint64_t prev_state,
				      const char *next_comm, int next_pid)
{
	struct buf b = {0};

	mkdat_common(d, &b, MKDAT_SWITCH, prev_pid);
	mkdat_chars(&b, prev_comm, 16);
	mkdat_num(d, &b, 4, (uint64_t)prev_pid);
	mkdat_num(d, &b, 4, 120);
	mkdat_num(d, &b, d->long_size, prev_state);
	mkdat_chars(&b, next_comm, 16);
	mkdat_num(d, &b, 4, (uint64_t)next_pid);
	mkdat_num(d, &b, 4, 120);
	mkdat_rec(d, buffer, cpu, ts, b.p, b.len);
	buf_free(&b);
}

static MKDAT_UNUSED void mkdat_wakeup(struct mkdat *d, unsigned buffer, unsigned cpu, uint64_t ts,
				      int by_pid, const char *comm, int pid, int target_cpu)
{
	struct buf b = {0};

	mkdat_common(d, &b, MKDAT_WAKEUP, by_pid);
	mkdat_chars(&b, comm, 16);
	mkdat_num(d, &b, 4, (uint64_t)pid);
	mkdat_num(d, &b, 4, 120);
	mkdat_num(d, &b, 4, (uint64_t)target_cpu);
	mkdat_rec(d, buffer, cpu, ts, b.p, b.len);
	buf_free(&b);
}

/* ---- the file ---- */

static MKDAT_UNUSED void mkdat_align(const struct mkdat *d, struct buf *out)
{
	while (out->len % d->page_size)
		buf_putc(out, 0);
}

/* "flyrecord", the table, the clock, and the pages of one buffer */
static MKDAT_UNUSED void mkdat_data(struct mkdat *d, struct buf *out, unsigned buffer)
{
	size_t clock = d->clock ? 8 + strlen(d->clock) + 3 : 0;
	size_t off = out->len + 10 + 16 * (size_t)d->ncpus + clock;

	off = (off + d->page_size - 1) / d->page_size * d->page_size;
	buf_add(out, "flyrecord", 10);
	for (unsigned i = 0; i < d->ncpus; i++) {
		mkdat_page(d, buffer, i);
		mkdat_num(d, out, 8, off);
		mkdat_num(d, out, 8, d->buffer[buffer].cpu[i].pages.len);
		off += d->buffer[buffer].cpu[i].pages.len;
	}
	if (d->clock) {
		mkdat_num(d, out, 8, strlen(d->clock) + 3);
		buf_printf(out, "[%s]", d->clock);
		buf_putc(out, 0);
	}
	mkdat_align(d, out);
	for (unsigned i = 0; i < d->ncpus; i++) {
		if (d->buffer[buffer].cpu[i].pages.len)
			buf_add(out, d->buffer[buffer].cpu[i].pages.p,
				d->buffer[buffer].cpu[i].pages.len);
	}
}

static MKDAT_UNUSED void mkdat_sized(const struct mkdat *d, struct buf *out, unsigned word,
				     const struct buf *text)
{
	mkdat_num(d, out, word, text->len);
	if (text->len)
		buf_add(out, text->p, text->len);
}

static MKDAT_UNUSED void mkdat_metadata(struct mkdat *d, struct buf *out)
{
	struct buf page = {0}, event = {0};

	buf_add(out, "\x17\x08\x44tracing6", 12);
	buf_putc(out, d->big_endian);
	buf_putc(out, (char)d->long_size);
	mkdat_num(d, out, 4, d->page_size);
	if (d->header_page)
		buf_puts(&page, d->header_page);
	else
		buf_printf(&page,
			   "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
			   "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
			   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
			   "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
			   d->long_size, 8 + d->long_size, d->page_size - 8 - d->long_size);
	buf_puts(&event,
		 "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
		 "\tarray       :   32 bits\n");
	buf_add(out, "header_page", 12);
	mkdat_sized(d, out, 8, &page);
	buf_add(out, "header_event", 13);
	mkdat_sized(d, out, 8, &event);
	mkdat_num(d, out, 4, d->sys[0].n);
	if (d->sys[0].formats.len)
		buf_add(out, d->sys[0].formats.p, d->sys[0].formats.len);
	mkdat_num(d, out, 4, d->nsys - 1);
	for (unsigned i = 1; i < d->nsys; i++) {
		buf_add(out, d->sys[i].name, strlen(d->sys[i].name) + 1);
		mkdat_num(d, out, 4, d->sys[i].n);
		buf_add(out, d->sys[i].formats.p, d->sys[i].formats.len);
	}
	mkdat_sized(d, out, 4, &d->kallsyms);
	mkdat_sized(d, out, 4, &d->printk);
	mkdat_sized(d, out, 8, &d->cmdlines);
	mkdat_num(d, out, 4, d->ncpus);
	buf_free(&page);
	buf_free(&event);
}

static MKDAT_UNUSED void mkdat_patch(const struct mkdat *d, struct buf *out, size_t at, uint64_t v)
{
	struct buf b = {0};

	mkdat_num(d, &b, 8, v);
	memcpy(out->p + at, b.p, 8);
	buf_free(&b);
}

/* mkdat_bytes - the whole file appended to an empty @out; call it once */
static MKDAT_UNUSED void mkdat_bytes(struct mkdat *d, struct buf *out)
{
	size_t at[MKDAT_BUFFERS] = {0};

	if (d->clock) {
		struct buf b = {0};

		buf_printf(&b, "local [%s] counter\n", d->clock);
		mkdat_option(d, 4, b.p, b.len + 1);
		buf_free(&b);
	}
	if (d->uname)
		mkdat_option(d, 5, d->uname, strlen(d->uname) + 1);
	mkdat_metadata(d, out);
	buf_add(out, "options  ", 10);
	if (d->options.len)
		buf_add(out, d->options.p, d->options.len);
	for (unsigned i = 1; i < d->nbuffers; i++) {
		mkdat_num(d, out, 2, 3);
		mkdat_num(d, out, 4, 8 + strlen(d->buffer[i].name) + 1);
		at[i] = out->len;
		mkdat_num(d, out, 8, 0);
		buf_add(out, d->buffer[i].name, strlen(d->buffer[i].name) + 1);
	}
	mkdat_num(d, out, 2, 0);
	mkdat_data(d, out, 0);
	for (unsigned i = 1; i < d->nbuffers; i++) {
		mkdat_align(d, out);
		mkdat_patch(d, out, at[i], out->len);
		mkdat_data(d, out, i);
	}
}

/* mkdat_write - 0, or -1 when the file cannot be written */
static MKDAT_UNUSED int mkdat_write(struct mkdat *d, const char *path)
{
	struct buf b = {0};
	FILE *f = fopen(path, "w");
	int rc;

	mkdat_bytes(d, &b);
	rc = f && fwrite(b.p, 1, b.len, f) == b.len ? 0 : -1;
	if (f && fclose(f))
		rc = -1;
	buf_free(&b);
	return rc;
}

#endif
