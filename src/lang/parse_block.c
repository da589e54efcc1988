/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Braces, if and while, which scripts and event blocks share, and the statements of event blocks:
 * assignments to maps and variables, calls, for over a map. Which functions exist is not known
 * here.
 */
#include "lang/parser.h"

#include <string.h>

static void skip_separators(struct parser *p)
{
	for (;;) {
		parse_skip_newlines(p);
		if (parse_peek(p, LEXM_EXPR)->kind != LEX_SEMI)
			return;
		parse_take(p);
	}
}

struct node *parse_braces(struct parser *p, struct node *(*one)(struct parser *))
{
	struct lex_token open = *parse_peek(p, LEXM_EXPR);
	struct node *n = parse_node(p, N_BLOCK, &open), *kid;
	struct parse_mark m = parse_mark(p), inner;
	bool ok = true;

	if (!parse_at(p, OP_LBRACE))
		return parse_unexpected(p, LEXM_EXPR, "'{'", NULL);
	if (!parse_enter(p))
		return NULL;
	parse_take(p);
	p->nest = 0;
	p->subs = 0;
	p->braces++;
	p->ctx = (struct parse_ctx){0};
	inner = parse_mark(p);
	for (skip_separators(p); !parse_at(p, OP_RBRACE); skip_separators(p)) {
		uint32_t before = p->pos;

		if (parse_peek(p, LEXM_EXPR)->kind == LEX_EOF) {
			parse_error(p, "missing-bracket", parse_span(p, &open), NULL,
				    "'{' without its '}'");
			return NULL;
		}
		kid = one(p);
		if (kid) {
			node_add(p->a, n, kid);
			if (parse_deep(p, n))
				ok = false;
			continue;
		}
		ok = false;
		parse_sync(p, &inner, false);
		if (lex_char(p->src, p->pos) == ')' ||
		    (p->pos == before && !parse_at(p, OP_RBRACE)))
			p->pos++;
		p->have = false;
		if (p->give_up)
			return NULL;
	}
	p->nest = m.nest; /* before the token behind the brace is read */
	p->braces = m.braces;
	p->subs = m.subs;
	p->ctx = m.ctx;
	parse_take(p);
	parse_leave(p);
	return ok ? parse_done(p, n) : NULL;
}

/* `else` behind a block, here or on one of the next lines */
static bool at_else(struct parser *p)
{
	struct lex_token t;

	lex_next(p->src, p->pos, LEXM_EXPR, LEXF_NL, &t);
	if (t.kind != LEX_IDENT || !parse_tok_is(p, &t, "else"))
		return false;
	parse_skip_newlines(p);
	return true;
}

struct node *parse_if(struct parser *p, struct node *(*block)(struct parser *))
{
	struct node *n = parse_node(p, N_IF, parse_peek(p, LEXM_EXPR)), *kid;

	if (!parse_enter(p))
		return NULL;
	parse_take(p);
	kid = parse_expr(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	kid = block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	if (at_else(p)) {
		parse_at_word(p, "else");
		parse_take(p);
		kid = parse_at_word(p, "if") ? parse_if(p, block) : block(p);
		if (!kid)
			return NULL;
		node_add(p->a, n, kid);
	}
	parse_leave(p);
	return parse_done(p, n);
}

struct node *parse_while(struct parser *p, struct node *(*block)(struct parser *))
{
	struct node *n = parse_node(p, N_WHILE, parse_peek(p, LEXM_EXPR)), *kid;

	parse_take(p);
	kid = parse_expr(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	kid = block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

/* -- statements of event blocks -- */

static struct node *copy(struct parser *p, const struct node *from)
{
	struct node *n = node_new(p->a, from->kind, from->span);

	n->flags = from->flags;
	n->str = from->str;
	n->str2 = from->str2;
	n->num = from->num;
	for (size_t i = 0; i < from->n; i++)
		node_add(p->a, n, copy(p, from->kids[i]));
	return n;
}

static struct node *binary(struct parser *p, const char *op, struct node *target, struct node *e)
{
	struct node *n = node_new(p->a, E_BINARY, target->span);

	n->str = op;
	node_add(p->a, n, copy(p, target));
	node_add(p->a, n, e);
	return parse_done(p, n);
}

/* The `=` that makes `+=` of the operator at @t, or the second sign of `++` */
static bool followed_by(struct parser *p, const struct lex_token *t, char c)
{
	uint32_t at = t->off + t->len;

	return lex_char(p->src, at) == c && (c != '=' || lex_char(p->src, at + 1) != '=');
}

static bool may_assign(const struct lex_token *t)
{
	switch (t->op) {
	case OP_PLUS:
	case OP_MINUS:
	case OP_STAR:
	case OP_SLASH:
	case OP_PERCENT:
	case OP_AMP:
	case OP_BAR:
	case OP_CARET:
	case OP_SHL:
	case OP_SHR: return t->kind == LEX_OP;
	default: return false;
	}
}

/* `TARGET = E`, and C's short forms: `TARGET += E` is TARGET = TARGET + E, `TARGET++` adds 1 */
static struct node *parse_assign(struct parser *p)
{
	struct lex_token first = *parse_peek(p, LEXM_EXPR), t;
	struct node *n = parse_node(p, N_ASSIGN, &first), *target = parse_primary(p), *e;

	if (!target)
		return NULL;
	t = *parse_peek(p, LEXM_EXPR);
	if (t.kind == LEX_OP && t.op == OP_ASSIGN) {
		parse_take(p);
		e = parse_expr(p);
	} else if (may_assign(&t) && followed_by(p, &t, '=')) {
		parse_take(p);
		parse_eat(p, OP_ASSIGN);
		e = parse_expr(p);
		if (e)
			e = binary(p, lex_op_text(t.op), target, e);
	} else if (t.kind == LEX_OP && ((t.op == OP_PLUS && followed_by(p, &t, '+')) ||
					(t.op == OP_MINUS && followed_by(p, &t, '-')))) {
		parse_take(p);
		parse_eat(p, t.op);
		e = parse_node(p, E_NUM, &t);
		e->num = 1;
		e->str = "1";
		e = binary(p, lex_op_text(t.op), target, e);
	} else {
		return parse_unexpected(p, LEXM_EXPR, "'='",
					target->kind == E_MAP ? "print(@map) shows a map" : NULL);
	}
	if (!e)
		return NULL;
	node_add(p->a, n, target);
	node_add(p->a, n, e);
	return parse_done(p, n);
}

/* for (k in @m) { ... } */
static struct node *parse_for(struct parser *p)
{
	struct node *n = parse_node(p, N_FOR, parse_peek(p, LEXM_EXPR)), *kid;
	const char *shape = "over a map's keys: for (k in @map) { ... }";
	struct parse_ctx saved;
	struct span open;
	const struct lex_token *t;

	parse_take(p);
	open = parse_span(p, parse_peek(p, LEXM_EXPR));
	if (!parse_open(p, OP_LPAREN, &saved))
		return NULL;
	t = parse_peek(p, LEXM_EXPR);
	if (t->kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "a name", shape);
	n->str = parse_text(p, t);
	parse_take(p);
	if (!parse_at_word(p, "in"))
		return parse_unexpected(p, LEXM_EXPR, "'in'", shape);
	parse_take(p);
	t = parse_peek(p, LEXM_EXPR);
	if (t->kind != LEX_MAP)
		return parse_unexpected(p, LEXM_EXPR, "a map", shape);
	kid = parse_node(p, E_MAP, t);
	kid->str = arena_strndup(p->a, p->src->text + t->off + 1, t->len - 1);
	node_add(p->a, n, kid);
	parse_take(p);
	if (!parse_close(p, OP_RPAREN, open, &saved))
		return NULL;
	kid = parse_event_block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

/* `exit`, `next`, `print(@m)`, and with the brackets left out: `printf "FMT", E` */
static struct node *parse_call(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR), next;
	struct node *n = parse_node(p, N_EXPR_STMT, &t), *call;

	parse_look(p, &t, LEXM_EXPR, &next);
	if (next.kind == LEX_OP && next.op == OP_LPAREN) {
		call = parse_primary(p);
	} else {
		call = parse_node(p, E_NAME, &t);
		call->str = parse_text(p, &t);
		parse_take(p);
		if (next.kind == LEX_IDENT || next.kind == LEX_NUM || next.kind == LEX_TIME ||
		    next.kind == LEX_SIZE || next.kind == LEX_STRING || next.kind == LEX_VAR ||
		    next.kind == LEX_MAP) {
			call->kind = E_CALL;
			if (parse_list(p, call) != 0)
				return NULL;
		} else if (!parse_tok_is(p, &t, "exit") && !parse_tok_is(p, &t, "next") &&
			   !parse_tok_is(p, &t, "print")) {
			if (next.kind == LEX_OP && next.op == OP_ASSIGN)
				return parse_error(p, "syntax", call->span,
						   "variables are $x, maps are @m",
						   "'%s' cannot be set", call->str);
			return parse_error(p, "syntax", call->span, NULL, "'%s' is no statement",
					   call->str);
		}
		parse_done(p, call);
	}
	if (!call)
		return NULL;
	node_add(p->a, n, call);
	return parse_done(p, n);
}

static struct node *parse_block_statement(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);
	struct node *n;

	if (t->kind == LEX_MAP || t->kind == LEX_VAR)
		n = parse_assign(p);
	else if (t->kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "a statement", NULL);
	else if (parse_tok_is(p, t, "if"))
		return parse_if(p, parse_event_block);
	else if (parse_tok_is(p, t, "while"))
		return parse_while(p, parse_event_block);
	else if (parse_tok_is(p, t, "for"))
		return parse_for(p);
	else
		n = parse_call(p);
	if (!n || parse_at_end(p))
		return n;
	return parse_unexpected(p, LEXM_EXPR, "the end of the statement", NULL);
}

struct node *parse_event_block(struct parser *p)
{
	return parse_braces(p, parse_block_statement);
}
