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
#include <limits.h>
#include <cmocka.h>

#include "memprof/record/sampler.c"
#include "made/mutate.h"
#include "made_ring.h"
#include "written.h"

#define BYTES	(64UL << 10)

static struct recording recording;

static struct sampler *make(bool callchain, bool physical)
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

/* ---- samples of any kind ---- */

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

static size_t make_sample(const struct made_sample *m, uint64_t *body)
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

static void put_sample(struct sampler *s, const struct made_sample *m)
{
	uint64_t body[256];
	const size_t n = make_sample(m, body);

	made_record(s->cpus->samples, BYTES, PERF_RECORD_SAMPLE, m->mode, body, n);
}

static void sample_is(const struct sampler *s, uint32_t i, struct sample_record r)
{
	const struct sample_record *is = &s->cpus->batch[i];

	assert_in_range(i, 0, s->cpus->nr_batch - 1);
	if (memcmp(is, &r, sizeof(r)))
		fail_msg("sample %u: delta %lu, cpu %u, level %u, op %u, hitm %u, tlb %u, kernel %u, addr %lx, latency %u, "
			 "chain %u, thread %u, node %u, pfn %lx", i, (uint64_t)is->delta, is->cpu, is->level, is->op,
			 is->hitm, is->tlb_miss, is->kernel, (uint64_t)is->addr, is->latency, is->chain, is->thread,
			 is->node, (uint64_t)is->pfn);
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

#define USER	((uint64_t)PERF_CONTEXT_USER)
#define KERNEL	((uint64_t)PERF_CONTEXT_KERNEL)

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

/* ---- what else rings have ---- */

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
		h = written_next(&all, CHUNK_LOST);
		assert_non_null(h);
		assert_int_equal(h->stream, 5);
		assert_int_equal(h->base_ns, same[i].time);
		memcpy(&l, h + 1, sizeof(l));
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
	int i, fd;

	(void)unused;
	for (i = 0; i < 4; i++) {
		const uint64_t counts[] = { 1000, fds[i].counted };

		fd = memfd_create("counts", MFD_CLOEXEC);
		assert_int_equal(pwrite(fd, counts, sizeof(counts), 0), sizeof(counts));
		assert_int_equal(keep_fd(s, fd, fds[i].kind), 0);
	}
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

/* ---- tasks ---- */

static const struct task_record *next_task(const struct buffer *b, size_t *at)
{
	const struct task_record *t = (const void *)(b->data + *at);

	assert_true(*at < b->used);
	assert_true(t->bytes >= sizeof(*t) && t->bytes <= b->used - *at);
	*at += t->bytes;
	return t;
}

static void task_is(const struct task_record *t, struct task_record *same, const char *name)
{
	same->bytes = sizeof(*same) + (name ? (strlen(name) + 8) & ~7UL : 0);
	assert_memory_equal(t, same, sizeof(*same));
	if (name)
		assert_string_equal(t->name, name);
}

struct made_map {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, gen;
	uint32_t prot, flags;
	char name[24];
	uint64_t id[4];		/* pid and tid, time, CPU, identifier */
};

static void each_field_of_a_mapping_is_in_its_record(void **unused)
{
	static const struct { uint32_t prot, map, flags; } in[] = {
		{ PROT_READ, MAP_PRIVATE, 0 }, { PROT_READ | PROT_WRITE, MAP_PRIVATE, TASK_WRITABLE },
		{ PROT_WRITE, MAP_PRIVATE, TASK_WRITABLE }, { PROT_EXEC, MAP_PRIVATE, TASK_EXECUTABLE },
		{ PROT_READ, MAP_SHARED, TASK_SHARED }, { PROT_NONE, MAP_PRIVATE, 0 },
		{ PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, TASK_WRITABLE | TASK_EXECUTABLE | TASK_SHARED },
	};
	struct sampler *s = make(false, false);
	const struct task_record *t;
	struct made_map m;
	size_t i, at = 0;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		m = (struct made_map){ 7, 8, 0x400000, 0x1000, 0x2000, 0x11, 0x12, 0x13, 0x14, in[i].prot, in[i].map, "name",
				       { 1, 900 + i, 2, 3 } };
		made_record(s->cpus->tasks, BYTES, PERF_RECORD_MMAP2, 0, &m, sizeof(m));
	}
	sampler_drain(s, false);
	assert_int_equal(s->cpus->task_buffer.records, i);
	assert_int_equal(s->cpus->task_last_ns, 900 + i - 1);
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		t = next_task(&s->cpus->task_buffer, &at);
		task_is(t, &(struct task_record){ .delta = 900 + i, .type = TASK_MMAP, .flags = in[i].flags, .pid = 7, .tid = 8,
						 .start = 0x400000, .length = 0x1000, .offset = 0x2000 }, "name");
	}
	end(s);
}

/* The loader ignores LD_PRELOAD for it: as a file that is executed, not as one that is read. */
static void programs_with_a_set_id_bit_are_privileged(void **unused)
{
	static const struct { mode_t mode; uint32_t prot, flags; } in[] = {
		{ 0755, PROT_EXEC, TASK_EXECUTABLE }, { 04755, PROT_EXEC, TASK_EXECUTABLE | TASK_PRIVILEGED },
		{ 02755, PROT_EXEC, TASK_EXECUTABLE | TASK_PRIVILEGED }, { 04755, PROT_READ, 0 },
		{ 01755, PROT_EXEC, TASK_EXECUTABLE },
	};
	struct sampler *s = make(false, false);
	char path[] = "/tmp/memprof.XXXXXX";
	const int fd = mkstemp(path);
	struct made_map m;
	size_t i, at = 0;

	(void)unused;
	assert_true(fd >= 0);
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		assert_int_equal(fchmod(fd, in[i].mode), 0);
		m = (struct made_map){ .prot = in[i].prot };
		strcpy(m.name, path);
		made_record(s->cpus->tasks, BYTES, PERF_RECORD_MMAP2, 0, &m, sizeof(m));
		sampler_drain(s, false);
		assert_int_equal(next_task(&s->cpus->task_buffer, &at)->flags, in[i].flags);
	}
	/* Not a path: of memory without a file. */
	assert_false(is_privileged("name"));
	assert_false(is_privileged(""));
	assert_false(is_privileged("/nowhere/at all"));
	close(fd);
	unlink(path);
	end(s);
}

static void tasks_begin_and_end(void **unused)
{
	struct { uint32_t pid, ppid, tid, ptid; uint64_t time, id[4]; } both = { 7, 6, 8, 5, 1, { 0, 900, 2, 3 } };
	struct { uint32_t pid, tid; char name[16]; uint64_t id[4]; } comm = { 7, 8, "a name", { 0, 902, 2, 3 } };
	struct sampler *s = make(false, false);
	const struct buffer *b = &s->cpus->task_buffer;
	size_t at = 0;

	(void)unused;
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_FORK, 0, &both, sizeof(both));
	both.id[1] = 901;
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_EXIT, 0, &both, sizeof(both));
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_COMM, 0, &comm, sizeof(comm));
	comm.id[1] = 890;
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &comm, sizeof(comm));
	sampler_drain(s, false);
	assert_int_equal(b->records, 4);
	assert_int_equal(s->cpus->task_last_ns, 902);
	task_is(next_task(b, &at), &(struct task_record){ .delta = 900, .type = TASK_FORK, .pid = 7, .tid = 8, .other = 6 }, NULL);
	task_is(next_task(b, &at), &(struct task_record){ .delta = 901, .type = TASK_EXIT, .pid = 7, .tid = 8, .other = 6 }, NULL);
	task_is(next_task(b, &at), &(struct task_record){ .delta = 902, .type = TASK_COMM, .pid = 7, .tid = 8 }, "a name");
	task_is(next_task(b, &at), &(struct task_record){ .delta = 890, .type = TASK_EXEC, .pid = 7, .tid = 8 }, "a name");
	sampler_forked(s, 20, 21);
	task_is(next_task(b, &at), &(struct task_record){ .delta = s->cpus->task_last_ns, .type = TASK_FORK, .pid = 20, .tid = 20,
							 .other = 21 }, NULL);
	assert_int_equal(b->used, at);
	end(s);
}

/* The next thread of a number may be in any control group: of one that ends only. */
static void the_group_of_a_thread_ends_with_it(void **unused)
{
	struct { uint32_t pid, ppid, tid, ptid; uint64_t time, id[4]; } both = { 42, 42, 43, 42, 1, { 0, 900, 2, 3 } };
	struct sampler *s = make(false, false);
	struct made_sample m = usual;
	int i;

	(void)unused;
	recording.request.cgroup = true;
	m.cgroup = UINT64_MAX;
	for (i = 0; i < 4; i++) {
		m.time = 1000 + i;
		put_sample(s, &m);
		if (i)
			made_record(s->cpus->tasks, BYTES, i == 1 ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0, &both, sizeof(both));
		sampler_drain(s, false);
		assert_int_equal(s->cpus->cgroup_buffer.records, i < 2 ? 1 : i);
		assert_int_equal(s->cpus->cgroup_last_ns, i < 2 ? 1000 : m.time);
	}
	/* Of another CPU, earlier ones may be read later. */
	m.time = 500;
	put_sample(s, &m);
	sampler_drain(s, false);
	assert_int_equal(s->cpus->cgroup_buffer.records, 4);
	assert_int_equal(s->cpus->cgroup_last_ns, 1003);
	end(s);
}

/* A record has its fields, a name that ends if it has one, and the four words behind; else it is none. */
static void short_tasks_are_left_out(void **unused)
{
	static const struct { uint32_t type; size_t fixed; bool name; } in[] = {
		{ PERF_RECORD_FORK, 24, false }, { PERF_RECORD_EXIT, 24, false }, { PERF_RECORD_COMM, 8, true },
		{ PERF_RECORD_MMAP2, 64, true }, { PERF_RECORD_CGROUP, 8, true }, { PERF_RECORD_LOST, 16, false },
	};
	unsigned char body[256];
	struct sampler *s;
	size_t i, n, ends;
	bool good;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++)
		for (n = 0; n <= in[i].fixed + 16 + 32; n += 8)
			/* Where in the name the first zero is; behind the name there is one, too. */
			for (ends = 0; ends <= 16; ends++) {
				s = make(false, false);
				memset(body, 1, sizeof(body));
				memset(body + in[i].fixed + ends, 0, sizeof(body) - in[i].fixed - ends);
				/* Zeros in the fields end no name. */
				if (in[i].type == PERF_RECORD_MMAP2)
					body[in[i].fixed - 4] = 0;
				made_record(s->cpus->tasks, BYTES, in[i].type, 0, body, n);
				sampler_drain(s, false);
				good = n >= in[i].fixed + 32 + (in[i].name ? ends + 1 : 0);
				if (s->cpus->task_buffer.records + !!s->numbers.cgroups + !!recording.lost[LOST_TASKS] != good)
					fail_msg("type %u, %zu bytes, name %zu", in[i].type, n, ends);
				if (in[i].type == PERF_RECORD_LOST && good)
					assert_int_equal(recording.lost[LOST_TASKS], 0x0101010101010101);
				if (in[i].type == PERF_RECORD_CGROUP && good)
					assert_int_equal(strlen(numbers_cgroup(&s->numbers, 0x0101010101010101)), ends);
				assert_int_equal(s->cpus->task_buffer.records, good && in[i].type != PERF_RECORD_LOST &&
						 in[i].type != PERF_RECORD_CGROUP);
				end(s);
			}
}

/* With the samples of a second, when they are many, or at the end. */
static void tasks_are_written_in_chunks(void **unused)
{
	struct { uint32_t pid, tid; char name[16]; uint64_t id[4]; } comm = { 7, 8, "a name", { 0, 902, 2, 3 } };
	struct sampler *s = make(false, false);
	const struct chunk_header *h;
	struct written all;
	uint32_t i;

	(void)unused;
	/* 56 bytes and a name of 8. */
	for (i = 1; i <= TASK_BYTES / 64 + 1; i++) {
		assert_int_equal(recording.writer.counts[CHUNK_TASKS], 0);
		comm.id[1] = 900 + i;
		made_record(s->cpus->tasks, BYTES, PERF_RECORD_COMM, 0, &comm, sizeof(comm));
		sampler_drain(s, false);
	}
	i--;
	assert_int_equal(recording.writer.counts[CHUNK_TASKS], i);
	made_record(s->cpus->tasks, BYTES, PERF_RECORD_COMM, 0, &comm, sizeof(comm));
	sampler_drain(s, true);
	all = written_read(&recording.writer);
	h = written_next(&all, CHUNK_TASKS);
	assert_int_equal(h->stream, 5);
	assert_int_equal(h->records, i);
	assert_int_equal(h->base_ns, 0);
	assert_int_equal(h->last_ns, 900 + i);
	h = written_next(&all, CHUNK_TASKS);
	assert_int_equal(h->records, 1);
	assert_null(written_next(&all, CHUNK_TASKS));
	written_end(&all);
	end(s);
}

/* What /proc says of this process, of memory that is known. */
static void mappings_that_were_there_are_found(void **unused)
{
	static const struct { int prot, map; uint32_t flags; } in[] = {
		{ PROT_READ, MAP_PRIVATE, TASK_FOUND }, { PROT_READ | PROT_WRITE, MAP_PRIVATE, TASK_FOUND | TASK_WRITABLE },
		{ PROT_READ | PROT_EXEC, MAP_PRIVATE, TASK_FOUND | TASK_EXECUTABLE },
		{ PROT_READ, MAP_SHARED, TASK_FOUND | TASK_SHARED },
	};
	char path[] = "/tmp/memprof a file.XXXXXX";
	struct sampler *s = make(false, false);
	const int fd = mkstemp(path);
	const struct task_record *t;
	uint64_t before;
	size_t i, at;
	void *map;
	int found;

	(void)unused;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4 * 4096), 0);
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		map = mmap(NULL, 2 * 4096, in[i].prot, in[i].map, fd, 4096);
		assert_ptr_not_equal(map, MAP_FAILED);
		before = now_ns();
		found_maps(s, getpid());
		for (at = 0, found = 0; at < s->found.used;) {
			t = next_task(&s->found, &at);
			assert_in_range(t->delta, before, s->found_last_ns);
			before = t->delta;
			if (t->start != (uint64_t)map)
				continue;
			task_is(t, &(struct task_record){ .delta = t->delta, .type = TASK_MMAP, .flags = in[i].flags, .pid = getpid(),
							 .tid = getpid(), .start = (uint64_t)map, .length = 2 * 4096,
							 .offset = 4096 }, path);
			found++;
		}
		assert_int_equal(found, 1);
		flush_found(s);
		munmap(map, 2 * 4096);
	}
	/* Without a file. */
	map = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(map, 4096, PROT_READ | PROT_EXEC);
	found_maps(s, getpid());
	for (at = 0, found = 0; at < s->found.used;) {
		t = next_task(&s->found, &at);
		if (t->start <= (uint64_t)map && (uint64_t)map - t->start < t->length) {
			assert_string_equal(t->name, "//anon");
			found++;
		}
	}
	assert_int_equal(found, 1);
	munmap(map, 4096);
	close(fd);
	unlink(path);
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
		cmocka_unit_test(records_that_are_too_short_are_left_out),
		cmocka_unit_test(each_field_of_a_sample_is_in_its_record),
		cmocka_unit_test(times_do_not_go_back),
		cmocka_unit_test(samples_that_nobody_asked_for_are_discarded),
		cmocka_unit_test(chains_are_of_user_mode),
		cmocka_unit_test(chains_have_a_depth),
		cmocka_unit_test(samples_are_whole_or_left_out),
		cmocka_unit_test(a_chunk_of_samples_ends),
		cmocka_unit_test(samples_are_written_each_second),
		cmocka_unit_test(nodes_of_pages_are_asked_for),
		cmocka_unit_test(losses_of_samples_are_counted),
		cmocka_unit_test(last_losses_are_in_counts_only),
		cmocka_unit_test(each_field_of_a_mapping_is_in_its_record),
		cmocka_unit_test(programs_with_a_set_id_bit_are_privileged),
		cmocka_unit_test(tasks_begin_and_end),
		cmocka_unit_test(the_group_of_a_thread_ends_with_it),
		cmocka_unit_test(short_tasks_are_left_out),
		cmocka_unit_test(tasks_are_written_in_chunks),
		cmocka_unit_test(mappings_that_were_there_are_found),
		cmocka_unit_test(mutated),
	};

	return cmocka_run_group_tests_name("memprof sampler", tests, NULL, NULL);
}
