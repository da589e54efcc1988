/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of pipelines that are not run here: compiled, armed, or read back. */
#include "run_emit.h"
#include "run_priv.h"

#include "engine/engine.h"

static int plan_for_emit(void *arg, struct emit_input *in)
{
	struct run *r = arg;

	if (!r->engine) {
		r->sinks = ARENA_ARRAY(r->arena, struct sink *, r->n);
		r->engine = engine_new(r->sh->s, r->catalog, r->q, r->sinks, r->n);
	}
	if (!r->engine || run_plan(r))
		return -1;
	in->plan = r->plan;
	in->push = r->push;
	return 0;
}

static void leave_to_engine(void *arg, unsigned i)
{
	struct run *r = arg;

	if (!r->no_push)
		r->no_push = ARENA_ARRAY(r->arena, bool, r->n + 1);
	r->no_push[i] = true;
}

static int emit(struct shell *sh, const struct node *const *pipelines, unsigned n, uint64_t max_ns)
{
	struct run_compile c = {
		.sh = sh, .max_ns = max_ns, .plan = plan_for_emit, .no_push = leave_to_engine};
	struct run *r;
	int rc;

	sh->s->run_name = c.id = run_emit_id(sh, pipelines[0]);
	sh->s->run_group = sh->emit->group;
	r = run_new(sh, pipelines, n);
	if (!r) {
		sh->s->run_name = sh->s->run_group = NULL;
		return -1;
	}
	c.arg = r;
	c.arena = r->arena;
	c.diags = &r->diags;
	c.q = r->q;
	c.n = r->n;
	rc = run_emit(&c);
	sh->s->run_name = sh->s->run_group = NULL;
	run_say(r);
	if (rc && !sh->status)
		sh->status = r->status ? r->status : 1;
	run_free(r);
	return rc;
}

int run_divert(struct shell *sh, const struct node *const *pipelines, unsigned n, uint64_t max_ns)
{
	switch (sh->mode) {
	case SHELL_EMIT: return emit(sh, pipelines, n, max_ns);
	case SHELL_ARM: return run_arm_script(sh, pipelines, n);
	case SHELL_COLLECT: return run_collect(sh, pipelines, n);
	case SHELL_RUN: break;
	}
	return -1;
}
