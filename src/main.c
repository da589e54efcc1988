/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the command line, then the shell with the runner of run.c. */
#include "base/io.h"
#include "base/sig.h"
#include "base/units.h"
#include "emit/emit.h"
#include "run.h"
#include "shell/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage_text[] =
	"usage: tracesh [options] [SCRIPT [ARG...]]\n"
	"  -e TEXT            run TEXT (may repeat; all are one script)\n"
	"  -i FILE            read trace.dat FILE instead of this kernel (may repeat: merged by "
	"time)\n"
	"  -f FORMAT          output format: table, csv, json or plot\n"
	"  -o FILE            write results to FILE\n"
	"  -n, --explain      print the plan, change nothing\n"
	"      --for DUR      end each pipeline after DUR (10s, 500ms)\n"
	"  -p PID[,PID]       only these tasks\n"
	"  -c CMD             run `sh -c CMD` once armed; its end ends the run\n"
	"      --children     only CMD (or PID) and all its descendants\n"
	"      --ready-fd N   write a byte to descriptor N once armed\n"
	"      --emit KIND    compile the script: sh, bootconfig or cmdline\n"
	"      --set NAME=VALUE  a setting, as the command set (tracesh -e 'help settings')\n"
	"      --tracefs DIR  where tracefs is mounted\n"
	"      --btf FILE     types of the kernel\n"
	"      --plain        no block characters, no colour\n"
	"  -q, -v             quiet, verbose\n"
	"      --version, --help\n"
	"Without SCRIPT or -e: standard input, a prompt where it is a terminal.\n"
	"Exit status: 0 done, 1 script wrong, 2 usage, 3 refused by kernel or file, 4 not all "
	"undone,\n"
	"5 events lost or input cut short.\n";

enum {
	O_FOR = 256,
	O_CHILDREN,
	O_READY,
	O_EMIT,
	O_SET,
	O_TRACEFS,
	O_BTF,
	O_PLAIN,
	O_VERSION,
	O_HELP
};

static const struct option longs[] = {
	{"explain", no_argument, NULL, 'n'},
	{"for", required_argument, NULL, O_FOR},
	{"children", no_argument, NULL, O_CHILDREN},
	{"ready-fd", required_argument, NULL, O_READY},
	{"emit", required_argument, NULL, O_EMIT},
	{"set", required_argument, NULL, O_SET},
	{"tracefs", required_argument, NULL, O_TRACEFS},
	{"btf", required_argument, NULL, O_BTF},
	{"plain", no_argument, NULL, O_PLAIN},
	{"version", no_argument, NULL, O_VERSION},
	{"help", no_argument, NULL, O_HELP},
	{NULL, 0, NULL, 0},
};

struct options {
	struct buf text; /* all -e, one a line */
	bool have_text;
	struct shell *sh;
};

static int usage_error(const char *fmt, const char *what)
{
	fputs("tracesh: ", stderr);
	fprintf(stderr, fmt, what);
	fputs("\ntry 'tracesh --help'\n", stderr);
	return 2;
}

/* A setting given as an option: the message goes without a place. */
static int set_option(struct shell *sh, const char *name, const char *value)
{
	struct arena *a = arena_new();
	struct diags d;
	struct buf out = {0};
	int rc;

	diags_init(&d, a);
	rc = setting_apply(sh->s, &d, name, value, (struct span){0});
	if (rc) {
		diags_render(&d, false, &out);
		fputs(buf_str(&out), stderr);
	}
	buf_free(&out);
	arena_free(a);
	return rc ? 2 : 0;
}

static int set_pair(struct shell *sh, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *name;
	int rc;

	if (!eq)
		return usage_error("--set wants NAME=VALUE, not '%s'", arg);
	name = xstrdup(arg);
	name[eq - arg] = 0;
	rc = set_option(sh, name, eq + 1);
	free(name);
	return rc;
}

static void add_file(struct shell *sh, const char *path)
{
	sh->files = xrealloc(sh->files, (sh->nfiles + 1) * sizeof(*sh->files));
	sh->files[sh->nfiles++] = xstrdup(path);
}

static void version(void)
{
	puts("tracesh " TRACESH_VERSION);
	puts("built with: libtracefs libtraceevent libtracecmd readline pcre2 zstd libelf");
	puts("licence: GPL-3.0-or-later");
}

/* One option; 0 goes on, -1 end with status 0, else the exit status. */
static int option(struct options *o, int c)
{
	struct shell *sh = o->sh;
	struct session *s = sh->s;
	uint64_t v;

	switch (c) {
	case 'e':
		buf_puts(&o->text, optarg);
		buf_putc(&o->text, '\n');
		o->have_text = true;
		return 0;
	case 'i': add_file(sh, optarg); return 0;
	case 'f': return set_option(sh, "format", optarg);
	case 'o': sh->out_path = optarg; return 0;
	case 'n': sh->explain_only = true; return 0;
	case 'p': return set_option(sh, "pid", optarg);
	case 'c': sh->child_cmd = optarg; return 0;
	case 'q': s->verbosity = -1; return 0;
	case 'v': s->verbosity = 1; return 0;
	case O_FOR:
		if (parse_duration(optarg, &s->set.for_ns) || !s->set.for_ns)
			return usage_error("--for wants a duration such as 10s, not '%s'", optarg);
		return 0;
	case O_CHILDREN: s->set.children = true; return 0;
	case O_READY:
		if (parse_u64(optarg, &v) || v > 1023 || fcntl((int)v, F_GETFD) < 0)
			return usage_error("--ready-fd wants an open descriptor, not '%s'", optarg);
		sh->ready_fd = (int)v;
		return 0;
	case O_EMIT:
		sh->emit = emit_find(optarg);
		if (!sh->emit)
			return usage_error("--emit does not know '%s'", optarg);
		sh->mode = SHELL_EMIT;
		return 0;
	case O_SET: return set_pair(sh, optarg);
	case O_TRACEFS: return set_option(sh, "tracefs", optarg);
	case O_BTF: return set_option(sh, "btf", optarg);
	case O_PLAIN: s->set.plain = true; return 0;
	case O_VERSION: version(); return -1;
	case O_HELP: fputs(usage_text, stdout); return -1;
	}
	fputs("try 'tracesh --help'\n", stderr);
	return 2;
}

static int run_file(struct shell *sh, const char *path)
{
	struct buf b = {0};
	struct source src;
	int rc = io_read_file(path, &b, 16 << 20);

	if (rc) {
		fprintf(stderr, "tracesh: cannot read '%s': %s\n", path, strerror(-rc));
		buf_free(&b);
		return 3;
	}
	sh->script = path;
	src = (struct source){.name = path, .text = buf_str(&b), .len = (uint32_t)b.len};
	rc = shell_text(sh, &src);
	buf_free(&b);
	return rc;
}

static int run_stdin(struct shell *sh)
{
	struct buf b = {0};
	struct source src;
	int rc;

	if (isatty(STDIN_FILENO))
		return shell_prompt(sh);
	rc = io_read_fd(STDIN_FILENO, &b, 16 << 20);
	if (rc) {
		fprintf(stderr, "tracesh: cannot read standard input: %s\n", strerror(-rc));
		buf_free(&b);
		return 3;
	}
	src = (struct source){.name = "<stdin>", .text = buf_str(&b), .len = (uint32_t)b.len};
	rc = shell_text(sh, &src);
	buf_free(&b);
	return rc;
}

static int run(struct options *o, int argc, char **argv)
{
	struct shell *sh = o->sh;

	if (sh->out_path) {
		sh->out = fopen(sh->out_path, "we");
		if (!sh->out) {
			fprintf(stderr, "tracesh: cannot write '%s': %s\n", sh->out_path,
				strerror(errno));
			return 3;
		}
		sh->s->out_tty = false;
	}
	if (o->have_text) {
		struct source src = {
			.name = "-e", .text = buf_str(&o->text), .len = (uint32_t)o->text.len};

		shell_args(sh, argc, argv);
		return shell_text(sh, &src);
	}
	shell_args(sh, argc, argv);
	return argc > 0 ? run_file(sh, argv[0]) : run_stdin(sh);
}

int main(int argc, char **argv)
{
	struct session s;
	struct options o = {0};
	int c, rc = 0;

	setlocale(LC_CTYPE, "");
	session_init(&s);
	sig_setup();
	o.sh = shell_new(&s, &run_runner);
	o.sh->catalog_dir = getenv("TRACESH_CATALOG_DIR");
	while (!rc && (c = getopt_long(argc, argv, "+e:i:f:o:np:c:qv", longs, NULL)) != -1)
		rc = option(&o, c);
	if (!rc)
		rc = run(&o, argc - optind, argv + optind);
	else if (rc < 0)
		rc = 0;
	if (fflush(stdout) && !rc)
		rc = 3;
	shell_free(o.sh);
	buf_free(&o.text);
	session_free(&s);
	return rc;
}
