// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: what perf's rings of samples have becomes records, each field compared; which
 * samples are kept; when chunks of them end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>

#include "memprof/record/tests/made_sampler.h"

static void samples_have_what_perf_wrote(void **unused)
{
	struct sampler *s = make(false, false);
	struct sample_record *r = s->cpus->batch;
	uint64_t body[16];

	(void)unused;
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    sample(body, 1000, 0x7000, src.load));
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    sample(body, 1500, 0x7008, src.store));
	/* No address, no access, the kernel's: not these. */
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    sample(body, 1600, 0, src.load));
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    sample(body, 1700, 0x7010, 0));
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body,
		    sample(body, 1800, 0x7018, src.load));
	assert_true(sampler_drain(s, false));
	assert_int_equal(s->cpus->nr_batch, 2);
	assert_int_equal(recording.discarded, 3);
	assert_int_equal(recording.with_level, 1);
	assert_int_equal(s->cpus->base_ns, 1000);
	assert_int_equal(r[0].addr, 0x7000);
	assert_int_equal(r[0].op, 1);
	assert_int_equal(r[0].level, LEVEL_L2);
	assert_int_equal(r[0].latency, 300);
	assert_int_equal(r[0].cpu, 5);
	assert_int_equal(r[1].delta, 500);
	assert_int_equal(r[1].op, 2);
	assert_int_equal(r[0].thread, r[1].thread);
	assert_int_equal(s->cpus->samples->data_tail, s->cpus->samples->data_head);
	assert_false(sampler_drain(s, false));
	end(s);
}

/* What IBS ops of a real processor are beside loads or stores of the instruction. */
static void samples_as_processors_have_them(void **unused)
{
	struct sampler *s = make(false, true);
	struct sample_record *r = s->cpus->batch;
	const uint64_t entry = 0xfffffe0000d0c010;
	uint64_t body[16];

	(void)unused;
	recording.request.kernel = true;
	/* No linear address, and a physical one that is an offset in a page. */
	sample(body, 1000, 0, src.load);
	body[8] = 0x348;
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 72);
	/* The kernel's entry under an instruction of user mode; the kernel's own access. */
	sample(body, 1100, entry, src.load);
	body[8] = 0x3fefbcb010;
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 72);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body, 72);
	/* Load and store at once. */
	sample(body, 1200, 0x7000, src.load | src.store);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 72);
	/* A string instruction that was tagged elsewhere: neither. */
	sample(body, 1300, 0, PERF_MEM_OP_NA);
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 72);
	sampler_drain(s, false);
	assert_int_equal(s->cpus->nr_batch, 2);
	assert_int_equal(recording.discarded, 3);
	assert_int_equal(r[0].addr, entry & ((1ULL << 48) - 1));
	assert_int_equal(r[0].kernel, 1);
	assert_int_equal(r[1].addr, 0x7000);
	assert_int_equal(r[1].op, 3);
	end(s);
}

static void rings_go_round(void **unused)
{
	struct sampler *s = make(false, false);
	uint64_t body[16], i, all = 0;

	(void)unused;
	for (i = 0; i < 5000; i++) {
		made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
			    sample(body, 1000 + i, 0x7000 + 8 * i, src.load));
		if (i % 300 == 299 || i == 4999) {
			sampler_drain(s, false);
			assert_int_equal(s->cpus->batch[s->cpus->nr_batch - 1].addr, 0x7000 + 8 * i);
			all += s->cpus->nr_batch;
			flush_samples(s, s->cpus);
		}
	}
	assert_int_equal(all, 5000);
	end(s);
}

static void each_field_of_a_sample_is_in_its_record(void **unused)
{
	static struct pfn_range memory[] = { { 0x100, 0x200, 3 }, { 0x200, 0x300, 5 } };
	static const struct { uint64_t weight, phys; unsigned int latency, node; } in[] = {
		{ 0, 0x100000, 0, 3 }, { 65534, 0x1fffff, 65534, 3 }, { 65535, 0x200fff, 65535, 5 }, { 65536, 0x2ff000, 65535, 5 },
		{ UINT64_MAX, 0x300000, 65535, NODE_UNKNOWN }, { 1, 0, 1, NODE_UNKNOWN }, { 2, 0xff000, 2, NODE_UNKNOWN },
	};
	struct sampler *s = make(false, true);
	struct made_sample m = usual;
	size_t i;

	(void)unused;
	recording.machine.memory = memory;
	recording.machine.nr_ranges = 2;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		m.time = 1000 + 10 * i;
		m.addr = 0x7fff12345670 + i;
		m.weight = in[i].weight;
		m.phys = in[i].phys;
		m.tid = 43 + i;
		m.ip = 0x401000 + i;
		put_sample(s, &m);
	}
	sampler_drain(s, false);
	assert_int_equal(s->cpus->nr_batch, i);
	assert_int_equal(recording.with_level, i);
	assert_int_equal(s->cpus->last_ns, m.time);
	for (i = 0; i < sizeof(in) / sizeof(*in); i++)
		sample_is(s, i, (struct sample_record){
			.delta = 10 * i, .cpu = 5, .level = LEVEL_L2, .op = 1, .addr = 0x7fff12345670 + i,
			.latency = in[i].latency, .chain = 1 + i, .thread = i, .node = in[i].node, .pfn = in[i].phys >> 12 });
	end(s);
}

/* An NMI between taking the time and writing. */
static void times_do_not_go_back(void **unused)
{
	static const uint64_t times[] = { 5000, 4000, 4999, 5000, 5001, 4500 }, deltas[] = { 0, 0, 0, 0, 1, 0 };
	struct sampler *s = make(false, false);
	struct made_sample m = usual;
	const struct chunk_header *h;
	struct written all;
	int i;

	(void)unused;
	for (i = 0; i < 6; i++) {
		m.time = times[i];
		put_sample(s, &m);
	}
	sampler_drain(s, false);
	assert_int_equal(s->cpus->nr_batch, 6);
	for (i = 0; i < 6; i++)
		assert_int_equal(s->cpus->batch[i].delta, deltas[i]);
	sampler_drain(s, true);
	all = written_read(&recording.writer);
	h = written_next(&all, CHUNK_SAMPLES);
	assert_int_equal(h->stream, 5);
	assert_int_equal(h->base_ns, 5000);
	assert_int_equal(h->last_ns, 5001);
	assert_int_equal(h->records, 6);
	assert_int_equal(h->bytes, 6 * sizeof(struct sample_record));
	assert_null(written_next(&all, CHUNK_SAMPLES));
	written_end(&all);
	end(s);
}

/* What is asked for, in which mode, and of which process. */
static void samples_that_nobody_asked_for_are_discarded(void **unused)
{
	const uint64_t load = usual.what, store = PERF_MEM_OP_STORE, both = load | store, none = PERF_MEM_OP_NA;
	const struct { bool user, kernel, loads, stores; uint64_t what, addr; uint32_t pid; uint16_t mode; bool kept; } in[] = {
		{ true, false, true, false, load, 0x7000, 42, PERF_RECORD_MISC_USER, true },
		{ true, false, false, true, load, 0x7000, 42, PERF_RECORD_MISC_USER, false },
		{ true, false, true, false, store, 0x7000, 42, PERF_RECORD_MISC_USER, false },
		{ true, false, false, true, store, 0x7000, 42, PERF_RECORD_MISC_USER, true },
		{ true, false, true, false, both, 0x7000, 42, PERF_RECORD_MISC_USER, true },
		{ true, false, false, true, both, 0x7000, 42, PERF_RECORD_MISC_USER, true },
		{ true, true, true, true, none, 0x7000, 42, PERF_RECORD_MISC_USER, false },
		{ true, true, true, true, load, 0, 42, PERF_RECORD_MISC_USER, false },
		{ true, true, true, true, load, 1, 42, PERF_RECORD_MISC_USER, true },
		{ true, true, true, true, load, 0x7000, 0, PERF_RECORD_MISC_USER, false },
		{ false, true, true, true, load, 0x7000, 42, PERF_RECORD_MISC_USER, false },
		{ false, true, true, true, load, 0x7000, 42, PERF_RECORD_MISC_KERNEL, true },
		{ true, false, true, true, load, 0x7000, 42, PERF_RECORD_MISC_KERNEL, false },
		{ true, false, true, true, load, 0x7000, 42, PERF_RECORD_MISC_HYPERVISOR, false },
		{ true, false, true, true, load, 0x7000, 42, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP, true },
		{ true, true, true, true, load, 0xffff7fffffffffff, 42, PERF_RECORD_MISC_USER, true },
		{ true, true, true, true, load, 0xffff800000000000, 42, PERF_RECORD_MISC_USER, false },
		{ true, true, true, true, load, 0xffff800000000000, 42, PERF_RECORD_MISC_KERNEL, true },
	};
	struct made_sample m;
	struct sampler *s;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		s = make(false, false);
		recording.request = (struct memsource_request){ .user = in[i].user, .kernel = in[i].kernel,
								.loads = in[i].loads, .stores = in[i].stores };
		m = usual;
		m.what = in[i].what;
		m.addr = in[i].addr;
		m.pid = in[i].pid;
		m.mode = in[i].mode;
		put_sample(s, &m);
		assert_true(sampler_drain(s, false));
		if (s->cpus->nr_batch != in[i].kept || recording.discarded == in[i].kept)
			fail_msg("sample %zu", i);
		if (in[i].kept)
			assert_int_equal(s->cpus->batch->kernel, (in[i].mode & 7) != PERF_RECORD_MISC_USER);
		end(s);
	}
}

/* By number, and by the bits of a delta. */
static void a_chunk_of_samples_ends(void **unused)
{
	static const struct { uint64_t later; uint32_t first; } in[] = {
		{ MEMPROF_MAX_DELTA, 2 }, { MEMPROF_MAX_DELTA + 1, 1 },
	};
	struct made_sample m = usual;
	const struct chunk_header *h;
	struct written all;
	struct sampler *s;
	int i;

	(void)unused;
	for (i = 0; i < 2; i++) {
		s = make(false, false);
		m.time = 1000;
		put_sample(s, &m);
		m.time += in[i].later;
		put_sample(s, &m);
		sampler_drain(s, true);
		all = written_read(&recording.writer);
		/* First what samples refer to. */
		assert_int_equal(written_next(&all, 0)->type, CHUNK_THREADS);
		h = written_next(&all, 0);
		assert_int_equal(h->type, CHUNK_CHAINS);
		assert_int_equal(h->base_ns, 1000);
		h = written_next(&all, 0);
		assert_int_equal(h->type, CHUNK_SAMPLES);
		assert_int_equal(h->records, in[i].first);
		assert_int_equal(h->base_ns, 1000);
		assert_int_equal(h->last_ns, in[i].first == 2 ? m.time : 1000);
		h = written_next(&all, CHUNK_SAMPLES);
		assert_int_equal(!!h, in[i].first == 1);
		if (h)
			assert_int_equal(h->base_ns, m.time);
		written_end(&all);
		end(s);
	}
	s = make(false, false);
	for (i = 0; i <= BATCH; i++) {
		m.time = 1000 + i;
		put_sample(s, &m);
		sampler_drain(s, false);
		assert_int_equal(s->cpus->nr_batch, i < BATCH ? i + 1 : 1);
	}
	assert_int_equal(recording.writer.counts[CHUNK_SAMPLES], BATCH);
	assert_int_equal(s->cpus->base_ns, m.time);
	assert_int_equal(s->cpus->flushed_ns, m.time - 1);
	end(s);
}

/* Each second, of the samples' own time. */
static void samples_are_written_each_second(void **unused)
{
	struct sampler *s = make(false, false);
	struct made_sample m = usual;
	int more;

	(void)unused;
	s->cpus->flushed_ns = 1000;
	for (more = 0; more < 2; more++) {
		m.time = 1000 + FLUSH_NS + more;
		put_sample(s, &m);
		sampler_drain(s, false);
		assert_int_equal(recording.writer.counts[CHUNK_SAMPLES], more ? 2 : 0);
	}
	assert_int_equal(s->cpus->flushed_ns, m.time);
	end(s);
}

/* Without physical addresses, the kernel is asked where pages are: of each process at once. */
static void nodes_of_pages_are_asked_for(void **unused)
{
	struct sampler *s = make(false, false);
	static char touched[3 * 4096];
	struct made_sample m = usual;
	const struct sample_record *r;
	const struct chunk_header *h;
	int status = -1, i, k;
	struct written all;
	void *page;

	(void)unused;
	memset(touched, 1, sizeof(touched));
	page = (void *)((uintptr_t)(touched + 4096) & -4096UL);
	/* Where it cannot be asked, nodes stay unknown. */
	if (syscall(SYS_move_pages, getpid(), 1UL, &page, NULL, &status, 0))
		status = -1;
	s->cpus->pages = malloc(BATCH * sizeof(*s->cpus->pages));
	for (i = 0; i < 6; i++) {
		m.pid = m.tid = i / 2 != 1 ? getpid() : INT_MAX - 1;
		/* The second is of no page. */
		m.addr = i == 1 ? 4096 : (uint64_t)page + 100 * i;
		put_sample(s, &m);
	}
	sampler_drain(s, false);
	for (i = 0; i < 6; i++) {
		assert_int_equal(s->cpus->pages[i].pid, i / 2 != 1 ? getpid() : INT_MAX - 1);
		assert_int_equal(s->cpus->pages[i].addr, i == 1 ? 4096 : (uint64_t)page + 100 * i);
	}
	sampler_drain(s, true);
	all = written_read(&recording.writer);
	h = written_next(&all, CHUNK_SAMPLES);
	r = (const void *)(h + 1);
	for (k = 0; k < 6; k++)
		assert_int_equal(r[k].node, k / 2 != 1 && k != 1 && status >= 0 ? status : NODE_UNKNOWN);
	written_end(&all);
	end(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_have_what_perf_wrote),
		cmocka_unit_test(samples_as_processors_have_them),
		cmocka_unit_test(rings_go_round),
		cmocka_unit_test(each_field_of_a_sample_is_in_its_record),
		cmocka_unit_test(times_do_not_go_back),
		cmocka_unit_test(samples_that_nobody_asked_for_are_discarded),
		cmocka_unit_test(a_chunk_of_samples_ends),
		cmocka_unit_test(samples_are_written_each_second),
		cmocka_unit_test(nodes_of_pages_are_asked_for),
	};

	return cmocka_run_group_tests_name("memprof samples", tests, NULL, NULL);
}
