// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: what perf's rings of samples and of processes say, record by record, round
 * the end of the ring, cut short, and damaged at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <cmocka.h>

#include "memprof/record/sampler.c"
#include "made/mutate.h"
#include "made_ring.h"

#define BYTES	(64UL << 10)

static struct recording recording;

static struct sampler *make(bool callchain, bool physical)
{
	struct sampler *s;

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	recording.request = (struct memsource_request){
		.user = true, .loads = true, .stores = true, .callchain = callchain, .physical = physical };
	recording.writer.fd = open("/dev/null", O_WRONLY);
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

static void end(struct sampler *s)
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
static size_t sample(uint64_t *p, uint64_t time, uint64_t addr, uint64_t what)
{
	const uint64_t all[] = { 1, 0x401000, 42 | 43ULL << 32, time, addr, 5, 300, what };

	memcpy(p, all, sizeof(all));
	return sizeof(all);
}

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

/* A thread's control group, once; the name of one that was made since. */
static void threads_are_in_control_groups(void **unused)
{
	struct sampler *s = make(false, false);
	/* Id and path, then pid and tid, time, CPU, identifier. */
	uint64_t body[16], made[7] = { 77, 0, 0, 0, 1, 5, 1 };
	const uint64_t groups[] = { 77, 77, 88 };
	const struct task_record *t;
	size_t i;

	(void)unused;
	recording.request.cgroup = true;
	strcpy((char *)(made + 1), "/service/of it");
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_CGROUP, 0, made, sizeof(made));
	for (i = 0; i < 3; i++) {
		sample(body, 1000 + i, 0x7000, src.load);
		body[8] = groups[i];
		made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 72);
	}
	/* Cut off in front of the group. */
	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body, 64);
	assert_true(sampler_drain(s, false));
	assert_int_equal(s->cpus->nr_batch, 3);
	assert_int_equal(s->cpus->cgroup_buffer.records, 2);
	t = (const void *)s->cpus->cgroup_buffer.data;
	assert_int_equal(t->type, TASK_CGROUP);
	assert_int_equal(t->pid, 42);
	assert_int_equal(t->tid, 43);
	assert_int_equal(t->delta, 1000);
	assert_string_equal(t->name, "/service/of it");
	t = (const void *)((const char *)t + t->bytes);
	assert_int_equal(t->delta, 1002);
	/* Nobody knows this one. */
	assert_int_equal(t->bytes, sizeof(*t));
	end(s);
}

/* What is read of /proc is later than records that are still in rings: it is no part of their stream. */
static void what_was_there_is_a_stream_of_its_own(void **unused)
{
	struct sampler *s = make(false, false);
	const struct task_record *t;

	(void)unused;
	sampler_found(s, getpid());
	assert_int_equal(s->cpus->task_buffer.records, 0);
	assert_true(s->found.records > 2);
	t = (const void *)s->found.data;
	assert_int_equal(t->type, TASK_COMM);
	assert_int_equal(t->flags, TASK_FOUND);
	assert_int_equal(t->pid, getpid());
	sampler_drain(s, false);
	assert_int_equal(s->found.records, 0);
	assert_int_equal(recording.writer.counts[CHUNK_TASKS] > 2, true);
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

static void processes_are_reported(void **unused)
{
	struct sampler *s = make(false, false);
	const struct { uint32_t pid, ppid, tid, ptid; uint64_t time, id[4]; } fork = {
		7, 6, 8, 6, 900, { 0, 900, 0, 0 } };
	const struct { uint32_t pid, tid; char name[16]; uint64_t id[4]; } comm = { 7, 8, "name", { 0, 901, 0, 0 } };
	const struct { uint32_t pid, tid; uint64_t addr, len, pgoff; uint32_t maj, min; uint64_t ino, gen;
		       uint32_t prot, flags; char name[16]; uint64_t id[4]; } map = {
		7, 8, 0x400000, 0x1000, 0x2000, 0, 0, 0, 0, PROT_EXEC, MAP_SHARED, "/bin/true", { 0, 902, 0, 0 } };
	const uint64_t lost[] = { 1, 12, 0, 903, 0, 0 };
	const struct task_record *t;

	(void)unused;
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_FORK, 0, &fork, sizeof(fork));
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm));
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_MMAP2, 0, &map, sizeof(map));
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	sampler_drain(s, false);
	assert_int_equal(s->cpus->task_buffer.records, 3);
	t = (const void *)s->cpus->task_buffer.data;
	assert_int_equal(t->type, TASK_FORK);
	assert_int_equal(t->pid, 7);
	assert_int_equal(t->other, 6);
	assert_int_equal(t->tid, 8);
	assert_int_equal(t->delta, 900);
	t = (const void *)((const char *)t + t->bytes);
	assert_int_equal(t->type, TASK_EXEC);
	assert_string_equal(t->name, "name");
	t = (const void *)((const char *)t + t->bytes);
	assert_int_equal(t->type, TASK_MMAP);
	assert_int_equal(t->start, 0x400000);
	assert_int_equal(t->offset, 0x2000);
	assert_int_equal(t->flags, TASK_EXECUTABLE | TASK_SHARED);
	assert_string_equal(t->name, "/bin/true");
	assert_int_equal(recording.lost[LOST_TASKS], 12);
	end(s);
}

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
		cmocka_unit_test(samples_have_what_perf_wrote),
		cmocka_unit_test(threads_are_in_control_groups), cmocka_unit_test(what_was_there_is_a_stream_of_its_own),
		cmocka_unit_test(samples_as_processors_have_them), cmocka_unit_test(chains_and_frames_follow),
		cmocka_unit_test(many_chains_are_written_at_once), cmocka_unit_test(rings_go_round),
		cmocka_unit_test(processes_are_reported),
		cmocka_unit_test(records_that_are_too_short_are_left_out), cmocka_unit_test(mutated),
	};

	return cmocka_run_group_tests_name("memprof sampler", tests, NULL, NULL);
}
