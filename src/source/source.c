/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of sources in one list; check/ reaches them through here. */
#include "source/probe_rows.h"

#include <string.h>

const struct source_kind *const source_kinds[] = {
	&source_tracepoint, &source_syscall,   &source_pair,     &source_kprobe, &source_kretprobe,
	&source_uprobe,     &source_uretprobe, &source_usdt,     &source_tprobe, &source_fprobe,
	&source_fexit,      &source_eprobe,    &source_function, &source_graph,  NULL,
};

const struct source_kind *source_find(const char *name)
{
	for (size_t i = 0; source_kinds[i]; i++) {
		if (strcmp(source_kinds[i]->name, name) == 0)
			return source_kinds[i];
	}
	return NULL;
}

struct src *source_check(struct checker *ck, const struct node *n)
{
	const struct source_kind *k = source_find(n->str);

	return k && k->check ? k->check(ck, n) : source_not_yet(ck, n);
}

const struct source_names *source_names_of(struct checker *ck, const struct src *src)
{
	(void)ck;
	if (src->kind == SRC_PROBE)
		return src->probe->tracer ? tracer_names() : probe_names();
	return src->is_syscall ? syscall_names() : NULL;
}

struct src *source_not_yet(struct checker *ck, const struct node *n)
{
	struct span at = n->span;

	if (at.len > strlen(n->str))
		at.len = (uint32_t)strlen(n->str);
	check_not_yet(ck, at, n->str);
	return NULL;
}
