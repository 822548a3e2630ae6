/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * The parts of x86-64's address space, without KASLR and with four levels of page
 * tables: Documentation/arch/x86/x86_64/mm.rst.
 */
#ifndef MEMSCOPE_ORACLE_REGIONS_H
#define MEMSCOPE_ORACLE_REGIONS_H

#include <stddef.h>
#include <stdint.h>

static const struct region {
	const char *name;
	uint64_t first, last;
} regions[] = {
	{ "user", 0, 0x00007fffffffffff },
	{ "direct", 0xffff888000000000, 0xffffc87fffffffff },
	{ "vmalloc", 0xffffc90000000000, 0xffffe8ffffffffff },
	{ "struct_page", 0xffffea0000000000, 0xffffeaffffffffff },
	{ "entry", 0xfffffe0000000000, 0xfffffe7fffffffff },
	{ "static", 0xffffffff80000000, 0xffffffff9fffffff },
	{ "module", 0xffffffffa0000000, 0xfffffffffeffffff },
	{ "fixmap", 0xffffffffff000000, 0xffffffffffffffff },
	{ "other", 0, UINT64_MAX },
};
#define NR_REGIONS (sizeof(regions) / sizeof(regions[0]))

/* The number of the first region that @vaddr is in. */
static inline size_t region_of(uint64_t vaddr)
{
	size_t i = 0;

	while (vaddr < regions[i].first || vaddr > regions[i].last)
		i++;
	return i;
}

#endif
