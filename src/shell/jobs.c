/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs: runs that go on while the shell does something else. */
#include "shell/priv.h"

#include "base/io.h"
#include "base/sig.h"

#include <stdlib.h>
#include <string.h>

struct job *job_add(struct shell *sh, struct run *run, const char *name, const char *text)
{
	struct job *j = xcalloc(1, sizeof(*j)), **at;

	j->id = ++sh->next_job;
	j->run = run;
	j->name = name ? arena_strdup(sh->arena, name) : NULL;
	j->text = arena_strdup(sh->arena, text);
	for (at = &sh->jobs; *at; at = &(*at)->next)
		;
	*at = j;
	return j;
}

struct job *job_find(struct shell *sh, const char *what, struct span at)
{
	struct job *j, *last = NULL;

	for (j = sh->jobs; j; j = j->next) {
		char id[16];

		last = j;
		snprintf(id, sizeof(id), "%u", j->id);
		if (what && (strcmp(what[0] == '%' ? what + 1 : what, id) == 0 ||
			     (j->name && strcmp(what, j->name) == 0)))
			return j;
	}
	if (what || !last) {
		diag_error(sh->s->diags, "bad-arguments", at,
			   what ? "no job '%s'" : "no job runs%s", what ? what : "");
		return NULL;
	}
	return last;
}

static void forget(struct shell *sh, struct job *j)
{
	struct job **at;

	for (at = &sh->jobs; *at && *at != j; at = &(*at)->next)
		;
	if (*at)
		*at = j->next;
	if (!sh->jobs)
		sh->next_job = 0;
	free(j);
}

void job_end(struct shell *sh, struct job *j, bool quiet)
{
	int rc = sh->runner->end(j->run, quiet);

	if (rc && !sh->status)
		sh->status = rc;
	forget(sh, j);
}

unsigned jobs_step(struct shell *sh, int timeout_ms)
{
	struct job *j, *next;
	unsigned n = 0;

	for (j = sh->jobs; j; j = next) {
		next = j->next;
		if (sh->runner->step(j->run, n ? 0 : timeout_ms)) {
			n++;
			continue;
		}
		if (sh->interactive && sh->s->verbosity >= 0)
			fprintf(sh->s->err, "%%%u done: %s\n", j->id, j->text);
		job_end(sh, j, false);
	}
	return n;
}

int run_through(struct shell *sh, struct run *run, uint64_t max_ns)
{
	uint64_t end = max_ns ? io_now() + max_ns : UINT64_MAX;

	while (sh->runner->step(run, 100)) {
		if (io_now() >= end)
			break;
		if (sh->jobs && !sig_pending())
			jobs_step(sh, 0);
	}
	if (sh->interactive && sig_pending())
		fputc('\n', sh->out); /* behind the terminal's ^C */
	return sh->runner->end(run, false);
}
