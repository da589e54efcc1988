/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fprobe: and fexit: events at functions of the kernel by way of the function tracer. */
#include "source/kfunc.h"

static const struct fetch_target at_entry = {.what = "an fprobe",
					     .stack = true,
					     .typed = kfunc_typed,
					     .name = kfunc_param,
					     .list = kfunc_params};
static const struct fetch_target at_exit = {.what = "an fexit probe",
					    .stack = true,
					    .retval = true,
					    .typed = kfunc_typed,
					    .name = kfunc_param,
					    .list = kfunc_params};

static struct src *check_entry(struct checker *ck, const struct node *n)
{
	static const struct kfunc_kind kind = {.kind = PROBE_FPROBE,
					       .letter = "f",
					       .cap = CAP_FPROBES,
					       .kernel_glob = true,
					       .t = &at_entry};

	return kfunc_check(ck, n, &kind);
}

static struct src *check_exit(struct checker *ck, const struct node *n)
{
	static const struct kfunc_kind kind = {.kind = PROBE_FEXIT,
					       .letter = "f",
					       .cap = CAP_FPROBES,
					       .place_suffix = "%return",
					       .kernel_glob = true,
					       .t = &at_exit};

	return kfunc_check(ck, n, &kind);
}

const struct source_kind source_fprobe = {
	.name = "fprobe",
	.usage = "fprobe:FUNC(NAME = FETCH, ...)",
	.brief = "like kprobe:, cheaper, at the beginning of functions only",
	.help = "FUNC may be a pattern: one event for all, `func` tells which.\n"
		"  fprobe:vfs_read(size = count) | hist size\n"
		"  fprobe:tcp_* | count by func | top 10",
	.check = check_entry,
};

const struct source_kind source_fexit = {
	.name = "fexit",
	.usage = "fexit:FUNC(NAME = FETCH, ...)",
	.brief = "like kretprobe:, cheaper, without a limit of calls at a time",
	.help = "`retval` is what the function returns; its arguments are there too where the "
		"kernel keeps them.\n"
		"  fexit:vfs_read(n = retval: s64) | where n < 0 | count by comm",
	.check = check_exit,
};
