/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BTF format: a header, types one after another, strings. Knows nothing of probes. */
#include "catalog/btf.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0xeb9f
#define CHAIN 64               /* typedefs and qualifiers on each other */
#define NEST 16                /* structures within structures */
#define MEMBERS_MAX (1u << 20) /* looked at for one name */
#define TYPES_MAX (8u << 20)

enum {
	K_INT = 1,
	K_PTR,
	K_ARRAY,
	K_STRUCT,
	K_UNION,
	K_ENUM,
	K_FWD,
	K_TYPEDEF,
	K_VOLATILE,
	K_CONST,
	K_RESTRICT,
	K_FUNC,
	K_FUNC_PROTO,
	K_VAR,
	K_DATASEC,
	K_FLOAT,
	K_DECL_TAG,
	K_TYPE_TAG,
	K_ENUM64,
};

struct header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len, type_off, type_len, str_off, str_len;
};

/* what each type begins with */
struct type {
	uint32_t name, info, size; /* size, or the type it refers to */
};

struct btf {
	char *data;
	const char *strings;
	uint32_t nstrings;
	const char *types;
	uint32_t *at; /* offset of each type; [0] is void */
	uint32_t n;   /* types, void included */
};

static struct type head(const struct btf *b, uint32_t id)
{
	struct type t = {0};

	if (id && id < b->n)
		memcpy(&t, b->types + b->at[id], sizeof(t));
	return t;
}

static unsigned kind_of(const struct type *t)
{
	return t->info >> 24 & 0x1f;
}

static uint32_t vlen(const struct type *t)
{
	return t->info & 0xffff;
}

static bool kind_flag(const struct type *t)
{
	return t->info >> 31;
}

static const char *string(const struct btf *b, uint32_t off)
{
	return off < b->nstrings ? b->strings + off : "";
}

/* the words behind a type's head */
static uint32_t word(const struct btf *b, uint32_t id, uint32_t i)
{
	uint32_t v;

	memcpy(&v, b->types + b->at[id] + sizeof(struct type) + (size_t)i * 4, 4);
	return v;
}

/* bytes behind the head of a type; -1: a kind that we do not know */
static long behind(const struct type *t)
{
	long n = vlen(t);

	switch (kind_of(t)) {
	case K_INT:
	case K_VAR:
	case K_DECL_TAG: return 4;
	case K_ARRAY: return 12;
	case K_STRUCT:
	case K_UNION:
	case K_DATASEC:
	case K_ENUM64: return 12 * n;
	case K_ENUM:
	case K_FUNC_PROTO: return 8 * n;
	case K_PTR:
	case K_FWD:
	case K_TYPEDEF:
	case K_VOLATILE:
	case K_CONST:
	case K_RESTRICT:
	case K_FUNC:
	case K_FLOAT:
	case K_TYPE_TAG: return 0;
	default: return -1;
	}
}

static int index_types(struct btf *b, uint32_t len, const char **why)
{
	uint32_t cap = 4096, off = 0;

	b->at = xmalloc(cap * sizeof(*b->at));
	b->at[0] = 0;
	b->n = 1;
	while (off < len) {
		struct type t;
		long more;

		if (len - off < sizeof(t)) {
			*why = "it is cut in the middle of a type";
			return -1;
		}
		memcpy(&t, b->types + off, sizeof(t));
		more = behind(&t);
		if (more < 0) {
			*why = "it holds a kind of type that is not known";
			return -1;
		}
		if ((uint32_t)more > len - off - sizeof(t) || b->n >= TYPES_MAX) {
			*why = "it is cut in the middle of a type";
			return -1;
		}
		if (b->n == cap) {
			cap *= 2;
			b->at = xrealloc(b->at, cap * sizeof(*b->at));
		}
		b->at[b->n++] = off;
		off += (uint32_t)sizeof(t) + (uint32_t)more;
	}
	return 0;
}

static bool within(size_t len, uint64_t base, uint32_t off, uint32_t n)
{
	return base + off + n <= len;
}

struct btf *btf_parse(void *data, size_t len, const char **why)
{
	struct btf *b = xcalloc(1, sizeof(*b));
	struct header h = {0};

	b->data = data;
	if (len >= sizeof(h))
		memcpy(&h, data, sizeof(h));
	if (h.magic == 0x9feb)
		*why = "it is of a machine of the other byte order";
	else if (h.magic != MAGIC || h.version != 1)
		*why = "it is no BTF";
	else if (h.hdr_len < sizeof(h) || h.hdr_len > len ||
		 !within(len, h.hdr_len, h.type_off, h.type_len) ||
		 !within(len, h.hdr_len, h.str_off, h.str_len) || !h.str_len ||
		 b->data[h.hdr_len + (size_t)h.str_off + h.str_len - 1] != '\0')
		*why = "its sections lie outside the file";
	else {
		b->types = b->data + h.hdr_len + h.type_off;
		b->strings = b->data + h.hdr_len + h.str_off;
		b->nstrings = h.str_len;
		if (index_types(b, h.type_len, why) == 0)
			return b;
	}
	btf_free(b);
	return NULL;
}

void btf_free(struct btf *b)
{
	if (!b)
		return;
	free(b->at);
	free(b->data);
	free(b);
}

/* ---- types ---- */

/* through typedefs and qualifiers; 0 when the chain has no end */
static uint32_t plain(const struct btf *b, uint32_t id)
{
	for (unsigned i = 0; i < CHAIN; i++) {
		struct type t = head(b, id);

		switch (kind_of(&t)) {
		case K_TYPEDEF:
		case K_VOLATILE:
		case K_CONST:
		case K_RESTRICT:
		case K_TYPE_TAG: id = t.size; break;
		default: return id < b->n ? id : 0;
		}
	}
	return 0;
}

static void array_info(const struct btf *b, uint32_t id, struct btf_info *out)
{
	uint32_t elem = plain(b, word(b, id, 0)), n = word(b, id, 2);
	struct type t = head(b, elem);

	out->what = kind_of(&t) == K_INT && t.size == 1 ? BTF_CHARS : BTF_ARRAY;
	out->target = elem;
	out->nelem = n;
	if (kind_of(&t) == K_PTR)
		t.size = sizeof(long);
	out->size = t.size && n <= UINT32_MAX / t.size ? t.size * n : 0;
}

void btf_info(const struct btf *b, uint32_t type, struct btf_info *out)
{
	uint32_t id = plain(b, type);
	struct type t = head(b, id);

	memset(out, 0, sizeof(*out));
	out->name = "";
	switch (kind_of(&t)) {
	case K_INT:
		out->what = BTF_INT;
		out->size = t.size;
		out->is_signed = word(b, id, 0) >> 24 & 1;
		break;
	case K_ENUM:
	case K_ENUM64:
		out->what = BTF_INT;
		out->size = t.size;
		out->is_signed = kind_flag(&t);
		break;
	case K_PTR:
		out->what = BTF_POINTER;
		out->target = t.size;
		break;
	case K_STRUCT:
	case K_UNION:
		out->what = BTF_STRUCT;
		out->size = t.size;
		out->name = string(b, t.name);
		break;
	case K_ARRAY: array_info(b, id, out); break;
	default: break;
	}
	if (out->what == BTF_INT && out->size != 1 && out->size != 2 && out->size != 4 &&
	    out->size != 8)
		out->what = BTF_UNKNOWN; /* __int128 */
}

/* ---- members ---- */

static bool member_at(const struct btf *b, uint32_t id, const struct type *t, uint32_t i,
		      const char **name, struct btf_member *m)
{
	uint32_t off;

	if (i >= vlen(t))
		return false;
	*name = string(b, word(b, id, 3 * i));
	m->type = word(b, id, 3 * i + 1);
	off = word(b, id, 3 * i + 2);
	m->bit_off = kind_flag(t) ? off & 0xffffff : off;
	m->bit_size = kind_flag(t) ? off >> 24 : 0;
	return true;
}

static int find_member(const struct btf *b, uint32_t type, const char *name, struct btf_member *out,
		       uint32_t base, unsigned depth, unsigned *left)
{
	uint32_t id = plain(b, type);
	struct type t = head(b, id);
	struct btf_member m;
	const char *s;

	if ((kind_of(&t) != K_STRUCT && kind_of(&t) != K_UNION) || depth > NEST)
		return -1;
	for (uint32_t i = 0; member_at(b, id, &t, i, &s, &m) && *left; i++) {
		--*left;
		if (strcmp(s, name) != 0)
			continue;
		*out = m;
		out->bit_off += base;
		return 0;
	}
	for (uint32_t i = 0; member_at(b, id, &t, i, &s, &m) && *left; i++) {
		if (!*s &&
		    find_member(b, m.type, name, out, base + m.bit_off, depth + 1, left) == 0)
			return 0;
	}
	return -1;
}

int btf_member(const struct btf *b, uint32_t type, const char *name, struct btf_member *out)
{
	unsigned left = MEMBERS_MAX;

	return *name ? find_member(b, type, name, out, 0, 0, &left) : -1;
}

static void list_members(const struct btf *b, uint32_t type,
			 void (*fn)(void *arg, const char *name), void *arg, unsigned depth,
			 unsigned *left)
{
	uint32_t id = plain(b, type);
	struct type t = head(b, id);
	struct btf_member m;
	const char *s;

	if ((kind_of(&t) != K_STRUCT && kind_of(&t) != K_UNION) || depth > NEST)
		return;
	for (uint32_t i = 0; member_at(b, id, &t, i, &s, &m) && *left; i++) {
		--*left;
		if (*s)
			fn(arg, s);
		else
			list_members(b, m.type, fn, arg, depth + 1, left);
	}
}

void btf_members(const struct btf *b, uint32_t type, void (*fn)(void *arg, const char *name),
		 void *arg)
{
	unsigned left = MEMBERS_MAX;

	list_members(b, type, fn, arg, 0, &left);
}

/* ---- functions ---- */

static uint32_t by_name(const struct btf *b, unsigned kind, const char *name)
{
	for (uint32_t i = 1; i < b->n; i++) {
		struct type t = head(b, i);

		if (kind_of(&t) == kind && strcmp(string(b, t.name), name) == 0)
			return i;
	}
	return 0;
}

static uint32_t proto_or_0(const struct btf *b, uint32_t id)
{
	struct type t = head(b, id);

	return kind_of(&t) == K_FUNC_PROTO ? id : 0;
}

uint32_t btf_func(const struct btf *b, const char *name)
{
	return proto_or_0(b, head(b, by_name(b, K_FUNC, name)).size);
}

uint32_t btf_typedef_proto(const struct btf *b, const char *name)
{
	uint32_t id = plain(b, by_name(b, K_TYPEDEF, name));
	struct type t = head(b, id);

	if (kind_of(&t) == K_PTR)
		id = plain(b, t.size);
	return proto_or_0(b, id);
}

unsigned btf_nparams(const struct btf *b, uint32_t proto)
{
	struct type t = head(b, proto_or_0(b, proto));

	return vlen(&t);
}

uint32_t btf_param(const struct btf *b, uint32_t proto, unsigned i, const char **name)
{
	*name = "";
	if (i >= btf_nparams(b, proto))
		return 0;
	*name = string(b, word(b, proto, 2 * i));
	return word(b, proto, 2 * i + 1);
}

uint32_t btf_return(const struct btf *b, uint32_t proto)
{
	return head(b, proto_or_0(b, proto)).size;
}
