/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libFuzzer target: any bytes as a trace.dat are read to their end or refused with a diagnostic.
 * Good seeds are the files of tests/data.
 */
#include "feed/native.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct container *ct;
	struct session s;
	struct diags d;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	session_init(&s);
	diags_init(&d, a);
	s.diags = &d;
	ct = container_open_fd(&s, fd, "fuzz");
	if (ct) {
		struct feed *f = feed_native(ct, NULL, NULL);
		uint64_t limit = ((uint64_t)size + 1) * 20000; /* zeros compress that well */
		volatile uint8_t sum = 0;
		struct rec r;

		container_put(ct);
		while (feed_next(f, &r) > 0) {
			for (uint32_t i = 0; i < r.len; i++)
				sum += r.data[i];
			if (f->stats.events > limit)
				abort();
		}
		(void)sum;
		feed_free(f);
	} else if (d.errors != 1) {
		abort();
	}
	session_free(&s);
	arena_free(a);
	return 0;
}
