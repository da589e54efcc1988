/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Completion works on the text before the cursor, which need not parse: it looks for the last
 * statement, its source and the stage at the cursor. It must not stall: event lists are in memory,
 * formats are read only for the events named, function lists not at all.
 */
#include "shell/complete.h"

#include "check/check.h"
#include "shell/priv.h"
#include "source/source.h"
#include "stage/stage.h"

#include <ctype.h>
#include <dirent.h>
#include <readline/readline.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CANDIDATES 5000
#define MAX_EVENTS 64 /* whose fields are offered */

struct list {
	char **v; /* v[0] is kept free for the common start */
	size_t n, cap;
	const char *word;
	size_t len;
};

static void offer(struct list *l, const char *s)
{
	if (strncmp(s, l->word, l->len) != 0 || l->n >= MAX_CANDIDATES)
		return;
	for (size_t i = 1; i <= l->n; i++) {
		if (strcmp(l->v[i], s) == 0)
			return;
	}
	if (l->n + 3 > l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->v = xrealloc(l->v, l->cap * sizeof(*l->v));
		l->v[0] = NULL;
	}
	l->v[++l->n] = xstrdup(s);
	l->v[l->n + 1] = NULL;
}

/* ---- what could stand there ---- */

/* The catalog, silently: errors at a TAB would only disturb. */
static struct catalog *catalog(struct shell *sh)
{
	struct arena *a = arena_new();
	struct diags d, *outer = sh->s->diags;
	struct catalog *c;

	diags_init(&d, a);
	sh->s->diags = &d;
	c = shell_catalog(sh);
	sh->s->diags = outer;
	arena_free(a);
	return c;
}

static void offer_events(struct shell *sh, struct list *l)
{
	struct catalog *c = catalog(sh);
	const char *colon = strchr(l->word, ':');

	for (const struct def *d = sh->priv->named; d; d = d->next)
		offer(l, d->name);
	for (unsigned i = 0; source_kinds[i] && !colon; i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s:", source_kinds[i]->name);
		if (source_kinds[i]->name[0] &&
		    strncmp(source_kinds[i]->usage, text, strlen(text)) == 0)
			offer(l, text);
	}
	for (unsigned i = 0; c && i < catalog_nevents(c); i++) {
		const struct event *e = catalog_event(c, i);
		char text[256];

		if (strcmp(e->system, "ftrace") == 0)
			continue;
		if (colon) {
			snprintf(text, sizeof(text), "%s:%s", e->system, e->name);
			offer(l, text);
			continue;
		}
		offer(l, e->name);
		snprintf(text, sizeof(text), "%s:", e->system);
		if (l->len)
			offer(l, text);
		/* syscall:NAME by the names of its events */
	}
	if (colon && strncmp(l->word, "syscall:", 8) == 0) {
		for (unsigned i = 0; c && i < catalog_nevents(c); i++) {
			const struct event *e = catalog_event(c, i);
			char text[256];

			if (strncmp(e->name, "sys_enter_", 10) != 0)
				continue;
			snprintf(text, sizeof(text), "syscall:%s", e->name + 10);
			offer(l, text);
		}
	}
}

static void offer_fields_of(struct list *l, struct event *e)
{
	event_load(e);
	for (unsigned i = 0; i < e->nfields; i++) {
		if (!e->fields[i].is_common)
			offer(l, e->fields[i].name);
	}
}

/* Fields of every event that the source text names: words that match events. */
static void offer_fields(struct shell *sh, struct list *l, const char *source, size_t n)
{
	static const char *const always[] = {"ts",   "cpu",  "tid",   "pid",
					     "ppid", "comm", "event", "system"};
	struct catalog *c = catalog(sh);
	struct arena *a = arena_new();
	struct diags d;
	bool pair = memmem(source, n, "->", 2) != NULL,
	     call = memmem(source, n, "syscall:", 8) != NULL;
	unsigned events = 0;

	diags_init(&d, a);
	for (size_t i = 0; c && i < n;) {
		size_t k = i;
		struct event_list m;
		const char *w;

		while (k < n && (isalnum((unsigned char)source[k]) || strchr("_.:*?", source[k])))
			k++;
		if (k == i) {
			i++;
			continue;
		}
		w = arena_strndup(a, source + i, k - i);
		if (strncmp(w, "syscall:", 8) == 0)
			w = arena_printf(a, "syscalls:sys_enter_%s", w + 8);
		if (catalog_match(c, a, &d, w, (struct span){0}, &m) == 0) {
			for (unsigned e = 0; e < m.n && events < MAX_EVENTS; e++, events++)
				offer_fields_of(l, m.v[e]);
		}
		i = k;
	}
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		offer(l, always[i]);
	if (pair || call)
		offer(l, "delta");
	if (call) {
		offer(l, "ret");
		offer(l, "name");
	}
	if (pair) {
		offer(l, "start.");
		offer(l, "end.");
	}
	arena_free(a);
}

static void offer_functions(struct list *l)
{
	for (unsigned i = 0; check_function_usage(i); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%.*s(", (int)strcspn(check_function_usage(i), "("),
			 check_function_usage(i));
		if (l->len)
			offer(l, name);
	}
}

static void offer_suffixes(struct list *l)
{
	const char *dot = strrchr(l->word, '.');

	for (unsigned i = 0; check_suffix_name(i); i++) {
		char text[256];

		snprintf(text, sizeof(text), "%.*s.%s", (int)(dot - l->word), l->word,
			 check_suffix_name(i));
		offer(l, text);
	}
}

static void offer_files(struct list *l)
{
	const char *slash = strrchr(l->word, '/');
	size_t dlen = slash ? (size_t)(slash - l->word) + 1 : 0;
	char dir[512], text[1024];
	struct dirent *d;
	DIR *h;

	if (dlen >= sizeof(dir))
		return;
	memcpy(dir, l->word, dlen);
	dir[dlen] = 0;
	h = opendir(dlen ? dir : ".");
	while (h && (d = readdir(h)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(text, sizeof(text), "%s%s%s", dir, d->d_name,
			 d->d_type == DT_DIR ? "/" : "");
		offer(l, text);
	}
	if (h)
		closedir(h);
}

/* ---- where the cursor is ---- */

/* Start of the statement the cursor is in: behind the last `;` or newline that ends one. */
static const char *statement(const char *text)
{
	const char *s = text;
	int depth = 0;
	bool quoted = false;

	for (const char *p = text; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		if (*p == '(' || *p == '{' || *p == '[')
			depth++;
		else if (*p == ')' || *p == '}' || *p == ']')
			depth -= depth > 0;
		else if (*p == ';' && !depth)
			s = p + 1;
		else if (*p == '\n' && !depth) {
			const char *q = p;

			while (q > s && isspace((unsigned char)q[-1]))
				q--;
			if (q > s && !strchr("|,\\>", q[-1]))
				s = p + 1;
		}
	}
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* The last stage bar of the statement, NULL if the source is still being typed. */
static const char *last_bar(const char *s)
{
	const char *bar = NULL;
	bool quoted = false;

	for (; *s; s++) {
		if (*s == '"')
			quoted = !quoted;
		if (quoted || *s != '|')
			continue;
		if (s[1] == '|') {
			s++;
			continue;
		}
		bar = s;
	}
	return bar;
}

static size_t word_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* Behind a command: what its words are. */
static bool command_words(struct shell *sh, struct list *l, const char *s)
{
	size_t n = word_len(s);
	char name[32];

	if (!n || n >= sizeof(name) || !isspace((unsigned char)s[n]))
		return false;
	memcpy(name, s, n);
	name[n] = 0;
	if (!command_find(name))
		return false;
	if (strcmp(name, "set") == 0) {
		for (const struct setting *r = settings_rows; r->name; r++)
			offer(l, r->name);
	} else if (strcmp(name, "open") == 0 || strcmp(name, "source") == 0) {
		offer_files(l);
	} else if (strcmp(name, "help") == 0) {
		for (unsigned i = 0; stage_kinds[i]; i++)
			offer(l, stage_kinds[i]->syntax.name);
		for (unsigned i = 0; commands[i]; i++)
			offer(l, commands[i]->syntax.name);
	} else if (strcmp(name, "ls") == 0 || strcmp(name, "describe") == 0) {
		offer_events(sh, l);
	} else {
		return strcmp(name, "explain") != 0;
	}
	return true;
}

static void in_source(struct shell *sh, struct list *l, const char *s)
{
	size_t n = strlen(s);

	if (strncmp(s, "explain ", 8) == 0)
		s += 8;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (strlen(s) == 0) { /* first word */
		for (unsigned i = 0; commands[i]; i++)
			offer(l, commands[i]->syntax.name);
		for (const struct def *d = sh->priv->defs; d; d = d->next)
			offer(l, d->name);
		offer_events(sh, l);
	} else if (strstr(s, " on ")) {
		offer_fields(sh, l, s, strlen(s));
	} else if (n && strchr(",>(=", s[n - 1])) {
		offer_events(sh, l);
	} else {
		offer(l, "on");
	}
}

static void in_stage(struct shell *sh, struct list *l, const char *s, const char *bar)
{
	const char *p = bar + 1;
	const struct stage_kind *k;
	char name[32];
	size_t n;

	while (isspace((unsigned char)*p))
		p++;
	n = word_len(p);
	if (!n || !isspace((unsigned char)p[n]) || n >= sizeof(name)) {
		for (unsigned i = 0; stage_kinds[i]; i++)
			offer(l, stage_kinds[i]->syntax.name);
		return;
	}
	if (strchr(l->word, '.') && strncmp(l->word, "start.", 6) && strncmp(l->word, "end.", 4)) {
		offer_suffixes(l);
		return;
	}
	if (strrchr(p, '>') && strrchr(p, '>')[1] == ' ' &&
	    strspn(strrchr(p, '>') + 1, " ") == strlen(strrchr(p, '>') + 1))
		offer_files(l);
	memcpy(name, p, n);
	name[n] = 0;
	k = stage_find(name);
	for (unsigned i = 0; k && i < 6 && k->syntax.clauses[i].word; i++) {
		if (k->syntax.clauses[i].word[0] != 'p' || k->syntax.clauses[i].word[1] != '*')
			offer(l, k->syntax.clauses[i].word);
	}
	offer_fields(sh, l, s, (size_t)(bar - s));
	offer_functions(l);
}

char **complete_matches(struct shell *sh, const char *before, const char *word)
{
	struct list l = {.word = word, .len = strlen(word)};
	const char *s = statement(before), *bar = last_bar(s);
	size_t common;

	if (command_words(sh, &l, s))
		;
	else if (bar)
		in_stage(sh, &l, s, bar);
	else
		in_source(sh, &l, s);
	if (!l.n)
		return NULL;
	if (l.n == 1) { /* readline wants a single candidate in [0] alone */
		l.v[0] = l.v[1];
		l.v[1] = NULL;
		return l.v;
	}
	common = strlen(l.v[1]);
	for (size_t i = 2; i <= l.n; i++) {
		size_t k = 0;

		while (k < common && l.v[i][k] == l.v[1][k])
			k++;
		common = k;
	}
	l.v[0] = xmalloc(common + 1);
	memcpy(l.v[0], l.v[1], common);
	l.v[0][common] = 0;
	return l.v;
}
