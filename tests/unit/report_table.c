/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables, text tables, redirections, errors of writing and progress. */
#include "report_util.h"

#include "report/progress.h"
#include "report/text.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

static struct column comm_cols[] = {KEY("next_comm", T_STR), COL("count", T_INT),
				    COL("max(delta)", T_TIME), COL("avg(delta)", T_DEC)};
static const struct schema comm_schema = SCHEMA(comm_cols);

static void a_pipe_gets_aligned_exact_numbers(void **state)
{
	struct cell c[] = {str("sh"),          num(1234567), num(12345), num(2500000),
			   str("kworker/0:1"), num(3),       none(),     num(-1)};
	struct rowset rows = ROWSET(comm_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	assert_string_equal(desk_result(&d, &rows),
			    "next_comm      count  max(delta)  avg(delta)\n"
			    "sh           1234567       12345    2.500000\n"
			    "kworker/0:1        3           -   -0.000001\n");
	desk_close(&d);
}

static void a_terminal_gets_units_and_shorter_averages(void **state)
{
	struct column cols[] = {KEY("addr", T_ADDR), COL("d", T_TIME), COL("bytes", T_INT),
				COL("avg", T_DEC), COL("start.ts", T_TIME)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(0xffffffff81000000),
			   num(12345),
			   num(4096),
			   num(2555000),
			   num(1234567890123),
			   num(0),
			   num(-2000000000),
			   num(10),
			   num(1000000),
			   num(5)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	cols[2].type.show = SHOW_SIZE;
	desk_open(&d, FMT_AUTO, true);
	d.s.width = 100;
	assert_string_equal(desk_result(&d, &rows),
			    "              addr        d    bytes   avg     start.ts\n"
			    "0xffffffff81000000  12.3 us  4.0 KiB  2.56  1234.567890\n"
			    "               0x0   -2.0 s     10 B  1.00     0.000000\n");
	desk_close(&d);
}

static void a_set_unit_holds_on_a_pipe_too(void **state)
{
	struct column cols[] = {COL("delta", T_TIME)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(12345), num(-1), num((__int128)UINT64_MAX * 1000)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	strcpy(d.s.set.unit, "us");
	assert_string_equal(desk_result(&d, &rows), "                      delta\n"
						    "                  12.345 us\n"
						    "                  -0.001 us\n"
						    "18446744073709551615.000 us\n");
	desk_close(&d);
}

static void extremes_are_exact(void **state)
{
	struct column cols[] = {COL("a", T_INT), COL("h", T_INT), COL("o", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(UINT64_MAX),
			   num(-1),
			   num(0755),
			   num(INT64_MIN),
			   num(0),
			   num(-1),
			   num((__int128)INT64_MAX * UINT64_MAX),
			   num(UINT64_MAX),
			   num(8)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	cols[1].type.show = SHOW_HEX;
	cols[2].type.show = SHOW_OCT;
	desk_open(&d, FMT_AUTO, false);
	assert_string_equal(desk_result(&d, &rows),
			    "                                      a                   h           "
			    "              o\n"
			    "                   18446744073709551615  0xffffffffffffffff           "
			    "          0o755\n"
			    "                   -9223372036854775808                 0x0  "
			    "0o1777777777777777777777\n"
			    "170141183460469231704017187605319778305  0xffffffffffffffff           "
			    "           0o10\n");
	desk_close(&d);
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
	struct cell c[] = {str("a\x1b[2Jb\n\tc\x7f"),       num(1), num(1), num(1000000),
			   str("\xff\xc2\x9b\xe2\x80\xae"), num(2), num(2), num(2000000)};
	struct rowset rows = ROWSET(comm_schema, c);
	const char *t;
	struct desk d;

	(void)state;
	for (int tty = 0; tty < 2; tty++) {
		desk_open(&d, FMT_TABLE, tty);
		d.s.width = 200;
		t = desk_result(&d, &rows);
		assert_non_null(strstr(t, "\na\\x1b[2Jb\\x0a\\x09c\\x7f "));
		assert_non_null(strstr(t, "\n\\xff\\xc2\\x9b\\xe2\\x80\\xae "));
		assert_null(strchr(t, 0x1b));
		desk_close(&d);
	}
}

static void text_is_escaped_on_a_terminal_only(void **state)
{
	static const char line[] = "sh-1 \x1b[31m: mark\tx\n";
	struct report *r;
	struct desk d;

	(void)state;
	for (int tty = 0; tty < 2; tty++) {
		desk_open(&d, FMT_AUTO, tty);
		r = report_new(&d.s, &d.q, d.out, NULL, false);
		report_sink(r)->text(report_sink(r), line, sizeof(line) - 1);
		assert_int_equal(report_close(r), 0);
		assert_string_equal(desk_text(&d), tty ? "sh-1 \\x1b[31m: mark\tx\n" : line);
		desk_close(&d);
	}
}

static void wide_characters_keep_columns_aligned(void **state)
{
	struct cell c[] = {str("\xe6\xbc\xa2\xe5\xad\x97"), num(1), num(1), num(1000000),
			   str("e\xcc\x81t\xc3\xa9"),       num(2), num(2), num(2000000)};
	struct rowset rows = ROWSET(comm_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_TABLE, false);
	assert_string_equal(desk_result(&d, &rows),
			    "next_comm  count  max(delta)  avg(delta)\n"
			    "\xe6\xbc\xa2\xe5\xad\x97           1           1    1.000000\n"
			    "e\xcc\x81t\xc3\xa9            2           2    2.000000\n");
	desk_close(&d);
}

static void long_strings_are_clipped_on_a_terminal_only(void **state)
{
	struct column cols[] = {KEY("file", T_STR), COL("count", T_INT)};
	struct schema sc = SCHEMA(cols);
	char big[2049];
	struct cell c[2];
	struct rowset rows = {.schema = &sc, .cells = c, .nrows = 1};
	struct desk d;
	const char *t;

	(void)state;
	memset(big, 'x', 2048);
	big[2048] = 0;
	c[0] = str(big);
	c[1] = num(7);
	desk_open(&d, FMT_TABLE, true);
	t = strchr(desk_result(&d, &rows), '\n') + 1;
	/* 60 columns: 53 of the file, two spaces, 5 of the count; the ellipsis has three bytes */
	assert_int_equal(strspn(t, "x"), 52);
	assert_string_equal(t + 52, "\xe2\x80\xa6      7\n");
	desk_close(&d);
	desk_open(&d, FMT_TABLE, false);
	t = strchr(desk_result(&d, &rows), '\n') + 1;
	assert_int_equal(strspn(t, "x"), 2048);
	desk_close(&d);
}

static void a_plain_terminal_gets_ascii_only(void **state)
{
	struct cell c[] = {str("caf\xc3\xa9"), num(1), num(1), num(1000000)};
	struct rowset rows = ROWSET(comm_schema, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_TABLE, true);
	d.s.utf8 = false;
	assert_non_null(strstr(desk_result(&d, &rows), "caf\\xc3\\xa9"));
	desk_close(&d);
}

static void interim_results_are_apart(void **state)
{
	struct column cols[] = {COL("count", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(3)};
	struct rowset rows = ROWSET(sc, c);
	struct report *r;
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	r = report_new(&d.s, &d.q, d.out, NULL, false);
	report_sink(r)->result(report_sink(r), &rows, true);
	report_sink(r)->result(report_sink(r), &rows, false);
	assert_int_equal(report_close(r), 0);
	assert_string_equal(desk_text(&d), "count\n    3\n\ncount\n    3\n");
	desk_close(&d);
}

static void several_pipelines_are_named(void **state)
{
	struct column cols[] = {COL("count", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(3)};
	struct rowset rows = ROWSET(sc, c);
	struct report *a, *b;
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	a = report_new(&d.s, &d.q, d.out, "wakes", true);
	b = report_new(&d.s, &d.q, d.out, "2", true);
	report_sink(a)->result(report_sink(a), &rows, false);
	report_sink(b)->result(report_sink(b), &rows, false);
	assert_int_equal(report_close(a), 0);
	assert_int_equal(report_close(b), 0);
	assert_string_equal(desk_text(&d), "wakes:\ncount\n    3\n\n2:\ncount\n    3\n");
	desk_close(&d);
}

static void streamed_rows_come_under_one_header(void **state)
{
	struct column cols[] = {COL("comm", T_STR), COL("n", T_INT), COL("path", T_STR)};
	struct schema sc = SCHEMA(cols);
	struct cell a[] = {str("sh"), num(1), str("/etc/passwd")},
		    b[] = {str("a-long-name-of-a-task"), num(-22), none()},
		    c[] = {str("x"), num(0), str("y")};
	struct report *r;
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	r = report_new(&d.s, &d.q, d.out, NULL, false);
	report_sink(r)->row(report_sink(r), &sc, a);
	report_sink(r)->row(report_sink(r), &sc, b);
	report_sink(r)->row(report_sink(r), &sc, c);
	assert_int_equal(report_close(r), 0);
	assert_string_equal(desk_text(&d), "comm                    n  path\n"
					   "sh                      1  /etc/passwd\n"
					   "a-long-name-of-a-task      -22  -\n"
					   "x                            0  y\n");
	desk_close(&d);
}

static void stacks_fold_from_the_outermost_frame(void **state)
{
	struct column cols[] = {KEY("comm", T_STR), KEY("kstack", T_STACK), KEY("ustack", T_STACK),
				COL("count", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {str("a;b"),
			   str("schedule;do_nanosleep;entry"),
			   str("nanosleep;main"),
			   num(5),
			   str("idle"),
			   str("cpu_idle"),
			   none(),
			   num(1)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, false);
	d.q.render = RENDER_FOLDED;
	assert_string_equal(desk_result(&d, &rows),
			    "a:b;main;nanosleep;entry;do_nanosleep;schedule 5\n"
			    "idle;cpu_idle 1\n");
	desk_close(&d);
}

static void stacks_stand_below_their_row_on_a_terminal(void **state)
{
	struct column cols[] = {KEY("comm", T_STR), KEY("kstack", T_STACK), COL("count", T_INT)};
	struct schema sc = SCHEMA(cols), only = {.cols = cols + 1, .n = 1};
	struct cell c[] = {str("sh"), str("schedule;do_nanosleep"), num(5), str("idle"), none(),
			   num(12)};
	struct rowset rows = ROWSET(sc, c);
	struct report *r;
	struct desk d;

	(void)state;
	desk_open(&d, FMT_AUTO, true);
	assert_string_equal(desk_result(&d, &rows), "comm  count\n"
						    "sh        5\n"
						    "    schedule\n"
						    "    do_nanosleep\n"
						    "idle     12\n");
	desk_close(&d);
	desk_open(&d, FMT_AUTO, true);
	rows = (struct rowset){.schema = &only, .cells = c + 1, .nrows = 1};
	assert_string_equal(desk_result(&d, &rows), "\n    schedule\n    do_nanosleep\n");
	desk_close(&d);
	desk_open(&d, FMT_AUTO, true);
	r = report_new(&d.s, &d.q, d.out, NULL, false);
	report_sink(r)->row(report_sink(r), &sc, c);
	report_sink(r)->row(report_sink(r), &only, c + 1);
	assert_int_equal(report_close(r), 0);
	assert_string_equal(desk_text(&d), "comm                count\n"
					   "sh                      5\n"
					   "    schedule\n    do_nanosleep\n"
					   "\n\n    schedule\n    do_nanosleep\n");
	desk_close(&d);
	desk_open(&d, FMT_AUTO, false);
	rows = (struct rowset)ROWSET(sc, c);
	assert_string_equal(desk_result(&d, &rows), "comm  kstack                 count\n"
						    "sh    schedule;do_nanosleep      5\n"
						    "idle  -                         12\n");
	desk_close(&d);
}

static void every_kind_has_a_name_help_and_hooks(void **state)
{
	unsigned n = 0;

	(void)state;
	for (; report_kinds[n]; n++) {
		const struct report_kind *k = report_kinds[n];

		assert_ptr_equal(report_kind_find(k->name, strlen(k->name)), k);
		assert_true(strlen(k->brief) > 0 && strlen(k->help) > 40);
		assert_non_null(k->result);
		assert_non_null(k->row);
	}
	assert_int_equal(n, 5);
	assert_null(report_kind_find("tables", 6));
	assert_null(report_kind_find("", 0));
}

static void a_text_table_aligns_and_clips(void **state)
{
	struct session s = {.utf8 = true};
	struct buf b = {0};
	struct texttab t;

	(void)state;
	texttab_init(&t, &s, false);
	texttab_col(&t, "event", TEXTTAB_CLIP);
	texttab_col(&t, "id", TEXTTAB_RIGHT);
	texttab_str(&t, "sched_switch");
	texttab_fmt(&t, "%d", 316);
	texttab_str(&t, NULL);
	texttab_fmt(&t, "%d", 7);
	texttab_print(&t, true, 0, &b);
	assert_string_equal(buf_str(&b),
			    "event          id\nsched_switch  316\n-               7\n");
	buf_clear(&b);
	texttab_print(&t, false, 13, &b);
	assert_string_equal(buf_str(&b), "sched_s\xe2\x80\xa6  316\n-           7\n");
	/* too narrow for anything: the least that is readable */
	buf_clear(&b);
	texttab_print(&t, false, 1, &b);
	assert_string_equal(buf_str(&b), "sched_s\xe2\x80\xa6  316\n-           7\n");
	texttab_free(&t);
	buf_free(&b);
}

/* ---- where it goes ---- */

static const char *temp_name(char *p, size_t n, const char *what)
{
	const char *dir = getenv("TMPDIR");

	snprintf(p, n, "%s/tracesh-report-%d-%s", dir ? dir : "/tmp", (int)getpid(), what);
	return p;
}

static void slurp(const char *path, char *p, size_t n)
{
	FILE *f = fopen(path, "r");
	size_t got;

	assert_non_null(f);
	got = fread(p, 1, n - 1, f);
	p[got] = 0;
	fclose(f);
}

static struct column one_col[] = {COL("count", T_INT)};
static const struct schema one_schema = SCHEMA(one_col);

static int write_one(struct desk *d, int n)
{
	struct cell c[] = {num(n)};
	struct rowset rows = ROWSET(one_schema, c);
	struct report *r = report_new(&d->s, &d->q, d->out, NULL, false);

	assert_non_null(r);
	report_sink(r)->result(report_sink(r), &rows, false);
	return report_close(r);
}

static void redirections_create_truncate_and_append(void **state)
{
	char path[256], text[256];
	struct stat st;
	mode_t old;
	struct desk d;

	(void)state;
	temp_name(path, sizeof(path), "redir");
	unlink(path);
	desk_open(&d, FMT_AUTO, true);
	d.q.target = path;
	d.q.redirect = ">";
	old = umask(027);
	assert_int_equal(write_one(&d, 1), 0);
	umask(old);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(write_one(&d, 2), 0);
	slurp(path, text, sizeof(text));
	assert_string_equal(text, "count\n    2\n");
	d.q.redirect = ">>";
	assert_int_equal(write_one(&d, 3), 0);
	slurp(path, text, sizeof(text));
	assert_string_equal(text, "count\n    2\ncount\n    3\n");
	assert_string_equal(desk_text(&d), "");
	unlink(path);
	desk_close(&d);
}

static void a_command_gets_the_result_and_is_waited_for(void **state)
{
	char path[256], cmd[400], text[256];
	struct desk d;

	(void)state;
	temp_name(path, sizeof(path), "cmd");
	snprintf(cmd, sizeof(cmd), "sleep 0.05; tr c C > %s; exit 1", path);
	desk_open(&d, FMT_AUTO, false);
	d.q.target = cmd;
	d.q.redirect = "|!";
	assert_int_equal(write_one(&d, 1), 0);
	slurp(path, text, sizeof(text));
	assert_string_equal(text, "Count\n    1\n");
	assert_int_equal(d.diags.errors, 0);
	unlink(path);
	desk_close(&d);
}

static void a_reader_that_goes_away_is_no_error_but_ends_the_run(void **state)
{
	struct cell c[] = {num(1)};
	struct report *r;
	struct desk d;
	unsigned i;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	desk_open(&d, FMT_CSV, false);
	d.q.target = "exec 0</dev/null; exit 0";
	d.q.redirect = "|!";
	r = report_new(&d.s, &d.q, d.out, NULL, false);
	for (i = 0; i < 2000000 && !report_broken(r); i++)
		report_sink(r)->row(report_sink(r), &one_schema, c);
	assert_true(report_broken(r));
	report_sink(r)->text(report_sink(r), "x", 1);
	assert_int_equal(report_close(r), 0);
	assert_int_equal(d.diags.errors, 0);
	desk_close(&d);
}

static void a_closed_pipe_on_standard_output_is_no_error(void **state)
{
	struct cell c[] = {num(1)};
	struct rowset rows = ROWSET(one_schema, c);
	struct report *r;
	struct desk d;
	int p[2];
	FILE *f;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(p), 0);
	close(p[0]);
	f = fdopen(p[1], "w");
	assert_non_null(f);
	desk_open(&d, FMT_JSON, false);
	out_close(d.out, NULL);
	d.out = out_new(&d.s, f);
	r = report_new(&d.s, &d.q, d.out, NULL, false);
	report_sink(r)->result(report_sink(r), &rows, true);
	assert_true(report_broken(r));
	assert_int_equal(report_close(r), 0);
	assert_int_equal(d.diags.errors, 0);
	assert_int_equal(out_close(d.out, NULL), -EPIPE);
	d.out = NULL;
	/* nothing is left that exit would try to write */
	assert_int_equal(fclose(f), 0);
	desk_close(&d);
}

static void a_command_that_does_not_exist_is_an_error(void **state)
{
	struct desk d;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	desk_open(&d, FMT_CSV, false);
	d.q.target = "tracesh-no-such-command 2>/dev/null";
	d.q.redirect = "|!";
	assert_int_equal(write_one(&d, 1), -ENOENT);
	assert_int_equal(d.diags.errors, 1);
	assert_string_equal(d.diags.v[0].code, "write-failed");
	desk_close(&d);
}

static void a_run_that_failed_runs_no_command(void **state)
{
	char path[256], cmd[300];
	struct report *r;
	struct desk d;

	(void)state;
	temp_name(path, sizeof(path), "failed");
	snprintf(cmd, sizeof(cmd), "cat > %s", path);
	unlink(path);
	for (int failed = 1; failed >= 0; failed--) {
		desk_open(&d, FMT_CSV, false);
		d.q.target = cmd;
		d.q.redirect = "|!";
		r = report_new(&d.s, &d.q, d.out, NULL, false);
		if (failed)
			diag_error(&d.diags, "refused", (struct span){0}, "the kernel refused it");
		assert_int_equal(report_close(r), 0);
		assert_int_equal(access(path, F_OK), failed ? -1 : 0);
		desk_close(&d);
	}
	unlink(path);
}

static void a_file_that_cannot_be_opened_is_an_error_at_once(void **state)
{
	struct desk d;

	(void)state;
	desk_open(&d, FMT_CSV, false);
	d.q.target = "/nonexistent/dir/file";
	d.q.redirect = ">";
	assert_null(report_new(&d.s, &d.q, d.out, NULL, false));
	assert_int_equal(d.diags.errors, 1);
	assert_string_equal(d.diags.v[0].code, "write-failed");
	assert_non_null(strstr(d.diags.v[0].msg, "/nonexistent/dir/file"));
	desk_close(&d);
}

static void a_full_disk_is_an_error_said_once(void **state)
{
	struct cell c[] = {num(1)};
	struct rowset rows = ROWSET(one_schema, c);
	struct report *a, *b;
	struct desk d;
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	if (!full)
		skip();
	desk_open(&d, FMT_CSV, false);
	out_close(d.out, NULL);
	d.out = out_new(&d.s, full);
	a = report_new(&d.s, &d.q, d.out, "1", true);
	b = report_new(&d.s, &d.q, d.out, "2", true);
	report_sink(a)->result(report_sink(a), &rows, false);
	assert_true(report_broken(a) && report_broken(b));
	report_sink(b)->result(report_sink(b), &rows, false);
	assert_int_equal(report_close(a), -ENOSPC);
	assert_int_equal(report_close(b), -ENOSPC);
	assert_int_equal(d.diags.errors, 1);
	assert_int_equal(out_close(d.out, NULL), -ENOSPC);
	d.out = NULL;
	assert_int_equal(fclose(full), 0);
	d.q.target = "/dev/full";
	d.q.redirect = ">>";
	d.out = out_new(&d.s, d.f);
	assert_int_equal(write_one(&d, 1), -ENOSPC);
	assert_int_equal(d.diags.errors, 2);
	desk_close(&d);
}

static void progress_shows_after_two_seconds_and_goes(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct session s = {.err_tty = true, .err = f};
	struct progress p;

	(void)state;
	progress_start(&p, &s);
	progress_at(&p, p.start + 1900000000, 10, 10, 100);
	progress_end(&p);
	fflush(f);
	assert_int_equal(len, 0);
	progress_at(&p, p.start + 2000000000, 123456789, 50 << 20, 100 << 20);
	progress_at(&p, p.start + 2100000000, 123456790, 51 << 20, 100 << 20);
	progress_end(&p);
	progress_end(&p);
	fflush(f);
	assert_string_equal(text, "\r\x1b[K123.4 million events, 50.0 MiB, 50 %\r\x1b[K");
	s.err_tty = false;
	progress_at(&p, p.start + 9000000000, 1, 1, 1);
	s.err_tty = true;
	s.verbosity = -1;
	progress_at(&p, p.start + 9000000000, 1, 1, 1);
	fflush(f);
	assert_string_equal(text, "\r\x1b[K123.4 million events, 50.0 MiB, 50 %\r\x1b[K");
	fclose(f);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_gets_aligned_exact_numbers),
		cmocka_unit_test(a_terminal_gets_units_and_shorter_averages),
		cmocka_unit_test(a_set_unit_holds_on_a_pipe_too),
		cmocka_unit_test(extremes_are_exact),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
		cmocka_unit_test(text_is_escaped_on_a_terminal_only),
		cmocka_unit_test(wide_characters_keep_columns_aligned),
		cmocka_unit_test(long_strings_are_clipped_on_a_terminal_only),
		cmocka_unit_test(a_plain_terminal_gets_ascii_only),
		cmocka_unit_test(interim_results_are_apart),
		cmocka_unit_test(several_pipelines_are_named),
		cmocka_unit_test(streamed_rows_come_under_one_header),
		cmocka_unit_test(stacks_fold_from_the_outermost_frame),
		cmocka_unit_test(stacks_stand_below_their_row_on_a_terminal),
		cmocka_unit_test(every_kind_has_a_name_help_and_hooks),
		cmocka_unit_test(a_text_table_aligns_and_clips),
		cmocka_unit_test(redirections_create_truncate_and_append),
		cmocka_unit_test(a_command_gets_the_result_and_is_waited_for),
		cmocka_unit_test(a_reader_that_goes_away_is_no_error_but_ends_the_run),
		cmocka_unit_test(a_closed_pipe_on_standard_output_is_no_error),
		cmocka_unit_test(a_command_that_does_not_exist_is_an_error),
		cmocka_unit_test(a_run_that_failed_runs_no_command),
		cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error_at_once),
		cmocka_unit_test(a_full_disk_is_an_error_said_once),
		cmocka_unit_test(progress_shows_after_two_seconds_and_goes),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
