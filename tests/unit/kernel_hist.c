/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reader of `hist` files, over what the kernels 6.1, 6.12 and 7.2 printed for names of tasks
 * with braces, newlines and what looks like the end of a row; then over damaged copies of it.
 */
#include "base/buf.h"
#include "base/io.h"
#include "kernel/hist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const files[] = {"tests/data/hist/6.1.txt", "tests/data/hist/6.12.txt",
				    "tests/data/hist/7.2.txt"};
#define NFILES (sizeof(files) / sizeof(files[0]))

struct loaded {
	struct arena *a;
	struct buf text;
	struct hist_table *v;
	size_t n;
};

static void load(struct loaded *l, const char *path)
{
	memset(l, 0, sizeof(*l));
	l->a = arena_new();
	assert_int_equal(io_read_file(path, &l->text, 1 << 20), 0);
	l->n = hist_parse(l->a, buf_str(&l->text), l->text.len, &l->v);
}

static void unload(struct loaded *l)
{
	buf_free(&l->text);
	arena_free(l->a);
}

static const struct hist_table *find(const struct loaded *l, const char *keys)
{
	for (size_t i = 0; i < l->n; i++) {
		if (strstr(l->v[i].info, keys))
			return &l->v[i];
	}
	fail_msg("no histogram with %s", keys);
	return NULL;
}

static void every_row_is_read_and_adds_up_to_the_kernels_totals(void **state)
{
	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		struct loaded l;

		load(&l, files[f]);
		assert_in_range(l.n, 10, 20);
		for (size_t i = 0; i < l.n; i++) {
			uint64_t hits = 0;

			assert_int_equal(l.v[i].bad, 0);
			assert_int_equal(l.v[i].nrows, l.v[i].entries);
			for (size_t r = 0; r < l.v[i].nrows; r++)
				hits += l.v[i].rows[r].hits;
			/* a file is no snapshot of one moment: rows may have grown before the
			 * totals were counted */
			assert_in_range(hits, l.v[i].nrows, l.v[i].hits);
		}
		unload(&l);
	}
}

static bool has_string(const struct hist_table *t, size_t key, const char *want)
{
	for (size_t r = 0; r < t->nrows; r++) {
		const struct hist_value *v = &t->rows[r].keys[key];

		if (v->len == strlen(want) && memcmp(v->p, want, v->len) == 0)
			return true;
	}
	return false;
}

static void names_of_tasks_may_hold_anything(void **state)
{
	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		const struct hist_table *t;
		struct loaded l;

		load(&l, files[f]);
		t = find(&l, "keys=next_comm,next_pid,prev_prio");
		assert_int_equal(t->nvals, 2);
		assert_true(has_string(t, 0, "a { b, c\n"));
		assert_true(has_string(t, 0, "x } hitcount: \n") ||
			    has_string(t, 0, "x } hitcount:\n"));
		assert_true(has_string(t, 0, "a\n{ x: 1 } hi"));
		assert_true(has_string(t, 0, "a , b: 5\n"));
		for (size_t r = 0; r < t->nrows; r++) {
			assert_int_equal(t->rows[r].keys[1].form, HF_NUMBER);
			/* the sum of prev_prio is that of the key, as often as it came */
			assert_int_equal(t->rows[r].vals[0],
					 t->rows[r].keys[2].u * t->rows[r].hits);
		}
		unload(&l);
	}
}

static void symbols_have_address_and_name(void **state)
{
	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		const struct hist_table *t;
		struct loaded l;

		load(&l, files[f]);
		t = find(&l, "keys=call_site.sym:");
		assert_true(t->nrows > 0);
		for (size_t r = 0; r < t->nrows; r++) {
			assert_int_equal(t->rows[r].keys[0].form, HF_SYMBOL);
			assert_true(t->rows[r].keys[0].u > 0xffffffff00000000);
			assert_null(memchr(t->rows[r].keys[0].p, ' ', t->rows[r].keys[0].len));
		}
		t = find(&l, "keys=call_site.sym-offset,bytes_alloc.log2");
		for (size_t r = 0; r < t->nrows; r++) {
			uint64_t u = t->rows[r].keys[1].u;

			assert_non_null(memchr(t->rows[r].keys[0].p, '+', t->rows[r].keys[0].len));
			assert_int_equal(t->rows[r].keys[1].form, HF_LOG2);
			assert_true(u && (u & (u - 1)) == 0);
		}
		t = find(&l, "keys=call_site.hex");
		for (size_t r = 0; r < t->nrows; r++)
			assert_true(t->rows[r].keys[0].u > 0xffffffff00000000);
		unload(&l);
	}
}

static void buckets_calls_and_tasks(void **state)
{
	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		const struct hist_table *t;
		struct loaded l;

		load(&l, files[f]);
		t = find(&l, "keys=bytes_req.buckets=");
		for (size_t r = 0; r < t->nrows; r++) {
			assert_int_equal(t->rows[r].keys[0].u % 100, 0);
			assert_int_equal(t->rows[r].keys[0].hi, t->rows[r].keys[0].u + 99);
		}
		t = find(&l, "keys=id.syscall,common_pid.execname");
		assert_true(has_string(t, 0, "sys_read"));
		for (size_t r = 0; r < t->nrows; r++) {
			assert_in_range(t->rows[r].keys[0].u, 0, 3);
			assert_in_range(t->rows[r].keys[1].u, 1, 1000);
		}
		t = find(&l, "keys=ret");
		assert_true(t->nrows > 10);
		unload(&l);
	}
}

static void negative_numbers_are_modulo_2_to_64(void **state)
{
	bool any = false;

	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		const struct hist_table *t;
		struct loaded l;

		load(&l, files[f]);
		t = find(&l, "keys=ret");
		for (size_t r = 0; r < t->nrows; r++)
			any |= (int64_t)t->rows[r].keys[0].u < 0;
		unload(&l);
	}
	assert_true(any);
}

static void stacks_span_lines(void **state)
{
	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		const struct hist_table *t;
		struct loaded l;

		load(&l, files[f]);
		t = find(&l, "stacktrace");
		assert_true(t->nrows > 2);
		for (size_t r = 0; r < t->nrows; r++) {
			const struct hist_value *v = &t->rows[r].keys[0];

			assert_int_equal(v->form, HF_STACK);
			assert_non_null(memmem(v->p, v->len, "+0x", 3));
			assert_null(memchr(v->p, '}', v->len));
		}
		unload(&l);
	}
}

static void saved_fields_stand_below_their_row(void **state)
{
	(void)state;
	for (size_t f = 0; f < NFILES; f++) {
		const struct hist_table *t;
		struct loaded l;

		load(&l, files[f]);
		t = find(&l, "onmax");
		assert_true(t->nrows >= 1);
		assert_int_equal(t->rows[0].nextra, 3);
		assert_memory_equal(t->rows[0].extra[0].name, "max", 3);
		assert_true(t->rows[0].extra[0].u > 50);
		assert_int_equal(t->rows[0].extra[1].name_len, strlen("child_comm"));
		unload(&l);
	}
}

static uint32_t rnd(uint32_t *s)
{
	*s = *s * 1664525u + 1013904223u;
	return *s >> 8;
}

static void damaged_text_gives_rows_or_none_and_ends(void **state)
{
	static const char bits[] = "{}:\n\t~^-[]., 0#";
	uint32_t s = 42;

	(void)state;
	for (unsigned round = 0; round < 600; round++) {
		struct loaded l;
		struct buf t = {0};
		struct hist_table *v;

		load(&l, files[round % NFILES]);
		/* a part, with places changed */
		buf_add(&t, l.text.p, rnd(&s) % l.text.len);
		for (unsigned i = rnd(&s) % 60; i && t.len; i--)
			t.p[rnd(&s) % t.len] =
				rnd(&s) % 2 ? bits[rnd(&s) % (sizeof(bits) - 1)] : (char)rnd(&s);
		buf_puts(&t, "");
		hist_parse(l.a, buf_str(&t), t.len, &v);
		buf_free(&t);
		unload(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_read_and_adds_up_to_the_kernels_totals),
		cmocka_unit_test(names_of_tasks_may_hold_anything),
		cmocka_unit_test(symbols_have_address_and_name),
		cmocka_unit_test(buckets_calls_and_tasks),
		cmocka_unit_test(negative_numbers_are_modulo_2_to_64),
		cmocka_unit_test(stacks_span_lines),
		cmocka_unit_test(saved_fields_stand_below_their_row),
		cmocka_unit_test(damaged_text_gives_rows_or_none_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
