/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units: times are nanoseconds and sizes are bytes everywhere inside; text has suffixes. */
#ifndef TRACESH_BASE_UNITS_H
#define TRACESH_BASE_UNITS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* unit_time - nanoseconds in one "ns" "us" "ms" "s" "m" "h"; 0 if it is none of them */
uint64_t unit_time(const char *u, size_t len);
/* unit_size - bytes in one "B" "KiB" "MiB" "GiB" "TiB" "kB" "MB" "GB"; 0 if none */
uint64_t unit_size(const char *u, size_t len);

/* parse_duration, parse_size - whole text "500us", "8MiB", "1.5s", plain "4096"; 0 or
 * -EINVAL/-ERANGE. A plain number is taken as seconds resp. bytes. */
int parse_duration(const char *s, uint64_t *ns);
int parse_size(const char *s, uint64_t *bytes);
/* parse_u64 - decimal, 0x, 0o; whole text; 0 or -EINVAL/-ERANGE */
int parse_u64(const char *s, uint64_t *v);

/* fmt_duration - "12.3 us" for people, 3-4 significant digits; exact when it is whole ("500 ns") */
void fmt_duration(struct buf *b, uint64_t ns, bool negative);
/* fmt_size - "4.0 KiB" */
void fmt_size(struct buf *b, uint64_t bytes);
/* fmt_s128 - exact decimal */
void fmt_s128(struct buf *b, __int128 v);

#endif
