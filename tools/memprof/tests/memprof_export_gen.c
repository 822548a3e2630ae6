// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_export_gen FILE: a recording with objects of all kinds, one of which takes the place of
 * another, of this program itself.  Prints what perf script should print of each sample, and the
 * name of its object: pid/tid [cpu] time: addr data_src weight ip phys_addr name+offset.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/perf/data_src.h"
#include "memprof_data.h"

#define PID	100
#define HEAP	UINT64_C(0x10000000)
#define STACK	UINT64_C(0x7ffd00001000)
#define T(us)	(DATA_START + 1000 * (us))

extern void alloc_first(void);
extern void alloc_second(void);
extern void touch(void);

__attribute__((noinline)) void alloc_first(void) { __asm__ volatile(".skip 32, 0x90"); }
__attribute__((noinline)) void alloc_second(void) { __asm__ volatile(".skip 32, 0x90"); }
__attribute__((noinline)) void touch(void) { __asm__ volatile(".skip 32, 0x90"); }

long exported_table[64] = { 1 };

/* Its own program, where it is. */
static void map_program(struct data *d)
{
	char line[4352], path[4096], self[4096];
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char mode[8];

	if (!maps || n < 0)
		exit(1);
	self[n] = '\0';
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, mode, &offset, path) != 5 ||
		    strcmp(path, self))
			continue;
		data_task(d, DATA_START, &(struct task_record){
			.type = TASK_MMAP, .pid = PID, .tid = PID, .start = start, .length = end - start,
			.offset = offset, .flags = (mode[1] == 'w' ? TASK_WRITABLE : 0) |
			(mode[2] == 'x' ? TASK_EXECUTABLE : 0) }, path);
	}
	fclose(maps);
}

static void sample(struct data *d, uint32_t tid, uint64_t us, uint64_t addr, struct sample_record r,
		   enum data_level level, const char *name, uint64_t offset)
{
	const struct data_src src = {
		.level = level, .load = r.op & 1, .store = r.op & 2, .modified = r.hitm, .tlb_miss = r.tlb_miss,
	};
	const uint64_t ip = (uintptr_t)touch + us % 16;

	data_sample(d, tid % 4, T(us), PID, tid, addr, r, ip);
	printf("%u/%u [%03u] %" PRIu64 ".%09" PRIu64 ": %" PRIx64 " %" PRIx64 " %u %" PRIx64 " %" PRIx64 " ",
	       PID, tid, tid % 4, T(us) / 1000000000, T(us) % 1000000000, addr, data_src_encode(&src),
	       (unsigned int)r.latency, ip, r.pfn ? (uint64_t)r.pfn << 12 | (addr & 4095) : 0);
	if (name)
		printf("%s+0x%" PRIx64 "\n", name, offset);
	else
		printf("-\n");
}

int main(int argc, char **argv)
{
	const uint64_t first = (uintptr_t)alloc_first + 8, second = (uintptr_t)alloc_second + 8;
	struct data *d;
	uint32_t stream;

	if (argc != 2) {
		fprintf(stderr, "usage: memprof_export_gen FILE\n");
		return 2;
	}
	d = data_new(argv[1]);
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_EXEC, .pid = PID, .tid = PID }, "made-up");
	map_program(d);
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_MMAP, .pid = PID, .tid = PID,
		  .start = HEAP, .length = 1 << 20, .flags = TASK_WRITABLE }, "[heap]");
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_MMAP, .pid = PID, .tid = PID,
		  .start = STACK, .length = 1 << 16, .flags = TASK_WRITABLE }, "[stack]");
	stream = data_stream(d, PID, PID, 1);
	data_chain(d, stream, T(1), 1, &first, 1);
	data_chain(d, stream, T(1), 2, &second, 1);
	data_event(d, stream, T(10), (struct event_record){ .type = EVENT_ALLOC, .addr = HEAP, .size = 256, .chain = 1 });
	data_event(d, stream, T(11), (struct event_record){
		.type = EVENT_ALLOC, .addr = HEAP + 4096, .size = 128, .chain = 1 });

	sample(d, 100, 100, HEAP + 8, (struct sample_record){ .op = 1, .level = LEVEL_L1, .pfn = 77, .latency = 4 },
	       DATA_L1, "alloc_first", 8);
	sample(d, 101, 200, HEAP + 4096 + 64, (struct sample_record){
	       .op = 1, .level = LEVEL_REMOTE_CACHE, .hitm = 1, .latency = 300 }, DATA_REMOTE_CACHE, "alloc_first", 64);
	sample(d, 101, 250, (uintptr_t)&exported_table[3], (struct sample_record){
	       .op = 2, .level = LEVEL_L2, .tlb_miss = 1 }, DATA_L2, "exported_table", 24);
	sample(d, 100, 260, STACK + 100, (struct sample_record){ .op = 3, .level = LEVEL_RAM, .pfn = 5 },
	       DATA_RAM, NULL, 0);
	/* Freed, an access of nothing, and then another object that begins before it. */
	data_event(d, stream, T(300), (struct event_record){ .type = EVENT_FREE, .addr = HEAP + 4096 });
	sample(d, 100, 310, HEAP + 4096 + 72, (struct sample_record){ .op = 1, .level = LEVEL_L3 }, DATA_L3, NULL, 0);
	data_event(d, stream, T(320), (struct event_record){
		.type = EVENT_ALLOC, .addr = HEAP + 4096 - 512, .size = 1024, .chain = 2 });
	sample(d, 101, 400, HEAP + 4096 + 64, (struct sample_record){
	       .op = 1, .level = LEVEL_REMOTE_RAM, .latency = 900 }, DATA_REMOTE_RAM, "alloc_second", 576);
	sample(d, 100, 410, HEAP + 16, (struct sample_record){ .op = 2, .level = LEVEL_NA }, DATA_UNKNOWN, "alloc_first", 16);
	sample(d, 100, 420, (uintptr_t)&exported_table[4], (struct sample_record){ .op = 1, .level = LEVEL_L1 },
	       DATA_L1, "exported_table", 32);
	sample(d, 100, 430, 0xffff888000001000, (struct sample_record){ .op = 1, .level = LEVEL_BUFFER },
	       DATA_LFB, NULL, 0);
	data_end(d, 1);
	return 0;
}
