/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON lines: each line passes a strict parser and gives back what went in. */
#include "report_util.h"

/* ---- a strict parser of flat objects (RFC 8259), values kept as text ---- */

struct member {
	struct buf name, value; /* strings decoded, all else as written */
	char kind;              /* 's'tring, 'n'umber, 'w'ord */
};

struct object {
	struct member m[16];
	unsigned n;
};

static void put_utf8(struct buf *b, unsigned cp)
{
	if (cp < 0x80) {
		buf_putc(b, (char)cp);
	} else if (cp < 0x800) {
		buf_putc(b, (char)(0xc0 | cp >> 6));
		buf_putc(b, (char)(0x80 | (cp & 0x3f)));
	} else {
		buf_putc(b, (char)(0xe0 | cp >> 12));
		buf_putc(b, (char)(0x80 | (cp >> 6 & 0x3f)));
		buf_putc(b, (char)(0x80 | (cp & 0x3f)));
	}
}

static const char *json_string(const char *p, struct buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *start, *e;
	struct buf good = {0};
	unsigned cp;

	assert_int_equal(*p, '"');
	start = ++p;
	for (; *p != '"'; p++) {
		assert_true((unsigned char)*p >= 0x20);
		if (*p != '\\') {
			buf_putc(b, *p);
			continue;
		}
		p++;
		if (*p == 'u') {
			assert_int_equal(sscanf(p + 1, "%4x", &cp), 1);
			assert_int_equal(strspn(p + 1, "0123456789abcdefABCDEF") >= 4, 1);
			assert_true(cp < 0xd800 || cp > 0xdfff);
			put_utf8(b, cp);
			p += 4;
			continue;
		}
		e = *p ? strchr(from, *p) : NULL;
		assert_non_null(e);
		buf_putc(b, to[e - from]);
	}
	/* valid UTF-8: nothing to repair in it */
	repaired(&good, (const unsigned char *)start, (size_t)(p - start));
	assert_int_equal(good.len, p - start);
	if (good.len)
		assert_memory_equal(good.p, start, good.len);
	buf_free(&good);
	return p + 1;
}

static const char *json_value(const char *p, struct member *m)
{
	static const char *const words[] = {"true", "false", "null"};
	const char *start = p;

	if (*p == '"') {
		m->kind = 's';
		return json_string(p, &m->value);
	}
	for (unsigned i = 0; i < 3; i++) {
		if (strncmp(p, words[i], strlen(words[i])) == 0) {
			m->kind = 'w';
			buf_puts(&m->value, words[i]);
			return p + strlen(words[i]);
		}
	}
	m->kind = 'n';
	if (*p == '-')
		p++;
	assert_true(*p >= '0' && *p <= '9');
	if (*p == '0')
		p++;
	else
		p += strspn(p, "0123456789");
	if (*p == '.') {
		p++;
		assert_true(*p >= '0' && *p <= '9');
		p += strspn(p, "0123456789");
	}
	buf_add(&m->value, start, (size_t)(p - start));
	return p;
}

/* json_line - one object up to its newline */
static const char *json_line(const char *p, struct object *o)
{
	memset(o, 0, sizeof(*o));
	assert_int_equal(*p++, '{');
	while (*p != '}') {
		struct member *m = &o->m[o->n++];

		assert_in_range(o->n, 1, 15);
		p = json_string(p, &m->name);
		assert_int_equal(*p++, ':');
		p = json_value(p, m);
		if (*p == ',') {
			p++;
			assert_int_not_equal(*p, '}');
		} else {
			assert_int_equal(*p, '}');
		}
	}
	assert_int_equal(p[1], '\n');
	return p + 2;
}

static void object_free(struct object *o)
{
	for (unsigned i = 0; i < o->n; i++) {
		buf_free(&o->m[i].name);
		buf_free(&o->m[i].value);
	}
}

/* ---- tests ---- */

static struct column cols_all[] = {
	KEY("next_comm", T_STR), COL("count", T_INT), COL("delta", T_TIME), COL("a", T_ADDR),
	COL("avg(x)", T_DEC),    COL("b", T_BOOL),    COL("x.hex", T_INT)};
static struct schema all = SCHEMA(cols_all);

static void one_object_a_row_with_exact_values(void **state)
{
	struct cell c[] = {str("sh"),       num(3),
			   num(1500),       num(0xffffffff81000000),
			   num(2500000),    num(1),
			   num(255),        none(),
			   num(UINT64_MAX), num(INT64_MIN),
			   none(),          num(-1),
			   num(0),          none(),
			   str(""),         num((__int128)((unsigned __int128)-1 >> 1)),
			   num(-5),         num(0),
			   num(0),          none(),
			   num(-1)};
	struct rowset rows = ROWSET(all, c);
	struct desk d;

	(void)state;
	cols_all[6].type.show = SHOW_HEX;
	desk_open(&d, FMT_JSON, true);
	strcpy(d.s.set.unit, "ms");
	assert_string_equal(desk_result(&d, &rows),
			    "{\"next_comm\":\"sh\",\"count\":3,\"delta\":1500,\"a\":"
			    "\"0xffffffff81000000\",\"avg(x)\":2.500000,"
			    "\"b\":true,\"x.hex\":\"0xff\"}\n"
			    "{\"next_comm\":null,\"count\":18446744073709551615,\"delta\":-"
			    "9223372036854775808,\"a\":null,"
			    "\"avg(x)\":-0.000001,\"b\":false,\"x.hex\":null}\n"
			    "{\"next_comm\":\"\",\"count\":170141183460469231731687303715884105727,"
			    "\"delta\":-5,\"a\":\"0x0\","
			    "\"avg(x)\":0.000000,\"b\":null,\"x.hex\":\"0xffffffffffffffff\"}\n");
	desk_close(&d);
}

static void strings_are_escaped_and_repaired(void **state)
{
	struct column cols[] = {COL("s", T_STR)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {str("x)\" \\ /"),
			   str("\n\t\r\b\x1b\x01"),
			   str("\x7f\xc2\x9b"),
			   str("caf\xc3\xa9 \xf0\x9f\x98\x80"),
			   str("\xff"
			       "a\xe2\x82"
			       "b\xed\xa0\x80"),
			   {.p = "a\0b", .len = 3},
			   str("cut \xf0\x9f\x98")};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_JSON, false);
	assert_string_equal(desk_result(&d, &rows), "{\"s\":\"x)\\\" \\\\ /\"}\n"
						    "{\"s\":\"\\n\\t\\r\\u0008\\u001b\\u0001\"}\n"
						    "{\"s\":\"\\u007f\\u009b\"}\n"
						    "{\"s\":\"caf\xc3\xa9 \xf0\x9f\x98\x80\"}\n"
						    "{\"s\":\"\xef\xbf\xbd"
						    "a\xef\xbf\xbd"
						    "b\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}\n"
						    "{\"s\":\"a\\u0000b\"}\n"
						    "{\"s\":\"cut \xef\xbf\xbd\"}\n");
	desk_close(&d);
}

static void jobs_of_several_pipelines_are_named_first(void **state)
{
	struct column cols[] = {COL("say \"hi\"\n", T_INT)};
	struct schema sc = SCHEMA(cols);
	struct cell c[] = {num(1)};
	struct rowset rows = ROWSET(sc, c);
	struct report *a, *b;
	struct object o;
	struct desk d;
	const char *p;

	(void)state;
	desk_open(&d, FMT_JSON, false);
	a = report_new(&d.s, &d.q, d.out, "wa\"kes", true);
	b = report_new(&d.s, &d.q, d.out, "2", true);
	report_sink(a)->result(report_sink(a), &rows, false);
	report_sink(b)->row(report_sink(b), &sc, c);
	assert_int_equal(report_close(a), 0);
	assert_int_equal(report_close(b), 0);
	p = json_line(desk_text(&d), &o);
	assert_int_equal(o.n, 2);
	assert_string_equal(buf_str(&o.m[0].name), "job");
	assert_string_equal(buf_str(&o.m[0].value), "wa\"kes");
	assert_string_equal(buf_str(&o.m[1].name), "say \"hi\"\n");
	object_free(&o);
	assert_string_equal(p, "{\"job\":\"2\",\"say \\\"hi\\\"\\n\":1}\n");
	desk_close(&d);
}

static void an_empty_result_is_no_line(void **state)
{
	struct rowset rows = {.schema = &all};
	struct desk d;

	(void)state;
	desk_open(&d, FMT_JSON, false);
	assert_string_equal(desk_result(&d, &rows), "");
	desk_close(&d);
}

static void a_histogram_is_rows_of_buckets(void **state)
{
	struct column cols[] = {COL("lo", T_TIME), COL("hi", T_TIME), COL("count", T_INT)};
	struct schema sc = {.cols = cols, .n = 3, .hist = true, .hist_type = {.kind = T_TIME}};
	struct cell c[] = {num(INT64_MIN), num(-5), num(1), num(5), num(8), num(2)};
	struct rowset rows = ROWSET(sc, c);
	struct desk d;

	(void)state;
	desk_open(&d, FMT_JSON, false);
	assert_string_equal(desk_result(&d, &rows),
			    "{\"lo\":-9223372036854775808,\"hi\":-5,\"count\":1}\n"
			    "{\"lo\":5,\"hi\":8,\"count\":2}\n");
	desk_close(&d);
}

static void random_rows_are_read_back(void **state)
{
	enum { ROWS = 400, BIG = 2048 };
	struct column cols[] = {KEY("a", T_STR), COL("n", T_INT), COL("s", T_STACK)};
	struct schema sc = SCHEMA(cols);
	struct cell c[ROWS * 3];
	struct rowset rows = ROWSET(sc, c);
	uint64_t seed = 7;
	struct arena *a = arena_new();
	struct desk d;
	const char *p;

	(void)state;
	for (unsigned i = 0; i < ROWS * 3; i++) {
		char *t = arena_alloc(a, BIG);

		if (i % 3 == 1)
			c[i] = num((__int128)(int64_t)rnd(&seed) * (int64_t)(rnd(&seed) >> 2));
		else
			c[i] = (struct cell){
				.p = t,
				.len = (uint32_t)rnd_text(&seed, t, i < 6 ? BIG : 1 + i % 50)};
	}
	desk_open(&d, FMT_JSON, false);
	p = desk_result(&d, &rows);
	for (unsigned i = 0; i < ROWS; i++) {
		struct object o;

		p = json_line(p, &o);
		assert_int_equal(o.n, 3);
		for (unsigned k = 0; k < 3; k++) {
			const struct cell *x = &c[i * 3 + k];
			struct buf want = {0};

			assert_string_equal(buf_str(&o.m[k].name), cols[k].name);
			assert_int_equal(o.m[k].kind, k == 1 ? 'n' : 's');
			if (k != 1) {
				repaired(&want, (const unsigned char *)x->p, x->len);
				assert_int_equal(o.m[k].value.len, want.len);
				if (want.len)
					assert_memory_equal(o.m[k].value.p, want.p, want.len);
			} else {
				__int128 v = 0;
				const char *s = buf_str(&o.m[k].value);
				bool neg = *s == '-';

				for (s += neg; *s; s++)
					v = v * 10 + (neg ? '0' - *s : *s - '0');
				assert_true(v == x->n);
			}
			buf_free(&want);
		}
		object_free(&o);
	}
	assert_int_equal(*p, 0);
	desk_close(&d);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_object_a_row_with_exact_values),
		cmocka_unit_test(strings_are_escaped_and_repaired),
		cmocka_unit_test(jobs_of_several_pipelines_are_named_first),
		cmocka_unit_test(an_empty_result_is_no_line),
		cmocka_unit_test(a_histogram_is_rows_of_buckets),
		cmocka_unit_test(random_rows_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
