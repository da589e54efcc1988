/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tokens of expressions, and the choice of the reader for all other modes. Knows no grammar: what
 * may stand where is the parser's business.
 */
#include "lang/lexer.h"

#include <string.h>

static const char *const op_texts[OP_COUNT] = {
	[OP_NONE] = "",      [OP_OR] = "||",    [OP_AND] = "&&",   [OP_EQ] = "==",
	[OP_NE] = "!=",      [OP_MATCH] = "=~", [OP_NGLOB] = "!~", [OP_LE] = "<=",
	[OP_GE] = ">=",      [OP_SHL] = "<<",   [OP_SHR] = ">>",   [OP_ARROW] = "->",
	[OP_BAR] = "|",      [OP_AMP] = "&",    [OP_ASSIGN] = "=", [OP_TILDE] = "~",
	[OP_NOT] = "!",      [OP_LT] = "<",     [OP_GT] = ">",     [OP_PLUS] = "+",
	[OP_MINUS] = "-",    [OP_STAR] = "*",   [OP_SLASH] = "/",  [OP_PERCENT] = "%",
	[OP_CARET] = "^",    [OP_QUEST] = "?",  [OP_COLON] = ":",  [OP_DOT] = ".",
	[OP_COMMA] = ",",    [OP_LPAREN] = "(", [OP_RPAREN] = ")", [OP_LBRACKET] = "[",
	[OP_RBRACKET] = "]", [OP_LBRACE] = "{", [OP_RBRACE] = "}",
};

const char *lex_op_text(enum lex_op op)
{
	return op_texts[op];
}

void lex_error(struct lex_token *t, const char *code, uint32_t off, uint32_t len, const char *msg,
	       const char *hint)
{
	t->kind = LEX_ERROR;
	t->code = code;
	t->msg = msg;
	t->hint = hint;
	t->err_off = off;
	t->err_len = len;
}

bool lex_is_ident(const char *s, size_t n)
{
	if (n == 0 || !lex_alpha((unsigned char)s[0]))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!lex_alnum((unsigned char)s[i]))
			return false;
	}
	return true;
}

bool lex_is_percentile(const char *s, size_t n)
{
	size_t i = 1;

	if (n < 2 || s[0] != 'p' || !lex_digit((unsigned char)s[1]))
		return false;
	while (i < n && lex_digit((unsigned char)s[i]))
		i++;
	if (i == n)
		return true;
	if (s[i] != '.' || i + 1 == n)
		return false;
	for (i++; i < n; i++) {
		if (!lex_digit((unsigned char)s[i]))
			return false;
	}
	return true;
}

uint32_t lex_blanks(const struct source *src, uint32_t pos, unsigned flags)
{
	for (;;) {
		int c = lex_char(src, pos);

		if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			pos++;
		} else if (c == '\n' && (flags & LEXF_NL)) {
			pos++;
		} else if (c == '\\' && lex_char(src, pos + 1) == -1) {
			pos++;
		} else if (c == '\\' && lex_char(src, pos + 1) == '\n') {
			pos += 2;
		} else if (c == '\\' && lex_char(src, pos + 1) == '\r' &&
			   lex_char(src, pos + 2) == '\n') {
			pos += 3;
		} else if (c == '#') {
			while (lex_char(src, pos) != '\n' && lex_char(src, pos) != -1)
				pos++;
		} else {
			return pos;
		}
	}
}

uint32_t lex_var_end(const struct source *src, uint32_t at)
{
	uint32_t p = at + 1;
	int c = lex_char(src, p);

	if (c == '#' || c == '@')
		return p + 1;
	if (lex_digit(c)) {
		while (lex_digit(lex_char(src, p)))
			p++;
		return p;
	}
	if (c == '{') {
		uint32_t b = ++p;

		c = lex_char(src, p);
		if (c == '#' || c == '@')
			p++;
		else
			while (lex_alnum(lex_char(src, p)))
				p++;
		return p > b && lex_char(src, p) == '}' ? p + 1 : at + 1;
	}
	while (lex_alnum(lex_char(src, p)))
		p++;
	return p;
}

static void lex_variable(const struct source *src, uint32_t at, struct lex_token *t)
{
	uint32_t end = lex_var_end(src, at);

	if (end == at + 1) {
		lex_error(t, "syntax", at, 1, "'$' without the name of a variable", NULL);
		return;
	}
	t->kind = LEX_VAR;
	t->len = end - at;
	t->aux = at + 1;
	t->num = t->len - 1;
	if (src->text[at + 1] == '{') {
		t->aux++;
		t->num -= 2;
	}
}

/* The longest match comes first; single characters are found by the same walk. */
static void lex_operator(const struct source *src, uint32_t at, struct lex_token *t)
{
	for (int op = OP_OR; op < OP_COUNT; op++) {
		size_t n = strlen(op_texts[op]);

		if (at + n <= src->len && memcmp(src->text + at, op_texts[op], n) == 0) {
			t->kind = LEX_OP;
			t->op = op;
			t->len = (uint32_t)n;
			return;
		}
	}
	t->len = 1;
	while (at + t->len < src->len && ((unsigned char)src->text[at + t->len] & 0xc0) == 0x80)
		t->len++;
	lex_error(t, "syntax", at, t->len, "unexpected character",
		  src->text[at] == '\'' ? "strings take double quotes" : NULL);
}

static void lex_ident(const struct source *src, uint32_t at, struct lex_token *t)
{
	uint32_t p = at;

	while (lex_alnum(lex_char(src, p)))
		p++;
	if (lex_is_percentile(src->text + at, p - at) && lex_char(src, p) == '.' &&
	    lex_digit(lex_char(src, p + 1))) {
		p++;
		while (lex_digit(lex_char(src, p)))
			p++;
	}
	t->kind = LEX_IDENT;
	t->len = p - at;
}

static void lex_expr(const struct source *src, uint32_t at, bool regex, struct lex_token *t)
{
	int c = lex_char(src, at);

	if (lex_alpha(c)) {
		lex_ident(src, at, t);
	} else if (lex_digit(c)) {
		lex_number(src, at, t);
	} else if (c == '"') {
		uint32_t end = lex_string_end(src, at, t);

		if (end) {
			t->kind = LEX_STRING;
			t->len = end - at;
		}
	} else if (c == '$') {
		lex_variable(src, at, t);
	} else if (c == '@') {
		t->kind = LEX_MAP;
		for (t->len = 1; lex_alnum(lex_char(src, at + t->len));)
			t->len++;
	} else if (c == '/' && regex) {
		lex_regex(src, at, t);
	} else {
		lex_operator(src, at, t);
	}
}

void lex_next(const struct source *src, uint32_t pos, enum lex_mode mode, unsigned flags,
	      struct lex_token *t)
{
	uint32_t at = lex_blanks(src, pos, flags);
	int c = lex_char(src, at);

	memset(t, 0, sizeof(*t));
	t->off = at;
	if (c == -1) {
		t->kind = LEX_EOF;
		return;
	}
	t->len = 1;
	if (c == '\n') {
		t->kind = LEX_NEWLINE;
		return;
	}
	if (c == ';') {
		t->kind = LEX_SEMI;
		return;
	}
	switch (mode) {
	case LEXM_EXPR: lex_expr(src, at, false, t); break;
	case LEXM_REGEX: lex_expr(src, at, true, t); break;
	case LEXM_SOURCE: lex_pattern(src, at, t); break;
	case LEXM_TARGET: lex_target(src, at, true, t); break;
	case LEXM_PATH: lex_target(src, at, false, t); break;
	case LEXM_WORD:
	case LEXM_LIST:
	case LEXM_FILE: lex_word(src, at, mode, flags, t); break;
	case LEXM_RAW: lex_raw(src, at, flags, t); break;
	case LEXM_TYPE:
		while (lex_alnum(c) || (c > 0 && strchr("@/[]", c)))
			c = lex_char(src, at + t->len++);
		t->len--;
		t->kind = LEX_WORD;
		if (t->len == 0) {
			t->len = 1;
			lex_error(t, "syntax", at, 1, "expected a type such as u32, x64 or string",
				  NULL);
		}
		break;
	}
}
