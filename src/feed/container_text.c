/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a trace.dat that versions 6 and 7 share: header_page, event formats, options. Owns
 * how these are spelled; where they are in the file is the matter of container_v6.c and _v7.c.
 */
#include "feed/container.h"
#include "feed/page_step.h"

#include <errno.h>
#include <stdlib.h>

#define NAME_MAX_LEN 512

int cont_sized_text(struct cont_rd *r, bool wide, struct cont_text *out)
{
	uint64_t len = wide ? cont_u64(r) : cont_u32(r);
	const uint8_t *p = cont_take(r, len);

	if (!p)
		return -EINVAL;
	out->p = (const char *)p;
	out->len = (size_t)len;
	return 0;
}

/* number_after - the decimal behind @key between p and end; false when there is none */
static bool number_after(const char *p, const char *end, const char *key, uint32_t *v)
{
	size_t n = strlen(key);
	uint64_t x = 0;

	p = memmem(p, (size_t)(end - p), key, n);
	if (!p || p + n >= end || p[n] < '0' || p[n] > '9')
		return false;
	for (p += n; p < end && *p >= '0' && *p <= '9' && x < UINT32_MAX; p++)
		x = x * 10 + (uint64_t)(*p - '0');
	*v = (uint32_t)x;
	return x < UINT32_MAX;
}

/* page_field - offset and size of a field of header_page */
static bool page_field(struct cont_text t, const char *name, uint32_t *off, uint32_t *size)
{
	const char *p = t.p, *end = t.p + t.len;
	size_t n = strlen(name);

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *semi;

		if (!nl)
			nl = end;
		semi = memchr(p, ';', (size_t)(nl - p));
		if (semi && (size_t)(semi - p) > n && memcmp(semi - n, name, n) == 0 &&
		    semi[-1 - (ptrdiff_t)n] == ' ')
			return number_after(semi, nl, "offset:", off) &&
			       number_after(semi, nl, "size:", size);
		p = nl + 1;
	}
	return false;
}

static void page_layout(struct container *ct)
{
	struct cont_text t = ct->header_page;
	uint32_t size = 0;

	if (page_field(t, "commit", &ct->commit_off, &ct->commit_size) &&
	    page_field(t, "data", &ct->data_off, &size) && ct->commit_off >= 8 &&
	    ct->commit_off <= 64 && (ct->commit_size == 4 || ct->commit_size == 8) &&
	    ct->data_off >= ct->commit_off + ct->commit_size && ct->data_off <= 128) {
		ct->data_size = size;
		ct->long_size = ct->commit_size;
		return;
	}
	cont_wrong(ct, "its description of a page makes no sense");
	ct->commit_off = 8;
	ct->commit_size = ct->long_size;
	ct->data_off = 8 + ct->long_size;
	ct->data_size = 0;
}

int cont_header_info(struct container *ct, struct cont_rd *r)
{
	const uint8_t *p = cont_take(r, 12);
	struct cont_text event;

	if (!p || memcmp(p, "header_page", 12) != 0 || cont_sized_text(r, true, &ct->header_page))
		return -EINVAL;
	page_layout(ct);
	p = cont_take(r, 13);
	if (!p || memcmp(p, "header_event", 13) != 0 || cont_sized_text(r, true, &event))
		return -EINVAL;
	return 0;
}

bool cont_format_ok(struct cont_text t)
{
	if (!t.p || t.len < 16 || memcmp(t.p, "name: ", 6) != 0 ||
	    !memmem(t.p, t.len, "\nID: ", 5) || !memmem(t.p, t.len, "\nformat:\n", 9) ||
	    !memmem(t.p, t.len, "\nprint fmt: ", 12))
		return false;
	for (size_t i = 0; i < t.len; i++) {
		unsigned char c = (unsigned char)t.p[i];

		if ((c < 32 && c != '\n' && c != '\t') || c >= 127)
			return false;
	}
	return true;
}

static int formats(struct container *ct, struct cont_rd *r, const char *system, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct cont_format f = {.system = system};

		if (cont_sized_text(r, true, &f.text) || ct->nformats >= FORMATS_MAX)
			return -EINVAL;
		ARENA_PUSH(ct->arena, ct->formats, ct->nformats, f);
	}
	return 0;
}

int cont_ftrace_formats(struct container *ct, struct cont_rd *r)
{
	uint32_t n = cont_u32(r);

	return r->out ? -EINVAL : formats(ct, r, NULL, n);
}

int cont_event_formats(struct container *ct, struct cont_rd *r)
{
	uint32_t systems = cont_u32(r);

	for (uint32_t i = 0; i < systems; i++) {
		const char *name = cont_str(r, NAME_MAX_LEN);
		uint32_t n = cont_u32(r);

		if (!name || r->out || formats(ct, r, name, n))
			return -EINVAL;
	}
	return r->out ? -EINVAL : 0;
}

/* ---- options ---- */

/* option_text - the option's text without trailing NULs, newlines and blanks, in the arena */
static const char *option_text(struct container *ct, const uint8_t *p, uint32_t len)
{
	size_t n = strnlen((const char *)p, len);

	while (n && (unsigned char)p[n - 1] <= ' ')
		n--;
	return arena_strndup(ct->arena, (const char *)p, n);
}

/* clock_name - "local [mono] boot" or a single name */
static const char *clock_name(struct container *ct, const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	if (close)
		return arena_strndup(ct->arena, open + 1, (size_t)(close - open - 1));
	return *text && !strpbrk(text, " \t\n") ? text : NULL;
}

static uint64_t stat_number(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	unsigned long long v;

	if (!p)
		return 0;
	v = strtoull(p + strlen(key), NULL, 10);
	return v > INT64_MAX ? 0 : v;
}

/* the contents of per_cpu/cpuN/stats, or "Buffer: NAME" before those of an instance */
static void cpustat(struct container *ct, const char *text)
{
	struct cont_stat st = {.buffer = ct->stat_buffer};
	const char *p;

	while (*text == '\n')
		text++;
	if (strncmp(text, "Buffer: ", 8) == 0) {
		ct->stat_buffer = arena_strndup(ct->arena, text + 8, strcspn(text + 8, "\n"));
		return;
	}
	p = strstr(text, "CPU: ");
	if (!p)
		return;
	st.cpu = atoi(p + 5);
	st.overrun = stat_number(text, "\noverrun: ");
	st.dropped =
		stat_number(text, "\ndropped events: ") + stat_number(text, "\ncommit overrun: ");
	ARENA_PUSH(ct->arena, ct->stats, ct->nstats, st);
}

static void tsc2nsec(struct container *ct, const uint8_t *p, uint32_t len)
{
	if (len < 16)
		return;
	ct->tsc_mult = page_u32(p, ct->swap);
	ct->tsc_shift = page_u32(p + 4, ct->swap);
	ct->tsc_offset = page_u64(p + 8, ct->swap);
	ct->has_tsc2nsec = ct->tsc_mult != 0 && ct->tsc_shift < 64;
}

void cont_option(struct container *ct, unsigned id, const uint8_t *p, uint32_t len)
{
	switch (id) {
	case OPT_DATE: /* in microseconds, "0x..." */
		ct->ts_offset =
			(int64_t)((uint64_t)ct->ts_offset +
				  (uint64_t)strtoll(option_text(ct, p, len), NULL, 0) * 1000);
		break;
	case OPT_OFFSET:
		ct->ts_offset = (int64_t)((uint64_t)ct->ts_offset +
					  (uint64_t)strtoll(option_text(ct, p, len), NULL, 0));
		break;
	case OPT_CPUSTAT: cpustat(ct, option_text(ct, p, len)); break;
	case OPT_TRACECLOCK: ct->clock = clock_name(ct, option_text(ct, p, len)); break;
	case OPT_UNAME: ct->uname = option_text(ct, p, len); break;
	case OPT_VERSION: ct->tool = option_text(ct, p, len); break;
	case OPT_CPUCOUNT:
		if (len >= 4)
			ct->cpu_count = page_u32(p, ct->swap);
		break;
	case OPT_TSC2NSEC: tsc2nsec(ct, p, len); break;
	default: break; /* not ours to know */
	}
}
