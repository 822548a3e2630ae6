// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A perf.data file of which all is known: two threads on two nodes write different bytes of
 * a line of the heap, one reads an array of its own: perf_gen FILE native|pipe|zstd|zstd2
 * The same on CPUs 0 and 2 of a machine whose CPU 1 is offline: perf_gen FILE offline
 * The same with control groups, of which the reading thread is in three: perf_gen FILE cgroups
 * The same as perf inject makes it of Arm SPE, each operation with a sample of each event
 * that it is of: perf_gen FILE spe|spe-misses|spe-pipe
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "made/perf_file.h"

#define HEAP	0x600000
#define ARRAY	0x7f0000000000

/* mem_op, mem_lvl, mem_snoop of linux/perf_event.h. */
#define LOAD	(PERF_MEM_OP_LOAD << PERF_MEM_OP_SHIFT)
#define STORE	(PERF_MEM_OP_STORE << PERF_MEM_OP_SHIFT)
#define LEVEL(l) ((uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_##l) << PERF_MEM_LVL_SHIFT)
#define HITM	((uint64_t)PERF_MEM_SNOOP_HITM << PERF_MEM_SNOOP_SHIFT)

#define PEER	((uint64_t)2 << PERF_MEM_SNOOPX_SHIFT)
#define WALK(x)	((uint64_t)(PERF_MEM_TLB_WK | PERF_MEM_TLB_##x) << PERF_MEM_TLB_SHIFT)
#define NUM(l)	((uint64_t)PERF_MEM_LVLNUM_##l << PERF_MEM_LVLNUM_SHIFT)
#define REMOTE	((uint64_t)PERF_MEM_REMOTE_REMOTE << PERF_MEM_REMOTE_SHIFT)

/* Of control groups; one that has no path. */
enum { FIRST = 1234, SECOND = 99, UNNAMED = 77 };

/* Ids as arm_spe_synth_events() numbers them. */
enum { SPE_ID = 7, L1_MISS = 1000000007, L1_ACCESS, MEMORY };

static void spe_events(struct made_perf *f, bool memory)
{
	static const char * const names[] = {
		"arm_spe_0/ts_enable=1,load_filter=1,store_filter=1/", "l1d-miss", "l1d-access", "memory" };
	struct perf_event_attr attr = {
		.type = 10, .sample_id_all = 1, .sample_period = 1, .mmap = 1, .mmap_data = 1, .mmap2 = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU };
	uint64_t id = SPE_ID;

	made_perf_event(f, &attr, &id, 1);
	attr.type = PERF_TYPE_HARDWARE;
	attr.sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_ADDR |
			    PERF_SAMPLE_PHYS_ADDR;
	for (id = L1_MISS; id < (uint64_t)MEMORY + memory; id++)
		made_perf_event(f, &attr, &id, 1);
	made_perf_names(f, names);
}

/* An operation: a sample of l1d-access, of l1d-miss if it is one, and of memory. */
static void spe_operation(struct made_perf *f, bool miss, bool memory, struct perf_made s)
{
	for (s.id = miss ? L1_MISS : L1_ACCESS; s.id < (uint64_t)MEMORY + memory; s.id++)
		made_perf_sample(f, &s);
}

/*
 * Two threads on two nodes: one stores to a line of the heap, of which the other loads what
 * the first one's core had; the second loads an array from the other socket's caches.
 */
static void make_spe(struct made_perf *f, bool memory)
{
	uint64_t i;

	spe_events(f, memory);
	made_perf_nodes(f, "0", "1");
	made_perf_comm(f, 0, 10, 10, 0, "prog");
	made_perf_map(f, 0, 10, 0x400000, 0x1000, PROT_READ | PROT_EXEC, "/nowhere/prog");
	made_perf_map(f, 500, 10, HEAP, 0x10000, PROT_READ | PROT_WRITE, "[heap]");
	made_perf_map(f, 600, 10, ARRAY, 0x100000, PROT_READ | PROT_WRITE, "//anon");
	made_perf_fork(f, 700, 10, 11, 10);
	for (i = 0; i < 100; i++) {
		spe_operation(f, false, memory, (struct perf_made){
			.time = 1000 + 30 * i, .ip = 0x400010, .addr = HEAP + 128, .weight = 9, .data_src = STORE |
			(uint64_t)PERF_MEM_LVL_NA << PERF_MEM_LVL_SHIFT | NUM(NA) | WALK(HIT), .phys_addr = 0x1000,
			.pid = 10, .tid = 10 });
		spe_operation(f, true, memory, (struct perf_made){
			.time = 1010 + 30 * i, .ip = 0x400020, .addr = HEAP + 160, .weight = 90, .data_src = LOAD |
			LEVEL(L3) | NUM(L3) | PEER | WALK(HIT), .phys_addr = 0x1020, .pid = 10, .tid = 11, .cpu = 1 });
		spe_operation(f, true, memory, (struct perf_made){
			.time = 1020 + 30 * i, .ip = 0x400030, .addr = ARRAY + 4096 * i, .weight = 400, .data_src = LOAD |
			(uint64_t)PERF_MEM_LVL_NA << PERF_MEM_LVL_SHIFT | NUM(NA) | REMOTE | PEER | WALK(MISS),
			.phys_addr = 0x2000 + 4096 * i, .pid = 10, .tid = 11, .cpu = 1 });
	}
}

static int write_file(const char *path, struct made_perf *f, enum perf_kind kind)
{
	size_t size;
	void *bytes = made_perf_bytes(f, kind, &size);
	FILE *out = fopen(path, "we");

	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out)) {
		perror(path);
		return 1;
	}
	free(bytes);
	made_perf_free(f);
	return 0;
}

int main(int argc, char **argv)
{
	static const char * const kinds[] = { "native", "pipe", "zstd", "zstd2" };
	struct made_perf *f = made_perf_new();
	enum perf_kind kind = 0;
	uint64_t i, cpu;

	const bool cgroups = argc == 3 && !strcmp(argv[2], "cgroups");
	const bool offline = argc == 3 && !strcmp(argv[2], "offline");

	if (argc == 3 && !strncmp(argv[2], "spe", 3)) {
		make_spe(f, strcmp(argv[2], "spe-misses"));
		return write_file(argv[1], f, strcmp(argv[2], "spe-pipe") ? PERF_NATIVE : PERF_PIPE);
	}
	while (argc == 3 && !cgroups && !offline && kind < PERF_KINDS && strcmp(argv[2], kinds[kind]))
		kind++;
	if (argc != 3 || kind == PERF_KINDS) {
		fprintf(stderr, "usage: perf_gen FILE native|pipe|zstd|zstd2|offline|cgroups|spe|spe-misses|spe-pipe\n");
		return 2;
	}
	made_perf_memory(f);
	if (cgroups) {
		made_perf_cgroup(f, FIRST, "/machine.slice/first");
		made_perf_cgroup(f, SECOND, "/second\377 group");
	}
	made_perf_nodes(f, "0", offline ? "2" : "1");
	made_perf_comm(f, 0, 10, 10, 0, "prog");
	made_perf_map(f, 0, 10, 0x400000, 0x1000, PROT_READ | PROT_EXEC, "/nowhere/prog");
	made_perf_map(f, 500, 10, HEAP, 0x10000, PROT_READ | PROT_WRITE, "[heap]");
	made_perf_map(f, 600, 10, ARRAY, 0x100000, PROT_READ | PROT_WRITE, "//anon");
	made_perf_fork(f, 700, 10, 11, 10);
	for (cpu = 0; cpu < 2; cpu++)
		for (i = 0; i < 100; i++)
			made_perf_sample(f, &(struct perf_made){
				.time = 1000 + 10 * i + cpu, .ip = 0x400010, .addr = HEAP + 128 + 32 * cpu,
				.weight = 300, .data_src = STORE | LEVEL(L3) | HITM, .phys_addr = 0x1000,
				.pid = 10, .tid = 10 + cpu, .cpu = offline ? 2 * cpu : cpu, .cgroup = FIRST });
	made_perf_put(f, 68, 0, NULL, 0);
	for (i = 0; i < 200; i++)
		made_perf_sample(f, &(struct perf_made){
			.time = 3000 + 10 * i, .ip = 0x400020, .addr = ARRAY + 4096 * i, .weight = 200,
			.data_src = LOAD | LEVEL(REM_RAM1), .phys_addr = 0x40000000 + 4096 * i, .pid = 10, .tid = 10,
			.cgroup = i < 50 ? FIRST : i < 180 ? SECOND : UNNAMED });
	/* No access. */
	made_perf_sample(f, &(struct perf_made){ .time = 9000, .ip = 0x400030, .pid = 10, .tid = 10 });
	/* What the processor accesses by itself during a fault is no access of the program. */
	made_perf_sample(f, &(struct perf_made){
		.time = 9001, .ip = 0x400030, .addr = 0xfffffe0000d0c010, .weight = 100,
		.data_src = LOAD | LEVEL(L1), .pid = 10, .tid = 10 });
	made_perf_put(f, 68, 0, NULL, 0);
	return write_file(argv[1], f, kind);
}
