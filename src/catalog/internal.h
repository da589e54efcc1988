/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of catalog/ share; nobody else includes it. */
#ifndef TRACESH_CATALOG_INTERNAL_H
#define TRACESH_CATALOG_INTERNAL_H

#include "base/buf.h"
#include "catalog/catalog.h"

enum origin_text { OT_KALLSYMS, OT_PRINTK, OT_CMDLINES, OT_TGIDS, OT_COUNT };

struct text {
	const char *p; /* borrowed, or kept in the catalog's arena */
	size_t len;
	bool tried; /* live: reading was tried */
};

struct ksym {
	uint64_t addr;
	const char *name;
};

struct taskname {
	int tid, tgid;
	const char *comm;
};

struct origin_priv {
	struct catalog *c;
	struct event **by_id; /* [nids], NULL: unknown */
	unsigned nids;
	bool ids_complete; /* live: every event's id was read */
	struct text text[OT_COUNT];
	/* asked once; NULL: not, or no more */
	const char *(*kallsyms_later)(void *arg, size_t *len);
	void *kallsyms_arg;
	struct text blacklist; /* of kprobes */
	struct ksym *syms;     /* by address; malloc'd */
	size_t nsyms;
	const struct ksym **by_name;
	bool syms_loaded;
	struct taskname *tasks; /* by tid; malloc'd */
	size_t ntasks;
	bool tasks_loaded;
	void *tep; /* print.c's */
	void (*tep_free)(void *);
};

/* An event with what only the catalog needs. */
struct event_priv {
	struct event e; /* first: events are handed out as this */
	const char *text;
	size_t len;
	bool id_known;
	struct arena *owner;          /* declared by the run of this arena */
	bool retired;                 /* was declared, may be used again */
	struct event_priv *next_name; /* hash chain */
};

/* Something that an owner of declared events keeps here. */
struct owned {
	const struct arena *owner;
	void *priv;
	struct owned *next;
};

struct keeper {
	void (*fn)(void *arg);
	void *arg;
	struct keeper *next;
};

struct catalog {
	struct session *s;
	struct arena *arena;
	struct origin **origins;
	size_t norigins;
	struct event **events;
	size_t nevents;
	struct event_priv **hash; /* by name */
	unsigned nhash;
	struct keeper *keepers;
	struct owned *owned;
	const struct caps *caps; /* catalog_caps() */
	struct btf *btf;         /* catalog_btf() */
	const char *btf_why, *btf_path;
	bool btf_tried;
};

/* event_new - a further event; id -1: read when asked for */
struct event *event_new(struct catalog *c, struct origin *o, const char *system, size_t slen,
			const char *name, size_t nlen, int id);
/* event_link, event_unlink - put into and take out of the index by name */
void event_link(struct catalog *c, struct event *e);
void event_unlink(struct catalog *c, struct event *e);
/* origin_drop_id - forget whose @id is */
void origin_drop_id(struct origin *o, int id);
void origin_set_id(struct origin *o, struct event *e, int id);
struct origin *origin_new(struct catalog *c, enum origin_kind kind, const char *path);
/* origin_list - events of a tracefs-like directory from its available_events (or events/) */
int origin_list(struct origin *o);
/* event_format_text - the whole format file; NULL if there is none */
const char *event_format_text(struct event *e, size_t *len);
const char *origin_text(struct origin *o, enum origin_text kind, size_t *len);
/* format_parse - fills fields, print_fmt, min_size; 0 or -1 */
int format_parse(struct arena *a, struct event *e, const char *text, size_t len);
/* format_id - the number after "ID:", -1 if there is none; format_name - after "name:" */
int format_id(const char *text, size_t len);
bool format_name(const char *text, size_t len, const char **name, size_t *n);

#endif
