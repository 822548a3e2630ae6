/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Chunks that grow in memory until they are written: threads, call chains, tasks. */
#ifndef MEMPROF_CHUNKS_H
#define MEMPROF_CHUNKS_H

#include <stdbool.h>

#include "writer.h"

/*
 * From here on no address is a program's: under an instruction of user mode it is what
 * the processor accesses by itself, during a fault or an interrupt (docs/develop/ibs.md).
 */
#define KERNEL_MEMORY	0xffff800000000000

/* Bytes of the path of a control group that are kept. */
#define MEMPROF_MAX_CGROUP	4095

/* Growing memory that becomes a chunk. */
struct buffer {
	char *data;
	size_t used, capacity;
	uint32_t records;
};

/**
 * struct numbers - threads and call chains that have numbers in a recording
 * @cgroups: control groups by the kernel's id
 * @new_threads: those that are not written yet, @new_chains: the same
 */
struct numbers {
	struct known_thread *threads, *last_thread;
	struct known_chain *chains;
	struct known_cgroup *cgroups;
	uint32_t nr_threads, nr_chains;
	struct buffer new_threads, new_chains;
};

void chunk_data_src(struct sample_record *r, uint64_t data_src);
void *buffer_add(struct buffer *b, size_t bytes);
int buffer_add_task(struct buffer *b, const struct task_record *t, const char *name);
void buffer_flush(struct buffer *b, struct writer *w, enum chunk_type type, uint32_t stream,
		  uint64_t base, uint64_t last);
uint32_t numbers_thread(struct numbers *n, uint32_t pid, uint32_t tid);
uint32_t numbers_chain(struct numbers *n, const uint64_t *frames, uint32_t depth);
void numbers_ended(struct numbers *n, uint32_t pid, uint32_t tid);
bool numbers_moved(struct numbers *n, uint32_t pid, uint32_t tid, uint64_t cgroup, uint64_t time);
const char *numbers_cgroup(const struct numbers *n, uint64_t id);
const char *numbers_name_cgroup(struct numbers *n, uint64_t id, const char *path);
void numbers_flush(struct numbers *n, struct writer *w, uint64_t base, uint64_t last);
void numbers_flush_many(struct numbers *n, struct writer *w, uint64_t time);
void numbers_free(struct numbers *n);

#endif
