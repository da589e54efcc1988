/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line. Knows counts and the clock, not where events come from. */
#include "report/progress.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/units.h"

#include <string.h>

#define PROGRESS_AFTER_NS 2000000000ull
#define PROGRESS_EVERY_NS 250000000ull

void progress_start(struct progress *p, struct session *s)
{
	memset(p, 0, sizeof(*p));
	p->s = s;
	p->start = io_now();
	p->next = p->start + PROGRESS_AFTER_NS;
}

void progress_at(struct progress *p, uint64_t now, uint64_t events, uint64_t done, uint64_t total)
{
	struct buf b = {0};

	if (now < p->next || !p->s->err_tty || p->s->verbosity < 0)
		return;
	p->next = now + PROGRESS_EVERY_NS;
	buf_puts(&b, "\r\x1b[K");
	if (events >= 10000000)
		buf_printf(&b, "%llu.%llu million", (unsigned long long)(events / 1000000),
			   (unsigned long long)(events / 100000 % 10));
	else
		buf_printf(&b, "%llu", (unsigned long long)events);
	buf_puts(&b, " events");
	if (done) {
		buf_puts(&b, ", ");
		fmt_size(&b, done);
	}
	if (total)
		buf_printf(&b, ", %u %%",
			   (unsigned)(done >= total ? 100 : (unsigned __int128)done * 100 / total));
	fputs(buf_str(&b), p->s->err);
	fflush(p->s->err);
	buf_free(&b);
	p->shown = true;
}

void progress_update(struct progress *p, uint64_t events, uint64_t done, uint64_t total)
{
	if (p->s->err_tty && p->s->verbosity >= 0)
		progress_at(p, io_now(), events, done, total);
}

void progress_end(struct progress *p)
{
	if (!p->shown)
		return;
	fputs("\r\x1b[K", p->s->err);
	fflush(p->s->err);
	p->shown = false;
}
