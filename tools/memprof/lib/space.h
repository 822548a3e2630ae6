/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the memscope authors */
/* Address spaces: what is mapped where, which objects are there. */
#ifndef MEMPROF_SPACE_H
#define MEMPROF_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "live.h"

enum region_kind { REGION_ANON, REGION_FILE, REGION_CODE, REGION_STACK, REGION_HEAP, REGION_OWN,
		   REGION_NAMED };

/**
 * struct region - what a mapping is; pieces of a split mapping share it
 * @path: number of the file's name
 * @chain: of the mmap() that made it, 0 if it was not seen
 * @object: its number once it was accessed, else LIVE_NO_OBJECT
 */
struct region {
	enum region_kind kind;
	uint64_t start, size, born;
	uint32_t path, chain, thread, object;
	uint16_t cpu;
	bool by_event, shared, inherited, writable;
};

struct mapping {
	uint64_t start, end, offset;	/* offset: in the file */
	uint32_t region;
};

/**
 * struct space - an address space
 * @mappings: sorted
 * @lost_ns: events before are incomplete: objects born before are not to be trusted
 * @own_start: the preloaded library's code, to @own_end
 * @has_events: the preloaded library reports its objects
 * @executed: its program began while it was recorded
 * @has_loader: the dynamic loader is mapped
 * @privileged: the loader heeds no LD_PRELOAD
 * @why: bits of these three that the unknown object's name is of
 * @go: whether the program is Go's: 0 not looked, 1 no, 2 yes
 * @stack: number of the stacks' object
 * @unknown: numbers of the pseudo objects, by reason
 */
struct space {
	uint32_t pid;
	int tasks;
	struct live_map live;
	struct mapping *mappings;
	uint32_t nr_mappings, capacity_mappings, last;
	struct region *regions;
	uint32_t nr_regions, capacity_regions;
	uint64_t lost_ns, own_start, own_end;
	bool has_events, executed, has_loader, privileged;
	uint8_t why, go;
	uint32_t stack, unknown[8], program;
};

struct space *space_new(uint32_t pid, struct live_pool *pool);
void space_clear(struct space *s, live_gone gone, void *arg);
void space_free(struct space *s, live_gone gone, void *arg);
struct space *space_copy(uint32_t pid, const struct space *from);
uint32_t space_map(struct space *s, uint64_t start, uint64_t end, uint64_t offset,
		   const struct region *r);
void space_unmap(struct space *s, uint64_t start, uint64_t end);
const struct mapping *space_find(struct space *s, uint64_t addr);

#endif
