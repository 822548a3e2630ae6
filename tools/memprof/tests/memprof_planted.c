// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_planted FILE [COMMAND]: a recording of process 100 with the accesses that standard input
 * plants: a line NAME FROM HOME SAMPLES ADDRESS TID for each object, 64 KiB of heap that
 * a function of this program, make_NAME(), is said to have allocated on node HOME, where
 * its memory is, and that thread TID accesses on node FROM.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "memprof_data.h"

#define SIZE	65536
#define LINE	64
#define IMAGE	UINT64_C(0x400000)

extern const char __executable_start[];

/* Functions that differ, so that the linker keeps each. */
#define MAKER(name) \
	static __attribute__((noinline, used)) int make_##name(int n) { return n + sizeof(#name) * __LINE__; }

MAKER(table)
MAKER(queue)
MAKER(grid)
MAKER(index)
MAKER(cache)
MAKER(pool)
MAKER(matrix)
MAKER(tree)

static const struct {
	const char *name;
	int (*make)(int n);
} makers[] = {
	{ "table", make_table }, { "queue", make_queue }, { "grid", make_grid }, { "index", make_index },
	{ "cache", make_cache }, { "pool", make_pool }, { "matrix", make_matrix }, { "tree", make_tree },
};

#define MAKERS	(sizeof(makers) / sizeof(makers[0]))

/* Where a call in make_NAME() would return to, in the image that the recording has. */
static uint64_t frame_of(const char *name)
{
	size_t i;

	for (i = 0; i < MAKERS; i++)
		if (!strcmp(makers[i].name, name))
			return IMAGE + ((const char *)makers[i].make - __executable_start) + 5;
	fprintf(stderr, "memprof_planted: %s: no such object\n", name);
	_exit(1);
}

int main(int argc, char **argv)
{
	unsigned int from, home, samples, tid, i, n = 0;
	uint64_t address, frame, time = DATA_START + 1000000;
	char name[64], program[4096] = "";
	uint32_t stream;
	struct data *d;

	if (argc < 2 || argc > 3 || readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) {
		fprintf(stderr, "usage: memprof_planted FILE [COMMAND] <OBJECTS\n");
		return 2;
	}
	d = data_new(argv[1]);
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_EXEC, .pid = 100, .tid = 100 }, argc == 3 ? argv[2] : "planted");
	data_task(d, DATA_START + 1, &(struct task_record){ .type = TASK_MMAP, .pid = 100, .tid = 100,
		  .start = IMAGE, .length = 1 << 20, .flags = TASK_EXECUTABLE }, program);
	data_task(d, DATA_START + 2, &(struct task_record){ .type = TASK_MMAP, .pid = 100, .tid = 100,
		  .start = 0x10000000, .length = 1 << 28, .flags = TASK_WRITABLE }, "[heap]");
	stream = data_stream(d, 100, 100, 1);
	while (scanf("%63s %u %u %u %" SCNi64 " %u", name, &from, &home, &samples, (int64_t *)&address, &tid) == 6) {
		frame = frame_of(name);
		n++;
		data_chain(d, stream, DATA_START + 100 + 10 * n, n, &frame, 1);
		data_event(d, stream, DATA_START + 101 + 10 * n, (struct event_record){
			.type = EVENT_ALLOC, .addr = address, .size = SIZE, .chain = n, .cpu = 2 * home });
		for (i = 0; i < samples; i++, time += 1000)
			data_sample(d, 2 * from, time, 100, tid, address + LINE * (i % (SIZE / LINE)), (struct sample_record){
				.op = 1 + i % 2, .level = from == home ? LEVEL_RAM : LEVEL_REMOTE_RAM,
				.latency = from == home ? 100 : 300, .node = home,
				.pfn = 1 + (address + LINE * i) / 4096 }, IMAGE + 16 * n);
	}
	data_end(d, 1);
	return 0;
}
