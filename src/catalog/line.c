/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines as trace-cmd report writes them. Most of a line was in one before it: what comes before the
 * time is remembered for each CPU, the seconds until they change. One struct lines a thread.
 */
#include "base/num.h"
#include "catalog/internal.h"
#include "catalog/printer.h"
#include "catalog/rec.h"

#include <stdlib.h>

#define MAX_LABEL 255
#define MAX_WHO 32   /* longer names of tasks are not remembered */
#define NHEADS 64    /* by CPU; a power of two */
#define PAD PROG_PAD /* copied in such pieces */

/* "LABEL: COMM-TID [CPU]" */
struct head {
	bool known;
	uint16_t buffer;
	int cpu, tid;
	unsigned origin;
	size_t nwho;
	char who[MAX_WHO];
	size_t len;
	char text[2 * MAX_LABEL];
};

struct label {
	uint32_t len;
	char text[MAX_LABEL + 4 + PAD];
};

struct line_origin {
	struct printer *printer;
	struct prog_env *env;
	struct label *labels; /* by buffer; NULL: lines have none */
	unsigned nlabels;
};

struct lines {
	struct catalog *c;
	struct line_origin *origins; /* by index */
	unsigned norigins;
	struct head heads[NHEADS];
	uint64_t sec; /* whose digits follow */
	uint32_t nsec;
	char sec_text[NUM_MAX + 8 + PAD];
};

struct lines *lines_new(struct catalog *c)
{
	struct lines *l = xcalloc(1, sizeof(*l));

	l->c = c;
	l->sec = UINT64_MAX;
	return l;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < l->norigins; i++) {
		free(l->origins[i].env);
		free(l->origins[i].labels);
	}
	free(l->origins);
	free(l);
}

/* ---- labels ---- */

/* What trace-cmd report puts before a line when there are several buffers: the instance's name, for
 * the top one the file's when there are several of these. */
static const char *buffer_label(const struct catalog *c, const struct origin *o, unsigned i)
{
	const char *slash = strrchr(o->path, '/');

	if (i < o->nbuffers && *o->buffers[i])
		return o->buffers[i];
	if (c->norigins < 2)
		return "";
	return slash ? slash + 1 : o->path;
}

static void make_labels(const struct catalog *c, const struct origin *o, struct line_origin *lo)
{
	unsigned n = 0;
	int width = 0;

	if (c->norigins == 1 && o->nbuffers < 2)
		return;
	for (size_t i = 0; i < c->norigins; i++) {
		const struct origin *x = c->origins[i];

		for (unsigned k = 0; k < x->nbuffers; k++, n++) {
			int len = (int)strnlen(buffer_label(c, x, k), MAX_LABEL);

			width = len > width ? len : width;
		}
	}
	if (n < 2)
		return;
	/* records of a buffer beyond the known ones have the last label */
	lo->nlabels = o->nbuffers + 1;
	lo->labels = xcalloc(lo->nlabels, sizeof(*lo->labels));
	for (unsigned k = 0; k < lo->nlabels; k++) {
		const char *label = buffer_label(c, o, k);

		lo->labels[k].len =
			(uint32_t)snprintf(lo->labels[k].text, MAX_LABEL + 4, "%*.*s%c ", width,
					   MAX_LABEL, label, *label ? ':' : ' ');
	}
}

static struct line_origin *line_origin(struct lines *l, struct origin *o)
{
	struct line_origin *lo;

	if (o->index >= l->norigins) {
		unsigned n = o->index + 1;

		l->origins = xrealloc(l->origins, n * sizeof(*l->origins));
		memset(l->origins + l->norigins, 0, (n - l->norigins) * sizeof(*l->origins));
		l->norigins = n;
	}
	lo = &l->origins[o->index];
	if (!lo->env) {
		lo->printer = printer_of(o);
		lo->env = printer_env(lo->printer);
		make_labels(l->c, o, lo);
	}
	return lo;
}

/* ---- pieces; what writes returns its end ---- */

static char *spaces(char *p, size_t n)
{
	memset(p, ' ', n);
	return p + n;
}

static inline char *copy(char *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i += PAD)
		memcpy(p + i, s + i, PAD);
	return p + n;
}

/* @v right-aligned in @width */
static char *aligned(char *p, uint64_t v, unsigned width)
{
	char d[NUM_MAX];
	unsigned n = num_dec(d, v);

	if (n < width)
		p = spaces(p, width - n);
	memcpy(p, d, n);
	return p + n;
}

/* "%*s: %16s-%-5d [%03d]" into @p, which has room */
static char *put_head(char *p, const struct line_origin *lo, const struct rec *r, const char *who,
		      size_t w, int tid)
{
	unsigned k, cpu = r->cpu < 0 ? 0 - (unsigned)r->cpu : (unsigned)r->cpu;

	if (lo->labels) {
		unsigned i = r->buffer < lo->nlabels ? r->buffer : lo->nlabels - 1;

		p = copy(p, lo->labels[i].text, lo->labels[i].len);
	}
	if (w < 16)
		p = spaces(p, 16 - w);
	memcpy(p, who, w);
	p += w;
	*p++ = '-';
	k = tid < 0;
	if (tid < 0)
		*p++ = '-';
	k += num_dec(p, tid < 0 ? 0 - (unsigned)tid : (unsigned)tid);
	p += k - (tid < 0);
	if (k < 5)
		p = spaces(p, 5 - k);
	*p++ = ' ';
	*p++ = '[';
	if (r->cpu < 0)
		*p++ = '-';
	k = cpu < 10 ? 2 : cpu < 100;
	if (r->cpu < 0 && k)
		k--;
	memset(p, '0', k);
	p += k;
	p += num_dec(p, cpu);
	*p++ = ']';
	return p;
}

static inline char *head(char *p, struct lines *l, const struct line_origin *lo,
			 const struct rec *r, const char *who, size_t w, int tid)
{
	struct head *h = &l->heads[(unsigned)r->cpu % NHEADS];

	if (h->known && h->tid == tid && h->cpu == r->cpu && h->nwho == w &&
	    h->buffer == r->buffer && h->origin == r->origin->index && !memcmp(h->who, who, w))
		return copy(p, h->text, h->len);
	h->known = w <= MAX_WHO;
	if (!h->known)
		return put_head(p, lo, r, who, w, tid);
	h->tid = tid;
	h->cpu = r->cpu;
	h->buffer = r->buffer;
	h->origin = r->origin->index;
	h->nwho = w;
	memcpy(h->who, who, w);
	h->len = (size_t)(put_head(h->text, lo, r, who, w, tid) - h->text);
	return copy(p, h->text, h->len);
}

static inline char *put_time(char *p, struct lines *l, const struct line_origin *lo, uint64_t ts)
{
	uint64_t us = ts / 1000 + (ts % 1000 >= 500), sec = us / 1000000;
	uint32_t rest = (uint32_t)(us % 1000000);

	if (!lo->printer->time)
		return aligned(p, ts, 12);
	if (us <= 1000000) {
		*p++ = ' ';
		return aligned(p, us, 12);
	}
	if (sec != l->sec) {
		l->sec = sec;
		l->sec_text[0] = ' ';
		l->nsec = (uint32_t)(aligned(l->sec_text + 1, sec, 5) - l->sec_text);
		l->sec_text[l->nsec++] = '.';
	}
	p = copy(p, l->sec_text, l->nsec);
	num_two(p, rest / 10000);
	num_two(p + 2, rest / 100 % 100);
	num_two(p + 4, rest % 100);
	return p + 6;
}

/* "%16s-%-5d [%03d]%time: %s: %pad" */
void rec_print_line(struct lines *l, const struct rec *r, const char *comm, size_t len, int tid,
		    struct buf *out)
{
	struct line_origin *lo = line_origin(l, r->origin);
	const struct printable *pe = printable_of(lo->printer, r->ev);
	const char *who = !tid ? "<idle>" : comm ? comm : "<...>";
	size_t w = !tid ? 6 : comm ? len : 5, room = 2 * MAX_LABEL + w + pe->title_len + 128;
	char *p;

	if (out->cap - out->len <= room)
		buf_reserve(out, room);
	p = out->p + out->len;
	p = head(p, l, lo, r, who, w, tid);
	p = put_time(p, l, lo, r->ts);
	p = copy(p, pe->title, pe->title_len);
	out->len = (size_t)(p - out->p);
	if (pe->prog && printprog_fits(pe->prog, r)) {
		printprog_run(pe->prog, lo->env, r, out);
	} else {
		*p = 0;
		rec_print(r, out);
	}
}
