/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A catalog over the saved directory, and one filled by hand: for the tests of catalog/ and check/.
 */
#ifndef TRACESH_TESTS_CAT_UTIL_H
#define TRACESH_TESTS_CAT_UTIL_H

#include "base/session.h"
#include "catalog/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define CAT_COMMON                                                                                 \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct cat {
	struct session s;
	struct arena *a;
	struct diags d;
	struct catalog *c;
	struct origin *o;
};

/* @dir NULL: an origin like a file's, empty */
static inline void cat_open(struct cat *t, const char *dir)
{
	memset(t, 0, sizeof(*t));
	session_init(&t->s);
	t->a = arena_new();
	diags_init(&t->d, t->a);
	t->s.diags = &t->d;
	t->c = catalog_new(&t->s);
	t->o = dir ? catalog_add_dir(t->c, dir) : catalog_add_file(t->c, "hand.dat");
	assert_non_null(t->o);
	if (!dir)
		t->o->long_size = 8;
}

static inline void cat_close(struct cat *t)
{
	catalog_free(t->c);
	arena_free(t->a);
	session_free(&t->s);
}

/* an event made of field lines and a print format */
static inline struct event *cat_event(struct cat *t, const char *name, int id, const char *fields,
				      const char *fmt)
{
	char *text =
		arena_printf(t->a, "name: %s\nID: %d\nformat:\n" CAT_COMMON "%s\nprint fmt: %s\n",
			     name, id, fields, fmt);

	assert_int_equal(origin_put_format(t->o, "test", text, strlen(text)), 0);
	return catalog_find(t->c, "test", name);
}

#endif
