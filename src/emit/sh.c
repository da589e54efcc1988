/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A POSIX script that does what a live run does with the kernel: arms, waits, prints, undoes. Made
 * for busybox ash: no commands but cat, sleep, mkdir and rmdir beside what the shell has built in.
 *
 * Its process id stands in all names, so that two of them do not meet. Signals only leave a note
 * that the wait looks at each second: nothing is ever half armed when the undoing begins. `n` is
 * the number of the last write that has an undo and was done.
 */
#include "emit/emit.h"

#include <string.h>

static const char *sh_id(struct arena *a, const char *script, const char *text)
{
	/* replaced by $id wherever it stands: a word that no script holds by chance */
	return arena_printf(a, "PID_of_%s",
			    emit_word(a, "", arena_printf(a, "%s\n%s", script, text)));
}

static const char *sh_refuse(const struct emit_input *in, const struct write *w)
{
	(void)in;
	if (w->text && strchr(w->text, '\n'))
		return "a text of several lines cannot be written by a shell in one piece";
	return NULL;
}

/* ---- words ---- */

/* 'text' with "$id" where the run's word stands */
static void put_word(const struct emit_input *in, struct buf *out, const char *t)
{
	size_t n = strlen(in->id);
	const char *at;

	for (; (at = strstr(t, in->id)); t = at + n) {
		struct buf b = {0};

		buf_add(&b, t, (size_t)(at - t));
		if (b.len)
			plan_quote(out, buf_str(&b));
		buf_puts(out, "\"$id\"");
		buf_free(&b);
	}
	if (*t)
		plan_quote(out, t);
}

static void put_path(const struct emit_input *in, struct buf *out, const char *path)
{
	buf_puts(out, "\"$T\"/");
	put_word(in, out, path);
}

/* Does every shell's echo print it as it is? */
static bool echo_safe(const char *t)
{
	return !strchr(t, '\\') && !(t[0] == '-' && t[1] && strchr("neE", t[1]));
}

/* The body of a here-document that is expanded, for $id. */
static void put_body(const struct emit_input *in, struct buf *out, const char *t)
{
	size_t n = strlen(in->id);

	while (*t) {
		if (strncmp(t, in->id, n) == 0) {
			buf_puts(out, "${id}");
			t += n;
			continue;
		}
		if (strchr("\\$`", *t))
			buf_putc(out, '\\');
		buf_putc(out, *t++);
	}
}

/* "echo TEXT > PATH" in the form that every shell writes in one piece; @quiet: a refusal is not
 * said; @tail goes to its line */
static void put_write(const struct emit_input *in, struct buf *out, enum write_kind kind,
		      const char *path, const char *text, bool quiet, const char *tail)
{
	const char *to = kind == WR_SET ? " > " : " >> ";
	/* first, as the shell says itself that it cannot open a file */
	const char *hush = quiet ? " 2>/dev/null" : "";

	if (echo_safe(text)) {
		buf_puts(out, "echo ");
		put_word(in, out, text);
		buf_puts(out, hush);
		buf_puts(out, to);
		put_path(in, out, path);
		buf_puts(out, tail);
		buf_putc(out, '\n');
		return;
	}
	buf_printf(out, "cat <<TRACESH_TEXT%s%s", hush, to);
	put_path(in, out, path);
	buf_puts(out, tail);
	buf_putc(out, '\n');
	put_body(in, out, text);
	buf_puts(out, "\nTRACESH_TEXT\n");
}

static bool ends_with(const char *t, const char *end)
{
	size_t n = strlen(t), k = strlen(end);

	return n >= k && strcmp(t + n - k, end) == 0;
}

/* The tasks kept out of a live run are tracesh's own: here it is the script. */
static const char *text_of(const struct emit_input *in, const struct write *w)
{
	return ends_with(w->path, "/set_event_notrace_pid") ? in->id : w->text;
}

/* ---- parts of the script ---- */

static void put_start(const struct emit_input *in, struct buf *out)
{
	buf_puts(out, "#!/bin/sh\n");
	emit_head(in, out);
	buf_puts(
		out,
		"# Stages marked `kernel` are carried out; for those marked `tracesh` the events "
		"are printed as the kernel\n"
		"# writes them. Needs root, a POSIX shell (busybox ash will do), cat, sleep, mkdir "
		"and rmdir.\n"
		"# usage: sh FILE [SECONDS]   (without: ");
	if (in->for_ns)
		buf_printf(out, "%llu",
			   (unsigned long long)((in->for_ns + 999999999) / 1000000000));
	else
		buf_puts(out, "until interrupted");
	buf_puts(out,
		 ")\n"
		 "#        sh FILE undo PID    (what a killed one left)\n"
		 "# status: 0 done, 2 usage, 3 the kernel refused something, 4 not all could be "
		 "undone\n"
		 "id=$$ n=0 stop= seconds=");
	if (in->for_ns)
		buf_printf(out, "%llu",
			   (unsigned long long)((in->for_ns + 999999999) / 1000000000));
	buf_puts(out,
		 "\nfor T in \"${TRACEFS:-/sys/kernel/tracing}\" /sys/kernel/debug/tracing ''; do\n"
		 "\t[ -d \"$T/instances\" ] && break\n"
		 "done\n"
		 "[ \"$T\" ] || { echo 'tracefs is not mounted: mount -t tracefs t "
		 "/sys/kernel/tracing' >&2; exit 3; }\n"
		 "say() { echo \"$*\" >&2; }\n");
}

/* Each step that was done, last first; `n` says how far it came. */
static void put_undo(const struct emit_input *in, struct buf *out)
{
	const struct plan *p = in->plan;

	buf_puts(out, "\nundo() {\n\ttrap '' INT TERM HUP\n\tleft=\n");
	for (size_t i = p->n; i-- > 0;) {
		const struct write *w = &p->v[i];

		if (!w->undo_path)
			continue;
		if (w->optional)
			buf_printf(out, "\tif [ \"$did%zu\" ]; then\n\t\t", i + 1);
		else
			buf_printf(out, "\tif [ $n -ge %zu ]; then\n\t\t", i + 1);
		if (w->undo_kind == WR_MKDIR) {
			buf_puts(out, "rmdir ");
			put_path(in, out, w->undo_path);
			buf_puts(out, " 2>/dev/null || { sleep 1; rmdir ");
			put_path(in, out, w->undo_path);
			buf_puts(out, "; } || left=1\n");
		} else {
			put_write(in, out, w->undo_kind, w->undo_path, w->undo_text, false,
				  " || left=1");
		}
		buf_puts(out, "\tfi\n");
	}
	buf_puts(out, "\t[ ! \"$left\" ] || say 'not all could be undone'\n}\n"
		      "# refused: what was done so far is undone\n"
		      "fail() {\n"
		      "\tsay \"refused: $1\"\n"
		      "\t[ ! -r \"$T/");
	buf_puts(out, "$I/error_log\" ] || cat \"$T/$I/error_log\" >&2\n"
		      "\tundo\n"
		      "\texit 3\n"
		      "}\n");
}

static void put_arm(const struct emit_input *in, struct buf *out, bool start)
{
	const struct plan *p = in->plan;

	for (size_t i = 0; i < p->n; i++) {
		const struct write *w = &p->v[i];
		struct buf tail = {0};

		if (w->start != start)
			continue;
		if (w->why)
			buf_printf(out, "# %s%s\n", w->why, w->optional ? ", if it can be" : "");
		if (w->optional && w->undo_path) {
			buf_printf(&tail, " && did%zu=1", i + 1);
		} else if (w->optional) {
			buf_puts(&tail, " || :");
		} else {
			buf_puts(&tail, " || fail ");
			put_word(in, &tail, w->path);
		}
		if (w->kind == WR_MKDIR) {
			buf_puts(out, "mkdir ");
			put_path(in, out, w->path);
			buf_printf(out, "%s\n", buf_str(&tail));
		} else {
			put_write(in, out, w->kind, w->path, text_of(in, w), w->optional,
				  buf_str(&tail));
		}
		if (w->undo_path && !w->optional)
			buf_printf(out, "n=%zu\n", i + 1);
		buf_free(&tail);
	}
}

static void put_wait(struct buf *out)
{
	buf_puts(out, "[ ! -t 2 ] || say \"armed${seconds:+ for $seconds s}, Ctrl-C ends it\"\n"
		      "while [ ! \"$stop\" ] && [ \"${seconds:-1}\" -gt 0 ]; do\n"
		      "\tsleep 1\n"
		      "\tseconds=${seconds:+$((seconds - 1))}\n"
		      "done\n");
}

static void put_stop(const struct emit_input *in, struct buf *out)
{
	const struct plan *p = in->plan;

	for (size_t i = p->n; i-- > 0;) {
		const struct write *w = &p->v[i];

		if (w->start && w->undo_path)
			put_write(in, out, w->undo_kind, w->undo_path, w->undo_text, false, "");
	}
}

/* Is this file of @p printed by a query before @q, or by an earlier one of @q's tables? */
static bool printed(const struct emit_input *in, unsigned q, size_t h)
{
	for (unsigned i = 0; i <= q; i++) {
		for (size_t k = 0; k < (i < q ? in->push[i].nh : h); k++) {
			const struct phist *o = &in->push[i].h[k];

			if (in->push[i].kernel && o->ev &&
			    strcmp(o->dir, in->push[q].h[h].dir) == 0)
				return true;
		}
	}
	return false;
}

static void put_results(const struct emit_input *in, struct buf *out)
{
	bool events = false;

	for (unsigned i = 0; i < in->n; i++) {
		const struct push *p = &in->push[i];

		events |= !p->kernel;
		for (size_t h = 0; p->kernel && h < p->nh; h++) {
			if (!p->h[h].ev || printed(in, i, h))
				continue;
			buf_puts(out, "cat ");
			put_path(
				in, out,
				arena_printf(in->a, "%s/%s/hist", in->plan->instance, p->h[h].dir));
			buf_putc(out, '\n');
		}
	}
	if (events)
		buf_puts(out, "cat \"$T/$I/trace\"\n");
}

static int sh_print(const struct emit_input *in, struct buf *out)
{
	put_start(in, out);
	buf_puts(out, "I=");
	put_word(in, out, in->plan->instance);
	buf_putc(out, '\n');
	put_undo(in, out);
	buf_printf(out,
		   "\ncase $1 in\n"
		   "undo)\n"
		   "\tid=$2 n=%zu\n\tI=",
		   in->plan->n);
	put_word(in, out, in->plan->instance);
	buf_puts(out, "\n"
		      "\t[ -d \"$T/$I\" ] || { say \"no $T/$I\"; exit 2; }\n"
		      "\tundo\n"
		      "\texit ${left:+4}\n"
		      "\t;;\n"
		      "'') ;;\n"
		      "*[!0-9]*)\n"
		      "\tsay \"usage: $0 [SECONDS]\"\n"
		      "\texit 2\n"
		      "\t;;\n"
		      "*) seconds=$1 ;;\n"
		      "esac\n"
		      "trap stop=1 INT TERM HUP\n\n");
	put_arm(in, out, false);
	put_arm(in, out, true);
	put_wait(out);
	put_stop(in, out);
	put_results(in, out);
	buf_puts(out, "undo\nexit ${left:+4}\n");
	return 0;
}

const struct emit_kind emit_sh = {
	"sh",
	"a POSIX script for busybox ash: arms, waits, prints, undoes",
	"For a machine that has only a shell. Histograms are printed as the kernel writes them, "
	"other "
	"pipelines as the text of their events. `for 10s` in the script sets how long it waits.",
	false,
	NULL,
	sh_id,
	sh_refuse,
	sh_print,
};
