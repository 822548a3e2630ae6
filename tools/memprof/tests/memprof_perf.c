// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Samples as perf record writes them: a header, one event's attributes, records.  See
 * tools/perf/Documentation/perf.data-file-format.txt in the kernel.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memprof_perf.h"

/* perf record reads its buffers so often: perf report sorts what is between. */
#define ROUND		10000
#define FINISHED_ROUND	68

struct section {
	uint64_t offset, bytes;
};

struct header {
	char magic[8];
	uint64_t bytes, attr_bytes;
	struct section attrs, data, types;
	uint64_t features[4];
};

struct perf_file {
	FILE *out;
	uint64_t bytes, samples;
};

static void put(struct perf_file *f, const void *p, size_t bytes)
{
	if (fwrite(p, 1, bytes, f->out) != bytes)
		exit(1);
	f->bytes += bytes;
}

static void put_header(struct perf_file *f, uint64_t data_bytes)
{
	struct {
		struct perf_event_attr attr;
		struct section ids;
	} a = {
		.attr = {
			.size = sizeof(a.attr), .type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_CPU_CLOCK, .sample_period = 1,
			.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				       PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_WEIGHT |
				       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR,
			.comm = 1, .mmap = 1, .mmap2 = 1,
		},
	};
	struct header h = {
		.magic = "PERFILE2", .bytes = sizeof(h), .attr_bytes = sizeof(a),
		.attrs = { sizeof(h), sizeof(a) }, .data = { sizeof(h) + sizeof(a), data_bytes },
	};

	put(f, &h, sizeof(h));
	put(f, &a, sizeof(a));
}

/** perf_file_new() - begin a file; to be ended with perf_file_end() */
struct perf_file *perf_file_new(const char *path)
{
	struct perf_file *f = calloc(1, sizeof(*f));

	if (!f || !(f->out = fopen(path, "w"))) {
		perror(path);
		exit(1);
	}
	put_header(f, 0);
	f->bytes = 0;
	return f;
}

/** perf_file_task() - a thread, and the code of its program */
void perf_file_task(struct perf_file *f, uint32_t pid, uint32_t tid, const char *name,
		    uint64_t code, uint64_t bytes, const char *path)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char name[16];
	} comm = { { PERF_RECORD_COMM, 0, sizeof(comm) }, pid, tid, "" };
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, generation;
		uint32_t prot, flags;
		char path[64];
	} map = { { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(map) }, pid, tid, code, bytes,
		  0, 0, 0, 0, 0, 5, 2, "" };

	strncpy(comm.name, name, sizeof(comm.name) - 1);
	strncpy(map.path, path, sizeof(map.path) - 1);
	put(f, &comm, sizeof(comm));
	put(f, &map, sizeof(map));
}

/** perf_file_sample() - a sample of a memory access */
void perf_file_sample(struct perf_file *f, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid,
		      uint64_t ip, uint64_t addr, uint64_t phys, uint32_t latency, int store)
{
	const struct perf_event_header round = { FINISHED_ROUND, 0, sizeof(round) };
	const union perf_mem_data_src src = {
		.mem_op = store ? PERF_MEM_OP_STORE : PERF_MEM_OP_LOAD,
		.mem_lvl = PERF_MEM_LVL_HIT | PERF_MEM_LVL_LOC_RAM,
	};
	const struct {
		struct perf_event_header h;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time, addr;
		uint32_t cpu, reserved;
		uint64_t weight, data_src, phys;
	} sample = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) }, ip, pid, tid, time,
		     addr, cpu, 0, latency, src.val, phys };

	put(f, &sample, sizeof(sample));
	if (++f->samples % ROUND == 0)
		put(f, &round, sizeof(round));
}

/** perf_file_end() - end a file */
void perf_file_end(struct perf_file *f)
{
	const uint64_t bytes = f->bytes;

	rewind(f->out);
	put_header(f, bytes);
	if (fclose(f->out))
		exit(1);
	free(f);
}
