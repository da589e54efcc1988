/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members through pointers. */
#include "source/fetch.h"

#include "check/checker.h"

int fetch_member(struct fetch *f, const struct node *n, struct fetch_val *v,
		 int (*eval)(struct fetch *f, const struct node *n, struct fetch_val *v))
{
	(void)v;
	(void)eval;
	return check_not_yet(f->ck, n->span, "a member of a structure");
}
