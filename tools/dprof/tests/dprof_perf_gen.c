// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A perf.data file with memory of each kind: dprof_perf_gen FILE.  Samples are of processes with
 * the same addresses, of what they share, of this program's own variables, and of a kernel.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made/perf_file.h"

#define LOAD	(PERF_MEM_OP_LOAD << PERF_MEM_OP_SHIFT)
#define STORE	(PERF_MEM_OP_STORE << PERF_MEM_OP_SHIFT)
#define LEVEL(l) ((uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_##l) << PERF_MEM_LVL_SHIFT)
#define HITM	((uint64_t)PERF_MEM_SNOOP_HITM << PERF_MEM_SNOOP_SHIFT)
#define TEXT	0xffffffff81000000
#define MODULE	0xffffffffc0000000

/* In .data and in .bss. */
uint64_t planted_data[8] = { 1 };
uint64_t planted_zero[1 << 14];

static struct made_perf *f;
static uint64_t now = 1000;

static void sample(uint32_t pid, uint32_t cpu, uint64_t ip, uint64_t addr, uint64_t phys, uint64_t data_src)
{
	made_perf_sample(f, &(struct perf_made){
		.time = now++, .ip = ip, .addr = addr, .phys_addr = phys, .pid = pid, .tid = pid, .cpu = cpu,
		.weight = 100, .data_src = data_src,
		.misc = ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER });
}

static void map(uint32_t pid, uint64_t start, uint64_t length, uint64_t offset, uint32_t flags, const char *name)
{
	made_perf_mapping(f, now++, pid, &(struct perf_made_map){
		start, length, offset, PROT_READ | PROT_WRITE, flags, name });
}

static void feature(unsigned int number, const char *text)
{
	char data[4 + 64] = "";
	const uint32_t size = 64;

	memcpy(data, &size, 4);
	strncpy(data + 4, text, size - 1);
	made_perf_feature(f, number, data, sizeof(data));
}

/* Two processes, the second forked, on two CPUs. */
static void processes(void)
{
	int i;

	made_perf_comm(f, 1, 10, 10, 0, "prog");
	map(10, 0x400000, 0x1000, 0, MAP_PRIVATE, "/nowhere/prog");
	map(10, 0x600000, 0x10000, 0, MAP_PRIVATE, "[heap]");
	made_perf_fork(f, now++, 20, 20, 10);
	map(10, 0x10000000, 0x1000, 0, MAP_SHARED, "/dev/shm/queue");
	map(20, 0x20000000, 0x1000, 0, MAP_SHARED, "/dev/shm/queue");
	for (i = 0; i < 10; i++) {
		/* The same address, not the same memory. */
		sample(10, 0, 0x400010, 0x600040, 0, STORE | LEVEL(L1));
		sample(20, 1, 0x400010, 0x600040, 0, STORE | LEVEL(L1));
		/* The same memory, at two addresses. */
		sample(10, 0, 0x400020, 0x10000080, 0, STORE | LEVEL(L1));
		sample(20, 1, 0x400030, 0x20000080, 0, LOAD | LEVEL(L3) | HITM);
	}
	/* Another program in the same process has nothing of the first. */
	made_perf_comm(f, now++, 20, 20, PERF_RECORD_MISC_COMM_EXEC, "next");
	sample(20, 1, 0x400010, 0x600040, 0, LOAD | LEVEL(L1));
}

/* This program, as it is mapped here. */
static void own_variables(void)
{
	char line[512], path[256], self[256] = "";
	uint64_t start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "re");
	int i;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || !maps)
		exit(1);
	made_perf_comm(f, now++, 30, 30, 0, "own");
	while (fgets(line, sizeof(line), maps)) {
		*path = '\0';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %255s", &start, &end, &offset,
			   path) >= 3)
			map(30, start, end - start, offset, MAP_PRIVATE, *path ? path : "//anon");
	}
	fclose(maps);
	for (i = 0; i < 4; i++) {
		sample(30, 0, (uintptr_t)processes + 1, (uintptr_t)&planted_data[1], 0, LOAD | LEVEL(L2));
		sample(30, 0, (uintptr_t)own_variables + 1, (uintptr_t)&planted_zero[(1 << 14) - 2], 0,
		       STORE | LEVEL(L1));
	}
}

static void kernel(void)
{
	int i;

	map(-1, TEXT, 0x2000000, TEXT, MAP_PRIVATE, "[kernel.kallsyms]_text");
	map(-1, MODULE, 0x4000, 0, MAP_PRIVATE, "[netmod]");
	for (i = 0; i < 5; i++) {
		sample(10, i % 2, TEXT + 0x1004, TEXT + 0x1000050, 0, STORE | LEVEL(L1));
		sample(10, 0, TEXT + 0x1004, 0xffff888012345040, 0x12345040, LOAD | LEVEL(LOC_RAM));
		sample(10, 0, MODULE + 0x10, MODULE + 0x2008, 0, LOAD | LEVEL(L1));
		sample(10, 0, MODULE + 0x10, 0xffffc90000001008, 0x2345008, LOAD | LEVEL(L1));
	}
}

int main(int argc, char **argv)
{
	size_t size;
	void *bytes;
	FILE *out;

	if (argc != 2) {
		fprintf(stderr, "usage: dprof_perf_gen FILE\n");
		return 2;
	}
	f = made_perf_new();
	made_perf_memory(f);
	/* In the order of their numbers. */
	feature(3, "testbox");
	feature(4, "6.12.0-made-up");
	feature(6, "x86_64");
	made_perf_nodes(f, "0", "1");
	processes();
	own_variables();
	kernel();
	bytes = made_perf_bytes(f, PERF_NATIVE, &size);
	out = fopen(argv[1], "we");
	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	free(bytes);
	made_perf_free(f);
	return 0;
}
