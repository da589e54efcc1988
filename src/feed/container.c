/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening a trace.dat: the initial header, bounded reading, and the checks over what the parser of
 * the version found (overlaps, pieces beyond the file). Owns the container's memory and its file
 * descriptor; knows nothing of events. The file is read, never mapped: a file that somebody cuts
 * while we look at it must not become a SIGBUS.
 */
#define _FILE_OFFSET_BITS 64
#include "feed/container.h"
#include "feed/page_step.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRONT_MAX (sizeof(void *) > 4 ? (uint64_t)1 << 30 : (uint64_t)128 << 20)
#define FRONT_STEP ((size_t)256 << 10)
#define BLOCKS_MAX ((size_t)512 << 20) /* all decompressed metadata */
#define REGIONS_MAX (1u << 17)
#define PAGE_SIZE_MIN 64u
#define PAGE_SIZE_MAX (16u << 20)

static const uint8_t magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

struct cont_block {
	struct cont_block *next;
	max_align_t data[];
};

int64_t container_pread(const struct container *ct, void *p, size_t n, uint64_t off)
{
	size_t done = 0;

	if (off >= ct->size)
		return 0;
	if (n > ct->size - off)
		n = (size_t)(ct->size - off);
	while (done < n) {
		ssize_t got = pread(ct->fd, (char *)p + done, n - done, (off_t)(off + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (int64_t)done;
}

/*
 * front_load - bytes [pos, end) of the file are in ct->front; false when the file ends before. What
 * was passed over before @pos is not read.
 */
static bool front_load(struct container *ct, uint64_t pos, uint64_t end)
{
	size_t want;
	int64_t got;

	if (end <= ct->front_len)
		return true;
	if (end > ct->front_cap)
		return false;
	if (pos > ct->front_len)
		ct->front_len = (size_t)pos;
	want = (size_t)end - ct->front_len;
	want = (want + FRONT_STEP - 1) / FRONT_STEP * FRONT_STEP;
	if (want > ct->front_cap - ct->front_len)
		want = ct->front_cap - ct->front_len;
	got = container_pread(ct, ct->front + ct->front_len, want, ct->front_len);
	if (got > 0)
		ct->front_len += (size_t)got;
	return end <= ct->front_len;
}

struct cont_rd cont_rd_front(struct container *ct, uint64_t pos)
{
	struct cont_rd r = {
		.ct = ct, .base = ct->front, .pos = pos, .end = ct->front_cap, .swap = ct->swap};

	if (pos > r.end) {
		r.pos = r.end;
		r.out = true;
	}
	return r;
}

struct cont_rd cont_rd_block(const struct container *ct, const void *p, uint64_t len)
{
	return (struct cont_rd){.base = p, .end = len, .swap = ct->swap};
}

const uint8_t *cont_take(struct cont_rd *r, uint64_t n)
{
	const uint8_t *p;

	if (r->out || n > r->end - r->pos || (r->ct && !front_load(r->ct, r->pos, r->pos + n))) {
		r->out = true;
		return NULL;
	}
	p = r->base + r->pos;
	r->pos += n;
	return p;
}

bool cont_pass(struct cont_rd *r, uint64_t n)
{
	if (!r->ct || n > r->end - r->pos || r->pos + n <= r->ct->front_len)
		return cont_take(r, n) != NULL;
	r->pos += n;
	return true;
}

/* v6: what was passed over in the front */
static int kallsyms_v6(struct container *ct)
{
	size_t n = ct->kallsyms.len;

	if (container_pread(ct, ct->front + ct->kallsyms_off, n, ct->kallsyms_off) == (int64_t)n)
		return 0;
	cont_wrong(ct, "it became shorter");
	return -EIO;
}

const char *container_kallsyms(void *arg, size_t *len)
{
	struct container *ct = arg;

	if (ct->kallsyms_off) {
		if (ct->version == 6 ? kallsyms_v6(ct) : container_kallsyms_v7(ct))
			ct->kallsyms.len = 0;
		ct->kallsyms_off = 0;
	}
	*len = ct->kallsyms.len;
	return ct->kallsyms.p;
}

uint16_t cont_u16(struct cont_rd *r)
{
	const uint8_t *p = cont_take(r, 2);
	uint16_t v;

	if (!p)
		return 0;
	memcpy(&v, p, 2);
	return r->swap ? bswap_16(v) : v;
}

uint32_t cont_u32(struct cont_rd *r)
{
	const uint8_t *p = cont_take(r, 4);

	return p ? page_u32(p, r->swap) : 0;
}

uint64_t cont_u64(struct cont_rd *r)
{
	const uint8_t *p = cont_take(r, 8);

	return p ? page_u64(p, r->swap) : 0;
}

const char *cont_str(struct cont_rd *r, size_t max)
{
	const uint8_t *s = r->base + r->pos;

	for (size_t i = 0; i < max; i++) {
		const uint8_t *p = cont_take(r, 1);

		if (!p)
			return NULL;
		if (!*p)
			return (const char *)s;
	}
	r->out = true;
	return NULL;
}

void *cont_block(struct container *ct, size_t n)
{
	struct cont_block *b;

	if (n > BLOCKS_MAX - ct->block_bytes)
		return NULL;
	b = malloc(sizeof(*b) + n);
	if (!b)
		return NULL;
	ct->block_bytes += n;
	b->next = ct->blocks;
	ct->blocks = b;
	return b->data;
}

void cont_wrong(struct container *ct, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	ct->cut = true;
	if (ct->why)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ct->why = arena_strdup(ct->arena, text);
}

void container_get(struct container *ct)
{
	ct->refs++;
}

void container_put(void *p)
{
	struct container *ct = p;

	if (!ct || --ct->refs)
		return;
	while (ct->blocks) {
		struct cont_block *b = ct->blocks;

		ct->blocks = b->next;
		free(b);
	}
	if (ct->front)
		munmap(ct->front, ct->front_cap);
	if (ct->fd >= 0)
		close(ct->fd);
	arena_free(ct->arena);
	free(ct);
}

bool container_sane(struct container *ct)
{
	size_t len;

	container_kallsyms(ct, &len);
	for (size_t i = 0; i < ct->nformats && !ct->cut && !ct->strange; i++) {
		if (!cont_format_ok(ct->formats[i].text))
			return false;
	}
	return !ct->cut && !ct->strange;
}

void container_origin_layout(const struct container *ct, const struct cont_buffer *b,
			     struct origin *o)
{
	o->long_size = ct->long_size;
	o->big_endian = ct->swap;
	o->page_size = b ? b->page_size : ct->page_size;
	o->commit_off = ct->commit_off;
	o->commit_size = ct->commit_size;
	o->data_off = ct->data_off;
}

struct cont_buffer *cont_add_buffer(struct container *ct, const char *name)
{
	struct cont_buffer b = {.name = name, .page_size = ct->page_size};

	ARENA_PUSH(ct->arena, ct->buffers, ct->nbuffers, b);
	return &ct->buffers[ct->nbuffers - 1];
}

void cont_add_cpu(struct container *ct, struct cont_buffer *b, int cpu, uint64_t off, uint64_t size)
{
	struct cont_cpu c = {.cpu = cpu, .off = off, .size = size};

	if (ct->nregions++ >= REGIONS_MAX) {
		cont_wrong(ct, "it has more cpus and buffers than can be");
		return;
	}
	if (size && off >= ct->size) {
		c.missing = size;
		c.size = 0;
	} else if (size > ct->size - off) {
		c.missing = size - (ct->size - off);
		c.size = ct->size - off;
	}
	if (c.missing) {
		cont_wrong(ct, "the data of cpu %d end beyond the file", cpu);
		/* a wild size is corruption, not that many bytes */
		ct->cut_bytes += c.missing <= INT64_MAX / 2 ? c.missing : 0;
	}
	ARENA_PUSH(ct->arena, b->cpus, b->ncpus, c);
}

/* page_size_ok - a power of two that a sub-buffer can have */
static bool page_size_ok(uint64_t n)
{
	return n >= PAGE_SIZE_MIN && n <= PAGE_SIZE_MAX && (n & (n - 1)) == 0;
}

/*
 * The page size that a file's header states is the traced machine's memory page in files of older
 * writers; header_page tells how large a sub-buffer is.
 */
static uint32_t settle_page_size(struct container *ct, uint32_t stated)
{
	uint64_t total = (uint64_t)ct->data_off + ct->data_size;

	if (page_size_ok(total) &&
	    (!page_size_ok(stated) || (stated == ct->page_size && total > stated)))
		return (uint32_t)total;
	if (page_size_ok(stated))
		return stated;
	return 4096;
}

static int by_offset(const void *a, const void *b)
{
	const struct cont_cpu *x = *(struct cont_cpu *const *)a, *y = *(struct cont_cpu *const *)b;

	return x->off < y->off ? -1 : x->off > y->off;
}

/*
 * Regions that overlap are corrupt: no byte of the file is read as events twice. An overlap of one
 * word comes from the doubt whether sizes of chunks include their count.
 */
static void drop_overlaps(struct container *ct)
{
	struct cont_cpu **v, *last = NULL;
	size_t n = 0, m = 0;
	uint64_t end = 0;

	for (size_t i = 0; i < ct->nbuffers; i++)
		n += ct->buffers[i].ncpus;
	v = ARENA_ARRAY(ct->arena, struct cont_cpu *, n ? n : 1);
	for (size_t i = 0; i < ct->nbuffers; i++) {
		struct cont_buffer *b = &ct->buffers[i];

		for (size_t k = 0; k < b->ncpus; k++) {
			if (b->cpus[k].size)
				v[m++] = &b->cpus[k];
		}
	}
	qsort(v, m, sizeof(*v), by_offset);
	for (size_t i = 0; i < m; i++) {
		if (last && end - v[i]->off == 4 && last->size > 4) {
			last->size -= 4;
		} else if (v[i]->off < end) {
			cont_wrong(ct, "the data of cpu %d overlap others", v[i]->cpu);
			ct->cut_bytes += v[i]->size;
			v[i]->size = 0;
			continue;
		}
		last = v[i];
		end = last->off + last->size;
	}
}

/* the statistics of one cpu to where its data are; mostly a cpu's number is its place, too */
static void apply_stat(struct cont_buffer *b, const struct cont_stat *st)
{
	size_t j = (size_t)st->cpu;

	if (j >= b->ncpus || b->cpus[j].cpu != st->cpu) {
		for (j = 0; j < b->ncpus && b->cpus[j].cpu != st->cpu; j++)
			;
	}
	if (j < b->ncpus) {
		b->cpus[j].overrun = st->overrun;
		b->cpus[j].lost_at_end = st->dropped;
	}
}

static void apply_stats(struct container *ct)
{
	for (size_t i = 0; i < ct->nstats; i++) {
		for (size_t k = 0; k < ct->nbuffers; k++) {
			if (strcmp(ct->buffers[k].name, ct->stats[i].buffer) == 0) {
				apply_stat(&ct->buffers[k], &ct->stats[i]);
				break;
			}
		}
	}
}

static bool has_data(const struct container *ct)
{
	for (size_t i = 0; i < ct->nbuffers; i++) {
		for (size_t k = 0; k < ct->buffers[i].ncpus; k++) {
			if (ct->buffers[i].cpus[k].size)
				return true;
		}
	}
	return false;
}

/* order and check what was found; -1 when there is nothing to read events from */
static int finish(struct container *ct)
{
	size_t top = 0;

	while (top < ct->nbuffers && ct->buffers[top].name[0])
		top++;
	if (top == ct->nbuffers)
		cont_add_buffer(ct, ""); /* buffer 0 is the top one, even when it has no data */
	if (top) {
		struct cont_buffer b = ct->buffers[top];

		memmove(&ct->buffers[1], &ct->buffers[0], top * sizeof(b));
		ct->buffers[0] = b;
	}
	for (size_t i = 0; i < ct->nbuffers; i++) {
		struct cont_buffer *b = &ct->buffers[i];
		uint32_t stated = b->page_size;

		b->page_size = settle_page_size(ct, stated);
		ct->strange |= b->page_size != stated;
		for (size_t k = 0; k < b->ncpus; k++)
			ct->strange |= b->cpus[k].size && b->cpus[k].off % b->page_size;
	}
	ct->page_size = ct->buffers[0].page_size;
	drop_overlaps(ct);
	apply_stats(ct);
	if (ct->cut && !has_data(ct)) {
		ct->why = NULL; /* this outweighs what was found before */
		cont_wrong(ct, "it is cut or corrupt before its first data");
		return -1;
	}
	return ct->nformats ? 0 : -1;
}

static int parse(struct container *ct)
{
	struct cont_rd r = cont_rd_front(ct, 0);
	const uint8_t *p = cont_take(&r, sizeof(magic));
	const char *version;

	if (!p || memcmp(p, magic, sizeof(magic)) != 0) {
		cont_wrong(ct, "it is no trace.dat");
		return -1;
	}
	version = cont_str(&r, 8);
	p = version ? cont_take(&r, 2) : NULL;
	if (!p) {
		cont_wrong(ct, "it ends within its header");
		return -1;
	}
	ct->version = atoi(version);
	ct->file_big = p[0] == 1;
	ct->swap = ct->file_big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	r.swap = ct->swap;
	ct->long_size = p[1] == 4 ? 4 : 8;
	ct->strange |= p[0] > 1 || (p[1] != 4 && p[1] != 8);
	ct->page_size = cont_u32(&r);
	if (ct->version != 6 && ct->version != 7) {
		cont_wrong(ct, "it has version \"%.7s\", known are 6 and 7", version);
		return -1;
	}
	if (ct->version == 6 ? container_parse_v6(ct, &r) : container_parse_v7(ct, &r))
		return -1;
	return finish(ct);
}

struct container *container_open_fd(struct session *s, int fd, const char *path)
{
	struct container *ct = xcalloc(1, sizeof(*ct));
	struct stat st;
	void *front;

	ct->arena = arena_new();
	ct->refs = 1;
	ct->fd = fd;
	ct->path = arena_strdup(ct->arena, path);
	ct->stat_buffer = "";
	if (fstat(fd, &st)) {
		diag_error(s->diags, "refused", (struct span){0}, "cannot read \"%s\": %s", path,
			   strerror(errno));
		goto fail;
	}
	if (!S_ISREG(st.st_mode) || st.st_size <= 0) {
		diag_error(s->diags, "bad-file", (struct span){0}, "\"%s\" is %s", path,
			   S_ISREG(st.st_mode) ? "empty" : "not a regular file");
		goto fail;
	}
	ct->size = (uint64_t)st.st_size;
	ct->front_cap = (size_t)(ct->size < FRONT_MAX ? ct->size : FRONT_MAX);
	front = mmap(NULL, ct->front_cap, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (front == MAP_FAILED) {
		diag_error(s->diags, "refused", (struct span){0}, "no memory to read \"%s\"", path);
		goto fail;
	}
	ct->front = front;
	/* megabytes of formats at a fault each four kilobytes are the most of opening a file */
	madvise(front, ct->front_cap, MADV_HUGEPAGE);
	if (parse(ct)) {
		diag_error(s->diags, "bad-file", (struct span){0}, "cannot read \"%s\": %s", path,
			   ct->why ? ct->why : "it holds no event formats");
		goto fail;
	}
	return ct;
fail:
	container_put(ct);
	return NULL;
}

struct container *container_open(struct session *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0) {
		diag_error(s->diags, "refused", (struct span){0}, "cannot open \"%s\": %s", path,
			   strerror(errno));
		return NULL;
	}
	return container_open_fd(s, fd, path);
}
