/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statements. In a script, pipelines are gathered into a group that is armed together at the next
 * `wait` or the end; at the prompt each runs at once. Everything else happens where it stands.
 */
#include "shell/priv.h"

#include "base/io.h"
#include "base/sig.h"

#include <string.h>

#define MAX_DEPTH 100      /* def calls and sourced files within each other */
#define MAX_ROUNDS 1000000 /* of a while loop that runs nothing */

void shell_say(struct shell *sh)
{
	struct session *s = sh->s;
	struct buf b = {0};
	int st = diags_status(s->diags);

	if (s->diags->n && (s->verbosity >= 0 || s->diags->errors)) {
		diags_render(s->diags, s->err_tty && !s->set.plain, &b);
		fflush(sh->out);
		fwrite(buf_str(&b), 1, b.len, s->err);
		fflush(s->err);
	}
	buf_free(&b);
	if (st > sh->status)
		sh->status = st;
	diags_init(s->diags, s->diags->arena);
}

/* Stages that leave a pipeline what it was: events for somebody else. */
static bool is_definition(const struct node *p)
{
	static const char *const pass[] = {"where", "let", "limit", "stack", "ustack", "speculate"};

	if (!p->str || (p->flags & NF_BG))
		return false;
	for (size_t i = 1; i < p->n; i++) {
		bool ok = false;

		for (size_t k = 0; k < sizeof(pass) / sizeof(pass[0]); k++)
			ok |= p->kids[i]->kind == N_STAGE && strcmp(p->kids[i]->str, pass[k]) == 0;
		if (!ok)
			return false;
	}
	return true;
}

static void remember(struct shell *sh, struct def **list, const char *name, const struct node *node)
{
	struct def *d;

	for (d = *list; d && strcmp(d->name, name) != 0; d = d->next)
		;
	if (!d) {
		d = ARENA_NEW(sh->arena, struct def);
		d->name = name;
		d->next = *list;
		*list = d;
	}
	d->node = node;
}

static struct run *start(struct shell *sh, const struct node *const *v, size_t n)
{
	struct run *r = sh->runner->start(sh, v, (unsigned)n);

	return r;
}

/* A script that is compiled or armed is one group: there is nobody to begin a second. */
static int divert(struct shell *sh, const struct node *const *v, size_t n, uint64_t max_ns)
{
	if (sh->diverted) {
		struct diag *g = diag_error(sh->s->diags, "not-here", v[0]->span,
					    "pipelines behind a `wait` cannot be part of it");

		diag_hint(sh->s->diags, g, "make them a script of their own");
		return -1;
	}
	sh->diverted = true;
	return sh->runner->divert(sh, v, (unsigned)n, max_ns);
}

/* Commands that only say how the pipelines are meant. */
static bool says_how(const struct command *c)
{
	static const char *const names[] = {"set", "source", "wait"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(c->syntax.name, names[i]) == 0)
			return true;
	}
	return false;
}

int exec_flush(struct shell *sh, uint64_t max_ns)
{
	struct shell_priv *p = sh->priv;
	size_t n = p->ngroup;
	const struct node **v = p->group;
	struct run *r;
	int rc;

	p->group = NULL;
	p->ngroup = 0;
	if (n && sh->mode != SHELL_RUN)
		return divert(sh, v, n, max_ns);
	if (n) {
		r = start(sh, v, n);
		if (!r)
			return sh->explain_only && !sh->status ? 0 : -1;
		rc = run_through(sh, r, max_ns);
		if (rc && !sh->status)
			sh->status = rc;
	}
	return sig_pending() && !sh->interactive ? -1 : 0;
}

static int exec_pipeline(struct shell *sh, const struct node *n)
{
	struct shell_priv *p = sh->priv;
	struct node *q = node_subst(sh, n);
	struct run *r;
	int rc;

	if (!q)
		return -1;
	if (q->str)
		remember(sh, &p->named, q->str, q);
	if (is_definition(q))
		return 0;
	if (sh->mode != SHELL_RUN || ((!sh->interactive || p->gather) && !(q->flags & NF_BG))) {
		const struct node *c = q;

		ARENA_PUSH(sh->arena, p->group, p->ngroup, c);
		return 0;
	}
	if (!(q->flags & NF_BG))
		p->last = q;
	{
		const struct node *one[] = {q};

		r = start(sh, one, 1);
	}
	if (!r)
		return sh->explain_only && !sh->status ? 0 : -1;
	if (q->flags & NF_BG) {
		struct buf b = {0};
		struct job *j;

		ast_print(q, &b);
		j = job_add(sh, r, q->str, buf_str(&b));
		if (sh->interactive)
			fprintf(sh->s->err, "%%%u %s\n", j->id, j->text);
		buf_free(&b);
		return 0;
	}
	rc = run_through(sh, r, 0);
	if (sh->interactive)
		sig_clear();
	if (rc)
		sh->status = rc;
	return 0;
}

/* begin, end and tick belong to the pipelines they are run with */
static int exec_hook(struct shell *sh, const struct node *n)
{
	struct shell_priv *p = sh->priv;
	struct node *q = node_subst(sh, n);
	const struct node *one = q;
	struct run *r;

	if (!q)
		return -1;
	if (!sh->interactive) {
		ARENA_PUSH(sh->arena, p->group, p->ngroup, one);
		return 0;
	}
	r = start(sh, &one, 1);
	if (!r)
		return sh->explain_only && !sh->status ? 0 : -1;
	if (run_through(sh, r, 0))
		sh->status = sh->status ? sh->status : 1;
	sig_clear();
	return 0;
}

static const struct def *find_def(struct shell *sh, const char *name)
{
	const struct def *d;

	for (d = sh->priv->defs; d && strcmp(d->name, name) != 0; d = d->next)
		;
	return d;
}

/* NAME args...: parameters are variables for the time of the call */
static int exec_call(struct shell *sh, const struct def *d, const struct node *n)
{
	const struct node *def = d->node;
	size_t count, params = def->n - 1;
	const char **args = words_list(sh, n, 0, &count), **old;
	int rc;

	if (!args)
		return -1;
	if (count != params) {
		diag_error(sh->s->diags, "bad-arguments", n->span,
			   "'%s' takes %zu arguments, not %zu", d->name, params, count);
		return -1;
	}
	if (++sh->priv->depth > MAX_DEPTH) {
		sh->priv->depth--;
		diag_error(sh->s->diags, "too-deep", n->span, "'%s' calls itself without end",
			   d->name);
		return -1;
	}
	old = ARENA_ARRAY(sh->arena, const char *, params + 1);
	for (size_t i = 0; i < params; i++) {
		old[i] = var_get(sh, def->kids[i]->str);
		var_set(sh, def->kids[i]->str, args[i]);
	}
	rc = exec_block(sh, def->kids[params], 0);
	for (size_t i = 0; i < params; i++)
		var_set(sh, def->kids[i]->str, old[i]);
	sh->priv->depth--;
	return rc;
}

static int exec_command(struct shell *sh, const struct node *n)
{
	const struct def *d = find_def(sh, n->str);
	const struct command *c;
	int rc;

	if (d)
		return exec_call(sh, d, n);
	c = command_find(n->str);
	if (!c) {
		diag_error(sh->s->diags, "unknown-command", n->span, "no command '%s'", n->str);
		return -1;
	}
	if (sh->mode != SHELL_RUN && !says_how(c)) {
		diag_error(sh->s->diags, "not-here", n->span,
			   "'%s' has no meaning in a script that is not run by tracesh", n->str);
		return -1;
	}
	rc = c->run(sh, n);
	fflush(sh->out);
	if (rc && sh->status < rc)
		sh->status = rc;
	return rc ? -1 : 0;
}

static int exec_if(struct shell *sh, const struct node *n)
{
	struct value v;

	if (eval(sh, n->kids[0], &v))
		return -1;
	if (value_true(&v))
		return exec_block(sh, n->kids[1], 0);
	if (n->n < 3)
		return 0;
	return n->kids[2]->kind == N_IF ? exec_if(sh, n->kids[2]) : exec_block(sh, n->kids[2], 0);
}

static int exec_while(struct shell *sh, const struct node *n)
{
	struct value v;

	for (unsigned i = 0;; i++) {
		if (eval(sh, n->kids[0], &v))
			return -1;
		if (!value_true(&v) || sh->exiting)
			return 0;
		if (sig_pending())
			return -1;
		if (i == MAX_ROUNDS) {
			diag_error(sh->s->diags, "runaway-loop", n->span,
				   "this loop went round %u times without an end", MAX_ROUNDS);
			return -1;
		}
		if (exec_block(sh, n->kids[1], 0))
			return -1;
	}
}

static int exec_for(struct shell *sh, const struct node *n)
{
	struct shell_priv *p = sh->priv;

	for (size_t i = 0; i + 1 < n->n; i++) {
		const struct node *w = n->kids[i];
		bool all = (w->kind == N_WORD && strcmp(w->str, "$@") == 0) ||
			   (w->kind == E_VAR && strcmp(w->str, "@") == 0);
		int from = all ? 1 : 0, to = all ? p->argc : 1;

		for (int k = from; k < to && !sh->exiting; k++) {
			struct value v;
			const char *text;

			if (all) {
				text = p->argv[k];
			} else if (eval(sh, w, &v)) {
				return -1;
			} else {
				text = value_text(sh, &v);
			}
			var_set(sh, n->str, text);
			if (exec_block(sh, n->kids[n->n - 1], 0))
				return -1;
		}
	}
	return 0;
}

static int exec_let(struct shell *sh, const struct node *n)
{
	struct value v;

	if (eval(sh, n->kids[0], &v))
		return -1;
	var_set(sh, n->str, value_text(sh, &v));
	return 0;
}

static int exec(struct shell *sh, const struct node *n)
{
	switch (n->kind) {
	case N_PIPELINE: return exec_pipeline(sh, n);
	case N_COMMAND: return exec_command(sh, n);
	case N_ASSIGN: return exec_let(sh, n);
	case N_DEF: remember(sh, &sh->priv->defs, n->str, n); return 0;
	case N_IF: return exec_if(sh, n);
	case N_WHILE: return exec_while(sh, n);
	case N_FOR: return exec_for(sh, n);
	case N_BLOCK: return exec_block(sh, n, 0);
	case N_BEGIN:
	case N_END:
	case N_TICK: return exec_hook(sh, n);
	default: break;
	}
	diag_error(sh->s->diags, "syntax", n->span, "this is no statement of a script");
	return -1;
}

static bool run_follows(const struct node *block, size_t from)
{
	for (size_t i = from; i < block->n; i++) {
		const struct node *n = block->kids[i];

		if (n->kind == N_COMMAND && strcmp(n->str, "run") == 0)
			return true;
	}
	return false;
}

int exec_block(struct shell *sh, const struct node *block, size_t from)
{
	for (size_t i = from; i < block->n && !sh->exiting; i++) {
		sh->priv->gather = sh->interactive && run_follows(block, i + 1);
		if (exec(sh, block->kids[i]))
			return -1;
	}
	return 0;
}

/* Definitions first: a def may stand behind its use. */
static void collect_defs(struct shell *sh, const struct node *script)
{
	for (size_t i = 0; i < script->n; i++) {
		if (script->kids[i]->kind == N_DEF)
			remember(sh, &sh->priv->defs, script->kids[i]->str, script->kids[i]);
	}
}

/* How many pipelines a part of a script may run, as far as its text tells; 2 stands for any more */
static unsigned count_pipelines(const struct node *n)
{
	unsigned sum = 0, most = 0;

	if (n->kind == N_PIPELINE)
		return is_definition(n) ? 0 : 1;
	if (n->kind != N_SCRIPT && n->kind != N_BLOCK && n->kind != N_IF && n->kind != N_WHILE &&
	    n->kind != N_FOR && n->kind != N_DEF)
		return 0;
	for (size_t i = 0; i < n->n && sum < 2; i++) {
		unsigned k = count_pipelines(n->kids[i]);

		sum += k;
		most = k > most ? k : most;
	}
	if (n->kind == N_IF)
		return most;
	return sum && (n->kind == N_WHILE || n->kind == N_FOR) ? 2 : sum;
}

/* Parses a copy of the text (trees and spans outlive the caller's) and runs it. */
int exec_text(struct shell *sh, const struct source *src)
{
	struct source *keep = ARENA_NEW(sh->arena, struct source);
	struct node *script;
	int rc;

	keep->name = arena_strdup(sh->arena, src->name);
	keep->text = arena_strndup(sh->arena, src->text, src->len);
	keep->len = src->len;
	script = parse_script(sh->arena, sh->s->diags, shell_grammar(sh), keep);
	if (sh->s->diags->errors)
		return -1;
	collect_defs(sh, script);
	if (!sh->interactive)
		sh->several |= count_pipelines(script) > 1;
	rc = exec_block(sh, script, 0);
	return rc;
}

int exec_diverted(struct shell *sh, struct span at)
{
	if (!sh->diverted)
		diag_error(sh->s->diags, "not-here", at, "the script has no pipeline");
	if (sh->emitted)
		fputs(sh->emitted, sh->out);
	sh->emitted = NULL;
	return sh->diverted ? 0 : -1;
}

int exec_source(struct shell *sh, const char *path, struct span at)
{
	struct buf b = {0};
	struct source src;
	int rc = io_read_file(path, &b, 16 << 20);

	if (rc) {
		diag_error(sh->s->diags, "refused", at, "cannot read '%s': %s", path,
			   strerror(-rc));
	} else if (++sh->priv->depth > MAX_DEPTH) {
		diag_error(sh->s->diags, "too-deep", at, "'%s' sources itself without end", path);
		rc = -1;
		sh->priv->depth--;
	} else {
		src = (struct source){.name = path, .text = buf_str(&b), .len = (uint32_t)b.len};
		rc = exec_text(sh, &src);
		sh->priv->depth--;
	}
	buf_free(&b);
	return rc ? -1 : 0;
}

int shell_text(struct shell *sh, const struct source *src)
{
	struct arena *a = arena_new();
	struct diags d, *outer = sh->s->diags;
	int rc;

	diags_init(&d, a);
	sh->s->diags = &d;
	if (sh->interactive)
		sh->status = 0;
	rc = exec_text(sh, src);
	if (!sh->interactive && rc == 0)
		rc = exec_flush(sh, 0);
	if (rc == 0 && sh->mode != SHELL_RUN)
		rc = exec_diverted(sh, (struct span){0});
	sh->priv->ngroup = 0; /* after an error nothing of the group is armed */
	shell_say(sh);
	if (rc && !sh->status && !sig_pending())
		sh->status = 1;
	if (!sh->interactive) {
		while (sh->jobs && jobs_step(sh, 100))
			;
		shell_say(sh);
	}
	sh->s->diags = outer;
	arena_free(a);
	return sh->status;
}
