/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open ELF file. Private to the elf files of catalog/. */
#ifndef TRACESH_CATALOG_ELF_PRIV_H
#define TRACESH_CATALOG_ELF_PRIV_H

#include "catalog/elf.h"

#include <gelf.h>

struct elf_seg {
	uint64_t addr, off, size; /* of what is in the file */
	bool code;
};

struct elf {
	struct arena *a;
	int fd;
	Elf *elf;
	GElf_Ehdr ehdr;
	uint64_t file_size;
	struct elf_seg *segs;
	size_t nsegs;
	const char **versions; /* by index; NULL: none */
	size_t nversions;
	bool versions_read;
	struct elf_usdt *usdts;
	size_t nusdts;
	bool usdts_read;
};

#endif
