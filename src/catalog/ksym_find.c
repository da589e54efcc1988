/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the kernel by name, over the text of kallsyms: how many there are, and what a name
 * that is not there may have become. */
#include "catalog/internal.h"

#include "base/io.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 255

/* Calls @fn for the name of each function; stops when it returns true. False: no symbols here. */
static bool each_function(struct origin *o, bool (*fn)(void *arg, const char *name, size_t n),
			  void *arg)
{
	size_t len = 0;
	const char *text = origin_text(o, OT_KALLSYMS, &len);

	for (size_t i = 0; text && i < len;) {
		const char *line = text + i, *nl = memchr(line, '\n', len - i), *type, *end;
		size_t n = nl ? (size_t)(nl - line) : len - i;

		i += n + 1;
		type = memchr(line, ' ', n);
		if (!type || n - (size_t)(type - line) < 4 || type[2] != ' ' ||
		    !strchr("tTwW", type[1]))
			continue;
		type += 3;
		end = type;
		while (end < line + n && *end != '\t' && *end != ' ')
			end++;
		if (end > type && end - type <= NAME_MAX_LEN && fn(arg, type, (size_t)(end - type)))
			break;
	}
	return text && len;
}

struct counting {
	const char *name;
	size_t len;
	unsigned n;
};

static bool count(void *arg, const char *name, size_t n)
{
	struct counting *c = arg;

	c->n += n == c->len && memcmp(name, c->name, n) == 0;
	return false;
}

bool origin_ksym_count(struct origin *o, const char *name, unsigned *n)
{
	struct counting c = {name, strlen(name), 0};
	bool known = each_function(o, count, &c);

	*n = c.n;
	return known;
}

/* ---- what it may have become ---- */

struct nearing {
	const char *name;
	size_t len;
	const char *call; /* behind sys_, or NULL */
	char syscall[256], variant[256];
	const char **near;
	size_t nnear;
	struct arena *a;
};

static const char *call_of(const char *name)
{
	static const char *const heads[] = {"sys_", "SyS_", "__se_sys_", "__do_sys_", "ksys_"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (strncmp(name, heads[i], strlen(heads[i])) == 0)
			return name + strlen(heads[i]);
	}
	return NULL;
}

static bool is_call(const char *name, size_t n, const char *call)
{
	static const char *const heads[] = {"__x64_sys_",   "__arm64_sys_", "__riscv_sys_",
					    "__s390x_sys_", "__ia32_sys_",  "__se_sys_"};
	size_t len = strlen(call);

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		size_t h = strlen(heads[i]);

		if (n == h + len && memcmp(name, heads[i], h) == 0 &&
		    memcmp(name + h, call, len) == 0)
			return true;
	}
	return false;
}

static bool look(void *arg, const char *name, size_t n)
{
	struct nearing *s = arg;

	/* the native one before those of other bitnesses */
	if (s->call && (!s->syscall[0] || strncmp(s->syscall, "__x64", 5) != 0) &&
	    (!s->syscall[0] || strncmp(name, "__se_", 5) != 0) && is_call(name, n, s->call)) {
		memset(s->syscall, 0, sizeof(s->syscall));
		memcpy(s->syscall, name, n);
	}
	if (n > s->len + 1 && name[s->len] == '.' && memcmp(name, s->name, s->len) == 0 &&
	    (!s->variant[0] || strstr(s->variant, ".cold"))) {
		memset(s->variant, 0, sizeof(s->variant));
		memcpy(s->variant, name, n);
	}
	/* the rest only where it begins alike: there are hundreds of thousands */
	if (n >= 3 && s->len >= 3 && memcmp(name, s->name, 3) == 0 && n + 3 > s->len &&
	    n < s->len + 4)
		ARENA_PUSH(s->a, s->near, s->nnear, arena_strndup(s->a, name, n));
	return false;
}

int origin_ksym_near(struct origin *o, const char *name, struct ksym_near *out)
{
	struct nearing s = {.name = name, .len = strlen(name), .call = call_of(name)};
	int i;

	s.a = arena_new();
	memset(out, 0, sizeof(*out));
	each_function(o, look, &s);
	if (s.syscall[0]) {
		out->how = KSYM_SYSCALL;
		strcpy(out->name, s.syscall);
	} else if (s.variant[0]) {
		out->how = KSYM_VARIANT;
		strcpy(out->name, s.variant);
	} else if ((i = text_nearest(name, s.near, s.nnear)) >= 0) {
		out->how = KSYM_NEAR;
		strcpy(out->name, s.near[i]);
	}
	arena_free(s.a);
	return out->name[0] ? 0 : -1;
}

/* ---- functions that may not be probed ---- */

bool origin_kprobe_blacklisted(struct origin *o, const char *name)
{
	struct text *t = &o->priv->blacklist;
	size_t len = strlen(name);

	if (!t->tried) {
		struct buf path = {0}, b = {0};

		t->tried = true;
		if (o->kind == ORIGIN_LIVE)
			buf_puts(&path, "/sys/kernel/debug/kprobes/blacklist");
		else
			buf_printf(&path, "%s/kprobes_blacklist", o->path);
		if (io_read_file(path.p, &b, 4 << 20) == 0 && b.len) {
			t->p = arena_strndup(o->priv->c->arena, b.p, b.len);
			t->len = b.len;
		}
		buf_free(&path);
		buf_free(&b);
	}
	/* "0xADDR-0xADDR\tNAME" lines */
	for (const char *p = t->p; p && (p = strstr(p, name)) != NULL; p += len) {
		if (p > t->p && (p[-1] == '\t' || p[-1] == ' ') && (p[len] == '\n' || !p[len]))
			return true;
	}
	return false;
}
