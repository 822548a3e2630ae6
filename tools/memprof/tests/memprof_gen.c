// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof_gen [--local|--unmapped] FILE SAMPLES EVENTS THREADS OBJECTS SEED [PERF_DATA]: a recording of that
 * size, in which threads allocate, free, and access objects, to measure how fast it is read.
 * A minute long; OBJECTS are alive at a time.  PERF_DATA: gets the same samples, for perf.
 * --local: memory is on the node of the CPU that accesses it, else on any; and all objects
 * are there from the beginning.  --unmapped: a sample of ten is where nothing is mapped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof_data.h"
#include "memprof_perf.h"

static uint64_t state;

static uint64_t rnd(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;	/* SplitMix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

int main(int argc, char **argv)
{
	uint64_t samples, events, threads, objects, i, n, time, step;
	uint32_t *stream;
	unsigned char *alive;
	struct perf_file *perf;
	struct data *d;
	int local, unmapped;

	local = argc > 1 && !strcmp(argv[1], "--local");
	unmapped = argc > 1 && !strcmp(argv[1], "--unmapped");
	argv += local || unmapped;
	argc -= local || unmapped;
	if (argc != 7 && argc != 8) {
		fprintf(stderr, "usage: memprof_gen [--local|--unmapped] FILE SAMPLES EVENTS THREADS OBJECTS SEED [PERF_DATA]\n");
		return 2;
	}
	samples = strtoull(argv[2], NULL, 10);
	events = strtoull(argv[3], NULL, 10);
	threads = strtoull(argv[4], NULL, 10);
	objects = strtoull(argv[5], NULL, 10);
	state = strtoull(argv[6], NULL, 10);
	n = samples + events;
	step = UINT64_C(60000000000) / (n ? n : 1);
	d = data_new(argv[1]);
	stream = calloc(threads, sizeof(*stream));
	alive = calloc(2 * objects, 1);
	if (!stream || !alive)
		return 1;
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_EXEC, .pid = 100, .tid = 100 }, "made-up");
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_MMAP, .pid = 100, .tid = 100,
		  .start = 0x10000000, .length = objects * 256 + 4096, .flags = TASK_WRITABLE }, "[heap]");
	perf = argc == 8 ? perf_file_new(argv[7]) : NULL;
	for (i = 0; perf && i < threads; i++)
		perf_file_task(perf, 100, 100 + i, "made-up", 0x400000, 4096, "/nowhere/made-up");
	for (i = 0; i < threads; i++)
		stream[i] = data_stream(d, 100, 100 + i, 1);
	for (i = 0; local && i < 2 * objects; i++) {
		data_event(d, stream[0], DATA_START + 10, (struct event_record){
			.type = EVENT_ALLOC, .addr = 0x10000000 + 128 * i, .size = 128, .chain = 1 });
		alive[i] = 1;
	}
	for (i = 0; i < n; i++) {
		const uint64_t r = rnd(), k = r % (2 * objects);
		const uint64_t addr = 0x10000000 + 128 * k + (unmapped && i % 10 == 0 ? UINT64_C(1) << 40 : 0);
		const uint32_t t = (r >> 40) % threads;

		time = DATA_START + 1000000 + i * step;
		if (rnd() % n < events) {
			if (alive[k])
				data_event(d, stream[t], time, (struct event_record){
					.type = EVENT_FREE, .addr = addr, .cpu = t % 4 });
			else
				data_event(d, stream[t], time, (struct event_record){
					.type = EVENT_ALLOC, .addr = addr, .size = 16 + r % 112,
					.chain = 1 + r % 200, .cpu = t % 4 });
			alive[k] ^= 1;
		} else {
			data_sample(d, t % 4, time, 100, 100 + t, addr + r % 16, (struct sample_record){
				.op = 1 + (r >> 60) % 2, .level = LEVEL_RAM, .latency = 200 + r % 100,
				.node = local ? t % 4 / 2 : (r >> 50) % 2, .pfn = 1 + k }, 0x400000 + r % 300);
			if (perf)
				perf_file_sample(perf, t % 4, time, 100, 100 + t, 0x400000 + r % 300, addr + r % 16,
						 (1 + k) << 12, 200 + r % 100, (r >> 60) % 2);
		}
	}
	data_end(d, 1);
	if (perf)
		perf_file_end(perf);
	free(stream);
	free(alive);
	return 0;
}
