/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables and words of the shell. Knows no events. */
#include "shell/priv.h"

#include "base/units.h"

#include <ctype.h>
#include <string.h>

static struct var *find(struct shell *sh, const char *name)
{
	struct var *v;

	for (v = sh->priv->vars; v && strcmp(v->name, name) != 0; v = v->next)
		;
	return v;
}

const char *var_get(struct shell *sh, const char *name)
{
	struct shell_priv *p = sh->priv;
	struct buf b = {0};
	struct var *v;
	uint64_t i;

	if (strcmp(name, "#") == 0)
		return arena_printf(sh->arena, "%d", p->argc > 0 ? p->argc - 1 : 0);
	if (strcmp(name, "@") == 0) {
		const char *s;

		for (int k = 1; k < p->argc; k++)
			buf_printf(&b, "%s%s", k > 1 ? " " : "", p->argv[k]);
		s = arena_strdup(sh->arena, buf_str(&b));
		buf_free(&b);
		return s;
	}
	if (isdigit((unsigned char)name[0]) && parse_u64(name, &i) == 0)
		return i < (uint64_t)p->argc ? p->argv[i] : NULL;
	v = find(sh, name);
	return v ? v->value : NULL;
}

void var_set(struct shell *sh, const char *name, const char *value)
{
	struct var *v = find(sh, name);

	if (!v) {
		v = ARENA_NEW(sh->arena, struct var);
		v->name = arena_strdup(sh->arena, name);
		v->next = sh->priv->vars;
		sh->priv->vars = v;
	}
	v->value = value ? arena_strdup(sh->arena, value) : NULL;
}

void var_unset(struct shell *sh, const char *name)
{
	struct var *v = find(sh, name);

	if (v)
		v->value = NULL;
}

const char *word_text(struct shell *sh, const struct node *w)
{
	if (w->kind == E_STRING && !(w->flags & NF_VARS))
		return w->str;
	if (w->kind == E_STRING) {
		/* `\$` stays a dollar: expansion works on the text as written, escapes come after
		 * it */
		struct buf b = {0};
		const char *s = w->str2, *r;

		for (; *s; s++) {
			if (*s == '\\' && s[1] == '$') {
				buf_puts(&b, "$$");
				s++;
			} else {
				buf_putc(&b, *s);
			}
		}
		r = check_expand(sh->arena, sh->s->diags, &sh->env, buf_str(&b), w->span);
		buf_free(&b);
		return r;
	}
	return check_expand(sh->arena, sh->s->diags, &sh->env, w->str, w->span);
}

const char **words_list(struct shell *sh, const struct node *n, size_t from, size_t *count)
{
	const char **v = NULL;
	size_t k = 0;

	for (size_t i = from; i < n->n; i++) {
		const struct node *w = n->kids[i];
		const char *s;

		if (w->kind == N_WORD && strcmp(w->str, "$@") == 0) {
			for (int a = 1; a < sh->priv->argc; a++)
				ARENA_PUSH(sh->arena, v, k, sh->priv->argv[a]);
			continue;
		}
		s = word_text(sh, w);
		if (!s)
			return NULL;
		ARENA_PUSH(sh->arena, v, k, s);
	}
	*count = k;
	return v ? v : ARENA_NEW(sh->arena, const char *);
}

/* A value's text as the literal it would be in a script. */
static struct node *literal(struct shell *sh, const char *text, struct span at)
{
	struct arena *a = sh->arena;
	const char *digits = text[0] == '-' ? text + 1 : text, *unit = digits;
	struct node *n = node_new(a, E_STRING, at), *neg;
	uint64_t v;

	n->str = arena_strdup(a, text);
	n->num = strlen(text);
	if (!isdigit((unsigned char)*digits))
		return n;
	while (isdigit((unsigned char)*unit) || *unit == '.')
		unit++;
	if (parse_u64(digits, &v) == 0) {
		n->kind = E_NUM;
		if (v > INT64_MAX)
			n->flags |= NF_BIG;
	} else if (*unit && unit_time(unit, strlen(unit)) && parse_duration(digits, &v) == 0) {
		n->kind = E_TIME;
	} else if (*unit && unit_size(unit, strlen(unit)) && parse_size(digits, &v) == 0) {
		n->kind = E_SIZE;
	} else {
		return n;
	}
	n->str = arena_strdup(a, digits);
	n->num = v;
	if (digits == text)
		return n;
	neg = node_new(a, E_UNARY, at);
	neg->str = "-";
	node_add(a, neg, n);
	return neg;
}

struct node *node_subst(struct shell *sh, const struct node *n)
{
	struct node *c;

	if (n->kind == E_VAR) {
		const char *v = var_get(sh, n->str);

		if (!v) {
			struct diag *g = diag_error(sh->s->diags, "unknown-variable", n->span,
						    "$%s is not set", n->str);
			diag_hint(sh->s->diags, g, "let %s = VALUE", n->str);
			return NULL;
		}
		return literal(sh, v, n->span);
	}
	c = ARENA_NEW(sh->arena, struct node);
	*c = *n;
	c->kids = NULL;
	c->n = 0;
	if ((n->kind == N_EVENT || n->kind == N_WORD) && strchr(n->str, '$')) {
		c->str = check_expand(sh->arena, sh->s->diags, &sh->env, n->str, n->span);
		if (!c->str)
			return NULL;
	}
	/* blocks have $variables of their own */
	if (n->kind == N_BLOCK) {
		*c = *n;
		return c;
	}
	for (size_t i = 0; i < n->n; i++) {
		struct node *kid = node_subst(sh, n->kids[i]);

		if (!kid)
			return NULL;
		node_add(sh->arena, c, kid);
	}
	return c;
}
