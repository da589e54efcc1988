/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Live runs up to where events come, and back: what the kernel counts, the plan and its writes, the
 * command to be traced. The loop and the results are run.c's.
 */
#include "run_priv.h"

#include "base/io.h"
#include "feed/live.h"

#include <errno.h>
#include <stdlib.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* With `set pushdown both` each query is there a second time, for the engine. */
int run_twins(struct run *r, const struct node *const *pipelines, unsigned n)
{
	struct run_capture *captures = ARENA_ARRAY(r->arena, struct run_capture, 2 * n + 1);
	struct query **first = r->q;

	/* the second ones record nothing */
	memcpy(captures, r->captures, n * sizeof(*captures));
	r->captures = captures;
	r->q = ARENA_ARRAY(r->arena, struct query *, 2 * n);
	r->no_push = ARENA_ARRAY(r->arena, bool, 2 * n + 1);
	memcpy(r->q, first, n * sizeof(*first));
	for (unsigned i = 0; i < n; i++) {
		struct query *q = check_query(r->sh->s, r->catalog, r->arena, &r->diags,
					      &r->sh->env, pipelines[i]);

		if (!q)
			return -1;
		if (r->captures[i].op) {
			query_free_external(q);
			continue;
		}
		q->for_ns = r->q[i]->for_ns;
		q->name = arena_printf(r->arena, "%s by tracesh",
				       q->name ? q->name : arena_printf(r->arena, "%u", i + 1));
		r->no_push[r->n] = true;
		r->q[r->n++] = q;
	}
	return 0;
}

uint8_t *run_wanted(struct run *r, unsigned *n)
{
	uint8_t *by_index;

	*n = catalog_nevents(r->catalog);
	by_index = arena_alloc(r->arena, *n + 1);
	engine_wants(r->engine, by_index, *n);
	captures_want(r, by_index, *n);
	return by_index;
}

/* Which queries the kernel counts by itself; the engine takes no records for these. */
int run_divide(struct run *r)
{
	const struct origin *o = catalog_origin(r->catalog, 0);
	unsigned from = 0;

	if (!r->caps)
		r->caps = caps_probe(r->arena, o->path);
	if (!r->no_push)
		r->no_push = ARENA_ARRAY(r->arena, bool, r->n + 1);
	if (!r->push)
		r->push = ARENA_ARRAY(r->arena, struct push, r->n + 1);
	r->instance = plan_instance_name(r->sh->s, r->arena, o, &from);
	for (unsigned i = 0; i < r->n; i++) {
		/* "tracesh-12-0" and the query, as names may be written */
		char *id = arena_printf(r->arena, "%s_%u",
					r->instance + strlen("instances/tracesh-"), i);

		for (char *c = id; *c; c++)
			*c = *c == '-' ? '_' : *c;
		if (r->no_push[i])
			r->push[i] = (struct push){.why = "the kernel refused it"};
		else
			push_query(r->sh->s, r->arena, r->caps, r->q[i], id, &r->push[i]);
	}
	push_share(r->push, r->n);
	ktables_free(r->tables);
	r->tables = ktables_new(r->sh->s, arena_printf(r->arena, "%s/%s", o->path, r->instance),
				r->q, r->push, r->n);
	for (unsigned i = 0; i < r->n; i++)
		engine_elsewhere(r->engine, i,
				 r->push[i].kernel ? ktables_source(r->tables, r->engine) : NULL);
	return captures_place(r, &from);
}

int run_plan(struct run *r)
{
	struct plan_input in = {
		.s = r->sh->s, .c = r->catalog, .a = r->arena, .q = r->q, .n = r->n};
	struct plan_capture *captures = ARENA_ARRAY(r->arena, struct plan_capture, r->n + 1);

	if (run_divide(r))
		return -1;
	for (unsigned i = 0; i < r->n; i++)
		captures[i] = r->captures[i].plan;
	in.captures = captures;
	in.only_captures = r->only_captures;
	in.offs = r->offs;
	in.noffs = r->noffs;
	in.push = r->push;
	in.instance = r->instance;
	in.wanted = run_wanted(r, &in.nevents);
	r->plan = plan_live(&in);
	return r->plan && !r->diags.errors ? 0 : -1;
}

/* ---- events: this machine ---- */

/* With -c and --children the command's pid is the scope; it is forked before anything is armed. */
int run_prepare_child(struct run *r)
{
	struct shell *sh = r->sh;
	struct settings *set = &sh->s->set;
	int rc;

	if (!sh->child_cmd)
		return 0;
	rc = child_prepare(&r->child, sh->child_cmd);
	if (rc) {
		diag_error(&r->diags, "refused", (struct span){0}, "cannot start '%s': %s",
			   sh->child_cmd, strerror(-rc));
		return -1;
	}
	if (set->children || set->scope_run) {
		r->old_pids = set->pids;
		r->old_npids = set->npids;
		r->old_children = set->children;
		r->scoped = true;
		set->children = true;
		set->pids = xmalloc((set->npids + 1) * sizeof(*set->pids));
		if (set->npids)
			memcpy(set->pids, r->old_pids, set->npids * sizeof(*set->pids));
		set->pids[set->npids++] = r->child.pid;
	}
	return 0;
}

void run_unscope(struct run *r)
{
	struct settings *set = &r->sh->s->set;

	if (!r->scoped)
		return;
	free(set->pids);
	set->pids = r->old_pids;
	set->npids = r->old_npids;
	set->children = r->old_children;
	r->scoped = false;
}

/* The events of our own exist now: their ids and real fields. */
static int reload(struct run *r)
{
	struct event *ev = NULL;
	int rc = catalog_reload(r->catalog, r->arena, &ev);

	if (rc)
		diag_error(&r->diags, "refused", r->q[0]->span,
			   "the event %s:%s was made but cannot be read: %s", ev->system, ev->name,
			   strerror(-rc));
	return rc;
}

/* Our process id is somebody else's when we are gone. */
static int not_ourselves(void *arg, size_t i)
{
	struct run *r = arg;
	const char *path = r->plan->v[i].path, *file = strrchr(path, '/');

	return file && strcmp(file, "/set_event_notrace_pid") == 0 ? -ESRCH : 0;
}

/* What the kernel refuses to count the engine counts: the answer is the same. */
int run_apply(struct run *r)
{
	struct kernel_hooks hooks = {.write = not_ourselves, .arg = r};

	for (;;) {
		const struct write *refused = NULL;
		struct diags d;

		diags_init(&d, r->arena);
		if (run_plan(r))
			return -1;
		r->kernel = kernel_apply(r->sh->s, r->origin->path, r->plan, &d,
					 r->unattended ? &hooks : NULL, &refused);
		if (r->kernel)
			return 0;
		if (!refused || !refused->query) {
			for (size_t i = 0; i < d.n; i++)
				diags_add(&r->diags, &d.v[i]);
			return -1;
		}
		r->no_push[refused->query - 1] = true;
		if (r->sh->s->verbosity > 0)
			session_warn(r->sh->s, "the kernel refused '%s'%s%s: tracesh counts itself",
				     refused->text, d.n && d.v[0].note ? ": " : "",
				     d.n && d.v[0].note ? d.v[0].note : "");
	}
}

int run_open_live(struct run *r)
{
	struct session *s = r->sh->s;
	uint8_t *by_index;
	unsigned n;

	if (reload(r))
		return -1;
	/* ids of what will come, or the first record makes us ask for those of all events */
	by_index = run_wanted(r, &n);
	for (unsigned i = 0; i < n && i < catalog_nevents(r->catalog); i++) {
		if (by_index[i] && catalog_event(r->catalog, i)->origin == r->origin)
			event_id(catalog_event(r->catalog, i));
	}
	if (r->only_captures)
		r->feed = feed_none();
	else
		r->feed = feed_open_live(
			s, r->catalog, r->origin,
			arena_printf(r->arena, "%s/%s", r->origin->path, r->instance));
	if (!r->feed)
		return -1;
	if (captures_begin(r))
		return -1;
	if (!r->only_captures && feed_stacks_asked(by_index, n))
		r->feed = feed_stacks(r->feed, by_index, n);
	r->frozen = ARENA_ARRAY(r->arena, bool, r->n + 1);
	return 0;
}

int run_arm(struct run *r)
{
	r->origin = catalog_origin(r->catalog, 0);
	if (run_apply(r) || run_open_live(r))
		return -1;
	if (kernel_start(r->kernel, &r->diags))
		return -1;
	engine_armed(r->engine);
	ktables_begin(r->tables, true);
	r->armed_at = r->last_seen = io_now();
	return 0;
}

/* READY=1 as sd_notify(3) sends it; nobody there is no error */
static void notify_ready(void)
{
	const char *to = getenv("NOTIFY_SOCKET");
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	size_t n = to ? strlen(to) : 0;
	int fd;

	if (!n || n >= sizeof(a.sun_path) || !strchr("/@", *to))
		return;
	memcpy(a.sun_path, to, n);
	if (*to == '@')
		a.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, "READY=1", 7, MSG_NOSIGNAL, (struct sockaddr *)&a,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

void run_tell_ready(struct run *r)
{
	notify_ready();
	if (r->sh->ready_fd < 0)
		return;
	if (io_write_all(r->sh->ready_fd, "\n", 1))
		session_warn(r->sh->s, "nobody reads the descriptor of --ready-fd");
	close(r->sh->ready_fd);
	r->sh->ready_fd = -1;
}

void run_disarm(struct run *r)
{
	if (!r->kernel)
		return;
	if (r->feed)
		feed_free(r->feed);
	r->feed = NULL;
	captures_free(r);
	kernel_undo(r->kernel);
	r->kernel = NULL;
}
