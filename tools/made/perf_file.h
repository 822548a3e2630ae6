/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* perf.data files, made up: what perf record could have written, in any of its ways. */
#ifndef MEMSCOPE_MADE_PERF_FILE_H
#define MEMSCOPE_MADE_PERF_FILE_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

enum perf_kind { PERF_NATIVE, PERF_PIPE, PERF_ZSTD, PERF_ZSTD2, PERF_KINDS };

/* Fields of the event that made_perf_memory() adds, and of what is behind other records. */
#define PERF_MADE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | \
			 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)
#define PERF_MADE_ID	7

/*
 * A sample of a memory access; @id: of its event, 0: of made_perf_memory()'s.  @cgroup: only after
 * made_perf_cgroup().
 */
struct perf_made {
	uint64_t id, time, ip, addr, weight, data_src, phys_addr, cgroup;
	uint32_t pid, tid, cpu;
	uint16_t misc;
};

/* A mapping; @flags: MAP_PRIVATE or MAP_SHARED. */
struct perf_made_map {
	uint64_t start, length, offset;
	uint32_t prot, flags;
	const char *name;
};

struct made_perf *made_perf_new(void);
void made_perf_event(struct made_perf *f, const struct perf_event_attr *attr, const uint64_t *ids, size_t nr);
void made_perf_memory(struct made_perf *f);
void made_perf_put(struct made_perf *f, uint32_t type, uint16_t misc, const void *data, size_t size);
void made_perf_cgroup(struct made_perf *f, uint64_t id, const char *path);
void made_perf_sample(struct made_perf *f, const struct perf_made *s);
void made_perf_map(struct made_perf *f, uint64_t time, uint32_t pid, uint64_t start, uint64_t length,
		   uint32_t prot, const char *name);
void made_perf_mapping(struct made_perf *f, uint64_t time, uint32_t pid, const struct perf_made_map *m);
void made_perf_comm(struct made_perf *f, uint64_t time, uint32_t pid, uint32_t tid, uint16_t misc,
		    const char *name);
void made_perf_fork(struct made_perf *f, uint64_t time, uint32_t pid, uint32_t tid, uint32_t parent);
void made_perf_feature(struct made_perf *f, unsigned int feature, const void *data, size_t size);
void made_perf_names(struct made_perf *f, const char * const *names);
void made_perf_nodes(struct made_perf *f, const char *cpus_0, const char *cpus_1);
void *made_perf_bytes(const struct made_perf *f, enum perf_kind kind, size_t *size);
void made_perf_free(struct made_perf *f);

#endif
