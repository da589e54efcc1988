/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sources: event patterns, probes with their fetch lists, unions, pairs and chains,
 * sub-pipelines. Looks no event up.
 */
#include "lang/parser.h"

#include <string.h>

static const struct probe_kind {
	const char *name;
	bool fetches;
	enum lex_mode target;
} probe_kinds[] = {
	{"kprobe", true, LEXM_TARGET}, {"kretprobe", true, LEXM_TARGET},
	{"uprobe", true, LEXM_PATH},   {"uretprobe", true, LEXM_PATH},
	{"usdt", true, LEXM_PATH},     {"tprobe", true, LEXM_TARGET},
	{"fprobe", true, LEXM_TARGET}, {"fexit", true, LEXM_TARGET},
	{"eprobe", true, LEXM_TARGET}, {"function", false, LEXM_TARGET},
	{"graph", false, LEXM_TARGET}, {"syscall", false, LEXM_TARGET},
};

/* The kind whose name and colon stand at @at. Looked up before a pattern is read, because the
 * slash of a path opens no regular expression. */
static const struct probe_kind *find_probe(struct parser *p, uint32_t at)
{
	const char *s = p->src->text + at;

	for (size_t i = 0; i < sizeof(probe_kinds) / sizeof(probe_kinds[0]); i++) {
		size_t n = strlen(probe_kinds[i].name);

		if (at + n < p->src->len && memcmp(s, probe_kinds[i].name, n) == 0 && s[n] == ':')
			return &probe_kinds[i];
	}
	return NULL;
}

static struct node *parse_typed(struct parser *p, struct node *e)
{
	struct node *n = node_new(p->a, E_TYPED, e->span);
	const struct lex_token *t;

	parse_take(p); /* : */
	t = parse_peek(p, LEXM_TYPE);
	if (t->kind != LEX_WORD)
		return parse_unexpected(p, LEXM_TYPE, "a type such as u32, x64 or string", NULL);
	n->str = parse_text(p, t);
	node_add(p->a, n, e);
	parse_take(p);
	return parse_done(p, n);
}

/* `name = FETCH [: type]` or `raw "..."` */
static struct node *parse_fetch(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR), next;
	struct node *n = parse_node(p, N_FETCH, &t), *e;

	if (t.kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "name = FETCH", NULL);
	parse_look(p, &t, LEXM_EXPR, &next);
	if (next.kind == LEX_OP && next.op == OP_ASSIGN) {
		n->str = parse_text(p, &t);
		parse_take(p);
		parse_eat(p, OP_ASSIGN);
	} else if (!parse_tok_is(p, &t, "raw") || next.kind != LEX_STRING) {
		return parse_error(p, "syntax", parse_span(p, &t),
				   "each argument of a probe is `name = FETCH`",
				   "a fetch without a name");
	}
	e = parse_expr(p);
	if (e && parse_at(p, OP_COLON))
		e = parse_typed(p, e);
	if (!e)
		return NULL;
	node_add(p->a, n, e);
	return parse_done(p, n);
}

static int parse_fetches(struct parser *p, struct node *probe)
{
	struct span at = parse_span(p, parse_peek(p, LEXM_EXPR));
	struct parse_ctx saved;

	if (!parse_open(p, OP_LPAREN, &saved))
		return -1;
	p->ctx.fetch = true;
	if (!parse_at(p, OP_RPAREN)) {
		do {
			struct node *f = parse_fetch(p);

			if (!f)
				return -1;
			node_add(p->a, probe, f);
		} while (parse_eat(p, OP_COMMA));
	}
	return parse_close(p, OP_RPAREN, at, &saved) ? 0 : -1;
}

static struct node *parse_probe(struct parser *p, const struct lex_token *at,
				const struct probe_kind *kind)
{
	struct node *n = parse_node(p, N_PROBE, at);
	const struct lex_token *t;

	n->str = kind->name;
	p->pos = at->off + (uint32_t)strlen(kind->name) + 1;
	p->have = false;
	t = parse_peek(p, kind->target);
	if (t->kind == LEX_ERROR || t->kind == LEX_EOF || t->kind == LEX_NEWLINE ||
	    t->kind == LEX_SEMI || t->off != p->pos || (t->kind == LEX_STRING && t->len == 2))
		return parse_error(p, "syntax", n->span, NULL, "'%s:' without what to probe",
				   kind->name);
	if (t->kind == LEX_STRING) { /* "/a file":symbol */
		n->str2 = parse_string_node(p, t)->str;
		parse_take(p);
		t = parse_peek(p, LEXM_PATH);
		if (t->kind == LEX_WORD && t->off == p->pos && lex_char(p->src, t->off) == ':') {
			n->str2 = arena_printf(p->a, "%s%s", n->str2, parse_text(p, t));
			parse_take(p);
		}
	} else {
		n->str2 = parse_text(p, t);
		parse_take(p);
	}
	if (parse_at(p, OP_LPAREN)) {
		if (!kind->fetches)
			return parse_unexpected(p, LEXM_EXPR, "'|'",
						"this kind of source takes no fetch list");
		if (parse_fetches(p, n) != 0)
			return NULL;
	}
	return parse_done(p, n);
}

static struct node *parse_subpipe(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR);
	struct node *n = parse_node(p, N_SUBPIPE, &t), *pipe;
	struct parse_ctx saved;

	if (!parse_enter(p) || !parse_open(p, OP_LPAREN, &saved))
		return NULL;
	p->subs++;
	pipe = parse_pipeline(p);
	p->subs--;
	if (!pipe || !parse_close(p, OP_RPAREN, parse_span(p, &t), &saved))
		return NULL;
	parse_leave(p);
	node_add(p->a, n, pipe);
	return parse_done(p, n);
}

static struct node *parse_item(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_SOURCE);
	const struct probe_kind *kind = find_probe(p, t->off);
	struct node *n;

	if (kind) {
		struct lex_token at = *t;

		return parse_probe(p, &at, kind);
	}
	if (t->kind == LEX_OP && t->op == OP_LPAREN)
		return parse_subpipe(p);
	if (t->kind != LEX_WORD)
		return parse_unexpected(p, LEXM_SOURCE, "an event",
					t->kind == LEX_STRING ? "event names have no quotes"
							      : NULL);
	n = parse_node(p, N_EVENT, t);
	n->str = parse_text(p, t);
	if (lex_digit((unsigned char)n->str[0]))
		return parse_error(p, "syntax", n->span, "a variable is set with `let x = 5`",
				   "expected an event, found '%s'", n->str);
	parse_take(p);
	return n;
}

static struct node *parse_union(struct parser *p)
{
	struct lex_token first = *parse_peek(p, LEXM_SOURCE);
	struct node *n = parse_item(p), *u;

	if (!n || !parse_at(p, OP_COMMA))
		return n;
	u = parse_node(p, N_UNION, &first);
	node_add(p->a, u, n);
	while (parse_eat(p, OP_COMMA)) {
		parse_skip_newlines(p);
		n = parse_item(p);
		if (!n)
			return NULL;
		node_add(p->a, u, n);
	}
	return parse_done(p, u);
}

/* `on KEYS [within DUR]` behind the second source of a pair */
static int parse_keys(struct parser *p, struct node *pair)
{
	struct node *on, *within, *dur;

	if (!parse_at_word(p, "on")) {
		parse_unexpected(p, LEXM_EXPR, "'on KEYS'",
				 "a pair says what both have in common: A -> B on tid");
		return -1;
	}
	on = parse_node(p, N_ON, parse_peek(p, LEXM_EXPR));
	parse_take(p);
	if (parse_list(p, on) != 0)
		return -1;
	node_add(p->a, pair, parse_done(p, on));
	if (!parse_at_word(p, "within"))
		return 0;
	within = parse_node(p, N_WITHIN, parse_peek(p, LEXM_EXPR));
	parse_take(p);
	dur = parse_expr(p);
	if (!dur)
		return -1;
	node_add(p->a, within, dur);
	node_add(p->a, pair, parse_done(p, within));
	return 0;
}

/* A pair's arrow may also begin the next line, as a stage's bar may */
static bool at_arrow(struct parser *p)
{
	uint32_t next;

	if (parse_at(p, OP_ARROW))
		return true;
	next = lex_blanks(p->src, p->pos, LEXF_NL);
	if (lex_char(p->src, next) != '-' || lex_char(p->src, next + 1) != '>')
		return false;
	parse_skip_newlines(p);
	return parse_at(p, OP_ARROW);
}

struct node *parse_source(struct parser *p)
{
	struct lex_token first = *parse_peek(p, LEXM_SOURCE);
	struct parse_ctx saved = p->ctx;
	struct node *n, *pair, *b;

	p->ctx = (struct parse_ctx){.bar_ends = true, .gt_ends = p->subs == 0};
	n = parse_union(p);
	while (n && at_arrow(p)) {
		parse_take(p);
		parse_skip_newlines(p);
		b = parse_union(p);
		if (!b)
			return NULL;
		pair = parse_node(p, N_PAIR, &first);
		node_add(p->a, pair, n);
		node_add(p->a, pair, b);
		if (parse_keys(p, pair) != 0)
			return NULL;
		n = parse_done(p, pair);
		if (parse_deep(p, n))
			return NULL;
	}
	p->ctx = saved;
	return n;
}
