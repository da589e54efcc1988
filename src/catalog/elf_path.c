/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs and libraries by their bare name. */
#include "catalog/elf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __x86_64__
#define MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH "aarch64-linux-gnu"
#elif defined(__arm__)
#define MULTIARCH "arm-linux-gnueabihf"
#elif defined(__riscv)
#define MULTIARCH "riscv64-linux-gnu"
#else
#define MULTIARCH "lib"
#endif

static bool is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, mode) == 0;
}

/* @name in the directories of @list, which are separated by colons */
static const char *search(struct arena *a, const char *list, const char *name, int mode)
{
	while (list && *list) {
		size_t n = strcspn(list, ":");
		const char *path = arena_printf(a, "%.*s%s%s", (int)n, list, n ? "/" : "./", name);

		if (is_file(path, mode))
			return path;
		list += n + (list[n] == ':');
	}
	return NULL;
}

const char *elf_path(struct arena *a, const char *name)
{
	static const char libraries[] =
		"/usr/local/lib/" MULTIARCH ":/lib/" MULTIARCH ":/usr/lib/" MULTIARCH
		":/usr/local/lib:/lib64:/usr/lib64:/lib:/usr/lib";
	const char *found;

	if (strchr(name, '/'))
		return name;
	found = search(a, getenv("PATH"), name, X_OK);
	if (!found)
		found = search(a, getenv("LD_LIBRARY_PATH"), name, R_OK);
	return found ? found : search(a, libraries, name, R_OK);
}
