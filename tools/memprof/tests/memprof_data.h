/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Recordings made up for tests: events, samples and tasks as a test says. */
#ifndef MEMPROF_DATA_H
#define MEMPROF_DATA_H

#include <stdint.h>

#include "memprof/format.h"

struct data;

/* Two nodes with two CPUs each; time begins at 1 s. */
#define DATA_START	UINT64_C(1000000000)

/* The file of the recording; setup and teardown of the tests that have it. */
extern char data_path[];
int data_make_path(void **unused);
int data_remove_path(void **unused);

struct data *data_new(const char *path);
uint32_t data_stream(struct data *d, uint32_t pid, uint32_t tid, uint64_t image);
void data_event(struct data *d, uint32_t stream, uint64_t time, struct event_record e);
void data_end_chunk(struct data *d, uint32_t stream);
void data_chain(struct data *d, uint32_t stream, uint64_t time, uint32_t id, const uint64_t *frames,
		unsigned int depth);
void data_sample(struct data *d, uint32_t cpu, uint64_t time, uint32_t pid, uint32_t tid,
		 uint64_t addr, struct sample_record r, uint64_t ip);
void data_task(struct data *d, uint64_t time, const struct task_record *t, const char *name);
void data_lost(struct data *d, uint64_t time, uint32_t kind, uint64_t count);
void data_end(struct data *d, int with_end);

#endif
