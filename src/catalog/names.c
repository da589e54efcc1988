/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Look-ups in the tables of names. Knows no catalog. */
#include "catalog/names.h"

#include "catalog/syscall_names.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define HOST_ARCH "x86_64"
#elif defined(__i386__)
#define HOST_ARCH "i386"
#elif defined(__aarch64__)
#define HOST_ARCH "aarch64"
#elif defined(__arm__)
#define HOST_ARCH "arm"
#else
#define HOST_ARCH "riscv64"
#endif

static const struct syscall_table *table(const char *arch)
{
	if (!arch)
		arch = HOST_ARCH;
	if (strncmp(arch, "arm64", 5) == 0)
		arch = "aarch64";
	for (const struct syscall_table *t = syscall_tables; t->arch; t++) {
		if (strcmp(t->arch, arch) == 0)
			return t;
		/* uname -m says i586, i686, armv7l */
		if (strcmp(t->arch, "i386") == 0 && arch[0] == 'i' && arch[1] &&
		    strcmp(arch + 2, "86") == 0)
			return t;
		if (strcmp(t->arch, "arm") == 0 && strncmp(arch, "armv", 4) == 0)
			return t;
	}
	return NULL;
}

const char *syscall_name(const char *arch, unsigned nr)
{
	const struct syscall_table *t = table(arch);

	return t && nr < t->n ? t->names[nr] : NULL;
}

int syscall_nr(const char *arch, const char *name)
{
	const struct syscall_table *t = table(arch);

	for (unsigned i = 0; t && i < t->n; i++) {
		if (t->names[i] && strcmp(t->names[i], name) == 0)
			return (int)i;
	}
	return -1;
}

/* Linux errnos beyond libc's reach: kernel-internal ones that syscalls are seen to return in
 * traces. */
const char *errno_name(int e)
{
	switch (e) {
	case 512: return "ERESTARTSYS";
	case 513: return "ERESTARTNOINTR";
	case 514: return "ERESTARTNOHAND";
	case 515: return "ENOIOCTLCMD";
	case 516: return "ERESTART_RESTARTBLOCK";
	case 517: return "EPROBE_DEFER";
	case 524: return "ENOTSUPP";
	case 529: return "EIOCBQUEUED";
	}
	return e > 0 ? strerrorname_np(e) : NULL;
}

const char *signal_name(int sig)
{
	/* clang-format off */
	static const char *const names[] = {
		NULL, "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
		"SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
		"SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
		"SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS",
	};
	/* clang-format on */
	return sig > 0 && (size_t)sig < sizeof(names) / sizeof(names[0]) ? names[sig] : NULL;
}
