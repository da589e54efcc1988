// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of static probes as assemblers of several CPUs write them.
#include "source/ufile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* All arguments in one line: "s64 %ax; u4 8(%sp)"; "-" for one that cannot be fetched */
static const char *all(struct arena *a, enum insn_cpu cpu, const char *args)
{
	char *line = arena_alloc(a, 1000);
	struct usdt_operand o;
	const char *text;

	for (unsigned k = 1; k < 20; k++) {
		int rc = usdt_operand(a, cpu, 8, args, k, &o, &text);
		char *end = line + strlen(line);

		if (rc == 1)
			break;
		if (k > 1)
			end += sprintf(end, "; ");
		if (rc) {
			sprintf(end, "-");
			continue;
		}
		end += sprintf(end, "%c%u ", o.is_signed ? 's' : 'u', o.size * 8);
		if (o.kind == UO_CONST)
			sprintf(end, "%lld", (long long)o.num);
		else if (o.kind == UO_REG)
			sprintf(end, "%s", o.reg);
		else if (o.kind == UO_MEM)
			sprintf(end, "%lld(%s)", (long long)o.num, o.reg);
		else
			sprintf(end, "%s+%lld", o.object, (long long)o.num);
	}
	return line;
}

static void operands(void **state)
{
	static const struct {
		enum insn_cpu cpu;
		const char *args, *want;
	} cases[] = {
		{CPU_X86_64, "8@%rax -4@%ecx 1@%sil -2@%r9w", "u64 ax; s32 cx; u8 si; s16 r9"},
		{CPU_X86_64, "-4@16(%rsp) 8@-8(%rbp) 4@(%rdi) 8@0x10(%r12)",
		 "s32 16(sp); u64 -8(bp); u32 0(di); u64 16(r12)"},
		{CPU_X86_64, "-4@$-5 8@$0xffffffffffffffff 4@$7", "s32 -5; u64 -1; u32 7"},
		{CPU_X86_64, "4@counter(%rip) 8@table+16(%rip) 8@table-8(%rip)",
		 "u32 counter+0; u64 table+16; u64 table+-8"},
		{CPU_X86_64, "8@(%rax,%rbx,8) 1@%ah 8f@%xmm0 8@%xmm1 8@%fs:16 3@%rax 8@$ 8@",
		 "-; -; -; -; -; -; -; -"},
		{CPU_X86_64, "%rax $3", "u64 ax; u64 3"},
		{CPU_X86_64, "  8@%rax   8@%rbx ", "u64 ax; u64 bx"},
		{CPU_X86_64, "", ""},
		{CPU_ARM64, "8@x0 -4@w19 4@wzr 8@sp -4@[sp, 12] 8@[x29,-16] 8@[x1] 8@42",
		 "u64 x0; s32 x19; u32 0; u64 sp; s32 12(sp); u64 -16(x29); u64 0(x1); u64 42"},
		{CPU_ARM64, "8@d0 8@[x0, x1] 8@[x0, w1, sxtw 2] 8@x31 -4@-7", "-; -; -; -; s32 -7"},
		{CPU_ARM, "4@r0 -4@[fp, #-16] 4@#5 4@[r3]",
		 "u32 r0; s32 -16(fp); u32 5; u32 0(r3)"},
		{CPU_RISCV, "8@a0 -4@-20(s0) 8@5 8@0(sp) -4@-3 4@fp",
		 "u64 a0; s32 -20(s0); u64 5; u64 0(sp); s32 -3; u32 s0"},
		{CPU_S390, "8@%r2", "-"},
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(all(a, cases[i].cpu, cases[i].args), cases[i].want);
	arena_free(a);
}

/* Any text gives an answer */
static void any_text(void **state)
{
	static const char chars[] = "0123456789@%$-+()[], #raxbpsf.\t_";
	struct arena *a = arena_new();

	(void)state;
	srand(3);
	for (unsigned i = 0; i < 30000; i++) {
		char s[40];
		size_t n = (size_t)rand() % (sizeof(s) - 1);

		for (size_t k = 0; k < n; k++)
			s[k] = chars[(size_t)rand() % (sizeof(chars) - 1)];
		s[n] = '\0';
		all(a, (enum insn_cpu)(rand() % CPU_LOONGARCH), s);
		if (i % 1000 == 0) {
			arena_free(a);
			a = arena_new();
		}
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands),
		cmocka_unit_test(any_text),
	};

	return cmocka_run_group_tests_name("usdt", tests, NULL, NULL);
}
