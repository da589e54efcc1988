/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The prompt: readline in its callback form, so that background jobs are stepped while a line is
 * typed. readline keeps state of its own, so this file has one pointer that its callbacks need.
 */
#include "shell/complete.h"
#include "shell/priv.h"

#include "base/sig.h"

#include <errno.h>
#include <poll.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROMPT "tracesh> "
#define MORE "       > "
#define HISTORY_LINES 1000

struct prompt {
	struct shell *sh;
	struct buf text; /* the lines of one input so far */
	char *history;   /* path, NULL: none */
	bool eof;
};

static struct prompt *active; /* readline's callbacks take no argument */

/* $XDG_STATE_HOME/tracesh/history, directories made as needed */
static char *history_file(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	struct buf b = {0};
	char *path;

	if (state && state[0] == '/')
		buf_printf(&b, "%s/tracesh/history", state);
	else if (home && home[0] == '/')
		buf_printf(&b, "%s/.local/state/tracesh/history", home);
	else
		return NULL;
	for (char *p = b.p + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = 0;
		mkdir(b.p, 0700);
		*p = '/';
	}
	path = xstrdup(b.p);
	buf_free(&b);
	return path;
}

static void remember(struct prompt *p, const char *text)
{
	char *line = xstrdup(text);
	size_t n = strlen(line);
	HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;

	while (n && line[n - 1] == '\n')
		line[--n] = 0;
	/* several lines are recalled as one: a newline ends a statement, and so does a `;` */
	for (char *c = line; *c; c++) {
		if (*c == '\n')
			*c = ' ';
	}
	if (n && (!last || strcmp(last->line, line) != 0)) {
		add_history(line);
		if (p->history)
			append_history(1, p->history);
	}
	free(line);
}

static void run_input(struct prompt *p)
{
	struct source src = {
		.name = "<prompt>", .text = buf_str(&p->text), .len = (uint32_t)p->text.len};

	rl_callback_handler_remove();
	remember(p, src.text);
	sig_clear();
	shell_text(p->sh, &src);
	fflush(p->sh->out);
	sig_clear();
	buf_clear(&p->text);
}

static void on_line(char *line);

static void show_prompt(struct prompt *p)
{
	rl_callback_handler_install(p->text.len ? MORE : PROMPT, on_line);
}

static void on_line(char *line)
{
	struct prompt *p = active;

	if (!line) {
		p->eof = true;
		rl_callback_handler_remove();
		fputc('\n', p->sh->out);
		return;
	}
	buf_puts(&p->text, line);
	buf_putc(&p->text, '\n');
	free(line);
	if (!parse_incomplete(buf_str(&p->text)))
		run_input(p);
	if (!p->sh->exiting)
		show_prompt(p);
}

/* Ctrl-C at the prompt drops what was typed. */
static void drop_line(struct prompt *p)
{
	sig_clear();
	buf_clear(&p->text);
	fputs("^C\n", p->sh->out); /* before readline moves the cursor to the line's start */
	fflush(p->sh->out);
	rl_callback_handler_remove();
	show_prompt(p);
}

static char **complete(const char *text, int start, int end)
{
	struct buf before = {0};
	char **v;

	(void)end;
	rl_attempted_completion_over = 1;
	buf_add(&before, buf_str(&active->text), active->text.len);
	buf_add(&before, rl_line_buffer, (size_t)start);
	v = complete_matches(active->sh, buf_str(&before), text);
	buf_free(&before);
	/* `sched:` and `sched_waking.` go on; a whole word gets its space */
	rl_completion_append_character =
		v && v[0] && !v[1] && v[0][strlen(v[0]) - 1] == ':' ? 0 : ' ';
	return v;
}

static void loop(struct prompt *p)
{
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
				{.fd = sig_fd(), .events = POLLIN}};

	show_prompt(p);
	while (!p->eof && !p->sh->exiting) {
		int n = poll(fds, 2, p->sh->jobs ? 100 : -1);

		if (sig_pending()) {
			if (sig_pending() != SIGINT)
				break;
			drop_line(p);
			continue;
		}
		if (n > 0 && (fds[0].revents & (POLLIN | POLLHUP)))
			rl_callback_read_char();
		if (p->sh->jobs && !sig_pending()) {
			unsigned before = p->sh->next_job;

			jobs_step(p->sh, 0);
			if (before != p->sh->next_job)
				rl_on_new_line(), rl_redisplay();
		}
	}
	rl_callback_handler_remove();
}

int shell_prompt(struct shell *sh)
{
	struct prompt p = {.sh = sh};

	sh->interactive = true;
	active = &p;
	rl_readline_name = "tracesh";
	rl_attempted_completion_function = complete;
	rl_completer_word_break_characters = " \t\n|,;()<>=!&+*/^%?\"'{}[]";
	rl_completer_quote_characters = "\"";
	rl_catch_signals = 0; /* ours: one flag and one descriptor to poll */
	using_history();
	stifle_history(HISTORY_LINES);
	p.history = history_file();
	if (p.history) {
		read_history(p.history);
		if (access(p.history, F_OK) != 0)
			write_history(p.history);
	}
	if (sh->s->verbosity >= 0)
		fputs("tracesh " TRACESH_VERSION ": help shows what there is, Ctrl-D ends\n",
		      sh->out);
	fflush(sh->out);
	loop(&p);
	while (sh->jobs)
		job_end(sh, sh->jobs, false);
	clear_history();
	active = NULL;
	free(p.history);
	buf_free(&p.text);
	return sh->status;
}
