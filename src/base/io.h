/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files: whole-file reads with a bound, writes that finish or say why not. */
#ifndef TRACESH_BASE_IO_H
#define TRACESH_BASE_IO_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* io_read_file - append the file to @b, at most @max bytes (-EFBIG beyond); works for /proc and
 * tracefs files whose size is 0; 0 or negative errno */
int io_read_file(const char *path, struct buf *b, size_t max);
int io_read_fd(int fd, struct buf *b, size_t max);
/* io_write_all - all of it, restarting after EINTR and short writes; 0 or negative errno */
int io_write_all(int fd, const void *p, size_t n);
/* io_glob - does @s match the shell pattern @pat (only * and ?) */
bool io_glob(const char *pat, const char *s);
bool io_has_glob(const char *s);
/* io_now - CLOCK_MONOTONIC in ns */
uint64_t io_now(void);

#endif
