// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench reclaim: effect of a sampler on the choice of pages to swap out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/*
 * A set that is used all the time and a stream that is used once, in a cgroup too small for
 * both: reclaim should swap out the stream.  The number of times that it swaps out the set
 * shows whether a sampler misleads it.  A single additional fault changes all later ones, so
 * runs vary by more than the effect: run each seed with all samplers in succession, and
 * compare these runs with each other.
 */
#define SEEDS 5
#define LIMIT "96M"
#define SET (48ul << 20)
#define STREAM (96ul << 20)
#define STREAM_PASSES 3
#define ROUNDS_PER_SAMPLE 8192

/*
 * A processor's TLB has some 1,500 entries, QEMU's has room for all of the set,
 * whose accessed bits would, once cleared, stay so.  So every 1,536 accesses,
 * have the TLB flushed: by more pages at once than are flushed one by one.
 */
#define ROUNDS_PER_FLUSH 512
#define FLUSH_PAGES 64

static void flush_tlb(unsigned char *pages)
{
	if (mprotect(pages, FLUSH_PAGES * PAGE, PROT_READ) ||
	    mprotect(pages, FLUSH_PAGES * PAGE, PROT_READ | PROT_WRITE))
		die("mprotect");
	memset(pages, 1, FLUSH_PAGES * PAGE);
}

static void reclaim_load(unsigned int seed, void (*sample)(void))
{
	unsigned char *set, *stream, *flushed;

	put("/sys/fs/cgroup/bench/cgroup.procs", "0");
	set = map(SET, true);
	stream = map(STREAM, false);
	flushed = map(FLUSH_PAGES * PAGE, true);
	for (unsigned long i = 0; i < STREAM_PASSES * STREAM / PAGE; i++) {
		/* Two pages of the set for each of the stream. */
		for (int j = 0; j < 2; j++) {
			seed = seed * 1103515245 + 12345;
			set[(seed >> 8) * PAGE % SET]++;
		}
		stream[i * PAGE % STREAM] = i;
		if (i % ROUNDS_PER_FLUSH == ROUNDS_PER_FLUSH - 1)
			flush_tlb(flushed);
		if (sample && i % ROUNDS_PER_SAMPLE == ROUNDS_PER_SAMPLE - 1)
			sample();
	}
	_exit(0);
}

static void sample_memref(void)
{
	put(TRACEFS "memref/scan", "1");
}

static void sample_clear_refs(void)
{
	put("/proc/self/clear_refs", "1");
}

static const struct sampler {
	const char *name;
	void (*sample)(void);
} none = { "off", NULL }, samplers[] = {
	{ "off", NULL },
	{ "memref", sample_memref },
	{ "clear_refs", sample_clear_refs },
};

static void reclaim_run(const char *lru, const struct sampler *s, unsigned int seed)
{
	uint64_t swapped;
	int status;
	pid_t pid;

	if (mkdir("/sys/fs/cgroup/bench", 0755))
		die("cgroup");
	put("/sys/fs/cgroup/bench/memory.max", LIMIT);
	put(TRACEFS "events/memref/memref_scan/enable", s->sample == sample_memref ? "1" : "0");
	swapped = number_in("/proc/vmstat", "pswpout ");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		reclaim_load(seed, s->sample);
	if (waitpid(pid, &status, 0) != pid || status)
		die("load");
	put(TRACEFS "events/memref/memref_scan/enable", "0");
	result(number_in("/sys/fs/cgroup/bench/memory.stat", "workingset_refault_anon"),
	       "reclaim_%s_%s_refaults_%u", lru, s->name, seed);
	result(number_in("/proc/vmstat", "pswpout ") - swapped, "reclaim_%s_%s_swapped_%u", lru,
	       s->name, seed);
	rmdir("/sys/fs/cgroup/bench");
}

void reclaim(void)
{
	put("/sys/block/zram0/disksize", "512M");
	if (system("mkswap /dev/zram0 >/dev/null && swapon /dev/zram0"))
		die("zram0");
	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	put(TRACEFS "memref/interval_ms", "0");
	for (int lru = 0; lru < 2; lru++) {
		const char *name = lru ? "mglru" : "lru";

		put("/sys/kernel/mm/lru_gen/enabled", lru ? "y" : "n");
		/* The first run after boot has some 8 % more refaults. */
		reclaim_run(name, &none, 0);
		for (unsigned int seed = 1; seed <= SEEDS; seed++)
			for (size_t i = 0; i < sizeof(samplers) / sizeof(samplers[0]); i++)
				reclaim_run(name, &samplers[i], seed);
	}
}
