/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reference reader: the records of a file through libtracecmd, all buffers merged by time. It
 * crashes on cut files and hangs on corrupt pages, so it gets only files that our own container
 * parser and page decoder found nothing wrong with, and a child process has read before.
 */
#include "feed/cursor.h"
#include "feed/ltree.h"
#include "feed/native.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

struct stream {
	struct tracecmd_input *input;
	const struct cont_cpu *where;
	struct tep_record *head;
	int index; /* of the cpu within the input */
	uint16_t buffer, id;
	int64_t missed;
	uint64_t lost, spots;
	bool begun;
};

struct reader {
	struct feed f;
	struct container *ct;
	struct origin *origin;
	struct idmap ids;
	struct tracecmd_input *input;
	struct tracecmd_input **inst; /* per buffer of the container; [0] is the top one */
	struct stream *v;
	unsigned n;
	struct ltree tree;
	bool started;
};

static void count_missed(struct reader *x, struct stream *s, long long missed)
{
	if (!missed)
		return;
	if (missed > 0) {
		s->lost += (uint64_t)missed;
		x->f.stats.lost += (uint64_t)missed;
	} else {
		x->f.stats.lost_spots++;
		s->spots++;
	}
	s->missed = missed > 0 && s->missed >= 0 ? s->missed + missed : -1;
}

static bool advance(struct reader *x, struct stream *s)
{
	for (;;) {
		unsigned kind = 0;

		if (s->head)
			tracecmd_free_record(s->head);
		s->head = s->begun ? tracecmd_read_data(s->input, s->index)
				   : tracecmd_read_cpu_first(s->input, s->index);
		s->begun = true;
		if (!s->head) {
			cursor_losses(s->where, s->lost, s->spots, &x->f.stats);
			return false;
		}
		count_missed(x, s, s->head->missed_events);
		if (s->head->size >= 2) {
			uint16_t id;

			memcpy(&id, s->head->data, 2);
			s->id = x->ct->swap ? bswap_16(id) : id;
			kind = s->id < x->ids.n ? x->ids.kind[s->id] : 0;
		}
		if (kind == 1)
			return true;
		x->f.stats.unknown += kind == 0;
	}
}

static void set_head(struct reader *x, unsigned i)
{
	bool alive = advance(x, &x->v[i]);

	ltree_set(&x->tree, i, alive, alive ? x->v[i].head->ts : 0);
}

static int reader_next(struct feed *f, struct rec *r)
{
	struct reader *x = (struct reader *)f;
	struct ltree *t = &x->tree;
	struct stream *s;

	if (!x->started) {
		x->started = true;
		for (unsigned i = 0; i < x->n; i++)
			set_head(x, i);
		ltree_build(t);
	} else if (ltree_any(t)) {
		x->v[t->win].missed = 0;
		set_head(x, t->win);
		ltree_update(t);
	}
	/* heads that were read before want() was called may be of no interest */
	while (ltree_any(t) && x->ids.kind[x->v[t->win].id] != 1) {
		set_head(x, t->win);
		ltree_update(t);
	}
	if (!ltree_any(t))
		return 0;
	s = &x->v[t->win];
	*r = (struct rec){
		.ev = x->ids.ev[s->id],
		.origin = x->origin,
		.data = s->head->data,
		.len = (uint32_t)s->head->size,
		.cpu = s->where->cpu,
		.ts = s->head->ts,
		.buffer = s->buffer,
		.missed = s->missed,
	};
	f->stats.events++;
	return 1;
}

static void reader_want(struct feed *f, const uint8_t *by_index, unsigned n)
{
	idmap_want(&((struct reader *)f)->ids, by_index, n);
}

static int reader_fd(struct feed *f)
{
	(void)f;
	return -1;
}

static void reader_free(struct feed *f)
{
	struct reader *x = (struct reader *)f;

	for (unsigned i = 0; i < x->n; i++) {
		if (x->v[i].head)
			tracecmd_free_record(x->v[i].head);
	}
	for (size_t i = 1; x->inst && i < x->ct->nbuffers; i++) {
		if (x->inst[i])
			tracecmd_close(x->inst[i]);
	}
	if (x->input)
		tracecmd_close(x->input);
	free(x->inst);
	free(x->v);
	ltree_free(&x->tree);
	idmap_free(&x->ids);
	container_put(x->ct);
	free(x);
}

/* our own reader is good enough for a look ahead */
static struct feed *reader_again(struct feed *f, struct catalog *c)
{
	const struct reader *x = (struct reader *)f;

	return feed_native(x->ct, c, x->origin);
}

static const struct feed_ops reader_ops = {
	.next = reader_next,
	.want = reader_want,
	.fd = reader_fd,
	.again = reader_again,
	.free = reader_free,
};

/* every page through our decoder: nothing may be wrong */
static bool pages_sane(struct container *ct)
{
	struct feed *f = feed_native(ct, NULL, NULL);
	struct rec r;
	bool ok;

	while (feed_next(f, &r) > 0)
		;
	ok = !f->stats.cut && !f->stats.bad_pages;
	feed_free(f);
	return ok;
}

static bool open_inputs(struct reader *x)
{
	struct container *ct = x->ct;
	int n, fd = dup(ct->fd);

	if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
		return false;
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	x->input = tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!x->input)
		return false;
	x->inst = xcalloc(ct->nbuffers, sizeof(*x->inst));
	x->inst[0] = x->input;
	n = tracecmd_buffer_instances(x->input);
	for (int i = 0; i < n; i++) {
		const char *name = tracecmd_buffer_instance_name(x->input, i);

		for (size_t k = 1; name && k < ct->nbuffers; k++) {
			if (!x->inst[k] && strcmp(ct->buffers[k].name, name) == 0) {
				x->inst[k] = tracecmd_buffer_instance_handle(x->input, i);
				break;
			}
		}
	}
	return true;
}

static struct feed *reader_open(struct container *ct, struct catalog *c, struct origin *o)
{
	struct reader *x = xcalloc(1, sizeof(*x));
	size_t total = 0;

	x->f.ops = &reader_ops;
	x->ct = ct;
	x->origin = o;
	container_get(ct);
	idmap_init(&x->ids, c, o);
	for (size_t i = 0; i < ct->nbuffers; i++)
		total += ct->buffers[i].ncpus;
	x->v = xcalloc(total ? total : 1, sizeof(*x->v));
	ltree_init(&x->tree, (unsigned)total);
	if (!open_inputs(x)) {
		feed_free(&x->f);
		return NULL;
	}
	for (size_t i = 0; i < ct->nbuffers; i++) {
		for (size_t k = 0; x->inst[i] && k < ct->buffers[i].ncpus; k++) {
			struct stream *s = &x->v[x->n++];

			s->input = x->inst[i];
			s->where = &ct->buffers[i].cpus[k];
			s->index = (int)k;
			s->buffer = (uint16_t)i;
		}
	}
	x->tree.n = x->n;
	return &x->f;
}

/* the child of survives(): all of the file, or death */
static void rehearse(struct container *ct)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct feed *f;
	struct rec r;

	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		signal(fatal[i], SIG_DFL);
	dup2(null, 1);
	dup2(null, 2);
	alarm(10 + (unsigned)(ct->size >> 21));
	f = reader_open(ct, NULL, NULL);
	while (f && feed_next(f, &r) > 0)
		;
	_exit(f ? 0 : 1);
}

/* survives - a child process reads the file first: what no check of ours foresees kills only that
 */
static bool survives(struct container *ct)
{
	int status;
	pid_t pid = fork(), got;

	if (pid < 0)
		return false;
	if (pid == 0)
		rehearse(ct);
	do {
		got = waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	return got == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct feed *feed_libtracecmd(struct container *ct, struct catalog *c, struct origin *o)
{
	if (!container_sane(ct) || !pages_sane(ct) || !survives(ct))
		return NULL;
	return reader_open(ct, c, o);
}
