/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening a file as a feed, and several feeds as one by time. Knows feeds only by their
 * operations, files by their container.
 */
#include "feed/ltree.h"
#include "feed/native.h"

void feed_free(struct feed *f)
{
	if (f)
		f->ops->free(f);
}

/* ---- a file ---- */

static void fill_origin(struct container *ct, struct origin *o)
{
	const char *space = ct->uname ? strrchr(ct->uname, ' ') : NULL;

	const char **names = ARENA_ARRAY(ct->arena, const char *, ct->nbuffers);

	for (size_t i = 0; i < ct->nbuffers; i++)
		names[i] = ct->buffers[i].name;
	o->buffers = names;
	o->nbuffers = (unsigned)ct->nbuffers;
	container_origin_layout(ct, NULL, o);
	origin_put_header_page(o, ct->header_page.p, ct->header_page.len);
	container_origin_layout(ct, NULL, o); /* our checked values stand */
	for (size_t i = 0; i < ct->nformats; i++) {
		const struct cont_format *f = &ct->formats[i];

		origin_put_format(o, f->system, f->text.p, f->text.len);
	}
	if (ct->kallsyms_off)
		origin_put_kallsyms_later(o, container_kallsyms, ct);
	if (ct->printk.len)
		origin_put_printk(o, ct->printk.p, ct->printk.len);
	if (ct->cmdlines.len)
		origin_put_cmdlines(o, ct->cmdlines.p, ct->cmdlines.len);
	o->clock = ct->has_tsc2nsec && (!ct->clock || strcmp(ct->clock, "x86-tsc") == 0)
			   ? "tsc2nsec"
			   : ct->clock;
	o->uname = ct->uname;
	if (space)
		o->arch = space + 1;
}

struct feed *feed_open_file(struct session *s, struct catalog *c, const char *path)
{
	struct container *ct = container_open(s, path);
	struct feed *f = NULL;
	struct origin *o;

	if (!ct)
		return NULL;
	o = catalog_add_file(c, ct->path);
	if (!o) {
		diag_error(s->diags, "bad-file", (struct span){0}, "cannot read \"%s\"", path);
		container_put(ct);
		return NULL;
	}
	fill_origin(ct, o);
	if (s->set.reader == READER_LIBTRACECMD) {
		f = feed_libtracecmd(ct, c, o);
		if (!f)
			session_warn(s, "\"%s\" is not for libtracecmd (%s), reading it natively",
				     path,
				     ct->why ? ct->why : "it is unusual or has corrupt pages");
	}
	if (!f)
		f = feed_native(ct, c, o);
	catalog_keep(c, container_put, ct); /* our reference */
	return f;
}

/* ---- several ---- */

struct merge {
	struct feed f;
	struct feed **v;
	struct feed_stats *seen; /* of each feed, as added to ours */
	struct rec *head;
	unsigned n;
	struct ltree tree;
	bool started;
	bool live; /* some feed may have more after it had none */
	int last;  /* its head was given, -1 none */
};

static void add_stats(struct merge *m, unsigned i)
{
	const struct feed_stats *now = &m->v[i]->stats;
	struct feed_stats *was = &m->seen[i], *sum = &m->f.stats;

	sum->unknown += now->unknown - was->unknown;
	sum->lost += now->lost - was->lost;
	sum->lost_spots += now->lost_spots - was->lost_spots;
	sum->cut_bytes += now->cut_bytes - was->cut_bytes;
	sum->bad_pages += now->bad_pages - was->bad_pages;
	sum->cut |= now->cut;
	*was = *now;
}

static bool feed_live(struct feed *f)
{
	return f->ops->fd && f->ops->fd(f) >= 0;
}

static int set_head(struct merge *m, unsigned i)
{
	int rc = feed_next(m->v[i], &m->head[i]);

	add_stats(m, i);
	ltree_set(&m->tree, i, rc > 0, m->head[i].ts);
	return rc < 0 ? rc : 0;
}

/* every feed without a head is asked again: the first time all, later the live ones */
static int ask_all(struct merge *m)
{
	int rc = 0;

	for (unsigned i = 0; i < m->n && !rc; i++) {
		if (!m->started || (!ltree_alive(&m->tree, i) && feed_live(m->v[i])))
			rc = set_head(m, i);
	}
	ltree_build(&m->tree);
	m->started = true;
	return rc;
}

static int merge_next(struct feed *f, struct rec *r)
{
	struct merge *m = (struct merge *)f;
	int rc = 0;

	if (m->last >= 0) {
		rc = set_head(m, (unsigned)m->last);
		m->last = -1;
		ltree_update(&m->tree);
	}
	if (!rc && (!m->started || m->live))
		rc = ask_all(m);
	if (rc)
		return rc;
	if (!ltree_any(&m->tree))
		return 0;
	m->last = (int)m->tree.win;
	*r = m->head[m->last];
	f->stats.events++;
	return 1;
}

static void merge_want(struct feed *f, const uint8_t *by_index, unsigned n)
{
	struct merge *m = (struct merge *)f;

	for (unsigned i = 0; i < m->n; i++) {
		if (m->v[i]->ops->want)
			m->v[i]->ops->want(m->v[i], by_index, n);
	}
}

static int merge_fd(struct feed *f)
{
	struct merge *m = (struct merge *)f;

	for (unsigned i = 0; i < m->n; i++) {
		int fd = m->v[i]->ops->fd ? m->v[i]->ops->fd(m->v[i]) : -1;

		if (fd >= 0)
			return fd;
	}
	return -1;
}

static void merge_free(struct feed *f)
{
	struct merge *m = (struct merge *)f;

	for (unsigned i = 0; i < m->n; i++)
		feed_free(m->v[i]);
	free(m->v);
	free(m->seen);
	free(m->head);
	ltree_free(&m->tree);
	free(m);
}

static const struct feed_ops merge_ops = {
	.next = merge_next,
	.want = merge_want,
	.fd = merge_fd,
	.free = merge_free,
};

struct feed *feed_merge(struct feed **v, unsigned n)
{
	struct merge *m;

	if (n == 1)
		return v[0];
	m = xcalloc(1, sizeof(*m));
	m->f.ops = &merge_ops;
	m->n = n;
	m->last = -1;
	m->v = xcalloc(n ? n : 1, sizeof(*m->v));
	m->seen = xcalloc(n ? n : 1, sizeof(*m->seen));
	m->head = xcalloc(n ? n : 1, sizeof(*m->head));
	ltree_init(&m->tree, n);
	for (unsigned i = 0; i < n; i++) {
		m->v[i] = v[i];
		add_stats(m, i); /* of a file that is cut, known from the start */
		m->live |= feed_live(v[i]);
	}
	return &m->f;
}
