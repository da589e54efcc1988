/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growable byte buffer; always NUL-terminated behind its length. Zero-initialised is empty. */
#ifndef TRACESH_BASE_BUF_H
#define TRACESH_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
	char *p; /* owned; NULL while nothing was ever added */
	size_t len, cap;
};

void buf_free(struct buf *b);
void buf_clear(struct buf *b); /* length 0, memory kept */
void buf_reserve(struct buf *b, size_t extra);
void buf_add(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap);
const char *buf_str(const struct buf *b); /* "" when empty; valid until the next change */

#endif
