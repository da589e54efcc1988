/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking at what tracefs offers. Reads only; knows nothing of plans. */
#include "catalog/caps.h"

#include "base/buf.h"
#include "base/io.h"
#include "catalog/internal.h"

#include <string.h>
#include <unistd.h>

const struct cap_row cap_rows[CAP_COUNT] = {
	{CAP_EVENTS, "trace events", "CONFIG_EVENT_TRACING",
	 "nothing live; trace.dat files still work"},
	{CAP_INSTANCES, "buffer instances", "CONFIG_TRACING",
	 "nothing live: others' tracing is not touched"},
	{CAP_RAW_PIPE, "binary ring buffer (trace_pipe_raw)", "CONFIG_TRACING", "nothing live"},
	{CAP_EVENT_PID, "tracing by task (set_event_pid)", "CONFIG_EVENT_TRACING",
	 "all tasks are traced, others' events are dropped in tracesh"},
	{CAP_NOTRACE_PID, "leaving tasks out (set_event_notrace_pid)", "Linux 5.7 or later",
	 "tracesh's own events are dropped after reading"},
	{CAP_ERROR_LOG, "the kernel's own words on errors (error_log)", "Linux 5.2 or later",
	 "only the errno is shown"},
	{CAP_SNAPSHOT, "snapshots", "CONFIG_TRACER_SNAPSHOT",
	 "the buffer is read when the event is seen"},
	{CAP_MARKER, "user markers (trace_marker)", "CONFIG_TRACING", "nothing"},
	{CAP_HIST, "histogram triggers", "CONFIG_HIST_TRIGGERS",
	 "tables are made by tracesh from the events"},
	{CAP_HIST_BUCKETS, "linear buckets in histogram triggers", "Linux 5.15 or later",
	 "`hist ... step` runs in tracesh"},
	{CAP_HIST_PERCENT, ".percent and .graph", "Linux 6.3 or later",
	 "tracesh computes shares itself"},
	{CAP_HIST_STACK, "stacks as histogram keys", "CONFIG_HIST_TRIGGERS, CONFIG_STACKTRACE",
	 "stacks are recorded with each event"},
	{CAP_HIST_COMM, "common_comm as a histogram key", "a newer kernel",
	 "names are looked up by pid"},
	{CAP_SYNTH, "synthetic events", "CONFIG_SYNTH_EVENTS",
	 "pairs are made by tracesh from the events"},
	{CAP_KPROBES, "kprobe events", "CONFIG_KPROBE_EVENTS",
	 "kprobe: is refused; see what `ls` offers"},
	{CAP_UPROBES, "uprobe events", "CONFIG_UPROBE_EVENTS", "uprobe: and usdt: are refused"},
	{CAP_EPROBES, "event probes", "CONFIG_DYNAMIC_EVENTS, Linux 5.15 or later",
	 "eprobe: is refused"},
	{CAP_FPROBES, "fprobe events", "CONFIG_FPROBE_EVENTS",
	 "kprobe: and kretprobe: do the same, slower"},
	{CAP_TPROBES, "events on bare tracepoints", "CONFIG_FPROBE_EVENTS, Linux 6.5 or later",
	 "tprobe: is refused"},
	{CAP_BTF_ARGS, "function arguments by name", "CONFIG_PROBE_EVENTS_BTF_ARGS",
	 "arg1 .. argN and offsets from a BTF file"},
	{CAP_SYMSTR, "addresses recorded as symbols (symstr)", "Linux 6.1 or later",
	 "addresses are looked up in kallsyms"},
	{CAP_FUNC_ARGS, "function arguments by number (arg1 .. argN)",
	 "an architecture with CONFIG_HAVE_FUNCTION_ARG_ACCESS_API", "reg(NAME) reads a register"},
	{CAP_BTF, "types of the kernel (/sys/kernel/btf/vmlinux)", "CONFIG_DEBUG_INFO_BTF",
	 "give a BTF file with --btf"},
	{CAP_FUNCTION, "function tracer", "CONFIG_FUNCTION_TRACER",
	 "kprobe:GLOB where kprobes exist"},
	{CAP_GRAPH, "function_graph tracer", "CONFIG_FUNCTION_GRAPH_TRACER",
	 "kprobe and kretprobe in a pair"},
	{CAP_FUNCTION_LIST, "list of traceable functions", "CONFIG_DYNAMIC_FTRACE",
	 "names are taken from kallsyms"},
	{CAP_SYSCALL_EVENTS, "an event for each system call", "CONFIG_FTRACE_SYSCALLS",
	 "syscall: works over raw_syscalls, arguments by number"},
	{CAP_SYMBOLS, "kernel addresses in kallsyms", "kernel.kptr_restrict = 0 or root",
	 "addresses stay numbers"},
	{CAP_NO_LOCKDOWN, "no lockdown in the way", "lockdown=none or integrity",
	 "tracefs cannot be opened under lockdown=confidentiality"},
};

struct probe {
	struct arena *a;
	const char *dir;
	const char *readme;
};

static bool have(const struct probe *p, const char *file)
{
	struct buf b = {0};
	bool ok;

	buf_printf(&b, "%s/%s", p->dir, file);
	ok = access(b.p, F_OK) == 0;
	buf_free(&b);
	return ok;
}

static const char *slurp(const struct probe *p, const char *dir, const char *file)
{
	struct buf path = {0}, b = {0};
	const char *s;

	buf_printf(&path, "%s/%s", dir, file);
	io_read_file(path.p, &b, 1 << 20);
	while (b.len && b.p[b.len - 1] == '\n')
		b.p[--b.len] = 0;
	s = arena_strdup(p->a, buf_str(&b));
	buf_free(&path);
	buf_free(&b);
	return s;
}

static bool says(const struct probe *p, const char *words)
{
	return strstr(p->readme, words) != NULL;
}

static bool word_in(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *s = list; (s = strstr(s, word)) != NULL; s += n) {
		if ((s == list || s[-1] == ' ') && (s[n] == 0 || s[n] == ' ' || s[n] == '\n'))
			return true;
	}
	return false;
}

/* The first symbol's address is zero when kptr_restrict hides them. */
static bool symbols_shown(void)
{
	struct buf b = {0};
	bool shown = false;

	io_read_file("/proc/kallsyms", &b, 4096);
	for (size_t i = 0; i < b.len && b.p[i] != ' '; i++)
		shown |= b.p[i] != '0';
	buf_free(&b);
	return shown;
}

struct caps *caps_probe(struct arena *a, const char *tracefs)
{
	struct caps *c = ARENA_NEW(a, struct caps);
	struct probe p = {.a = a, .dir = tracefs};
	const char *tracers;
	bool *h = c->has;

	p.readme = slurp(&p, tracefs, "README");
	tracers = slurp(&p, tracefs, "available_tracers");
	c->clocks = slurp(&p, tracefs, "trace_clock");
	h[CAP_EVENTS] = have(&p, "events");
	h[CAP_INSTANCES] = have(&p, "instances");
	h[CAP_RAW_PIPE] = have(&p, "per_cpu/cpu0/trace_pipe_raw");
	h[CAP_EVENT_PID] = have(&p, "set_event_pid");
	h[CAP_NOTRACE_PID] = have(&p, "set_event_notrace_pid");
	h[CAP_ERROR_LOG] = have(&p, "error_log");
	h[CAP_SNAPSHOT] = have(&p, "snapshot");
	h[CAP_MARKER] = have(&p, "trace_marker");
	h[CAP_HIST] = says(&p, "hist trigger") || have(&p, "events/sched/sched_switch/hist");
	h[CAP_HIST_BUCKETS] = h[CAP_HIST] && says(&p, ".buckets=");
	h[CAP_HIST_PERCENT] = h[CAP_HIST] && says(&p, ".percent");
	h[CAP_HIST_STACK] = h[CAP_HIST] && says(&p, "stacktrace");
	h[CAP_HIST_COMM] = h[CAP_HIST] && says(&p, "common_comm");
	h[CAP_SYNTH] = have(&p, "synthetic_events");
	h[CAP_KPROBES] = have(&p, "kprobe_events");
	h[CAP_UPROBES] = have(&p, "uprobe_events");
	h[CAP_EPROBES] =
		have(&p, "dynamic_events") && says(&p, "<attached-group>.<attached-event>");
	h[CAP_FPROBES] = says(&p, "f[:[<group>/][<event>]]") || says(&p, "f[<maxactive>]");
	h[CAP_TPROBES] = says(&p, "t[:[<group>/][<event>]]");
	h[CAP_BTF_ARGS] = says(&p, "<argname>") || says(&p, "$arg*");
	h[CAP_SYMSTR] = says(&p, "symstr");
	h[CAP_FUNC_ARGS] = says(&p, "$arg<N>");
	h[CAP_BTF] = access("/sys/kernel/btf/vmlinux", R_OK) == 0;
	h[CAP_FUNCTION] = word_in(tracers, "function");
	h[CAP_GRAPH] = word_in(tracers, "function_graph");
	h[CAP_FUNCTION_LIST] = have(&p, "available_filter_functions");
	h[CAP_SYSCALL_EVENTS] = have(&p, "events/syscalls");
	h[CAP_SYMBOLS] = symbols_shown();
	c->lockdown = slurp(&p, "/sys/kernel/security", "lockdown");
	h[CAP_NO_LOCKDOWN] = strstr(c->lockdown, "[confidentiality]") == NULL;
	return c;
}

const struct caps *catalog_caps(struct catalog *c)
{
	const struct origin *o = catalog_origin(c, 0);
	struct caps *all;

	if (c->caps)
		return c->caps;
	if (o && o->kind != ORIGIN_FILE) {
		struct buf path = {0}, readme = {0};

		buf_printf(&path, "%s/README", o->path);
		io_read_file(path.p, &readme, 1 << 20);
		if (o->kind == ORIGIN_LIVE || strstr(buf_str(&readme), "tracing mini-HOWTO"))
			c->caps = caps_probe(c->arena, o->path);
		buf_free(&path);
		buf_free(&readme);
	}
	if (!c->caps) {
		all = ARENA_NEW(c->arena, struct caps);
		for (unsigned i = 0; i < CAP_COUNT; i++)
			all->has[i] = true;
		all->clocks = all->lockdown = "";
		c->caps = all;
	}
	return c->caps;
}
