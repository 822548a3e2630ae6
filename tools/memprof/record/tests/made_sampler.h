/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * A sampler of one CPU with rings in memory, made up for tests, and samples as perf writes them.  It
 * has memprof/record/sampler.c in it, whose own functions are tested.
 */
#ifndef MEMPROF_MADE_SAMPLER_H
#define MEMPROF_MADE_SAMPLER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/sampler.c"
#include "memprof/record/tests/made_ring.h"
#include "memprof/record/tests/written.h"

#define BYTES	(64UL << 10)
#define USER	((uint64_t)PERF_CONTEXT_USER)

static struct recording recording;

static inline struct sampler *make(bool callchain, bool physical)
{
	struct sampler *s;

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	recording.request = (struct memsource_request){
		.user = true, .loads = true, .stores = true, .callchain = callchain, .physical = physical };
	written_begin(&recording.writer);
	s = sampler_new(&recording);
	s->nr_cpus = 1;
	s->cpus = calloc(1, sizeof(*s->cpus));
	s->cpus->cpu = 5;
	s->cpus->batch = malloc(BATCH * sizeof(*s->cpus->batch));
	s->cpus->samples = made_ring(BYTES);
	s->cpus->tasks = made_ring(BYTES);
	s->sample_ring = s->task_ring = BYTES;
	return s;
}

static inline void end(struct sampler *s)
{
	close(recording.writer.fd);
	free(s->cpus->samples);
	free(s->cpus->tasks);
	s->cpus->samples = s->cpus->tasks = NULL;
	sampler_close(s);
}

static const struct { uint64_t load, store; } src = {
	.load = PERF_MEM_OP_LOAD | (uint64_t)(PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT) << 5,
	.store = PERF_MEM_OP_STORE,
};

/* Identifier, ip, pid and tid, time, address, CPU, weight, where the data were. */
static inline size_t sample(uint64_t *p, uint64_t time, uint64_t addr, uint64_t what)
{
	const uint64_t all[] = { 1, 0x401000, 42 | 43ULL << 32, time, addr, 5, 300, what };

	memcpy(p, all, sizeof(all));
	return sizeof(all);
}

/* As perf writes it, with what the request has: a chain unless it is NULL. */
struct made_sample {
	uint64_t ip, time, addr, weight, what, phys, cgroup;
	uint32_t pid, tid;
	uint16_t mode;
	const uint64_t *chain;
	uint64_t nr_chain;
};

static const struct made_sample usual = {
	.ip = 0x401000, .time = 1000, .addr = 0x7000, .weight = 300, .pid = 42, .tid = 43, .mode = PERF_RECORD_MISC_USER,
	.what = PERF_MEM_OP_LOAD | (uint64_t)(PERF_MEM_LVL_L2 | PERF_MEM_LVL_HIT) << 5,
};

static inline size_t make_sample(const struct made_sample *m, uint64_t *body)
{
	const struct memsource_request *request = &recording.request;
	size_t n = 0;
	uint64_t i;

	body[n++] = 77;
	body[n++] = m->ip;
	body[n++] = m->pid | (uint64_t)m->tid << 32;
	body[n++] = m->time;
	body[n++] = m->addr;
	body[n++] = 6;
	if (request->callchain) {
		body[n++] = m->nr_chain;
		for (i = 0; i < m->nr_chain; i++)
			body[n++] = m->chain[i];
	}
	body[n++] = m->weight;
	body[n++] = m->what;
	if (request->physical)
		body[n++] = m->phys;
	if (request->cgroup)
		body[n++] = m->cgroup;
	return n * sizeof(*body);
}

static inline void put_sample(struct sampler *s, const struct made_sample *m)
{
	uint64_t body[256];
	const size_t n = make_sample(m, body);

	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, m->mode, body, n);
}

static inline void sample_is(const struct sampler *s, uint32_t i, struct sample_record r)
{
	const struct sample_record *is = &s->cpus->batch[i];

	assert_in_range(i, 0, s->cpus->nr_batch - 1);
	if (memcmp(is, &r, sizeof(r)))
		fail_msg("sample %u: delta %lu, cpu %u, level %u, op %u, hitm %u, tlb %u, kernel %u, addr %lx, latency %u, "
			 "chain %u, thread %u, node %u, pfn %lx", i, (uint64_t)is->delta, is->cpu, is->level, is->op,
			 is->hitm, is->tlb_miss, is->kernel, (uint64_t)is->addr, is->latency, is->chain, is->thread,
			 is->node, (uint64_t)is->pfn);
}

#endif
