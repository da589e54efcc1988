/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An origin filled by a container reader: texts are borrowed, only names and ids are read at once.
 */
#include "catalog/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct origin *catalog_add_file(struct catalog *c, const char *path)
{
	struct origin *o = origin_new(c, ORIGIN_FILE, path);

	o->priv->ids_complete = true;
	return o;
}

/* "field: local_t commit;\toffset:8;\tsize:8;\tsigned:1;": offset and size of one field */
static bool header_field(const char *text, size_t len, const char *name, uint32_t *off,
			 uint32_t *size)
{
	const char *p = memmem(text, len, name, strlen(name)), *end = text + len, *nl, *q;

	if (!p)
		return false;
	nl = memchr(p, '\n', (size_t)(end - p));
	if (!nl)
		nl = end;
	q = memmem(p, (size_t)(nl - p), "offset:", 7);
	if (!q)
		return false;
	*off = (uint32_t)strtoul(q + 7, NULL, 10);
	q = memmem(p, (size_t)(nl - p), "size:", 5);
	if (!q)
		return false;
	*size = (uint32_t)strtoul(q + 5, NULL, 10);
	return true;
}

int origin_put_header_page(struct origin *o, const char *text, size_t len)
{
	char *copy = arena_strndup(o->priv->c->arena, text, len); /* NUL-terminated for strtoul */
	uint32_t coff, csize, doff, dsize;

	if (!header_field(copy, len, " commit;", &coff, &csize) ||
	    !header_field(copy, len, " data;", &doff, &dsize))
		return -EINVAL;
	if ((csize != 4 && csize != 8) || coff > 64 || doff < coff + csize || doff > 128)
		return -EINVAL;
	o->commit_off = coff;
	o->commit_size = csize;
	o->data_off = doff;
	if (dsize && dsize <= 1u << 20 && doff + dsize >= 512)
		o->page_size = doff + dsize;
	return 0;
}

int origin_put_format(struct origin *o, const char *system, const char *text, size_t len)
{
	const char *name;
	size_t n;
	int id = format_id(text, len);
	struct event_priv *e;

	if (id < 0 || !format_name(text, len, &name, &n))
		return -EINVAL;
	if (!system)
		system = "ftrace";
	e = (struct event_priv *)event_new(o->priv->c, o, system, strlen(system), name, n, id);
	e->text = text;
	e->len = len;
	return 0;
}

static void put_text(struct origin *o, enum origin_text kind, const char *text, size_t len)
{
	o->priv->text[kind] = (struct text){.p = text, .len = len, .tried = true};
}

void origin_put_kallsyms(struct origin *o, const char *text, size_t len)
{
	put_text(o, OT_KALLSYMS, text, len);
}

void origin_put_kallsyms_later(struct origin *o, const char *(*fn)(void *arg, size_t *len),
			       void *arg)
{
	put_text(o, OT_KALLSYMS, NULL, 0);
	o->priv->kallsyms_later = fn;
	o->priv->kallsyms_arg = arg;
}

void origin_put_printk(struct origin *o, const char *text, size_t len)
{
	put_text(o, OT_PRINTK, text, len);
}

void origin_put_cmdlines(struct origin *o, const char *text, size_t len)
{
	put_text(o, OT_CMDLINES, text, len);
}

void origin_put_tgids(struct origin *o, const char *text, size_t len)
{
	put_text(o, OT_TGIDS, text, len);
}
