/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV: read back by a strict reader of RFC 4180 it is what went in, whatever that was. */
#include "report_util.h"

/* The records of one csv text: fields in reading order, with the number in each record. */
struct parsed {
	struct buf fields[4096];
	unsigned nfields, nrecords, per[2048];
};

/* csv_parse - strict: a quote only opens at a field's start and closes before a comma or newline */
static void csv_parse(struct parsed *p, const char *t, size_t n)
{
	size_t i = 0;

	memset(p, 0, sizeof(*p));
	while (i < n) {
		for (;;) {
			struct buf *f = &p->fields[p->nfields++];

			assert_in_range(p->nfields, 1, 4095);
			if (i < n && t[i] == '"') {
				for (i++;; i++) {
					assert_true(i < n);
					if (t[i] != '"')
						buf_putc(f, t[i]);
					else if (i + 1 < n && t[i + 1] == '"')
						buf_putc(f, t[i++]);
					else
						break;
				}
				i++;
			} else {
				for (; i < n && t[i] != ',' && t[i] != '\n'; i++) {
					assert_true(t[i] != '"' && t[i] != '\r' && t[i] != 0);
					buf_putc(f, t[i]);
				}
			}
			p->per[p->nrecords]++;
			assert_true(i < n && (t[i] == ',' || t[i] == '\n'));
			if (t[i++] == '\n')
				break;
		}
		p->nrecords++;
		assert_in_range(p->nrecords, 1, 2047);
	}
}

static void parsed_free(struct parsed *p)
{
	for (unsigned i = 0; i < p->nfields; i++)
		buf_free(&p->fields[i]);
	free(p);
}

static struct column two_cols[] = {KEY("comm", T_STR), COL("count", T_INT)};
static const struct schema two_schema = SCHEMA(two_cols);

static void one_header_and_quotes_where_needed(void **state)
{
	struct cell c[] = {str("sh"),   num(3), str("my task 1"), num(2), str("a: [b]-7"), num(2),
			   str("x)\""), num(1), str("a,b"),       num(1), str("l1\nl2\r"), num(1),
			   str(""),     num(1), none(),           none(), str("# x"),      num(0)};
	struct rowset rows = ROWSET(two_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, false);
	assert_string_equal(desk_result(&d, &rows), "comm,count\n"
						    "sh,3\n"
						    "my task 1,2\n"
						    "a: [b]-7,2\n"
						    "\"x)\"\"\",1\n"
						    "\"a,b\",1\n"
						    "\"l1\nl2\r\",1\n"
						    "\"\",1\n"
						    ",\n"
						    "\"# x\",0\n");
	desk_close(&d);
}

static void numbers_are_exact(void **state)
{
	struct column cols[] = {COL("i", T_INT),       COL("t", T_TIME), COL("a", T_ADDR),
				COL("d", T_DEC),       COL("b", T_BOOL), COL("size", T_INT),
				COL("a, \"b\"", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(INT64_MIN),
			   num(1500),
			   num(0xffffffff81000000),
			   num(-1),
			   num(1),
			   num(4096),
			   num(-7),
			   num((__int128)((unsigned __int128)-1 >> 1)),
			   num(UINT64_MAX),
			   num(0),
			   num(1234567890),
			   num(0),
			   num(0),
			   num(UINT64_MAX)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	cols[5].type.show = SHOW_SIZE;
	cols[6].type.show = SHOW_HEX;
	desk_open(&d, FMT_CSV, false);
	strcpy(d.s.set.unit, "us");
	assert_string_equal(
		desk_result(&d, &rows),
		"i,t,a,d,b,size,\"a, \"\"b\"\"\"\n"
		"-9223372036854775808,1500,0xffffffff81000000,-0.000001,1,4096,0xfffffffffffffff9\n"
		"170141183460469231731687303715884105727,18446744073709551615,0x0,1234.567890,0,0,"
		"0xffffffffffffffff\n");
	desk_close(&d);
}

static void a_column_of_its_own_never_makes_an_empty_line(void **state)
{
	struct column cols[] = {COL("path", T_STR)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {none(), str(""), str("x")};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, false);
	assert_string_equal(desk_result(&d, &rows), "path\n\"\"\n\"\"\nx\n");
	desk_close(&d);
}

static void an_empty_result_is_a_header(void **state)
{
	struct rowset rows = {.schema = &two_schema};
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, false);
	assert_string_equal(desk_result(&d, &rows), "comm,count\n");
	desk_close(&d);
}

static void intervals_share_the_header(void **state)
{
	struct cell c[] = {str("sh"), num(3)};
	struct rowset rows = ROWSET(two_schema, c);
	struct report *r;
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, false);
	r = report_new(&d.s, &d.q, d.out, NULL, false);
	report_sink(r)->result(report_sink(r), &rows, true);
	report_sink(r)->result(report_sink(r), &rows, true);
	report_sink(r)->row(report_sink(r), &two_schema, c);
	assert_int_equal(report_close(r), 0);
	assert_string_equal(desk_text(&d), "comm,count\nsh,3\nsh,3\nsh,3\n");
	desk_close(&d);
}

static void results_of_several_pipelines_have_names(void **state)
{
	struct column cols[] = {COL("n", T_INT)};
	struct schema other = SCHEMA(cols);
	struct cell c[] = {str("sh"), num(3)}, n[] = {num(9)};
	struct rowset rows = ROWSET(two_schema, c), orows = ROWSET(other, n);
	struct report *a, *b;
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, false);
	a = report_new(&d.s, &d.q, d.out, "wakes", true);
	b = report_new(&d.s, &d.q, d.out, "2", true);
	report_sink(a)->result(report_sink(a), &rows, true);
	report_sink(a)->result(report_sink(a), &rows, true);
	report_sink(b)->result(report_sink(b), &orows, true);
	report_sink(a)->result(report_sink(a), &rows, false);
	assert_int_equal(report_close(a), 0);
	assert_int_equal(report_close(b), 0);
	assert_string_equal(desk_text(&d), "comm,count\nsh,3\nsh,3\n"
					   "\n# 2\nn\n9\n"
					   "\n# wakes\ncomm,count\nsh,3\n");
	desk_close(&d);
}

static void random_rows_are_read_back(void **state)
{
	enum { ROWS = 300, BIG = 2048 };
	struct column cols[] = {KEY("a", T_STR), COL("n", T_INT), COL("s", T_STR)};
	struct schema sc = SCHEMA(cols);
	struct cell c[ROWS * 3];
	struct rowset rows = ROWSET(sc, c);
	struct parsed *p = malloc(sizeof(*p));
	uint64_t seed = 20260101;
	struct arena *a = arena_new();
	struct desk d;

	(void)state;
	assert_non_null(p);
	for (unsigned i = 0; i < ROWS * 3; i++) {
		char *t = arena_alloc(a, BIG);

		if (i % 3 == 1)
			c[i] = num((int64_t)rnd(&seed));
		else
			c[i] = (struct cell){
				.p = t,
				.len = (uint32_t)rnd_text(&seed, t, i == 0 ? BIG : 1 + i % 40)};
	}
	desk_open(&d, FMT_CSV, false);
	desk_result(&d, &rows);
	csv_parse(p, d.text, d.len);
	assert_int_equal(p->nrecords, ROWS + 1);
	for (unsigned i = 0; i < ROWS * 3; i++) {
		struct buf want = {0};

		assert_int_equal(p->per[1 + i / 3], 3);
		if (i % 3 == 1)
			buf_printf(&want, "%lld", (long long)c[i].n);
		else
			repaired(&want, (const unsigned char *)c[i].p, c[i].len);
		assert_int_equal(p->fields[3 + i].len, want.len);
		if (want.len)
			assert_memory_equal(p->fields[3 + i].p, want.p, want.len);
		buf_free(&want);
	}
	parsed_free(p);
	desk_close(&d);
	arena_free(a);
}

static void a_terminal_is_safe_from_csv_too(void **state)
{
	struct cell c[] = {str("\x1b]0;x\x07,"), num(3)};
	struct rowset rows = ROWSET(two_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, true);
	assert_string_equal(desk_result(&d, &rows), "comm,count\n\"\\x1b]0;x\\x07,\",3\n");
	desk_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_header_and_quotes_where_needed),
		cmocka_unit_test(numbers_are_exact),
		cmocka_unit_test(a_column_of_its_own_never_makes_an_empty_line),
		cmocka_unit_test(an_empty_result_is_a_header),
		cmocka_unit_test(intervals_share_the_header),
		cmocka_unit_test(results_of_several_pipelines_have_names),
		cmocka_unit_test(random_rows_are_read_back),
		cmocka_unit_test(a_terminal_is_safe_from_csv_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
