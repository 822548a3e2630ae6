/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Writes a recording of what other programs recorded. */
#ifndef MEMPROF_SINK_H
#define MEMPROF_SINK_H

#include <jansson.h>
#include <stdbool.h>

#include "memprof/record/chunks.h"

/* CPUs that samples may be of; what is beyond, or not known, is the last one's. */
#define SINK_CPUS	4096
#define SINK_NO_CPU	(SINK_CPUS - 1)

struct sink_cpu;

/**
 * struct sink - a recording that is being written
 * @start: time of its begin, in ns; what is before is as if it were then
 * @samples: so far
 * @discarded: samples of which there is no access
 */
struct sink {
	struct writer writer;
	struct numbers numbers;
	struct buffer tasks;
	struct sink_cpu *cpus[SINK_CPUS];
	uint64_t start, last_task, samples, discarded, lost[LOST_KINDS];
};

int sink_open(struct sink *s, const char *path, uint64_t start);
void sink_task(struct sink *s, uint64_t time, struct task_record *t, const char *name);
void sink_sample(struct sink *s, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid,
		 uint64_t cgroup, const uint64_t *frames, uint32_t depth, const struct sample_record *sample);
void sink_cgroup(struct sink *s, uint64_t id, const char *path);
void sink_lost(struct sink *s, int kind, uint64_t time, uint64_t count);
json_t *sink_cpu_nodes(const struct sink *s, const char *path, const int16_t *node, int nr);
int sink_close(struct sink *s, json_t *meta);

/**
 * struct csv_options - how a file of comma-separated samples is to be read
 * @column: "OURS=THEIRS", of @nr_columns
 * @hex: names of columns whose numbers are hexadecimal without 0x, separated by commas, or NULL
 * @element: bytes of an element that the column index counts
 * @pebs: levels are Intel's data source numbers
 * @unit: ns of one in the column of time
 */
struct csv_options {
	const char *column[32];
	int nr_columns;
	const char *hex;
	uint64_t element;
	bool pebs;
	uint64_t unit;
};

int import_perf(const char *path, const char *name, const char *output);
int import_csv(const char *path, const char *name, const char *output, const struct csv_options *o);

#endif
