/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lexer: one token at a place, read in the mode the parser asks for. It keeps no state and
 * reports nothing: what cannot be read is a LEX_ERROR token that says why.
 */
#ifndef TRACESH_LANG_LEXER_H
#define TRACESH_LANG_LEXER_H

#include "base/arena.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lex_kind {
	LEX_EOF,
	LEX_NEWLINE,
	LEX_SEMI,
	LEX_IDENT,
	LEX_NUM,    /* num */
	LEX_TIME,   /* num: nanoseconds */
	LEX_SIZE,   /* num: bytes */
	LEX_STRING, /* the text between the quotes is off + 1 .. len - 2 */
	LEX_REGEX,  /* with slashes and flags; aux: length of the pattern */
	LEX_VAR,    /* name at aux, num bytes long */
	LEX_MAP,    /* @name */
	LEX_WORD,   /* event pattern, probe target, shell word, file name, type, raw line */
	LEX_OP,     /* op */
	LEX_ERROR,  /* code, msg, hint, err_off, err_len */
};

enum lex_op {
	OP_NONE,
	OP_OR,
	OP_AND,
	OP_EQ,
	OP_NE,
	OP_MATCH,
	OP_NGLOB,
	OP_LE,
	OP_GE,
	OP_SHL,
	OP_SHR,
	OP_ARROW,
	OP_BAR,
	OP_AMP,
	OP_ASSIGN,
	OP_TILDE,
	OP_NOT,
	OP_LT,
	OP_GT,
	OP_PLUS,
	OP_MINUS,
	OP_STAR,
	OP_SLASH,
	OP_PERCENT,
	OP_CARET,
	OP_QUEST,
	OP_COLON,
	OP_DOT,
	OP_COMMA,
	OP_LPAREN,
	OP_RPAREN,
	OP_LBRACKET,
	OP_RBRACKET,
	OP_LBRACE,
	OP_RBRACE,
	OP_COUNT
};

enum lex_mode {
	LEXM_EXPR,
	LEXM_REGEX,  /* as EXPR, but `/` opens a regular expression */
	LEXM_SOURCE, /* event patterns */
	LEXM_TARGET, /* what follows `kprobe:`; up to a blank, `(`, `,`, `|`, `)` or `->`, or
			/regex/ */
	LEXM_PATH,   /* the same, but a slash begins a path */
	LEXM_WORD,   /* shell words */
	LEXM_LIST,   /* shell words up to a `{` */
	LEXM_FILE,   /* one shell word after > or >>: ends at & | ) < > too */
	LEXM_RAW,    /* the rest of the statement, quotes and brackets kept whole */
	LEXM_TYPE,   /* s32, x64, b4@0/32, u8[4] */
};

enum {
	LEXF_NL = 1,    /* newlines are blanks (inside brackets) */
	LEXF_BRACE = 2, /* inside { }: a `}` ends words */
	LEXF_PAREN = 4, /* inside ( ): a `)` ends raw text */
};

struct lex_token {
	enum lex_kind kind;
	enum lex_op op;
	uint32_t off, len;
	uint64_t num;
	uint32_t aux;
	const char *code, *msg, *hint;
	uint32_t err_off, err_len;
};

/* lex_next - the token at or after @pos */
void lex_next(const struct source *src, uint32_t pos, enum lex_mode mode, unsigned flags,
	      struct lex_token *t);
/* lex_blanks - offset of what stands behind blanks, comments and `\` newline (newlines if LEXF_NL)
 */
uint32_t lex_blanks(const struct source *src, uint32_t pos, unsigned flags);
/* lex_op_text - how an operator is written */
const char *lex_op_text(enum lex_op op);

bool lex_is_ident(const char *s, size_t n);      /* the whole of it is a name */
bool lex_is_percentile(const char *s, size_t n); /* p50, p99.9 */

/* lex_string_end - offset behind the closing quote of the string at @pos, or 0 with @t set to the
 * error (no closing quote on the line, unknown escape) */
uint32_t lex_string_end(const struct source *src, uint32_t pos, struct lex_token *t);
/* lex_decode - the bytes a string's text (between its quotes) stands for; @vars: has $-references
 */
char *lex_decode(struct arena *a, const char *raw, size_t n, size_t *len, bool *vars);

/* lexer_number.c, lexer_word.c: parts of lex_next */
void lex_number(const struct source *src, uint32_t at, struct lex_token *t);
void lex_word(const struct source *src, uint32_t at, enum lex_mode mode, unsigned flags,
	      struct lex_token *t);
void lex_raw(const struct source *src, uint32_t at, unsigned flags, struct lex_token *t);
void lex_pattern(const struct source *src, uint32_t at, struct lex_token *t);
void lex_target(const struct source *src, uint32_t at, bool regex, struct lex_token *t);
void lex_regex(const struct source *src, uint32_t at, struct lex_token *t);
/* lex_var_end - offset behind the $-reference at @at (a lone `$` ends behind itself) */
uint32_t lex_var_end(const struct source *src, uint32_t at);
void lex_error(struct lex_token *t, const char *code, uint32_t off, uint32_t len, const char *msg,
	       const char *hint);

static inline int lex_char(const struct source *src, uint32_t at)
{
	return at < src->len ? (unsigned char)src->text[at] : -1;
}

static inline bool lex_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool lex_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool lex_alnum(int c)
{
	return lex_alpha(c) || lex_digit(c);
}

#endif
