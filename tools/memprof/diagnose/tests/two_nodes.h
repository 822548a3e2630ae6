/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Accesses made up for tests of the diagnosis and of views: two nodes with two CPUs each; threads on
 * both use objects at once, which are on node 0.
 */
#ifndef MEMPROF_TWO_NODES_H
#define MEMPROF_TWO_NODES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "memprof/diagnose/patterns.h"
#include "memprof/tests/memprof_data.h"

#define HEAP	0x100000
#define PAGE	4096

static uint64_t now;

/* A process with two threads, PID on node 0 and PID + 1 on node 1.  Returns its stream. */
static inline uint32_t process(struct data *d, uint32_t pid)
{
	now += 1000;
	data_task(d, now, &(struct task_record){ .type = TASK_FORK, .pid = pid, .tid = pid, .other = 1 }, NULL);
	data_task(d, now + 1, &(struct task_record){ .type = TASK_EXEC, .pid = pid, .tid = pid }, "prog");
	data_task(d, now + 2, &(struct task_record){ .type = TASK_FORK, .pid = pid, .tid = pid + 1,
		  .other = pid }, NULL);
	data_task(d, now + 3, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = HEAP,
		  .length = 0x1000000, .flags = TASK_WRITABLE }, "[heap]");
	/* Sites are distinguished by their offset in a binary. */
	data_task(d, now + 4, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = 0x400000,
		  .length = 0x100000, .flags = TASK_EXECUTABLE }, "/nowhere/prog");
	now += 1000;
	return data_stream(d, pid, pid, pid);
}

/* An object of a site, of 16 pages.  Returns its address. */
static inline uint64_t object(struct data *d, uint32_t stream, uint32_t site, uint32_t number)
{
	const uint64_t frame = 0x400000 + 16 * site, addr = HEAP + 16 * PAGE * number;

	now += 10000;
	data_chain(d, stream, now, site, &frame, 1);
	data_event(d, stream, now + 1, (struct event_record){ .type = EVENT_ALLOC, .addr = addr,
		   .size = 16 * PAGE, .chain = site });
	now += 10000;
	return addr;
}

/*
 * Accesses by both threads in turn, all over the object, first by one of them alone: every
 * other one a write.  Latency is that of local memory, times something; of remote memory,
 * twice.
 */
static inline void use(struct data *d, uint32_t pid, uint64_t addr, unsigned int n, double slow)
{
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int node = i < n / 20 ? 0 : random() % 2;
		/* One in ten comes while no other thread accesses the object. */
		const double latency = 200 * (1 + node) * (random() % 10 ? slow : 1);

		now += 1000;
		data_sample(d, 2 * node, now, pid, pid + node, addr + random() % (16 * PAGE) / 8 * 8,
			    (struct sample_record){ .op = 1 + random() % 2, .level = LEVEL_RAM,
						    .latency = latency, .pfn = 1, .node = 0 }, 0x500000);
	}
}

/* As use(), by both nodes at once, and hardly ever writing. */
static inline void look_at(struct data *d, uint32_t pid, uint64_t addr, unsigned int n, double slow)
{
	for (unsigned int i = 0; i < n; i++) {
		const unsigned int node = i < n / 20 ? 0 : random() % 2;
		const double latency = 200 * (1 + node) * (random() % 10 ? slow : 1);

		now += 1000;
		data_sample(d, 2 * node, now, pid, pid + node, addr + random() % (16 * PAGE) / 8 * 8,
			    (struct sample_record){ .op = 1, .level = LEVEL_RAM, .latency = latency, .pfn = 1,
						    .node = 0 }, 0x500000);
	}
}

static inline struct memprof *diagnose(struct data *d, struct findings *f)
{
	char error[256];
	struct memprof *m;

	data_end(d, 1);
	m = memprof_open(data_path, NULL, error, sizeof(error));
	if (!m)
		fail_msg("%s", error);
	assert_null(memprof_damage(m));
	assert_int_equal(patterns_find(m, f), 0);
	return m;
}

static inline const struct finding *find(const struct findings *f, enum pattern pattern)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->all[i].pattern == pattern)
			return &f->all[i];
	return NULL;
}

#endif
