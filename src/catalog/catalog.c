/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalog's lists: origins, events by index, by name and by id. Knows no format. */
#include "catalog/internal.h"

#include "base/hash.h"
#include "base/io.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ID (1 << 20)

struct catalog *catalog_new(struct session *s)
{
	struct catalog *c = xcalloc(1, sizeof(*c));

	c->s = s;
	c->arena = arena_new();
	c->nhash = 4096;
	c->hash = xcalloc(c->nhash, sizeof(struct event_priv *));
	return c;
}

void catalog_free(struct catalog *c)
{
	struct keeper *k;

	if (!c)
		return;
	for (size_t i = 0; i < c->norigins; i++) {
		struct origin_priv *p = c->origins[i]->priv;

		if (p->tep)
			p->tep_free(p->tep);
		free(p->by_id);
		free(p->syms);
		free(p->by_name);
		free(p->tasks);
	}
	for (k = c->keepers; k; k = k->next)
		k->fn(k->arg);
	free(c->hash);
	arena_free(c->arena);
	free(c);
}

void catalog_keep(struct catalog *c, void (*fn)(void *arg), void *arg)
{
	struct keeper *k = ARENA_NEW(c->arena, struct keeper);

	k->fn = fn;
	k->arg = arg;
	k->next = c->keepers;
	c->keepers = k;
}

struct origin *origin_new(struct catalog *c, enum origin_kind kind, const char *path)
{
	struct origin *o = ARENA_NEW(c->arena, struct origin);

	o->kind = kind;
	o->index = (unsigned)c->norigins;
	o->path = arena_strdup(c->arena, path);
	o->long_size = sizeof(long);
	o->page_size = 4096;
	o->commit_off = 8;
	o->commit_size = sizeof(long);
	o->data_off = 16;
	o->priv = ARENA_NEW(c->arena, struct origin_priv);
	o->priv->c = c;
	ARENA_PUSH(c->arena, c->origins, c->norigins, o);
	return o;
}

static unsigned name_hash(const struct catalog *c, const char *s, size_t n)
{
	return (unsigned)hash_bytes(s, n, 0) & (c->nhash - 1);
}

void event_link(struct catalog *c, struct event *e)
{
	struct event_priv *p = (struct event_priv *)e;
	unsigned h = name_hash(c, e->name, strlen(e->name));

	p->next_name = c->hash[h];
	c->hash[h] = p;
}

void event_unlink(struct catalog *c, struct event *e)
{
	struct event_priv **at = &c->hash[name_hash(c, e->name, strlen(e->name))];

	while (*at && &(*at)->e != e)
		at = &(*at)->next_name;
	if (*at)
		*at = (*at)->next_name;
}

struct event *event_new(struct catalog *c, struct origin *o, const char *system, size_t slen,
			const char *name, size_t nlen, int id)
{
	struct event_priv *e = ARENA_NEW(c->arena, struct event_priv);
	size_t n = c->nevents;

	/* events of a system come one after another: share its name */
	if (n && strlen(c->events[n - 1]->system) == slen &&
	    memcmp(c->events[n - 1]->system, system, slen) == 0)
		e->e.system = c->events[n - 1]->system;
	else
		e->e.system = arena_strndup(c->arena, system, slen);
	e->e.name = arena_strndup(c->arena, name, nlen);
	e->e.origin = o;
	e->e.index = (unsigned)n;
	e->e.id = -1;
	event_link(c, &e->e);
	ARENA_PUSH(c->arena, c->events, c->nevents, &e->e);
	if (id >= 0)
		origin_set_id(o, &e->e, id);
	return &e->e;
}

void origin_set_id(struct origin *o, struct event *e, int id)
{
	struct origin_priv *p = o->priv;

	e->id = id;
	((struct event_priv *)e)->id_known = true;
	if (id < 0 || id >= MAX_ID)
		return;
	if ((unsigned)id >= p->nids) {
		unsigned n = p->nids ? p->nids : 512;

		while (n <= (unsigned)id)
			n *= 2;
		p->by_id = xrealloc(p->by_id, n * sizeof(*p->by_id));
		memset(p->by_id + p->nids, 0, (n - p->nids) * sizeof(*p->by_id));
		p->nids = n;
	}
	if (!p->by_id[id])
		p->by_id[id] = e;
}

void origin_drop_id(struct origin *o, int id)
{
	if (id >= 0 && (unsigned)id < o->priv->nids)
		o->priv->by_id[id] = NULL;
}

unsigned catalog_nevents(const struct catalog *c)
{
	return (unsigned)c->nevents;
}

struct event *catalog_event(const struct catalog *c, unsigned index)
{
	return c->events[index];
}

unsigned catalog_norigins(const struct catalog *c)
{
	return (unsigned)c->norigins;
}

struct origin *catalog_origin(const struct catalog *c, unsigned index)
{
	return index < c->norigins ? c->origins[index] : NULL;
}

/* The id of an event of a directory, from its format or id file. */
int event_id(struct event *e)
{
	struct event_priv *p = (struct event_priv *)e;
	struct buf path = {0}, b = {0};
	int id = -1;

	if (p->id_known)
		return e->id;
	buf_printf(&path, "%s/events/%s/%s/id", e->origin->path, e->system, e->name);
	if (io_read_file(path.p, &b, 64) == 0 && b.len) {
		id = atoi(b.p);
	} else {
		size_t len = 0;
		const char *text = event_format_text(e, &len);

		id = text ? format_id(text, len) : -1;
	}
	buf_free(&path);
	buf_free(&b);
	origin_set_id(e->origin, e, id);
	return id;
}

struct event *event_by_id(struct origin *o, int id)
{
	struct origin_priv *p = o->priv;

	if (id >= 0 && (unsigned)id < p->nids && p->by_id[id])
		return p->by_id[id];
	if (o->kind == ORIGIN_FILE || p->ids_complete)
		return NULL;
	/* live: ids are read when first needed; look at all once */
	p->ids_complete = true;
	for (size_t i = 0; i < p->c->nevents; i++) {
		if (p->c->events[i]->origin == o)
			event_id(p->c->events[i]);
	}
	return id >= 0 && (unsigned)id < p->nids ? p->by_id[id] : NULL;
}

struct event *catalog_find(const struct catalog *c, const char *system, const char *name)
{
	struct event_priv *e = c->hash[name_hash(c, name, strlen(name))], *found = NULL;

	for (; e; e = e->next_name) {
		if (strcmp(e->e.name, name) == 0 && (!system || strcmp(e->e.system, system) == 0))
			found = e; /* the chain is newest first: the last one found is the first
				      made */
	}
	return found ? &found->e : NULL;
}

int event_load(struct event *e)
{
	const char *text;
	size_t len = 0;

	if (e->loaded)
		return e->broken ? -1 : 0;
	e->loaded = true;
	text = event_format_text(e, &len);
	e->broken = !text || format_parse(e->origin->priv->c->arena, e, text, len) != 0;
	return e->broken ? -1 : 0;
}

const struct field *event_field(struct event *e, const char *name)
{
	event_load(e);
	for (unsigned i = 0; i < e->nfields; i++) {
		if (strcmp(e->fields[i].name, name) == 0)
			return &e->fields[i];
	}
	return NULL;
}

static bool one_symvalue(const struct symname *v, unsigned n, const char *s, size_t len,
			 uint64_t *out)
{
	for (unsigned i = 0; i < n; i++) {
		if (strlen(v[i].name) == len && memcmp(v[i].name, s, len) == 0) {
			*out = v[i].value;
			return true;
		}
	}
	return false;
}

bool field_symvalue(const struct field *f, const char *name, uint64_t *value, uint64_t *mask)
{
	if (f->nsyms && one_symvalue(f->syms, f->nsyms, name, strlen(name), value)) {
		*mask = ~0ull;
		return true;
	}
	*mask = *value = 0;
	for (unsigned i = 0; i < f->nflags; i++)
		*mask |= f->flags[i].value;
	for (const char *s = name; f->nflags;) {
		size_t n = strcspn(s, "|");
		uint64_t v;

		if (!one_symvalue(f->flags, f->nflags, s, n, &v))
			return false;
		*value |= v;
		if (!s[n])
			return true;
		s += n + 1;
	}
	return false;
}
