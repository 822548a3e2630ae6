/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Recordings of perf record: perf.data files, native and as perf writes them into a
 * pipe, compressed or not.  Debian has no library for them: perf's own reader is part of
 * perf, and libperf covers events and rings, not files.
 *
 *	struct perf_data d;
 *	struct perf_record r;
 *	int ret;
 *
 *	if (!perf_data_open(&d, "perf.data", error, sizeof(error)))
 *		while ((ret = perf_data_next(&d, &r)) > 0)
 *			...
 *	if (ret < 0)
 *		puts(d.error);
 *	perf_data_close(&d);
 *
 * The format is tools/perf/Documentation/perf.data-file-format.txt and the comments of
 * perf_event.h of Linux 6.12.  Every length is checked.  Memory does not grow with the
 * file: of records waiting to be sorted, PERF_QUEUE_BYTES are kept.
 */
#ifndef PERF_DATA_H
#define PERF_DATA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PERF_QUEUE_BYTES	(128UL << 20)
#define PERF_MAX_CPUS		4096
#define PERF_MAX_NODES		255
#define PERF_NO_NODE		(-1)

/**
 * struct perf_event - an event of a recording
 * @attr: as much of it as this program's headers have; @attr.size as the file says
 * @name: as perf record named it, "" if the file does not say
 * @pmu: that it is of, "" if the file does not say
 * @repeats: its samples are of operations that another event has, too: of what perf inject
 *	makes of Arm SPE, an operation has a sample of each event that it is of
 */
struct perf_event {
	struct perf_event_attr attr;
	char name[64], pmu[32];
	bool repeats;
};

/* Physical memory of a node, in bytes. */
struct perf_memory {
	uint64_t first, end;
	int node;
};

/**
 * struct perf_machine - what the file's header says of the machine
 * @nr_cpus: 0: not known
 * @nr_nodes: one more than the highest number; 0: not known
 * @cpu_node: of each CPU, PERF_NO_NODE if not known
 * @memory: of nodes, sorted; perf record writes it with perf mem and with --phys-data
 */
struct perf_machine {
	char host[128], release[128], arch[32], cpu[128];
	uint32_t nr_cpus, nr_nodes;
	int16_t cpu_node[PERF_MAX_CPUS];
	struct perf_memory *memory;
	size_t nr_memory;
};

/**
 * struct perf_sample - a sample; 0 where its event does not have a field
 * @weight: latency; of PERF_SAMPLE_WEIGHT_STRUCT, its first word
 * @ins_lat, @retire_lat: the other words of that
 * @chain: of @nr_chain addresses, with PERF_CONTEXT_* among them
 * @raw: of @raw_size bytes
 */
struct perf_sample {
	uint64_t id, ip, addr, stream_id, period, weight, data_src, transaction, phys_addr,
		 cgroup, data_page_size, code_page_size;
	uint16_t ins_lat, retire_lat;
	const uint64_t *chain;
	uint64_t nr_chain;
	const void *raw;
	uint32_t raw_size;
};

/**
 * struct perf_map - PERF_RECORD_MMAP, PERF_RECORD_MMAP2
 * @prot, @flags: as of mmap(2); of PERF_RECORD_MMAP, what PERF_RECORD_MISC_MMAP_DATA says
 * @build_id: of @build_id_size bytes, 0 if the record has none
 */
struct perf_map {
	uint64_t start, length, offset;
	uint32_t prot, flags;
	const char *name;
	const uint8_t *build_id;
	uint8_t build_id_size;
};

/**
 * struct perf_record - one record
 * @type: PERF_RECORD_SAMPLE, MMAP2 (also for MMAP), COMM, FORK, EXIT, LOST (also for
 *	LOST_SAMPLES), THROTTLE, CGROUP; what else there is in files is not given
 * @misc: of the header
 * @at: offset in the file; of compressed records, that of the record they are in
 * @event: of samples
 * @time: 0: it has none
 * @cpu: -1: not known
 * @parent: FORK, EXIT: pid of the parent
 * @lost: LOST: so many
 * @comm: COMM: name
 * @cgroup: CGROUP: path of a control group, by the id that samples have (perf record --all-cgroups)
 */
struct perf_record {
	uint32_t type;
	uint16_t misc;
	uint64_t at, time;
	const struct perf_event *event;
	uint32_t pid, tid;
	int32_t cpu;
	union {
		struct perf_sample sample;
		struct perf_map map;
		uint32_t parent;
		uint64_t lost;
		const char *comm;
		struct { uint64_t id; const char *path; } cgroup;
	};
};

struct perf_id;
struct perf_queue;
struct ZSTD_DCtx_s;

/**
 * struct perf_data - a recording being read
 * @machine: of a file from a pipe, known once the first sample was read
 * @events: of @nr_events; the same
 * @clockid: that times are of, -1 if the file does not say: perf's own clock then
 * @unended: perf record did not end the file: records up to the end of it are read
 * @late: records that came too late to be sorted
 * @error: what is wrong, after perf_data_next() returned -1
 */
struct perf_data {
	struct perf_machine machine;
	struct perf_event *events;
	size_t nr_events;
	int clockid;
	bool unended, pipe;
	uint64_t late;
	char error[512];

	/* perf_stream.c */
	char *path;
	int fd;
	uint64_t file_size, at, data_end;
	char *buffer, *plain, *record;
	size_t buffer_at, buffer_end, plain_at, plain_end;
	const char *packed;
	size_t packed_left;
	uint64_t packed_at;
	bool packed_more;
	struct ZSTD_DCtx_s *zstd;
	/* perf_events.c */
	struct perf_id *ids;
	size_t nr_ids, events_capacity, ids_capacity;
	bool sample_id_all, checked, ids_sorted;
	/* perf_order.c */
	struct perf_queue *queue;
	void *given;
	bool ended;
};

bool perf_data_is(const char *path);
int perf_data_open(struct perf_data *d, const char *path, char *error, size_t size);
int perf_data_open_as(struct perf_data *d, const char *path, const char *name, char *error, size_t size);
int perf_data_next(struct perf_data *d, struct perf_record *r);
void perf_data_close(struct perf_data *d);
int perf_data_node(const struct perf_data *d, uint64_t phys_addr);

#endif
