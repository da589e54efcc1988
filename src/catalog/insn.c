/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lengths of instructions. x86-64 from tables of what follows an opcode: a ModRM byte, constants.
 * Knows no more than lengths; where Intel and AMD differ (an operand size prefix on a near branch)
 * it goes with Intel, as the kernel's own decoder does.
 */
#include "catalog/insn.h"

#include <stdbool.h>

#define MAX_LEN 15

/*
 * What follows the opcode:
 *   .  nothing            b  1 byte              w  2 bytes
 *   m  ModRM              B  ModRM, 1 byte       e  3 bytes (enter)
 *   z  2 or 4 bytes       Z  ModRM, 2 or 4       d  4 bytes whatever the operand size
 *   v  2, 4 or 8 bytes    o  an address          c  ModRM of registers only
 *   g  ModRM; 1 byte when its reg is 0 or 1      G  the same with 2 or 4 bytes
 *   p  a prefix           r  REX                 -  no instruction
 *   2  two-byte opcodes   3  0f 38               4  0f 3a
 *   5  VEX, one byte      6  VEX, two bytes      7  EVEX         8  pop or XOP
 */
static const char one_byte[] = "mmmmbz--mmmmbz-2"  /* 00 */
			       "mmmmbz--mmmmbz--"  /* 10 */
			       "mmmmbzp-mmmmbzp-"  /* 20 */
			       "mmmmbzp-mmmmbzp-"  /* 30 */
			       "rrrrrrrrrrrrrrrr"  /* 40 */
			       "................"  /* 50 */
			       "--7mppppzZbB...."  /* 60 */
			       "bbbbbbbbbbbbbbbb"  /* 70 */
			       "BZ-Bmmmmmmmmmmm8"  /* 80 */
			       "..........-....."  /* 90 */
			       "oooo....bz......"  /* a0 */
			       "bbbbbbbbvvvvvvvv"  /* b0 */
			       "BBw.65BZe.w..b-."  /* c0 */
			       "mmmm---.mmmmmmmm"  /* d0 */
			       "bbbbbbbbdd-b...."  /* e0 */
			       "p.pp..gG......mm"; /* f0 */

static const char two_byte[] = "mmmm-.....-.-m.B"  /* 00 */
			       "mmmmmmmmmmmmmmmm"  /* 10 */
			       "cccc----mmmmmmmm"  /* 20 */
			       "......-.3-4-----"  /* 30 */
			       "mmmmmmmmmmmmmmmm"  /* 40 */
			       "mmmmmmmmmmmmmmmm"  /* 50 */
			       "mmmmmmmmmmmmmmmm"  /* 60 */
			       "BBBBmmm.mm--mmmm"  /* 70 */
			       "dddddddddddddddd"  /* 80 */
			       "mmmmmmmmmmmmmmmm"  /* 90 */
			       "...mBmmm...mBmmm"  /* a0 */
			       "mmmmmmmmmmBmmmmm"  /* b0 */
			       "mmBmBBBm........"  /* c0 */
			       "mmmmmmmmmmmmmmmm"  /* d0 */
			       "mmmmmmmmmmmmmmmm"  /* e0 */
			       "mmmmmmmmmmmmmmmm"; /* f0 */

struct x86 {
	const uint8_t *p;
	size_t n, at;
	bool opsize, addrsize, rep, wide; /* 66, 67, f2; REX.W */
};

static bool more(const struct x86 *x, size_t k)
{
	return x->at + k <= x->n && x->at + k <= MAX_LEN;
}

/* Steps over ModRM, SIB and displacement; the ModRM byte, or -1 */
static int modrm(struct x86 *x)
{
	uint8_t m, mod, rm;

	if (!more(x, 1))
		return -1;
	m = x->p[x->at++];
	mod = m >> 6;
	rm = m & 7;
	if (mod == 3)
		return m;
	if (rm == 4) {
		if (!more(x, 1))
			return -1;
		rm = x->p[x->at++] & 7;
		if (mod == 0 && rm == 5)
			x->at += 4;
	} else if (mod == 0 && rm == 5) {
		x->at += 4;
	}
	x->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return m;
}

static unsigned word(const struct x86 *x)
{
	return x->opsize && !x->wide ? 2 : 4;
}

/* Steps over what stands behind the opcode; 0 or -1 */
static int rest(struct x86 *x, char what)
{
	int m = 0;

	switch (what) {
	case 'm':
	case 'B':
	case 'Z':
	case 'g':
	case 'G': m = modrm(x); break;
	case 'c': x->at++; break;
	case '-': return -1;
	default: break;
	}
	if (m < 0)
		return -1;
	switch (what) {
	case 'b':
	case 'B': x->at += 1; break;
	case 'w': x->at += 2; break;
	case 'e': x->at += 3; break;
	case 'd': x->at += 4; break;
	case 'z':
	case 'Z': x->at += word(x); break;
	case 'v': x->at += x->wide ? 8 : word(x); break;
	case 'o': x->at += x->addrsize ? 4 : 8; break;
	case 'g': x->at += (m >> 3 & 7) < 2 ? 1 : 0; break;
	case 'G': x->at += (m >> 3 & 7) < 2 ? word(x) : 0; break;
	default: break;
	}
	return more(x, 0) ? 0 : -1;
}

/* Behind a VEX, EVEX or XOP prefix: the opcode's map is in the prefix */
static int vector(struct x86 *x, unsigned map)
{
	uint8_t op;
	char what;

	if (!more(x, 1))
		return -1;
	op = x->p[x->at++];
	switch (map) {
	case 1: what = two_byte[op]; break;
	case 2:
	case 5:
	case 6:
	case 9: what = 'm'; break;
	case 3:
	case 8: what = 'B'; break;
	case 4: /* the old opcodes with three operands */
		what = op == 0x24 || op == 0x2c ? 'B' : one_byte[op];
		if (what != 'B' && what != 'Z' && what != 'g' && what != 'G')
			what = 'm';
		break;
	case 7: /* urdmsr, uwrmsr with a number */
	case 10:
		x->opsize = false;
		what = 'Z';
		break;
	default: return -1;
	}
	return rest(x, what);
}

static int prefixed(struct x86 *x, char what)
{
	uint8_t b;

	if (!more(x, 3))
		return -1;
	b = x->p[x->at];
	switch (what) {
	case '5': x->at += 1; return vector(x, 1);
	case '6': x->at += 2; return vector(x, b & 0x1f);
	case '7':
		x->wide = x->p[x->at + 1] & 0x80;
		x->opsize = (x->p[x->at + 1] & 3) == 1;
		x->at += 3;
		return vector(x, b & 7);
	default: break;
	}
	if ((b & 0x1f) < 8) /* pop; what XOP would be with such a map */
		return rest(x, 'm');
	x->at += 2;
	return vector(x, b & 0x1f);
}

static int two_bytes(struct x86 *x)
{
	uint8_t op;
	char what;

	if (!more(x, 1))
		return -1;
	op = x->p[x->at++];
	what = two_byte[op];
	if (what == '3' || what == '4') {
		if (!more(x, 1))
			return -1;
		x->at++;
		return rest(x, what == '3' ? 'm' : 'B');
	}
	if (rest(x, what))
		return -1;
	if (op == 0x78 && (x->opsize || x->rep)) /* SSE4a's extrq, insertq */
		x->at += 2;
	return 0;
}

static int x86_64(const uint8_t *p, size_t n)
{
	struct x86 x = {.p = p, .n = n};
	char what;
	int rc;

	for (;;) {
		uint8_t b;

		if (!more(&x, 1))
			return -1;
		b = p[x.at++];
		what = one_byte[b];
		if (what == 'r') {
			x.wide = b & 8;
			continue;
		}
		if (what != 'p')
			break;
		x.wide = false; /* REX counts right before the opcode only */
		x.opsize |= b == 0x66;
		x.addrsize |= b == 0x67;
		x.rep |= b == 0xf2;
	}
	if (what == '2')
		rc = two_bytes(&x);
	else if (what >= '5' && what <= '8')
		rc = prefixed(&x, what);
	else
		rc = rest(&x, what);
	return rc || !more(&x, 0) ? -1 : (int)x.at;
}

int insn_length(enum insn_cpu cpu, const uint8_t *p, size_t n)
{
	int len = 0;

	switch (cpu) {
	case CPU_X86_64: return x86_64(p, n);
	case CPU_ARM64:
	case CPU_ARM:
	case CPU_PPC64:
	case CPU_LOONGARCH: len = 4; break;
	case CPU_RISCV: len = n && (p[0] & 3) != 3 ? 2 : 4; break;
	case CPU_S390: len = !n || p[0] < 0x40 ? 2 : p[0] < 0xc0 ? 4 : 6; break;
	case CPU_I386:
	case CPU_OTHER: return 0;
	}
	return (size_t)len <= n ? len : -1;
}
