/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parser's hands: taking tokens, brackets, errors, and going on after one. No grammar here. */
#include "lang/parser.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MAX_ERRORS 50
#define MAX_NEST 200
#define DEPTH_STEP 50 /* levels that can be added between two calls of parse_deep() */

const struct lex_token *parse_peek(struct parser *p, enum lex_mode mode)
{
	unsigned flags =
		(p->nest ? LEXF_NL : 0) | (p->braces ? LEXF_BRACE : 0) | (p->subs ? LEXF_PAREN : 0);

	if (!p->have || p->mode != mode) {
		lex_next(p->src, p->pos, mode, flags, &p->tok);
		p->mode = mode;
		p->have = true;
	}
	return &p->tok;
}

void parse_take(struct parser *p)
{
	if (p->have)
		p->pos = p->tok.off + p->tok.len;
	p->have = false;
}

void parse_look(struct parser *p, const struct lex_token *t, enum lex_mode mode,
		struct lex_token *out)
{
	lex_next(p->src, t->off + t->len, mode, p->nest ? LEXF_NL : 0, out);
}

bool parse_at(struct parser *p, enum lex_op op)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	return t->kind == LEX_OP && t->op == op;
}

bool parse_eat(struct parser *p, enum lex_op op)
{
	if (!parse_at(p, op))
		return false;
	parse_take(p);
	return true;
}

bool parse_tok_is(struct parser *p, const struct lex_token *t, const char *word)
{
	return (t->kind == LEX_IDENT || t->kind == LEX_WORD) && t->len == strlen(word) &&
	       memcmp(p->src->text + t->off, word, t->len) == 0;
}

bool parse_at_word(struct parser *p, const char *word)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	return t->kind == LEX_IDENT && parse_tok_is(p, t, word);
}

bool parse_at_end(struct parser *p)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);

	return t->kind == LEX_EOF || t->kind == LEX_NEWLINE || t->kind == LEX_SEMI ||
	       (t->kind == LEX_OP && (t->op == OP_RBRACE || t->op == OP_RPAREN));
}

void parse_skip_newlines(struct parser *p)
{
	p->pos = lex_blanks(p->src, p->pos, LEXF_NL);
	p->have = false;
}

bool parse_open(struct parser *p, enum lex_op op, struct parse_ctx *saved)
{
	if (!parse_eat(p, op)) {
		char want[16];

		snprintf(want, sizeof(want), "'%s'", lex_op_text(op));
		parse_unexpected(p, LEXM_EXPR, want, NULL);
		return false;
	}
	*saved = p->ctx;
	p->ctx.bar_ends = p->ctx.gt_ends = false;
	p->nest++;
	return true;
}

bool parse_close(struct parser *p, enum lex_op op, struct span open, const struct parse_ctx *saved)
{
	const struct lex_token *t = parse_peek(p, LEXM_EXPR);
	char want[24];

	if (t->kind == LEX_OP && t->op == op) {
		parse_take(p);
		p->nest--;
		p->ctx = *saved;
		return true;
	}
	if (t->kind == LEX_EOF || memchr(p->src->text + p->pos, '\n', t->off - p->pos)) {
		/* the line went on only because of the bracket: what follows is another statement
		 */
		p->nest--;
		p->ctx = *saved;
		p->have = false;
		parse_error(p, "missing-bracket", open, NULL, "'%.1s' without its '%s'",
			    p->src->text + open.off, lex_op_text(op));
		return false;
	}
	snprintf(want, sizeof(want), "',' or '%s'", lex_op_text(op));
	parse_unexpected(p, LEXM_EXPR, want, NULL);
	return false;
}

bool parse_enter(struct parser *p)
{
	if (p->depth >= MAX_NEST) {
		parse_error(p, "too-deep", parse_span(p, parse_peek(p, LEXM_EXPR)), NULL,
			    "nested more than %d levels deep", MAX_NEST);
		return false;
	}
	p->depth++;
	return true;
}

void parse_leave(struct parser *p)
{
	p->depth--;
}

bool parse_deep(struct parser *p, const struct node *n)
{
	if (n->depth < AST_MAX_DEPTH - DEPTH_STEP)
		return false;
	parse_error(p, "too-deep", parse_span(p, parse_peek(p, LEXM_EXPR)), NULL,
		    "a tree of more than %d levels", AST_MAX_DEPTH - DEPTH_STEP);
	return true;
}

struct span parse_span(struct parser *p, const struct lex_token *t)
{
	return (struct span){.src = p->src, .off = t->off, .len = t->len};
}

struct node *parse_node(struct parser *p, enum node_kind kind, const struct lex_token *t)
{
	return node_new(p->a, kind, parse_span(p, t));
}

struct node *parse_done(struct parser *p, struct node *n)
{
	if (p->pos > n->span.off)
		n->span.len = p->pos - n->span.off;
	return n;
}

char *parse_text(struct parser *p, const struct lex_token *t)
{
	return arena_strndup(p->a, p->src->text + t->off, t->len);
}

/* '...' of a shell word as it would be written in double quotes */
static char *requote(struct parser *p, const char *s, size_t n)
{
	struct buf b = {0};
	char *out;

	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\' || s[i] == '$')
			buf_putc(&b, '\\');
		buf_putc(&b, s[i]);
	}
	out = arena_strdup(p->a, buf_str(&b));
	buf_free(&b);
	return out;
}

struct node *parse_string_node(struct parser *p, const struct lex_token *t)
{
	struct node *n = parse_node(p, E_STRING, t);
	const char *raw = p->src->text + t->off + 1;
	size_t len = t->len - 2;
	bool vars = false;

	if (raw[-1] == '\'') {
		n->str = arena_strndup(p->a, raw, len);
		n->str2 = requote(p, raw, len);
	} else {
		n->str = lex_decode(p->a, raw, len, &len, &vars);
		n->str2 = arena_strndup(p->a, raw, t->len - 2);
	}
	n->num = len;
	if (vars)
		n->flags |= NF_VARS;
	return n;
}

static void *vparse_error(struct parser *p, const char *code, struct span at, const char *hint,
			  const char *fmt, va_list ap)
{
	struct diag *g;
	struct buf b = {0};

	if (p->give_up || p->last_error == at.off + 1)
		return NULL;
	p->last_error = at.off + 1;
	buf_vprintf(&b, fmt, ap);
	g = diag_error(p->d, code, at, "%s", buf_str(&b));
	buf_free(&b);
	if (hint)
		g->hint = hint;
	if (p->d->errors - p->errors0 >= MAX_ERRORS)
		p->give_up = true;
	return NULL;
}

void *parse_error(struct parser *p, const char *code, struct span at, const char *hint,
		  const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vparse_error(p, code, at, hint, fmt, ap);
	va_end(ap);
	return NULL;
}

const char *parse_show(struct parser *p, const struct lex_token *t)
{
	struct buf b = {0};
	const char *s;

	switch (t->kind) {
	case LEX_EOF: return "the end";
	case LEX_NEWLINE: return "the end of the line";
	default: break;
	}
	buf_putc(&b, '\'');
	for (uint32_t i = 0; i < t->len && i < 40; i++) {
		unsigned char c = (unsigned char)p->src->text[t->off + i];

		buf_putc(&b, c < 0x20 || c == 0x7f ? '?' : (char)c);
	}
	buf_puts(&b, t->len > 40 ? "...'" : "'");
	s = arena_strdup(p->a, buf_str(&b));
	buf_free(&b);
	return s;
}

void *parse_unexpected(struct parser *p, enum lex_mode mode, const char *want, const char *hint)
{
	const struct lex_token *t = parse_peek(p, mode);

	if (t->kind == LEX_ERROR) {
		struct lex_token bad = {.kind = LEX_WORD, .off = t->err_off, .len = t->err_len};

		if (t->err_len == 0)
			return parse_error(p, t->code, parse_span(p, &bad), t->hint, "%s", t->msg);
		return parse_error(p, t->code, parse_span(p, &bad), t->hint, "%s: %s", t->msg,
				   parse_show(p, &bad));
	}
	return parse_error(p, "syntax",
			   t->kind == LEX_NEWLINE
				   ? (struct span){.src = p->src, .off = t->off, .len = 0}
				   : parse_span(p, t),
			   hint, "expected %s, found %s", want, parse_show(p, t));
}

const char *parse_nearest(struct parser *p, const char *word, const char *(*name)(unsigned),
			  const char *const *more, size_t nmore)
{
	const char **v = NULL;
	size_t n = 0;
	int i;

	for (unsigned k = 0; name && name(k); k++)
		ARENA_PUSH(p->a, v, n, name(k));
	for (size_t k = 0; k < nmore; k++)
		ARENA_PUSH(p->a, v, n, more[k]);
	i = text_nearest(word, v, n);
	return i < 0 ? NULL : arena_printf(p->a, "did you mean '%s'?", v[i]);
}

struct parse_mark parse_mark(struct parser *p)
{
	return (struct parse_mark){p->nest, p->braces, p->depth, p->subs, p->ctx};
}

/* Offset where the skipping ends, UINT32_MAX when brackets stay open to the end; @flat: brackets
 * don't count. */
static uint32_t sync_scan(struct parser *p, unsigned open, unsigned nest, bool bar, bool flat)
{
	const struct source *src = p->src;
	unsigned braces = 0;
	uint32_t at = p->pos;

	for (;;) {
		int c = lex_char(src, at);
		struct lex_token t;

		if (c == -1)
			return open || braces ? UINT32_MAX : at;
		if (c == '"') {
			uint32_t e = lex_string_end(src, at, &t);

			at = e ? e : at + 1;
			continue;
		}
		if (c == '#' || (c == '\\' && lex_char(src, at + 1) == '\n')) {
			at = lex_blanks(src, at, 0);
			continue;
		}
		if (c == ';' && !braces)
			return at;
		if (!open && !braces) {
			if (c == '\n' && (!nest || flat))
				return at;
			if (c == '|' && lex_char(src, at + 1) == '|')
				at++;
			else if (c == '|' && bar)
				return at;
		}
		if (flat)
			;
		else if (c == '(' || c == '[')
			open++;
		else if (c == '{')
			braces++;
		else if (c == ')' || c == ']' || c == '}') {
			unsigned *which = c == '}' ? &braces : &open;

			if (!*which && c != ']')
				return at;
			if (*which)
				--*which;
		}
		at++;
	}
}

void parse_sync(struct parser *p, const struct parse_mark *m, bool bar)
{
	unsigned open = p->nest > m->nest ? p->nest - m->nest : 0;
	uint32_t at;

	p->nest = m->nest;
	p->braces = m->braces;
	p->depth = m->depth;
	p->subs = m->subs;
	p->ctx = m->ctx;
	p->have = false;
	if (p->give_up) {
		p->pos = p->src->len;
		return;
	}
	at = sync_scan(p, open, m->nest, bar, false);
	if (at == UINT32_MAX)
		at = sync_scan(p, 0, m->nest, bar, true);
	p->pos = at;
}
