// SPDX-License-Identifier: GPL-3.0-or-later
// probed N: calls step(i, "word", &pair) N times, twice(i), and passes static probes: step of
// provider tracesh with a number, a string, a constant and memory, and guarded behind a semaphore.
// The notes are written as sys/sdt.h does, so that it is not needed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	int a;
	unsigned char b;
	const char *name;
};

unsigned short guarded_semaphore __attribute__((section(".probes"), used));
volatile long sink;

#ifdef __LP64__
#define ADDR ".8byte"
#else
#define ADDR ".4byte"
#endif
#define NOTE(name, sem, args)                                                                      \
	"990: nop\n"                                                                               \
	".pushsection .note.stapsdt,\"\",\"note\"\n"                                               \
	".balign 4\n"                                                                              \
	".4byte 992f-991f, 994f-993f, 3\n"                                                         \
	"991: .asciz \"stapsdt\"\n"                                                                \
	"992: .balign 4\n"                                                                         \
	"993: " ADDR " 990b\n" ADDR " _.stapsdt.base\n" ADDR " " sem "\n"                          \
	".asciz \"tracesh\"\n"                                                                     \
	".asciz \"" name "\"\n"                                                                    \
	".asciz \"" args "\"\n"                                                                    \
	"994: .balign 4\n"                                                                         \
	".popsection\n"                                                                            \
	".ifndef _.stapsdt.base\n"                                                                 \
	".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                    \
	".weak _.stapsdt.base\n"                                                                   \
	".hidden _.stapsdt.base\n"                                                                 \
	"_.stapsdt.base: .space 1\n"                                                               \
	".size _.stapsdt.base, 1\n"                                                                \
	".popsection\n"                                                                            \
	".endif\n"

__attribute__((noinline)) int step(long i, const char *word, const struct pair *p)
{
	sink += i + p->a + (long)strlen(word);
	__asm__ volatile(NOTE("step", "0", "-8@%0 8@%1 -4@$-5 1@%2")
			 :
			 : "r"(i), "r"(word), "m"(p->b)
			 : "memory");
	if (guarded_semaphore)
		__asm__ volatile(NOTE("guarded", "guarded_semaphore", "-4@%k0")
				 :
				 : "r"((int)-i)
				 : "memory");
	return (int)-i;
}

__attribute__((noinline)) long twice(long i)
{
	__asm__ volatile(NOTE("many", "0", "8@%0") : : "r"(i) : "memory");
	sink = i;
	__asm__ volatile(NOTE("many", "0", "8@$7") : : : "memory");
	return 2 * sink;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1;
	struct pair p = {40, 200, "inner"};

	for (long i = 0; i < n; i++) {
		step(i, i % 2 ? "odd" : "even", &p);
		twice(i);
	}
	printf("%ld\n", n);
	return 0;
}
