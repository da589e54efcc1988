/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of commands and what they share. */
#include "shell/cmd/cmd.h"

#include <string.h>

const struct command *const commands[] = {
	&cmd_arm,      &cmd_cleanup, &cmd_clear,    &cmd_close, &cmd_collect, &cmd_cont,
	&cmd_describe, &cmd_doctor,  &cmd_echo,     &cmd_emit,  &cmd_exit,    &cmd_explain,
	&cmd_funcs,    &cmd_help,    &cmd_history,  &cmd_info,  &cmd_jobs,    &cmd_ls,
	&cmd_open,     &cmd_pause,   &cmd_plugin,   &cmd_run,   &cmd_set,     &cmd_show,
	&cmd_source,   &cmd_stop,    &cmd_syscalls, &cmd_wait,  &cmd_shell,   NULL,
};

const char **cmd_words(struct shell *sh, const struct node *cmd, size_t min, size_t max, size_t *n)
{
	const char **w = words_list(sh, cmd, 0, n);
	const struct command *c = command_find(cmd->str);
	struct diag *g;

	if (!w)
		return NULL;
	if (*n >= min && *n <= max)
		return w;
	g = diag_error(sh->s->diags, "bad-arguments", cmd->span, "too %s words for '%s'",
		       *n < min ? "few" : "many", cmd->str);
	diag_hint(sh->s->diags, g, "usage: %s", c ? c->usage : cmd->str);
	return NULL;
}

void listing_begin(struct listing *l, struct shell *sh, const char *const *titles)
{
	memset(l, 0, sizeof(*l));
	l->sh = sh;
	l->titles = titles;
	l->table = sh->s->set.format != FMT_CSV && sh->s->set.format != FMT_JSON;
	if (l->table)
		texttab_init(&l->tab, sh->s, sh->s->out_tty);
	for (; titles[l->ncols]; l->ncols++) {
		if (l->table)
			texttab_col(&l->tab, titles[l->ncols], 0);
	}
	if (sh->s->set.format == FMT_CSV) {
		for (unsigned i = 0; i < l->ncols; i++)
			buf_printf(&l->out, "%s%s", i ? "," : "", titles[i]);
		buf_putc(&l->out, '\n');
	}
}

static void put_csv(struct buf *b, const char *s)
{
	if (!strpbrk(s, ",\"\n\r")) {
		buf_puts(b, s);
		return;
	}
	buf_putc(b, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_putc(b, '"');
		buf_putc(b, *s);
	}
	buf_putc(b, '"');
}

static void put_json(struct buf *b, const char *s)
{
	buf_putc(b, '"');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			buf_printf(b, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			buf_printf(b, c < 0x80 ? "\\u%04x" : "%c", c);
		else
			buf_putc(b, (char)c);
	}
	buf_putc(b, '"');
}

void listing_row(struct listing *l, const char *const *cells)
{
	bool csv = l->sh->s->set.format == FMT_CSV;

	for (unsigned i = 0; i < l->ncols; i++) {
		const char *s = cells[i] ? cells[i] : "";

		if (l->table) {
			texttab_str(&l->tab, s);
		} else if (csv) {
			buf_puts(&l->out, i ? "," : "");
			put_csv(&l->out, s);
		} else {
			buf_printf(&l->out, "%s\"%s\":", i ? "," : "{", l->titles[i]);
			put_json(&l->out, s);
		}
	}
	if (!l->table)
		buf_puts(&l->out, csv ? "\n" : "}\n");
	l->row++;
}

unsigned listing_end(struct listing *l)
{
	if (l->table) {
		if (l->row)
			texttab_print(&l->tab, true, l->sh->s->out_tty ? l->sh->s->width : 0,
				      &l->out);
		texttab_free(&l->tab);
	}
	fwrite(buf_str(&l->out), 1, l->out.len, l->sh->out);
	buf_free(&l->out);
	return l->row;
}
