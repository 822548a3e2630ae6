// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: records of perf's rings that are cut short are left out, and those that were lost are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/made_sampler.h"

static void records_that_are_too_short_are_left_out(void **unused)
{
	struct sampler *s = make(true, true);
	uint64_t body[16] = { 0 };
	size_t n, type;

	(void)unused;
	sample(body, 1000, 0x7000, src.load);
	body[6] = 1 << 20;		/* frames */
	for (n = 0; n <= 9; n++)
		made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 8 * n);
	for (type = PERF_RECORD_MMAP; type <= PERF_RECORD_MMAP2; type++)
		for (n = 0; n < 4; n++)
			made_record(s->cpus->tasks, BYTES, type, 0, body, 8 * n);
	sampler_drain(s, true);
	assert_int_equal(recording.writer.counts[CHUNK_SAMPLES], 0);
	assert_int_equal(recording.writer.counts[CHUNK_TASKS], 0);
	assert_int_equal(s->cpus->tasks->data_tail, s->cpus->tasks->data_head);
	end(s);
}

/* Each with what it may have; frames that are no longer there. */
static void samples_are_whole_or_left_out(void **unused)
{
	static const uint64_t chain[] = { USER, 0x401000, 0x402000 };
	struct made_sample m = usual;
	uint64_t body[64];
	struct sampler *s;
	size_t whole, n;
	int what, more;

	(void)unused;
	m.chain = chain;
	m.nr_chain = 3;
	m.phys = 0x1234000;
	m.cgroup = 7;
	for (what = 0; what < 8; what++) {
		s = make(what & 1, what & 2);
		recording.request.cgroup = what & 4;
		whole = make_sample(&m, body);
		for (n = 0; n <= whole; n += 8) {
			made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, m.mode, body, n);
			sampler_drain(s, false);
			assert_int_equal(s->cpus->nr_batch, n == whole);
			assert_int_equal(recording.discarded, 0);
		}
		sample_is(s, 0, (struct sample_record){ .cpu = 5, .level = LEVEL_L2, .op = 1, .addr = 0x7000, .latency = 300,
							.chain = 1, .node = NODE_UNKNOWN, .pfn = what & 2 ? 0x1234UL : 0 });
		for (more = 1; what & 1 && more < 6; more++) {
			body[6] = more < 5 ? 3 + (uint64_t)more : UINT64_MAX;
			made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, m.mode, body, whole);
			sampler_drain(s, false);
			assert_int_equal(s->cpus->nr_batch, 1);
		}
		end(s);
	}
}

/* In rings of samples: of those that were lost, and when there were too many. */
static void losses_of_samples_are_counted(void **unused)
{
	static const struct { uint64_t time, count; uint32_t kind; } same[] = {
		{ 1000, 12, LOST_SAMPLES }, { 777, 1, LOST_THROTTLED }, { 1000, 5, LOST_SAMPLES },
	};
	const uint64_t lost[] = { 88, 12 }, more[] = { 88, 5 }, throttled[] = { 777 };
	struct sampler *s = make(false, false);
	const struct chunk_header *h;
	struct lost_record l;
	struct written all;
	int i;

	(void)unused;
	put_sample(s, &usual);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	made_record(s->cpus->samples, BYTES, PERF_RECORD_LOST, 0, lost, 8);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_THROTTLE, 0, throttled, sizeof(throttled));
	made_record(s->cpus->samples, BYTES, PERF_RECORD_THROTTLE, 0, throttled, 0);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_UNTHROTTLE, 0, lost, sizeof(lost));
	made_record(s->cpus->samples, BYTES, PERF_RECORD_LOST, 0, more, sizeof(more));
	sampler_drain(s, false);
	assert_int_equal(recording.lost[LOST_SAMPLES], 17);
	assert_int_equal(recording.lost[LOST_THROTTLED], 1);
	assert_int_equal(recording.lost[LOST_TASKS], 0);
	assert_int_equal(s->lost[LOST_SAMPLES], 17);
	assert_int_equal(s->lost[LOST_THROTTLED], 0);
	all = written_read(&recording.writer);
	for (i = 0; i < 3; i++) {
		h = written_lost(&all, &l);
		assert_int_equal(h->stream, 5);
		assert_int_equal(h->base_ns, same[i].time);
		assert_int_equal(l.time_ns, same[i].time);
		assert_int_equal(l.count, same[i].count);
		assert_int_equal(l.kind, same[i].kind);
		assert_int_equal(l.stream, 5);
	}
	assert_null(written_next(&all, CHUNK_LOST));
	written_end(&all);
	end(s);
}

/* What descriptors count and no ring reported, of each kind, once, at the end. */
static void last_losses_are_in_counts_only(void **unused)
{
	static const struct { int kind; uint64_t counted; } fds[] = {
		{ LOST_SAMPLES, 7 }, { LOST_TASKS, 3 }, { LOST_SAMPLES, 10 }, { LOST_TASKS, 1 },
	};
	const uint64_t samples[] = { 88, 12 }, tasks[] = { 1, 4, 0, 903, 0, 0 };
	struct sampler *s = make(false, false);
	int i;

	(void)unused;
	for (i = 0; i < 4; i++)
		assert_int_equal(keep_fd(s, made_counts(fds[i].counted), fds[i].kind), 0);
	assert_int_equal(s->nr_fds, 4);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_LOST, 0, samples, sizeof(samples));
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_LOST, 0, tasks, sizeof(tasks));
	sampler_drain(s, false);
	assert_int_equal(recording.lost[LOST_SAMPLES], 12);
	assert_int_equal(recording.lost[LOST_TASKS], 4);
	sampler_drain(s, true);
	assert_int_equal(recording.lost[LOST_SAMPLES], 17);
	assert_int_equal(recording.lost[LOST_TASKS], 4);
	assert_int_equal(recording.writer.counts[CHUNK_LOST], 3);
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_that_are_too_short_are_left_out),
		cmocka_unit_test(samples_are_whole_or_left_out),
		cmocka_unit_test(losses_of_samples_are_counted),
		cmocka_unit_test(last_losses_are_in_counts_only),
	};

	return cmocka_run_group_tests_name("memprof sample losses", tests, NULL, NULL);
}
