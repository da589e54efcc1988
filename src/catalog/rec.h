/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A record of the ring buffer and reading its fields. Everything is bounds-checked against the
 * record: a field beyond it reads as null, whatever a file says.
 */
#ifndef TRACESH_CATALOG_REC_H
#define TRACESH_CATALOG_REC_H

#include "catalog/catalog.h"

#include <byteswap.h>
#include <string.h>

/* The return addresses behind an event, innermost first: words of the origin's size and order. */
struct rec_frames {
	const uint8_t *p;
	uint32_t n;
	int tgid; /* user stacks: the process, 0 unknown */
};

struct buf;
struct lines;

/* Borrowed from the feed until its next call. */
struct rec {
	struct event *ev; /* never NULL: feeds count and skip unknown ids */
	struct origin *origin;
	const uint8_t *data; /* starts with common_type */
	uint32_t len;        /* bytes */
	int cpu;
	uint64_t ts;     /* ns (or the clock's unit where it is no time) */
	uint16_t buffer; /* instance number in the feed, 0 = top */
	int64_t missed;  /* events lost on this cpu just before this one; -1: unknown number */
	/* what feed_stacks() found behind it, else NULL */
	const struct rec_frames *kstack, *ustack;
};

/* What of an event is asked for; engine_wants() says it of each. */
enum { WANT_EVENT = 1, WANT_KSTACK = 2, WANT_USTACK = 4, WANT_TASKS = 8 };

/* rec_int - an FK_INT field (or any 1-8 byte slice) as 64 bits, sign- or zero-extended; false: not
 * in the record */
static inline bool rec_int(const struct rec *r, const struct field *f, uint64_t *v)
{
	const uint8_t *p = r->data + f->offset;
	bool swap = r->origin->big_endian;

	if ((uint64_t)f->offset + f->size > r->len)
		return false;
	switch (f->size) {
	case 1: *v = f->is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p; return true;
	case 2: {
		uint16_t x;
		memcpy(&x, p, 2);
		if (swap)
			x = bswap_16(x);
		*v = f->is_signed ? (uint64_t)(int64_t)(int16_t)x : x;
		return true;
	}
	case 4: {
		uint32_t x;
		memcpy(&x, p, 4);
		if (swap)
			x = bswap_32(x);
		*v = f->is_signed ? (uint64_t)(int64_t)(int32_t)x : x;
		return true;
	}
	case 8: {
		uint64_t x;
		memcpy(&x, p, 8);
		*v = swap ? bswap_64(x) : x;
		return true;
	}
	}
	return false;
}

/* rec_bytes - the bytes of a string or array field; strings end before their NUL. false: not in the
 * record. */
bool rec_bytes(const struct rec *r, const struct field *f, const char **p, uint32_t *len);

/**
 * rec_print - the event in the kernel's own format ("prev_comm=sh prev_pid=12 ..."), through
 * libtraceevent where the format and the record pass our checks, else all fields as name=value.
 * Appends to @out. Not thread-safe.
 */
void rec_print(const struct rec *r, struct buf *out);

/* What is remembered from line to line. */
struct lines *lines_new(struct catalog *c);
void lines_free(struct lines *l);
/* rec_print_line - a whole line as `trace-cmd report` writes it: "  comm-pid  [cpu]  ts: event:
 * text" (without the newline), behind "instance: " where there are several buffers; @comm NULL:
 * unknown */
void rec_print_line(struct lines *l, const struct rec *r, const char *comm, size_t len, int tid,
		    struct buf *out);

#endif
