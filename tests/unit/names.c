/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel symbols, system calls, errnos and signals by number and by name. */
#include "cat_util.h"

#include "catalog/names.h"

static void sym(struct cat *t, uint64_t addr, const char *want, uint64_t want_off)
{
	const char *name = NULL;
	uint64_t off = 0;
	bool ok = origin_ksym(t->o, addr, &name, &off);

	if (!want) {
		if (ok)
			fail_msg("%llx is %s", (unsigned long long)addr, name);
		return;
	}
	if (!ok || strcmp(name, want) != 0 || off != want_off)
		fail_msg("%llx is %s+%llu, not %s", (unsigned long long)addr, ok ? name : "nothing",
			 (unsigned long long)off, want);
}

static void addresses_to_symbols(void **state)
{
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	sym(&t, 0xffffffff81100000, "schedule", 0);
	sym(&t, 0xffffffff811000cf, "schedule", 0xcf);
	sym(&t, 0xffffffff811000d0, "schedule_idle", 0);
	sym(&t, 0xffffffff81100121, "__schedule", 1);
	sym(&t, 0xffffffff81100b08, "update_load_avg.part.0", 8);
	/* before the first, and nothing at all */
	sym(&t, 0xffffffff80ffffff, NULL, 0);
	sym(&t, 0, NULL, 0);
	/* the last symbol has no known end */
	sym(&t, 0xffffffffc0000400, "bpf_prog_6deef7357e7b4530_sd_devices", 0);
	sym(&t, 0xffffffffc0000401, NULL, 0);
	sym(&t, ~0ull, NULL, 0);
	/* modules: the name without "[ext4]" */
	sym(&t, 0xffffffffc0000210, "ext4_sync_file", 0x10);
	cat_close(&t);
	(void)state;
}

static void one_address_several_names(void **state)
{
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	/* plain before dotted, functions before data, the first of equals */
	sym(&t, 0xffffffff81201040, "do_execveat_common", 0);
	sym(&t, 0xffffffff81202000, "kfree", 0);
	sym(&t, 0xffffffff81201500, "arch_weak_hook", 0);
	sym(&t, 0xffffffff81000000, "srso_alias_untrain_ret", 0);
	sym(&t, 0xffffffff81201010, "__x64_sys_execve", 0);
	sym(&t, 0xffffffff82000040, "jiffies_64", 0);
	/* mapping symbols shadow nothing */
	sym(&t, 0xffffffff81001400, "initcall_blacklisted", 0);
	sym(&t, 0xffffffff81001000, "__pfx_do_one_initcall", 0);
	cat_close(&t);
	(void)state;
}

static void symbols_to_addresses(void **state)
{
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	assert_true(origin_kaddr(t.o, "schedule") == 0xffffffff81100000);
	assert_true(origin_kaddr(t.o, "do_execveat_common.isra.0") == 0xffffffff81201040);
	assert_true(origin_kaddr(t.o, "kfree_in_data") == 0xffffffff81202000);
	assert_true(origin_kaddr(t.o, "show") == 0xffffffff81201400); /* the lowest */
	assert_true(origin_kaddr(t.o, "ext4_sync_file") == 0xffffffffc0000200);
	assert_true(origin_kaddr(t.o, "sched") == 0);
	assert_true(origin_kaddr(t.o, "") == 0);
	assert_true(origin_kaddr(t.o, "$x") == 0);
	cat_close(&t);
	(void)state;
}

static void odd_kallsyms(void **state)
{
	static const char text[] = "0000000000000000 T hidden\n"
				   "\n"
				   "xyz\n"
				   "ffffffff81000000\n"
				   "ffffffff81000000 T\n"
				   "ffffffff81000000 T \n"
				   "ffffffff81000010T joined\n"
				   "FFFFFFFF81000020 T upper\n"
				   "ffffffff81000030 T ok\n"
				   "1ffffffff81000040 T too_long\n"
				   "ffffffff81000050 t last"; /* no newline */
	struct cat t;

	cat_open(&t, NULL);
	origin_put_kallsyms(t.o, text, sizeof(text) - 1);
	assert_true(origin_kaddr(t.o, "hidden") == 0);
	assert_true(origin_kaddr(t.o, "upper") == 0);
	assert_true(origin_kaddr(t.o, "joined") == 0);
	sym(&t, 0xffffffff81000030, "ok", 0);
	assert_true(origin_kaddr(t.o, "last") == 0xffffffff81000050);
	cat_close(&t);
	/* all hidden: no symbol is better than a wrong one */
	cat_open(&t, NULL);
	origin_put_kallsyms(t.o, "0000000000000000 T a\n0000000000000000 T b\n", 42);
	sym(&t, 0, NULL, 0);
	sym(&t, 0xffffffff81000030, NULL, 0);
	assert_true(origin_kaddr(t.o, "a") == 0);
	cat_close(&t);
	/* none at all */
	cat_open(&t, NULL);
	sym(&t, 0xffffffff81000030, NULL, 0);
	assert_true(origin_kaddr(t.o, "a") == 0);
	cat_close(&t);
	(void)state;
}

static void system_calls(void **state)
{
	static const struct {
		const char *arch, *name;
		int nr;
	} v[] = {
		{"x86_64", "read", 0},     {"x86_64", "openat", 257}, {"x86_64", "getppid", 110},
		{"x86_64", "clone3", 435}, {"i386", "read", 3},       {"i386", "openat", 295},
		{"aarch64", "read", 63},   {"aarch64", "openat", 56}, {"arm", "read", 3},
		{"arm", "openat", 322},    {"riscv64", "openat", 56}, {"riscv64", "clone3", 435},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		if (syscall_nr(v[i].arch, v[i].name) != v[i].nr)
			fail_msg("%s %s: %d", v[i].arch, v[i].name,
				 syscall_nr(v[i].arch, v[i].name));
		assert_string_equal(syscall_name(v[i].arch, (unsigned)v[i].nr), v[i].name);
	}
	/* as uname says it */
	assert_int_equal(syscall_nr("i686", "read"), 3);
	assert_int_equal(syscall_nr("armv7l", "read"), 3);
	assert_int_equal(syscall_nr("arm64", "read"), 63);
	/* none */
	assert_null(syscall_name("x86_64", 100000));
	assert_null(syscall_name("x86_64", 0xffffffff));
	assert_null(syscall_name("sparc", 0));
	assert_null(syscall_name("i", 0));
	assert_null(syscall_name("", 0));
	assert_int_equal(syscall_nr("x86_64", "no_such_call"), -1);
	assert_int_equal(syscall_nr("x86_64", ""), -1);
	assert_int_equal(syscall_nr("aarch64", "open"), -1);
	/* every name finds a number of that name */
	for (unsigned i = 0; i < 600; i++) {
		const char *n = syscall_name("x86_64", i);

		if (n)
			assert_int_equal(syscall_nr("x86_64", n), (int)i);
	}
	(void)state;
}

static void errnos_and_signals(void **state)
{
	assert_string_equal(errno_name(2), "ENOENT");
	assert_string_equal(errno_name(11), "EAGAIN");
	assert_string_equal(errno_name(512), "ERESTARTSYS");
	assert_string_equal(errno_name(516), "ERESTART_RESTARTBLOCK");
	assert_string_equal(errno_name(133), "EHWPOISON");
	assert_null(errno_name(0));
	assert_null(errno_name(-2));
	assert_null(errno_name(134));
	assert_null(errno_name(0x7fffffff));
	assert_null(errno_name(-0x7fffffff - 1));
	assert_string_equal(signal_name(9), "SIGKILL");
	assert_string_equal(signal_name(1), "SIGHUP");
	assert_string_equal(signal_name(31), "SIGSYS");
	assert_null(signal_name(0));
	assert_null(signal_name(32));
	assert_null(signal_name(-1));
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_to_symbols), cmocka_unit_test(one_address_several_names),
		cmocka_unit_test(symbols_to_addresses), cmocka_unit_test(odd_kallsyms),
		cmocka_unit_test(system_calls),         cmocka_unit_test(errnos_and_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
