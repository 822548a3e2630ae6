// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memref_bench: the ages of the multi-gen LRU (Documentation/admin-guide/mm/multigen_lru.rst)
 * and the hinting faults of NUMA balancing, as samplers of the target's pages.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define LRU_GEN "/sys/kernel/debug/lru_gen"
#define CGROUP "/sys/fs/cgroup/" TARGET_CGROUP
#define BALANCING "/proc/sys/kernel/numa_balancing"
#define FAULT "events/exceptions/page_fault_user/"

/* A generation of the target's cgroup: its pages, as they are in lru_gen. */
struct generation {
	unsigned int memcg, node, seq;
	unsigned long anon, file;
};

/* The youngest generation, or that of the number @seq; 0 if there is none. */
static struct generation generation(unsigned int seq)
{
	struct generation g = { 0 }, found = { 0 };
	unsigned long long age;
	char line[512], path[256];
	FILE *f = fopen(LRU_GEN, "r");
	bool mine = false;

	if (!f)
		die(LRU_GEN);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "memcg %u %255s", &g.memcg, path) == 2)
			mine = !strcmp(path, "/" TARGET_CGROUP);
		else if (mine && sscanf(line, " node %u", &g.node) == 1)
			continue;
		else if (mine && sscanf(line, " %u %llu %lu %lu", &g.seq, &age, &g.anon, &g.file) == 4 &&
			 (!seq || g.seq == seq))
			found = g;
	}
	fclose(f);
	return found;
}

/* Looks at all page tables: what was referenced is in the generation that was the youngest. */
static unsigned int age(void)
{
	const struct generation g = generation(0);

	if (!g.memcg) {
		fprintf(stderr, "memref_bench: %s has no " TARGET_CGROUP "\n", LRU_GEN);
		die(LRU_GEN);
	}
	put(LRU_GEN, "+ %u %u %u 1 1", g.memcg, g.node, g.seq);
	return g.seq;
}

void mglru_on(void)
{
	put("/sys/kernel/mm/lru_gen/enabled", "y");
}

void mglru_off(void)
{
	put("/sys/kernel/mm/lru_gen/enabled", "n");
}

void mglru_begin(void)
{
	age();
}

/* Numbers of pages by generation, not pages. */
void mglru_end(struct found *f)
{
	const struct generation g = generation(age());

	f->has_pages = false;
	f->pages = g.anon + g.file;
}

/*
 * A process of one thread is not asked about pages that are on its node, so the target needs
 * a second thread.  All of its memory is there, so that its faults are those of hints.
 */
void numab_on(void)
{
	put(BALANCING, "1");
}

void numab_off(void)
{
	put(BALANCING, "0");
	put(TRACEFS FAULT "enable", "0");
}

void numab_begin(void)
{
	int fd = open(TRACEFS "trace", O_WRONLY | O_TRUNC);

	if (fd < 0)
		die("trace");
	close(fd);
	put(TRACEFS FAULT "enable", "1");
}

void numab_end(struct target *t, struct found *f)
{
	unsigned long long address;
	char line[512];
	FILE *file;

	put(TRACEFS FAULT "enable", "0");
	file = fopen(TRACEFS "trace", "r");
	if (!file)
		die("trace");
	memset(f->page, 0, sizeof(f->page));
	f->has_pages = true;
	while (fgets(line, sizeof(line), file)) {
		const char *at = strstr(line, "page_fault_user: address=");
		unsigned long page;

		if (!at || sscanf(at, "page_fault_user: address=%llx", &address) != 1)
			continue;
		page = (address - (uintptr_t)t->memory) / PAGE;
		if (address >= (uintptr_t)t->memory && page < MAX_PAGES)
			f->page[page] = true;
	}
	fclose(file);
}
