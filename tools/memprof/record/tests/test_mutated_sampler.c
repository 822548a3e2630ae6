// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: perf's rings of samples and of processes, damaged at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "memprof/record/tests/made_sampler.h"

/* The same bytes in both rings. */
static void drain_damaged(void *ctx, char *data, size_t size)
{
	const bool callchain = *(int *)ctx & 1, physical = *(int *)ctx & 2;
	struct sampler *s = make(callchain, physical);

	++*(int *)ctx;
	if (size >= BYTES)
		size = BYTES - 8;
	size -= size % 8;
	s->cpus->samples->data_head = s->cpus->samples->data_tail = BYTES - 256;
	made_put(s->cpus->samples, BYTES, data, size);
	made_put(s->cpus->tasks, BYTES, data, size);
	sampler_drain(s, true);
	assert_int_equal(s->cpus->samples->data_tail, s->cpus->samples->data_head);
	end(s);
}

static void mutated(void **unused)
{
	static const uint32_t types[] = { PERF_RECORD_SAMPLE, PERF_RECORD_COMM, PERF_RECORD_MMAP2, PERF_RECORD_FORK,
					  PERF_RECORD_LOST, PERF_RECORD_THROTTLE, PERF_RECORD_EXIT };
	struct perf_event_mmap_page *ring = made_ring(BYTES);
	struct mutation m = { .name = "perf's rings of memprof", .read = drain_damaged };
	uint64_t body[24] = { 0 };
	int rounds = 0;
	size_t i;

	(void)unused;
	for (i = 0; i < 60; i++) {
		sample(body, 1000 + i, 0x7000 + 8 * i, src.load);
		made_record(ring, BYTES, types[i % 7], PERF_RECORD_MISC_USER, body, 64 + i % 3 * 24);
	}
	m.data = (char *)ring + MADE_PAGE;
	m.size = ring->data_head;
	m.ctx = &rounds;
	mutate(&m);
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated),
	};

	return cmocka_run_group_tests_name("mutated sampler", tests, NULL, NULL);
}
