/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions and suffixes of expressions, value in and value out. Made strings go to the scratch. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/code.h"

#include "catalog/names.h"

#include <arpa/inet.h>
#include <math.h>
#include <pcre2.h>
#include <stdio.h>
#include <time.h>

struct val val_text(struct scratch *s, const char *p, size_t n)
{
	char *d = scratch_alloc(s, n + 1);

	memcpy(d, p, n);
	d[n] = '\0';
	return (struct val){.p = d, .len = (uint32_t)n};
}

struct val val_printf(struct scratch *s, const char *fmt, ...)
{
	char tmp[600];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(tmp, sizeof(tmp), fmt, ap);
	va_end(ap);
	if (n < 0)
		return val_null();
	return val_text(s, tmp, (size_t)n < sizeof(tmp) ? (size_t)n : sizeof(tmp) - 1);
}

/* shell patterns with * and ? over bytes that need not end in NUL */
bool glob_match(const char *pat, size_t np, const char *s, size_t n)
{
	size_t i = 0, j = 0, star = SIZE_MAX, back = 0;

	while (j < n) {
		if (i < np && pat[i] == '*') {
			star = i++;
			back = j;
		} else if (i < np && (pat[i] == '?' || pat[i] == s[j])) {
			i++;
			j++;
		} else if (star != SIZE_MAX) {
			i = star + 1;
			j = ++back;
		} else {
			return false;
		}
	}
	while (i < np && pat[i] == '*')
		i++;
	return i == np;
}

struct val fn_itos(struct scratch *s, struct val v)
{
	return v.uns ? val_printf(s, "%llu", (unsigned long long)v.u)
		     : val_printf(s, "%lld", (long long)v.s);
}

struct val fn_dtos(struct scratch *s, double d)
{
	return val_printf(s, "%.6f", d);
}

/* the kernel's: the smallest n with v <= 2^n; there is none for negative values */
struct val fn_log2(struct val v)
{
	if (!v.uns && v.s < 0)
		return val_null();
	return val_int(v.u <= 1 ? 0 : 64 - (uint64_t)__builtin_clzll(v.u - 1), false);
}

/* the lower end of the bucket of width n that holds v; below zero they go down as well */
struct val fn_bucket(struct val v, struct val n)
{
	if (n.null || n.u == 0 || (!n.uns && n.s < 0))
		return val_null();
	if (v.uns)
		return val_int(v.u - v.u % n.u, true);
	if (v.s >= 0)
		return val_int(v.u - v.u % n.u, false);
	/* -1 - ((-1 - v) / n + 1) * n + 1 == -((-1 - v) / n + 1) * n, wrapping at 64 bits */
	return val_int(0 - (~v.u / n.u + 1) * n.u, false);
}

/* bytes from @start (from the end where it is negative), at most @len */
struct val fn_substr(struct val s, struct val start, struct val len)
{
	uint64_t from, n;

	if (s.null || start.null || len.null)
		return val_null();
	if (!start.uns && start.s < 0)
		from = 0 - start.u > s.len ? 0 : s.len - (0 - start.u);
	else
		from = start.u < s.len ? start.u : s.len;
	n = !len.uns && len.s < 0 ? 0 : len.u;
	if (n > s.len - from)
		n = s.len - from;
	return (struct val){.p = s.p + from, .len = (uint32_t)n};
}

/* local time; %f is microseconds, as in other tracers */
struct val fn_strftime(struct scratch *s, struct val fmt, struct val t)
{
	char f[256], out[512];
	size_t n = 0, len;
	time_t sec;
	struct tm tm;

	if (fmt.null || t.null)
		return val_null();
	sec = (time_t)(t.u / 1000000000u);
	if (!localtime_r(&sec, &tm))
		return val_null();
	for (uint32_t i = 0; i < fmt.len && n + 8 < sizeof(f); i++) {
		if (fmt.p[i] != '%' || i + 1 == fmt.len) {
			f[n++] = fmt.p[i];
			continue;
		}
		i++;
		if (fmt.p[i] == 'f') {
			n += (size_t)snprintf(f + n, sizeof(f) - n, "%06u",
					      (unsigned)(t.u % 1000000000u / 1000));
		} else {
			f[n++] = '%';
			f[n++] = fmt.p[i];
		}
	}
	f[n] = '\0';
	len = n ? strftime(out, sizeof(out), f, &tm) : 0;
	return val_text(s, out, len);
}

/* -2 is ENOENT; what is no error stays a number, unless @positive numbers are errnos as well */
struct val fn_errno(struct scratch *s, struct val v, bool positive)
{
	const char *n = NULL;

	if (!v.uns && v.s < 0 && v.s >= -4095)
		n = errno_name((int)-v.s);
	else if (positive && v.u > 0 && v.u <= 4095)
		n = errno_name((int)v.u);
	return n ? (struct val){.p = n, .len = (uint32_t)strlen(n)} : fn_itos(s, v);
}

struct val fn_syscall(struct scratch *s, const struct origin *o, struct val v)
{
	const char *n = v.u <= 0xffff ? syscall_name(o ? o->arch : NULL, (unsigned)v.u) : NULL;

	return n ? (struct val){.p = n, .len = (uint32_t)strlen(n)} : fn_itos(s, v);
}

struct val fn_kaddr(struct scratch *s, struct origin *o, struct val name)
{
	uint64_t a = o ? origin_kaddr(o, val_text(s, name.p, name.len).p) : 0;

	return a ? val_int(a, true) : val_null();
}

struct val fn_ksym(struct scratch *s, struct origin *o, struct val v, bool offset)
{
	const char *n;
	uint64_t off;

	if (!o || !origin_ksym(o, v.u, &n, &off))
		return val_printf(s, "0x%llx", (unsigned long long)v.u);
	if (offset)
		return val_printf(s, "%s+0x%llx", n, (unsigned long long)off);
	return (struct val){.p = n, .len = (uint32_t)strlen(n)};
}

/* The bytes of an address: 4, 16, or a whole struct sockaddr_in6; a number is four bytes as they
 * lay in memory. */
struct val fn_ip(struct scratch *s, const struct origin *o, struct val v, bool number)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t b[28];
	uint16_t family;
	uint32_t w;

	if (number) {
		w = (uint32_t)v.u;
		if (o && o->big_endian)
			w = bswap_32(w);
		memcpy(b, &w, sizeof(w));
		return val_text(s, text, strlen(inet_ntop(AF_INET, b, text, sizeof(text))));
	}
	if (v.len != 4 && v.len != 16 && v.len != sizeof(b))
		return val_null();
	memcpy(b, v.p, v.len);
	if (v.len == sizeof(b)) {
		memcpy(&family, b, sizeof(family));
		if (o && o->big_endian)
			family = bswap_16(family);
		if (family != AF_INET && family != AF_INET6)
			return val_null();
		inet_ntop(family, family == AF_INET ? b + 4 : b + 8, text, sizeof(text));
	} else {
		inet_ntop(v.len == 4 ? AF_INET : AF_INET6, b, text, sizeof(text));
	}
	return val_text(s, text, strlen(text));
}

struct val fn_mac(struct scratch *s, struct val v)
{
	const uint8_t *b = (const uint8_t *)v.p;

	if (v.len != 6)
		return val_null();
	return val_printf(s, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

/* the kernel's dev_t: 12 bits and 20 */
struct val fn_dev(struct scratch *s, struct val v)
{
	uint32_t dev = (uint32_t)v.u;

	return val_printf(s, "%u:%u", dev >> 20, dev & 0xfffff);
}

struct val fn_signal(struct scratch *s, struct val v)
{
	const char *n = v.u < 32 ? signal_name((int)v.u) : NULL;

	if (n)
		return (struct val){.p = n, .len = (uint32_t)strlen(n)};
	/* the C library keeps the first two for itself */
	if (v.u >= 34 && v.u <= 64)
		return val_printf(s, v.u == 34 ? "SIGRTMIN" : "SIGRTMIN+%u", (unsigned)v.u - 34);
	return fn_itos(s, v);
}

struct val fn_elem(const struct rec *r, const struct field *f, uint64_t index)
{
	struct field e = {.size = f->elem, .is_signed = f->is_signed};
	const char *p;
	uint32_t len;
	uint64_t u;

	if (!f->elem || !rec_bytes(r, f, &p, &len) || index >= len / f->elem)
		return val_null();
	e.offset = (uint32_t)((const uint8_t *)p - r->data) + (uint32_t)index * f->elem;
	return rec_int(r, &e, &u) ? val_int(u, !f->is_signed) : val_null();
}

struct val fn_match(struct ctx *c, struct val s, const void *re)
{
	int rc;

	if (!re)
		return val_null();
	if (!c->match)
		c->match = pcre2_match_data_create(1, NULL);
	if (!c->match)
		return val_null();
	rc = pcre2_match(re, (PCRE2_SPTR)s.p, s.len, 0, 0, c->match, NULL);
	return val_int(rc >= 0, false);
}
