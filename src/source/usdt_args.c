/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arguments of static probes as the assembler wrote them: "8@%rax -4@16(%rsp) 4@$5" and what other
 * CPUs have. Floating point and indexed operands are known as such and refused.
 */
#include "source/ufile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *kernel, *names; /* of 8, 4, 2, 1 bytes */
} x86_regs[] = {
	{"ax", "rax eax ax al"},       {"bx", "rbx ebx bx bl"},       {"cx", "rcx ecx cx cl"},
	{"dx", "rdx edx dx dl"},       {"si", "rsi esi si sil"},      {"di", "rdi edi di dil"},
	{"bp", "rbp ebp bp bpl"},      {"sp", "rsp esp sp spl"},      {"r8", "r8 r8d r8w r8b"},
	{"r9", "r9 r9d r9w r9b"},      {"r10", "r10 r10d r10w r10b"}, {"r11", "r11 r11d r11w r11b"},
	{"r12", "r12 r12d r12w r12b"}, {"r13", "r13 r13d r13w r13b"}, {"r14", "r14 r14d r14w r14b"},
	{"r15", "r15 r15d r15w r15b"},
};

static bool in_list(const char *list, const char *s, size_t n)
{
	while (*list) {
		size_t k = strcspn(list, " ");

		if (k == n && memcmp(list, s, n) == 0)
			return true;
		list += k + (list[k] == ' ');
	}
	return false;
}

/* A number at *@p; false when there is none */
static bool number(const char **p, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)**p) &&
	    !((**p == '-' || **p == '+') && isdigit((unsigned char)(*p)[1])))
		return false;
	errno = 0;
	*out = (int64_t)strtoll(*p, &end, 0);
	if (errno) {
		errno = 0;
		*out = (int64_t)strtoull(*p, &end, 0);
	}
	*p = end;
	return errno == 0;
}

static size_t word_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || (n && strchr("_.$@", s[n]) && s[n]))
		n++;
	return n;
}

/* ---- x86 ---- */

static const char *x86_reg(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(x86_regs) / sizeof(x86_regs[0]); i++) {
		if (in_list(x86_regs[i].names, s, n))
			return x86_regs[i].kernel;
	}
	return NULL;
}

/* "(%rax)" and nothing behind it; *@rip: it was (%rip) */
static const char *x86_base(const char *s, bool *rip)
{
	size_t n;

	if (strncmp(s, "(%", 2) != 0)
		return NULL;
	n = word_len(s + 2);
	if (strcmp(s + 2 + n, ")") != 0)
		return NULL;
	*rip = n == 3 && memcmp(s + 2, "rip", 3) == 0;
	return x86_reg(s + 2, n);
}

static int x86(struct arena *a, const char *s, struct usdt_operand *o)
{
	size_t n = isalpha((unsigned char)*s) || *s == '_' || *s == '.' ? strcspn(s, "+-(") : 0;
	bool rip = false;

	if (*s == '$') {
		s++;
		o->kind = UO_CONST;
		return number(&s, &o->num) && !*s ? 0 : -1;
	}
	if (*s == '%') {
		o->kind = UO_REG;
		o->reg = x86_reg(s + 1, strlen(s + 1));
		return o->reg ? 0 : -1;
	}
	if (n)
		o->object = arena_strndup(a, s, n);
	s += n;
	if (*s && *s != '(' && !number(&s, &o->num))
		return -1;
	o->reg = x86_base(s, &rip);
	o->kind = o->object ? UO_OBJECT : UO_MEM;
	if (o->object)
		return rip ? 0 : -1;
	return o->reg ? 0 : -1;
}

/* ---- the others ---- */

static const char *arm64_reg(struct arena *a, const char *s, size_t n)
{
	if (n == 2 && memcmp(s, "sp", 2) == 0)
		return "sp";
	if (n < 2 || n > 3 || (*s != 'x' && *s != 'w') || strspn(s + 1, "0123456789") < n - 1 ||
	    atoi(s + 1) > 30)
		return NULL;
	return arena_printf(a, "x%d", atoi(s + 1));
}

static const char *other_reg(struct arena *a, enum insn_cpu cpu, const char *s, size_t n)
{
	static const char arm[] = "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 fp ip sp lr pc";
	static const char riscv[] = "ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 "
				    "s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6";

	if (cpu == CPU_ARM64)
		return arm64_reg(a, s, n);
	if (cpu == CPU_RISCV && n == 2 && memcmp(s, "fp", 2) == 0)
		return "s0";
	return in_list(cpu == CPU_ARM ? arm : riscv, s, n) ? arena_strndup(a, s, n) : NULL;
}

/* "[x0, 12]", "[fp, #-16]" */
static int bracketed(struct arena *a, enum insn_cpu cpu, const char *s, struct usdt_operand *o)
{
	size_t n = word_len(++s);

	o->kind = UO_MEM;
	o->reg = other_reg(a, cpu, s, n);
	s += n;
	if (*s == ',') {
		s++;
		s += strspn(s, " #");
		if (!number(&s, &o->num))
			return -1;
	}
	return o->reg && strcmp(s, "]") == 0 ? 0 : -1;
}

static int other(struct arena *a, enum insn_cpu cpu, const char *s, struct usdt_operand *o)
{
	size_t n = word_len(s);

	if (*s == '[')
		return bracketed(a, cpu, s, o);
	if (n && !isdigit((unsigned char)*s) && !s[n]) {
		o->kind = UO_REG;
		o->reg = other_reg(a, cpu, s, n);
		if (!o->reg && cpu == CPU_ARM64 && in_list("xzr wzr", s, n))
			o->kind = UO_CONST;
		return o->reg || o->kind == UO_CONST ? 0 : -1;
	}
	s += *s == '#';
	if (*s != '(' && !number(&s, &o->num))
		return -1;
	if (!*s) {
		o->kind = UO_CONST;
		return 0;
	}
	n = *s == '(' ? word_len(s + 1) : 0;
	o->kind = UO_MEM;
	o->reg = n && strcmp(s + 1 + n, ")") == 0 ? other_reg(a, cpu, s + 1, n) : NULL;
	return o->reg ? 0 : -1;
}

/* ---- one of them ---- */

/* The next argument: up to a blank that is not within brackets */
static size_t arg_len(const char *s)
{
	size_t n = 0;
	bool in = false;

	for (; s[n] && (in || !isspace((unsigned char)s[n])); n++) {
		if (s[n] == '[' || s[n] == '(')
			in = true;
		else if (s[n] == ']' || s[n] == ')')
			in = false;
	}
	return n;
}

int usdt_operand(struct arena *a, enum insn_cpu cpu, unsigned long_size, const char *args,
		 unsigned k, struct usdt_operand *out, const char **text)
{
	const char *s, *at;
	int64_t size;
	size_t n;

	memset(out, 0, sizeof(*out));
	args += strspn(args, " \t");
	while (--k && *args) {
		args += arg_len(args);
		args += strspn(args, " \t");
	}
	n = arg_len(args);
	if (!n)
		return 1;
	s = *text = arena_strndup(a, args, n);
	out->size = long_size;
	at = strchr(s, '@');
	if (at && number(&s, &size)) {
		if (*s == 'f' || s != at)
			return -1;
		out->is_signed = size < 0;
		size = size < 0 ? -size : size;
		if (size != 1 && size != 2 && size != 4 && size != 8)
			return -1;
		out->size = (unsigned)size;
		s++;
	}
	switch (cpu) {
	case CPU_X86_64:
	case CPU_I386: return x86(a, s, out);
	case CPU_ARM64:
	case CPU_ARM:
	case CPU_RISCV: return other(a, cpu, s, out);
	default: return -1;
	}
}
