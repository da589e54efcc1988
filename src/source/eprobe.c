/* SPDX-License-Identifier: GPL-3.0-or-later */
/* eprobe: further fields read through an event's pointers. */
#include "source/fetch_types.h"
#include "source/probe_rows.h"

#include <string.h>

/*
 * The first kernels with event probes read one byte of a `char *` field where its pointer is meant,
 * without a word. They are those that have no fprobe events yet.
 */
static bool reads_one_byte(struct fetch *f, const struct field *fd)
{
	return fd->is_pointer && strstr(fd->type, "char") &&
	       !caps_has(catalog_caps(f->ck->c), CAP_FPROBES);
}

static int field(struct fetch *f, const char *name, struct span at, struct fetch_val *v)
{
	struct event *ev = f->t->priv;
	const struct field *fd = event_field(ev, name);
	struct arena *a = f->ck->a;

	if (!fd || fd->is_common)
		return -1;
	if (reads_one_byte(f, fd)) {
		struct diag *g =
			diag_error(f->ck->d, "unsupported", at,
				   "event probes of this kernel misread '%s', a pointer to "
				   "a string",
				   name);

		diag_hint(f->ck->d, g,
			  "a kprobe: at the function reads it, as "
			  "kprobe:do_sys_openat2(path = ustr(arg2))");
		return 1;
	}
	fetch_leaf(v, arena_printf(a, "$%s", fd->name), at);
	if (fd->kind == FK_INT)
		v->type = fetch_type(a,
				     arena_printf(a, "%c%u",
						  fd->is_pointer  ? 'x'
						  : fd->is_signed ? 's'
								  : 'u',
						  fd->size * 8),
				     f->long_size);
	else if (fd->kind == FK_STRING || fd->kind == FK_DYN || fd->kind == FK_REL)
		v->type = fetch_type(a, "string", f->long_size);
	else
		v->opaque = true;
	return 0;
}

static void list(struct fetch *f, void (*add)(void *arg, const char *name), void *arg)
{
	struct event *ev = f->t->priv;

	event_load(ev);
	for (unsigned i = 0; i < ev->nfields; i++) {
		if (!ev->fields[i].is_common)
			add(arg, ev->fields[i].name);
	}
}

/* the one event that the target names */
static struct event *event_of(struct checker *ck, const char *target, struct span at)
{
	struct event_list l;

	if (catalog_match(ck->c, ck->a, ck->d, target, at, &l))
		return NULL;
	if (l.n != 1) {
		diag_error(ck->d, "ambiguous-event", at, "eprobe: takes one event, '%s' is %u",
			   target, l.n);
		return NULL;
	}
	return l.v[0];
}

static struct src *check(struct checker *ck, const struct node *n)
{
	struct span at;
	const char *target = probe_target(ck, n, &at), *colon;
	struct fetch_target *t = ARENA_NEW(ck->a, struct fetch_target);
	struct probe_spec spec = {.kind_text = "e", .place_span = at, .t = t};
	struct event *ev;
	struct src *src;

	if (!target)
		return NULL;
	colon = strchr(target, ':');
	if (probe_recorded(ck))
		return probe_find(ck, n, PROBE_EPROBE, colon ? colon + 1 : target, false);
	if (probe_needs(ck, n, CAP_EPROBES))
		return NULL;
	ev = event_of(ck, target, at);
	if (!ev)
		return NULL;
	*t = (struct fetch_target){.what = arena_printf(ck->a, "event %s", ev->name),
				   .no_args = "the fields of the event are names to fetch",
				   .name = field,
				   .list = list,
				   .priv = ev};
	spec.event = ev->name;
	spec.target = target;
	spec.place = arena_printf(ck->a, "%s.%s", ev->system, ev->name);
	src = probe_src(ck, n, PROBE_EPROBE);
	return probe_add(ck, src, n, &spec) ? NULL : src;
}

const struct source_kind source_eprobe = {
	.name = "eprobe",
	.usage = "eprobe:SYSTEM:EVENT(NAME = FETCH, ...)",
	.brief = "further fields read through an event's pointers",
	.help = "Fields of the event are names in FETCH; only those named are recorded. What a "
		"process has not\n"
		"touched yet reads as \"(fault)\".\n"
		"  eprobe:syscalls:sys_enter_openat(path = ustr(filename)) | count by path",
	.check = check,
};
