/* SPDX-License-Identifier: GPL-3.0-or-later */
/* help: everything from the tables; `help --man TOPIC` writes the same as man(7) source. */
#include "shell/cmd/cmd.h"

#include "check/check.h"
#include "source/source.h"
#include "stage/stage.h"

#include <string.h>

/* One row of any table. */
struct entry {
	const char *name, *usage, *brief, *help;
	const char *code; /* errors: the exit status */
};

/* ---- the tables as lists of entries ---- */

static bool stage_entry(unsigned i, struct entry *e)
{
	const struct stage_kind *k = stage_kinds[i];

	if (k)
		*e = (struct entry){k->syntax.name, k->usage, k->brief, k->help, NULL};
	return k != NULL;
}

static bool source_entry(unsigned i, struct entry *e)
{
	const struct source_kind *k = source_kinds[i];

	if (k)
		*e = (struct entry){k->name[0] ? k->name : "events", k->usage, k->brief, k->help,
				    NULL};
	return k != NULL;
}

static bool command_entry(unsigned i, struct entry *e)
{
	const struct command *c = commands[i];

	if (c)
		*e = (struct entry){c->syntax.name, c->usage, c->brief, c->help, NULL};
	return c != NULL;
}

static bool setting_entry(unsigned i, struct entry *e)
{
	const struct setting *r = &settings_rows[i];

	if (r->name)
		*e = (struct entry){r->name, r->usage, r->help, "", NULL};
	return r->name != NULL;
}

static bool function_entry(unsigned i, struct entry *e)
{
	const char *u = check_function_usage(i);

	if (u)
		*e = (struct entry){u, u, check_function_brief(i), "", NULL};
	return u != NULL;
}

static bool suffix_entry(unsigned i, struct entry *e)
{
	const char *n = check_suffix_name(i);

	if (n)
		*e = (struct entry){n, n, check_suffix_brief(i), "", NULL};
	return n != NULL;
}

static bool error_entry(unsigned i, struct entry *e)
{
	static const char *const digits[] = {"0", "1", "2", "3", "4", "5"};
	const struct diag_code *c = &diag_codes[i];

	if (c->code)
		*e = (struct entry){c->code, c->code, c->help, "", digits[c->status]};
	return c->code != NULL;
}

static const struct topic {
	const char *name, *brief;
	bool (*entry)(unsigned i, struct entry *e);
} topics[] = {
	{"stages", "what events flow through", stage_entry},
	{"sources", "where events come from", source_entry},
	{"commands", "what the shell does besides pipelines", command_entry},
	{"settings", "what `set` changes", setting_entry},
	{"functions", "functions in expressions", function_entry},
	{"suffixes", "suffixes of values: E.us, E.hex", suffix_entry},
	{"errors", "codes of errors, the exit status and what they mean", error_entry},
};
#define NTOPICS (sizeof(topics) / sizeof(topics[0]))

/* ---- for people ---- */

static void list(struct shell *sh, const struct topic *t)
{
	struct texttab tab;
	struct buf b = {0};
	struct entry e;

	texttab_init(&tab, sh->s, sh->s->out_tty);
	texttab_col(&tab, "", 0);
	texttab_col(&tab, "", 0);
	if (t->entry == error_entry)
		texttab_col(&tab, "", 0);
	for (unsigned i = 0; t->entry(i, &e); i++) {
		texttab_str(&tab, e.name);
		if (e.code)
			texttab_str(&tab, e.code);
		texttab_str(&tab, e.brief);
	}
	texttab_print(&tab, false, 0, &b);
	fwrite(buf_str(&b), 1, b.len, sh->out);
	texttab_free(&tab);
	buf_free(&b);
}

static void overview(struct shell *sh)
{
	fputs("A pipeline is a source of events and the stages they flow through:\n"
	      "  sched_switch | count by next_comm | top 10\n"
	      "  sched_waking -> sched_switch on pid == next_pid | hist delta by next_comm\n"
	      "  syscall:* | where ret < 0 | count by name, ret.errno\n\n"
	      "help TOPIC, where TOPIC is one of these, or the name of anything in them:\n",
	      sh->out);
	for (size_t i = 0; i < NTOPICS; i++)
		fprintf(sh->out, "  %-10s %s\n", topics[i].name, topics[i].brief);
}

/* Everything of this name: a stage and a command may share one. */
static bool one(struct shell *sh, const char *name)
{
	bool found = false;
	struct entry e;

	for (size_t t = 0; t < NTOPICS; t++) {
		for (unsigned i = 0; topics[t].entry(i, &e); i++) {
			size_t n = strcspn(e.name, "(");

			if (strncmp(e.name, name, n) != 0 || name[n])
				continue;
			fprintf(sh->out, "%s%s\n    %s\n", found ? "\n" : "", e.usage, e.brief);
			if (e.help && e.help[0])
				fprintf(sh->out, "    %s\n", e.help);
			found = true;
		}
	}
	return found;
}

/* ---- for man(1) ---- */

static void troff(FILE *f, const char *s)
{
	bool start = true;

	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", f);
		start = *s == '\n';
		if (*s == '\\')
			fputs("\\e", f);
		else if (*s == '-')
			fputs("\\-", f);
		else if (*s == '`')
			fputs("\\(ga", f);
		else
			fputc(*s, f);
	}
	fputc('\n', f);
}

static void man(struct shell *sh, const struct topic *t)
{
	struct entry e;

	for (unsigned i = 0; t->entry(i, &e); i++) {
		fputs(".TP\n.B ", sh->out);
		troff(sh->out, e.usage);
		troff(sh->out, e.brief);
		if (e.help && e.help[0]) {
			fputs(".br\n", sh->out);
			troff(sh->out, e.help);
		}
	}
}

static int run(struct shell *sh, const struct node *cmd)
{
	const char *names[NTOPICS];
	struct diag *g;
	size_t n;
	const char **w = cmd_words(sh, cmd, 0, 2, &n);
	bool as_man;

	if (!w)
		return 1;
	as_man = n == 2 && strcmp(w[0], "--man") == 0;
	if (n == 0) {
		overview(sh);
		return 0;
	}
	for (size_t i = 0; i < NTOPICS; i++) {
		names[i] = topics[i].name;
		if (strcmp(topics[i].name, w[n - 1]) != 0)
			continue;
		if (as_man)
			man(sh, &topics[i]);
		else
			list(sh, &topics[i]);
		return 0;
	}
	if (one(sh, w[0]))
		return 0;
	g = diag_error(sh->s->diags, "bad-arguments", cmd->kids[n - 1]->span, "no help on '%s'",
		       w[n - 1]);
	if (!diag_nearest(sh->s->diags, g, w[n - 1], names, NTOPICS))
		diag_hint(sh->s->diags, g, "help lists the topics");
	return 1;
}

const struct command cmd_help = {
	{"help", CMD_WORDS},
	"help [TOPIC]",
	"help on a topic or on anything by name",
	"Example: help stages; help hist; help errors",
	run,
};
