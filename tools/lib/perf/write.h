/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * A perf.data file with samples of memory accesses, as perf mem record makes one: a header,
 * one event's attributes, records in order of time, features.  The format is that of
 * tools/perf/Documentation/perf.data-file-format.txt in the kernel.  Debian has no library
 * in C for it (librust-linux-perf-data-dev, in Rust, only reads).
 */
#ifndef PERF_WRITE_H
#define PERF_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PERF_WRITE_MAX_DEPTH	128
#define PERF_WRITE_NO_NODE	0xff

/**
 * struct perf_writer - a file being written
 * @f: a regular file, written from its begin
 * @event: name of the event
 * @release, @host, @command: of the recording; NULL: not known
 * @callchain: samples have call chains
 * @cpus: of the machine
 * @cpu_node: of each of them, PERF_WRITE_NO_NODE: not known; or NULL: all are of node 0
 */
struct perf_writer {
	FILE *f;
	const char *event, *release, *host, *command;
	bool callchain;
	unsigned int cpus;
	const unsigned char *cpu_node;
	/* the writer's own */
	uint64_t bytes, samples;
	bool failed;
};

/**
 * struct perf_write_sample - one sample
 * @kernel: in kernel mode
 * @phys: 0: not known
 * @data_src: union perf_mem_data_src
 * @frames: the call chain, the innermost first, if the file has call chains; @depth of them
 */
struct perf_write_sample {
	bool kernel;
	uint32_t pid, tid, cpu;
	uint64_t time, ip, addr, phys, data_src, weight;
	const uint64_t *frames;
	unsigned int depth;
};

/**
 * struct perf_write_map - what a process has at an address
 * @offset: in the file
 * @code: it may be executed
 */
struct perf_write_map {
	uint32_t pid;
	uint64_t start, length, offset;
	bool code;
	const char *path;
};

void perf_write_begin(struct perf_writer *w);
void perf_write_comm(struct perf_writer *w, uint64_t time, uint32_t pid, uint32_t tid, const char *name);
void perf_write_map(struct perf_writer *w, uint64_t time, const struct perf_write_map *m);
void perf_write_symbol(struct perf_writer *w, uint64_t time, uint64_t start, uint32_t length,
		       const char *name, bool gone);
void perf_write_sample(struct perf_writer *w, const struct perf_write_sample *s);
int perf_write_end(struct perf_writer *w);

#endif
