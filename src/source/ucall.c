/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arg1 .. argN of programs: by the calling convention at a function's beginning, by the note at a
 * static probe. The kernel has no $argN for uprobes, only registers and memory.
 */
#include "source/fetch_types.h"
#include "source/ufile.h"

#include <string.h>

static const struct convention {
	enum insn_cpu cpu;
	const char *regs[8];
	const char *sp; /* further arguments are there; NULL: not known */
	unsigned first; /* offset of the first of those */
	unsigned slot;  /* bytes of each */
} conventions[] = {
	{CPU_X86_64, {"di", "si", "dx", "cx", "r8", "r9"}, "sp", 8, 8},
	{CPU_I386, {NULL}, "sp", 4, 4},
	{CPU_ARM64, {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"}, "sp", 0, 8},
	{CPU_ARM, {"r0", "r1", "r2", "r3"}, "sp", 0, 4},
	{CPU_RISCV, {"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"}, "sp", 0, 8},
	{CPU_PPC64, {"gpr3", "gpr4", "gpr5", "gpr6", "gpr7", "gpr8", "gpr9", "gpr10"}, NULL, 0, 0},
	{CPU_S390, {"r2", "r3", "r4", "r5", "r6"}, NULL, 0, 0},
	{CPU_LOONGARCH, {"r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"}, NULL, 0, 0},
};

static const struct convention *convention(enum insn_cpu cpu)
{
	for (size_t i = 0; i < sizeof(conventions) / sizeof(conventions[0]); i++) {
		if (conventions[i].cpu == cpu)
			return &conventions[i];
	}
	return NULL;
}

static void memory(struct fetch *f, struct fetch_val *v, const char *reg, int64_t off,
		   unsigned size, bool is_signed, struct span at)
{
	fetch_leaf(v, arena_printf(f->ck->a, "%%%s", reg), at);
	v->how = FV_MEM;
	v->off = off;
	v->size = size;
	v->type = fetch_type(f->ck->a,
			     arena_printf(f->ck->a, "%c%u", is_signed ? 's' : 'u', size * 8),
			     f->long_size);
}

int ucall_arg(struct fetch *f, unsigned n, struct span at, struct fetch_val *v)
{
	const struct uplace *p = f->t->priv;
	const struct convention *c = convention(p->cpu);
	unsigned regs = 0;
	struct diag *g;

	while (c && regs < 8 && c->regs[regs])
		regs++;
	if (c && n <= regs) {
		fetch_leaf(v, arena_printf(f->ck->a, "%%%s", c->regs[n - 1]), at);
		return 0;
	}
	if (c && c->sp && n < 100) {
		memory(f, v, c->sp, c->first + (int64_t)(n - regs - 1) * c->slot, c->slot, false,
		       at);
		return 0;
	}
	g = diag_error(f->ck->d, "bad-arguments", at,
		       "argument %u of a function is not known on %s", n,
		       elf_cpu_name(p->file->elf));
	diag_hint(f->ck->d, g, "reg(NAME) and u64(reg(sp) + N) read registers and the stack");
	return -1;
}

/* ---- static probes ---- */

static int object(struct fetch *f, const struct uplace *p, const struct usdt_operand *o,
		  struct span at, struct fetch_val *v)
{
	uint64_t addr;

	if (!elf_object(p->file->elf, o->object, &addr))
		return -1;
	/* the kernel counts from where the probe's own offset is mapped */
	addr = addr + (uint64_t)o->num - p->addr + p->off;
	if (addr > INT64_MAX)
		return -1;
	fetch_leaf(v, arena_printf(f->ck->a, "@+0x%llx", (unsigned long long)addr), at);
	return 0;
}

int ucall_usdt_arg(struct fetch *f, unsigned n, struct span at, struct fetch_val *v)
{
	const struct uplace *p = f->t->priv;
	struct usdt_operand o = {0};
	const char *text = "";
	int rc = usdt_operand(f->ck->a, p->cpu, elf_long_size(p->file->elf), p->usdt_args, n, &o,
			      &text);
	unsigned have = 0;
	struct diag *g;

	if (rc == 1) {
		while (usdt_operand(f->ck->a, p->cpu, 8, p->usdt_args, have + 1, &o, &text) != 1)
			have++;
		g = diag_error(f->ck->d, "bad-arguments", at, "the probe has no argument %u", n);
		diag_hint(f->ck->d, g, have ? "it has %u, as the program was built" : "it has none",
			  have);
		return -1;
	}
	if (rc == 0) {
		switch (o.kind) {
		case UO_CONST:
			fetch_leaf(v, arena_printf(f->ck->a, "\\%lld", (long long)o.num), at);
			break;
		case UO_REG: fetch_leaf(v, arena_printf(f->ck->a, "%%%s", o.reg), at); break;
		case UO_MEM: memory(f, v, o.reg, o.num, o.size, o.is_signed, at); break;
		case UO_OBJECT: rc = object(f, p, &o, at, v); break;
		}
	}
	if (rc) {
		g = diag_error(f->ck->d, "bad-arguments", at,
			       "the kernel cannot fetch argument %u of this probe", n);
		g->note = arena_printf(f->ck->a, "the program keeps it in '%s'", text);
		return -1;
	}
	v->type = fetch_type(f->ck->a,
			     arena_printf(f->ck->a, "%c%u", o.is_signed ? 's' : 'u', o.size * 8),
			     f->long_size);
	return 0;
}
