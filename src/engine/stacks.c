/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of stacks that were seen, by their addresses. Knows no events. */
#include "engine/stacks.h"

#include "base/arena.h"
#include "base/buf.h"
#include "engine/code.h"
#include "engine/tab.h"

#include <stdlib.h>

#define MAX_BYTES ((size_t)64 << 20)
#define MAX_FRAMES 256u
#define TRAMPOLINE 0x7fffffffu /* the kernel's mark of code that it made at run time */

struct known {
	struct ent ent;
	const char *p;
	uint32_t len;
};

/* what makes two stacks the same */
struct stackkey {
	uint32_t origin, tgid, max, unused;
	uint64_t addr[MAX_FRAMES];
};

struct stacktab {
	struct mem mem;
	struct tab tab;
	struct pool texts;
	struct buf b;
};

struct stacktab *stacks_new(void)
{
	struct stacktab *t = xcalloc(1, sizeof(*t));

	t->mem.max = MAX_BYTES;
	t->texts.m = &t->mem;
	tab_init(&t->tab, &t->mem, sizeof(struct known) - sizeof(struct ent), true);
	return t;
}

void stacks_free(struct stacktab *t)
{
	if (!t)
		return;
	tab_clear(&t->tab);
	pool_clear(&t->texts);
	buf_free(&t->b);
	free(t);
}

static uint64_t word(const struct origin *o, const uint8_t *p)
{
	uint64_t u;
	uint32_t w;

	if (o->long_size == 4) {
		memcpy(&w, p, 4);
		return o->big_endian ? bswap_32(w) : w;
	}
	memcpy(&u, p, 8);
	return o->big_endian ? bswap_64(u) : u;
}

/* The addresses up to the end mark: 0, or all bits set in older kernels. */
static unsigned addresses(const struct origin *o, const struct rec_frames *f, uint64_t *out)
{
	unsigned n = 0, size = o->long_size == 4 ? 4 : 8;
	uint64_t end = size == 4 ? UINT32_MAX : UINT64_MAX;

	for (; n < f->n && n < MAX_FRAMES; n++) {
		out[n] = word(o, f->p + (size_t)n * size);
		if (!out[n] || out[n] == end)
			break;
	}
	return n;
}

/* the innermost frames are of the tracing itself */
static bool of_tracing(const char *name)
{
	static const char *const starts[] = {
		"trace_event_raw_event_",    "trace_event_buffer_commit", "__traceiter_",
		"ftrace_syscall_",           "event_triggers_post_call",  "perf_syscall_",
		"function_stack_trace_call",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (strncmp(name, starts[i], strlen(starts[i])) == 0)
			return true;
	}
	return false;
}

/* Outer frames are return addresses: one that follows the last call of a function that does not
 * return belongs to the function before it. */
static const char *kernel_name(struct origin *o, uint64_t addr, bool outer)
{
	const char *name;
	uint64_t off;

	if (addr == TRAMPOLINE)
		return "[trampoline]";
	return origin_ksym(o, addr - outer, &name, &off) ? name : NULL;
}

static void kernel_stack(struct buf *b, struct origin *o, const uint64_t *addr, unsigned n,
			 uint32_t max)
{
	const char *name;
	unsigned i = 0;

	while (i + 1 < n && (name = kernel_name(o, addr[i], i > 0)) && of_tracing(name))
		i++;
	for (unsigned left = max ? max : n; i < n && left > 0; i++, left--) {
		name = kernel_name(o, addr[i], i > 0);
		if (name)
			buf_printf(b, "%s;", name);
		else
			buf_printf(b, "0x%llx;", (unsigned long long)addr[i]);
	}
}

static void user_stack(struct buf *b, const uint64_t *addr, unsigned n, uint32_t max)
{
	for (unsigned i = 0; i < n && (!max || i < max); i++)
		buf_printf(b, "0x%llx;", (unsigned long long)addr[i]);
}

struct val stacks_text(struct stacktab *t, const struct rec *r, bool user, uint32_t max,
		       struct scratch *s)
{
	const struct rec_frames *f = user ? r->ustack : r->kstack;
	struct stackkey key;
	struct known *k;
	uint32_t bytes;
	uint64_t hash;
	unsigned n;

	if (!t || !f)
		return val_null();
	n = addresses(r->origin, f, key.addr);
	if (!n)
		return val_null();
	key.origin = r->origin->index << 1 | user;
	key.tgid = (uint32_t)f->tgid;
	key.max = max;
	key.unused = 0;
	bytes = (uint32_t)(offsetof(struct stackkey, addr) + n * sizeof(*key.addr));
	hash = tab_hash_bytes(&key, bytes);
	k = (struct known *)tab_find_bytes(&t->tab, &key, bytes, hash);
	if (k && k->p)
		return (struct val){.p = k->p, .len = k->len};
	buf_clear(&t->b);
	if (user)
		user_stack(&t->b, key.addr, n, max);
	else
		kernel_stack(&t->b, r->origin, key.addr, n, max);
	t->b.len--; /* the last semicolon */
	if (!k)
		k = (struct known *)tab_add_bytes(&t->tab, &key, bytes, hash, false);
	if (k)
		k->p = pool_copy(&t->texts, t->b.p, t->b.len);
	if (!k || !k->p)
		return val_text(s, t->b.p, t->b.len);
	k->len = (uint32_t)t->b.len;
	return (struct val){.p = k->p, .len = k->len};
}
