// SPDX-License-Identifier: GPL-3.0-or-later
// Lengths of instructions: against a recorded listing of objdump, and against objdump itself over a
// program and a library where it is there. Random bytes never lead beyond what can be read.
#include "catalog/insn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Bytes in hex with blanks between them; how many */
static size_t bytes_of(const char *s, uint8_t *out, size_t max)
{
	size_t n = 0;
	unsigned b;
	int used;

	while (n < max && sscanf(s, " %2x%n", &b, &used) == 1) {
		out[n++] = (uint8_t)b;
		s += used;
	}
	return n;
}

static void recorded(void **state)
{
	FILE *f = fopen("tests/data/elf/x86-64.txt", "r");
	char line[256];
	unsigned n = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		uint8_t code[32];
		size_t len = bytes_of(line, code, 16);

		if (line[0] == '#' || !len)
			continue;
		n++;
		memset(code + len, 0x90, sizeof(code) - len);
		if (insn_length(CPU_X86_64, code, sizeof(code)) != (int)len)
			fail_msg("%s: found %d", line, insn_length(CPU_X86_64, code, sizeof(code)));
		/* one byte short is no instruction */
		assert_int_equal(insn_length(CPU_X86_64, code, len - 1), -1);
	}
	fclose(f);
	assert_true(n > 300);
}

static void disassembled(const char *file)
{
	char cmd[256], line[512];
	unsigned long n = 0, wrong = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "objdump -d -w -M intel64 %s 2>/dev/null", file);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		uint8_t code[40];
		char *tab = strchr(line, '\t'), *text;
		size_t len;

		text = tab ? strchr(tab + 1, '\t') : NULL;
		if (!text || strstr(text, "(bad)") || strstr(text, ".byte"))
			continue;
		*text = '\0';
		len = bytes_of(tab + 1, code, 20);
		/* it takes fwait and what follows for one, and REX alone for an instruction */
		if (!len || (code[0] == 0x9b && len > 1) || strncmp(text + 1, "rex", 3) == 0)
			continue;
		n++;
		memset(code + len, 0x90, sizeof(code) - len);
		if (insn_length(CPU_X86_64, code, sizeof(code)) != (int)len && wrong++ < 10)
			printf("%s:%s: found %d\n", tab + 1, text + 1,
			       insn_length(CPU_X86_64, code, sizeof(code)));
	}
	pclose(f);
	printf("%s: %lu instructions\n", file, n);
	assert_int_equal(wrong, 0);
	assert_true(n > 1000);
}

static void against_objdump(void **state)
{
#ifdef __x86_64__
	const char *const files[] = {"/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6"};

	(void)state;
	if (system("objdump --version >/dev/null 2>&1"))
		skip();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (access(files[i], R_OK) == 0)
			disassembled(files[i]);
	}
#else
	(void)state;
	skip();
#endif
}

static void others(void **state)
{
	const uint8_t riscv[] = {0x01, 0x11, 0x13, 0x05}, s390[] = {0xeb, 0, 0, 0, 0, 0};
	const uint8_t branch[] = {0xa7, 0xf4, 0, 0};

	(void)state;
	assert_int_equal(insn_length(CPU_RISCV, riscv, 4), 2);
	assert_int_equal(insn_length(CPU_RISCV, riscv + 2, 2), -1);
	assert_int_equal(insn_length(CPU_S390, s390, 6), 6);
	assert_int_equal(insn_length(CPU_S390, branch, 4), 4);
	assert_int_equal(insn_length(CPU_ARM64, riscv, 4), 4);
	assert_int_equal(insn_length(CPU_OTHER, riscv, 4), 0);
}

static void any_bytes(void **state)
{
	uint8_t code[16];

	(void)state;
	srand(7);
	for (unsigned i = 0; i < 200000; i++) {
		size_t n = (size_t)rand() % 17;
		uint8_t *exact = malloc(n + 1);
		int len;

		for (size_t k = 0; k < n; k++)
			code[k] = (uint8_t)rand();
		memcpy(exact, code, n);
		len = insn_length(CPU_X86_64, exact, n);
		assert_true(len == -1 || (len > 0 && (size_t)len <= n));
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded),
		cmocka_unit_test(against_objdump),
		cmocka_unit_test(others),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests_name("insn", tests, NULL, NULL);
}
