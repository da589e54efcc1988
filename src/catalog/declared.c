/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events that a run makes itself. They are declared with the fields they will have, so that the
 * script can be checked before anything is written, and read again once the kernel has them. They
 * belong to an owner (the arena of a run) and go with it; no pattern finds them.
 */
#include "catalog/internal.h"

#include "base/io.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An event of a run that is over, to be used again: the catalog does not grow with each run. */
static struct event_priv *retired(struct catalog *c, struct origin *o)
{
	for (size_t i = 0; i < c->nevents; i++) {
		struct event_priv *p = (struct event_priv *)c->events[i];

		if (p->retired && p->e.origin == o)
			return p;
	}
	return NULL;
}

void event_redeclare(struct event *e, const struct field *fields, unsigned n)
{
	struct arena *owner = ((struct event_priv *)e)->owner;

	e->fields = ARENA_ARRAY(owner, struct field, n + 1);
	memcpy(e->fields, fields, n * sizeof(*fields));
	e->nfields = n;
	e->min_size = 0;
	for (unsigned i = 0; i < n; i++) {
		if (fields[i].offset + fields[i].size > e->min_size)
			e->min_size = fields[i].offset + fields[i].size;
	}
}

struct event *event_declare(struct catalog *c, struct origin *o, struct arena *owner,
			    const char *system, const char *name, const struct field *fields,
			    unsigned n)
{
	struct event_priv *p = retired(c, o);

	if (p) {
		p->e.system = arena_strdup(owner, system);
		p->e.name = arena_strdup(owner, name);
		event_link(c, &p->e);
	} else {
		p = (struct event_priv *)event_new(c, o, system, strlen(system), name, strlen(name),
						   -1);
	}
	p->retired = false;
	p->owner = owner;
	p->id_known = true;
	p->e.id = -1;
	p->e.loaded = true;
	p->e.broken = false;
	event_redeclare(&p->e, fields, n);
	return &p->e;
}

bool event_declared(const struct event *e)
{
	return ((const struct event_priv *)e)->owner != NULL;
}

static int reload(struct event *e, struct arena *owner)
{
	struct event_priv *p = (struct event_priv *)e;
	struct buf path = {0}, b = {0};
	int rc, id;

	buf_printf(&path, "%s/events/%s/%s/format", e->origin->path, e->system, e->name);
	rc = io_read_file(path.p, &b, 1 << 20);
	id = rc ? -1 : format_id(buf_str(&b), b.len);
	if (rc == 0 && id < 0)
		rc = -EINVAL;
	if (rc == 0) {
		p->text = arena_strndup(owner, buf_str(&b), b.len);
		p->len = b.len;
		e->fields = NULL;
		e->nfields = 0;
		e->min_size = 0;
		e->print_fmt = NULL;
		e->broken = format_parse(owner, e, p->text, p->len) != 0;
		origin_drop_id(e->origin, id);
		origin_set_id(e->origin, e, id);
	}
	buf_free(&path);
	buf_free(&b);
	return rc;
}

int catalog_reload(struct catalog *c, struct arena *owner, struct event **failed)
{
	for (size_t i = 0; i < c->nevents; i++) {
		struct event_priv *p = (struct event_priv *)c->events[i];
		int rc = p->owner == owner ? reload(&p->e, owner) : 0;

		if (rc) {
			*failed = &p->e;
			return rc;
		}
	}
	return 0;
}

void catalog_undeclare(struct catalog *c, struct arena *owner)
{
	struct owned **at = &c->owned;

	for (size_t i = 0; i < c->nevents; i++) {
		struct event_priv *p = (struct event_priv *)c->events[i];
		struct origin_priv *o = p->e.origin->priv;

		if (p->owner != owner)
			continue;
		event_unlink(c, &p->e);
		origin_drop_id(p->e.origin, p->e.id);
		/* libtraceevent would keep the format under an id that comes again */
		if (o->tep)
			o->tep_free(o->tep);
		o->tep = NULL;
		p->owner = NULL;
		p->retired = true;
		p->text = NULL;
		p->len = 0;
		p->e.id = -1;
		p->e.fields = NULL;
		p->e.nfields = 0;
		p->e.print_fmt = NULL;
		p->e.system = p->e.name = "";
	}
	for (; *at; at = &(*at)->next) {
		if ((*at)->owner == owner) {
			*at = (*at)->next;
			break;
		}
	}
}

void **catalog_owned(struct catalog *c, struct arena *owner)
{
	struct owned *o = c->owned;

	while (o && o->owner != owner)
		o = o->next;
	if (!o) {
		o = ARENA_NEW(owner, struct owned);
		o->owner = owner;
		o->next = c->owned;
		c->owned = o;
	}
	return &o->priv;
}

const char *catalog_new_group(struct catalog *c, struct origin *o, struct arena *owner)
{
	if (c->s->run_group)
		return arena_strdup(owner, c->s->run_group);
	if (c->s->run_name)
		return arena_printf(owner, "tracesh_%s", c->s->run_name);
	for (unsigned n = 0;; n++) {
		const char *name = arena_printf(owner, "tracesh_%d_%u", (int)getpid(), n);
		struct buf path = {0};
		bool used = false;

		for (size_t i = 0; i < c->nevents && !used; i++)
			used = strcmp(c->events[i]->system, name) == 0;
		buf_printf(&path, "%s/events/%s", o->path, name);
		used |= access(path.p, F_OK) == 0;
		buf_free(&path);
		if (!used)
			return name;
	}
}
