/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions: C's operators by a table of priorities, `in`, `has`, globs and regular expressions,
 * suffix chains, calls, maps; and the members and types of fetch lists. Words such as `in`, `by`
 * or `for` are names wherever an operand can stand.
 */
#include "lang/parser.h"

#include <string.h>

static const struct binary {
	enum lex_op op;
	int prio;
} binaries[] = {
	{OP_OR, 1},    {OP_AND, 2},    {OP_BAR, 3},      {OP_CARET, 4}, {OP_AMP, 5},  {OP_EQ, 6},
	{OP_NE, 6},    {OP_MATCH, 6},  {OP_TILDE, 6},    {OP_NGLOB, 6}, {OP_LT, 7},   {OP_LE, 7},
	{OP_GT, 7},    {OP_GE, 7},     {OP_SHL, 8},      {OP_SHR, 8},   {OP_PLUS, 9}, {OP_MINUS, 9},
	{OP_STAR, 10}, {OP_SLASH, 10}, {OP_PERCENT, 10},
};

int parse_prio(const char *op)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
		if (strcmp(lex_op_text(binaries[i].op), op) == 0)
			return binaries[i].prio;
	}
	return PRIO_WORD;
}

static struct node *parse_binary(struct parser *p, int min);

/* Does the `>` or `>>` at @t compare or shift, where a redirection could stand as well? */
static bool gt_is_operator(struct parser *p, const struct lex_token *t)
{
	struct lex_token n;

	parse_look(p, t, LEXM_EXPR, &n);
	if (n.kind == LEX_OP && n.op == OP_LPAREN)
		return true;
	if (n.kind == LEX_OP && (n.op == OP_MINUS || n.op == OP_PLUS)) {
		struct lex_token m = n;

		parse_look(p, &m, LEXM_EXPR, &n);
	}
	return n.kind == LEX_NUM || n.kind == LEX_TIME || n.kind == LEX_SIZE;
}

/* `&` at the end of a statement puts a pipeline in the background */
static bool amp_is_operator(struct parser *p, const struct lex_token *t)
{
	struct lex_token n;

	if (!p->ctx.bar_ends)
		return true;
	parse_look(p, t, LEXM_EXPR, &n);
	return n.kind != LEX_EOF && n.kind != LEX_NEWLINE && n.kind != LEX_SEMI &&
	       !(n.kind == LEX_OP && (n.op == OP_RBRACE || n.op == OP_RPAREN));
}

/* Priority of the operator at @t here, 0 if it is none */
static int binary_prio(struct parser *p, const struct lex_token *t)
{
	if (t->kind == LEX_IDENT)
		return parse_tok_is(p, t, "in") || parse_tok_is(p, t, "has") ? PRIO_WORD : 0;
	if (t->kind != LEX_OP)
		return 0;
	if (t->op == OP_BAR && p->ctx.bar_ends)
		return 0;
	if ((t->op == OP_GT || t->op == OP_SHR) && p->ctx.gt_ends && !gt_is_operator(p, t))
		return 0;
	if (t->op == OP_AMP && !amp_is_operator(p, t))
		return 0;
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
		if (binaries[i].op == t->op)
			return binaries[i].prio;
	}
	return 0;
}

int parse_list(struct parser *p, struct node *to)
{
	for (;;) {
		struct node *e = parse_expr(p);

		if (!e)
			return -1;
		node_add(p->a, to, e);
		if (!parse_eat(p, OP_COMMA))
			return 0;
		parse_skip_newlines(p);
	}
}

/* `( list )` or `[ list ]`; empty is allowed */
static int parse_arguments(struct parser *p, struct node *to, enum lex_op open, enum lex_op close)
{
	struct span at = parse_span(p, parse_peek(p, LEXM_EXPR));
	struct parse_ctx saved;

	if (!parse_open(p, open, &saved))
		return -1;
	if (!parse_at(p, close) && parse_list(p, to) != 0)
		return -1;
	return parse_close(p, close, at, &saved) ? 0 : -1;
}

static struct node *parse_var(struct parser *p, const struct lex_token *t)
{
	struct node *n = parse_node(p, E_VAR, t);

	n->str = arena_strndup(p->a, p->src->text + t->aux, t->num);
	parse_take(p);
	return n;
}

static struct node *parse_map(struct parser *p, const struct lex_token *t)
{
	struct node *n = parse_node(p, E_MAP, t);

	n->str = arena_strndup(p->a, p->src->text + t->off + 1, t->len - 1);
	parse_take(p);
	if (parse_at(p, OP_LBRACKET)) {
		struct lex_token open = *parse_peek(p, LEXM_EXPR);

		if (parse_arguments(p, n, OP_LBRACKET, OP_RBRACKET) != 0)
			return NULL;
		if (n->n == 0)
			return parse_error(p, "syntax", parse_span(p, &open), NULL,
					   "a map's brackets need a key");
	}
	return parse_done(p, n);
}

static struct node *parse_number(struct parser *p, const struct lex_token *t)
{
	enum node_kind k = t->kind == LEX_TIME ? E_TIME : t->kind == LEX_SIZE ? E_SIZE : E_NUM;
	struct node *n = parse_node(p, k, t);

	n->num = t->num;
	n->str = parse_text(p, t);
	if (k == E_NUM && t->num > INT64_MAX)
		n->flags |= NF_BIG;
	parse_take(p);
	return n;
}

static struct node *parse_name(struct parser *p, const struct lex_token *tok)
{
	struct lex_token t = *tok;
	struct node *n = parse_node(p, E_NAME, &t);

	n->str = parse_text(p, &t);
	parse_take(p);
	if (parse_at(p, OP_LPAREN)) {
		n->kind = E_CALL;
		if (parse_arguments(p, n, OP_LPAREN, OP_RPAREN) != 0)
			return NULL;
	} else if (p->ctx.fetch && strcmp(n->str, "raw") == 0 &&
		   parse_peek(p, LEXM_EXPR)->kind == LEX_STRING) {
		n->kind = E_CALL;
		node_add(p->a, n, parse_string_node(p, parse_peek(p, LEXM_EXPR)));
		parse_take(p);
	} else if (lex_is_percentile(n->str, strlen(n->str)) && strchr(n->str, '.')) {
		return parse_error(p, "bad-number", n->span, NULL,
				   "percentile '%s' where a value is wanted", n->str);
	}
	return parse_done(p, n);
}

static struct node *parse_parens(struct parser *p, const struct lex_token *t)
{
	struct span at = parse_span(p, t);
	struct parse_ctx saved;
	struct node *n;

	if (!parse_open(p, OP_LPAREN, &saved))
		return NULL;
	n = parse_expr(p);
	if (!n || !parse_close(p, OP_RPAREN, at, &saved))
		return NULL;
	n->flags |= NF_PAREN;
	return n;
}

struct node *parse_primary(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);
	struct node *n;

	switch (t->kind) {
	case LEX_NUM:
	case LEX_TIME:
	case LEX_SIZE: return parse_number(p, t);
	case LEX_STRING:
		n = parse_string_node(p, t);
		parse_take(p);
		return n;
	case LEX_VAR: return parse_var(p, t);
	case LEX_MAP: return parse_map(p, t);
	case LEX_IDENT: return parse_name(p, t);
	case LEX_OP:
		if (t->op == OP_LPAREN)
			return parse_parens(p, t);
		if (t->op == OP_SLASH)
			return parse_unexpected(p, LEXM_EXPR, "an expression",
						"a regular expression stands behind =~");
		break;
	default: break;
	}
	return parse_unexpected(p, LEXM_EXPR, "an expression", NULL);
}

/* E.suffix, E.suffix(args), and E->member in fetch lists */
static struct node *parse_postfix(struct parser *p)
{
	struct lex_token first = *parse_peek(p, LEXM_EXPR);
	struct node *n = parse_primary(p);

	while (n) {
		struct node *dot;
		const struct lex_token *t;
		bool arrow = p->ctx.fetch && parse_at(p, OP_ARROW);

		if (!arrow && !parse_at(p, OP_DOT))
			break;
		parse_take(p);
		dot = parse_node(p, arrow ? E_ARROW : E_DOT, &first);
		node_add(p->a, dot, n);
		t = parse_peek(p, LEXM_EXPR);
		if (t->kind != LEX_IDENT)
			return parse_unexpected(p, LEXM_EXPR,
						arrow ? "a member's name" : "a suffix", NULL);
		dot->str = parse_text(p, t);
		parse_take(p);
		if (!arrow && parse_at(p, OP_LPAREN)) {
			dot->flags |= NF_CALL;
			if (parse_arguments(p, dot, OP_LPAREN, OP_RPAREN) != 0)
				return NULL;
		}
		n = parse_done(p, dot);
		if (parse_deep(p, n))
			return NULL;
	}
	return n;
}

static struct node *unary(struct parser *p, const struct lex_token *t, const char *op,
			  struct node *kid)
{
	struct node *n;

	if (!kid)
		return NULL;
	n = parse_node(p, E_UNARY, t);
	n->str = op;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

static struct node *parse_unary(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_EXPR), second;
	struct node *kid;

	if (t.kind != LEX_OP || !(t.op == OP_MINUS || t.op == OP_PLUS || t.op == OP_NOT ||
				  t.op == OP_TILDE || t.op == OP_NGLOB))
		return parse_postfix(p);
	if (!parse_enter(p))
		return NULL;
	parse_take(p);
	kid = parse_unary(p);
	parse_leave(p);
	if (t.op != OP_NGLOB)
		return unary(p, &t, lex_op_text(t.op), kid);
	second = t; /* `!~x` with nothing before it is !(~x) */
	second.off++;
	return unary(p, &t, "!", unary(p, &second, "~", kid));
}

static struct node *parse_regex(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_REGEX);
	struct node *n;

	if (t->kind != LEX_REGEX) {
		if (t->kind == LEX_ERROR)
			return parse_unexpected(p, LEXM_REGEX, "/regex/", NULL);
		return parse_binary(p, 7); /* "..." or $x */
	}
	n = parse_node(p, E_REGEX, t);
	n->str = arena_strndup(p->a, p->src->text + t->off + 1, t->aux);
	n->str2 = arena_strndup(p->a, p->src->text + t->off + t->aux + 2, t->len - t->aux - 2);
	parse_take(p);
	return n;
}

/* `x in (1, 2)`, `k in @m` */
static int parse_in(struct parser *p, struct node *n)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);
	struct lex_token open = *t;

	if (t->kind == LEX_MAP) {
		struct node *m = parse_map(p, t);

		if (!m)
			return -1;
		node_add(p->a, n, m);
		if (m->n) {
			parse_error(p, "syntax", m->span, "write `key in @map`",
				    "a map with keys behind 'in'");
			return -1;
		}
		return 0;
	}
	if (t->kind != LEX_OP || t->op != OP_LPAREN) {
		parse_unexpected(p, LEXM_EXPR, "'(' or a map behind 'in'",
				 "lists are written `x in (1, 2, 3)`");
		return -1;
	}
	if (parse_arguments(p, n, OP_LPAREN, OP_RPAREN) != 0)
		return -1;
	if (n->n > 1)
		return 0;
	parse_error(p, "syntax", parse_span(p, &open), NULL, "an empty list behind 'in'");
	return -1;
}

static struct node *parse_binary(struct parser *p, int min)
{
	struct lex_token first = *parse_peek(p, LEXM_EXPR), t;
	struct node *left = parse_unary(p), *right, *n;
	int prio;

	while (left) {
		t = *parse_peek(p, LEXM_EXPR);
		prio = binary_prio(p, &t);
		if (prio == 0 || prio < min)
			return left;
		parse_take(p);
		if (t.kind == LEX_OP && (t.op == OP_OR || t.op == OP_BAR))
			parse_skip_newlines(p); /* a line that ends in | goes on */
		if (t.kind == LEX_IDENT && parse_tok_is(p, &t, "in")) {
			n = parse_node(p, E_IN, &first);
			node_add(p->a, n, left);
			if (parse_in(p, n) != 0)
				return NULL;
		} else {
			right = t.kind == LEX_OP && t.op == OP_MATCH ? parse_regex(p)
								     : parse_binary(p, prio + 1);
			if (!right)
				return NULL;
			n = parse_node(p, E_BINARY, &first);
			n->str = t.kind == LEX_OP ? lex_op_text(t.op) : "has";
			node_add(p->a, n, left);
			node_add(p->a, n, right);
		}
		left = parse_done(p, n);
		if (parse_deep(p, left))
			return NULL;
	}
	return NULL;
}

static struct node *parse_cond(struct parser *p)
{
	struct lex_token first = *parse_peek(p, LEXM_EXPR);
	struct node *cond = parse_binary(p, 1), *n, *then, *other;

	if (!cond || !parse_eat(p, OP_QUEST))
		return cond;
	then = parse_expr(p);
	if (!then)
		return NULL;
	if (!parse_eat(p, OP_COLON))
		return parse_unexpected(p, LEXM_EXPR, "':' of '? :'", NULL);
	other = parse_expr(p);
	if (!other)
		return NULL;
	n = parse_node(p, E_COND, &first);
	node_add(p->a, n, cond);
	node_add(p->a, n, then);
	node_add(p->a, n, other);
	return parse_done(p, n);
}

struct node *parse_expr(struct parser *p)
{
	struct node *n;

	if (!parse_enter(p))
		return NULL;
	n = parse_cond(p);
	parse_leave(p);
	return n && !parse_deep(p, n) ? n : NULL;
}
