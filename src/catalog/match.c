/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns to events: NAME, SYS:NAME, SYS/NAME, globs, SYS:/regex/flags, /regex/flags. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "catalog/internal.h"

#include "base/io.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
	const char *system; /* NULL: any; may be a glob */
	const char *name;   /* may be a glob */
	pcre2_code *re;     /* instead of name */
	bool glob;
};

static int compile(struct arena *a, struct diags *d, const char *text, struct span at,
		   pcre2_code **re)
{
	const char *end = strrchr(text + 1, '/');
	uint32_t opt = PCRE2_NO_UTF_CHECK;
	PCRE2_UCHAR msg[128];
	PCRE2_SIZE off;
	int err;

	if (!end) {
		diag_error(d, "bad-regex", at, "the pattern has no closing '/'");
		return -1;
	}
	for (const char *f = end + 1; *f; f++) {
		if (*f != 'i') {
			diag_error(d, "bad-regex", at, "unknown pattern flag '%c'", *f);
			return -1;
		}
		opt |= PCRE2_CASELESS;
	}
	text = arena_strndup(a, text + 1, (size_t)(end - text - 1));
	*re = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, opt, &err, &off, NULL);
	if (*re)
		return 0;
	pcre2_get_error_message(err, msg, sizeof(msg));
	diag_error(d, "bad-regex", at, "%s (at character %zu of the pattern)", (char *)msg,
		   (size_t)off + 1);
	return -1;
}

static int parse(struct arena *a, struct diags *d, const char *text, struct span at,
		 struct pattern *p)
{
	const char *colon = text[0] == '/' ? NULL : strchr(text, ':');

	memset(p, 0, sizeof(*p));
	if (!colon && text[0] != '/')
		colon = strchr(text, '/'); /* SYS/NAME, as in tracefs */
	if (colon) {
		p->system = arena_strndup(a, text, (size_t)(colon - text));
		text = colon + 1;
	}
	if (text[0] == '/')
		return compile(a, d, text, at, &p->re);
	p->name = text;
	p->glob = io_has_glob(text) || (p->system && io_has_glob(p->system));
	return 0;
}

static bool matches(const struct pattern *p, const struct event *e, pcre2_match_data *md)
{
	if (p->system && !io_glob(p->system, e->system))
		return false;
	/* events that some tracesh makes for itself only by their own system's name: live they may
	 * be gone at any time */
	if (strncmp(e->system, "tracesh_", 8) == 0 && e->origin->kind == ORIGIN_LIVE &&
	    !(p->system && strncmp(p->system, "tracesh", 7) == 0))
		return false;
	if (((const struct event_priv *)e)->owner || ((const struct event_priv *)e)->retired)
		return false;
	/* ftrace's own records (print, function ...) only by name, or by their system */
	if (strcmp(e->system, "ftrace") == 0 && (p->re || p->glob) &&
	    !(p->system && strcmp(p->system, "ftrace") == 0))
		return false;
	if (p->re)
		return pcre2_match(p->re, (PCRE2_SPTR)e->name, strlen(e->name), 0, 0, md, NULL) >=
		       0;
	return p->glob ? io_glob(p->name, e->name) : strcmp(p->name, e->name) == 0;
}

static void tell_ambiguous(struct arena *a, struct diags *d, const struct pattern *p,
			   struct span at, const struct event_list *l)
{
	struct diag *g = diag_error(d, "ambiguous-event", at, "'%s' is an event of several systems",
				    p->name);
	struct buf b = {0};

	for (unsigned i = 0, k; i < l->n; i++) {
		for (k = 0; k < i && strcmp(l->v[k]->system, l->v[i]->system) != 0; k++)
			;
		if (k == i) /* not said yet: there may be several origins */
			buf_printf(&b, "%s%s:%s", b.len ? ", " : "", l->v[i]->system,
				   l->v[i]->name);
	}
	g->note = arena_printf(a, "it can be %s", buf_str(&b));
	diag_hint(d, g, "write %s:%s", l->v[0]->system, l->v[0]->name);
	buf_free(&b);
}

static void tell_unknown(struct catalog *c, struct arena *a, struct diags *d, const char *text,
			 const struct pattern *p, struct span at)
{
	struct diag *g = diag_error(d, "unknown-event", at, "no event matches '%s'", text);
	const char **names = xmalloc((c->nevents + 1) * sizeof(*names));
	size_t n = 0;
	int i;

	for (size_t k = 0; k < c->nevents; k++) {
		const struct event *e = c->events[k];

		if (p->system && !p->glob && strcmp(p->system, e->system) != 0)
			continue;
		names[n++] = e->name;
	}
	if (n == 0 &&
	    p->system) { /* no such system: the same name elsewhere, or a system near it */
		for (size_t k = 0; k < c->nevents; k++)
			names[n++] = c->events[k]->system;
		i = text_nearest(p->system, names, n);
		if (i >= 0)
			diag_hint(d, g, "did you mean '%s:%s'?", names[i], p->name ? p->name : "*");
	} else if (p->name && !p->glob) {
		i = text_nearest(p->name, names, n);
		if (i >= 0 && p->system)
			diag_hint(d, g, "did you mean '%s:%s'?", p->system, names[i]);
		else if (i >= 0)
			diag_hint(d, g, "did you mean '%s'?", names[i]);
	} else {
		diag_hint(d, g, "ls '%s' shows what there is",
			  p->system ? arena_printf(a, "%s:*", p->system) : "*");
	}
	free(names);
}

int catalog_match(struct catalog *c, struct arena *a, struct diags *d, const char *pattern,
		  struct span at, struct event_list *out)
{
	pcre2_match_data *md = NULL;
	struct pattern p;
	size_t n = 0;
	int rc = 0;

	out->v = NULL;
	out->n = 0;
	if (parse(a, d, pattern, at, &p))
		return -1;
	if (p.re)
		md = pcre2_match_data_create_from_pattern(p.re, NULL);
	for (size_t i = 0; i < c->nevents; i++) {
		if (matches(&p, c->events[i], md))
			ARENA_PUSH(a, out->v, n, c->events[i]);
	}
	out->n = (unsigned)n;
	if (n == 0) {
		tell_unknown(c, a, d, pattern, &p, at);
		rc = -1;
	}
	for (size_t i = 1; i < n && !p.system && !p.glob && !p.re && rc == 0; i++) {
		if (strcmp(out->v[i]->system, out->v[0]->system) != 0) {
			tell_ambiguous(a, d, &p, at, out);
			rc = -1;
		}
	}
	if (p.re) {
		pcre2_match_data_free(md);
		pcre2_code_free(p.re);
	}
	return rc;
}
