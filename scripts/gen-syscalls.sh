#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Writes src/catalog/syscall_names.c from libseccomp's tables (needs libseccomp-dev; run by hand when a
# new kernel brings new system calls). Only its output is part of the build. What is younger than those
# tables is added below, from include/uapi/asm-generic/unistd.h; since 424 all architectures here share the
# numbers. The result was compared with asm/unistd.h of Debian's linux-libc-dev-*-cross packages.
set -eu
t=$(mktemp -d); trap 'rm -rf "$t"' EXIT
cat >"$t/g.c" <<'C'
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
static const char newer[] =
	"\t[457]=\"statmount\",[458]=\"listmount\",[459]=\"lsm_get_self_attr\",[460]=\"lsm_set_self_attr\",\n"
	"\t[461]=\"lsm_list_modules\",[462]=\"mseal\",[463]=\"setxattrat\",[464]=\"getxattrat\",\n"
	"\t[465]=\"listxattrat\",[466]=\"removexattrat\",[467]=\"open_tree_attr\",[468]=\"file_getattr\",\n"
	"\t[469]=\"file_setattr\",[470]=\"listns\",[471]=\"rseq_slice_yield\",\n";
int main(void)
{
	static const struct { uint32_t a; const char *id, *name; } v[] = {
		{SCMP_ARCH_X86_64, "x86_64", "x86_64"}, {SCMP_ARCH_X86, "i386", "i386"},
		{SCMP_ARCH_AARCH64, "aarch64", "aarch64"}, {SCMP_ARCH_ARM, "arm", "arm"},
		{SCMP_ARCH_RISCV64, "riscv64", "riscv64"}};
	puts("/* SPDX-License-Identifier: GPL-3.0-or-later */");
	puts("/* System call names by architecture. Made by scripts/gen-syscalls.sh: do not edit. */");
	puts("#include \"catalog/syscall_names.h\"\n\n#include <stddef.h>\n\n/* clang-format off */");
	for (int i = 0; i < 5; i++) {
		int last = 0, col = 0;
		printf("static const char *const names_%s[] = {\n", v[i].id);
		for (int nr = 0; nr < 600; nr++) {
			char *s = seccomp_syscall_resolve_num_arch(v[i].a, nr);
			if (s) {
				col += printf("%s[%d]=\"%s\",", col ? "" : "\t", nr, s);
				if (col > 84) { putchar('\n'); col = 0; }
				last = nr;
			}
			free(s);
		}
		printf("%s%s%s};\n\n", col ? "\n" : "",
		       i ? "" : "\t[335]=\"uretprobe\",[336]=\"uprobe\",\n", newer);
		(void)last;
	}
	puts("const struct syscall_table syscall_tables[] = {");
	for (int i = 0; i < 5; i++)
		printf("\t{\"%s\", names_%s, sizeof(names_%s) / sizeof(names_%s[0])},\n", v[i].name,
		       v[i].id, v[i].id, v[i].id);
	puts("\t{NULL, NULL, 0},\n};");
}
C
${CC:-cc} -o "$t/g" "$t/g.c" -lseccomp
"$t/g"
