/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BTF: places of members, prototypes, and files that are cut or corrupt. */
#include "base/io.h"
#include "catalog/btf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILE_NAME "tests/data/catalog-probes/btf"

static struct btf *load(void)
{
	const char *why = "";
	struct btf *b = btf_open(FILE_NAME, &why);

	if (!b)
		fail_msg("%s: %s", FILE_NAME, why);
	return b;
}

/* the type that the i-th parameter of a function points to */
static uint32_t pointee(const struct btf *b, const char *func, unsigned i)
{
	struct btf_info in;
	const char *name;

	btf_info(b, btf_param(b, btf_func(b, func), i, &name), &in);
	assert_int_equal(in.what, BTF_POINTER);
	return in.target;
}

static void member(const struct btf *b, uint32_t type, const char *name, uint32_t bit_off,
		   uint32_t bit_size, enum btf_what what, uint32_t size)
{
	struct btf_member m;
	struct btf_info in;

	if (btf_member(b, type, name, &m))
		fail_msg("no member %s", name);
	btf_info(b, m.type, &in);
	assert_int_equal(m.bit_off, bit_off);
	assert_int_equal(m.bit_size, bit_size);
	assert_int_equal(in.what, what);
	if (what != BTF_POINTER)
		assert_int_equal(in.size, size);
}

/* as types.c has it: checked against the compiler's own layout */
struct task {
	volatile long state;
	int pid;
	unsigned char on_rq : 1, frozen : 3;
	unsigned in_execve : 1;
	signed short prio;
	_Bool done;
	int how;
	unsigned long vruntime;
	char comm[16];
	void *parent;
	unsigned cpus[4];
};

static void test_members(void **state)
{
	struct btf *b = load();
	uint32_t task = pointee(b, "wake_up_process", 0);
	uint32_t cfs = pointee(b, "__probestub_pelt_cfs_tp", 1);
	struct btf_member m;
	struct btf_info in;

	(void)state;
	member(b, task, "state", 0, 0, BTF_INT, 8);
	member(b, task, "pid", 8 * offsetof(struct task, pid), 0, BTF_INT, 4);
	member(b, task, "frozen", 12 * 8 + 1, 3, BTF_INT, 1);
	member(b, task, "in_execve", 12 * 8 + 4, 1, BTF_INT, 4);
	member(b, task, "prio", 8 * offsetof(struct task, prio), 0, BTF_INT, 2);
	member(b, task, "done", 8 * offsetof(struct task, done), 0, BTF_INT, 1);
	member(b, task, "how", 8 * offsetof(struct task, how), 0, BTF_INT, 4);
	member(b, task, "se", 8 * offsetof(struct task, vruntime), 0, BTF_STRUCT, 8);
	member(b, task, "comm", 8 * offsetof(struct task, comm), 0, BTF_CHARS, 16);
	member(b, task, "parent", 8 * offsetof(struct task, parent), 0, BTF_POINTER, 8);
	member(b, task, "cpus", 8 * offsetof(struct task, cpus), 0, BTF_ARRAY, 16);
	/* through structures and unions without names */
	member(b, cfs, "hidden", 64, 0, BTF_INT, 8);
	member(b, cfs, "in_union", 128, 0, BTF_INT, 4);
	member(b, cfs, "bytes", 128, 0, BTF_CHARS, 16);
	member(b, cfs, "avg", 256, 0, BTF_STRUCT, 24);
	assert_int_equal(btf_member(b, task, "nope", &m), -1);
	assert_int_equal(btf_member(b, task, "", &m), -1);
	assert_int_equal(btf_member(b, 0, "pid", &m), -1);
	assert_int_equal(btf_member(b, UINT32_MAX, "pid", &m), -1);
	assert_int_equal(btf_member(b, task, "prio", &m), 0);
	btf_info(b, m.type, &in);
	assert_true(in.is_signed);
	btf_free(b);
}

static void test_functions(void **state)
{
	struct btf *b = load();
	uint32_t p = btf_func(b, "vfs_read");
	struct btf_info in;
	const char *name;

	(void)state;
	assert_int_equal(btf_nparams(b, p), 4);
	btf_param(b, p, 2, &name);
	assert_string_equal(name, "count");
	assert_int_equal(btf_param(b, p, 4, &name), 0);
	btf_info(b, btf_return(b, p), &in);
	assert_int_equal(in.what, BTF_INT);
	assert_int_equal(in.size, 8);
	assert_true(in.is_signed);
	assert_int_equal(btf_func(b, "no_such_function"), 0);
	assert_int_equal(btf_nparams(b, 0), 0);
	assert_int_equal(btf_nparams(b, btf_typedef_proto(b, "btf_trace_sched_only_tp")), 3);
	assert_int_equal(btf_typedef_proto(b, "u32"), 0);
	btf_free(b);
}

static void ask(struct btf *b)
{
	struct btf_member m;
	struct btf_info in;
	const char *name;

	for (uint32_t i = 0; i < 120; i++) {
		btf_info(b, i, &in);
		btf_member(b, i, "in_union", &m);
		for (unsigned k = 0; k < btf_nparams(b, i) && k < 8; k++)
			btf_param(b, i, k, &name);
	}
	btf_typedef_proto(b, "btf_trace_sched_only_tp");
	btf_func(b, "vfs_read");
}

static void with(const char *data, size_t len)
{
	const char *why = NULL;
	char *copy = malloc(len + 1);
	struct btf *b;

	memcpy(copy, data, len);
	b = btf_parse(copy, len, &why);
	if (b)
		ask(b);
	else
		assert_non_null(why);
	btf_free(b);
}

/* cut at every length, and each byte changed to some others: refused or answered, never a crash */
static void test_corrupt(void **state)
{
	struct buf b = {0};
	uint32_t type_len;

	(void)state;
	assert_int_equal(io_read_file(FILE_NAME, &b, 1 << 20), 0);
	for (size_t n = 0; n < b.len; n++)
		with(b.p, n);
	for (size_t i = 0; i < b.len; i++) {
		static const unsigned char values[] = {0, 1, 4, 5, 8, 0x7f, 0x80, 0xff};
		char was = b.p[i];

		for (size_t k = 0; k < sizeof(values); k++) {
			b.p[i] = (char)values[k];
			with(b.p, b.len);
		}
		b.p[i] = was;
	}
	memcpy(&type_len, b.p + 12, 4);
	assert_true(type_len > 100 && type_len < b.len);
	/* every word of the types points at the type itself or far away */
	for (size_t i = 24; i + 4 <= 24 + type_len; i += 4) {
		static const uint32_t values[] = {0,          7,          1000000,
						  UINT32_MAX, 0x04ffffff, 0x84000010};
		char was[4];

		memcpy(was, b.p + i, 4);
		for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
			memcpy(b.p + i, &values[k], 4);
			with(b.p, b.len);
		}
		memcpy(b.p + i, was, 4);
	}
	buf_free(&b);
}

static void word(struct buf *b, uint32_t v)
{
	buf_add(b, (const char *)&v, 4);
}

/* typedefs in a ring, a structure that holds itself without a name */
static void test_rings(void **state)
{
	struct buf b = {0}, t = {0};
	struct btf_member m;
	struct btf_info in;
	const char *why;
	struct btf *btf;
	char *copy;

	(void)state;
	word(&t, 1), word(&t, 8u << 24), word(&t, 2);  /* 1: typedef of 2 */
	word(&t, 1), word(&t, 10u << 24), word(&t, 1); /* 2: const of 1 */
	word(&t, 0), word(&t, 4u << 24 | 40), word(&t, 8);
	for (unsigned i = 0; i < 40; i++) /* 3: a struct with itself 40 times */
		word(&t, 0), word(&t, 3), word(&t, 0);
	word(&b, 0x0001eb9f), word(&b, 24), word(&b, 0), word(&b, (uint32_t)t.len);
	word(&b, (uint32_t)t.len), word(&b, 4);
	buf_add(&b, t.p, t.len);
	buf_add(&b, "\0ab", 4);
	copy = malloc(b.len);
	memcpy(copy, b.p, b.len);
	btf = btf_parse(copy, b.len, &why);
	assert_non_null(btf);
	btf_info(btf, 1, &in);
	assert_int_equal(in.what, BTF_UNKNOWN);
	assert_int_equal(btf_member(btf, 3, "x", &m), -1);
	btf_free(btf);
	buf_free(&b);
	buf_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_rings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
