/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The register machine. Values are 64 bits with a sign of their own; null goes through every
 * operation; strings are borrowed from the record, the query or the scratch. Knows no pipelines.
 */
#include "engine/code.h"

#include "engine/stacks.h"
#include "engine/tasks.h"

#include <math.h>

static bool unsigned_result(const struct insn *i, struct val a, struct val b)
{
	if (i->x & LIT_A)
		return b.uns;
	if (i->x & LIT_B)
		return a.uns;
	return a.uns && b.uns;
}

/* counts of 64 and more, and negative ones, shift everything out */
static struct val shift(enum opcode op, struct val a, struct val b, bool uns)
{
	bool out = b.u >= 64;

	if (op == C_SHL)
		return val_int(out ? 0 : a.u << b.u, uns);
	if (uns)
		return val_int(out ? 0 : a.u >> b.u, true);
	return val_int((uint64_t)(a.s >> (out ? 63 : b.u)), false);
}

static struct val divide(enum opcode op, struct val a, struct val b, bool uns)
{
	if (b.u == 0)
		return val_null();
	if (uns)
		return val_int(op == C_DIV ? a.u / b.u : a.u % b.u, true);
	/* INT64_MIN / -1 wraps */
	if (b.s == -1)
		return val_int(op == C_DIV ? 0 - a.u : 0, false);
	return val_int((uint64_t)(op == C_DIV ? a.s / b.s : a.s % b.s), false);
}

static struct val arith(const struct insn *i, struct val a, struct val b)
{
	bool uns;

	if (a.null || b.null)
		return val_null();
	uns = unsigned_result(i, a, b);
	switch (i->op) {
	case C_ADD: return val_int(a.u + b.u, uns);
	case C_SUB: return val_int(a.u - b.u, uns);
	case C_MUL: return val_int(a.u * b.u, uns);
	case C_AND: return val_int(a.u & b.u, uns);
	case C_OR: return val_int(a.u | b.u, uns);
	case C_XOR: return val_int(a.u ^ b.u, uns);
	case C_SHL:
	case C_SHR:
		/* the left side's sign alone counts, as in C */
		return shift(i->op, a, b, i->x & LIT_A ? b.uns : a.uns);
	default: return divide(i->op, a, b, uns);
	}
}

static struct val truth(bool b)
{
	return val_int(b, false);
}

static bool holds(int op, int cmp)
{
	switch (op) {
	case 0: return cmp == 0;
	case 1: return cmp != 0;
	case 2: return cmp < 0;
	case 3: return cmp <= 0;
	case 4: return cmp > 0;
	default: return cmp >= 0;
	}
}

static struct val decimal(double d)
{
	return isfinite(d) ? (struct val){.d = d} : val_null();
}

static struct val dec_op(enum opcode op, struct val a, struct val b)
{
	if (a.null || b.null)
		return val_null();
	switch (op) {
	case C_DADD: return decimal(a.d + b.d);
	case C_DSUB: return decimal(a.d - b.d);
	case C_DMUL: return decimal(a.d * b.d);
	case C_DDIV: return decimal(a.d / b.d);
	case C_DMIN: return a.d <= b.d ? a : b;
	case C_DMAX: return a.d >= b.d ? a : b;
	default: return truth(holds(op - C_DEQ, (a.d > b.d) - (a.d < b.d)));
	}
}

/* sums in rows can pass 64 bits: the nearest value that fits */
static struct val col_int(const struct cell *c)
{
	if (c->null)
		return val_null();
	if (c->n > (__int128)UINT64_MAX)
		return val_int(UINT64_MAX, true);
	if (c->n < INT64_MIN)
		return val_int((uint64_t)INT64_MIN, false);
	return val_int((uint64_t)c->n, c->n > INT64_MAX);
}

static struct val absolute(struct val v)
{
	if (v.null || v.uns || v.s >= 0)
		return v;
	return val_int(0 - v.u, v.s == INT64_MIN);
}

static struct origin *origin_of(const struct ctx *c)
{
	return c->r ? c->r->origin : c->origin;
}

static struct tasks *tasks_of(const struct ctx *c)
{
	const struct origin *o = origin_of(c);

	return o && c->tasks ? c->tasks[o->index] : NULL;
}

/* leaves and functions, which are rarer than arithmetic */
static struct val leaf(const struct insn *i, struct ctx *c, const struct val *r)
{
	struct val v = r[i->a], out = val_null();
	const struct cell *cell;
	struct tasks *t;

	switch (i->op) {
	case C_BYTES:
		if (!rec_bytes(c->r, i->f, &out.p, &out.len))
			return val_null();
		out.null = false;
		return out;
	case C_ELEM: return fn_elem(c->r, i->f, i->x);
	case C_COL_INT: return col_int(&c->row[i->x]);
	case C_COL_STR:
		cell = &c->row[i->x];
		return cell->null ? val_null() : (struct val){.p = cell->p, .len = cell->len};
	case C_COL_DEC:
		cell = &c->row[i->x];
		return cell->null ? val_null()
				  : (struct val){.d = (double)((long double)cell->n / 1e6L)};
	case C_STACK: return stacks_text(c->stacks, c->r, i->b, i->x, c->scratch);
	case C_PID:
	case C_PPID:
	case C_COMM:
	case C_TIDCOMM:
		if (i->op == C_COMM && c->comm)
			return *c->comm;
		t = tasks_of(c);
		if (v.null || !t)
			return val_null();
		if (c->held && i->op != C_TIDCOMM && (int)v.s == c->held->tid)
			return i->op == C_PID    ? c->held->pid
			       : i->op == C_PPID ? c->held->ppid
						 : c->held->comm;
		if (i->op == C_PID)
			return tasks_pid(t, (int)v.s);
		if (i->op == C_PPID)
			return tasks_ppid(t, (int)v.s);
		return tasks_comm(t, (int)v.s, i->op == C_COMM ? c->r->cpu : -1, c->scratch);
	default: break;
	}
	if (v.null)
		return v;
	switch (i->op) {
	case C_TODEC: return decimal(v.uns ? (double)v.u : (double)v.s);
	case C_DNEG: return decimal(-v.d);
	case C_DABS: return decimal(fabs(v.d));
	case C_DTRUTH: return truth(v.d != 0);
	case C_STRUTH: return truth(v.len != 0);
	case C_GLOB: return truth(glob_match(i->str, i->x, v.p, v.len));
	case C_MATCH: return fn_match(c, v, i->p);
	case C_SYMEQ:
	case C_SYMHAS: {
		const struct symtest *s = i->p;
		uint64_t x = v.u & s->mask;

		return truth(i->op == C_SYMEQ || !s->value ? x == s->value
							   : (x & s->value) == s->value);
	}
	case C_ABS: return absolute(v);
	case C_LOG2: return fn_log2(v);
	case C_BUCKET: return fn_bucket(v, r[i->b]);
	case C_STRLEN: return val_int(v.len, false);
	case C_SUBSTR: return fn_substr(v, r[i->b], i->x ? r[i->b + 1] : val_int(UINT32_MAX, true));
	case C_STRFTIME: return fn_strftime(c->scratch, v, r[i->b]);
	case C_ERRNO: return fn_errno(c->scratch, v, i->x);
	case C_SYSCALL: return fn_syscall(c->scratch, origin_of(c), v);
	case C_KADDR: return fn_kaddr(c->scratch, origin_of(c), v);
	case C_KSYM: return fn_ksym(c->scratch, origin_of(c), v, i->x);
	case C_ITOS: return fn_itos(c->scratch, v);
	case C_DTOS: return fn_dtos(c->scratch, v.d);
	case C_IP: return fn_ip(c->scratch, origin_of(c), v, i->x);
	case C_MAC: return fn_mac(c->scratch, v);
	case C_DEV: return fn_dev(c->scratch, v);
	case C_SIGNAL: return fn_signal(c->scratch, v);
	case C_SYMNAME: return sym_name(i->f, v, c->scratch);
	default: return val_null();
	}
}

struct val vm_run(const struct prog *p, struct ctx *c)
{
	const struct insn *i = p->code;
	struct val *r = c->regs, a, b;
	uint64_t u;

	for (;; i++) {
		switch (i->op) {
		case C_END: return r[i->a];
		case C_NULL: r[i->dst] = val_null(); break;
		case C_NUM: r[i->dst] = val_int(i->u, i->x); break;
		case C_STR: r[i->dst] = (struct val){.p = i->str, .len = i->x}; break;
		case C_INT:
			if (rec_int(c->r, i->f, &u))
				r[i->dst] = val_int(u, !i->f->is_signed);
			else
				r[i->dst] = val_null();
			break;
		case C_TS: r[i->dst] = val_int(c->r->ts, i->x); break;
		case C_CPU: r[i->dst] = val_int((uint64_t)(int64_t)c->r->cpu, i->x); break;
		case C_SLOT: r[i->dst] = c->slots[i->x]; break;
		case C_MOV: r[i->dst] = r[i->a]; break;
		case C_NEG:
			if (!r[i->a].null)
				r[i->dst] = val_int(0 - r[i->a].u, i->x);
			break;
		case C_BNOT:
			if (!r[i->a].null)
				r[i->dst] = val_int(~r[i->a].u, r[i->a].uns);
			break;
		case C_NOT:
			if (!r[i->a].null)
				r[i->dst] = truth(!r[i->a].u);
			break;
		case C_ADD:
		case C_SUB:
		case C_MUL:
		case C_DIV:
		case C_MOD:
		case C_AND:
		case C_OR:
		case C_XOR:
		case C_SHL:
		case C_SHR: r[i->dst] = arith(i, r[i->a], r[i->b]); break;
		case C_EQ:
		case C_NE:
		case C_LT:
		case C_LE:
		case C_GT:
		case C_GE:
			a = r[i->a];
			b = r[i->b];
			if (a.null || b.null)
				r[i->dst] = val_null();
			else
				r[i->dst] = truth(holds(i->op - C_EQ, val_cmp(a, b)));
			break;
		case C_SEQ:
		case C_SNE:
		case C_SLT:
		case C_SLE:
		case C_SGT:
		case C_SGE:
			a = r[i->a];
			b = r[i->b];
			if (a.null || b.null)
				r[i->dst] = val_null();
			else
				r[i->dst] = truth(
					holds(i->op - C_SEQ, bytes_cmp(a.p, a.len, b.p, b.len)));
			break;
		case C_DADD:
		case C_DSUB:
		case C_DMUL:
		case C_DDIV:
		case C_DEQ:
		case C_DNE:
		case C_DLT:
		case C_DLE:
		case C_DGT:
		case C_DGE:
		case C_DMIN:
		case C_DMAX: r[i->dst] = dec_op(i->op, r[i->a], r[i->b]); break;
		case C_MIN:
		case C_MAX:
			a = r[i->a];
			b = r[i->b];
			if (a.null || b.null)
				r[i->dst] = val_null();
			else
				r[i->dst] = (val_cmp(a, b) <= 0) == (i->op == C_MIN) ? a : b;
			break;
		case C_JMP: i = p->code + i->x - 1; break;
		case C_JF:
			if (!val_true(r[i->a]))
				i = p->code + i->x - 1;
			break;
		case C_JT:
			if (val_true(r[i->a]))
				i = p->code + i->x - 1;
			break;
		case C_JNULL:
			if (r[i->a].null)
				i = p->code + i->x - 1;
			break;
		case C_BOOL: r[i->dst] = truth(val_true(r[i->a])); break;
		case C_NOW:
		case C_VAR:
		case C_MAP:
		case C_INMAP: r[i->dst] = block_value(i, c, r); break;
		case C_SETVAR:
		case C_STORE:
		case C_ADD_AGG:
		case C_DELETE:
		case C_CLEAR:
		case C_OUT:
		case C_EXIT:
		case C_SPEC:
		case C_MARK: block_act(i, c, r); break;
		case C_EACH:
		case C_ROUND:
			if (block_jump(i, c, r))
				i = p->code + i->x - 1;
			break;
		default: r[i->dst] = leaf(i, c, r);
		}
	}
}

void val_cell(const struct type *t, struct val v, struct cell *out)
{
	*out = (struct cell){.null = v.null};
	if (v.null)
		return;
	if (type_str(t)) {
		out->p = v.p ? v.p : "";
		out->len = v.len;
	} else if (t->kind == T_DEC) {
		long double m = roundl((long double)v.d * 1e6L);

		/* far beyond what any table shows, and within __int128 */
		out->n = m > 1e37L ? (__int128)1e37L : m < -1e37L ? (__int128)-1e37L : (__int128)m;
	} else {
		out->n = val_wide(v);
	}
}
