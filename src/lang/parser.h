/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of the parser: its state and what its files offer each other. Recursive descent, one
 * token of lookahead that is read again when another mode is wanted. A parse_ function that
 * returns NULL has pushed a diagnostic; whoever can go on calls parse_sync().
 */
#ifndef TRACESH_LANG_PARSER_H
#define TRACESH_LANG_PARSER_H

#include "lang/lexer.h"
#include "lang/syntax.h"

/* What operators mean here; saved and cleared within brackets. */
struct parse_ctx {
	bool bar_ends; /* `|` ends the stage, else it is bit-or */
	bool gt_ends;  /* `>` and `>>` redirect unless a number follows */
	bool fetch;    /* `->` is a member access */
};

struct parser {
	struct arena *a;
	struct diags *d;
	const struct grammar *g; /* NULL: expressions only */
	const struct source *src;
	uint32_t pos; /* behind the last token taken */
	struct lex_token tok;
	enum lex_mode mode;
	bool have;       /* tok is what stands at pos in mode */
	unsigned nest;   /* open ( and [: newlines are blanks */
	unsigned braces; /* open { */
	unsigned subs;   /* open sub-pipelines */
	unsigned depth;  /* of recursion */
	struct parse_ctx ctx;
	const char **defs; /* names of `def`s in the source, sorted */
	size_t ndefs;
	unsigned errors0;
	uint32_t last_error; /* offset + 1 of the latest error: one a place */
	bool give_up;        /* too many errors */
};

/* -- parse_token.c -- */
const struct lex_token *parse_peek(struct parser *p, enum lex_mode mode);
void parse_take(struct parser *p);
/* parse_look - the token behind @t, in mode EXPR unless told otherwise, taking nothing */
void parse_look(struct parser *p, const struct lex_token *t, enum lex_mode mode,
		struct lex_token *out);
bool parse_at(struct parser *p, enum lex_op op);
bool parse_eat(struct parser *p, enum lex_op op);
bool parse_at_word(struct parser *p, const char *word);
bool parse_tok_is(struct parser *p, const struct lex_token *t, const char *word);
bool parse_at_end(struct parser *p); /* newline, ;, end of text, or a closing bracket */
void parse_skip_newlines(struct parser *p);
/* parse_open, parse_close - brackets; newlines are blanks between them */
bool parse_open(struct parser *p, enum lex_op op, struct parse_ctx *saved);
bool parse_close(struct parser *p, enum lex_op op, struct span open, const struct parse_ctx *saved);
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);
bool parse_deep(struct parser *p, const struct node *n); /* the tree got too deep: error */
struct span parse_span(struct parser *p, const struct lex_token *t);
struct node *parse_node(struct parser *p, enum node_kind kind, const struct lex_token *t);
struct node *parse_done(struct parser *p, struct node *n); /* the span ends where we are */
char *parse_text(struct parser *p, const struct lex_token *t);
struct node *parse_string_node(struct parser *p, const struct lex_token *t);
/* parse_error - NULL; hint may be NULL */
void *parse_error(struct parser *p, const char *code, struct span at, const char *hint,
		  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* parse_unexpected - error at the token that stands here; @want: "an expression" */
void *parse_unexpected(struct parser *p, enum lex_mode mode, const char *want, const char *hint);
const char *parse_show(struct parser *p, const struct lex_token *t);
/* parse_nearest - hint for @word from @name(0), @name(1) ... and from @more */
const char *parse_nearest(struct parser *p, const char *word, const char *(*name)(unsigned),
			  const char *const *more, size_t nmore);

/* Where to go on after an error; see parse_sync(). */
struct parse_mark {
	unsigned nest, braces, depth, subs;
	struct parse_ctx ctx;
};
struct parse_mark parse_mark(struct parser *p);
/* parse_sync - skip to the next `|` (with @bar), `;`, newline or closing bracket that belongs to
 * what was open at @m */
void parse_sync(struct parser *p, const struct parse_mark *m, bool bar);

/* -- parse_expr.c -- */
struct node *parse_expr(struct parser *p);
struct node *parse_primary(struct parser *p);
/* parse_prio - how tight a binary operator binds, 1 (`||`) to 10 (`*`); the printer's table too */
#define PRIO_COND 0
#define PRIO_WORD 7 /* in, has: as < */
#define PRIO_UNARY 11
#define PRIO_POSTFIX 12
int parse_prio(const char *op);
/* parse_list - comma-separated expressions into @to; 0 or -1 */
int parse_list(struct parser *p, struct node *to);

/* -- parse_source.c -- */
struct node *parse_source(struct parser *p);

/* -- parse_stage.c -- */
struct node *parse_pipeline(struct parser *p);
struct node *parse_stage(struct parser *p);

/* -- parse_block.c -- */
/* parse_block - `{ ... }` of do, begin, end, tick: statements about maps and variables */
struct node *parse_event_block(struct parser *p);
/* parse_braces - `{`, statements read by @one, `}` */
struct node *parse_braces(struct parser *p, struct node *(*one)(struct parser *));
/* parse_if, parse_while - for scripts and blocks alike; the word is yet to be taken */
struct node *parse_if(struct parser *p, struct node *(*block)(struct parser *));
struct node *parse_while(struct parser *p, struct node *(*block)(struct parser *));

/* -- parse_command.c -- */
struct node *parse_command(struct parser *p, const struct command_syntax *cmd);
struct node *parse_word(struct parser *p, enum lex_mode mode);
bool parse_is_def(struct parser *p, const char *name);
void parse_find_defs(struct parser *p);

#endif
