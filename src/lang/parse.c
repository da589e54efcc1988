/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scripts: which kind of statement stands here, the script's own control flow, and the entry
 * points of the parser. Knows stages and commands only through struct grammar.
 */
#include "lang/parser.h"

#include <string.h>

#define MAX_PARAMETERS 100

static struct node *parse_statement(struct parser *p);

static struct node *script_block(struct parser *p)
{
	return parse_braces(p, parse_statement);
}

/* let x = E */
static struct node *parse_let(struct parser *p)
{
	struct node *n = parse_node(p, N_ASSIGN, parse_peek(p, LEXM_EXPR)), *e;
	const struct lex_token *t;

	parse_take(p);
	t = parse_peek(p, LEXM_EXPR);
	if (t->kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "a name",
					t->kind == LEX_VAR ? "the name stands without its $"
							   : NULL);
	n->str = parse_text(p, t);
	parse_take(p);
	if (!parse_eat(p, OP_ASSIGN))
		return parse_unexpected(p, LEXM_EXPR, "'='", NULL);
	e = parse_expr(p);
	if (!e)
		return NULL;
	node_add(p->a, n, e);
	return parse_done(p, n);
}

/* def NAME(A, B) { ... } */
static struct node *parse_def(struct parser *p)
{
	struct node *n = parse_node(p, N_DEF, parse_peek(p, LEXM_EXPR)), *kid;
	struct parse_ctx saved;
	struct lex_token t;
	struct span open;

	parse_take(p);
	t = *parse_peek(p, LEXM_EXPR);
	if (t.kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "the function's name", NULL);
	n->str = parse_text(p, &t);
	parse_take(p);
	open = parse_span(p, parse_peek(p, LEXM_EXPR));
	if (!parse_open(p, OP_LPAREN, &saved))
		return NULL;
	if (!parse_at(p, OP_RPAREN)) {
		do {
			t = *parse_peek(p, LEXM_EXPR);
			if (t.kind != LEX_IDENT)
				return parse_unexpected(p, LEXM_EXPR, "a parameter's name", NULL);
			kid = parse_node(p, N_WORD, &t);
			kid->str = parse_text(p, &t);
			if (n->n >= MAX_PARAMETERS)
				return parse_error(p, "bad-arguments", kid->span, NULL,
						   "more than %d parameters", MAX_PARAMETERS);
			for (size_t i = 0; i < n->n; i++) {
				if (strcmp(n->kids[i]->str, kid->str) == 0)
					return parse_error(p, "duplicate-name", kid->span, NULL,
							   "parameter '%s' twice", kid->str);
			}
			node_add(p->a, n, kid);
			parse_take(p);
		} while (parse_eat(p, OP_COMMA));
	}
	if (!parse_close(p, OP_RPAREN, open, &saved))
		return NULL;
	kid = script_block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

/* for X in WORDS { ... } */
static struct node *parse_for(struct parser *p)
{
	struct node *n = parse_node(p, N_FOR, parse_peek(p, LEXM_EXPR)), *kid;
	const struct lex_token *t;

	parse_take(p);
	t = parse_peek(p, LEXM_EXPR);
	if (t->kind != LEX_IDENT)
		return parse_unexpected(p, LEXM_EXPR, "a variable's name",
					"for X in a b c { ... }");
	n->str = parse_text(p, t);
	parse_take(p);
	if (!parse_at_word(p, "in"))
		return parse_unexpected(p, LEXM_EXPR, "'in'", "for X in a b c { ... }");
	parse_take(p);
	for (;;) {
		t = parse_peek(p, LEXM_LIST);
		if (t->kind != LEX_WORD && t->kind != LEX_STRING)
			break;
		kid = parse_word(p, LEXM_LIST);
		node_add(p->a, n, kid);
	}
	if (t->kind == LEX_ERROR)
		return parse_unexpected(p, LEXM_LIST, "a word", NULL);
	kid = script_block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

static struct node *parse_begin(struct parser *p)
{
	bool begin = parse_at_word(p, "begin");
	struct node *n = parse_node(p, begin ? N_BEGIN : N_END, parse_peek(p, LEXM_EXPR)), *kid;

	parse_take(p);
	kid = parse_event_block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

static struct node *parse_tick(struct parser *p)
{
	struct node *n = parse_node(p, N_TICK, parse_peek(p, LEXM_EXPR)), *kid;

	parse_take(p);
	kid = parse_expr(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	kid = parse_event_block(p);
	if (!kid)
		return NULL;
	node_add(p->a, n, kid);
	return parse_done(p, n);
}

static struct node *parse_if_script(struct parser *p)
{
	return parse_if(p, script_block);
}

static struct node *parse_while_script(struct parser *p)
{
	return parse_while(p, script_block);
}

/* -- what kind of statement -- */

enum follow {
	F_SOURCE, /* | , -> : the word is an event */
	F_ASSIGN, /* = */
	F_END,    /* nothing more */
	F_TAIL,   /* > >> & : the end of a pipeline */
	F_BRACE,  /* { */
	F_PAREN,  /* ( */
	F_WORD,   /* anything else */
};

/* What comes behind the first word of a statement */
static enum follow parse_follow(struct parser *p, const struct lex_token *word)
{
	struct lex_token t;

	parse_look(p, word, LEXM_EXPR, &t);
	if (t.kind == LEX_NEWLINE) { /* a line that begins with a bar or an arrow goes on */
		lex_next(p->src, t.off, LEXM_EXPR, LEXF_NL, &t);
		return t.kind == LEX_OP && (t.op == OP_BAR || t.op == OP_ARROW) ? F_SOURCE : F_END;
	}
	if (t.kind == LEX_EOF || t.kind == LEX_SEMI)
		return F_END;
	if (t.kind != LEX_OP)
		return F_WORD;
	switch (t.op) {
	case OP_BAR:
	case OP_COMMA:
	case OP_ARROW: return F_SOURCE;
	case OP_ASSIGN: return F_ASSIGN;
	case OP_GT:
	case OP_SHR:
	case OP_AMP: return F_TAIL;
	case OP_LBRACE: return F_BRACE;
	case OP_LPAREN: return F_PAREN;
	case OP_RBRACE: return F_END;
	default: return F_WORD;
	}
}

static const struct keyword {
	const char *word;
	struct node *(*parse)(struct parser *);
	unsigned follows; /* bits of enum follow that make the word a keyword */
} keywords[] = {
	{"let", parse_let, 1 << F_WORD | 1 << F_END},
	{"def", parse_def, 1 << F_WORD | 1 << F_END},
	{"if", parse_if_script, 1 << F_WORD | 1 << F_PAREN | 1 << F_BRACE | 1 << F_END},
	{"while", parse_while_script, 1 << F_WORD | 1 << F_PAREN | 1 << F_BRACE | 1 << F_END},
	{"for", parse_for, 1 << F_WORD | 1 << F_PAREN | 1 << F_END},
	{"begin", parse_begin, 1 << F_BRACE},
	{"end", parse_begin, 1 << F_BRACE},
	{"tick", parse_tick, 1 << F_WORD | 1 << F_PAREN | 1 << F_BRACE},
};

/* NAME = pipeline */
static struct node *parse_named(struct parser *p, const struct lex_token *name)
{
	struct node *n;

	parse_take(p);
	parse_eat(p, OP_ASSIGN);
	n = parse_pipeline(p);
	if (!n)
		return NULL;
	n->str = parse_text(p, name);
	n->span.len += n->span.off - name->off;
	n->span.off = name->off;
	return n;
}

/* NAME and words, but no command has this name */
static struct node *unknown_command(struct parser *p, const struct lex_token *t, const char *word)
{
	struct lex_token next;
	const char *hint;

	if (p->g->stage(word))
		return parse_error(p, "unknown-command", parse_span(p, t),
				   "a stage stands behind an event: EVENT | STAGE",
				   "'%s' is a stage, no command", word);
	parse_look(p, t, LEXM_EXPR, &next);
	if (next.kind == LEX_IDENT && p->g->stage(parse_text(p, &next)))
		return parse_error(p, "syntax", parse_span(p, &next), "stages stand behind a '|'",
				   "expected '|', found %s", parse_show(p, &next));
	hint = parse_nearest(p, word, p->g->command_name, p->defs, p->ndefs);
	return parse_error(p, "unknown-command", parse_span(p, t),
			   hint ? hint : "an event is followed by '|'", "no command '%s'", word);
}

/* A statement that begins with a name: keyword, command, function, NAME = ..., or a pipeline */
static struct node *parse_named_statement(struct parser *p, const struct lex_token *t)
{
	const char *word = parse_text(p, t);
	enum follow f = parse_follow(p, t);
	const struct command_syntax *cmd;

	if (f == F_SOURCE)
		return parse_pipeline(p);
	if (f == F_ASSIGN)
		return parse_named(p, t);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		if (strcmp(keywords[i].word, word) == 0 && (keywords[i].follows & 1u << f))
			return keywords[i].parse(p);
	}
	cmd = p->g->command(word);
	if (cmd || parse_is_def(p, word))
		return parse_command(p, cmd);
	if (f == F_WORD) {
		struct lex_token next;

		parse_look(p, t, LEXM_EXPR, &next);
		if (next.kind != LEX_IDENT || !parse_tok_is(p, &next, "for"))
			return unknown_command(p, t, word);
	}
	if (strcmp(word, "else") == 0)
		return parse_error(p, "syntax", parse_span(p, t), NULL, "'else' without its 'if'");
	return parse_pipeline(p);
}

static struct node *parse_statement(struct parser *p)
{
	struct lex_token t = *parse_peek(p, LEXM_SOURCE);
	const struct command_syntax shell = {"!", CMD_REST};
	struct node *n;

	if (t.kind == LEX_OP && (t.op == OP_NOT || t.op == OP_NE || t.op == OP_NGLOB))
		n = parse_command(p, &shell);
	else if (t.kind == LEX_WORD && lex_is_ident(p->src->text + t.off, t.len))
		n = parse_named_statement(p, &t);
	else if (t.kind == LEX_MAP)
		return parse_error(p, "syntax", parse_span(p, &t),
				   "maps live in blocks: do { }, begin { }, end { }, tick DUR { }",
				   "a map outside a block");
	else
		n = parse_pipeline(p);
	if (!n)
		return NULL;
	if (!parse_at_end(p) || parse_at(p, OP_RPAREN) || (!p->braces && parse_at(p, OP_RBRACE)))
		return parse_unexpected(p, LEXM_EXPR, "the end of the statement", NULL);
	return n;
}

static void parse_statements(struct parser *p, struct node *script)
{
	struct parse_mark m = parse_mark(p);

	for (;;) {
		uint32_t before;
		struct node *n;

		parse_skip_newlines(p);
		if (parse_peek(p, LEXM_EXPR)->kind == LEX_EOF)
			return;
		if (parse_peek(p, LEXM_EXPR)->kind == LEX_SEMI) {
			parse_take(p);
			continue;
		}
		before = p->pos;
		n = parse_statement(p);
		if (n) {
			node_add(p->a, script, n);
			continue;
		}
		parse_sync(p, &m, false);
		if (p->pos == before || lex_char(p->src, p->pos) == '}' ||
		    lex_char(p->src, p->pos) == ')')
			p->pos++;
		p->have = false;
	}
}

static void parser_init(struct parser *p, struct arena *a, struct diags *d, const struct grammar *g,
			const struct source *src)
{
	memset(p, 0, sizeof(*p));
	p->a = a;
	p->d = d;
	p->g = g;
	p->src = src;
	p->errors0 = d->errors;
	if (src->len >= 3 && memcmp(src->text, "\xef\xbb\xbf", 3) == 0)
		p->pos = 3;
}

/* NUL would end the texts of the tree early */
static bool text_is_clean(struct parser *p)
{
	const char *nul = memchr(p->src->text, 0, p->src->len);
	struct span at = {.src = p->src, .len = 1};

	if (!nul)
		return true;
	at.off = (uint32_t)(nul - p->src->text);
	parse_error(p, "syntax", at, NULL, "a NUL byte in the text");
	return false;
}

struct node *parse_script(struct arena *a, struct diags *d, const struct grammar *g,
			  const struct source *src)
{
	struct node *script = node_new(a, N_SCRIPT, (struct span){.src = src, .len = src->len});
	struct parser p;

	parser_init(&p, a, d, g, src);
	if (text_is_clean(&p)) {
		parse_find_defs(&p);
		parse_statements(&p, script);
	}
	return script;
}

struct node *parse_expr_text(struct arena *a, struct diags *d, const struct source *src)
{
	struct parser p;
	struct node *n;

	parser_init(&p, a, d, NULL, src);
	if (!text_is_clean(&p))
		return NULL;
	n = parse_expr(&p);
	parse_skip_newlines(&p);
	if (n && parse_peek(&p, LEXM_EXPR)->kind != LEX_EOF)
		return parse_unexpected(&p, LEXM_EXPR, "the end of the expression", NULL);
	return n;
}
