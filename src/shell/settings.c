/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings: rows of name, range, help. A new setting is a field of struct settings and a row
 * here. */
#include "shell/shell.h"

#include "base/io.h"
#include "base/units.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kinds of values ---- */

static int size_between(const char *v, uint64_t lo, uint64_t hi, uint64_t *out)
{
	uint64_t n;

	if (parse_size(v, &n) || n < lo || n > hi)
		return -1;
	*out = n;
	return 0;
}

static int on_off(const char *v, bool *out)
{
	if (strcmp(v, "on") && strcmp(v, "off"))
		return -1;
	*out = strcmp(v, "on") == 0;
	return 0;
}

static int one_of(const char *v, const char *const *names, unsigned *out)
{
	for (unsigned i = 0; names[i]; i++) {
		if (strcmp(names[i], v) == 0) {
			*out = i;
			return 0;
		}
	}
	return -1;
}

static int text_into(const char *v, char *dst, size_t size)
{
	if (strlen(v) >= size)
		return -1;
	strcpy(dst, v);
	return 0;
}

static void show_size(uint64_t n, struct buf *b)
{
	static const struct {
		const char *unit;
		unsigned shift;
	} u[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

	for (unsigned i = 0; i < 3; i++) {
		if (n >> u[i].shift && !(n & ((1ull << u[i].shift) - 1))) {
			buf_printf(b, "%llu%s", (unsigned long long)(n >> u[i].shift), u[i].unit);
			return;
		}
	}
	buf_printf(b, "%llu", (unsigned long long)n);
}

/* ---- the settings ---- */

static int set_buffer(struct session *s, const char *v, const char **why)
{
	*why = "a size from 4KiB to 64GiB";
	return size_between(v, 4096, 64ull << 30, &s->set.buffer);
}

static void show_buffer(const struct session *s, struct buf *b)
{
	show_size(s->set.buffer, b);
}

static int set_maxactive(struct session *s, const char *v, const char **why)
{
	char *end;
	unsigned long n = strtoul(v, &end, 10);

	*why = "a number from 0 to 4096; 0 leaves it to the kernel";
	if (!isdigit((unsigned char)*v) || *end || n > 4096)
		return -1;
	s->set.maxactive = (unsigned)n;
	return 0;
}

static void show_maxactive(const struct session *s, struct buf *b)
{
	buf_printf(b, "%u", s->set.maxactive);
}

static int set_maxmem(struct session *s, const char *v, const char **why)
{
	*why = "a size from 64KiB to 1TiB";
	return size_between(v, 64 << 10, 1ull << 40, &s->set.maxmem);
}

static void show_maxmem(const struct session *s, struct buf *b)
{
	show_size(s->set.maxmem, b);
}

/* the kernel's limits; it rounds up to a power of two */
static int set_histsize(struct session *s, const char *v, const char **why)
{
	char *end;
	unsigned long n = strtoul(v, &end, 10);

	*why = "a number from 128 to 131072";
	if (!isdigit((unsigned char)*v) || *end || n < 128 || n > 131072)
		return -1;
	s->set.histsize = (unsigned)n;
	return 0;
}

static void show_histsize(const struct session *s, struct buf *b)
{
	buf_printf(b, "%u", s->set.histsize);
}

static int set_clock(struct session *s, const char *v, const char **why)
{
	*why = "the name of a trace clock (mono, boot, local, global ...)";
	for (const char *p = v; *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return -1;
	}
	return *v ? text_into(v, s->set.clock, sizeof(s->set.clock)) : -1;
}

static void show_clock(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.clock);
}

static int set_pid(struct session *s, const char *v, const char **why)
{
	pid_t *pids = NULL;
	unsigned n = 0;

	*why = "task ids, separated by commas, or off";
	if (strcmp(v, "off") != 0) {
		while (*v) {
			char *end;
			long id = strtol(v, &end, 10);

			if (end == v || id <= 0 || id > 1 << 22 || (*end && *end != ',')) {
				free(pids);
				return -1;
			}
			pids = xrealloc(pids, (n + 1) * sizeof(*pids));
			pids[n++] = (pid_t)id;
			v = *end ? end + 1 : end;
		}
		if (!n)
			return -1;
	}
	free(s->set.pids);
	s->set.pids = pids;
	s->set.npids = n;
	return 0;
}

static void show_pid(const struct session *s, struct buf *b)
{
	if (!s->set.npids)
		buf_puts(b, "off");
	for (unsigned i = 0; i < s->set.npids; i++)
		buf_printf(b, "%s%d", i ? "," : "", (int)s->set.pids[i]);
}

/* a directory of tasks, as written or below where control groups are mounted */
static int set_cgroup(struct session *s, const char *v, const char **why)
{
	static const char *const roots[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};
	static const char *const files[] = {"cgroup.threads", "tasks"};
	char path[sizeof(s->set.cgroup) + 16];

	*why = "the directory of a control group, or off";
	if (strcmp(v, "off") == 0) {
		s->set.cgroup[0] = 0;
		return 0;
	}
	for (size_t i = 0; i < 6 && *v; i++) {
		const char *root = roots[i / 2];
		size_t skip = *root ? strspn(v, "/") : 0;
		int n = snprintf(path, sizeof(path), "%s%s", root, v + skip), dir;

		if (n < 0 || (size_t)n >= sizeof(s->set.cgroup))
			continue;
		while (n > 1 && path[n - 1] == '/')
			n--;
		dir = n;
		snprintf(path + n, sizeof(path) - (size_t)n, "/%s", files[i % 2]);
		if (access(path, F_OK) != 0)
			continue;
		path[dir] = 0;
		return text_into(path, s->set.cgroup, sizeof(s->set.cgroup));
	}
	return -1;
}

static void show_cgroup(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.cgroup[0] ? s->set.cgroup : "off");
}

static int set_kernel(struct session *s, const char *v, const char **why)
{
	unsigned major, minor;
	int end = 0;

	*why = "a version such as 6.12, or running";
	if (strcmp(v, "running") == 0) {
		s->set.kernel[0] = '\0';
		return 0;
	}
	if (sscanf(v, "%u.%u%n", &major, &minor, &end) != 2 || v[end] || minor > 99)
		return -1;
	return text_into(v, s->set.kernel, sizeof(s->set.kernel));
}

static void show_kernel(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.kernel[0] ? s->set.kernel : "running");
}

static int set_children(struct session *s, const char *v, const char **why)
{
	*why = "on or off";
	return on_off(v, &s->set.children);
}

static void show_children(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.children ? "on" : "off");
}

static int set_scope(struct session *s, const char *v, const char **why)
{
	static const char *const names[] = {"all", "run", NULL};
	unsigned i;

	*why = "all or run";
	if (one_of(v, names, &i))
		return -1;
	s->set.scope_run = i == 1;
	return 0;
}

static void show_scope(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.scope_run ? "run" : "all");
}

static int set_cpus(struct session *s, const char *v, const char **why)
{
	*why = "a list of CPUs such as 0-3,5, or all";
	if (strcmp(v, "all") == 0) {
		s->set.cpus[0] = 0;
		return 0;
	}
	for (const char *p = v; *p;) {
		char *end;
		long a, b;

		if (!isdigit((unsigned char)*p))
			return -1;
		a = b = strtol(p, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return -1;
			b = strtol(end + 1, &end, 10);
		}
		if (a > b || b > 65535 || (*end && (*end != ',' || !end[1])))
			return -1;
		p = *end ? end + 1 : end;
	}
	return *v ? text_into(v, s->set.cpus, sizeof(s->set.cpus)) : -1;
}

static void show_cpus(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.cpus[0] ? s->set.cpus : "all");
}

static int set_pushdown(struct session *s, const char *v, const char **why)
{
	*why = "on, off or both";
	s->set.push_both = strcmp(v, "both") == 0;
	return on_off(s->set.push_both ? "on" : v, &s->set.pushdown);
}

static void show_pushdown(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.push_both ? "both" : s->set.pushdown ? "on" : "off");
}

static int set_unit(struct session *s, const char *v, const char **why)
{
	static const char *const names[] = {"auto", "ns", "us", "ms", "s", NULL};
	unsigned i;

	*why = "ns, us, ms, s or auto";
	if (one_of(v, names, &i))
		return -1;
	return text_into(i ? v : "", s->set.unit, sizeof(s->set.unit));
}

static void show_unit(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.unit[0] ? s->set.unit : "auto");
}

static const char *const formats[] = {"auto", "table", "csv", "json", "plot", NULL};

static int set_format(struct session *s, const char *v, const char **why)
{
	unsigned i;

	*why = "table, csv, json, plot or auto";
	if (one_of(v, formats, &i))
		return -1;
	s->set.format = (enum out_format)i;
	return 0;
}

static void show_format(const struct session *s, struct buf *b)
{
	buf_puts(b, formats[s->set.format]);
}

static const char *const readers[] = {"auto", "native", "libtracecmd", NULL};

static int set_reader(struct session *s, const char *v, const char **why)
{
	unsigned i;

	*why = "auto, native or libtracecmd";
	if (one_of(v, readers, &i))
		return -1;
	s->set.reader = (enum reader_kind)i;
	return 0;
}

static void show_reader(const struct session *s, struct buf *b)
{
	buf_puts(b, readers[s->set.reader]);
}

static int set_compress(struct session *s, const char *v, const char **why)
{
	static const char *const names[] = {"none", "zstd", NULL};
	unsigned i;

	*why = "none or zstd";
	if (one_of(v, names, &i))
		return -1;
	return text_into(i ? v : "", s->set.compress, sizeof(s->set.compress));
}

static void show_compress(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.compress[0] ? s->set.compress : "none");
}

static int set_tracefs(struct session *s, const char *v, const char **why)
{
	*why = "a directory where tracefs is mounted";
	return *v ? text_into(v, s->set.tracefs, sizeof(s->set.tracefs)) : -1;
}

static void show_tracefs(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.tracefs[0] ? s->set.tracefs : "auto");
}

static int set_btf(struct session *s, const char *v, const char **why)
{
	*why = "a readable file";
	if (access(v, R_OK) != 0)
		return -1;
	return text_into(v, s->set.btf, sizeof(s->set.btf));
}

static void show_btf(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.btf[0] ? s->set.btf : "auto");
}

static int set_threads(struct session *s, const char *v, const char **why)
{
	char *end;
	unsigned long n = strtoul(v, &end, 10);

	*why = "a number from 1 to 256, or auto";
	if (strcmp(v, "auto") == 0)
		n = 0;
	else if (!isdigit((unsigned char)*v) || *end || n < 1 || n > 256)
		return -1;
	s->set.threads = (unsigned)n;
	return 0;
}

static void show_threads(const struct session *s, struct buf *b)
{
	if (s->set.threads)
		buf_printf(b, "%u", s->set.threads);
	else
		buf_puts(b, "auto");
}

static int set_fastprint(struct session *s, const char *v, const char **why)
{
	bool fast;

	*why = "on or off";
	if (on_off(v, &fast))
		return -1;
	s->set.slow_print = !fast;
	return 0;
}

static void show_fastprint(const struct session *s, struct buf *b)
{
	buf_puts(b, s->set.slow_print ? "off" : "on");
}

const struct setting settings_rows[] = {
	{"buffer", "buffer SIZE", "ring buffer a CPU: larger loses less (8MiB)", set_buffer,
	 show_buffer},
	{"btf", "btf FILE", "types of the kernel, where it does not give its own", set_btf,
	 show_btf},
	{"cgroup", "cgroup PATH|off",
	 "trace only the tasks of a control group and those they start", set_cgroup, show_cgroup},
	{"children", "children on|off", "follow the descendants of the traced tasks", set_children,
	 show_children},
	{"kernel", "kernel VERSION|running", "the kernel that emit compiles for", set_kernel,
	 show_kernel},
	{"clock", "clock NAME", "the trace clock: mono, boot, local, global ...", set_clock,
	 show_clock},
	{"compress", "compress none|zstd", "how recorded files are packed", set_compress,
	 show_compress},
	{"cpus", "cpus LIST|all", "trace only these CPUs (0-3,5)", set_cpus, show_cpus},
	{"fastprint", "fastprint on|off",
	 "events as text by compiled print formats; off: by libtraceevent alone", set_fastprint,
	 show_fastprint},
	{"format", "format auto|table|csv|json|plot", "how results are shown", set_format,
	 show_format},
	{"maxactive", "maxactive N",
	 "calls of a function that kretprobe: can follow at a time; more are missed and counted",
	 set_maxactive, show_maxactive},
	{"histsize", "histsize N", "entries of each histogram that the kernel keeps", set_histsize,
	 show_histsize},
	{"maxmem", "maxmem SIZE", "memory for all tables of a run; what does not fit is counted",
	 set_maxmem, show_maxmem},
	{"pid", "pid LIST|off", "trace only these tasks (12,13)", set_pid, show_pid},
	{"pushdown", "pushdown on|off|both",
	 "let the kernel count and filter where it can; both: tracesh counts as well, to compare",
	 set_pushdown, show_pushdown},
	{"reader", "reader auto|native|libtracecmd", "who reads trace.dat files", set_reader,
	 show_reader},
	{"scope", "scope all|run", "whom `run CMD` traces: everybody, or CMD and its children",
	 set_scope, show_scope},
	{"threads", "threads N|auto",
	 "threads that count over a file where order does not matter (one a processor)",
	 set_threads, show_threads},
	{"tracefs", "tracefs DIR", "where tracefs is mounted", set_tracefs, show_tracefs},
	{"unit", "unit auto|ns|us|ms|s", "unit of times in tables", set_unit, show_unit},
	{NULL, NULL, NULL, NULL, NULL},
};

int setting_apply(struct session *s, struct diags *d, const char *name, const char *value,
		  struct span at)
{
	const char *names[32], *why = "another value";
	struct diag *g;
	size_t n = 0;

	for (const struct setting *r = settings_rows; r->name; r++) {
		names[n++] = r->name;
		if (strcmp(r->name, name) != 0)
			continue;
		if (r->set(s, value, &why) == 0)
			return 0;
		diag_error(d, "bad-value", at, "'%s' is no value for %s: it wants %s", value, name,
			   why);
		return -1;
	}
	g = diag_error(d, "unknown-setting", at, "no setting '%s'", name);
	diag_nearest(d, g, name, names, n);
	return -1;
}
