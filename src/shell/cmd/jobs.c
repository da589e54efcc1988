/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jobs, show, clear, pause, cont, stop, wait: what runs in the background. */
#include "shell/cmd/cmd.h"

#include "base/io.h"
#include "base/sig.h"
#include "base/units.h"

#include <string.h>

static int run_jobs(struct shell *sh, const struct node *cmd)
{
	static const char *const titles[] = {"job", "name", "state", "pipeline", NULL};
	struct listing l;
	size_t n;

	if (!cmd_words(sh, cmd, 0, 0, &n))
		return 1;
	listing_begin(&l, sh, titles);
	for (struct job *j = sh->jobs; j; j = j->next)
		listing_row(&l, (const char *[]){arena_printf(sh->arena, "%%%u", j->id), j->name,
						 j->paused ? "paused" : "running", j->text});
	listing_end(&l);
	return 0;
}

/* The job a command names, or the latest. */
static struct job *named(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 1, &n);

	return w ? job_find(sh, n ? w[0] : NULL, cmd->span) : NULL;
}

static int run_show(struct shell *sh, const struct node *cmd)
{
	struct job *j = named(sh, cmd);

	if (!j)
		return 1;
	sh->runner->step(j->run, 0);
	sh->runner->show(j->run);
	return 0;
}

static int run_clear(struct shell *sh, const struct node *cmd)
{
	struct job *j = named(sh, cmd);

	if (!j)
		return 1;
	sh->runner->step(j->run, 0);
	sh->runner->clear(j->run);
	return 0;
}

static int pause_job(struct shell *sh, const struct node *cmd, bool paused)
{
	struct job *j = named(sh, cmd);

	if (!j)
		return 1;
	sh->runner->step(j->run, 0);
	sh->runner->pause(j->run, paused);
	j->paused = paused;
	return 0;
}

static int run_pause(struct shell *sh, const struct node *cmd)
{
	return pause_job(sh, cmd, true);
}

static int run_cont(struct shell *sh, const struct node *cmd)
{
	return pause_job(sh, cmd, false);
}

static int run_stop(struct shell *sh, const struct node *cmd)
{
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 1, &n);
	struct job *j;

	if (!w)
		return 1;
	if (n && strcmp(w[0], "all") == 0) {
		while (sh->jobs)
			job_end(sh, sh->jobs, false);
		return 0;
	}
	j = job_find(sh, n ? w[0] : NULL, cmd->span);
	if (!j)
		return 1;
	job_end(sh, j, false);
	return 0;
}

static int run_wait(struct shell *sh, const struct node *cmd)
{
	uint64_t max = 0, end;
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 1, &n);

	if (!w)
		return 1;
	if (n && parse_duration(w[0], &max)) {
		diag_error(sh->s->diags, "bad-value", cmd->kids[0]->span,
			   "'%s' is no duration such as 5s", w[0]);
		return 1;
	}
	if (exec_flush(sh, max))
		return sh->status ? sh->status : 1;
	end = max ? io_now() + max : UINT64_MAX;
	while (sh->jobs && io_now() < end && !sig_pending())
		jobs_step(sh, 100);
	if (sh->interactive)
		sig_clear();
	return 0;
}

const struct command cmd_jobs = {
	{"jobs", CMD_WORDS},
	"jobs",
	"what runs in the background",
	"Pipelines that end in & are jobs.",
	run_jobs,
};

const struct command cmd_show = {
	{"show", CMD_WORDS},
	"show [JOB]",
	"the results of a job so far",
	"JOB is %1, 1 or a name; without it the latest.",
	run_show,
};

const struct command cmd_clear = {
	{"clear", CMD_WORDS},    "clear [JOB]", "empty the tables of a job",
	"Counting begins anew.", run_clear,
};

const struct command cmd_pause = {
	{"pause", CMD_WORDS}, "pause [JOB]", "let a job take no events", "cont goes on.", run_pause,
};

const struct command cmd_cont = {
	{"cont", CMD_WORDS}, "cont [JOB]", "let a paused job go on", "See pause.", run_cont,
};

const struct command cmd_stop = {
	{"stop", CMD_WORDS},
	"stop [JOB|all]",
	"end a job, print its results and undo what it set up",
	"Without JOB the latest.",
	run_stop,
};

const struct command cmd_wait = {
	{"wait", CMD_WORDS},
	"wait [DUR]",
	"run the pipelines so far to their end, or for DUR",
	"In a script the pipelines up to here are armed together, run, and print. At the prompt it "
	"waits "
	"for jobs.",
	run_wait,
};
