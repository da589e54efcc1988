/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat version 7: sections that a chain of option sections points to, some of them compressed
 * with zstd. When the chain is cut, the sections are looked for one behind the other from the
 * start, so that data whose table is lost are still read. Knows nothing of version 6.
 */
#include "feed/container.h"
#include "feed/page_step.h"

#include <errno.h>
#include <zstd.h>

#define SECTION_HEAD 16
#define CHUNK_COUNT 4
#define SECTION_COMPRESSED 1
#define SECTION_MAX ((uint64_t)256 << 20) /* metadata of one section */
#define MAX_OPTION_SECTIONS 4096
#define MAX_BUFFERS 1024
#define MAX_SECTION_ID 255 /* later versions may have sections we skip */
#define MAX_CPU (1u << 16)

#define SECTION_OPTIONS 0
#define SECTION_BUFFER 3

struct section {
	uint16_t id, flags;
	uint64_t off;  /* of the payload */
	uint64_t size; /* of the payload, as stated */
};

struct v7 {
	struct container *ct;
	uint64_t first; /* where sections begin */
	bool got[OPT_BUFFER_TEXT + 1];
	uint64_t *seen; /* offsets of option sections read */
	size_t nseen;
	uint64_t *tables; /* offsets of buffer sections that a BUFFER option described */
	size_t ntables;
	bool broken; /* the chain does not come to its end */
	bool text;   /* there is a buffer of a latency tracer's text */
};

static int section_head(struct container *ct, uint64_t off, struct section *s)
{
	uint8_t h[SECTION_HEAD] = {0};
	struct cont_rd r = cont_rd_block(ct, h, sizeof(h));

	if (container_pread(ct, h, sizeof(h), off) != sizeof(h))
		return -EINVAL;
	s->id = cont_u16(&r);
	s->flags = cont_u16(&r);
	cont_u32(&r);
	s->size = cont_u64(&r);
	s->off = off + SECTION_HEAD;
	return 0;
}

/* section_load - the payload, decompressed, as a bounded reader; -ENODATA: plain, and cut short */
static int section_load(struct container *ct, const struct section *s, struct cont_rd *r)
{
	uint64_t size = s->size, usize;
	struct cont_rd head;
	uint8_t *p, *out;
	size_t got;

	if (size > ct->size - s->off)
		size = ct->size - s->off;
	if (size > SECTION_MAX || !(p = cont_block(ct, (size_t)size)) ||
	    container_pread(ct, p, (size_t)size, s->off) != (int64_t)size)
		return -EINVAL;
	if (!(s->flags & SECTION_COMPRESSED)) {
		*r = cont_rd_block(ct, p, size);
		return size == s->size ? 0 : -ENODATA;
	}
	head = cont_rd_block(ct, p, size);
	size = cont_u32(&head);
	usize = cont_u32(&head);
	if (head.out || size > cont_left(&head) || usize > SECTION_MAX || !ct->compression ||
	    strcmp(ct->compression, "zstd") != 0)
		return -EINVAL;
	p += head.pos;
	if (ZSTD_getFrameContentSize(p, (size_t)size) == ZSTD_CONTENTSIZE_ERROR ||
	    !(out = cont_block(ct, (size_t)usize + 1)))
		return -EINVAL;
	got = ZSTD_decompress(out, (size_t)usize, p, (size_t)size);
	if (ZSTD_isError(got))
		return -EINVAL;
	*r = cont_rd_block(ct, out, got);
	return 0;
}

static const char *const section_names[] = {
	[OPT_HEADER_INFO] = "page header",     [OPT_FTRACE_EVENTS] = "ftrace formats",
	[OPT_EVENT_FORMATS] = "event formats", [OPT_KALLSYMS] = "kernel symbols",
	[OPT_PRINTK] = "printk formats",       [OPT_CMDLINES] = "task names",
};

/* a section of metadata; each kind counts once */
static void metadata(struct v7 *v, const struct section *s)
{
	struct container *ct = v->ct;
	struct cont_rd r;
	int rc;

	if (s->id < OPT_HEADER_INFO || s->id > OPT_CMDLINES || v->got[s->id])
		return;
	if (s->id == OPT_KALLSYMS && s->size <= ct->size - s->off) {
		ct->kallsyms_off = s->off - SECTION_HEAD;
		v->got[s->id] = true;
		return;
	}
	rc = section_load(ct, s, &r);
	if (!rc) {
		switch (s->id) {
		case OPT_HEADER_INFO: rc = cont_header_info(ct, &r); break;
		case OPT_FTRACE_EVENTS: rc = cont_ftrace_formats(ct, &r); break;
		case OPT_EVENT_FORMATS: rc = cont_event_formats(ct, &r); break;
		case OPT_PRINTK: rc = cont_sized_text(&r, false, &ct->printk); break;
		case OPT_CMDLINES: rc = cont_sized_text(&r, true, &ct->cmdlines); break;
		default: break;
		}
	}
	if (rc)
		cont_wrong(ct, "its section of %s cannot be read", section_names[s->id]);
	else
		v->got[s->id] = true;
}

int container_kallsyms_v7(struct container *ct)
{
	struct section s;
	struct cont_rd r;

	if (section_head(ct, ct->kallsyms_off, &s) || section_load(ct, &s, &r) ||
	    cont_sized_text(&r, false, &ct->kallsyms)) {
		cont_wrong(ct, "its section of %s cannot be read", section_names[OPT_KALLSYMS]);
		return -EINVAL;
	}
	return 0;
}

static bool compressed_data(const struct section *s)
{
	return s->flags & SECTION_COMPRESSED;
}

/* option BUFFER: offset, name, clock, page size, table of cpus */
static void option_buffer(struct v7 *v, const uint8_t *p, uint32_t len)
{
	struct container *ct = v->ct;
	struct cont_rd r = cont_rd_block(ct, p, len);
	uint64_t off = cont_u64(&r);
	const char *name = cont_str(&r, len), *clock = name ? cont_str(&r, len) : NULL;
	uint32_t page_size = cont_u32(&r), n = cont_u32(&r);
	struct cont_buffer *b;
	struct section s;

	if (r.out || n > cont_left(&r) / 20 || v->ntables >= MAX_BUFFERS) {
		cont_wrong(ct, "the description of a buffer cannot be read");
		return;
	}
	ARENA_PUSH(ct->arena, v->tables, v->ntables, off);
	if (section_head(ct, off, &s)) {
		cont_wrong(ct, "the data of a buffer lie beyond its end");
		s.flags = ct->compression ? SECTION_COMPRESSED : 0;
	} else if (s.id != SECTION_BUFFER) {
		cont_wrong(ct, "the data of buffer \"%.40s\" are not where they should be", name);
		return;
	}
	b = cont_add_buffer(ct, arena_strdup(ct->arena, name));
	b->clock = arena_strdup(ct->arena, clock);
	b->page_size = page_size;
	b->chunked = compressed_data(&s);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = cont_u32(&r);
		uint64_t at = cont_u64(&r), size = cont_u64(&r);

		if (cpu >= MAX_CPU)
			cont_wrong(ct, "it names cpu %u", cpu);
		else /* the word with the number of chunks is not in the size */
			cont_add_cpu(ct, b, (int)cpu, at,
				     b->chunked && size && size <= INT64_MAX ? size + CHUNK_COUNT
									     : size);
	}
}

/* One section of options. Returns the offset of the next, 0 at the end; v->broken when cut. */
static uint64_t options(struct v7 *v, struct cont_rd *r)
{
	struct container *ct = v->ct;

	while (cont_left(r)) {
		uint16_t id = cont_u16(r);
		uint32_t len = cont_u32(r);
		const uint8_t *p = cont_take(r, len);
		struct section s;

		if (!p)
			break;
		if (id == OPT_DONE) {
			if (len < 8)
				break;
			return page_u64(p, ct->swap);
		}
		if (++ct->noptions > OPTIONS_MAX)
			break;
		if (id == OPT_BUFFER_TEXT)
			v->text = true;
		if (id == OPT_BUFFER) {
			option_buffer(v, p, len);
		} else if (id >= OPT_HEADER_INFO && id <= OPT_CMDLINES) {
			if (len < 8 || section_head(ct, page_u64(p, ct->swap), &s) || s.id != id)
				cont_wrong(ct, "its section of %s is not where it should be",
					   section_names[id]);
			else
				metadata(v, &s);
		} else {
			cont_option(ct, id, p, len);
		}
	}
	v->broken = true;
	return 0;
}

static void option_section(struct v7 *v, const struct section *s, uint64_t *next)
{
	struct cont_rd r;
	int rc = section_load(v->ct, s, &r);

	*next = 0;
	ARENA_PUSH(v->ct->arena, v->seen, v->nseen, s->off);
	if (rc && rc != -ENODATA) {
		v->broken = true;
		return;
	}
	*next = options(v, &r);
}

static bool contains(const uint64_t *p, size_t n, uint64_t x)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == x)
			return true;
	}
	return false;
}

static void option_chain(struct v7 *v, uint64_t off)
{
	struct section s;

	if (!off)
		v->broken = true;
	while (off) {
		if (section_head(v->ct, off, &s) || s.id != SECTION_OPTIONS ||
		    contains(v->seen, v->nseen, s.off) || v->nseen >= MAX_OPTION_SECTIONS) {
			v->broken = true;
			return;
		}
		option_section(v, &s, &off);
	}
}

/* ---- what is left when the chain is cut ---- */

/*
 * The chunks of one CPU from @off on: the end of the last one that is whole or cut by the end of
 * the file, 0 when this looks like no chunks at all.
 */
static uint64_t chunk_extent(struct container *ct, uint64_t off, uint64_t end)
{
	uint8_t h[12] = {0};
	struct cont_rd r = cont_rd_block(ct, h, sizeof(h));
	uint32_t n;

	if (container_pread(ct, h, sizeof(h), off) != sizeof(h))
		return 0;
	n = cont_u32(&r);
	if (n == 0 || n > (ct->size - off) / 8)
		return 0;
	off += 4;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t csize, usize;

		if (container_pread(ct, h, 8, off) != 8)
			return ct->size;
		r = cont_rd_block(ct, h, 8);
		csize = cont_u32(&r);
		usize = cont_u32(&r);
		if (!csize || !usize || usize > SECTION_MAX)
			return i ? off : 0;
		if (csize > end - off - 8)
			return end;
		off += 8 + csize;
	}
	return off;
}

/*
 * Plain pages of one CPU from @off on: they end where time goes back, which is where the next CPU's
 * begin, or with a page that is none. Its last page may be cut.
 */
static uint64_t page_extent(struct container *ct, uint64_t off, uint64_t end, uint64_t page)
{
	uint64_t last = 0;

	for (; off < end; off += page) {
		uint8_t h[8];
		uint64_t ts;

		if (container_pread(ct, h, sizeof(h), off) != sizeof(h))
			return end;
		ts = page_u64(h, ct->swap);
		if (!ts || ts < last)
			return off;
		last = ts;
		if (page > end - off)
			return end;
	}
	return off;
}

/* A buffer whose table is lost: each CPU's chunks or pages begin at a page, one behind the other.
 */
static void salvage_buffer(struct v7 *v, const struct section *s)
{
	struct container *ct = v->ct;
	uint64_t page = ct->page_size >= 512 && ct->page_size <= (1u << 20) ? ct->page_size : 4096;
	uint64_t end = s->size < ct->size - s->off ? s->off + s->size : ct->size;
	uint64_t off = (s->off + page - 1) / page * page;
	struct cont_buffer *b;
	int cpu = 0;

	cont_wrong(ct, "it is cut before a table of cpus");
	b = cont_add_buffer(ct, ct->nbuffers ? "(cut)" : "");
	b->chunked = compressed_data(s);
	while (off < end && cpu < (int)MAX_CPU) {
		uint64_t stop =
			b->chunked ? chunk_extent(ct, off, end) : page_extent(ct, off, end, page);

		if (!stop || stop == off)
			break;
		cont_add_cpu(ct, b, cpu++, off, stop - off);
		off = (stop + page - 1) / page * page;
	}
	if (s->size > end - s->off && s->size <= INT64_MAX / 2)
		ct->cut_bytes += s->size - (end - s->off);
}

static void scan(struct v7 *v)
{
	struct container *ct = v->ct;
	uint64_t off = v->first, next;
	struct section s, *data = NULL;
	size_t ndata = 0;

	for (size_t i = 0; i < MAX_OPTION_SECTIONS && !section_head(ct, off, &s); i++) {
		if (s.id > MAX_SECTION_ID ||
		    (s.id != SECTION_OPTIONS && s.id != SECTION_BUFFER && s.id < OPT_STRINGS))
			break;
		if (s.id == SECTION_BUFFER)
			ARENA_PUSH(ct->arena, data, ndata, s);
		else if (s.id != SECTION_OPTIONS)
			metadata(v, &s);
		else if (!contains(v->seen, v->nseen, s.off))
			option_section(v, &s, &next);
		if (s.size > ct->size - s.off)
			break;
		off = s.off + s.size;
	}
	/* only now is it known which buffers no option describes */
	for (size_t i = 0; i < ndata && ct->nbuffers < MAX_BUFFERS; i++) {
		if (!contains(v->tables, v->ntables, data[i].off - SECTION_HEAD))
			salvage_buffer(v, &data[i]);
	}
}

/* Sections that nothing points to may be cut as well (trace-cmd ends a file with strings). */
static void check_tail(struct container *ct, uint64_t off)
{
	struct section s;

	for (size_t i = 0; i < MAX_OPTION_SECTIONS && off < ct->size; i++) {
		if (section_head(ct, off, &s)) {
			cont_wrong(ct, "it ends within the head of a section");
			ct->cut_bytes += SECTION_HEAD - (ct->size - off);
			return;
		}
		if (s.id > OPT_BUFFER_TEXT)
			return;
		if (s.size > ct->size - s.off) {
			cont_wrong(ct, "its last section is cut");
			if (s.id != SECTION_BUFFER && s.size <= INT64_MAX / 2)
				ct->cut_bytes += s.size - (ct->size - s.off);
			return;
		}
		off = s.off + s.size;
	}
}

int container_parse_v7(struct container *ct, struct cont_rd *r)
{
	struct v7 v = {.ct = ct};
	const char *name = cont_str(r, 32), *version = name ? cont_str(r, 64) : NULL;
	uint64_t off = cont_u64(r);

	if (!version || r->out) {
		cont_wrong(ct, "it ends within its header");
		return -EINVAL;
	}
	if (strcmp(name, "none") != 0)
		ct->compression = arena_strdup(ct->arena, name);
	if (ct->compression && strcmp(name, "zstd") != 0) {
		cont_wrong(
			ct,
			"its compression \"%s\" is not known, only zstd is; see trace-cmd convert",
			name);
		return -EINVAL;
	}
	v.first = r->pos;
	option_chain(&v, off);
	if (v.broken)
		cont_wrong(ct, "its chain of options is cut");
	if (v.broken || !v.got[OPT_HEADER_INFO] || !v.got[OPT_EVENT_FORMATS])
		scan(&v);
	if (!ct->cut)
		check_tail(ct, v.first);
	if (v.text && !ct->nbuffers) {
		ct->why = NULL;
		cont_wrong(ct, "it holds the text of a latency tracer, no events");
		return -EINVAL;
	}
	if (!v.got[OPT_HEADER_INFO]) {
		ct->why = NULL;
		cont_wrong(ct, "it is cut or corrupt before its first data");
		return -EINVAL;
	}
	return 0;
}
