/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long an instruction is: enough to tell whether an offset is at the beginning of one. */
#ifndef TRACESH_CATALOG_INSN_H
#define TRACESH_CATALOG_INSN_H

#include <stddef.h>
#include <stdint.h>

enum insn_cpu {
	CPU_OTHER, /* nothing is known of its instructions */
	CPU_X86_64,
	CPU_I386,
	CPU_ARM64,
	CPU_ARM,
	CPU_RISCV,
	CPU_PPC64,
	CPU_S390,
	CPU_LOONGARCH,
};

/* insn_length - bytes of the instruction at @p, of which @n can be read; 0: not known, -1: that is
 * no instruction */
int insn_length(enum insn_cpu cpu, const uint8_t *p, size_t n);

#endif
