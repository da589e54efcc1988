/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pipelines: a source, its stages as their syntax rows say, and the end: redirection, `for`, `&`.
 */
#include "lang/parser.h"

#include <limits.h>
#include <string.h>

#define MAX_CLAUSES 100

static const struct clause_syntax *find_clause(const struct stage_syntax *st, const char *word)
{
	for (size_t i = 0; i < 6 && st->clauses[i].word; i++) {
		const char *w = st->clauses[i].word;

		if (strcmp(w, word) == 0 ||
		    (strcmp(w, "p*") == 0 && lex_is_percentile(word, strlen(word))))
			return &st->clauses[i];
	}
	return NULL;
}

/* `for` with a duration behind it; a field named `for` has none */
static bool at_for_dur(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR), next;

	if (t.kind != LEX_IDENT || !parse_tok_is(p, &t, "for"))
		return false;
	parse_look(p, &t, LEXM_EXPR, &next);
	return next.kind == LEX_NUM || next.kind == LEX_TIME || next.kind == LEX_SIZE ||
	       next.kind == LEX_VAR;
}

/* What ends a pipeline's stages: |! > >> & for, the end of the statement */
static bool at_stage_end(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	if (t->kind == LEX_OP &&
	    (t->op == OP_BAR || t->op == OP_GT || t->op == OP_SHR || t->op == OP_AMP))
		return true;
	return parse_at_end(p) || at_for_dur(p);
}

/* What the user may have meant by a word behind a complete stage */
static const char *word_hint(struct parser *p, const struct stage_syntax *st, const char *word)
{
	const char *clauses[6];
	size_t n = 0;

	if (strcmp(word, "and") == 0)
		return "write && for and";
	if (strcmp(word, "or") == 0)
		return "write || for or";
	if (p->g->stage(word))
		return arena_printf(p->a, "a '|' before '%s'?", word);
	while (n < 6 && st->clauses[n].word) {
		clauses[n] = st->clauses[n].word;
		n++;
	}
	return parse_nearest(p, word, NULL, clauses, n);
}

static void *junk(struct parser *p, const struct stage_syntax *st)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	if (t->kind == LEX_IDENT) {
		const char *word = parse_text(p, t);

		return parse_error(p, "unknown-clause", parse_span(p, t), word_hint(p, st, word),
				   "'%s' does not know '%s'", st->name, word);
	}
	if (t->kind == LEX_OP && t->op == OP_COMMA)
		return parse_error(p, "bad-arguments", parse_span(p, t), NULL,
				   "too many arguments for '%s'", st->name);
	return parse_unexpected(p, LEXM_EXPR, "'|' or the end of the statement",
				t->kind == LEX_OP && t->op == OP_ASSIGN ? "== compares" : NULL);
}

static struct node *parse_argument(struct parser *p, const struct stage_syntax *st)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR), next;
	struct node *n = parse_node(p, N_ARG, &t), *e;

	if (st->flags & ST_NAMED) {
		if (t.kind != LEX_IDENT)
			return parse_unexpected(p, LEXM_EXPR, "name = expression", NULL);
		parse_look(p, &t, LEXM_EXPR, &next);
		if (next.kind != LEX_OP || next.op != OP_ASSIGN)
			return parse_error(p, "syntax", parse_span(p, &t), NULL,
					   "'%s' takes `name = expression`", st->name);
		n->str = parse_text(p, &t);
		parse_take(p);
		parse_eat(p, OP_ASSIGN);
	}
	e = parse_expr(p);
	if (!e)
		return NULL;
	node_add(p->a, n, e);
	return parse_done(p, n);
}

/* Is there an argument here, or already a clause, the next stage or the end? */
static bool at_argument(struct parser *p, const struct stage_syntax *st, unsigned have)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	if (have >= st->max_args || at_stage_end(p))
		return false;
	if (have < st->min_args)
		return true;
	if (t->kind == LEX_OP && t->op == OP_LBRACE)
		return false;
	return t->kind != LEX_IDENT || !find_clause(st, parse_text(p, t));
}

/* `sum by comm`: a clause where the argument is missing, not a field named `by` */
static bool argument_forgotten(struct parser *p, const struct stage_syntax *st)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR), next;

	if (st->min_args == 0 || t.kind != LEX_IDENT || !find_clause(st, parse_text(p, &t)))
		return false;
	parse_look(p, &t, LEXM_EXPR, &next);
	return next.kind == LEX_IDENT && !parse_tok_is(p, &next, "in") &&
	       !parse_tok_is(p, &next, "has") && !parse_tok_is(p, &next, "for") &&
	       !find_clause(st, parse_text(p, &next));
}

static int parse_arguments(struct parser *p, struct node *stage, const struct stage_syntax *st)
{
	unsigned have = 0;

	if (argument_forgotten(p, st)) {
		parse_error(p, "bad-arguments", stage->span, NULL,
			    "'%s' needs an argument before %s", st->name,
			    parse_show(p, parse_peek(p, LEXM_EXPR)));
		return -1;
	}
	if (at_argument(p, st, 0)) {
		do {
			struct node *arg;

			if (have)
				parse_skip_newlines(p);
			if (have == st->max_args) {
				parse_error(p, "bad-arguments",
					    parse_span(p, parse_peek(p, LEXM_EXPR)), NULL,
					    "too many arguments for '%s'", st->name);
				return -1;
			}
			arg = parse_argument(p, st);
			if (!arg)
				return -1;
			node_add(p->a, stage, arg);
			have++;
		} while (parse_eat(p, OP_COMMA));
	}
	if (have >= st->min_args)
		return 0;
	if (!at_stage_end(p))
		junk(p, st);
	else
		parse_error(p, "bad-arguments", stage->span, NULL, "'%s' needs %s", st->name,
			    have                   ? "more arguments"
			    : st->flags & ST_NAMED ? "`name = expression`"
						   : "an argument");
	return -1;
}

static int parse_clause(struct parser *p, struct node *stage, const struct stage_syntax *st)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);
	const struct clause_syntax *cl;
	struct node *n = parse_node(p, N_CLAUSE, t), *e;

	n->str = parse_text(p, t);
	cl = find_clause(st, n->str);
	if (!cl) {
		junk(p, st);
		return -1;
	}
	if (node_clause(stage, n->str)) {
		parse_error(p, "duplicate-name", n->span, NULL, "'%s' twice", n->str);
		return -1;
	}
	if (stage->n >= MAX_CLAUSES) {
		parse_error(p, "bad-arguments", n->span, NULL, "more than %d words for '%s'",
			    MAX_CLAUSES, st->name);
		return -1;
	}
	parse_take(p);
	if (cl->args == CL_ONE) {
		e = parse_expr(p);
		if (!e)
			return -1;
		node_add(p->a, n, e);
	} else if (cl->args == CL_LIST && parse_list(p, n) != 0) {
		return -1;
	}
	node_add(p->a, stage, parse_done(p, n));
	return 0;
}

struct node *parse_stage(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);
	const struct stage_syntax *st;
	struct node *n;

	if (t->kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "a stage", NULL);
	n = parse_node(p, N_STAGE, t);
	n->str = parse_text(p, t);
	st = p->g->stage(n->str);
	if (!st)
		return parse_error(p, "unknown-stage", n->span,
				   parse_nearest(p, n->str, p->g->stage_name, NULL, 0),
				   "no stage '%s'", n->str);
	parse_take(p);
	p->ctx = (struct parse_ctx){.bar_ends = true,
				    .gt_ends = !(st->flags & ST_COND) && p->subs == 0};
	if (st->flags & ST_COND)
		n->flags |= NF_COND;
	if (parse_arguments(p, n, st) != 0)
		return NULL;
	while (parse_peek(p, LEXM_EXPR)->kind == LEX_IDENT && !at_for_dur(p)) {
		if (parse_clause(p, n, st) != 0)
			return NULL;
	}
	if (st->flags & ST_BLOCK) {
		struct node *block = parse_event_block(p);

		if (!block)
			return NULL;
		node_add(p->a, n, block);
	}
	if (!at_stage_end(p))
		return junk(p, st);
	return parse_done(p, n);
}

/* -- the end of a pipeline -- */

/* Length of a raw command without the `for DUR` and `&` at its end */
static uint32_t command_length(const char *s, uint32_t len)
{
	uint32_t n = len, e, b;
	struct source one;
	struct lex_token t;

	if (n && s[n - 1] == '&' && !(n > 1 && s[n - 2] == '&'))
		n--;
	while (n && strchr(" \t", s[n - 1]))
		n--;
	len = n;
	for (b = n; b && !strchr(" \t", s[b - 1]);)
		b--;
	one = (struct source){.text = s, .len = n};
	lex_next(&one, b, LEXM_EXPR, 0, &t);
	if ((t.kind != LEX_TIME && t.kind != LEX_NUM && t.kind != LEX_VAR) || t.len != n - b)
		return len;
	for (e = b; e && strchr(" \t", s[e - 1]);)
		e--;
	if (e < 5 || memcmp(s + e - 3, "for", 3) != 0 || !strchr(" \t", s[e - 4]))
		return len;
	for (e -= 3; e && strchr(" \t", s[e - 1]);)
		e--;
	return e;
}

static struct node *parse_redirect_command(struct parser *p, const struct lex_token *bar)
{
	struct node *n = parse_node(p, N_REDIRECT, bar), *w;
	struct lex_token t;

	n->str = "|!";
	parse_take(p);
	p->pos++; /* the ! */
	t = *parse_peek(p, LEXM_RAW);
	if (t.kind == LEX_WORD)
		t.len = command_length(p->src->text + t.off, t.len);
	if (t.kind != LEX_WORD || t.len == 0)
		return parse_unexpected(p, LEXM_RAW, "a command behind |!", NULL);
	w = parse_node(p, N_WORD, &t);
	w->str = parse_text(p, &t);
	node_add(p->a, n, w);
	p->pos = t.off + t.len;
	p->have = false;
	return parse_done(p, n);
}

static struct node *parse_redirect(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR);
	struct node *n, *w;

	if (t.op == OP_BAR)
		return parse_redirect_command(p, &t);
	n = parse_node(p, N_REDIRECT, &t);
	n->str = lex_op_text(t.op);
	parse_take(p);
	if (parse_peek(p, LEXM_FILE)->kind != LEX_WORD &&
	    parse_peek(p, LEXM_FILE)->kind != LEX_STRING)
		return parse_unexpected(p, LEXM_FILE, "a file name", NULL);
	w = parse_word(p, LEXM_FILE);
	if (!w)
		return NULL;
	node_add(p->a, n, w);
	return parse_done(p, n);
}

static bool at_redirect(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	return t->kind == LEX_OP && (t->op == OP_GT || t->op == OP_SHR ||
				     (t->op == OP_BAR && lex_char(p->src, t->off + 1) == '!'));
}

static int parse_tail(struct parser *p, struct node *pipe)
{
	struct node *redirect = NULL, *dur = NULL;
	struct lex_token t;

	p->ctx = (struct parse_ctx){.bar_ends = true, .gt_ends = true};
	for (;;) {
		t = *parse_peek(p, LEXM_EXPR);
		if (p->subs &&
		    (at_redirect(p) || at_for_dur(p) || (t.kind == LEX_OP && t.op == OP_AMP))) {
			parse_unexpected(p, LEXM_EXPR, "')'",
					 "only a whole pipeline has >, |!, for and &");
			return -1;
		}
		if (at_redirect(p)) {
			if (redirect) {
				parse_unexpected(p, LEXM_EXPR, "the end of the statement",
						 "a pipeline has one output");
				return -1;
			}
			redirect = parse_redirect(p);
			if (!redirect)
				return -1;
		} else if (!dur && at_for_dur(p)) {
			struct node *e;

			dur = parse_node(p, N_FOR_DUR, &t);
			parse_take(p);
			if (parse_peek(p, LEXM_EXPR)->kind == LEX_SIZE) {
				parse_unexpected(p, LEXM_EXPR, "a duration such as 5s", NULL);
				return -1;
			}
			e = parse_primary(p); /* no more: it has to end a |! command too */
			if (!e)
				return -1;
			node_add(p->a, dur, e);
			parse_done(p, dur);
		} else {
			break;
		}
	}
	if (redirect)
		node_add(p->a, pipe, redirect);
	if (dur)
		node_add(p->a, pipe, dur);
	if (parse_eat(p, OP_AMP))
		pipe->flags |= NF_BG;
	return 0;
}

/* At a `|` that brings another stage? It may begin one of the next lines. */
static bool at_bar(struct parser *p)
{
	uint32_t next;

	if (parse_at(p, OP_BAR))
		return !at_redirect(p);
	if (parse_peek(p, LEXM_EXPR)->kind != LEX_NEWLINE)
		return false;
	next = lex_blanks(p->src, p->pos, LEXF_NL);
	if (lex_char(p->src, next) != '|' || lex_char(p->src, next + 1) == '|')
		return false;
	parse_skip_newlines(p);
	return !at_redirect(p);
}

struct node *parse_pipeline(struct parser *p)
{
	struct node *n = parse_node(p, N_PIPELINE, parse_peek(p, LEXM_SOURCE)), *kid;
	struct parse_mark m = parse_mark(p);
	struct lex_token t;
	bool ok = true;

	kid = parse_source(p);
	if (kid) {
		node_add(p->a, n, kid);
		t = *parse_peek(p, LEXM_EXPR);
		if (t.kind != LEX_NEWLINE && !at_stage_end(p)) {
			const char *word = parse_text(p, &t);

			kid = parse_unexpected(p, LEXM_EXPR, "'|'",
					       t.kind == LEX_IDENT && p->g->stage(word)
						       ? "stages stand behind a '|'"
						       : NULL);
		}
	}
	if (!kid) {
		ok = false;
		parse_sync(p, &m, true);
	}
	while (at_bar(p)) {
		parse_take(p);
		parse_skip_newlines(p);
		kid = parse_stage(p);
		if (kid) {
			node_add(p->a, n, kid);
			continue;
		}
		ok = false;
		parse_sync(p, &m, true);
	}
	if (parse_tail(p, n) != 0)
		ok = false;
	p->ctx = m.ctx;
	return ok ? parse_done(p, n) : NULL;
}
