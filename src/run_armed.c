/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `arm` and `collect`: a script whose kernel side goes on with no process, and its results later.
 * All names are made from the script's, so that both find the same objects. What the kernel counts
 * is read from its tables, all else from what the ring buffer still holds.
 */
#include "run_emit.h"
#include "run_priv.h"

#include "base/io.h"
#include "base/sig.h"
#include "base/units.h"
#include "capture/armed.h"
#include "emit/emit.h"
#include "feed/live.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP_NS 10000000000ull /* reading a buffer that goes on being written ends some time */

static struct run *begin(struct shell *sh, const struct node *const *pipelines, unsigned n)
{
	struct run *r = run_new(sh, pipelines, n);

	if (!r)
		return NULL;
	if (r->live) {
		r->unattended = true;
		r->origin = catalog_origin(r->catalog, 0);
		r->no_push = ARENA_ARRAY(r->arena, bool, n + 1);
		return r;
	}
	diag_error(&r->diags, "no-source", r->q[0]->span, "only a running kernel can be armed");
	run_say(r);
	sh->status = 1;
	run_free(r);
	return NULL;
}

static int finish(struct run *r, int rc)
{
	struct shell *sh = r->sh;

	run_say(r);
	if (sh->s->undo_failed && r->status < 4)
		r->status = 4;
	if (rc && !r->status)
		r->status = 3;
	if (r->status > sh->status)
		sh->status = r->status;
	run_free(r);
	return rc;
}

/* ---- arm ---- */

/* bytes in the fullest CPU's buffer, and events in all of them */
static uint64_t fill_level(struct run *r, uint64_t *events)
{
	const char *dir = arena_printf(r->arena, "%s/%s/per_cpu", r->origin->path, r->instance);
	uint64_t most = 0;
	struct dirent *e;
	DIR *d = opendir(dir);

	*events = 0;
	while (d && (e = readdir(d))) {
		struct buf b = {0};
		const char *at;

		if (*e->d_name != '.' &&
		    io_read_file(arena_printf(r->arena, "%s/%s/stats", dir, e->d_name), &b,
				 1 << 16) == 0) {
			at = strstr(buf_str(&b), "bytes:");
			if (at && strtoull(at + 6, NULL, 10) > most)
				most = strtoull(at + 6, NULL, 10);
			at = strstr(buf_str(&b), "entries:");
			if (at)
				*events += strtoull(at + 8, NULL, 10);
		}
		buf_free(&b);
	}
	if (d)
		closedir(d);
	return most;
}

/* How long the buffer lasts, by what comes in the first second. */
static void say_lasting(struct run *r)
{
	struct session *s = r->sh->s;
	unsigned engine = 0;
	uint64_t events, bytes;

	for (unsigned i = 0; i < r->n; i++)
		engine += !r->push[i].kernel;
	if (!engine || s->verbosity < 0)
		return;
	for (unsigned i = 0; i < 10 && !sig_pending(); i++)
		nanosleep(&(struct timespec){0, 100000000}, NULL);
	bytes = fill_level(r, &events);
	fprintf(s->err,
		"tracesh: %u of %u pipelines need their events, which are kept in a buffer of ",
		engine, r->n);
	if (s->set.buffer >> 20)
		fprintf(s->err, "%.4g MiB", (double)s->set.buffer / (1 << 20));
	else
		fprintf(s->err, "%.4g KiB", (double)s->set.buffer / (1 << 10));
	if (events && bytes)
		fprintf(s->err,
			" a CPU; at the rate of the first second (%llu events) it holds the last "
			"%.3g s\n",
			(unsigned long long)events, (double)s->set.buffer / (double)bytes);
	else
		fprintf(s->err, " a CPU; no event came in the first second\n");
}

/* Settings that change what is armed or how it is read, where they are not as they begin. */
static void keep_settings(struct run *r, struct armed *a)
{
	static const char *const output[] = {"format", "unit", "reader", "threads", NULL};
	struct session fresh;

	session_init(&fresh);
	for (const struct setting *row = settings_rows; row->name; row++) {
		struct buf now = {0}, was = {0};
		struct armed_setting set = {.name = row->name};
		bool skip = false;

		for (unsigned i = 0; output[i]; i++)
			skip |= strcmp(output[i], row->name) == 0;
		row->show(r->sh->s, &now);
		row->show(&fresh, &was);
		if (!skip && strcmp(buf_str(&now), buf_str(&was)) != 0) {
			set.value = arena_strdup(r->arena, buf_str(&now));
			ARENA_PUSH(r->arena, a->settings, a->nsettings, set);
		}
		buf_free(&now);
		buf_free(&was);
	}
	session_free(&fresh);
}

static int find_set(struct arena *a, const char *name, struct kernel_armed *out)
{
	struct kernel_armed *v;
	size_t n = kernel_armed_list(a, &v);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(v[i].name, name) == 0 && !v[i].stale) {
			*out = v[i];
			return 0;
		}
	}
	return -ENOENT;
}

static int save(struct run *r, const char *name)
{
	struct shell *sh = r->sh;
	const struct source *src = r->q[0]->span.src;
	struct armed a = {.script = sh->script ? sh->script : "-e",
			  .text = src->text,
			  .len = src->len,
			  .args = sh->script_args,
			  .nargs = sh->nscript_args};
	struct kernel_armed set;
	struct buf b = {0};
	int rc;

	keep_settings(r, &a);
	for (unsigned i = 0; i < r->n; i++)
		ARENA_PUSH(r->arena, a.kernel, a.nqueries, r->push[i].kernel);
	rc = find_set(r->arena, name, &set);
	if (!rc)
		rc = armed_save(set.journal, &a);
	if (rc) {
		diag_error(&r->diags, "refused", r->q[0]->span,
			   "the state of what is armed cannot be kept: %s", strerror(-rc));
		kernel_armed_undo(sh->s, r->origin->path, &set, &b);
	}
	buf_free(&b);
	return rc;
}

static int check_free(struct run *r)
{
	const char *name = r->sh->s->run_name;
	const char *dir = arena_printf(r->arena, "%s/instances/tracesh-%s", r->origin->path, name);
	struct diag *g;

	if (r->sh->child_cmd) {
		diag_error(&r->diags, "not-here", r->q[0]->span,
			   "an armed script starts no command (-c)");
		return -1;
	}
	if (access(dir, F_OK))
		return 0;
	g = diag_error(&r->diags, "refused", r->q[0]->span, "'%s' is armed already", name);
	diag_hint(&r->diags, g, "collect %s, or cleanup --armed", name);
	return -1;
}

static int arm(struct run *r)
{
	const char *name = r->sh->s->run_name;
	int rc;

	for (unsigned i = 0; i < r->n; i++)
		r->no_push[i] = run_needs_times(r->q[i]);
	r->sinks = ARENA_ARRAY(r->arena, struct sink *, r->n);
	if (check_free(r))
		return -1;
	r->engine = engine_new(r->sh->s, r->catalog, r->q, r->sinks, r->n);
	if (!r->engine || run_apply(r))
		return -1;
	rc = kernel_start(r->kernel, &r->diags);
	if (!rc)
		rc = kernel_leave(r->kernel, name);
	if (rc < -1)
		diag_error(&r->diags, "refused", r->q[0]->span,
			   "the journal of what is armed cannot be kept: %s", strerror(-rc));
	if (rc)
		kernel_undo(r->kernel);
	r->kernel = NULL;
	return rc ? -1 : save(r, name);
}

/* name of what is armed, for both commands */
static const char *set_name(struct shell *sh, const struct node *first)
{
	const struct source *src = first->span.src;

	return emit_word(sh->arena, sh->script ? sh->script : "", src ? src->text : "");
}

int run_arm_script(struct shell *sh, const struct node *const *pipelines, unsigned n)
{
	struct run *r;
	int rc;

	sh->s->run_name = set_name(sh, pipelines[0]);
	r = begin(sh, pipelines, n);
	if (!r) {
		sh->s->run_name = NULL;
		return -1;
	}
	rc = arm(r);
	if (rc == 0) {
		run_tell_ready(r);
		say_lasting(r);
		if (sh->s->verbosity >= 0)
			fprintf(sh->s->err, "tracesh: armed as %s\n", sh->s->run_name);
	}
	sh->s->run_name = NULL;
	return finish(r, rc);
}

/* ---- collect ---- */

static int check_same(struct run *r, const struct armed *a)
{
	if (a->nqueries != r->n) {
		diag_error(&r->diags, "refused", r->q[0]->span,
			   "the script has %u pipelines now and had %zu when it was armed", r->n,
			   a->nqueries);
		return -1;
	}
	for (unsigned i = 0; i < r->n; i++) {
		if (a->kernel[i] == r->push[i].kernel)
			continue;
		diag_error(&r->diags, "refused", r->q[i]->span,
			   "this pipeline was armed in another way: %s",
			   r->push[i].why ? r->push[i].why : "the kernel can count it now");
		return -1;
	}
	return 0;
}

/* Where kernel parameters or a bootconfig have put it; false: into the top buffer. */
static bool own_instance(struct run *r)
{
	const char *dir = arena_printf(r->arena, "%s/instances/tracesh-%s", r->origin->path,
				       r->sh->s->run_name);

	return access(dir, F_OK) == 0;
}

static bool by_bootconfig(const char *name)
{
	struct buf b = {0};
	char word[64];
	bool found;

	snprintf(word, sizeof(word), "tracesh-%s", name);
	found = io_read_file("/proc/bootconfig", &b, 1 << 16) == 0 && strstr(buf_str(&b), word);
	buf_free(&b);
	return found;
}

/* The same decisions as when it was compiled: what could not be said is for the engine. */
static int divide_boot(struct run *r)
{
	const struct emit_kind *kind = r->sh->s->run_group ? &emit_bootconfig : &emit_cmdline;
	struct emit_input in = {.s = r->sh->s,
				.a = r->arena,
				.q = r->q,
				.n = r->n,
				.kernel = emit_kernel(r->sh->s)};
	bool own = own_instance(r), again;

	for (unsigned i = 0; i < r->n; i++)
		r->no_push[i] = run_needs_times(r->q[i]) || (own && kind == &emit_cmdline);
	do {
		again = false;
		if (run_plan(r))
			return -1;
		in.plan = r->plan;
		for (size_t i = 0; i < r->plan->n && !again; i++) {
			const struct write *w = &r->plan->v[i];

			if (!w->query || w->optional || !kind->refuse(&in, w))
				continue;
			r->no_push[w->query - 1] = again = true;
		}
	} while (again);
	if (own)
		return 0;
	r->instance = ".";
	ktables_free(r->tables);
	r->tables = ktables_new(r->sh->s, r->origin->path, r->q, r->push, r->n);
	for (unsigned i = 0; i < r->n; i++)
		engine_elsewhere(r->engine, i,
				 r->push[i].kernel ? ktables_source(r->tables, r->engine) : NULL);
	return 0;
}

static int collect(struct run *r)
{
	struct shell *sh = r->sh;
	const struct armed *a = sh->armed;
	int rc;

	for (unsigned i = 0; a && i < r->n && i < a->nqueries; i++)
		r->no_push[i] = !a->kernel[i];
	if (run_open_reports(r) || captures_open(r))
		return -1;
	r->engine = engine_new(sh->s, r->catalog, r->q, r->sinks, r->n);
	if (!r->engine)
		return -1;
	if (a ? run_divide(r) || check_same(r, a) : divide_boot(r))
		return -1;
	if (!sh->collect_keep) {
		rc = kernel_armed_pause(r->origin->path, r->instance);
		if (rc) {
			diag_error(&r->diags, "refused", r->q[0]->span,
				   "cannot end the recording of %s: %s", r->instance,
				   strerror(-rc));
			return -1;
		}
	}
	if (run_open_live(r))
		return -1;
	ktables_begin(r->tables, false);
	if (!sh->collect_keep)
		feed_live_stop(r->feed);
	run_drain(r, sh->collect_keep ? io_now() + KEEP_NS : UINT64_MAX);
	while (captures_step(r) > 0 && !sig_pending())
		;
	captures_end(r);
	engine_finish(r->engine);
	return 0;
}

int run_collect(struct shell *sh, const struct node *const *pipelines, unsigned n)
{
	struct run *r;
	int rc;

	sh->s->run_name = sh->armed ? sh->armed_name : set_name(sh, pipelines[0]);
	if (!sh->armed && by_bootconfig(sh->s->run_name))
		sh->s->run_group = emit_bootconfig.group;
	r = begin(sh, pipelines, n);
	if (!r) {
		sh->s->run_name = sh->s->run_group = NULL;
		return -1;
	}
	rc = collect(r);
	run_close_reports(r);
	if (r->feed) {
		run_tell_losses(r);
		feed_free(r->feed);
		r->feed = NULL;
	}
	if (rc == 0 && !sh->armed && !sh->collect_keep)
		kernel_boot_undo(sh->s, r->origin->path, r->plan, own_instance(r));
	sh->s->run_name = sh->s->run_group = NULL;
	return finish(r, rc);
}
