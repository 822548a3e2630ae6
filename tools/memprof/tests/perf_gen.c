// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A perf.data file of which all is known: two threads on two nodes write different bytes of
 * a line of the heap, one reads an array of its own: perf_gen FILE native|pipe|zstd
 */
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

int main(int argc, char **argv)
{
	static const char * const kinds[] = { "native", "pipe", "zstd", "zstd2" };
	struct made_perf *f = made_perf_new();
	enum perf_kind kind = 0;
	uint64_t i, cpu;
	void *bytes;
	size_t size;
	FILE *out;

	while (argc == 3 && kind < PERF_KINDS && strcmp(argv[2], kinds[kind]))
		kind++;
	if (argc != 3 || kind == PERF_KINDS) {
		fprintf(stderr, "usage: perf_gen FILE native|pipe|zstd|zstd2\n");
		return 2;
	}
	made_perf_memory(f);
	made_perf_nodes(f, "0", "1");
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
				.pid = 10, .tid = 10 + cpu, .cpu = cpu });
	made_perf_put(f, 68, 0, NULL, 0);
	for (i = 0; i < 200; i++)
		made_perf_sample(f, &(struct perf_made){
			.time = 3000 + 10 * i, .ip = 0x400020, .addr = ARRAY + 4096 * i, .weight = 200,
			.data_src = LOAD | LEVEL(REM_RAM1), .phys_addr = 0x40000000 + 4096 * i, .pid = 10, .tid = 10 });
	/* No access. */
	made_perf_sample(f, &(struct perf_made){ .time = 9000, .ip = 0x400030, .pid = 10, .tid = 10 });
	/* What the processor accesses by itself during a fault is no access of the program. */
	made_perf_sample(f, &(struct perf_made){
		.time = 9001, .ip = 0x400030, .addr = 0xfffffe0000d0c010, .weight = 100,
		.data_src = LOAD | LEVEL(L1), .pid = 10, .tid = 10 });
	made_perf_put(f, 68, 0, NULL, 0);
	bytes = made_perf_bytes(f, kind, &size);
	out = fopen(argv[1], "we");
	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out)) {
		perror(argv[1]);
		return 1;
	}
	free(bytes);
	made_perf_free(f);
	return 0;
}
