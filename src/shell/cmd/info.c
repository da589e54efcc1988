/* SPDX-License-Identifier: GPL-3.0-or-later */
/* info: what is in the open files, or what kernel is traced. */
#include "shell/cmd/cmd.h"

#include "feed/feed.h"

#include <inttypes.h>
#include <string.h>

static void pair(struct listing *l, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void pair(struct listing *l, const char *what, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	listing_row(l, (const char *[]){what, buf_str(&b)});
	buf_free(&b);
}

static void show_file(struct listing *l, const struct feed_info *i)
{
	struct buf names = {0};

	pair(l, "file", "%s", i->path);
	pair(l, "size", "%" PRIu64 " bytes", i->size);
	pair(l, "format", "trace.dat version %d%s%s", i->version,
	     i->compression && i->compression[0] && strcmp(i->compression, "none") ? ", " : "",
	     i->compression && strcmp(i->compression, "none") ? i->compression : "");
	pair(l, "kernel", "%s", i->uname ? i->uname : "unknown");
	pair(l, "machine", "%u CPUs, %u-bit, %s-endian, sub-buffers of %u bytes", i->cpus,
	     i->long_size * 8, i->big_endian ? "big" : "little", i->page_size);
	pair(l, "clock", "%s%s", i->clock ? i->clock : "unknown",
	     i->has_tsc2nsec ? ", cycles to ns known" : "");
	if (i->counted)
		pair(l, "events", "%" PRIu64, i->events);
	else
		pair(l, "events", "not counted (info --count)");
	if (i->has_times) {
		pair(l, "first", "%" PRIu64 ".%09" PRIu64, i->first_ts / 1000000000,
		     i->first_ts % 1000000000);
		pair(l, "last", "%" PRIu64 ".%09" PRIu64, i->last_ts / 1000000000,
		     i->last_ts % 1000000000);
		pair(l, "span", "%" PRIu64 ".%09" PRIu64 " s",
		     (i->last_ts - i->first_ts) / 1000000000,
		     (i->last_ts - i->first_ts) % 1000000000);
	}
	if (i->counted || i->lost)
		pair(l, "lost events", "%" PRIu64, i->lost);
	if (i->lost_spots)
		pair(l, "lost, number unknown", "at %" PRIu64 " places", i->lost_spots);
	if (i->cut)
		pair(l, "cut or corrupt", "%" PRIu64 " bytes could not be read", i->cut_bytes);
	for (unsigned k = 0; k < i->nbuffers; k++)
		buf_printf(&names, "%s%s", k ? ", " : "",
			   i->buffers[k][0] ? i->buffers[k] : "(top)");
	pair(l, "buffers", "%s", buf_str(&names));
	buf_free(&names);
}

static int run(struct shell *sh, const struct node *cmd)
{
	static const char *const titles[] = {"what", "value", NULL};
	const char **w;
	struct listing l;
	struct catalog *c;
	size_t n;
	int rc = 0;

	w = cmd_words(sh, cmd, 0, 1, &n);
	if (!w)
		return 1;
	if (n && strcmp(w[0], "--count") != 0) {
		struct diag *g = diag_error(sh->s->diags, "bad-arguments", cmd->span,
					    "info takes no '%s'", w[0]);

		if (g)
			g->hint = "usage: info [--count]";
		return 1;
	}
	if (!sh->nfiles) {
		struct origin *o;

		c = shell_catalog(sh);
		if (!c)
			return 3;
		o = catalog_origin(c, 0);
		listing_begin(&l, sh, titles);
		pair(&l, "tracefs", "%s", o->path);
		pair(&l, "kernel", "%s", o->uname ? o->uname : "unknown");
		pair(&l, "events", "%u", catalog_nevents(c));
		pair(&l, "clock", "%s", sh->s->set.clock);
		listing_end(&l);
		return 0;
	}
	for (unsigned i = 0; i < sh->nfiles; i++) {
		struct feed_info info;

		memset(&info, 0, sizeof(info));
		c = catalog_new(sh->s);
		if (feed_file_info(sh->s, c, sh->files[i], n ? INFO_COUNT : INFO_AUTO, &info) ==
		    0) {
			listing_begin(&l, sh, titles);
			show_file(&l, &info);
			listing_end(&l);
			if (info.cut || info.lost || info.lost_spots)
				rc = 5;
		} else {
			rc = 3;
		}
		catalog_free(c);
	}
	return rc;
}

const struct command cmd_info = {
	{"info", CMD_WORDS},
	"info [--count]",
	"what is in the open trace.dat, or which kernel is traced",
	"Version, kernel, clock, CPUs, events, time span, lost events and buffers of each file. "
	"In files of more\nthan 4 MiB the events are only counted with --count, which reads all "
	"of it. "
	"Status 5 when the file is cut or events were lost.",
	run,
};
