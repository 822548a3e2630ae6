/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Uprobes of one CPU with a ring in memory, made up for tests: calls and returns as perf writes them,
 * and records of threads.  It has memprof/record/uprobes.c in it, whose own functions are tested.
 */
#ifndef MEMPROF_MADE_UPROBES_H
#define MEMPROF_MADE_UPROBES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/uprobes.c"
#include "memprof/record/tests/made_ring.h"
#include "memprof/record/tests/written.h"

enum { CALL_MALLOC = 1, RETURN_MALLOC, CALL_FREE };

#define USER	((uint64_t)PERF_CONTEXT_USER)

static struct recording recording;
static struct perf_event_mmap_page *ring;
/* A moment ago: what is older than a second is written at once. */
static uint64_t start;

static inline void add_number(struct uprobes *u, uint64_t id, const struct probe *p, bool returns)
{
	struct number *n = calloc(1, sizeof(*n));

	n->id = id;
	n->probe = p;
	n->returns = returns;
	HASH_ADD(hh, u->numbers, id, sizeof(n->id), n);
}

static inline struct uprobes *make(bool callchain)
{
	struct uprobes *u;

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	recording.request.callchain = callchain;
	written_begin(&recording.writer);
	u = uprobes_new(&recording, 8);
	u->nr_probes = 2;
	u->probes[0] = (struct probe){ NULL, ALLOC, 0, 1, { 1, 2 } };
	u->probes[1] = (struct probe){ NULL, FREE, 0, 2, { 3, 0 } };
	add_number(u, CALL_MALLOC, &u->probes[0], false);
	add_number(u, RETURN_MALLOC, &u->probes[0], true);
	add_number(u, CALL_FREE, &u->probes[1], false);
	u->nr_cpus = 1;
	u->cpus = calloc(1, sizeof(*u->cpus));
	if (!ring)
		ring = made_ring(RING);
	ring->data_head = ring->data_tail = 0;
	u->cpus->ring = ring;
	start = now_ns() - 100000000;
	return u;
}

static inline void end(struct uprobes *u)
{
	close(recording.writer.fd);
	u->cpus->ring = NULL;
	uprobes_close(u);
}

/* ABI and registers: ax, cx, dx, si, di, sp; of a call, the return address. */
static inline void put_call(struct uprobes *u, uint64_t id, uint64_t time, uint64_t result, uint64_t argument,
			    uint64_t stack, uint64_t caller)
{
	const uint64_t body[] = { id, 42 | 43ULL << 32, start + time, 3, 2, result, 0, 0, 0, argument, stack,
				  8, caller, 8 };

	made_record(u->cpus->ring, RING, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    caller ? sizeof(body) : sizeof(body) - 24);
}

/* One of perf's samples: registers by their names; @caller: 0 without a stack; @chain: as perf has it, NULL for none. */
struct made_call {
	uint64_t id, time, ax, cx, dx, si, di, sp, caller;
	uint32_t pid, tid, cpu;
	const uint64_t *chain;
	uint64_t nr_chain;
};

/* Calls of a probe have this number, and returns the next. */
static inline uint64_t add_probe(struct uprobes *u, enum kind kind, unsigned int argument)
{
	const int i = u->nr_probes++;
	const uint64_t id = 100 + 2 * i;

	u->probes[i] = (struct probe){ NULL, kind, argument, id, { id, id + 1 } };
	add_number(u, id, &u->probes[i], false);
	add_number(u, id + 1, &u->probes[i], true);
	return id;
}

static inline void put_in(struct perf_event_mmap_page *in, struct made_call m)
{
	uint64_t body[64], n = 0, i;

	body[n++] = m.id;
	body[n++] = (m.pid ? m.pid : 42) | (uint64_t)(m.tid ? m.tid : 43) << 32;
	body[n++] = start + m.time;
	body[n++] = m.cpu;
	if (m.chain) {
		body[n++] = m.nr_chain;
		for (i = 0; i < m.nr_chain; i++)
			body[n++] = m.chain[i];
	}
	body[n++] = 2;
	body[n++] = m.ax;
	body[n++] = m.cx;
	body[n++] = m.dx;
	body[n++] = m.si;
	body[n++] = m.di;
	body[n++] = m.sp ? m.sp : 0x7000;
	if (m.caller) {
		body[n++] = 8;
		body[n++] = m.caller;
		body[n++] = 8;
	}
	made_record(in, RING, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, n * sizeof(*body));
}

static inline void put_made(struct uprobes *u, struct made_call m)
{
	put_in(u->cpus->ring, m);
}

static inline void put_lost(struct uprobes *u, uint64_t count)
{
	const uint64_t lost[] = { 1, count, 0, 0, 0, 0 };

	made_record(u->cpus->ring, RING, PERF_RECORD_LOST, 0, lost, sizeof(lost));
}

static inline struct thread *thread_of(struct uprobes *u, uint32_t pid, uint32_t tid)
{
	const uint64_t key = (uint64_t)pid << 32 | tid;
	struct thread *t;

	HASH_FIND(hh, u->threads, &key, sizeof(key), t);
	assert_non_null(t);
	return t;
}

static inline void record_is(const struct thread *t, uint32_t i, uint64_t time, struct event_record e)
{
	assert_in_range(i, 0, t->nr - 1);
	e.delta = start + time - t->base_ns;
	event_is(&t->records[i], e, i);
}

#endif
