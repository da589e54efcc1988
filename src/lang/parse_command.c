/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands and their words, and which names a source defines with `def`. */
#include "lang/parser.h"

#include <stdlib.h>
#include <string.h>

struct node *parse_word(struct parser *p, enum lex_mode mode)
{
	const struct lex_token *t = parse_peek(p, mode);
	struct node *n;

	if (t->kind == LEX_STRING) {
		n = parse_string_node(p, t);
	} else if (t->kind == LEX_WORD) {
		n = parse_node(p, N_WORD, t);
		n->str = parse_text(p, t);
	} else {
		return parse_unexpected(p, mode, "a word", NULL);
	}
	parse_take(p);
	return n;
}

static int parse_words(struct parser *p, struct node *n)
{
	for (;;) {
		const struct lex_token *t = parse_peek(p, LEXM_WORD);
		struct node *w;

		if (t->kind == LEX_EOF || t->kind == LEX_NEWLINE || t->kind == LEX_SEMI ||
		    (t->kind == LEX_OP && t->op == OP_RBRACE))
			return 0;
		if (t->kind == LEX_OP) {
			parse_unexpected(p, LEXM_WORD, "a word",
					 "only pipelines have stages and redirections; quote the "
					 "character to pass it on");
			return -1;
		}
		w = parse_word(p, LEXM_WORD);
		if (!w)
			return -1;
		node_add(p->a, n, w);
	}
}

/* The name of the command stands here; @cmd NULL: a def of the script */
struct node *parse_command(struct parser *p, const struct command_syntax *cmd)
{
	struct lex_token t = *parse_peek(p, LEXM_SOURCE);
	struct node *n, *kid;

	if (t.kind == LEX_OP) /* != and !~ begin with one as well */
		t.len = 1;
	n = parse_node(p, N_COMMAND, &t);
	n->str = parse_text(p, &t);
	p->pos = t.off + t.len;
	p->have = false;
	switch (cmd ? cmd->args : CMD_WORDS) {
	case CMD_WORDS:
		if (lex_char(p->src, p->pos) == '(' && !cmd)
			return parse_error(p, "syntax", n->span, "words follow the name: NAME A B",
					   "'%s' takes no brackets", n->str);
		if (parse_words(p, n) != 0)
			return NULL;
		break;
	case CMD_PIPELINE:
		kid = parse_pipeline(p);
		if (!kid)
			return NULL;
		node_add(p->a, n, kid);
		break;
	case CMD_REST:
		t = *parse_peek(p, LEXM_RAW);
		if (t.kind == LEX_ERROR)
			return parse_unexpected(p, LEXM_RAW, "a command", NULL);
		if (t.kind != LEX_WORD || t.len == 0)
			break;
		kid = parse_node(p, N_WORD, &t);
		kid->str = parse_text(p, &t);
		node_add(p->a, n, kid);
		parse_take(p);
		break;
	}
	return parse_done(p, n);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool parse_is_def(struct parser *p, const char *name)
{
	if (p->g->is_def && p->g->is_def(p->g->arg, name))
		return true;
	return p->ndefs &&
	       bsearch(&name, p->defs, p->ndefs, sizeof(p->defs[0]), compare_names) != NULL;
}

/* `def NAME(` at @at? Its name goes to the list. */
static void note_def(struct parser *p, uint32_t at)
{
	struct lex_token t, name, open;

	lex_next(p->src, at, LEXM_EXPR, 0, &t);
	if (t.off != at || t.kind != LEX_IDENT || !parse_tok_is(p, &t, "def"))
		return;
	lex_next(p->src, at + 3, LEXM_EXPR, 0, &name);
	lex_next(p->src, name.off + name.len, LEXM_EXPR, 0, &open);
	if (name.kind == LEX_IDENT && open.kind == LEX_OP && open.op == OP_LPAREN)
		ARENA_PUSH(p->a, p->defs, p->ndefs, parse_text(p, &name));
}

/* One walk over the text before it is parsed, so that functions may call each other. */
void parse_find_defs(struct parser *p)
{
	const struct source *src = p->src;
	bool start = true;
	uint32_t at = 0;

	while (at < src->len) {
		int c = src->text[at];
		uint32_t next = at + 1;

		if (c == '"') {
			struct lex_token t;
			uint32_t e = lex_string_end(src, at, &t);

			next = e ? e : next;
			start = false;
		} else if (c == '#') {
			next = lex_blanks(src, at, 0);
		} else if (c == '\n' || c == ';' || c == '{' || c == '}') {
			start = true;
		} else if (c != ' ' && c != '\t' && c != '\r') {
			if (start && c == 'd')
				note_def(p, at);
			start = false;
		}
		at = next > at ? next : at + 1;
	}
	if (p->ndefs)
		qsort(p->defs, p->ndefs, sizeof(p->defs[0]), compare_names);
}
