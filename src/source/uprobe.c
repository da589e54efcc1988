/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * uprobe: and uretprobe: functions of programs and libraries by name, pattern, offset or address,
 * and what to say of names that stand for nothing that can be probed.
 */
#include "source/ufile.h"

#include "base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GLOB_MAX 500
#define NEAR_MAX 200000

static const struct fetch_target at_entry = {
	.what = "a uprobe", .user = true, .regs = true, .stack = true, .argument = ucall_arg};
static const struct fetch_target behind = {
	.what = "a uprobe behind a function's beginning",
	.user = true,
	.regs = true,
	.stack = true,
	.no_args = "registers may hold something else there; reg(NAME) reads one"};
static const struct fetch_target at_exit = {
	.what = "a uretprobe",
	.user = true,
	.regs = true,
	.stack = true,
	.retval = true,
	.no_args = "arguments are gone when a function returns: take them with "
		   "uprobe:... -> uretprobe:... on tid"};

/* ---- names ---- */

struct near {
	struct checker *ck;
	const char *want;
	size_t len;
	const char **v;
	size_t n;
};

/* Only names that begin alike: there may be a million */
static bool add_near(void *arg, const struct elf_func *f)
{
	struct near *q = arg;
	size_t n = strlen(f->name);

	if (n + 3 > q->len && n < q->len + 4 && *f->name == *q->want)
		ARENA_PUSH(q->ck->a, q->v, q->n, arena_strdup(q->ck->a, f->name));
	return q->n > NEAR_MAX;
}

static void no_symbol(struct checker *ck, const struct ufile *u, const char *name, struct span at)
{
	struct near q = {.ck = ck, .want = name, .len = strlen(name)};
	struct diag *g = diag_error(ck->d, "unknown-symbol", at, "'%s' has no function '%s'",
				    u->written, name);

	elf_each(u->elf, add_near, &q);
	if (!diag_nearest(ck->d, g, name, q.v, q.n))
		diag_hint(ck->d, g, "%s",
			  elf_stripped(u->elf)
				  ? "the file is stripped: only what other files are linked to "
				    "has a name; FILE:0xADDRESS needs none"
				  : "it may have been inlined; FILE:0xADDRESS needs no name");
}

static void several(struct checker *ck, const struct ufile *u, const struct elf_symbols *s,
		    const char *name, struct span at)
{
	struct diag *g = diag_error(ck->d, "unknown-symbol", at,
				    "%u functions of '%s' are called '%s'", s->n, u->written, name);
	struct buf b = {0};

	for (unsigned i = 0; i < s->n && i < ELF_ADDRS; i++)
		buf_printf(&b, "%s0x%llx", i ? ", " : "", (unsigned long long)s->addrs[i]);
	g->note = arena_printf(ck->a, "they are at %s%s", buf_str(&b),
			       s->n > ELF_ADDRS ? " ..." : "");
	diag_hint(ck->d, g, "FILE:0x%llx means the first of them", (unsigned long long)s->addrs[0]);
	buf_free(&b);
}

static int look_up(struct checker *ck, const struct ufile *u, const char *name, struct span at,
		   struct elf_func *f)
{
	struct elf_symbols s;
	struct diag *g;

	switch (elf_find(u->elf, name, &s)) {
	case ELF_FOUND: *f = s.f; return 0;
	case ELF_MANY: several(ck, u, &s, name, at); break;
	case ELF_NONE: no_symbol(ck, u, name, at); break;
	case ELF_IMPORTED:
		g = diag_error(ck->d, "unknown-symbol", at, "'%s' only calls '%s'", u->written,
			       name);
		diag_hint(ck->d, g, "the function is in a library: name that as the file");
		break;
	case ELF_CHOSEN:
		g = diag_error(ck->d, "unknown-symbol", at,
			       "which function '%s' is gets chosen when a program starts", name);
		diag_hint(ck->d, g,
			  "probe the one that is chosen by its own name or address; the "
			  "chooser itself is at 0x%llx",
			  (unsigned long long)s.addrs[0]);
		break;
	case ELF_DATA:
		diag_error(ck->d, "unknown-symbol", at, "'%s' is no function of '%s'", name,
			   u->written);
		break;
	}
	return -1;
}

/* ---- offsets ---- */

static int within(struct checker *ck, const struct ufile *u, const struct elf_func *f,
		  uint64_t addr, struct span at)
{
	uint64_t lo = 0, hi = 0;
	struct diag *g;

	if (f->size && addr - f->addr >= f->size) {
		g = diag_error(ck->d, "bad-value", at, "'%s' is only %llu bytes long", f->name,
			       (unsigned long long)f->size);
		diag_hint(ck->d, g, "an address can be given as well: FILE:0x%llx",
			  (unsigned long long)addr);
		return -1;
	}
	switch (elf_at_insn(u->elf, f->addr, addr, &lo, &hi)) {
	case ELF_INSN_BEGIN: return 0;
	case ELF_INSN_INSIDE:
		g = diag_error(ck->d, "bad-value", at, "there is no instruction at %s+0x%llx",
			       f->name, (unsigned long long)(addr - f->addr));
		g->note = arena_printf(ck->a,
				       "a probe inside an instruction would break the program");
		diag_hint(ck->d, g, "instructions begin at +0x%llx and +0x%llx",
			  (unsigned long long)(lo - f->addr), (unsigned long long)(hi - f->addr));
		return -1;
	case ELF_INSN_UNKNOWN: break;
	}
	g = diag_error(ck->d, "bad-value", at,
		       "it cannot be told whether an instruction of %s begins at %s+0x%llx",
		       elf_cpu_name(u->elf), f->name, (unsigned long long)(addr - f->addr));
	diag_hint(ck->d, g, "a probe inside an instruction would break the program");
	return -1;
}

/* FILE:0xADDR */
static int by_address(struct checker *ck, const struct ufile *u, uint64_t addr, struct span at,
		      struct elf_func *f)
{
	uint64_t off;
	struct diag *g;

	if (!elf_offset(u->elf, addr, true, &off)) {
		g = diag_error(ck->d, "bad-value", at, "'%s' has no code at 0x%llx", u->written,
			       (unsigned long long)addr);
		diag_hint(ck->d, g, "addresses are those that nm and objdump show");
		return -1;
	}
	if (!elf_around(u->elf, addr, f)) {
		g = diag_warn(ck->d, "bad-value", at,
			      "no function is known before 0x%llx, so it cannot be told whether an "
			      "instruction begins there",
			      (unsigned long long)addr);
		(void)g;
		*f = (struct elf_func){.name = "", .addr = addr};
		return 0;
	}
	return within(ck, u, f, addr, at);
}

/* ---- sources ---- */

struct ask {
	const struct node *n;
	const struct ufile *u;
	enum probe_kind kind;
	struct span at;
};

static int add(struct checker *ck, struct src *src, const struct ask *q, const char *what,
	       uint64_t addr, bool entry)
{
	const struct fetch_target *t = q->kind == PROBE_URETPROBE ? &at_exit
				       : entry                    ? &at_entry
								  : &behind;

	return ufile_add(ck, src, q->n, q->u, addr, ufile_event(ck, q->u->written, what), t, NULL,
			 q->at);
}

static int parse_number(const char *s, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(s, &end, 0);
	return errno || *end || end == s || *s == '-' || *s == '+' ? -1 : 0;
}

/* What of it the event is named after, live and over a file */
static const char *event_part(struct checker *ck, const char *sym)
{
	const char *plus = strchr(sym, '+'), *at = strchr(sym, '@');
	uint64_t off = 0;

	if (plus && parse_number(plus + 1, &off) == 0)
		return arena_printf(ck->a, off ? "%.*s_0x%llx" : "%.*s", (int)(plus - sym), sym,
				    (unsigned long long)off);
	return at ? arena_strndup(ck->a, sym, (size_t)(at - sym)) : sym;
}

static int add_one(struct checker *ck, struct src *src, const struct ask *q, const char *sym)
{
	const char *plus = strchr(sym, '+');
	struct elf_func f;
	uint64_t off = 0, addr;
	struct diag *g;

	if (*sym >= '0' && *sym <= '9' && parse_number(sym, &addr) == 0) {
		if (by_address(ck, q->u, addr, q->at, &f))
			return -1;
	} else {
		if (plus && parse_number(plus + 1, &off)) {
			diag_error(ck->d, "bad-number", q->at, "'%s' is no offset into a function",
				   plus);
			return -1;
		}
		if (look_up(ck, q->u, plus ? arena_strndup(ck->a, sym, (size_t)(plus - sym)) : sym,
			    q->at, &f))
			return -1;
		if (off > UINT64_MAX - f.addr) {
			diag_error(ck->d, "bad-number", q->at, "'%s' is no offset into a function",
				   plus);
			return -1;
		}
		addr = f.addr + off;
		if (off && within(ck, q->u, &f, addr, q->at))
			return -1;
	}
	if (addr != f.addr && q->kind == PROBE_URETPROBE) {
		g = diag_error(ck->d, "bad-arguments", q->at,
			       "a return is seen from the beginning of a function only");
		diag_hint(ck->d, g, "leave out the offset");
		return -1;
	}
	return add(ck, src, q, event_part(ck, sym), addr, addr == f.addr);
}

struct globbed {
	struct checker *ck;
	const char *pattern;
	struct elf_func *v;
	size_t n;
};

static bool one_function(void *arg, const struct elf_func *f)
{
	struct globbed *g = arg;
	struct elf_func own = *f;

	own.name = event_part(g->ck, f->name);
	if (!io_glob(g->pattern, own.name))
		return false;
	for (size_t i = 0; i < g->n; i++) {
		if (g->v[i].addr == f->addr)
			return false;
	}
	own.name = arena_strdup(g->ck->a, own.name);
	ARENA_PUSH(g->ck->a, g->v, g->n, own);
	return g->n > GLOB_MAX;
}

static int add_glob(struct checker *ck, struct src *src, const struct ask *q, const char *pattern)
{
	struct globbed all = {.ck = ck, .pattern = pattern};
	struct diag *g;

	elf_each(q->u->elf, one_function, &all);
	if (all.n > GLOB_MAX) {
		g = diag_error(ck->d, "unknown-symbol", q->at, "more than %d functions match '%s'",
			       GLOB_MAX, pattern);
		diag_hint(ck->d, g, "each becomes an event of its own");
		return -1;
	}
	if (all.n == 0) {
		diag_error(ck->d, "unknown-symbol", q->at, "no function of '%s' matches '%s'",
			   q->u->written, pattern);
		return -1;
	}
	for (size_t i = 0; i < all.n; i++) {
		if (add(ck, src, q, all.v[i].name, all.v[i].addr, true))
			return -1;
	}
	return 0;
}

static struct src *check(struct checker *ck, const struct node *n, enum probe_kind kind)
{
	struct ask q = {.n = n, .kind = kind};
	struct ufile *u = ARENA_NEW(ck->a, struct ufile);
	const char *target = probe_target(ck, n, &q.at), *file, *sym;
	struct src *src;
	int rc;

	q.u = u;
	if (!target || ufile_split(ck, n, target, q.at, &file, &sym))
		return NULL;
	if (probe_recorded(ck))
		return probe_find(ck, n, kind, ufile_event(ck, file, event_part(ck, sym)), true);
	if (probe_needs(ck, n, CAP_UPROBES) || ufile_open(ck, u, file, q.at))
		return NULL;
	if (q.at.len == strlen(target)) { /* the symbol alone */
		q.at.off += (uint32_t)strlen(file) + 1;
		q.at.len = (uint32_t)strlen(sym);
	}
	src = probe_src(ck, n, kind);
	rc = io_has_glob(sym) ? add_glob(ck, src, &q, sym) : add_one(ck, src, &q, sym);
	elf_close(u->elf);
	return rc ? NULL : src;
}

static struct src *check_entry(struct checker *ck, const struct node *n)
{
	return check(ck, n, PROBE_UPROBE);
}

static struct src *check_exit(struct checker *ck, const struct node *n)
{
	return check(ck, n, PROBE_URETPROBE);
}

const struct source_kind source_uprobe = {
	.name = "uprobe",
	.usage = "uprobe:FILE:FUNC[+OFF](NAME = FETCH, ...)",
	.brief = "an event at a function of a program or library",
	.help = "FILE is a path, or a bare name that is looked for in PATH and among the "
		"libraries. "
		"FUNC comes from\n"
		"its symbols and may be a pattern; FUNC+OFF must be the beginning of an "
		"instruction; 0xADDRESS is one\n"
		"as objdump shows it. arg1 .. argN follow the calling convention, ustr(arg1) is a "
		"string.\n"
		"  uprobe:/bin/bash:readline | count by pid\n"
		"  uprobe:libc.so.6:getenv(name = ustr(arg1)) | count by name",
	.check = check_entry,
};

const struct source_kind source_uretprobe = {
	.name = "uretprobe",
	.usage = "uretprobe:FILE:FUNC(NAME = FETCH, ...)",
	.brief = "an event where a function of a program or library returns",
	.help = "retval is what it returns.\n"
		"  uretprobe:/bin/bash:readline(line = ustr(retval)) | print comm, line\n"
		"  uprobe:libc.so.6:malloc(n = arg1) -> uretprobe:libc.so.6:malloc on tid | hist "
		"delta",
	.check = check_exit,
};
