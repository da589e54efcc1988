/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events in. A feed gives records in time order (or, where order is not asked for, CPU by CPU) from
 * one of: a trace.dat by our own reader, by libtracecmd, several of them merged, or the live ring
 * buffer. It knows pages and files, nothing of queries.
 */
#ifndef TRACESH_FEED_FEED_H
#define TRACESH_FEED_FEED_H

#include "base/session.h"
#include "catalog/catalog.h"
#include "catalog/rec.h"

struct feed_stats {
	uint64_t events;     /* records given */
	uint64_t unknown;    /* records of ids without a format, skipped */
	uint64_t lost;       /* events lost in the ring buffer, where a number is known */
	uint64_t lost_spots; /* places where an unknown number was lost */
	uint64_t cut_bytes;  /* bytes of the file that are missing or could not be read */
	uint64_t bad_pages;  /* corrupt pages skipped (rest of that page) */
	bool cut;            /* the input was cut short or corrupt */
};

struct feed {
	const struct feed_ops *ops;
	struct feed_stats stats;
};

struct feed_ops {
	/* next: 1 and *r filled; 0 at the end (live: nothing now); negative errno */
	int (*next)(struct feed *f, struct rec *r);
	/* want: only records of these events (array over event index, bool) are of interest; a feed
	 * may skip others. NULL: all. Optional. */
	void (*want)(struct feed *f, const uint8_t *by_index, unsigned n);
	/* fd: for poll, live feeds only (-1 else): readable when there is something to take */
	int (*fd)(struct feed *f);
	/* stop: live feeds only: tracing was switched off, what is left is given whatever its time
	 */
	void (*stop)(struct feed *f);
	/* again: files only: a feed of its own over the same records, from the first */
	struct feed *(*again)(struct feed *f, struct catalog *c);
	/* part: files only, optional: a feed over the @i-th of @n parts of the CPUs, of which there
	 * may be up to parts() */
	unsigned (*parts)(const struct feed *f);
	struct feed *(*part)(struct feed *f, struct catalog *c, unsigned i, unsigned n);
	void (*free)(struct feed *f);
};

static inline int feed_next(struct feed *f, struct rec *r)
{
	return f->ops->next(f, r);
}

void feed_free(struct feed *f);

/**
 * feed_open_file - a trace.dat as an origin of @c and a feed
 * The container is checked first by our own code; cut and corrupt files are read as far as they go
 * (stats.cut). reader per set.reader. NULL with a diag ("bad-file", "refused") when nothing can be
 * read.
 */
struct feed *feed_open_file(struct session *s, struct catalog *c, const char *path);
/* feed_merge - takes over @n feeds, gives their records merged by time; @n == 1 returns the feed
 * itself */
struct feed *feed_merge(struct feed **v, unsigned n);

/**
 * feed_stacks - @inner's events with the stacks that the kernel wrote right behind them
 * @by_index: WANT_ flags of each of the @n events. Records of ftrace:kernel_stack and
 * ftrace:user_stack are taken out unless WANT_EVENT asks for them as well. Events are held back
 * until their stacks came or cannot come any more; order stays. Takes over @inner.
 */
struct feed *feed_stacks(struct feed *inner, const uint8_t *by_index, unsigned n);
/* feed_stacks_asked - does any of @by_index ask for stacks */
bool feed_stacks_asked(const uint8_t *by_index, unsigned n);

/* What `info` shows of a file. */
struct feed_info {
	const char *path;
	int version; /* 6 or 7 */
	const char *compression;
	const char *uname, *clock;
	bool has_tsc2nsec;
	unsigned cpus, long_size;
	bool big_endian;
	uint32_t page_size;
	uint64_t size;  /* bytes of the file */
	bool counted;   /* else events, lost_spots and cut_bytes are not known, lost only as far as
			   the file has statistics */
	bool has_times; /* there is an event */
	uint64_t events, first_ts, last_ts, lost, lost_spots, cut_bytes;
	unsigned nbuffers;
	const char *const *buffers; /* instance names; "" = top */
	uint64_t bad_pages;
	const char *why; /* the first thing found wrong, NULL none */
	bool cut;
};
/* INFO_GLANCE: not read through unless its ends do not tell; INFO_AUTO: small files are */
enum info_depth { INFO_AUTO, INFO_COUNT, INFO_GLANCE };
/* feed_file_info - strings are valid while the catalog lives; 0 or -1 with a diag */
int feed_file_info(struct session *s, struct catalog *c, const char *path, enum info_depth depth,
		   struct feed_info *out);

#endif
