// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* liboracle: locates the guest's RAM in QEMU's memory. */
#define _GNU_SOURCE
#include <stdio.h>

#include "plugin.h"
#include "plugin_ram.h"

struct oracle_ram ram;

void ram_find(void)
{
	FILE *f;
	unsigned long begin, end;
	char line[512];

	if (ram.base)
		return;
	f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (!strstr(line, "/memfd:memory-backend-memfd"))
			continue;
		if (sscanf(line, "%lx-%lx", &begin, &end) == 2 &&
		    end - begin == ram.pages << PAGE_SHIFT) {
			ram.base = begin;
			break;
		}
	}
	if (f)
		fclose(f);
	if (!ram.base)
		oracle_die("no memory-backend-memfd of the size given by ram=");
}

void ram_check_layout(const struct qemu_plugin_hwaddr *hw, uint64_t page)
{
	uint64_t phys = qemu_plugin_hwaddr_phys_addr(hw), pfn = phys >> PAGE_SHIFT;

	/* An address in the block, or with the project's own QEMU, the guest's. */
	if (page != NO_PAGE && pfn != page && pfn != page_address(page) >> PAGE_SHIFT)
		oracle_die("this QEMU's physical addresses are not understood: page %#llx, address %#llx",
			   (unsigned long long)page, (unsigned long long)phys);
}

uint64_t ram_page_at(uint64_t vaddr)
{
	uint64_t phys = oracle_qemu.phys_page(oracle_current_cpu(), vaddr & ~(PAGE_SIZE - 1));
	uint64_t pfn = phys >> PAGE_SHIFT;

	if (phys == UINT64_MAX)
		return NO_PAGE;
	if (pfn >= PFN_4G)
		pfn -= PFN_4G - ram.hole;
	else if (pfn >= ram.hole)
		return NO_PAGE;
	return pfn < ram.pages ? pfn : NO_PAGE;
}

uint64_t ram_tail_page(const struct qemu_plugin_insn *last)
{
	uint64_t vaddr = qemu_plugin_insn_vaddr(last);
	uint64_t end = vaddr + qemu_plugin_insn_size(last) - 1;

	return (vaddr ^ end) < PAGE_SIZE ? NO_PAGE : ram_page_at(end);
}
