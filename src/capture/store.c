/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sparse file of a capture: its regions, taking out holes, handing over. */
#include "capture/store.h"

#include "base/arena.h"
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/falloc.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SPACING_MAX (1ull << 40)
#define SPACING_MIN (1ull << 20)
#define PIECE (256u << 10) /* moved at a time; as much is held for it */

#ifndef EXFAT_SUPER_MAGIC
#define EXFAT_SUPER_MAGIC 0x2011BAB0UL
#endif

/* ---- opening ---- */

/* Holes are nothing for these: they would write them out. */
static bool can_be_sparse(int fd)
{
	struct statfs f;

	return fstatfs(fd, &f) == 0 && (unsigned long)f.f_type != MSDOS_SUPER_MAGIC &&
	       (unsigned long)f.f_type != EXFAT_SUPER_MAGIC;
}

static int open_temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char name[PATH_MAX];
	int fd;

	if (!dir || !*dir)
		dir = "/var/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	if (snprintf(name, sizeof(name), "%s/tracesh-XXXXXX", dir) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

int store_open(struct store *s, const char *path)
{
	struct stat st;
	int flags;

	memset(s, 0, sizeof(*s));
	s->fd = s->target = -1;
	s->path = xstrdup(path);
	if (strcmp(path, "-") == 0) {
		s->target = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		goto opened;
	}
	s->is_new = stat(path, &st) != 0;
	flags = s->is_new || S_ISREG(st.st_mode) ? O_RDWR | O_CREAT : O_WRONLY;
	s->target = open(path, flags | O_CLOEXEC | O_NOCTTY, 0600);
opened:
	if (s->target < 0 || fstat(s->target, &st))
		return -errno;
	if (S_ISREG(st.st_mode) && strcmp(path, "-") != 0 && can_be_sparse(s->target)) {
		s->fd = s->target;
		return 0;
	}
	s->fd = open_temporary();
	return s->fd < 0 ? s->fd : 0;
}

void store_close(struct store *s, bool keep)
{
	if (!keep && s->is_new && s->target >= 0)
		unlink(s->path);
	if (s->target >= 0 && s->target != s->fd)
		close(s->target);
	if (s->fd >= 0)
		close(s->fd);
	free(s->path);
	free(s->r);
	memset(s, 0, sizeof(*s));
	s->fd = s->target = -1;
}

/* ---- layout ---- */

static uint64_t up(uint64_t v, uint64_t align)
{
	return (v + align - 1) / align * align;
}

/* As far apart as the file system (and ulimit) lets them be */
static int find_spacing(struct store *s, uint64_t *out)
{
	for (uint64_t d = SPACING_MAX; d >= SPACING_MIN; d /= 2) {
		if (ftruncate(s->fd, (off_t)(s->front + d * (s->n + 1))) == 0) {
			*out = d;
			return ftruncate(s->fd, 0) ? -errno : 0;
		}
		if (errno != EFBIG && errno != EINVAL)
			break;
	}
	return -errno;
}

/* So that the end of a recording needs no space on a full disk */
static int hold_space(struct store *s)
{
	if (fallocate(s->fd, 0, (off_t)s->spare, PIECE) == 0)
		return 0;
	if (errno == EOPNOTSUPP || errno == ENOSYS)
		s->spare = 0;
	return s->spare ? -errno : 0;
}

int store_layout(struct store *s, uint64_t front, uint32_t page, unsigned n)
{
	struct stat st;
	uint64_t d = 0;
	int rc;

	if (fstat(s->fd, &st))
		return -errno;
	if (fchmod(s->fd, 0600) && errno != EPERM)
		return -errno;
	s->align = page;
	/* a power of two like the page, and what holes are made of */
	if (st.st_blksize > (blksize_t)page && st.st_blksize <= 1 << 20)
		s->align = (uint64_t)st.st_blksize;
	s->front = up(front, s->align);
	s->n = n;
	rc = find_spacing(s, &d);
	if (rc)
		return rc;
	s->r = xcalloc(n + 1, sizeof(*s->r));
	for (unsigned i = 0; i < n; i++) {
		s->r[i].at = s->front + d * i;
		s->r[i].room = d;
	}
	s->spare = s->front + d * n;
	return hold_space(s);
}

/* ---- writing ---- */

static int put(int fd, uint64_t off, const void *p, size_t n, size_t *done)
{
	const char *c = p;

	*done = 0;
	while (*done < n) {
		ssize_t w = pwrite(fd, c + *done, n - *done, (off_t)(off + *done));

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return w < 0 ? -errno : -EIO;
		*done += (size_t)w;
	}
	return 0;
}

int store_put(struct store *s, uint64_t off, const void *p, size_t n)
{
	size_t done;

	return put(s->fd, off, p, n, &done);
}

int store_append(struct store *s, unsigned i, const void *p, size_t n)
{
	struct region *r = &s->r[i];
	size_t done;
	int rc;

	if (n > r->room - r->len)
		return -EFBIG;
	rc = put(s->fd, r->at + r->len, p, n, &done);
	r->len += done;
	return rc;
}

/* ---- taking out holes ---- */

static void punch(struct store *s, uint64_t off, uint64_t len)
{
	/* what cannot be given back stays until the end */
	if (len)
		(void)!fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)off,
				 (off_t)len);
}

static int copy_by_hand(struct store *s, uint64_t from, uint64_t to, size_t n)
{
	char *p = malloc(PIECE);
	int rc = p ? 0 : -ENOMEM;

	while (n && !rc) {
		ssize_t got = pread(s->fd, p, n < PIECE ? n : PIECE, (off_t)from);
		size_t done;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			rc = got < 0 ? -errno : -EIO;
			break;
		}
		rc = put(s->fd, to, p, (size_t)got, &done);
		from += (size_t)got;
		to += (size_t)got;
		n -= (size_t)got;
	}
	free(p);
	return rc;
}

/* @n bytes to a lower place, the two not overlapping; all or an error */
static int copy_down(struct store *s, uint64_t from, uint64_t to, size_t n)
{
	while (n) {
		off64_t in = (off64_t)from, out = (off64_t)to;
		ssize_t got = copy_file_range(s->fd, &in, s->fd, &out, n, 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EIO))
			return -errno;
		if (got <= 0)
			return copy_by_hand(s, from, to, n);
		from += (size_t)got;
		to += (size_t)got;
		n -= (size_t)got;
	}
	return 0;
}

/*
 * Piece by piece, each given back once it is moved: a full disk has room for that. When a piece
 * cannot be moved the region is cut there, so that what it has is in one place.
 */
static int move_down(struct store *s, struct region *r, uint64_t to)
{
	uint64_t from = r->at, done = 0;
	int rc = 0;

	while (done < r->len && !rc) {
		uint64_t n = r->len - done < PIECE ? r->len - done : PIECE;

		if (n > from - to)
			n = from - to;
		rc = copy_down(s, from + done, to + done, (size_t)n);
		if (rc)
			break;
		punch(s, from + done, n);
		done += n;
	}
	r->at = to;
	r->len = done;
	return rc;
}

/* The hole before region @i, by the file system: all behind it comes nearer. */
static bool collapse(struct store *s, unsigned i, uint64_t to)
{
	uint64_t by = s->r[i].at - to;

	if (fallocate(s->fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)to, (off_t)by))
		return false;
	for (; i < s->n; i++)
		s->r[i].at -= by;
	s->spare -= s->spare ? by : 0;
	return true;
}

int store_pack(struct store *s)
{
	uint64_t end = s->front;
	bool able = s->spare != 0; /* something must lie behind what is taken out */
	int rc = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct region *r = &s->r[i];
		uint64_t to = up(end, s->align);

		if (!r->len) {
			r->at = to;
			continue;
		}
		if (r->at != to && !(able && (able = collapse(s, i, to)))) {
			if (s->spare)
				punch(s, s->spare, PIECE);
			s->spare = 0;
			rc = move_down(s, r, to);
			if (rc)
				break; /* the rest stays where it is */
		}
		end = r->at + r->len;
	}
	for (unsigned i = 0; i < s->n; i++) {
		if (s->r[i].len && s->r[i].at + s->r[i].len > end)
			end = s->r[i].at + s->r[i].len;
	}
	if (ftruncate(s->fd, (off_t)end) && !rc)
		rc = -errno;
	return rc;
}

int store_hand_over(struct store *s)
{
	char *p;
	int rc = 0;

	if (s->target == s->fd)
		return 0;
	p = malloc(PIECE);
	if (!p)
		return -ENOMEM;
	for (off_t off = 0; !rc;) {
		ssize_t n = pread(s->fd, p, PIECE, off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rc = n < 0 ? -errno : 0;
			break;
		}
		rc = io_write_all(s->target, p, (size_t)n);
		off += n;
	}
	free(p);
	return rc;
}
