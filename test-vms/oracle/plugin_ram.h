/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Where the guest's RAM is in QEMU: one block of host memory, whose pages are
 * numbered from 0.  In the guest the block has a hole: it goes up to `split', and
 * on from 4 GiB.
 */
#ifndef MEMSCOPE_ORACLE_PLUGIN_RAM_H
#define MEMSCOPE_ORACLE_PLUGIN_RAM_H

#include <stdint.h>
#include <string.h>

#include "qemu-api.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096ull
#define PFN_4G (1ull << (32 - PAGE_SHIFT))
#define NO_PAGE ((1ull << 26) - 1)
/*
 * The kernel's cpu_entry_area: descriptor tables and entry stacks.  Most of what
 * happens there is done by the processor itself when it delivers an interrupt,
 * which QEMU shows a plugin only by accident.  No truth can be had of it.
 */
#define ENTRY_AREA 0xfffffe0000000000ull
#define ENTRY_AREA_END 0xfffffe8000000000ull

struct oracle_ram {
	uint64_t pages;		/* of the block */
	uint64_t hole;		/* the first page beyond the hole; pages if there is none */
	uintptr_t base;		/* of the block in the host; 0 until found */
};

extern struct oracle_ram ram;

/* The block appears after the plugin: to be called before anything below. */
void ram_find(void);
/* Ends the VM if QEMU's own idea of an access' address is not @page. */
void ram_check_layout(const struct qemu_plugin_hwaddr *hw, uint64_t page);
/* The page the running CPU's page tables map @vaddr to, or NO_PAGE. */
uint64_t ram_page_at(uint64_t vaddr);
/* The page a block's last instruction ends in, if that is not where it starts. */
uint64_t ram_tail_page(const struct qemu_plugin_insn *last);

static inline uint64_t page_of(const void *host)
{
	uint64_t page = ((uintptr_t)host - ram.base) >> PAGE_SHIFT;

	return host && page < ram.pages ? page : NO_PAGE;
}

/*
 * The host address an access went to.  The interface only gives a "physical
 * address", got by searching for the RAM block at every call, and wrong with
 * several memory backends; the first field of the RAM case is the pointer it
 * starts from.  ram_check_layout() makes sure.
 */
static inline const void *host_of(const struct qemu_plugin_hwaddr *hw)
{
	const void *host;

	memcpy(&host, (const char *)hw + 8, sizeof(host));
	return host;
}

/* The guest's physical address of @page. */
static inline uint64_t page_address(uint64_t page)
{
	return (page < ram.hole ? page : page - ram.hole + PFN_4G) << PAGE_SHIFT;
}

static inline bool in_entry_area(uint64_t vaddr)
{
	return vaddr >= ENTRY_AREA && vaddr < ENTRY_AREA_END;
}

#endif
