/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text that is taken as it stands: event patterns, probe targets, shell words, raw command lines,
 * regular expressions. Finds where each ends; never looks inside.
 */
#include "lang/lexer.h"

#include <string.h>

static bool blank(int c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\n' || c == -1;
}

/* Behind the closing slash and flags of /regex/flags at @p, 0 when the line ends before. A slash
 * in [...] is itself where @sets says so. */
static uint32_t regex_scan(const struct source *src, uint32_t p, uint32_t *patlen, bool sets)
{
	uint32_t b = ++p;
	bool set = false;

	for (;; p++) {
		int c = lex_char(src, p);

		if (c == -1 || c == '\n')
			return 0;
		if (c == '/' && !set)
			break;
		if (c == '\\' && lex_char(src, p + 1) != '\n' && lex_char(src, p + 1) != -1)
			p++;
		else if (c == '[' && sets && !set)
			set = true;
		else if (c == ']' && src->text[p - 1] != '[')
			set = false;
	}
	*patlen = p - b;
	for (p++; lex_alpha(lex_char(src, p));)
		p++;
	return p;
}

static uint32_t regex_end(const struct source *src, uint32_t p, uint32_t *patlen)
{
	uint32_t end = regex_scan(src, p, patlen, true);

	return end ? end : regex_scan(src, p, patlen, false);
}

void lex_regex(const struct source *src, uint32_t at, struct lex_token *t)
{
	uint32_t end = regex_end(src, at, &t->aux);

	if (end) {
		t->kind = LEX_REGEX;
		t->len = end - at;
		return;
	}
	while (lex_char(src, at + t->len) != '\n' && lex_char(src, at + t->len) != -1)
		t->len++;
	lex_error(t, "bad-string", at, t->len, "regular expression without its closing '/'", NULL);
}

void lex_pattern(const struct source *src, uint32_t at, struct lex_token *t)
{
	uint32_t p = at;

	for (;;) {
		int c = lex_char(src, p);

		if (c == '/' && (p == at || src->text[p - 1] == ':')) {
			struct lex_token re = {.len = 1};

			lex_regex(src, p, &re);
			if (re.kind == LEX_ERROR) {
				*t = re;
				t->off = at;
				t->len = p + re.len - at;
				return;
			}
			p += re.len;
			break;
		}
		if (c == '-' && lex_char(src, p + 1) == '>')
			break;
		if (c == '$') {
			uint32_t e = lex_var_end(src, p);

			if (e == p + 1) {
				t->len = p + 1 - at;
				lex_error(t, "syntax", p, 1, "'$' without the name of a variable",
					  NULL);
				return;
			}
			p = e;
			continue;
		}
		if (!lex_alnum(c) && (c <= 0 || !strchr(".:/-*?", c)))
			break;
		p++;
	}
	t->len = p - at;
	t->kind = LEX_WORD;
	if (p == at) {
		t->len = 1;
		lex_next(src, at, LEXM_EXPR, 0, t);
	}
}

void lex_target(const struct source *src, uint32_t at, bool regex, struct lex_token *t)
{
	uint32_t p = at;

	if (lex_char(src, at) == '"') {
		p = lex_string_end(src, at, t);
		if (p) {
			t->kind = LEX_STRING;
			t->len = p - at;
		}
		return;
	}
	if (lex_char(src, at) == '/' && regex) {
		lex_regex(src, at, t);
		if (t->kind == LEX_REGEX)
			t->kind = LEX_WORD;
		return;
	}
	for (;; p++) {
		int c = lex_char(src, p);

		if (blank(c) || strchr("(,|;)#", c) || (c == '-' && lex_char(src, p + 1) == '>'))
			break;
		if (c == '$')
			p = lex_var_end(src, p) - 1;
	}
	t->kind = LEX_WORD;
	t->len = p - at;
	if (p == at) {
		t->len = 1;
		lex_error(t, "syntax", at, 0, "expected the probe's target", NULL);
	}
}

/* Behind the '...' at @p; 0 when the line ends before. */
static uint32_t single_quoted(const struct source *src, uint32_t p)
{
	for (p++; lex_char(src, p) != '\''; p++) {
		if (lex_char(src, p) == -1 || lex_char(src, p) == '\n')
			return 0;
	}
	return p + 1;
}

/* Steps over the quoted part at @p in words and raw text; 0 and an error when it does not end. */
static uint32_t quoted(const struct source *src, uint32_t p, struct lex_token *t)
{
	uint32_t end;

	if (src->text[p] == '"')
		return lex_string_end(src, p, t);
	end = single_quoted(src, p);
	if (!end) {
		uint32_t e = p;

		while (lex_char(src, e) != '\n' && lex_char(src, e) != -1)
			e++;
		lex_error(t, "bad-string", p, e - p, "string without its closing quote", NULL);
	}
	return end;
}

/* Is the end of a word at @p? A backslash before the line's or the text's end is a blank. */
static bool word_ends(const struct source *src, uint32_t p, enum lex_mode mode)
{
	int c = lex_char(src, p);

	if (blank(c) || c == ';')
		return true;
	if (c == '\\')
		return lex_blanks(src, p, 0) > p;
	if (mode == LEXM_LIST)
		return c == '{';
	return mode == LEXM_FILE && strchr("&|)<>", c);
}

void lex_word(const struct source *src, uint32_t at, enum lex_mode mode, unsigned flags,
	      struct lex_token *t)
{
	uint32_t p = at;
	unsigned open = 0;
	int c = lex_char(src, at);

	if (strchr("|<>&", c) || (c == '}' && (flags & LEXF_BRACE)) ||
	    (mode == LEXM_LIST && c == '{') || (mode == LEXM_FILE && c == ')')) {
		lex_next(src, at, LEXM_EXPR, 0, t);
		return;
	}
	while (!word_ends(src, p, mode)) {
		c = lex_char(src, p);
		if (c == '"' || c == '\'') {
			uint32_t end = quoted(src, p, t);

			if (!end) {
				while (lex_char(src, p) != '\n' && lex_char(src, p) != -1)
					p++;
				t->len = p - at;
				return;
			}
			if (p == at && (word_ends(src, end, mode) ||
					(lex_char(src, end) == '}' && (flags & LEXF_BRACE)))) {
				t->kind = LEX_STRING;
				t->len = end - at;
				return;
			}
			p = end;
		} else if (c == '\\') {
			p += 2; /* word_ends() knows there is a next character */
		} else if (c == '$') {
			p = lex_var_end(src, p);
		} else {
			if (c == '{')
				open++;
			else if (c == '}' && open)
				open--;
			else if (c == '}' && (flags & LEXF_BRACE))
				break;
			p++;
		}
	}
	t->kind = LEX_WORD;
	t->len = p - at;
}

void lex_raw(const struct source *src, uint32_t at, unsigned flags, struct lex_token *t)
{
	uint32_t p = at, last = at;
	unsigned braces = 0, parens = 0;

	for (;;) {
		int c = lex_char(src, p);

		if (c == -1 || c == ';' || (c == '#' && (p == at || blank(src->text[p - 1]))))
			break;
		if (c == '\n') {
			if (p == at || src->text[last - 1] != '|')
				break;
			p++;
			continue;
		}
		if (c == '"') { /* sh's own escapes, so not lex_string_end */
			uint32_t q = p + 1;

			while (lex_char(src, q) != '"' && lex_char(src, q) != '\n' &&
			       lex_char(src, q) != -1)
				q += lex_char(src, q) == '\\' && lex_char(src, q + 1) != -1 ? 2 : 1;
			if (lex_char(src, q) != '"') {
				t->len = q - at;
				lex_error(t, "bad-string", p, q - p,
					  "string without its closing quote", NULL);
				return;
			}
			p = q + 1;
		} else if (c == '\'') {
			uint32_t q = quoted(src, p, t);

			if (!q) {
				t->len = t->err_off + t->err_len - at;
				return;
			}
			p = q;
		} else if (c == '\\') {
			if (lex_char(src, p + 1) == -1)
				break;
			p += 2;
		} else {
			if (c == '(')
				parens++;
			else if (c == '{')
				braces++;
			else if (c == ')' && parens)
				parens--;
			else if (c == '}' && braces)
				braces--;
			else if ((c == ')' && (flags & LEXF_PAREN)) ||
				 (c == '}' && (flags & LEXF_BRACE)))
				break;
			p++;
			if (blank(c))
				continue;
		}
		last = p;
	}
	t->kind = LEX_WORD;
	t->len = last - at;
}
