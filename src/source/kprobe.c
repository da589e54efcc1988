/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kprobe: and kretprobe: events at functions of the kernel. */
#include "source/kfunc.h"

static const struct fetch_target at_entry = {.what = "a kprobe",
					     .regs = true,
					     .stack = true,
					     .typed = kfunc_typed,
					     .name = kfunc_param,
					     .list = kfunc_params};
static const struct fetch_target at_exit = {.what = "a kretprobe",
					    .regs = true,
					    .stack = true,
					    .retval = true,
					    .typed = kfunc_typed,
					    .name = kfunc_param,
					    .list = kfunc_params};

static struct src *check_entry(struct checker *ck, const struct node *n)
{
	static const struct kfunc_kind kind = {.kind = PROBE_KPROBE,
					       .letter = "p",
					       .cap = CAP_KPROBES,
					       .old_list = "kprobe_events",
					       .offset = true,
					       .t = &at_entry};

	return kfunc_check(ck, n, &kind);
}

static struct src *check_exit(struct checker *ck, const struct node *n)
{
	static const struct kfunc_kind kind = {.kind = PROBE_KRETPROBE,
					       .letter = "r",
					       .cap = CAP_KPROBES,
					       .old_list = "kprobe_events",
					       .maxactive = true,
					       .t = &at_exit};

	return kfunc_check(ck, n, &kind);
}

const struct source_kind source_kprobe = {
	.name = "kprobe",
	.usage = "kprobe:FUNC[+OFF](NAME = FETCH, ...)",
	.brief = "an event at a function of the kernel",
	.help = "Made and removed by tracesh; FUNC may be a pattern, `func` tells which. FETCH is "
		"arg1 .. argN,\n"
		"a member as in arg1->se.vruntime, reg(NAME), stack(N), sym(NAME), comm, or what "
		"lies "
		"behind a\n"
		"pointer: u8 .. s64(E + 8), str(E), ustr(E), bytes(E, N).\n"
		"  kprobe:do_sys_openat2(path = ustr(arg2)) | print comm, path\n"
		"  kprobe:vfs_* | count by func",
	.check = check_entry,
};

const struct source_kind source_kretprobe = {
	.name = "kretprobe",
	.usage = "kretprobe:FUNC(NAME = FETCH, ...)",
	.brief = "an event where a function of the kernel returns",
	.help = "`retval` is its value; arguments are there where the kernel keeps them. A "
		"function "
		"that runs more\n"
		"often at a time than `set maxactive` says is missed, which is counted and told.\n"
		"  kretprobe:vfs_read(ret = retval: s64) | where ret < 0 | count by comm",
	.check = check_exit,
};
