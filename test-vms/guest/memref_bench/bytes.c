// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench bytes: of the trace buffer for each group.
 */
#include <string.h>
#include <sys/mman.h>

#include "bench.h"

static void bytes_of(const char *encoding)
{
	uint64_t begin, groups = 0;
	unsigned char *memory = map(MAX_PAGES * PAGE, true);

	put(TRACEFS "memref/group_kb", "1024");
	put(TRACEFS "memref/encoding", encoding);
	put(TRACEFS "memref/interval_ms", "0");
	put(TRACEFS "trace", "\n");
	put(TRACEFS "events/memref/enable", "1");
	put(TRACEFS "memref/scan", "1");
	put(TRACEFS "trace", "\n");
	begin = number_in(TRACEFS "per_cpu/cpu0/stats", "bytes:");
	for (int i = 0; i < 10; i++) {
		use(memory, &(struct work){ MAX_PAGES, 1 + 3 * i, 1, i % 2, false, PLAIN });
		put(TRACEFS "memref/scan", "1");
		groups += last_scan("groups");
	}
	result((double)(number_in(TRACEFS "per_cpu/cpu0/stats", "bytes:") - begin) / groups,
	       "bytes_per_group_%s", encoding);
	put(TRACEFS "events/memref/enable", "0");
	munmap(memory, MAX_PAGES * PAGE);
}

void bytes(void)
{
	bytes_of("group");
	bytes_of("batch");
}
