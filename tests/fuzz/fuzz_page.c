/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libFuzzer target: any bytes as a sub-buffer, in every layout, end; each record lies within the
 * page and there are no more of them than words.
 */
#include "feed/page.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page_iter it;
	struct origin o = {0};
	const uint8_t *p;
	uint32_t len;
	uint8_t *page;
	size_t n = 0;

	if (size < 1 || size > 65537)
		return 0;
	o.big_endian = data[0] & 1;
	o.commit_off = 8;
	o.commit_size = data[0] & 2 ? 4 : 8;
	o.data_off = 8 + o.commit_size + (data[0] & 4 ? 4 : 0);
	o.page_size = data[0] & 8 ? 65536 : 4096;
	data++;
	size--;
	page = malloc(size + !size); /* of just this size: a read behind it shows */
	memcpy(page, data, size);
	if (page_start(&it, &o, page, (uint32_t)size) == 0) {
		while (page_next(&it, &p, &len)) {
			if (p < page || p + len > page + size || ++n > size / 4)
				abort();
		}
		if (page_next(&it, &p, &len))
			abort();
	}
	free(page);
	return 0;
}
