// SPDX-License-Identifier: GPL-3.0-or-later
// A library with names that are hard to find: versions, several functions of one name, one chosen
// when the program starts, a variable, an imported function.
#define KEEP __attribute__((noinline, noipa, used))
int table[4] = {1, 2, 3, 4};
int imported(int x);

#ifdef SECOND
static KEEP int helper(int x)
{
	return x * 3 + 1;
}
int second(int x)
{
	return helper(x) + imported(x);
}
#else
static KEEP int helper(int x)
{
	return x + 7;
}
KEEP int old_one(int x)
{
	return x + 1;
}
KEEP int new_one(int x)
{
	return helper(x) + 2;
}
__asm__(".symver old_one, name@TS_1.0");
__asm__(".symver new_one, name@@TS_2.0");
KEEP int pick_a(int x)
{
	return x;
}
static int (*resolve(void))(int)
{
	return pick_a;
}
int picked(int x) __attribute__((ifunc("resolve")));
#endif
