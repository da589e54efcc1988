/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The syntax tree: one uniform node type, so that the printer, the comparer and walkers are short.
 * It says what was written, not what it means: names are not resolved here.
 */
#ifndef TRACESH_LANG_AST_H
#define TRACESH_LANG_AST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum node_kind {
	/* -- script -- */
	N_SCRIPT,   /* kids: statements */
	N_PIPELINE, /* str: name of `NAME = pipeline` or NULL; kid 0: source, kids 1..: N_STAGE;
		     * then at most one each of N_REDIRECT, N_FOR_DUR, flag NF_BG for `&` */
	N_REDIRECT, /* str: ">" ">>" "|!"; kid 0: N_WORD or N_STRING (file), or N_WORD with the
		       whole command */
	N_FOR_DUR,  /* kid 0: expression (time) */
	N_COMMAND,  /* str: command name; kids: N_WORD, N_STRING, or one N_PIPELINE (explain
		     * PIPELINE)  or N_WORD with the raw rest of the line, as its syntax row says */
	N_ASSIGN,   /* `let x = E`: str: x; kid 0: E.  In a block also `$x = E`, `@m[k] = E`: kid 0
		       target, kid 1 E */
	N_DEF,      /* str: name; kids: N_WORD parameters, last kid N_BLOCK */
	N_IF,       /* kids: condition, N_BLOCK, [N_BLOCK or N_IF] */
	N_WHILE,    /* kids: condition, N_BLOCK */
	N_FOR,      /* str: variable; `for X in LIST { }`: kids: words/expressions..., last N_BLOCK;
		     * in a block `for (k in @m)`: kids: N_MAP, N_BLOCK */
	N_BLOCK,    /* kids: statements ({ } of script control flow, and of do/begin/end/tick) */
	N_BEGIN,
	N_END,       /* kid 0: N_BLOCK */
	N_TICK,      /* kids: duration, N_BLOCK */
	N_EXPR_STMT, /* in blocks: kid 0: a call (printf, delete, commit ...), or exit/next as
			N_NAME */
	N_WORD,      /* a shell word, str as written with $-references unexpanded */

	/* -- sources -- */
	N_EVENT,   /* str: the pattern as written ("sched:*", "sched_switch", "sched:/^s/i"); with $
		      unexpanded */
	N_UNION,   /* kids: sources */
	N_PAIR,    /* kids: A, B, N_ON, [N_WITHIN] */
	N_ON,      /* kids: key expressions; a key `a == b` is E_BINARY "==" */
	N_WITHIN,  /* kid 0: duration expression */
	N_SUBPIPE, /* ( pipeline ): kid 0: N_PIPELINE */
	N_PROBE, /* str: kind ("kprobe", "uprobe", "syscall", "function" ...); str2: target text as
		  * written
		  * ("do_sys_openat2+0x10", "/bin/bash:readline"); kids: N_FETCH */
	N_FETCH, /* str: name, or NULL (`raw "..."` alone); kid 0: expression */

	/* -- stages -- */
	N_STAGE,  /* str: stage name; kids: N_ARG..., N_CLAUSE..., [N_BLOCK for do] in the order
		     written */
	N_ARG,    /* str: `name` of `name = E`, or NULL; kid 0: expression */
	N_CLAUSE, /* str: clause word ("by", "step", "desc", "p99.9"); kids: expressions, maybe none
		   */

	/* -- expressions -- */
	E_NUM,    /* num; str: as written ("0x1f"); a literal > INT64_MAX has flag NF_BIG */
	E_TIME,   /* num: nanoseconds; str: as written ("5ms") */
	E_SIZE,   /* num: bytes; str: as written ("4KiB") */
	E_STRING, /* str: decoded bytes, num: their length (may hold NUL); str2: as written between
		   * the quotes (NULL when made by hand); NF_VARS when it refers to $variables */
	E_REGEX,  /* str: pattern, str2: flags */
	E_NAME,   /* str: identifier: a field, builtin, symbolic word */
	E_DOT,    /* kid 0 . str: suffix, member or start.F / end.F / task.F; kids 1..: arguments of
		   * `.bucket(10)`;    NF_CALL when written with parentheses */
	E_ARROW,  /* kid 0 -> str (fetch expressions only) */
	E_TYPED,  /* kid 0 : str (fetch: `arg1: s32`) */
	E_CALL,   /* str: function; kids: arguments.  `raw "text"` is E_CALL "raw" */
	E_UNARY,  /* str: "-" "!" "~" "+"; kid 0 */
	E_BINARY, /* str: C's operators, "~" "!~" (glob) "=~" (regex) "has"; kids 0, 1 */
	E_COND,   /* kids: condition, then, else */
	E_IN,     /* kid 0 in (kids 1..); `k in @m` has one N_MAP kid 1 and no parentheses */
	E_VAR,    /* str: name of $name, ${name}, "1", "#", "@" */
	E_MAP,    /* str: name of @name ("" for @); kids: keys */
};

enum {
	NF_BG = 1,   /* N_PIPELINE: ends in & */
	NF_BIG = 2,  /* E_NUM: does not fit s64 */
	NF_CALL = 4, /* E_DOT: has an argument list */
	NF_PAREN =
		8, /* expression was in parentheses (ignored by node_equal; printer adds its own) */
	NF_VARS =
		16, /* E_STRING: has a $name, ${name}, $1, $# or $@ that no backslash takes away */
	NF_COND = 32, /* N_STAGE: a bare `>` in its arguments compares (ST_COND); ignored by
			 node_equal */
};

struct node {
	enum node_kind kind;
	unsigned flags;
	struct span span;
	const char *str, *str2;
	uint64_t num;
	struct node **kids;
	size_t n;
	unsigned depth; /* levels below it; no tree the parser makes is deeper than AST_MAX_DEPTH */
};

/* So that every walker of a tree may recurse, whatever text it came from. */
#define AST_MAX_DEPTH 1000

struct node *node_new(struct arena *a, enum node_kind kind, struct span at);
void node_add(struct arena *a, struct node *parent, struct node *kid);
/* node_clause - the N_CLAUSE named @word of a stage, or NULL; node_arg - its @i-th N_ARG or NULL */
const struct node *node_clause(const struct node *stage, const char *word);
const struct node *node_arg(const struct node *stage, unsigned i);
unsigned node_nargs(const struct node *stage);
/* node_equal - same tree, places and NF_PAREN aside */
bool node_equal(const struct node *a, const struct node *b);
const char *node_kind_name(enum node_kind k);

/* ast_print - canonical text of a tree; parse(print(t)) equals t */
void ast_print(const struct node *n, struct buf *out);

#endif
