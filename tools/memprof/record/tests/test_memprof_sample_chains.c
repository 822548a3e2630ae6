// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: call chains of samples: which frames they have, how many, and when chunks of them are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_sampler.h"

#define KERNEL	((uint64_t)PERF_CONTEXT_KERNEL)

static void chains_and_frames_follow(void **unused)
{
	struct sampler *s = make(true, true);
	const uint64_t body[] = { 1, 0x401000, 42 | 42ULL << 32, 1000, 0x7000, 5,
				  4, PERF_CONTEXT_USER, 0x401000, 0x402000, 0x403000, 300, src.load, 0x12345678 };
	const struct chain_record *chain;

	(void)unused;
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, sizeof(body));
	sampler_drain(s, false);
	assert_int_equal(s->cpus->nr_batch, 1);
	assert_int_equal(s->cpus->batch->pfn, 0x12345);
	chain = (const void *)s->numbers.new_chains.data;
	assert_non_null(chain);
	assert_int_equal(chain->depth, 3);
	assert_int_equal(((const uint64_t *)(chain + 1))[2], 0x403000);
	end(s);
}

/* Those of all CPUs come together: they do not wait for a CPU to have a chunk of samples. */
static void many_chains_are_written_at_once(void **unused)
{
	struct sampler *s = make(true, true);
	uint64_t body[12 + MEMPROF_MAX_DEPTH] = { 1, 0x401000, 42 | 42ULL << 32, 1000, 0x7000, 5,
						  1 + MEMPROF_MAX_DEPTH, PERF_CONTEXT_USER, 0x401000 };
	uint64_t i, k;

	(void)unused;
	for (k = 1; k < MEMPROF_MAX_DEPTH; k++)
		body[8 + k] = 0x402000 + k;
	body[9 + MEMPROF_MAX_DEPTH] = src.load;
	for (i = 0; i < BATCH; i++) {
		body[7 + MEMPROF_MAX_DEPTH] = 0x500000 + i;
		made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
			    8 * (11 + MEMPROF_MAX_DEPTH));
		sampler_drain(s, false);
		assert_in_range(s->numbers.new_chains.used, 0, 1 << 20);
	}
	assert_int_equal(s->cpus->nr_batch, BATCH);
	assert_int_equal(s->numbers.nr_chains, BATCH);
	assert_int_equal(s->numbers.new_chains.records + recording.writer.counts[CHUNK_CHAINS], BATCH);
	end(s);
}

/* The instruction, then frames of user mode. */
static void chains_are_of_user_mode(void **unused)
{
	static const struct { uint64_t chain[8], nr, frames[4], depth; } in[] = {
		{ { USER, 0x401000, 0x402000, 0x403000 }, 4, { 0x401000, 0x402000, 0x403000 }, 3 },
		{ { KERNEL, 0xffffffff81000000, USER, 0x401000, 0x402000 }, 5, { 0x401000, 0x402000 }, 2 },
		{ { USER, 0x402000, KERNEL, 0xffffffff81000000, 0x403000 }, 5, { 0x401000, 0x402000 }, 2 },
		{ { USER, 0x402000, (uint64_t)PERF_CONTEXT_GUEST_USER, 0x403000 }, 4, { 0x401000, 0x402000 }, 2 },
		{ { USER, 0x402000, (uint64_t)PERF_CONTEXT_MAX, 0x403000 }, 4, { 0x401000, 0x402000 }, 2 },
		{ { USER, 0x402000, (uint64_t)PERF_CONTEXT_MAX - 1 }, 3, { 0x401000, 0x402000, (uint64_t)PERF_CONTEXT_MAX - 1 }, 3 },
		{ { 0x402000, 0x403000 }, 2, { 0x401000 }, 1 }, { { 0 }, 0, { 0x401000 }, 1 },
		{ { USER, 0x402000, 0x401000, 0x402000 }, 4, { 0x401000, 0x402000, 0x402000 }, 3 },
	};
	const struct chain_record *chain;
	struct made_sample m = usual;
	struct sampler *s;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		s = make(true, false);
		m.chain = in[i].chain;
		m.nr_chain = in[i].nr;
		put_sample(s, &m);
		sampler_drain(s, false);
		sample_is(s, 0, (struct sample_record){ .cpu = 5, .level = LEVEL_L2, .op = 1, .addr = 0x7000, .latency = 300,
							.chain = 1, .node = NODE_UNKNOWN });
		chain = (const void *)s->numbers.new_chains.data;
		assert_int_equal(chain->chain, 1);
		if (chain->depth != in[i].depth)
			fail_msg("chain %zu: %u frames", i, chain->depth);
		assert_memory_equal(chain + 1, in[i].frames, in[i].depth * sizeof(*in[i].frames));
		end(s);
	}
}

static void chains_have_a_depth(void **unused)
{
	uint64_t frames[MEMPROF_MAX_DEPTH + 3] = { USER, 0x401000 };
	const struct chain_record *chain;
	struct made_sample m = usual;
	struct sampler *s;
	uint64_t nr, i;

	(void)unused;
	for (i = 2; i < sizeof(frames) / sizeof(*frames); i++)
		frames[i] = 0x402000 + i;
	for (nr = MEMPROF_MAX_DEPTH; nr <= MEMPROF_MAX_DEPTH + 3; nr++) {
		s = make(true, false);
		m.chain = frames;
		m.nr_chain = nr;
		put_sample(s, &m);
		sampler_drain(s, false);
		chain = (const void *)s->numbers.new_chains.data;
		assert_int_equal(chain->depth, nr - 1 < MEMPROF_MAX_DEPTH ? nr - 1 : MEMPROF_MAX_DEPTH);
		assert_memory_equal(chain + 1, frames + 1, chain->depth * sizeof(*frames));
		end(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_and_frames_follow),
		cmocka_unit_test(many_chains_are_written_at_once),
		cmocka_unit_test(chains_are_of_user_mode),
		cmocka_unit_test(chains_have_a_depth),
	};

	return cmocka_run_group_tests_name("memprof sample chains", tests, NULL, NULL);
}
