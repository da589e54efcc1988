/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checked expressions and queries as text. It changes nothing and knows nothing but query.h. */
#include "check/dump.h"
#include "check/checker.h"

#include <inttypes.h>

static char type_letter(struct type t)
{
	switch (t.kind) {
	case T_INT: return t.sign == SG_SIGNED ? 'i' : t.sign == SG_UNSIGNED ? 'u' : 'x';
	case T_TIME: return 't';
	case T_STR: return 's';
	case T_BOOL: return 'b';
	case T_ADDR: return 'a';
	case T_STACK: return 'k';
	case T_DEC: return 'd';
	case T_NULL: break;
	}
	return 'n';
}

static const char *const op_names[] = {
	[XO_NEG] = "neg",  [XO_BNOT] = "bnot", [XO_NOT] = "not",     [XO_ADD] = "+",
	[XO_SUB] = "-",    [XO_MUL] = "*",     [XO_DIV] = "/",       [XO_MOD] = "%",
	[XO_AND] = "&",    [XO_OR] = "|",      [XO_XOR] = "^",       [XO_SHL] = "<<",
	[XO_SHR] = ">>",   [XO_LAND] = "&&",   [XO_LOR] = "||",      [XO_EQ] = "==",
	[XO_NE] = "!=",    [XO_LT] = "<",      [XO_LE] = "<=",       [XO_GT] = ">",
	[XO_GE] = ">=",    [XO_SEQ] = "s==",   [XO_SNE] = "s!=",     [XO_SLT] = "s<",
	[XO_SLE] = "s<=",  [XO_SGT] = "s>",    [XO_SGE] = "s>=",     [XO_GLOB] = "~",
	[XO_NGLOB] = "!~", [XO_MATCH] = "=~",  [XO_SYMEQ] = "sym==", [XO_SYMNE] = "sym!=",
	[XO_HAS] = "has",  [XO_COND] = "?",    [XO_IN] = "in",       [XO_INMAP] = "inmap",
	[XO_MAP] = "map",  [XO_VAR] = "var",
};

static const char *const fn_names[] = {
	[FN_MIN] = "min",         [FN_MAX] = "max",           [FN_ABS] = "abs",
	[FN_LOG2] = "log2",       [FN_BUCKET] = "bucket",     [FN_STRLEN] = "strlen",
	[FN_SUBSTR] = "substr",   [FN_STRFTIME] = "strftime", [FN_ERRNO] = "errno",
	[FN_SYSCALL] = "syscall", [FN_KADDR] = "kaddr",       [FN_KSYM] = "ksym",
	[FN_KSYMOFF] = "ksymoff", [FN_TIDCOMM] = "tidcomm",   [FN_STR] = "str",
	[FN_SYMNAME] = "symname", [FN_EXT] = "ext",           [FN_IP] = "ip",
	[FN_MAC] = "mac",         [FN_DEV] = "dev",           [FN_SIGNAL] = "signal",
};

static void quoted(struct buf *out, const char *s, uint32_t len)
{
	buf_putc(out, '"');
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == '"' || c == '\\')
			buf_printf(out, "\\%03o", c);
		else
			buf_putc(out, (char)c);
	}
	buf_putc(out, '"');
}

static void number(const struct expr *e, struct buf *out)
{
	if (e->type.kind == T_TIME)
		buf_printf(out, "%" PRId64 "ns", (int64_t)e->num);
	else if (e->type.sign == SG_UNSIGNED)
		buf_printf(out, "%" PRIu64 "u", e->num);
	else
		buf_printf(out, "%" PRId64, (int64_t)e->num);
}

/* A leaf that carries its type; false when @e is none */
static bool leaf(const struct expr *e, struct buf *out)
{
	switch (e->op) {
	case XO_FIELD:
		buf_puts(out, e->str);
		if (e->builtin != BI_NONE)
			buf_printf(out, "|%s", builtin_name(e->builtin));
		break;
	case XO_BUILTIN: buf_printf(out, "@%s", builtin_name(e->builtin)); break;
	case XO_ELEM: buf_printf(out, "%s[%" PRIu64 "]", e->str, e->num); break;
	case XO_SLOT: buf_printf(out, "$%" PRIu64, e->num); break;
	case XO_COL: buf_printf(out, "#%" PRIu64, e->num); break;
	case XO_VAR: buf_printf(out, "$%s", e->str); break;
	case XO_LOCAL: buf_printf(out, "%%%" PRIu64, e->num); break;
	default: return false;
	}
	buf_printf(out, ":%c", type_letter(e->type));
	if (e->type.show == SHOW_HEX)
		buf_puts(out, ".hex");
	else if (e->type.show == SHOW_OCT)
		buf_puts(out, ".oct");
	return true;
}

void dump_expr(const struct expr *e, struct buf *out)
{
	if (leaf(e, out))
		return;
	switch (e->op) {
	case XO_NUM: number(e, out); return;
	case XO_STR: quoted(out, e->str, e->len); return;
	case XO_NULL: buf_puts(out, "null"); return;
	default: break;
	}
	buf_printf(out, "(%s:%c", e->op == XO_FN ? fn_names[e->fn] : op_names[e->op],
		   type_letter(e->type));
	for (unsigned i = 0; i < e->n; i++) {
		buf_putc(out, ' ');
		dump_expr(e->kids[i], out);
	}
	switch (e->op) {
	case XO_GLOB:
	case XO_NGLOB:
	case XO_SYMEQ:
	case XO_SYMNE:
	case XO_HAS:
		buf_putc(out, ' ');
		quoted(out, e->str, e->len);
		break;
	case XO_MATCH: buf_printf(out, " /%s/%s", e->str, e->str2); break;
	case XO_MAP:
	case XO_INMAP: buf_printf(out, " @%s", e->str); break;
	default: break;
	}
	buf_putc(out, ')');
}

/* ---- queries ---- */

static void indent(struct buf *out, unsigned depth)
{
	buf_printf(out, "%*s", (int)(2 * depth), "");
}

static void dump_pipe(const struct pipe *p, unsigned depth, struct buf *out);

static void dump_src(const struct src *src, unsigned depth, struct buf *out)
{
	static const char *const kinds[] = {[SRC_EVENTS] = "events",
					    [SRC_UNION] = "union",
					    [SRC_PAIR] = "pair",
					    [SRC_PIPE] = "pipe",
					    [SRC_PROBE] = "probe"};

	indent(out, depth);
	buf_puts(out, src->is_syscall ? "syscall" : kinds[src->kind]);
	if (src->kind == SRC_EVENTS) {
		for (unsigned i = 0; i < src->evs.n && i < 4; i++)
			buf_printf(out, " %s:%s", src->evs.v[i]->system, src->evs.v[i]->name);
		if (src->evs.n > 4)
			buf_printf(out, " and %u more", src->evs.n - 4);
	}
	for (unsigned i = 0; i < src->npairkeys; i++) {
		buf_puts(out, i ? ", " : " on ");
		dump_expr(src->akeys[i], out);
		buf_puts(out, " = ");
		dump_expr(src->bkeys[i], out);
	}
	if (src->within)
		buf_printf(out, " within %" PRIu64 "ns", src->within);
	buf_putc(out, '\n');
	for (unsigned i = 0; i < src->nsaves; i++) {
		indent(out, depth + 1);
		buf_printf(out, "save $%u = ", src->saves[i].slot);
		dump_expr(src->saves[i].e, out);
		buf_putc(out, '\n');
	}
	for (unsigned i = 0; i < src->nkids; i++)
		dump_pipe(src->kids[i], depth + 1, out);
}

static void dump_agg(const struct agg *g, struct buf *out)
{
	static const char *const kinds[] = {
		[AG_COUNT] = "count", [AG_SUM] = "sum",           [AG_AVG] = "avg",
		[AG_MIN] = "min",     [AG_MAX] = "max",           [AG_STATS] = "stats",
		[AG_HIST] = "hist",   [AG_QUANTILE] = "quantile", [AG_DISTINCT] = "distinct",
	};

	buf_printf(out, " %s", kinds[g->kind]);
	if (g->e) {
		buf_putc(out, ' ');
		dump_expr(g->e, out);
	}
	if (g->step)
		buf_printf(out, " step %" PRIu64, g->step);
	if (g->bounded)
		buf_printf(out, " from %" PRId64 " to %" PRId64, g->from, g->to);
	if (g->digits)
		buf_printf(out, " digits %u", g->digits);
	for (unsigned i = 0; i < g->nquants; i++)
		buf_printf(out, " %s", g->quant_names[i]);
}

static void dump_op(const struct op *op, unsigned depth, struct buf *out)
{
	static const char *const kinds[] = {
		[OP_WHERE] = "where",         [OP_LET] = "let",       [OP_AGG] = "agg",
		[OP_ROWS] = "rows",           [OP_SORT] = "sort",     [OP_TOP] = "top",
		[OP_LIMIT] = "limit",         [OP_EVERY] = "every",   [OP_PRINT] = "print",
		[OP_PRINTF] = "printf",       [OP_RENDER] = "render", [OP_STACK] = "stack",
		[OP_SPECULATE] = "speculate", [OP_BLOCK] = "do",      [OP_RECORD] = "record",
		[OP_SNAPSHOT] = "snapshot",   [OP_STOP] = "stop",     [OP_PLUGIN] = "plugin",
	};

	indent(out, depth);
	buf_printf(out, "%s%s", op->rows ? "# " : "", kinds[op->kind]);
	if (op->cond) {
		buf_putc(out, ' ');
		dump_expr(op->cond, out);
	}
	for (unsigned i = 0; i < op->nlets; i++) {
		buf_printf(out, " %c%u = ", op->rows ? '#' : '$', op->lets[i].slot);
		dump_expr(op->lets[i].e, out);
	}
	for (unsigned i = 0; i < op->naggs; i++)
		dump_agg(&op->aggs[i], out);
	for (unsigned i = 0; i < op->nkeys; i++) {
		buf_puts(out, i ? ", " : op->kind == OP_AGG ? " by " : " ");
		dump_expr(op->keys[i].e, out);
	}
	if (op->kind == OP_SORT || op->kind == OP_TOP)
		buf_printf(out, " #%u%s", op->col, op->desc ? " desc" : "");
	if (op->count)
		buf_printf(out, " %" PRIu64, op->count);
	if (op->ns)
		buf_printf(out, " %" PRIu64 "ns%s", op->ns, op->keep ? " keep" : "");
	for (unsigned i = 0; i < op->nargs; i++) {
		buf_puts(out, i ? ", " : " ");
		dump_expr(op->args[i], out);
	}
	buf_putc(out, '\n');
}

static void dump_pipe(const struct pipe *p, unsigned depth, struct buf *out)
{
	dump_src(p->src, depth, out);
	for (const struct op *op = p->ops; op; op = op->next)
		dump_op(op, depth, out);
	if (!p->schema.n)
		return;
	indent(out, depth);
	buf_puts(out, "columns");
	for (unsigned i = 0; i < p->schema.n; i++)
		buf_printf(out, " %s:%c", p->schema.cols[i].name,
			   type_letter(p->schema.cols[i].type));
	buf_putc(out, '\n');
}

void dump_query(const struct query *q, struct buf *out)
{
	dump_pipe(q->pipe, 0, out);
}
