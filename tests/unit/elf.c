// SPDX-License-Identifier: GPL-3.0-or-later
// Functions and static probes of ELF files: where they lie in the file, names of several versions
// or of several functions, stripped files, prelinked notes; files that are cut or wrong in any
// byte.
#include "catalog/elf.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DIR "tests/data/elf/"

struct box {
	struct arena *a;
	struct elf *e;
};

static void open_box(struct box *b, const char *path)
{
	const char *why;

	b->a = arena_new();
	b->e = elf_open(b->a, path, &why);
	if (!b->e)
		fail_msg("%s: %s", path, why);
}

static void close_box(struct box *b)
{
	elf_close(b->e);
	arena_free(b->a);
}

static uint64_t offset_of(struct elf *e, const char *name)
{
	struct elf_symbols s;
	uint64_t off;

	assert_int_equal(elf_find(e, name, &s), ELF_FOUND);
	assert_true(elf_offset(e, s.f.addr, true, &off));
	return off;
}

/* The same bytes at the place found as where the compiler put them: the first of step() */
static void check_code(const char *path, uint64_t off)
{
	static const uint8_t begins[] = {0x41, 0x54, 0x55, 0x53}; /* push %r12, %rbp, %rbx */
	uint8_t got[4];
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	assert_int_equal(fseek(f, (long)off, SEEK_SET), 0);
	assert_int_equal(fread(got, 1, 4, f), 4);
	assert_memory_equal(got, begins, 4);
	fclose(f);
}

static void places(void **state)
{
	struct box pie, exec;
	struct elf_symbols s;
	uint64_t off;

	(void)state;
	open_box(&pie, DIR "probed");
	open_box(&exec, DIR "probed-exec");
	assert_int_equal(elf_cpu(pie.e), CPU_X86_64);
	assert_int_equal(elf_long_size(pie.e), 8);
	check_code(DIR "probed", offset_of(pie.e, "step"));
	/* loaded elsewhere than where it lies in the file */
	assert_int_equal(elf_find(exec.e, "step", &s), ELF_FOUND);
	assert_true(s.f.addr > 0x400000);
	assert_true(s.f.size > 20 && s.f.size < 200);
	assert_string_equal(s.f.name, "step");
	check_code(DIR "probed-exec", offset_of(exec.e, "step"));
	assert_false(elf_offset(exec.e, 0x1000, true, &off));
	assert_false(elf_offset(exec.e, UINT64_MAX, true, &off));
	/* data is no code, and the other way round */
	assert_true(elf_object(exec.e, "guarded_semaphore", &off));
	assert_true(elf_offset(exec.e, off, false, &off));
	assert_false(elf_offset(exec.e, s.f.addr, false, &off));
	close_box(&pie);
	close_box(&exec);
}

static void names(void **state)
{
	struct box b;
	struct elf_symbols s;
	uint64_t old, new;

	(void)state;
	open_box(&b, DIR "names.so");
	old = offset_of(b.e, "old_one");
	new = offset_of(b.e, "new_one");
	assert_int_not_equal(old, new);
	assert_int_equal(offset_of(b.e, "name"), new);
	assert_int_equal(offset_of(b.e, "name@TS_1.0"), old);
	assert_int_equal(offset_of(b.e, "name@TS_2.0"), new);
	assert_int_equal(offset_of(b.e, "name@@TS_2.0"), new);
	assert_int_equal(elf_find(b.e, "name@TS_3.0", &s), ELF_NONE);
	assert_int_equal(elf_find(b.e, "nam", &s), ELF_NONE);
	assert_int_equal(elf_find(b.e, "", &s), ELF_NONE);
	assert_int_equal(elf_find(b.e, "@", &s), ELF_NONE);
	assert_int_equal(elf_find(b.e, "helper", &s), ELF_MANY);
	assert_int_equal(s.n, 2);
	assert_int_not_equal(s.addrs[0], s.addrs[1]);
	assert_int_equal(elf_find(b.e, "imported", &s), ELF_IMPORTED);
	assert_int_equal(elf_find(b.e, "picked", &s), ELF_CHOSEN);
	assert_int_equal(elf_find(b.e, "table", &s), ELF_DATA);
	assert_false(elf_stripped(b.e));
	close_box(&b);
	open_box(&b, DIR "names-stripped.so");
	assert_true(elf_stripped(b.e));
	assert_int_equal(offset_of(b.e, "name"), new);
	assert_int_equal(offset_of(b.e, "name@TS_1.0"), old);
	assert_int_equal(elf_find(b.e, "helper", &s), ELF_NONE);
	assert_int_equal(elf_find(b.e, "imported", &s), ELF_IMPORTED);
	close_box(&b);
}

struct listed {
	unsigned step, all;
};

static bool one(void *arg, const struct elf_func *f)
{
	struct listed *l = arg;

	l->step += strcmp(f->name, "step") == 0;
	l->all++;
	return false;
}

static void around(void **state)
{
	struct listed l = {0};
	struct elf_symbols s;
	struct elf_func f;
	uint64_t lo, hi;
	struct box b;

	(void)state;
	open_box(&b, DIR "probed");
	elf_each(b.e, one, &l);
	assert_int_equal(l.step, 1);
	assert_true(l.all > 5);
	assert_int_equal(elf_find(b.e, "step", &s), ELF_FOUND);
	assert_true(elf_around(b.e, s.f.addr + 3, &f));
	assert_string_equal(f.name, "step");
	assert_true(elf_around(b.e, s.f.addr + s.f.size - 1, &f));
	assert_string_equal(f.name, "step");
	assert_false(elf_around(b.e, 1, &f));
	/* push %r12 is two bytes, then one of one byte */
	assert_int_equal(elf_at_insn(b.e, s.f.addr, s.f.addr, &lo, &hi), ELF_INSN_BEGIN);
	assert_int_equal(elf_at_insn(b.e, s.f.addr, s.f.addr + 1, &lo, &hi), ELF_INSN_INSIDE);
	assert_int_equal(lo, s.f.addr);
	assert_int_equal(hi, s.f.addr + 2);
	assert_int_equal(elf_at_insn(b.e, s.f.addr, s.f.addr + 2, &lo, &hi), ELF_INSN_BEGIN);
	assert_int_equal(elf_at_insn(b.e, s.f.addr, s.f.addr + 3, &lo, &hi), ELF_INSN_BEGIN);
	assert_int_equal(elf_at_insn(b.e, s.f.addr, s.f.addr + 5, &lo, &hi), ELF_INSN_INSIDE);
	assert_int_equal(elf_at_insn(b.e, s.f.addr, UINT64_MAX, &lo, &hi), ELF_INSN_UNKNOWN);
	assert_int_equal(elf_at_insn(b.e, s.f.addr, 0, &lo, &hi), ELF_INSN_UNKNOWN);
	close_box(&b);
}

static void notes_of(const char *path)
{
	static const char *const want[] = {"step", "guarded", "many", "many"};
	const struct elf_usdt *v;
	struct elf_symbols s;
	uint64_t sem, off;
	struct box b;
	unsigned n;

	open_box(&b, path);
	v = elf_usdts(b.e, &n);
	assert_int_equal(n, 4);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(v[i].provider, "tracesh");
		assert_string_equal(v[i].name, want[i]);
		assert_int_equal(elf_find(b.e, i < 2 ? "step" : "twice", &s), ELF_FOUND);
		assert_true(v[i].addr >= s.f.addr && v[i].addr < s.f.addr + s.f.size);
		assert_true(elf_offset(b.e, v[i].addr, true, &off));
	}
	assert_true(elf_object(b.e, "guarded_semaphore", &sem));
	assert_int_equal(v[0].sem, 0);
	assert_int_equal(v[1].sem, sem);
	assert_true(strncmp(v[0].args, "-8@%", 4) == 0);
	assert_string_equal(v[3].args, "8@$7");
	close_box(&b);
}

static void *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p = malloc(100000);

	assert_non_null(f);
	*n = fread(p, 1, 100000, f);
	fclose(f);
	return p;
}

static void write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
}

/* A prelinked program: its sections have moved, what the notes hold has not */
static void prelinked(void **state)
{
	char path[] = "/tmp/elfXXXXXX";
	int fd = mkstemp(path);
	const struct elf_usdt *v;
	uint64_t before, sem;
	const char *names;
	Elf64_Shdr *sh;
	Elf64_Ehdr *eh;
	struct box b;
	unsigned k;
	size_t n;
	char *p;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	p = slurp(DIR "probed", &n);
	write_file(path, p, n);
	open_box(&b, path);
	v = elf_usdts(b.e, &k);
	before = v[1].addr;
	sem = v[1].sem;
	close_box(&b);
	eh = (Elf64_Ehdr *)p;
	sh = (Elf64_Shdr *)(p + eh->e_shoff);
	names = p + sh[eh->e_shstrndx].sh_offset;
	for (k = 0; k < eh->e_shnum; k++) {
		if (strcmp(names + sh[k].sh_name, ".stapsdt.base") == 0)
			sh[k].sh_addr += 0x20000;
	}
	write_file(path, p, n);
	open_box(&b, path);
	v = elf_usdts(b.e, &k);
	assert_int_equal(k, 4);
	assert_int_equal(v[1].addr, before + 0x20000);
	assert_int_equal(v[1].sem, sem + 0x20000);
	close_box(&b);
	unlink(path);
	free(p);
}

static void notes(void **state)
{
	(void)state;
	notes_of(DIR "probed");
	notes_of(DIR "probed-exec");
}

/* ---- wrong files ---- */

static void ask_all(const char *path)
{
	static const char *const want[] = {"step", "name", "name@TS_1.0", "helper", "main", "x"};
	struct arena *a = arena_new();
	const char *why;
	struct elf *e = elf_open(a, path, &why);
	struct listed l = {0};
	struct elf_symbols s;
	struct elf_func f;
	uint64_t lo, hi;
	unsigned n;

	for (size_t i = 0; e && i < sizeof(want) / sizeof(want[0]); i++) {
		if (elf_find(e, want[i], &s) == ELF_FOUND)
			elf_at_insn(e, s.f.addr, s.f.addr + 30, &lo, &hi);
		elf_object(e, want[i], &lo);
	}
	if (e) {
		const struct elf_usdt *v = elf_usdts(e, &n);
		size_t len = 0;

		elf_each(e, one, &l);
		elf_around(e, 0x1180, &f);
		elf_stripped(e);
		for (unsigned i = 0; i < n; i++)
			len += strlen(v[i].provider) + strlen(v[i].name) + strlen(v[i].args);
		assert_true(len < 10000000);
	} else {
		assert_true(*why);
	}
	elf_close(e);
	arena_free(a);
}

static void hostile(void **state)
{
	static const char *const files[] = {DIR "probed", DIR "probed-exec", DIR "names.so"};
	char path[] = "/tmp/elfXXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	srand(11);
	for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
		size_t n;
		uint8_t *was = slurp(files[k], &n), *p = malloc(n);

		for (size_t cut = 0; cut < n; cut += n / 150 + 1) {
			write_file(path, was, cut);
			ask_all(path);
		}
		for (unsigned i = 0; i < 1500; i++) {
			unsigned changes = 1 + (unsigned)rand() % 20;

			memcpy(p, was, n);
			while (changes--) {
				/* headers and tables more often than code */
				size_t at = (size_t)rand() % n;

				if (rand() % 3 == 0)
					at %= 64 + 56 * 12;
				p[at] = rand() % 4 ? (uint8_t)rand() : 0xff;
			}
			write_file(path, p, n);
			ask_all(path);
		}
		free(was);
		free(p);
	}
	unlink(path);
}

static void not_elf(void **state)
{
	struct arena *a = arena_new();
	const char *why = NULL;

	(void)state;
	assert_null(elf_open(a, "/nonexistent", &why));
	assert_string_equal(why, "No such file or directory");
	assert_null(elf_open(a, "/", &why));
	assert_null(elf_open(a, "/dev/null", &why));
	assert_string_equal(why, "it is no regular file");
	assert_null(elf_open(a, DIR "names.c", &why));
	assert_string_equal(why, "it is no ELF file");
	assert_string_equal(elf_path(a, "./x"), "./x");
	assert_null(elf_path(a, "no-such-program-anywhere"));
	assert_non_null(elf_path(a, "sh"));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),  cmocka_unit_test(names),     cmocka_unit_test(around),
		cmocka_unit_test(notes),   cmocka_unit_test(prelinked), cmocka_unit_test(hostile),
		cmocka_unit_test(not_elf),
	};

	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
