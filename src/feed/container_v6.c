/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.dat version 6: one sequence of metadata from the start of the file, then a table of where
 * each CPU's pages are; instances have tables of their own. Knows nothing of version 7.
 */
#include "feed/container.h"
#include "feed/page_step.h"

#include <errno.h>
#include <stdlib.h>

#define MAX_INSTANCES 1024
#define MAX_CPUS 65536

struct instance {
	uint64_t off;
	const char *name;
};

struct v6 {
	struct container *ct;
	struct instance *inst;
	size_t ninst;
};

static void option_buffer(struct v6 *v, const uint8_t *p, uint32_t len)
{
	struct instance in;

	if (len < 9 || v->ninst >= MAX_INSTANCES) {
		cont_wrong(v->ct, "the place of a buffer instance cannot be read");
		return;
	}
	in.off = page_u64(p, v->ct->swap);
	in.name = arena_strndup(v->ct->arena, (const char *)p + 8,
				strnlen((const char *)p + 8, len - 8));
	if (!*in.name) /* the name of the top buffer, which has its own table */
		in.name = "(unnamed)";
	ARENA_PUSH(v->ct->arena, v->inst, v->ninst, in);
}

/* options up to the end mark */
static int options(struct v6 *v, struct cont_rd *r)
{
	for (;;) {
		uint16_t id = cont_u16(r);
		uint32_t len;
		const uint8_t *p;

		if (r->out)
			return -EINVAL;
		if (id == OPT_DONE)
			return 0;
		len = cont_u32(r);
		p = cont_take(r, len);
		if (!p || ++v->ct->noptions > OPTIONS_MAX)
			return -EINVAL;
		if (id == OPT_BUFFER)
			option_buffer(v, p, len);
		else
			cont_option(v->ct, id, p, len);
	}
}

/* "options  " any number of times, then "flyrecord" or "latency  ": 1 for pages, 0 for text */
static int data_kind(struct v6 *v, struct cont_rd *r)
{
	for (;;) {
		const char *p = (const char *)cont_take(r, 10);

		if (!p)
			return -EINVAL;
		if (memcmp(p, "flyrecord", 10) == 0)
			return 1;
		if (memcmp(p, "latency  ", 10) == 0)
			return 0;
		if (memcmp(p, "options  ", 10) != 0 || options(v, r))
			return -EINVAL;
	}
}

static int cpu_table(struct container *ct, struct cont_rd *r, struct cont_buffer *b, uint32_t ncpus)
{
	for (uint32_t i = 0; i < ncpus; i++) {
		uint64_t off = cont_u64(r), size = cont_u64(r);

		if (r->out) {
			cont_wrong(ct, "it ends within the table of cpus");
			return -EINVAL;
		}
		cont_add_cpu(ct, b, (int)i, off, size);
	}
	return 0;
}

/* Behind the table follows the clock's name where there is an option for it; only others read it.
 */
static void check_clock(struct container *ct, struct cont_rd *r)
{
	uint64_t len = ct->clock ? cont_u64(r) : 0;
	const char *p = len && len < 4096 ? (const char *)cont_take(r, len) : NULL;

	if (ct->clock && (!p || !memchr(p, '[', (size_t)len) || !memchr(p, ']', (size_t)len)))
		ct->strange = true;
}

/* An instance: at its offset options, then a table like the top one's. */
static void instance(struct v6 *v, const struct instance *in, uint32_t ncpus)
{
	struct container *ct = v->ct;
	size_t want = 4096 + (size_t)ncpus * 16;
	struct cont_rd r;
	struct v6 sub = {.ct = ct};
	uint32_t count = ct->cpu_count;
	uint8_t *p = NULL;
	int64_t got = -1;

	if (in->off < ct->size) {
		if (want > ct->size - in->off)
			want = (size_t)(ct->size - in->off);
		p = malloc(want);
		got = p ? container_pread(ct, p, want, in->off) : -1;
	}
	if (got <= 0) {
		cont_wrong(ct, "buffer \"%.40s\" lies beyond its end", in->name);
		goto out;
	}
	r = cont_rd_block(ct, p, (uint64_t)got);
	if (data_kind(&sub, &r) != 1) {
		cont_wrong(ct, "buffer \"%.40s\" has no table of cpus", in->name);
		goto out;
	}
	if (ct->cpu_count != count && ct->cpu_count <= ncpus)
		ncpus = ct->cpu_count; /* an instance with another number of cpus */
	ct->cpu_count = count;
	if (!cpu_table(ct, &r, cont_add_buffer(ct, in->name), ncpus))
		check_clock(ct, &r);
out:
	free(p);
}

/* the largest piece of most files, which few need */
static int kallsyms(struct container *ct, struct cont_rd *r)
{
	uint64_t len = cont_u32(r);

	ct->kallsyms.p = (const char *)r->base + r->pos;
	ct->kallsyms_off = r->pos;
	if (!cont_pass(r, len))
		return -EINVAL;
	ct->kallsyms.len = (size_t)len;
	return 0;
}

static int metadata(struct container *ct, struct cont_rd *r)
{
	if (cont_header_info(ct, r) || cont_ftrace_formats(ct, r) || cont_event_formats(ct, r) ||
	    kallsyms(ct, r) || cont_sized_text(r, false, &ct->printk) ||
	    cont_sized_text(r, true, &ct->cmdlines))
		return -EINVAL;
	return 0;
}

int container_parse_v6(struct container *ct, struct cont_rd *r)
{
	struct v6 v = {.ct = ct};
	uint32_t ncpus;
	int kind;

	if (metadata(ct, r)) {
		ct->why = NULL; /* this outweighs what was found before */
		cont_wrong(ct, "it is cut or corrupt before its first data");
		return -EINVAL;
	}
	ncpus = cont_u32(r);
	kind = data_kind(&v, r);
	if (kind <= 0) {
		ct->why = NULL;
		cont_wrong(ct, kind == 0 ? "it holds the text of a latency tracer, no events"
					 : "it is cut or corrupt before its first data");
		return -EINVAL;
	}
	if (ct->cpu_count && ct->cpu_count != ncpus && ct->cpu_count <= cont_left(r) / 16)
		ncpus = ct->cpu_count; /* what writers of later days mean */
	if (ncpus > cont_left(r) / 16 || ncpus > MAX_CPUS) {
		cont_wrong(ct, "its number of cpus, %u, is beyond what it can hold", ncpus);
		return -EINVAL;
	}
	if (!cpu_table(ct, r, cont_add_buffer(ct, ""), ncpus))
		check_clock(ct, r);
	else if (!ct->buffers[0].ncpus)
		return -EINVAL;
	for (size_t i = 0; i < v.ninst; i++)
		instance(&v, &v.inst[i], ncpus);
	return 0;
}
