/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees back to text: canonical spacing, no more parentheses than the parser needs to read the
 * same tree again. Event blocks stay on their line, a script's own blocks are indented.
 */
#include "lang/parser.h"

#include <inttypes.h>
#include <string.h>

struct printer {
	struct buf *out;
	bool bare;  /* directly in a stage: `|` needs parentheses, `for` may be a clause */
	bool gt;    /* `>` needs parentheses unless a number follows */
	bool fetch; /* in a probe's argument */
	unsigned indent;
};

static void print_node(struct printer *pr, const struct node *n);

static void print_kids(struct printer *pr, const struct node *n, size_t from, size_t to,
		       const char *sep)
{
	for (size_t i = from; i < to; i++) {
		if (i > from)
			buf_puts(pr->out, sep);
		print_node(pr, n->kids[i]);
	}
}

/* -- expressions -- */

static int prio(const struct node *n)
{
	switch (n->kind) {
	case E_COND: return PRIO_COND;
	case E_BINARY: return parse_prio(n->str);
	case E_IN: return PRIO_WORD;
	case E_UNARY: return PRIO_UNARY;
	default: return PRIO_POSTFIX;
	}
}

/* Begins with a number, so that a `>` before it can be no redirection */
static bool starts_with_number(const struct node *n)
{
	while (n->n &&
	       (n->kind == E_BINARY || n->kind == E_IN || n->kind == E_COND || n->kind == E_DOT))
		n = n->kids[0];
	if (n->kind == E_UNARY && (strcmp(n->str, "-") == 0 || strcmp(n->str, "+") == 0))
		n = n->kids[0];
	return n->kind == E_NUM || n->kind == E_TIME || n->kind == E_SIZE;
}

static bool needs_parens(const struct printer *pr, const struct node *n, int min)
{
	static const char *const words[] = {"by",     "for",     "from", "to",    "step",
					    "desc",   "keep",    "last", "after", "digits",
					    "commit", "discard", "in",   "has"};

	if (prio(n) < min)
		return true;
	if (n->kind == E_BINARY && pr->bare && strcmp(n->str, "|") == 0)
		return true;
	if (n->kind == E_BINARY && pr->gt &&
	    (strcmp(n->str, ">") == 0 || strcmp(n->str, ">>") == 0))
		return !starts_with_number(n->kids[1]);
	if (n->kind == E_NAME && pr->bare && (n->flags & NF_PAREN)) {
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (strcmp(words[i], n->str) == 0)
				return true;
		}
	}
	return false;
}

static void print_inside(struct printer *pr, const char *open, const struct node *n, size_t from,
			 const char *close)
{
	struct printer in = *pr;

	in.bare = in.gt = false;
	buf_puts(pr->out, open);
	print_kids(&in, n, from, n->n, ", ");
	buf_puts(pr->out, close);
}

static void print_expr(struct printer *pr, const struct node *n, int min)
{
	if (needs_parens(pr, n, min)) {
		struct printer in = *pr;

		in.bare = in.gt = false;
		buf_putc(pr->out, '(');
		print_node(&in, n);
		buf_putc(pr->out, ')');
	} else {
		print_node(pr, n);
	}
}

static void print_string(struct printer *pr, const struct node *n)
{
	if (n->str2) {
		buf_printf(pr->out, "\"%s\"", n->str2);
		return;
	}
	buf_putc(pr->out, '"');
	for (uint64_t i = 0; i < n->num; i++) {
		unsigned char c = (unsigned char)n->str[i];

		if (c == '"' || c == '\\' || (c == '$' && !(n->flags & NF_VARS)))
			buf_printf(pr->out, "\\%c", c);
		else if (c == '\n')
			buf_puts(pr->out, "\\n");
		else if (c == '\t')
			buf_puts(pr->out, "\\t");
		else if (c < 0x20 || c == 0x7f)
			buf_printf(pr->out, "\\%03o", c);
		else
			buf_putc(pr->out, (char)c);
	}
	buf_putc(pr->out, '"');
}

static void print_number(struct printer *pr, const struct node *n)
{
	static const char *const units[] = {"", "ns", "B"};

	if (n->str)
		buf_puts(pr->out, n->str);
	else
		buf_printf(pr->out, "%" PRIu64 "%s", n->num, units[n->kind - E_NUM]);
}

static void print_binary(struct printer *pr, const struct node *n)
{
	int p = prio(n);

	print_expr(pr, n->kids[0], p);
	buf_printf(pr->out, " %s ", n->str);
	print_expr(pr, n->kids[1], p + 1);
}

static void print_in(struct printer *pr, const struct node *n)
{
	print_expr(pr, n->kids[0], PRIO_WORD);
	buf_puts(pr->out, " in ");
	if (n->n == 2 && n->kids[1]->kind == E_MAP && n->kids[1]->n == 0 &&
	    !(n->kids[1]->flags & NF_PAREN))
		print_node(pr, n->kids[1]);
	else
		print_inside(pr, "(", n, 1, ")");
}

static void print_call(struct printer *pr, const struct node *n)
{
	buf_puts(pr->out, n->str);
	if (pr->fetch && strcmp(n->str, "raw") == 0 && n->n == 1 && n->kids[0]->kind == E_STRING) {
		buf_putc(pr->out, ' ');
		print_string(pr, n->kids[0]);
	} else {
		print_inside(pr, "(", n, 0, ")");
	}
}

static void print_cond(struct printer *pr, const struct node *n)
{
	print_expr(pr, n->kids[0], 1);
	buf_puts(pr->out, " ? ");
	print_expr(pr, n->kids[1], PRIO_COND);
	buf_puts(pr->out, " : ");
	print_expr(pr, n->kids[2], PRIO_COND);
}

/* -- sources -- */

static void print_probe(struct printer *pr, const struct node *n)
{
	struct source src = {.text = n->str2, .len = (uint32_t)strlen(n->str2)};
	bool path = strcmp(n->str, "uprobe") == 0 || strcmp(n->str, "uretprobe") == 0 ||
		    strcmp(n->str, "usdt") == 0;
	struct lex_token t;

	buf_printf(pr->out, "%s:", n->str);
	lex_next(&src, 0, path ? LEXM_PATH : LEXM_TARGET, 0, &t);
	if (t.kind == LEX_WORD && t.off == 0 && t.len == src.len) {
		buf_puts(pr->out, n->str2);
	} else {
		struct node s = {.kind = E_STRING, .str = n->str2, .num = src.len};

		print_string(pr, &s);
	}
	if (n->n) {
		struct printer in = *pr;

		in.fetch = true;
		print_inside(&in, "(", n, 0, ")");
	}
}

static void print_pair(struct printer *pr, const struct node *n)
{
	print_node(pr, n->kids[0]);
	buf_puts(pr->out, " -> ");
	print_kids(pr, n, 1, n->n, " ");
}

/* -- pipelines -- */

/* The expressions of a stage, a key list or a duration */
static void print_bare(struct printer *pr, const struct node *n, bool gt)
{
	struct printer in = *pr;

	in.bare = true;
	in.gt = gt;
	for (size_t i = 0; i < n->n; i++) {
		if (i)
			buf_puts(pr->out, ", ");
		print_expr(&in, n->kids[i], PRIO_COND);
	}
}

static void print_stage(struct printer *pr, const struct node *n)
{
	bool gt = !(n->flags & NF_COND);

	buf_puts(pr->out, n->str);
	for (size_t i = 0; i < n->n; i++) {
		const struct node *k = n->kids[i];

		buf_puts(pr->out, i && k->kind == N_ARG ? ", " : " ");
		if (k->kind == N_BLOCK) {
			print_node(pr, k);
			continue;
		}
		if (k->str)
			buf_puts(pr->out, k->str);
		if (k->kind == N_ARG && k->str)
			buf_puts(pr->out, " =");
		if (k->str && k->n)
			buf_putc(pr->out, ' ');
		print_bare(pr, k, gt);
	}
}

static void print_pipeline(struct printer *pr, const struct node *n)
{
	if (n->str)
		buf_printf(pr->out, "%s = ", n->str);
	for (size_t i = 0; i < n->n; i++) {
		const struct node *k = n->kids[i];

		if (i)
			buf_puts(pr->out, k->kind == N_STAGE ? " | " : " ");
		print_node(pr, k);
	}
	if (n->flags & NF_BG)
		buf_puts(pr->out, " &");
}

/* -- blocks and scripts -- */

static void print_line_start(struct printer *pr)
{
	for (unsigned i = 0; i < pr->indent; i++)
		buf_putc(pr->out, '\t');
}

/* A raw command that ends in a bar would draw in the next line */
static void print_line_end(struct printer *pr)
{
	if (pr->out->len && pr->out->p[pr->out->len - 1] == '|')
		buf_putc(pr->out, ';');
	buf_putc(pr->out, '\n');
}

static bool event_statement(const struct node *n)
{
	return n->kind == N_EXPR_STMT || (n->kind == N_ASSIGN && !n->str) ||
	       (n->kind == N_FOR && n->kids[0]->kind == E_MAP);
}

/* Is every statement one of event blocks? if and while are told by what they hold. */
static bool event_block(const struct node *n)
{
	if (n->kind == N_BLOCK) {
		for (size_t i = 0; i < n->n; i++) {
			if (!event_block(n->kids[i]))
				return false;
		}
		return true;
	}
	if (n->kind == N_IF || n->kind == N_WHILE) {
		for (size_t i = 1; i < n->n; i++) {
			if (!event_block(n->kids[i]))
				return false;
		}
		return true;
	}
	return event_statement(n);
}

static void print_block(struct printer *pr, const struct node *n)
{
	struct printer in = {.out = pr->out, .indent = pr->indent + 1};

	if (n->n == 0) {
		buf_puts(pr->out, "{ }");
	} else if (event_block(n)) {
		buf_puts(pr->out, "{ ");
		print_kids(&in, n, 0, n->n, "; ");
		buf_puts(pr->out, " }");
	} else {
		buf_puts(pr->out, "{\n");
		for (size_t i = 0; i < n->n; i++) {
			print_line_start(&in);
			print_node(&in, n->kids[i]);
			print_line_end(&in);
		}
		print_line_start(pr);
		buf_putc(pr->out, '}');
	}
}

static void print_if(struct printer *pr, const struct node *n)
{
	buf_puts(pr->out, n->kind == N_IF ? "if (" : "while (");
	print_node(pr, n->kids[0]);
	buf_puts(pr->out, ") ");
	print_node(pr, n->kids[1]);
	if (n->n > 2) {
		buf_puts(pr->out, " else ");
		print_node(pr, n->kids[2]);
	}
}

static void print_for(struct printer *pr, const struct node *n)
{
	bool map = n->kids[0]->kind == E_MAP;

	buf_printf(pr->out, map ? "for (%s in " : "for %s in ", n->str);
	print_kids(pr, n, 0, n->n - 1, " ");
	buf_puts(pr->out, map ? ") " : n->n > 1 ? " " : "");
	print_node(pr, n->kids[n->n - 1]);
}

static void print_def(struct printer *pr, const struct node *n)
{
	buf_printf(pr->out, "def %s(", n->str);
	print_kids(pr, n, 0, n->n - 1, ", ");
	buf_puts(pr->out, ") ");
	print_node(pr, n->kids[n->n - 1]);
}

static void print_command(struct printer *pr, const struct node *n)
{
	buf_puts(pr->out, n->str);
	for (size_t i = 0; i < n->n; i++) {
		if (i || strcmp(n->str, "!") != 0)
			buf_putc(pr->out, ' ');
		print_node(pr, n->kids[i]);
	}
}

static void print_script(struct printer *pr, const struct node *n)
{
	for (size_t i = 0; i < n->n; i++) {
		print_node(pr, n->kids[i]);
		print_line_end(pr);
	}
}

static void print_word_and(struct printer *pr, const char *word, const struct node *n)
{
	buf_puts(pr->out, word);
	buf_putc(pr->out, ' ');
	print_kids(pr, n, 0, n->n, " ");
}

static void print_node(struct printer *pr, const struct node *n)
{
	switch (n->kind) {
	case N_SCRIPT: print_script(pr, n); break;
	case N_PIPELINE: print_pipeline(pr, n); break;
	case N_REDIRECT: print_word_and(pr, n->str, n); break;
	case N_FOR_DUR: print_word_and(pr, "for", n); break;
	case N_COMMAND: print_command(pr, n); break;
	case N_ASSIGN:
		if (n->str)
			buf_printf(pr->out, "let %s", n->str);
		else
			print_node(pr, n->kids[0]);
		buf_puts(pr->out, " = ");
		print_node(pr, n->kids[n->n - 1]);
		break;
	case N_DEF: print_def(pr, n); break;
	case N_IF:
	case N_WHILE: print_if(pr, n); break;
	case N_FOR: print_for(pr, n); break;
	case N_BLOCK: print_block(pr, n); break;
	case N_BEGIN: print_word_and(pr, "begin", n); break;
	case N_END: print_word_and(pr, "end", n); break;
	case N_TICK: print_word_and(pr, "tick", n); break;
	case N_EXPR_STMT: print_node(pr, n->kids[0]); break;
	case N_WORD:
	case N_EVENT:
	case E_NAME: buf_puts(pr->out, n->str); break;
	case N_UNION: print_kids(pr, n, 0, n->n, ", "); break;
	case N_PAIR: print_pair(pr, n); break;
	case N_ON:
	case N_WITHIN:
		buf_puts(pr->out, n->kind == N_ON ? "on " : "within ");
		print_bare(pr, n, true);
		break;
	case N_SUBPIPE: print_inside(pr, "(", n, 0, ")"); break;
	case N_PROBE: print_probe(pr, n); break;
	case N_FETCH:
		if (n->str)
			buf_printf(pr->out, "%s = ", n->str);
		print_node(pr, n->kids[0]);
		break;
	case N_STAGE: print_stage(pr, n); break;
	case N_ARG:
	case N_CLAUSE: print_kids(pr, n, 0, n->n, ", "); break;
	case E_NUM:
	case E_TIME:
	case E_SIZE: print_number(pr, n); break;
	case E_STRING: print_string(pr, n); break;
	case E_REGEX: buf_printf(pr->out, "/%s/%s", n->str, n->str2); break;
	case E_DOT:
		print_expr(pr, n->kids[0], PRIO_POSTFIX);
		buf_printf(pr->out, ".%s", n->str);
		if (n->flags & NF_CALL)
			print_inside(pr, "(", n, 1, ")");
		break;
	case E_ARROW:
		print_expr(pr, n->kids[0], PRIO_POSTFIX);
		buf_printf(pr->out, "->%s", n->str);
		break;
	case E_TYPED:
		print_node(pr, n->kids[0]);
		buf_printf(pr->out, ": %s", n->str);
		break;
	case E_CALL: print_call(pr, n); break;
	case E_UNARY:
		buf_puts(pr->out, n->str);
		print_expr(pr, n->kids[0], PRIO_UNARY);
		break;
	case E_BINARY: print_binary(pr, n); break;
	case E_COND: print_cond(pr, n); break;
	case E_IN: print_in(pr, n); break;
	case E_VAR: buf_printf(pr->out, "$%s", n->str); break;
	case E_MAP:
		buf_printf(pr->out, "@%s", n->str);
		if (n->n)
			print_inside(pr, "[", n, 0, "]");
		break;
	}
}

void ast_print(const struct node *n, struct buf *out)
{
	struct printer pr = {.out = out};

	print_node(&pr, n);
}
