/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strings and arrays of records, bounds-checked. */
#include "catalog/rec.h"

static uint32_t get(const struct rec *r, uint32_t off, uint32_t size)
{
	const uint8_t *p = r->data + off;
	uint16_t s;
	uint32_t w;

	if (size == 2) {
		memcpy(&s, p, 2);
		return r->origin->big_endian ? bswap_16(s) : s;
	}
	memcpy(&w, p, 4);
	return r->origin->big_endian ? bswap_32(w) : w;
}

/* Where a dynamic field's bytes are: false when it points outside the record. */
static bool locate(const struct rec *r, const struct field *f, bool rel, uint32_t *off,
		   uint32_t *len)
{
	uint32_t loc;

	if ((f->size != 4 && f->size != 2) || (uint64_t)f->offset + f->size > r->len)
		return false;
	loc = get(r, f->offset, f->size);
	if (f->size == 2) { /* very old kernels: an offset only */
		*off = loc;
		*len = loc < r->len ? r->len - loc : 0;
	} else {
		*off = loc & 0xffff;
		*len = loc >> 16;
	}
	if (rel)
		*off += f->offset + f->size;
	return (uint64_t)*off + *len <= r->len;
}

bool rec_bytes(const struct rec *r, const struct field *f, const char **p, uint32_t *len)
{
	uint32_t off = f->offset, n = f->size;

	switch (f->kind) {
	case FK_DYN:
	case FK_DYN_ARRAY:
		if (!locate(r, f, false, &off, &n))
			return false;
		break;
	case FK_REL:
	case FK_REL_ARRAY:
		if (!locate(r, f, true, &off, &n))
			return false;
		break;
	case FK_TAIL:
		if (f->offset > r->len)
			return false;
		n = r->len - f->offset;
		break;
	case FK_ARRAY:
		if (n == 0 && f->offset <= r->len) /* a flexible array: to the end of the record */
			n = r->len - f->offset;
		break;
	case FK_INT:
	case FK_STRING: break;
	}
	if ((uint64_t)off + n > r->len)
		return false;
	*p = (const char *)r->data + off;
	*len = n;
	if (f->kind == FK_STRING || f->kind == FK_DYN || f->kind == FK_REL || f->kind == FK_TAIL)
		*len = (uint32_t)strnlen(*p, n);
	return true;
}
