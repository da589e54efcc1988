/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Would another line complete this text? A quick look for the prompt: open brackets and what the
 * last line ends in. It parses nothing, and a wrong text counts as complete.
 */
#include "lang/lexer.h"

#include "lang/syntax.h"

#include <string.h>

enum last { L_START, L_GOES_ON, L_OPERATOR, L_WORD };

/* Behind the closing @quote on this line, or the line's end when there is none */
static uint32_t skip_quoted(const struct source *src, uint32_t at, int quote)
{
	uint32_t p = at + 1;

	for (;; p++) {
		int c = lex_char(src, p);

		if (c == -1 || c == '\n')
			return quote == '"' ? p : at + 1;
		if (c == quote)
			return p + 1;
		if (c == '\\' && quote != '\'' && lex_char(src, p + 1) >= 0)
			p++;
	}
}

static uint32_t skip_line(const struct source *src, uint32_t at)
{
	while (lex_char(src, at) != -1 && lex_char(src, at) != '\n')
		at++;
	return at;
}

bool parse_incomplete(const char *text)
{
	const struct source src = {.text = text, .len = (uint32_t)strlen(text)};
	enum last last = L_START;
	unsigned open = 0;
	uint32_t at = 0;

	while (at < src.len) {
		int c = lex_char(&src, at), next = lex_char(&src, at + 1);

		if (c == ' ' || c == '\t' || c == '\r') {
			at++;
		} else if (c == '\\' && (next == '\n' || next == -1)) {
			at += 2;
			if (at >= src.len)
				return true;
		} else if (c == '\n' || c == ';') {
			if (last != L_GOES_ON || c == ';')
				last = L_START;
			at++;
		} else if (c == '#' && (at == 0 || text[at - 1] != '$')) {
			at = skip_line(&src, at);
		} else if (c == '!' && last == L_START) {
			at = skip_line(&src, at);
			last = text[at - 1] == '|' ? L_GOES_ON : L_WORD;
		} else if (c == '"' || c == '\'') {
			at = skip_quoted(&src, at, c);
			last = L_WORD;
		} else if (c == '/' && (last != L_WORD || text[at - 1] == ':')) {
			at = skip_quoted(&src, at, '/');
			last = L_WORD;
		} else if (c == '-' && next == '>') {
			at += 2;
			last = L_GOES_ON;
		} else if (strchr("([{", c)) {
			open++;
			at++;
			last = c == '{' ? L_START : L_OPERATOR;
		} else if (strchr(")]}", c)) {
			open -= open > 0;
			at++;
			last = L_WORD;
		} else {
			at++;
			last = c == '|' || c == ',' ? L_GOES_ON
			       : strchr("=~", c)    ? L_OPERATOR
						    : L_WORD;
		}
	}
	return open > 0 || last == L_GOES_ON;
}
