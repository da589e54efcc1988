/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalog over a saved directory: patterns, formats, functions; and format texts that are odd.
 */
#include "cat_util.h"

#include <errno.h>

static struct event_list match(struct cat *t, const char *pattern, int want)
{
	struct event_list l;
	int rc = catalog_match(t->c, t->a, &t->d, pattern, (struct span){0}, &l);

	if (rc != want)
		fail_msg("%s: %d", pattern, rc);
	return l;
}

static const struct diag *last(const struct cat *t)
{
	assert_true(t->d.n > 0);
	return &t->d.v[t->d.n - 1];
}

static void names_and_systems(void **state)
{
	struct event_list l;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	l = match(&t, "sched_switch", 0);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.v[0]->system, "sched");
	assert_int_equal(match(&t, "sched:sched_switch", 0).n, 1);
	assert_int_equal(match(&t, "sched/sched_switch", 0).n, 1);
	assert_ptr_equal(match(&t, "sched/sched_switch", 0).v[0], l.v[0]);
	assert_int_equal(t.d.n, 0);
	/* a name is no glob and no part of a name */
	match(&t, "sched_switc", -1);
	assert_string_equal(last(&t)->code, "unknown-event");
	assert_non_null(strstr(last(&t)->hint, "'sched_switch'"));
	match(&t, "shced:sched_switch", -1);
	assert_non_null(strstr(last(&t)->hint, "'sched:sched_switch'"));
	match(&t, "sched:sched_swich", -1);
	assert_non_null(strstr(last(&t)->hint, "'sched:sched_switch'"));
	match(&t, "sched:kfree", -1);
	match(&t, "", -1);
	match(&t, ":", -1);
	match(&t, "/", -1);
	assert_int_equal(t.d.errors, 7);
	cat_close(&t);
	(void)state;
}

static void the_same_name_twice(void **state)
{
	struct event_list l;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	match(&t, "timer_start", -1);
	assert_string_equal(last(&t)->code, "ambiguous-event");
	assert_non_null(strstr(last(&t)->note, "alarm:timer_start"));
	assert_non_null(strstr(last(&t)->note, "timer:timer_start"));
	assert_non_null(last(&t)->hint);
	l = match(&t, "alarm:timer_start", 0);
	assert_int_equal(l.n, 1);
	assert_ptr_not_equal(l.v[0], match(&t, "timer:timer_start", 0).v[0]);
	/* patterns take all there are */
	assert_int_equal(match(&t, "timer_star?", 0).n, 2);
	assert_int_equal(match(&t, "/^timer_start$/", 0).n, 2);
	cat_close(&t);
	(void)state;
}

static void globs_and_regexes(void **state)
{
	unsigned all;
	struct event_list l;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	l = match(&t, "sched:*", 0);
	for (unsigned i = 0; i < l.n; i++)
		assert_string_equal(l.v[i]->system, "sched");
	all = l.n;
	assert_true(all > 20);
	assert_int_equal(match(&t, "sched:/./", 0).n, all);
	l = match(&t, "sched:/^sched_(switch|wak)/", 0);
	for (unsigned i = 0; i < l.n; i++)
		assert_true(!strcmp(l.v[i]->name, "sched_switch") ||
			    !strncmp(l.v[i]->name, "sched_wak", 9));
	assert_true(l.n >= 4);
	assert_int_equal(match(&t, "/^SCHED_SWITCH$/i", 0).n, 1);
	match(&t, "/^SCHED_SWITCH$/", -1);
	assert_int_equal(match(&t, "s*d:sched_swit??", 0).n, 1);
	assert_int_equal(match(&t, "*:sched_switch", 0).n, 1);
	/* ftrace's own records are not swept up */
	l = match(&t, "*", 0);
	for (unsigned i = 0; i < l.n; i++)
		assert_string_not_equal(l.v[i]->system, "ftrace");
	assert_int_equal(match(&t, "ftrace:*", 0).n, 4);
	assert_int_equal(match(&t, "ftrace:print", 0).n, 1);
	/* faulty ones */
	match(&t, "/(/", -1);
	assert_string_equal(last(&t)->code, "bad-regex");
	match(&t, "/abc", -1);
	match(&t, "/abc/x", -1);
	assert_string_equal(last(&t)->code, "bad-regex");
	match(&t, "sched:zz*", -1);
	assert_string_equal(last(&t)->code, "unknown-event");
	cat_close(&t);
	(void)state;
}

static const struct field *field(struct cat *t, const char *event, const char *name)
{
	struct event *e = match(t, event, 0).v[0];
	const struct field *f = event_field(e, name);

	if (!f)
		fail_msg("%s has no %s", event, name);
	return f;
}

static void kinds_of_fields(void **state)
{
	const struct field *f;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	f = field(&t, "block_rq_issue", "sector");
	assert_int_equal(f->kind, FK_INT);
	assert_true(f->offset == 16 && f->size == 8 && !f->is_signed && !f->is_common);
	assert_string_equal(f->type, "sector_t");
	f = field(&t, "block_rq_issue", "rwbs");
	assert_int_equal(f->kind, FK_STRING);
	assert_true(f->offset == 34 && f->size == 10);
	assert_string_equal(f->type, "char[10]");
	f = field(&t, "block_rq_issue", "cmd");
	assert_int_equal(f->kind, FK_DYN);
	assert_int_equal(f->size, 4);
	f = field(&t, "kfree_skb", "location");
	assert_true(f->kind == FK_INT && f->is_pointer);
	f = field(&t, "ipi_send_cpumask", "cpumask");
	assert_int_equal(f->kind, FK_DYN_ARRAY);
	f = field(&t, "raw_syscalls:sys_enter", "args");
	assert_true(f->kind == FK_ARRAY && f->elem == 8 && f->size == 48);
	f = field(&t, "ftrace:print", "buf");
	assert_int_equal(f->kind, FK_TAIL);
	f = field(&t, "sched_switch", "common_pid");
	assert_true(f->is_common && f->is_signed && f->offset == 4 && f->size == 4);
	assert_null(event_field(match(&t, "sched_switch", 0).v[0], "next_pidd"));
	assert_null(event_field(match(&t, "sched_switch", 0).v[0], ""));
	/* names of values */
	f = field(&t, "kfree_skb", "reason");
	assert_int_equal(f->nsyms, 127);
	assert_true(f->syms[0].value == 2 && !strcmp(f->syms[0].name, "NOT_SPECIFIED"));
	assert_true(f->syms[126].value == 128 && !strcmp(f->syms[126].name, "MAX"));
	f = field(&t, "timer:timer_start", "flags");
	assert_int_equal(f->nflags, 4);
	assert_string_equal(f->delim, "|");
	cat_close(&t);
	(void)state;
}

static void ids(void **state)
{
	struct event *e;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	e = match(&t, "block_rq_issue", 0).v[0];
	assert_int_equal(event_id(e), 2104);
	assert_ptr_equal(event_by_id(t.o, 2104), e);
	assert_null(event_by_id(t.o, 65000));
	assert_null(event_by_id(t.o, -1));
	for (unsigned i = 0; i < catalog_nevents(t.c); i++)
		assert_int_equal(catalog_event(t.c, i)->index, i);
	assert_ptr_equal(catalog_find(t.c, "block", "block_rq_issue"), e);
	assert_ptr_equal(catalog_find(t.c, NULL, "block_rq_issue"), e);
	assert_null(catalog_find(t.c, "sched", "block_rq_issue"));
	cat_close(&t);
	(void)state;
}

static int count_function(void *arg, const char *name)
{
	unsigned *n = arg;

	assert_null(strpbrk(name, " \t["));
	n[0]++;
	n[1] += strcmp(name, "show") == 0;
	n[2] += strcmp(name, "ext4_sync_file") == 0;
	return 0;
}

static int stop_at_third(void *arg, const char *name)
{
	(void)name;
	return ++*(unsigned *)arg == 3 ? 42 : 0;
}

static void functions(void **state)
{
	unsigned n[3] = {0}, k = 0;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	assert_int_equal(catalog_functions(t.c, NULL, count_function, n), 0);
	assert_int_equal(n[0], 61); /* 62 lines, one name twice */
	assert_int_equal(n[1], 1);
	assert_int_equal(n[2], 1);
	memset(n, 0, sizeof(n));
	assert_int_equal(catalog_functions(t.c, "ext4_*", count_function, n), 0);
	assert_int_equal(n[0], 3);
	memset(n, 0, sizeof(n));
	assert_int_equal(catalog_functions(t.c, "*.part.0", count_function, n), 0);
	assert_int_equal(n[0], 2);
	assert_int_equal(catalog_functions(t.c, NULL, stop_at_third, &k), 42);
	assert_int_equal(k, 3);
	cat_close(&t);
	cat_open(&t, NULL);
	assert_int_equal(catalog_functions(t.c, NULL, count_function, n), -ENOENT);
	cat_close(&t);
	(void)state;
}

/* ---- format texts ---- */

static struct event *odd(struct cat *t, int id, const char *fields)
{
	char name[32];

	snprintf(name, sizeof(name), "e%d", id);
	return cat_event(t, name, id, fields, "\"x\"");
}

static void declarations(void **state)
{
	static const struct {
		const char *decl;
		unsigned size;
		const char *name, *type;
		enum field_kind kind;
		unsigned elem;
	} v[] = {
		{"char comm[16]", 16, "comm", "char[16]", FK_STRING, 1},
		{"char comm[TASK_COMM_LEN]", 16, "comm", "char[TASK_COMM_LEN]", FK_STRING, 1},
		{"__data_loc char[] name", 4, "name", "__data_loc char[]", FK_DYN, 1},
		{"__rel_loc char[] name", 4, "name", "__rel_loc char[]", FK_REL, 1},
		{"__data_loc unsigned char[] b", 4, "b", "__data_loc unsigned char[]", FK_DYN_ARRAY,
		 1},
		{"__rel_loc u32[] b", 4, "b", "__rel_loc u32[]", FK_REL_ARRAY, 4},
		{"struct task_struct *p", 8, "p", "struct task_struct *", FK_INT, 8},
		{"const char * s", 8, "s", "const char *", FK_INT, 8},
		{"unsigned long args[6]", 48, "args", "unsigned long[6]", FK_ARRAY, 8},
		{"u8 mac[6]", 6, "mac", "u8[6]", FK_ARRAY, 1},
		{"struct in6 a", 16, "a", "struct in6", FK_ARRAY, 1},
		{"bool b", 1, "b", "bool", FK_INT, 1},
		{"special unsigned long ip", 8, "ip", "unsigned long", FK_INT, 8},
		{"char buf[]", 0, "buf", "char[]", FK_TAIL, 1},
	};
	struct cat t;

	cat_open(&t, NULL);
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct event *e =
			odd(&t, 100 + (int)i,
			    arena_printf(t.a, "\tfield:%s;\toffset:8;\tsize:%u;\tsigned:0;\n",
					 v[i].decl, v[i].size));
		const struct field *f = event_field(e, v[i].name);

		if (!f)
			fail_msg("no field in '%s'", v[i].decl);
		assert_string_equal(f->type, v[i].type);
		if (f->kind != v[i].kind || f->elem != v[i].elem)
			fail_msg("%s: kind %d, elements of %u", v[i].decl, f->kind, f->elem);
		assert_int_equal(f->offset, 8);
		assert_int_equal(e->nfields, 5);
	}
	cat_close(&t);
	(void)state;
}

static void odd_field_lines(void **state)
{
	static const char *const bad[] = {
		"\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:int a\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:int a;\tsize:4;\tsigned:1;\n",
		"\tfield:int a;\toffset:-8;\tsize:4;\tsigned:1;\n",
		"\tfield:int a;\toffset:8;\tsize:-4;\tsigned:1;\n",
		"\tfield:int a;\toffset:99999999999999999999;\tsize:4;\tsigned:1;\n",
		"\tfield:int a;\toffset:8;\tsize:4294967300;\tsigned:1;\n",
		"\tfield:int a;\toffset:65537;\tsize:4;\tsigned:1;\n",
		"\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:char ];\toffset:8;\tsize:4;\tsigned:1;\n",
		"\tfield:[4];\toffset:8;\tsize:4;\tsigned:1;\n",
	};
	struct cat t;

	cat_open(&t, NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct event *e = odd(&t, 200 + (int)i, bad[i]);

		assert_null(event_field(e, "a"));
		if (!e->broken)
			fail_msg("accepted: %s", bad[i]);
		assert_non_null(event_field(e, "common_pid"));
	}
	cat_close(&t);
	(void)state;
}

static void odd_texts(void **state)
{
	static const char *const none[] = {"",
					   "\n",
					   "name: x\n",
					   "ID: 5\n",
					   "name: \nID: 5\nformat:\n",
					   "name: x\nID: -3\n",
					   "name: x\nID: 99999999\n"};
	struct cat t;
	char *many;
	size_t n = 0;

	cat_open(&t, NULL);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		if (origin_put_format(t.o, "test", none[i], strlen(none[i])) == 0)
			fail_msg("taken for a format: %s", none[i]);
	}
	assert_int_equal(catalog_nevents(t.c), 0);
	/* more fields than any event has: the first are kept, and it is said to be broken */
	many = arena_alloc(t.a, 100 * 3000);
	for (unsigned i = 0; i < 2000; i++)
		n += (size_t)sprintf(many + n, "\tfield:int f%u;\toffset:%u;\tsize:4;\tsigned:1;\n",
				     i, 8 + i * 4);
	assert_true(odd(&t, 900, many)->nfields == 0);
	assert_int_equal(event_load(catalog_find(t.c, "test", "e900")), -1);
	assert_non_null(event_field(catalog_find(t.c, "test", "e900"), "f100"));
	/* the same id twice: the first stays */
	assert_ptr_equal(event_by_id(t.o, 900), catalog_find(t.c, "test", "e900"));
	cat_close(&t);
	(void)state;
}

static void header_pages(void **state)
{
	static const char *const bad[] = {
		"",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:3;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: char data;\toffset:4;\tsize:4080;\tsigned:1;\n",
	};
	static const char good[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				   "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				   "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	struct cat t;

	cat_open(&t, NULL);
	assert_int_equal(origin_put_header_page(t.o, good, strlen(good)), 0);
	assert_int_equal(t.o->page_size, 4096);
	assert_true(t.o->commit_off == 8 && t.o->commit_size == 8 && t.o->data_off == 16);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (origin_put_header_page(t.o, bad[i], strlen(bad[i])) != -EINVAL)
			fail_msg("header page %zu was taken", i);
	}
	cat_close(&t);
	(void)state;
}

static void names_of_values(void **state)
{
	const struct field *f;
	uint64_t v, m;
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	f = field(&t, "sched_switch", "prev_state");
	assert_true(field_symvalue(f, "D", &v, &m));
	assert_true(v == 2 && (2 & m) == 2);
	assert_true(field_symvalue(f, "S", &v, &m));
	assert_int_equal(v, 1);
	assert_true(field_symvalue(f, "R", &v, &m));
	assert_int_equal(v, 0);
	assert_false(field_symvalue(f, "nothing", &v, &m));
	assert_false(field_symvalue(f, "", &v, &m));
	f = field(&t, "kfree_skb", "reason");
	assert_true(field_symvalue(f, "TCP_CSUM", &v, &m));
	assert_int_equal(v, 10);
	assert_true(field_symvalue(field(&t, "timer:timer_start", "flags"), "D|I", &v, &m));
	assert_int_equal(v, 0x280000);
	assert_false(field_symvalue(field(&t, "timer:timer_start", "expires"), "D", &v, &m));
	cat_close(&t);
	(void)state;
}

static void tasks_of_a_saved_directory(void **state)
{
	struct cat t;

	cat_open(&t, "tests/data/catalog");
	assert_string_equal(origin_comm(t.o, 12), "my task 1");
	assert_string_equal(origin_comm(t.o, 13), "a: [b]-7");
	assert_string_equal(origin_comm(t.o, 14), "x)\"");
	assert_null(origin_comm(t.o, 15));
	assert_null(origin_comm(t.o, -1));
	assert_int_equal(origin_tgid(t.o, 12), 0);
	cat_close(&t);
	(void)state;
}

static void no_directory(void **state)
{
	struct cat t;

	cat_open(&t, NULL);
	assert_null(catalog_add_dir(t.c, "tests/data/no-such-directory"));
	assert_int_equal(t.d.errors, 1);
	assert_null(catalog_add_dir(t.c, "tests/unit"));
	assert_null(catalog_add_dir(t.c, "/dev/null"));
	assert_int_equal(catalog_nevents(t.c), 0);
	cat_close(&t);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_systems),
		cmocka_unit_test(the_same_name_twice),
		cmocka_unit_test(globs_and_regexes),
		cmocka_unit_test(kinds_of_fields),
		cmocka_unit_test(ids),
		cmocka_unit_test(functions),
		cmocka_unit_test(declarations),
		cmocka_unit_test(odd_field_lines),
		cmocka_unit_test(odd_texts),
		cmocka_unit_test(header_pages),
		cmocka_unit_test(names_of_values),
		cmocka_unit_test(tasks_of_a_saved_directory),
		cmocka_unit_test(no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
