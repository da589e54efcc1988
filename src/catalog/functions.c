/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that can be traced. The list is long and slow to read (CASES: seconds), so it is
 * streamed. */
#include "catalog/internal.h"

#include "base/io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	const char **v; /* names given so far, for repeated ones (static functions of one name) */
	size_t n, mask;
	struct arena *a;
};

static bool first_time(struct seen *s, const char *name)
{
	size_t h = 5381, i;

	for (const char *p = name; *p; p++)
		h = h * 33 + (unsigned char)*p;
	if (s->n * 2 >= s->mask) {
		size_t mask = s->mask ? s->mask * 2 + 1 : 1023;
		const char **v = xcalloc(mask + 1, sizeof(*v));

		for (i = 0; s->v && i <= s->mask; i++) {
			size_t k = 5381;

			if (!s->v[i])
				continue;
			for (const char *p = s->v[i]; *p; p++)
				k = k * 33 + (unsigned char)*p;
			while (v[k & mask])
				k++;
			v[k & mask] = s->v[i];
		}
		free(s->v);
		s->v = v;
		s->mask = mask;
	}
	for (i = h; s->v[i & s->mask]; i++) {
		if (strcmp(s->v[i & s->mask], name) == 0)
			return false;
	}
	s->v[i & s->mask] = arena_strdup(s->a, name);
	s->n++;
	return true;
}

int catalog_functions(struct catalog *c, const char *glob, int (*fn)(void *arg, const char *name),
		      void *arg)
{
	struct seen seen = {0};
	struct origin *o = catalog_origin(c, 0);
	char path[600], line[512];
	FILE *f = NULL;
	int rc = 0;

	if (o && o->kind != ORIGIN_FILE) {
		snprintf(path, sizeof(path), "%s/available_filter_functions", o->path);
		f = fopen(path, "re");
	}
	if (!f)
		return o && o->kind == ORIGIN_FILE ? -ENOENT : -errno;
	seen.a = arena_new();
	while (!rc && fgets(line, sizeof(line), f)) {
		line[strcspn(line, " \t\n")] = 0; /* "name [module]" */
		if (line[0] && (!glob || io_glob(glob, line)) && first_time(&seen, line))
			rc = fn(arg, line);
	}
	fclose(f);
	free(seen.v);
	arena_free(seen.a);
	return rc;
}
