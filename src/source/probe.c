/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all sources that make events share: names, definitions that are made once in a run,
 * declared fields, and finding the same events in a recorded file. Knows no kind's syntax.
 */
#include "source/probe_rows.h"

#include "base/io.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define EVENT_MAX 58 /* MAX_EVENT_NAME_LEN is 64; room for "_12" */
#define TEXT_MAX 4095

/* What one run makes: kept with the catalog for the queries of the run. */
struct probe_run {
	const char *group;
	struct probe_def *defs;
};

bool probe_recorded(const struct checker *ck)
{
	return catalog_norigins(ck->c) && catalog_origin(ck->c, 0)->kind == ORIGIN_FILE;
}

const char *probe_target(struct checker *ck, const struct node *n, struct span *at)
{
	uint32_t head = (uint32_t)strlen(n->str) + 1;
	const char *t = check_expand(ck->a, ck->d, ck->env, n->str2, n->span);

	*at = n->span;
	if (at->len > head) {
		at->off += head;
		at->len -= head;
		if (at->len > strlen(n->str2))
			at->len = (uint32_t)strlen(n->str2);
	}
	return t;
}

int probe_needs(struct checker *ck, const struct node *n, enum cap cap)
{
	const struct caps *caps = catalog_caps(ck->c);
	const struct cap_row *row = &cap_rows[cap];
	struct span at = n->span;
	struct diag *g;

	if (caps_has(caps, cap))
		return 0;
	at.len = at.len < strlen(n->str) ? at.len : (uint32_t)strlen(n->str);
	g = diag_error(ck->d, "unsupported", at, "this kernel has no %s", row->name);
	g->note = arena_printf(ck->a, "it needs %s", row->config);
	diag_hint(ck->d, g, "%s", row->instead);
	return -1;
}

const char *probe_suffix(enum probe_kind kind)
{
	return kind == PROBE_KRETPROBE || kind == PROBE_FEXIT || kind == PROBE_URETPROBE ? "__exit"
											 : "";
}

/* ---- names ---- */

/* What the kernel takes for an event's name, globs kept where @glob */
static const char *fit_name(struct checker *ck, const char *wish, const char *suffix, bool glob)
{
	size_t n = strlen(wish), room = EVENT_MAX - strlen(suffix);
	char *s;

	if (n > room) { /* the end tells more of a path */
		wish += n - room;
		n = room;
	}
	s = arena_printf(ck->a, "%s%.*s%s", isdigit((unsigned char)*wish) ? "_" : "", (int)n, wish,
			 suffix);
	for (char *p = s; *p; p++) {
		if (!isalnum((unsigned char)*p) && !(glob && strchr("*?", *p)))
			*p = '_';
	}
	return s;
}

static struct probe_run *run_of(struct checker *ck)
{
	void **at = catalog_owned(ck->c, ck->a);

	if (!*at)
		*at = ARENA_NEW(ck->a, struct probe_run);
	return *at;
}

static bool name_used(const struct probe_run *run, const char *name)
{
	for (const struct probe_def *d = run->defs; d; d = d->next) {
		if (strcmp(d->ev->name, name) == 0)
			return true;
	}
	return false;
}

static const char *unused_name(struct checker *ck, const struct probe_run *run, const char *name)
{
	const char *s = name;

	for (unsigned k = 2; name_used(run, s); k++)
		s = arena_printf(ck->a, "%s_%u", name, k);
	return s;
}

/* ---- fields ---- */

static void fixed(struct fetch *f, const char *name, const char *type, unsigned size, bool sign)
{
	struct field fd = {.name = name,
			   .type = type,
			   .kind = FK_INT,
			   .offset = f->size,
			   .size = size,
			   .elem = size,
			   .is_signed = sign,
			   .is_common = strncmp(name, "common_", 7) == 0};

	f->size += size;
	ARENA_PUSH(f->ck->a, f->fields, f->nfields, fd);
}

static void fixed_fields(struct fetch *f, enum probe_kind kind)
{
	fixed(f, "common_type", "unsigned short", 2, false);
	fixed(f, "common_flags", "unsigned char", 1, false);
	fixed(f, "common_preempt_count", "unsigned char", 1, false);
	fixed(f, "common_pid", "int", 4, true);
	if (kind == PROBE_EPROBE)
		return;
	if (*probe_suffix(kind)) {
		fixed(f, "__probe_func", "unsigned long", f->long_size, false);
		fixed(f, "__probe_ret_ip", "unsigned long", f->long_size, false);
	} else {
		fixed(f, "__probe_ip", "unsigned long", f->long_size, false);
	}
}

/* ---- definitions ---- */

struct src *probe_src(struct checker *ck, const struct node *n, enum probe_kind kind)
{
	struct src *src = src_new(ck, SRC_PROBE, n);

	src->probe = ARENA_NEW(ck->a, struct probe);
	src->probe->kind = kind;
	return src;
}

static void take(struct checker *ck, struct src *src, struct probe_def *d)
{
	size_t n = src->probe->n;

	for (size_t i = 0; i < n; i++) {
		if (src->probe->v[i] == d)
			return;
	}
	ARENA_PUSH(ck->a, src->probe->v, n, d);
	src->probe->n = (unsigned)n;
	evs_add(ck, &src->evs, d->ev);
}

static const char *list_file(const struct origin *o, const char *old)
{
	struct buf b = {0};
	bool has_new, has_old = false;

	buf_printf(&b, "%s/dynamic_events", o->path);
	has_new = access(buf_str(&b), F_OK) == 0;
	buf_clear(&b);
	if (old) {
		buf_printf(&b, "%s/%s", o->path, old);
		has_old = access(buf_str(&b), F_OK) == 0;
	}
	buf_free(&b);
	return !has_new && has_old ? old : "dynamic_events";
}

static struct probe_def *same(const struct probe_run *run, const char *kind_text, const char *body)
{
	for (struct probe_def *d = run->defs; d; d = d->next) {
		if (strcmp(d->body, body) == 0 && strcmp(d->kind_text, kind_text) == 0)
			return d;
	}
	return NULL;
}

/* Text and places of a definition, from its event's name and its fetch list. */
static int write_def(struct checker *ck, struct probe_def *d, const struct fetch *f)
{
	size_t head;

	d->text = arena_printf(ck->a, "%s:%s/%s %s", d->kind_text, d->ev->system, d->ev->name,
			       d->body);
	head = strlen(d->text) - strlen(d->body);
	d->places = NULL;
	d->nplaces = 0;
	for (size_t i = 0; i < f->nplaces; i++) {
		struct probe_place p = f->places[i];

		p.off += head + d->place_len;
		ARENA_PUSH(ck->a, d->places, d->nplaces, p);
	}
	ARENA_PUSH(ck->a, d->places, d->nplaces,
		   ((struct probe_place){head, d->place_len, d->place_span}));
	if (strlen(d->text) <= TEXT_MAX)
		return 0;
	diag_error(ck->d, "bad-arguments", d->span,
		   "the kernel takes no definition longer than %d bytes", TEXT_MAX);
	return -1;
}

static struct probe_def *define(struct checker *ck, const struct node *n, enum probe_kind kind,
				const struct probe_spec *spec, const struct fetch *f,
				const char *body)
{
	struct origin *o = catalog_origin(ck->c, 0);
	struct probe_run *run = run_of(ck);
	struct probe_def *d = ARENA_NEW(ck->a, struct probe_def);
	const char *event;

	if (!run->group)
		run->group = catalog_new_group(ck->c, o, ck->a);
	event = unused_name(ck, run, fit_name(ck, spec->event, probe_suffix(kind), false));
	d->kind = kind;
	d->kind_text = spec->kind_text;
	d->target = spec->target;
	d->list = list_file(o, spec->old_list);
	d->body = body;
	d->place_len = strlen(spec->place);
	d->place_span = spec->place_span;
	d->span = n->span;
	d->undo = arena_printf(ck->a, "-:%s/%s", run->group, event);
	d->ev = event_declare(ck->c, o, ck->a, run->group, event, f->fields, (unsigned)f->nfields);
	d->next = run->defs;
	run->defs = d;
	return write_def(ck, d, f) ? NULL : d;
}

/* ---- one event for several fetch lists ---- */

static struct probe_def *at_place(const struct probe_run *run, const struct probe_spec *spec)
{
	for (struct probe_def *d = run->defs; d; d = d->next) {
		if (strcmp(d->kind_text, spec->kind_text) == 0 &&
		    d->place_len == strlen(spec->place) &&
		    strncmp(d->body, spec->place, d->place_len) == 0)
			return d;
	}
	return NULL;
}

/* The argument called @name in a definition's body, from its blank on; NULL: none */
static const char *argument(const char *body, const char *name, size_t *len)
{
	size_t n = strlen(name);

	for (const char *p = body; (p = strchr(p, ' ')); p++) {
		if (strncmp(p + 1, name, n) != 0 || p[n + 1] != '=')
			continue;
		*len = strcspn(p + 1, " ") + 1;
		return p;
	}
	return NULL;
}

/* What @f has and the definition has not is put behind it. */
static int merge(struct checker *ck, const struct node *n, struct probe_def *d, struct fetch *f)
{
	struct fetch sum = {.places = NULL};
	struct event *ev = d->ev;
	size_t head = strlen(d->text) - strlen(d->body) + d->place_len, k = ev->nfields;
	struct field *fields = ARENA_ARRAY(ck->a, struct field, k + 1);
	const char *add = buf_str(&f->text);

	memcpy(fields, ev->fields, k * sizeof(*fields));
	for (size_t i = 0; i + 1 < d->nplaces; i++) { /* the last is that of the target */
		struct probe_place p = d->places[i];

		p.off -= head;
		ARENA_PUSH(ck->a, sum.places, sum.nplaces, p);
	}
	for (size_t i = 0; i < f->nnames; i++) {
		size_t len, have;
		const char *name = f->names[i].name, *arg = argument(add, name, &len);
		const char *old = argument(d->body, name, &have);

		if (old && have == len && strncmp(arg, old, len) == 0)
			continue;
		if (old) {
			struct diag *g = diag_error(ck->d, "duplicate-name", n->span,
						    "'%s' is something else in another source on "
						    "this tracepoint",
						    name);

			diag_hint(ck->d, g, "one event serves both: give it another name");
			return -1;
		}
		ARENA_PUSH(ck->a, sum.places, sum.nplaces,
			   ((struct probe_place){strlen(d->body) - d->place_len + 1, len - 1,
						 n->span}));
		d->body = arena_printf(ck->a, "%s%.*s", d->body, (int)len, arg);
		for (size_t j = 0; j < f->nfields; j++) {
			if (strcmp(f->fields[j].name, name) == 0)
				ARENA_PUSH(ck->a, fields, k, f->fields[j]);
		}
	}
	event_redeclare(ev, fields, (unsigned)k);
	return write_def(ck, d, &sum);
}

static struct probe_def *make(struct checker *ck, const struct node *n, enum probe_kind kind,
			      const struct probe_spec *spec, struct fetch *f)
{
	const char *body = arena_printf(ck->a, "%s%s", spec->place, buf_str(&f->text));
	struct probe_run *run = run_of(ck);
	struct probe_def *d = same(run, spec->kind_text, body);

	if (d)
		return d;
	d = spec->merge ? at_place(run, spec) : NULL;
	if (d)
		return merge(ck, n, d, f) ? NULL : d;
	return define(ck, n, kind, spec, f, body);
}

int probe_add(struct checker *ck, struct src *src, const struct node *n,
	      const struct probe_spec *spec)
{
	struct fetch f = {.ck = ck, .t = spec->t};
	struct probe_def *d = NULL;

	f.long_size = catalog_origin(ck->c, 0)->long_size;
	fixed_fields(&f, src->probe->kind);
	if (fetch_list(&f, n) == 0)
		d = make(ck, n, src->probe->kind, spec, &f);
	buf_free(&f.text);
	if (!d)
		return -1;
	src->probe->names = f.names;
	src->probe->nnames = (unsigned)f.nnames;
	take(ck, src, d);
	return 0;
}

void probe_each(const struct src *src, void (*fn)(void *arg, struct probe_def *d), void *arg)
{
	for (unsigned i = 0; i < src->nkids; i++)
		probe_each(src->kids[i]->src, fn, arg);
	for (unsigned i = 0; src->probe && i < src->probe->n; i++)
		fn(arg, src->probe->v[i]);
}

/* ---- over a recorded file ---- */

/* Does a recorded event have all fields that the script names? Counts those it has besides. */
static bool has_names(struct event *ev, const struct fetch *f, unsigned *besides)
{
	*besides = 0;
	for (size_t i = 0; i < f->nnames; i++) {
		if (!event_field(ev, f->names[i].name))
			return false;
	}
	event_load(ev);
	for (unsigned i = 0; i < ev->nfields; i++) {
		bool named =
			ev->fields[i].is_common || strncmp(ev->fields[i].name, "__probe", 7) == 0;

		for (size_t k = 0; k < f->nnames && !named; k++)
			named = strcmp(ev->fields[i].name, f->names[k].name) == 0;
		*besides += !named;
	}
	return true;
}

/* Is @have the name @want, or that with the number of a repetition behind it? */
static bool is_name(const char *want, const char *have)
{
	size_t n = strlen(want);

	if (io_has_glob(want)) {
		size_t h = strlen(have);
		bool ends = h > 6 && strcmp(have + h - 6, "__exit") == 0;

		return io_glob(want, have) && (ends == (n > 6 && !strcmp(want + n - 6, "__exit")));
	}
	if (strncmp(want, have, n) != 0)
		return false;
	return !have[n] || (have[n] == '_' && have[n + 1] &&
			    strspn(have + n + 1, "0123456789") == strlen(have + n + 1));
}

static void not_recorded(struct checker *ck, const struct node *n, const char *want, bool near)
{
	struct diag *g;

	g = diag_error(ck->d, "unknown-event", n->span,
		       near ? "the file's '%s' lacks fields that this source names"
			    : "the file has no event '%s' of a probe",
		       want);
	diag_hint(ck->d, g,
		  near ? "`describe tracesh_*:*` lists what was recorded"
		       : "a probe is recorded where it is made: run the same source live with "
			 "record");
}

struct src *probe_find(struct checker *ck, const struct node *n, enum probe_kind kind,
		       const char *event, bool glob)
{
	const char *want = fit_name(ck, event, probe_suffix(kind), glob);
	struct src *src = probe_src(ck, n, kind);
	struct fetch f = {.ck = ck};
	bool near = false;
	unsigned best = UINT32_MAX;

	glob &= io_has_glob(want);
	f.long_size = catalog_origin(ck->c, 0)->long_size;
	if (fetch_names(&f, n))
		return NULL;
	for (unsigned i = 0; i < catalog_nevents(ck->c); i++) {
		struct event *ev = catalog_event(ck->c, i);
		unsigned besides;

		if (strncmp(ev->system, "tracesh", 7) != 0 || !is_name(want, ev->name))
			continue;
		near = true;
		if (!has_names(ev, &f, &besides))
			continue;
		if (!glob && besides < best) { /* the one that was made of this very list */
			src->evs = (struct event_list){0};
			best = besides;
		} else if (!glob && (besides > best || src->evs.v[0]->origin == ev->origin)) {
			continue;
		}
		evs_add(ck, &src->evs, ev);
	}
	if (!src->evs.n) {
		not_recorded(ck, n, want, near);
		return NULL;
	}
	src->probe->names = f.names;
	src->probe->nnames = (unsigned)f.nnames;
	return src;
}

/* ---- names ---- */

static struct expr *func_name(struct checker *ck, const struct src *src, struct span at)
{
	struct expr *ip = scope_field(ck, &src->evs, "__probe_func", at);

	if (!ip)
		ip = scope_field(ck, &src->evs, "__probe_ip", at);
	return ip ? expr_call(ck, FN_KSYM, type_str(), ip, at) : NULL;
}

static struct expr *find(struct checker *ck, struct scope *sc, const char *name, struct span at)
{
	struct src *src = sc->pipe->src;
	const struct probe *p = src->probe;
	struct expr *e = NULL;

	for (unsigned i = 0; i < p->nnames; i++) {
		if (strcmp(p->names[i].name, name) != 0)
			continue;
		e = scope_field(ck, &src->evs, name, at);
		if (!e || !type_is_int(e->type) || !p->names[i].typed)
			return e;
		if (!p->names[i].sym) {
			e->type = p->names[i].type;
			return e;
		}
		return expr_call(ck, FN_KSYM, type_str(), e, at);
	}
	if (strncmp(name, "__probe_", 8) == 0) {
		e = scope_field(ck, &src->evs, name, at);
		if (e)
			e->type = (struct type){.kind = T_ADDR, .sign = SG_UNSIGNED};
		return e;
	}
	if (strcmp(name, "func") == 0 && p->kind != PROBE_UPROBE && p->kind != PROBE_URETPROBE)
		return func_name(ck, src, at);
	return NULL;
}

static void list(struct checker *ck, struct scope *sc, void (*add)(void *arg, const char *name),
		 void *arg)
{
	(void)ck;
	(void)sc;
	add(arg, "func");
}

static const struct source_names names_of_probes = {.find = find, .list = list};

const struct source_names *probe_names(void)
{
	return &names_of_probes;
}
