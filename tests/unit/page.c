/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page decoder on pages made by hand: every kind of entry, both byte orders, and nonsense. */
#include "feed/page.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MSB (0xf8ull << 56)

/* a page under construction */
struct mk {
	uint8_t p[65536];
	uint32_t n, size, word;
	bool big;
};

static void put(struct mk *m, unsigned size, uint64_t v)
{
	for (unsigned i = 0; i < size; i++)
		m->p[m->n + i] = (uint8_t)(v >> 8 * (m->big ? size - 1 - i : i));
	m->n += size;
}

static void head(struct mk *m, unsigned type_len, uint32_t delta)
{
	put(m, 4, m->big ? type_len << 27 | delta : delta << 5 | type_len);
}

static void begin(struct mk *m, uint32_t size, uint32_t word, bool big, uint64_t ts)
{
	memset(m, 0, sizeof(*m));
	m->size = size;
	m->word = word;
	m->big = big;
	put(m, 8, ts);
	m->n += word;
}

/* write the commit word; data end at m->n */
static struct origin end(struct mk *m, uint64_t flags)
{
	uint32_t n = m->n;

	m->n = 8;
	put(m, m->word, (n - 8 - m->word) | flags);
	m->n = n;
	return (struct origin){
		.big_endian = m->big == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__),
		.long_size = m->word,
		.page_size = m->size,
		.commit_off = 8,
		.commit_size = m->word,
		.data_off = 8 + m->word,
	};
}

static void data(struct mk *m, unsigned words, uint32_t delta, uint8_t mark)
{
	head(m, words, delta);
	memset(m->p + m->n, mark, words * 4);
	m->n += words * 4;
}

static void expect(struct page_iter *it, uint64_t ts, uint32_t len, uint8_t mark)
{
	const uint8_t *p = NULL;
	uint32_t n = 0;

	assert_int_equal(page_next(it, &p, &n), 1);
	assert_int_equal(it->ts, ts);
	assert_int_equal(n, len);
	if (len)
		assert_int_equal(p[len - 1], mark);
}

static void expect_end(struct page_iter *it, bool bad)
{
	const uint8_t *p;
	uint32_t n;

	assert_int_equal(page_next(it, &p, &n), 0);
	assert_int_equal(it->bad, bad);
	assert_int_equal(page_next(it, &p, &n), 0);
}

static void every_short_length_and_a_long_one(void **state)
{
	for (int k = 0; k < 4; k++) {
		static struct mk m;
		struct page_iter it;
		struct origin o;

		begin(&m, 4096, k & 1 ? 4 : 8, k & 2, 1000);
		for (unsigned w = 1; w <= 28; w++)
			data(&m, w, 10, (uint8_t)w);
		head(&m, 0, 5);
		put(&m, 4, 4 + 120);
		memset(m.p + m.n, 0x77, 120);
		m.n += 120;
		data(&m, 2, 1, 9);
		o = end(&m, 0);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		assert_int_equal(it.missed, 0);
		for (unsigned w = 1; w <= 28; w++)
			expect(&it, 1000 + 10 * w, w * 4, (uint8_t)w);
		expect(&it, 1285, 120, 0x77);
		expect(&it, 1286, 8, 9);
		expect_end(&it, false);
	}
	(void)state;
}

static void time_extend_first_in_a_page(void **state)
{
	for (int big = 0; big < 2; big++) {
		static struct mk m;
		struct page_iter it;
		struct origin o;

		begin(&m, 4096, 8, big, 7);
		head(&m, 30, 3);
		put(&m, 4, 2);
		data(&m, 1, 4, 1);
		head(&m, 30, 0x7ffffff);
		put(&m, 4, 0xffffffff);
		data(&m, 1, 0, 2);
		o = end(&m, 0);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		expect(&it, 7 + (2ull << 27) + 3 + 4, 4, 1);
		expect(&it, 7 + (2ull << 27) + 3 + 4 + (1ull << 59) - 1, 4, 2);
		expect_end(&it, false);
	}
	(void)state;
}

static void absolute(struct mk *m, uint64_t ts)
{
	head(m, 31, ts & 0x7ffffff);
	put(m, 4, ts >> 27 & 0xffffffff);
}

static void absolute_stamps_keep_all_59_bits(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o;
	uint64_t t = 0x07ffffffffffffffull;

	begin(&m, 4096, 8, false, 100);
	absolute(&m, 0x0123456789abcdefull);
	data(&m, 1, 0, 1);
	absolute(&m, t);
	data(&m, 1, 0, 2);
	data(&m, 1, 5, 3);
	o = end(&m, 0);
	assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
	expect(&it, 0x0123456789abcdefull, 4, 1);
	expect(&it, t, 4, 2);
	expect(&it, t + 5, 4, 3);
	expect_end(&it, false);
	(void)state;
}

static void absolute_stamps_take_upper_bits_from_the_page(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o;
	uint64_t page = 0x1800000000000010ull; /* a TSC with bits beyond the 59th */

	begin(&m, 4096, 8, false, page);
	absolute(&m, page + 0x20);
	data(&m, 1, 0, 1);
	absolute(&m, page + (1ull << 59) - 0x10); /* the lower bits wrapped */
	data(&m, 1, 0, 2);
	o = end(&m, 0);
	assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
	expect(&it, page + 0x20, 4, 1);
	expect(&it, page + (1ull << 59) - 0x10, 4, 2);
	expect_end(&it, false);
	assert_true(it.ts & MSB);
	(void)state;
}

static void discarded_events_are_skipped_and_padding_ends_the_page(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o;

	begin(&m, 4096, 8, false, 0);
	data(&m, 1, 1, 1);
	head(&m, 29, 2); /* discarded: the length counts itself */
	put(&m, 4, 12);
	put(&m, 8, 0x5555555555555555ull);
	data(&m, 3, 4, 2);
	head(&m, 29, 0);
	put(&m, 4, 0);
	data(&m, 1, 0, 3); /* behind the end */
	o = end(&m, 0);
	assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
	expect(&it, 1, 4, 1);
	expect(&it, 7, 12, 2);
	expect_end(&it, false);
	(void)state;
}

static void missed_events_with_and_without_a_number(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o;

	for (int k = 0; k < 4; k++) {
		unsigned word = k & 1 ? 4 : 8;
		uint32_t n;

		begin(&m, 4096, word, k & 2, 0);
		data(&m, 1, 1, 1);
		o = end(&m, 1u << 31);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		assert_int_equal(it.missed, -1);
		expect(&it, 1, 4, 1);
		expect_end(&it, false);

		n = m.n;
		put(&m, word, 1234567);
		m.n = n;
		end(&m, 1u << 31 | 1u << 30);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		assert_int_equal(it.missed, 1234567);
		expect(&it, 1, 4, 1);
		expect_end(&it, false);

		/* stored without the other bit means nothing */
		end(&m, 1u << 30);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		assert_int_equal(it.missed, 0);

		/* said to be stored, but the page is full */
		while (m.n + 8 <= 4096)
			data(&m, 1, 0, 1);
		if (m.n < 4096)
			head(&m, 29, 0);
		end(&m, 1u << 31 | 1u << 30);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		assert_int_equal(it.missed, -1);
	}
	(void)state;
}

static void an_empty_page_has_no_records(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o;

	begin(&m, 4096, 8, false, 5);
	o = end(&m, 0);
	assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
	expect_end(&it, false);
	(void)state;
}

static void sub_buffers_of_16_and_64_kib(void **state)
{
	for (uint32_t size = 16384; size <= 65536; size *= 4) {
		static struct mk m;
		struct page_iter it;
		struct origin o;
		unsigned n = 0;

		begin(&m, size, 8, false, 0);
		while (m.n + 24 <= size)
			data(&m, 5, 1, 1), n++;
		o = end(&m, 0);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		for (unsigned i = 1; i <= n; i++)
			expect(&it, i, 20, 1);
		expect_end(&it, false);
		assert_true(n > 600);
	}
	(void)state;
}

static void headers_without_sense_are_refused(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o, odd;

	begin(&m, 4096, 8, false, 5);
	data(&m, 1, 0, 1);
	o = end(&m, 0);
	assert_int_equal(page_start(&it, &o, m.p, 15), -EINVAL);
	assert_int_equal(page_start(&it, &o, m.p, 0), -EINVAL);
	odd = o;
	odd.commit_size = 3;
	assert_int_equal(page_start(&it, &odd, m.p, 4096), -EINVAL);
	odd = o;
	odd.data_off = 9;
	assert_int_equal(page_start(&it, &odd, m.p, 4096), -EINVAL);
	odd = o;
	odd.data_off = 5000;
	assert_int_equal(page_start(&it, &odd, m.p, 4096), -EINVAL);
	odd = o;
	odd.commit_off = UINT32_MAX - 3;
	odd.data_off = 4;
	assert_int_equal(page_start(&it, &odd, m.p, 4096), -EINVAL);
	m.n = 16 + 4081; /* more than a page holds */
	end(&m, 0);
	assert_int_equal(page_start(&it, &o, m.p, 4096), -EINVAL);
	m.n = 16 + 8;
	end(&m, 1ull << 40);
	assert_int_equal(page_start(&it, &o, m.p, 4096), -EINVAL);
	(void)state;
}

static void a_page_cut_short_gives_its_whole_records(void **state)
{
	static struct mk m;
	struct page_iter it;
	struct origin o;

	begin(&m, 4096, 8, false, 0);
	for (int i = 0; i < 100; i++)
		data(&m, 2, 1, 1);
	o = end(&m, 0);
	for (uint32_t size = 16; size < m.n; size++) {
		uint32_t whole = (size - 16) / 12;

		assert_int_equal(page_start(&it, &o, m.p, size), 0);
		for (uint32_t i = 1; i <= whole; i++)
			expect(&it, i, 8, 1);
		expect_end(&it, true);
	}
	(void)state;
}

static void lengths_beyond_the_page_end_it(void **state)
{
	static const uint32_t lengths[] = {0,          1,          3,          4096,
					   0x7fffffff, 0xfffffffc, 0xfffffffd, 0xffffffff};
	static struct mk m;
	struct page_iter it;
	struct origin o;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (unsigned type = 0; type <= 29; type += 29) {
			begin(&m, 4096, 8, false, 0);
			data(&m, 1, 1, 1);
			head(&m, type, 1);
			put(&m, 4, lengths[i]);
			data(&m, 4, 1, 1);
			o = end(&m, 0);
			assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
			expect(&it, 1, 4, 1);
			expect_end(&it, true);
		}
	}
	/* the data of a short one, and each kind's second word, end behind the committed data */
	for (unsigned type = 0; type <= 31; type++) {
		begin(&m, 4096, 8, false, 0);
		head(&m, type, 1);
		o = end(&m, 0);
		assert_int_equal(page_start(&it, &o, m.p, m.size), 0);
		expect_end(&it, true);
	}
	(void)state;
}

static uint64_t rnd(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void random_pages_always_end(void **state)
{
	uint64_t seed = 88172645463325252ull;
	uint8_t *page = malloc(4096); /* so that a sanitizer sees a read behind it */

	for (int i = 0; i < 20000; i++) {
		struct origin o = {.page_size = 4096,
				   .commit_off = 8,
				   .data_off = 16,
				   .commit_size = 8,
				   .big_endian = i & 1};
		struct page_iter it;
		const uint8_t *p;
		uint32_t n, count = 0, commit = (uint32_t)(rnd(&seed) % 4081);
		uint64_t wide = commit;

		for (int k = 0; k < 4096; k += 8) {
			uint64_t x = rnd(&seed);

			/* many small words: plausible lengths */
			x = i & 2 ? x & 0x0000003f0000007full : x;
			memcpy(page + k, &x, 8);
		}
		wide = o.big_endian ? __builtin_bswap64(wide) : wide;
		memcpy(page + 8, &wide, 8);
		assert_int_equal(page_start(&it, &o, page, 4096), 0);
		while (page_next(&it, &p, &n)) {
			assert_true(p >= page + 16 && p + n <= page + 16 + commit);
			count++;
		}
		assert_true(count <= commit / 4);
	}
	free(page);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_short_length_and_a_long_one),
		cmocka_unit_test(time_extend_first_in_a_page),
		cmocka_unit_test(absolute_stamps_keep_all_59_bits),
		cmocka_unit_test(absolute_stamps_take_upper_bits_from_the_page),
		cmocka_unit_test(discarded_events_are_skipped_and_padding_ends_the_page),
		cmocka_unit_test(missed_events_with_and_without_a_number),
		cmocka_unit_test(an_empty_page_has_no_records),
		cmocka_unit_test(sub_buffers_of_16_and_64_kib),
		cmocka_unit_test(headers_without_sense_are_refused),
		cmocka_unit_test(a_page_cut_short_gives_its_whole_records),
		cmocka_unit_test(lengths_beyond_the_page_end_it),
		cmocka_unit_test(random_pages_always_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
