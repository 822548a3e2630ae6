// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What a recording's records become: each number of threads, chains, losses, the machine and accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "memprof/lib/tests/one_process.h"
#include "memprof/record/writer.h"

static struct writer writer;

static void put(enum chunk_type type, uint32_t number, uint64_t base, uint32_t records, const void *data, size_t bytes)
{
	writer_chunk(&writer, type, number, base, base + 1000, records, &(struct iovec){ (void *)data, bytes }, 1);
}

#define PUT(type, number, array)	\
	put(type, number, DATA_START, sizeof(array) / sizeof((array)[0]), array, sizeof(array))

static void put_begin(const char *meta)
{
	assert_int_equal(writer_open(&writer, data_path, DATA_START), 0);
	put(CHUNK_META, 0, DATA_START, 1, meta, strlen(meta));
}

static void put_end(const char *text)
{
	put(CHUNK_END, 0, DATA_START, 1, text, strlen(text));
	assert_int_equal(writer_close(&writer), 0);
}

static struct memprof *open_part(const struct memprof_options *o)
{
	char error[256];
	struct memprof *m = memprof_open(data_path, o, error, sizeof(error));

	if (!m)
		fail_msg("%s", error);
	return m;
}

static void totals_are(const struct memprof *m, uint64_t recorded, uint64_t samples, uint64_t accesses)
{
	const struct memprof_totals *t = memprof_totals(m);

	assert_int_equal(t->recorded, recorded);
	assert_int_equal(t->samples, samples);
	assert_int_equal(t->accesses, accesses);
	assert_int_equal(memprof_nr_accesses(m), accesses);
}

static void thread_is(const struct memprof *m, size_t i, uint32_t pid, uint32_t tid)
{
	struct memprof_access a;

	assert_true(i < memprof_nr_accesses(m));
	memprof_access(m, i, &a);
	assert_int_equal(memprof_thread(m, a.thread)->pid, pid);
	assert_int_equal(memprof_thread(m, a.thread)->tid, tid);
}

/* In any order, with numbers that are missing, twice or damage. */
static void threads_by_number(void **unused)
{
	const struct thread_record first[] = { { 5, 10, 11 }, { THREAD_NONE, 1, 1 }, { 2, 12, 13 }, { 0, 0, 9 } };
	const struct thread_record second[] = { { 2000000, 1, 1 }, { 65536, 20, 21 }, { 1, 30, 31 }, { 1, 40, 41 } };
	static const uint32_t numbers[] = { 5, 2, 0, 3, 65536, 1, 2000000, THREAD_NONE, 65537 };
	static const uint32_t threads[][2] = { { 10, 11 }, { 12, 13 }, { 0, 9 }, { 20, 21 }, { 40, 41 } };
	struct sample_record samples[9] = { };
	struct memprof *m;
	size_t i;

	(void)unused;
	put_begin("{}");
	PUT(CHUNK_THREADS, 0, first);
	PUT(CHUNK_THREADS, 0, second);
	for (i = 0; i < 9; i++)
		samples[i] = (struct sample_record){ .delta = i, .op = 1, .addr = 0x1000, .thread = numbers[i] };
	PUT(CHUNK_SAMPLES, 3, samples);
	put_end("{}");
	m = open_it();
	assert_null(memprof_damage(m));
	totals_are(m, 9, 9, 5);
	for (i = 0; i < 5; i++)
		thread_is(m, i, threads[i][0], threads[i][1]);
	/* One that no sample is of has no flow, but is none of the others. */
	assert_int_equal(memprof_nr_threads(m), 5);
	memprof_close(m);
}

static void chain_is(const struct memprof *m, size_t i, unsigned int depth, const uint64_t *frames)
{
	uint64_t found[40];
	struct memprof_access a;

	memprof_access(m, i, &a);
	assert_int_equal(memprof_chain(m, a.chain, found, 40), depth);
	if (depth)
		assert_memory_equal(found, frames, depth * sizeof(*frames));
}

/* A chain that is damage ends its chunk. */
static void chains_by_number(void **unused)
{
	uint64_t chains[64], deep[33], other[6] = { 7 | 1ULL << 32, 0x700, 64 | 1ULL << 32, 0x700, 10, 8 | 1ULL << 32 };
	const uint64_t damaged[] = { 20 | 33ULL << 32, 1, 21 | 1ULL << 32, 2 };
	const uint64_t far_off[] = { 2000000 | 1ULL << 32, 1, 22 | 1ULL << 32, 2 };
	const struct thread_record thread[] = { { 0, 10, 11 } };
	const uint64_t two[2] = { 0x7f0000000300, 0x7f0000000301 }, one[1] = { 0x700 };
	static const uint32_t numbers[] = { 3, 1, 9, 7, 64, 10, 8, 20, 21, 22, 2, 0, 100 };
	struct sample_record samples[13] = { };
	struct memprof_access a;
	struct memprof *m;
	size_t i;

	(void)unused;
	for (i = 0; i < 33; i++)
		deep[i] = 0x900 + i;
	chains[0] = 3 | 2ULL << 32;
	memcpy(chains + 1, two, sizeof(two));
	chains[3] = 1;
	chains[4] = 9 | 32ULL << 32;
	memcpy(chains + 5, deep, 32 * 8);
	put_begin("{}");
	PUT(CHUNK_THREADS, 0, thread);
	put(CHUNK_CHAINS, 0, DATA_START, 3, chains, (5 + 32) * 8);
	/* Of the second one there is no frame. */
	PUT(CHUNK_CHAINS, 0, other);
	PUT(CHUNK_CHAINS, 0, far_off);
	memcpy(chains, damaged, sizeof(damaged));
	put(CHUNK_CHAINS, 0, DATA_START, 2, chains, sizeof(chains));
	for (i = 0; i < 13; i++)
		samples[i] = (struct sample_record){ .delta = i, .op = 1, .addr = 0x1000, .chain = numbers[i] };
	PUT(CHUNK_SAMPLES, 0, samples);
	put_end("{}");
	m = open_it();
	totals_are(m, 13, 13, 13);
	chain_is(m, 0, 2, two);
	chain_is(m, 1, 0, NULL);
	chain_is(m, 2, 32, deep);
	chain_is(m, 3, 1, one);
	chain_is(m, 4, 1, one);
	/* One without frames is one. */
	memprof_access(m, 5, &a);
	assert_int_not_equal(a.chain, 0);
	for (i = 5; i < 13; i++)
		chain_is(m, i, 0, NULL);
	memprof_access(m, 6, &a);
	assert_int_equal(a.chain, 0);
	memprof_close(m);
}

/* Of the whole recording, and of a part: from a time on, and until before one. */
static void losses_by_kind(void **unused)
{
	static const struct lost_record losses[] = {
		{ DATA_START + 10, 1, LOST_SAMPLES, 0 }, { DATA_START + 20, 2, LOST_TASKS, 0 },
		{ DATA_START + 30, 4, LOST_EVENTS, 0 }, { DATA_START + 40, 8, LOST_THROTTLED, 0 },
		{ DATA_START + 50, 16, LOST_SAMPLES, 0 }, { DATA_START + 51, 32, LOST_SAMPLES, 0 },
		{ DATA_START + 60, 64, LOST_TASKS, 0 }, { DATA_START + 61, 128, LOST_THROTTLED, 0 },
		{ DATA_START - 1, 256, LOST_SAMPLES, 0 }, { DATA_START + 55, 512, 4, 0 },
	};
	const struct { uint64_t from, to; uint64_t samples, tasks, throttled; } parts[] = {
		{ 0, 0, 1 + 16 + 32 + 256, 2 + 64, 8 + 128 }, { 50, 0, 16 + 32, 64, 128 }, { 51, 0, 32, 64, 128 },
		{ 0, 51, 1 + 16 + 256, 2, 8 }, { 0, 50, 1 + 256, 2, 8 }, { 50, 51, 16, 0, 0 }, { 20, 61, 16 + 32, 2 + 64, 8 },
	};
	struct memprof *m;
	size_t i;

	(void)unused;
	put_begin("{}");
	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		put(CHUNK_LOST, 0, DATA_START, 1, &losses[i], sizeof(losses[i]));
	/* A part of one. */
	put(CHUNK_LOST, 0, DATA_START, 0, &losses[0], sizeof(losses[0]) - 1);
	put_end("{}");
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct memprof_options o = { .size = sizeof(o), .from_ns = parts[i].from, .to_ns = parts[i].to };

		m = open_part(&o);
		assert_int_equal(memprof_totals(m)->lost_samples, parts[i].samples);
		assert_int_equal(memprof_totals(m)->lost_tasks, parts[i].tasks);
		assert_int_equal(memprof_totals(m)->throttled, parts[i].throttled);
		assert_int_equal(memprof_totals(m)->lost_events, 0);
		assert_int_equal(memprof_totals(m)->duration_ns, 0);
		memprof_close(m);
	}
}

/* Nodes are 1 to 255; a CPU's is one below 255, or not known. */
static void nodes_of_the_machine(void **unused)
{
	static const struct { const char *meta; int nodes, of[5]; } machines[] = {
		{ "{}", 1, { -1, -1, -1, -1, -1 } }, { "no JSON", 1, { -1, -1, -1, -1, -1 } },
		{ "{\"machine\":{\"nodes\":0,\"cpu_node\":[0]}}", 1, { 0, -1, -1, -1, -1 } },
		{ "{\"machine\":{\"nodes\":-1}}", 1, { -1, -1, -1, -1, -1 } },
		{ "{\"machine\":{\"nodes\":2,\"cpu_node\":[1,0,-1,2]}}", 2, { 1, 0, -1, 2, -1 } },
		{ "{\"machine\":{\"nodes\":255,\"cpu_node\":[254,255,256,-2,1]}}", 255, { 254, -1, -1, -1, 1 } },
		{ "{\"machine\":{\"nodes\":256,\"cpu_node\":[7,null]}}", 1, { 7, 0, -1, -1, -1 } },
	};
	struct memprof *m;
	size_t i, k;

	(void)unused;
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		put_begin(machines[i].meta);
		/* The first one counts. */
		put(CHUNK_META, 1, DATA_START, 1, "{\"machine\":{\"nodes\":9}}", 23);
		put_end("{\"discarded\":7,\"dropped\":9}");
		m = open_it();
		assert_string_equal(memprof_meta(m), machines[i].meta);
		assert_int_equal(memprof_nr_nodes(m), machines[i].nodes);
		for (k = 0; k < 5; k++)
			assert_int_equal(memprof_node_of_cpu(m, k), machines[i].of[k]);
		assert_int_equal(memprof_totals(m)->discarded, 7);
		assert_int_equal(memprof_totals(m)->dropped, 9);
		assert_int_equal(memprof_totals(m)->bytes, 32 + 4 * 40 - 40 + strlen(machines[i].meta) + 23 + 27);
		memprof_close(m);
	}
}

static void object_is(struct memprof *m, size_t i, uint32_t pid, uint32_t tid, int cpu, uint64_t frame)
{
	const struct memprof_object *o = object_of(m, i);
	uint64_t found = 0;

	assert_int_equal(o->type, MEMPROF_DYNAMIC);
	assert_int_equal(o->pid, pid);
	assert_int_equal(o->address, 0x20000);
	assert_int_equal(o->size, 64);
	assert_int_equal(o->born_ns, 10);
	assert_int_equal(o->died_ns, UINT64_MAX);
	assert_int_equal(memprof_thread(m, o->thread)->pid, pid);
	assert_int_equal(memprof_thread(m, o->thread)->tid, tid);
	assert_int_equal(o->cpu, cpu);
	assert_int_equal(memprof_chain(m, o->chain, &found, 1), frame > 0);
	assert_int_equal(found, frame);
}

/* Chains are numbered by process image: the same number is another chain in each. */
static void owners_of_events(void **unused)
{
	const struct stream_record owners[] = {
		{ 64, 40, 41, 0, 5 }, { 0, 10, 10, 0, 5 }, { 200, 50, 51, 0, 6 }, { 65536, 60, 61, 0, 5 },
		{ 2000000, 70, 71, 0, 5 }, { 3, 80, 80, 0, 6 },
	};
	const uint32_t streams[] = { 64, 0, 200, 65536, 2000000, 3, 4 };
	struct thread_record threads[5];
	struct sample_record samples[5] = { };
	struct memprof *m;
	size_t i;

	(void)unused;
	put_begin("{}");
	for (i = 0; i < 6; i++)
		put(CHUNK_STREAM, 0, DATA_START, 1, &owners[i], sizeof(owners[i]));
	/* A part of one. */
	put(CHUNK_STREAM, 0, DATA_START, 0, &(struct stream_record){ 3, 90, 90, 0, 6 }, sizeof(owners[0]) - 1);
	for (i = 0; i < 7; i++) {
		struct event_record events[3] = {
			{ .type = EVENT_CHAIN, .wait = 1, .chain = 7 }, { },
			{ .delta = 10, .type = EVENT_ALLOC, .addr = 0x20000, .size = 64, .chain = 7, .cpu = 100 + i },
		};
		const uint64_t frame = 0x1000 * (i + 1);

		memcpy(&events[1], &frame, sizeof(frame));
		PUT(CHUNK_EVENTS, streams[i], events);
	}
	for (i = 0; i < 5; i++) {
		const struct stream_record *o = &owners[i < 4 ? i : 5];

		threads[i] = (struct thread_record){ i, o->pid, o->tid };
		samples[i] = (struct sample_record){ .delta = 20 + i, .op = 1, .addr = 0x20000 + i, .thread = i };
	}
	PUT(CHUNK_THREADS, 0, threads);
	PUT(CHUNK_SAMPLES, 0, samples);
	put_end("{}");
	m = open_it();
	totals_are(m, 5, 5, 5);
	assert_int_equal(memprof_totals(m)->events, 5);
	assert_int_equal(memprof_totals(m)->allocations, 5);
	object_is(m, 0, 40, 41, 100, 0x1000);
	object_is(m, 1, 10, 10, 101, 0x2000);
	object_is(m, 2, 50, 51, 102, 0x3000);
	object_is(m, 3, 60, 61, 103, 0x4000);
	object_is(m, 4, 80, 80, 105, 0x6000);
	memprof_close(m);
	/* Of two images of a process, too. */
	put_begin("{}");
	put(CHUNK_STREAM, 0, DATA_START, 1, &(struct stream_record){ 1, 10, 10, 0, 5 }, sizeof(owners[0]));
	put(CHUNK_STREAM, 0, DATA_START, 1, &(struct stream_record){ 2, 10, 10, 0, 6 }, sizeof(owners[0]));
	for (i = 0; i < 2; i++) {
		struct event_record events[3] = {
			{ .type = EVENT_CHAIN, .wait = 1, .chain = 7 }, { },
			{ .delta = 10, .type = EVENT_ALLOC, .addr = 0x20000 + 0x1000 * i, .size = 64, .chain = 7 },
		};
		const uint64_t frame = 0x1000 * (i + 1);

		memcpy(&events[1], &frame, sizeof(frame));
		PUT(CHUNK_EVENTS, i + 1, events);
		samples[i] = (struct sample_record){ .delta = 20 + i, .op = 1, .addr = 0x20000 + 0x1000 * i };
	}
	PUT(CHUNK_THREADS, 0, ((struct thread_record[]){ { 0, 10, 10 } }));
	put(CHUNK_SAMPLES, 0, DATA_START, 2, samples, 2 * sizeof(samples[0]));
	put_end("{}");
	m = open_it();
	for (i = 0; i < 2; i++) {
		uint64_t found = 0;

		assert_int_equal(memprof_chain(m, object_of(m, i)->chain, &found, 1), 1);
		assert_int_equal(found, 0x1000 * (i + 1));
	}
	memprof_close(m);
}

/* Each field at its ends; the CPU is that of the chunk. */
static void fields_of_accesses(void **unused)
{
	static const char meta[] = "{\"machine\":{\"nodes\":2,\"cpu_node\":[0,1,0,1]}}";
	const struct thread_record thread[] = { { 0, 10, 11 } };
	const struct sample_record samples[] = {
		{ .delta = 0, .cpu = 9, .level = 15, .op = 3, .hitm = 1, .tlb_miss = 1,
		  .addr = 0xffffffffffff, .latency = 65535, .node = 254, .pfn = (1ULL << 40) - 1 },
		{ .delta = 1, .level = 0, .op = 0, .addr = 0x7fffffffffff, .latency = 0, .node = 255, .pfn = 0 },
		{ .delta = (1ULL << 40) - 1, .level = 8, .op = 2, .kernel = 1, .addr = 0x800000000000, .latency = 1, .node = 0, .pfn = 1 },
		{ .delta = (1ULL << 40) - 1, .level = 7, .op = 1, .addr = 0, .latency = 1, .node = 1, .pfn = 1 },
	};
	static const struct memprof_access expected[] = {
		{ .time_ns = 5, .cpu = 3, .node = 1, .home = 254, .level = MEMPROF_UNCACHED, .read = true, .write = true,
		  .hitm = true, .tlb_miss = true, .address = UINT64_MAX, .latency = 65535,
		  .physical = (1ULL << 52) - 1 },
		{ .time_ns = 6, .cpu = 3, .node = 1, .home = -1, .level = 0, .address = 0x7fffffffffff },
		{ .time_ns = (1ULL << 40) + 4, .cpu = 3, .node = 1, .home = 0, .level = MEMPROF_L2_BUFFER, .write = true, .kernel = true,
		  .address = 0xffff800000000000, .latency = 1, .physical = 0x1000 },
		{ .time_ns = (1ULL << 40) + 4, .cpu = 3, .node = 1, .home = 1, .level = MEMPROF_REMOTE_CACHE, .read = true,
		  .latency = 1, .physical = 0x1000 },
	};
	const struct memprof_options o = { .size = sizeof(o), .physical = true };
	struct memprof_access a;
	struct memprof *m;
	size_t i;

	(void)unused;
	put_begin(meta);
	PUT(CHUNK_THREADS, 0, thread);
	put(CHUNK_SAMPLES, 3, DATA_START + 5, 4, samples, sizeof(samples));
	put_end("{}");
	m = open_part(&o);
	totals_are(m, 4, 4, 4);
	assert_int_equal(memprof_totals(m)->start_ns, DATA_START);
	assert_int_equal(memprof_totals(m)->duration_ns, (1ULL << 40) + 4);
	for (i = 0; i < 4; i++) {
		const struct memprof_access *e = &expected[i];

		memprof_access(m, i, &a);
		assert_int_equal(a.time_ns, e->time_ns);
		assert_int_equal(a.cpu, e->cpu);
		assert_int_equal(a.node, e->node);
		assert_int_equal(a.home, e->home);
		assert_int_equal(a.level, e->level);
		assert_int_equal(a.read, e->read);
		assert_int_equal(a.write, e->write);
		assert_int_equal(a.hitm, e->hitm);
		assert_int_equal(a.tlb_miss, e->tlb_miss);
		assert_int_equal(a.kernel, e->kernel);
		assert_int_equal(a.address, e->address);
		assert_int_equal(a.latency, e->latency);
		assert_int_equal(a.physical, e->physical);
		assert_int_equal(memprof_object(m, a.object)->type, i == 1 || i == 3 ? MEMPROF_UNKNOWN : MEMPROF_KERNEL);
	}
	memprof_close(m);
}

static void event(struct data *d, uint32_t s, uint64_t time, unsigned int type, uint64_t addr, uint64_t size,
		  unsigned int flags, unsigned int wait)
{
	data_event(d, s, time, (struct event_record){ .type = type, .addr = addr, .size = size, .flags = flags,
						      .wait = wait, .cpu = 3, .chain = 1 });
}

/* The first and last bytes of objects, and the first and last times at which they are there. */
static void edges_of_objects(void **unused)
{
	const struct memprof_object *o;
	const struct memprof_totals *t;
	struct memprof_access a;
	uint64_t bytes = 0;
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	event(d, s, T(100), EVENT_ALLOC, 0x20000, 64, 0, 0);
	/* Another thread's, less than 2 us later, may be of what was there before. */
	data_sample(d, 0, T(100) + 1999, 10, 11, 0x20000, LOAD, 0);
	data_sample(d, 0, T(102), 10, 11, 0x2003f, LOAD, 0);
	data_sample(d, 0, T(103), 10, 10, 0x20040, LOAD, 0);
	/* What was there before events were lost is not trusted. */
	event(d, s, T(200), EVENT_LOST, 0, 3, 0, 0);
	event(d, s, T(200), EVENT_ALLOC, 0x30000, 64, 0, 0);
	data_sample(d, 0, T(300), 10, 10, 0x30000, LOAD, 0);
	data_sample(d, 0, T(301), 10, 10, 0x20000, LOAD, 0);
	/* Mappings are of whole pages. */
	event(d, s, T(310), EVENT_MAP, 0x700000, 4097, 0, 0);
	event(d, s, T(310), EVENT_MAP, 0x800000, 4096, 0, 0);
	data_sample(d, 0, T(320), 10, 10, 0x701fff, LOAD, 0);
	data_sample(d, 0, T(321), 10, 10, 0x702000, LOAD, 0);
	data_sample(d, 0, T(322), 10, 10, 0x800fff, LOAD, 0);
	data_sample(d, 0, T(323), 10, 10, 0x801000, LOAD, 0);
	event(d, s, T(330), EVENT_UNMAP, 0x700000, 1, 0, 0);
	data_sample(d, 0, T(331), 10, 10, 0x700fff, LOAD, 0);
	data_sample(d, 0, T(332), 10, 10, 0x701000, LOAD, 0);
	event(d, s, T(340), EVENT_UNMAP, 0x800000, 4096, 0, 0);
	/* While a call moves one, its thread has both, and no other has the new one. */
	event(d, s, T(400), EVENT_FREE, 0x30000, 0, EVENT_REALLOC, 2);
	event(d, s, T(400), EVENT_ALLOC, 0x40000, 128, EVENT_REALLOC, 2);
	data_sample(d, 0, T(401), 10, 10, 0x3003f, LOAD, 0);
	data_sample(d, 0, T(401), 10, 10, 0x30040, LOAD, 0);
	data_sample(d, 0, T(401), 10, 10, 0x4007f, LOAD, 0);
	data_sample(d, 0, T(401), 10, 10, 0x40080, LOAD, 0);
	data_sample(d, 0, T(401), 10, 11, 0x4007f, LOAD, 0);
	data_sample(d, 0, T(402) + 47, 10, 11, 0x4007f, LOAD, 0);
	data_sample(d, 0, T(402) + 48, 10, 11, 0x4007f, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_unknown(m, 0, "same moment");
	is_at(m, 1, 0x20000, 100);
	is_unknown(m, 2, "without a live object");
	is_at(m, 3, 0x30000, 200);
	is_unknown(m, 4, "lost");
	is_at(m, 5, 0x700000, 310);
	assert_int_equal(object_of(m, 5)->size, 4097);
	is_unknown(m, 6, "not mapped");
	is_at(m, 7, 0x800000, 310);
	is_unknown(m, 8, "not mapped");
	is_unknown(m, 9, "not mapped");
	is_at(m, 10, 0x700000, 310);
	is_at(m, 11, 0x30000, 200);
	is_unknown(m, 12, "without a live object");
	is_at(m, 13, 0x40000, 400);
	is_unknown(m, 14, "without a live object");
	is_unknown(m, 15, "without a live object");
	is_unknown(m, 16, "without a live object");
	is_at(m, 17, 0x40000, 400);
	memprof_access(m, 5, &a);
	assert_int_equal(a.offset, 0x1fff);
	memprof_access(m, 1, &a);
	assert_int_equal(a.offset, 0x3f);
	assert_int_equal(memprof_thread(m, a.thread)->accesses, 5);
	o = object_of(m, 7);
	assert_int_equal(memprof_thread(m, o->thread)->tid, 10);
	assert_int_equal(o->cpu, 3);
	assert_int_equal(o->node, 1);
	assert_int_equal(o->died_ns, 340000);
	/* A part of it goes, and the rest stays. */
	assert_int_equal(object_of(m, 5)->died_ns, UINT64_MAX);
	assert_int_equal(object_of(m, 3)->died_ns, 400000);
	t = memprof_totals(m);
	assert_int_equal(t->events, 9);
	assert_int_equal(t->allocations, 5);
	assert_int_equal(t->frees, 3);
	assert_int_equal(t->unmatched_frees, 0);
	assert_int_equal(t->lost_events, 3);
	assert_int_equal(memprof_chain_allocations(m, o->chain, &bytes), 5);
	assert_int_equal(bytes, 64 + 64 + 4097 + 4096 + 128);
	memprof_close(m);
}

/* Accesses by the preloaded library, and of its buffers, are the profiler's own. */
static void own_accesses(void **unused)
{
	static const uint64_t ips[] = { 0x8fffff, 0x900000, 0x900fff, 0x901000 };
	static const char *const names[] = { "/tmp/memprof.x/1", "/a/#12 (deleted)", "/a/#12", "/a/memprof" };
	struct memprof *m;
	struct data *d;
	uint32_t s;
	size_t i;

	(void)unused;
	begin(&d, &s);
	data_task(d, T(3), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x900000,
		  .length = 0x1000, .flags = TASK_EXECUTABLE }, "/x/libmemprof-preload.so");
	for (i = 0; i < 4; i++)
		data_task(d, T(4), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10,
			  .start = 0xa00000 + 0x1000 * i, .length = 0x1000, .flags = TASK_WRITABLE }, names[i]);
	for (i = 0; i < 4; i++) {
		data_sample(d, 0, T(10), 10, 10, 0x20000 + i, LOAD, ips[i]);
		data_sample(d, 0, T(10), 10, 10, 0xa00008 + 0x1000 * i, LOAD, 0x400000);
	}
	data_end(d, 1);
	m = open_it();
	totals_are(m, 8, 8, 4);
	assert_int_equal(memprof_totals(m)->own, 4);
	assert_int_equal(object_of(m, 0)->type, MEMPROF_UNKNOWN);
	assert_int_equal(object_of(m, 1)->type, MEMPROF_FILE);
	assert_string_equal(object_of(m, 1)->path, "/a/#12");
	assert_int_equal(object_of(m, 2)->type, MEMPROF_UNKNOWN);
	assert_string_equal(object_of(m, 3)->path, "/a/memprof");
	assert_int_equal(object_of(m, 3)->address, 0xa03000);
	memprof_close(m);
}

/* A part of the recording: processes, threads, times; objects are those of all of it. */
static void parts_of_a_recording(void **unused)
{
	static const int32_t pids[] = { 20, 30 }, tids[] = { 11, 30 };
	static const struct { struct memprof_options o; uint64_t samples, frees, duration, unknown; } parts[] = {
		{ { .pid = 0 }, 6, 2, 60000, 4 }, { { .pid = 10 }, 3, 2, 60000, 1 }, { { .pid = 20 }, 2, 0, 60000, 2 },
		{ { .pid = 10, .tid = 11 }, 1, 2, 60000, 0 }, { { .tid = 20 }, 2, 2, 60000, 2 },
		{ { .pids = pids, .nr_pids = 2 }, 3, 0, 60000, 3 }, { { .pids = pids, .nr_pids = 1 }, 2, 0, 60000, 2 },
		{ { .pid = 10, .pids = pids, .nr_pids = 1 }, 5, 2, 60000, 3 },
		{ { .tids = tids, .nr_tids = 2 }, 2, 2, 60000, 1 }, { { .tids = tids, .nr_tids = 1 }, 1, 2, 60000, 0 },
		{ { .tid = 20, .tids = tids, .nr_tids = 1 }, 3, 2, 60000, 2 },
		{ { .pid = 30, .tids = tids, .nr_tids = 2 }, 1, 0, 60000, 1 },
		{ { .from_ns = 20000 }, 5, 2, 40000, 4 }, { { .from_ns = 20001 }, 4, 2, 39999, 4 },
		{ { .to_ns = 20000 }, 1, 0, 20000, 0 }, { { .to_ns = 20001 }, 2, 0, 20001, 0 },
		{ { .from_ns = 20000, .to_ns = 30000 }, 1, 0, 10000, 0 }, { { .from_ns = 25000, .to_ns = 45000 }, 2, 1, 20000, 2 },
		{ { .from_ns = 70000 }, 0, 0, 0, 0 }, { { .to_ns = 70000 }, 6, 2, 60000, 4 },
	};
	struct memprof *m;
	struct data *d;
	uint64_t unknown;
	uint32_t s;
	size_t i, k;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(5), 0x20000, 64);
	data_sample(d, 0, T(10), 10, 10, 0x20000, LOAD, 0);
	data_sample(d, 1, T(20), 10, 11, 0x20008, LOAD, 0);
	data_sample(d, 2, T(30), 20, 20, 0x20000, LOAD, 0);
	data_sample(d, 0, T(40), 20, 20, 0x20000, LOAD, 0);
	gone(d, s, T(44), 0x20000);
	data_sample(d, 1, T(50), 30, 30, 0x20000, LOAD, 0);
	gone(d, s, T(55), 0x20000);
	data_sample(d, 0, T(60), 10, 10, 0x20000, LOAD, 0);
	data_end(d, 1);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct memprof_options o = parts[i].o;
		const struct memprof_totals *t;

		o.size = sizeof(o);
		m = open_part(&o);
		t = memprof_totals(m);
		if (t->samples != parts[i].samples || t->accesses != parts[i].samples || t->recorded != 6 ||
		    t->frees != parts[i].frees || t->duration_ns != parts[i].duration)
			fail_msg("part %zu: %lu samples, %lu accesses, %lu recorded, %lu frees, %lu ns", i,
				 (unsigned long)t->samples, (unsigned long)t->accesses, (unsigned long)t->recorded,
				 (unsigned long)t->frees, (unsigned long)t->duration_ns);
		assert_int_equal(t->unmatched_frees, 1);
		/* What is no object's is of the part, too. */
		for (k = unknown = 0; k < MEMPROF_REASONS; k++)
			unknown += t->unknown[k];
		assert_int_equal(unknown, parts[i].unknown);
		memprof_close(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_by_number),
		cmocka_unit_test(chains_by_number),
		cmocka_unit_test(losses_by_kind),
		cmocka_unit_test(nodes_of_the_machine),
		cmocka_unit_test(owners_of_events),
		cmocka_unit_test(fields_of_accesses),
		cmocka_unit_test(edges_of_objects),
		cmocka_unit_test(own_accesses),
		cmocka_unit_test(parts_of_a_recording),
	};

	return cmocka_run_group_tests_name("memprof build", tests, data_make_path, data_remove_path);
}
