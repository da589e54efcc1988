/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes on functions of the kernel by name, offset or pattern. Private to source/. */
#ifndef TRACESH_SOURCE_KFUNC_H
#define TRACESH_SOURCE_KFUNC_H

#include "source/probe_rows.h"

struct kfunc_kind {
	enum probe_kind kind;
	const char *letter;
	enum cap cap;
	const char *old_list;
	const char *place_suffix; /* "%return", or NULL */
	bool offset;              /* FUNC+OFF */
	bool maxactive;
	bool kernel_glob; /* the kernel takes a pattern itself: one event for all */
	const struct fetch_target *t;
};

/* What is known of the function whose fetch list is compiled: fetch_target.priv. */
struct kfunc {
	const char *func;
	unsigned skip; /* parameters that are not the tracer's to see */
	uint32_t (*proto)(const struct btf *b, struct arena *a, const char *func);
};

uint32_t kfunc_proto(const struct btf *b, struct arena *a, const char *func);

/* kfunc_check - the source of an N_PROBE node of this kind; NULL with a diag */
struct src *kfunc_check(struct checker *ck, const struct node *n, const struct kfunc_kind *k);

void kfunc_typed(struct fetch *f, unsigned n, struct fetch_val *v);
/* kfunc_typed, kfunc_param, kfunc_params - parameters of the function by name (fetch_target hooks)
 */
int kfunc_param(struct fetch *f, const char *name, struct span at, struct fetch_val *v);
void kfunc_params(struct fetch *f, void (*add)(void *arg, const char *name), void *arg);

#endif
