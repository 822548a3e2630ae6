// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Chunks of threads, call chains and tasks: their bytes, and when they are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/perf/data_src.h"
#include "memprof/lib/file.h"
#include "memprof/record/chunks.h"
#include "memprof/tests/memprof_data.h"

#define MAX_CHAINS	(1U << 20)

static struct writer writer;

static void begin(void)
{
	assert_int_equal(writer_open(&writer, data_path, 1), 0);
}

/* The chunks so far, after which there are none to be written. */
static void end(struct file *f)
{
	char error[256];

	writer_chunk(&writer, CHUNK_END, 0, 0, 0, 1, &(struct iovec){ "{}", 2 }, 1);
	assert_int_equal(writer_close(&writer), 0);
	assert_int_equal(file_open(f, data_path, error, sizeof(error)), 0);
	assert_string_equal(f->damage, "");
}

static void chunk_is(struct file *f, uint32_t chunk, unsigned int type, uint32_t number, uint64_t base, uint64_t last,
		     uint32_t records, const void *bytes, size_t n)
{
	size_t capacity = 0;
	void *buffer = NULL;
	struct chunk_header h;

	assert_true(chunk < f->nr_chunks);
	assert_int_equal(file_read_chunk(f, chunk, &buffer, &capacity), n);
	memcpy(&h, buffer, sizeof(h));
	assert_int_equal(h.type, type);
	assert_int_equal(h.stream, number);
	assert_int_equal(h.base_ns, base);
	assert_int_equal(h.last_ns, last);
	assert_int_equal(h.records, records);
	if (bytes)
		assert_memory_equal((char *)buffer + sizeof(h), bytes, n);
	free(buffer);
}

static void levels_of_samples(void **unused)
{
	static const uint8_t levels[NR_DATA_LEVELS] = { 0, 1, 4, 2, 8, 3, 11, 11, 9, 10, 7, 14, 5, 6, 12, 13, 15, 15 };
	const struct data_src flags[] = {
		{ .load = true }, { .store = true }, { .load = true, .store = true }, { .load = true, .locked = true },
		{ .load = true, .modified = true }, { .load = true, .tlb_miss = true }, { .level = DATA_UNKNOWN },
	};
	static const struct { uint8_t op, hitm, tlb_miss; } expected[] = {
		{ 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 }, { 3, 0, 0 }, { 1, 1, 0 }, { 1, 0, 1 }, { 0, 0, 0 },
	};
	unsigned int i, level;

	(void)unused;
	for (level = 0; level < NR_DATA_LEVELS; level++) {
		const struct data_src src = { .level = level, .load = true };
		struct sample_record r = { .op = 2, .level = 6, .hitm = 1, .tlb_miss = 1, .kernel = 1, .cpu = 77 };

		chunk_data_src(&r, data_src_encode(&src));
		/* I/O is written as what is uncached. */
		assert_int_equal(r.level, levels[level]);
		assert_int_equal(r.op, 1);
		assert_int_equal(r.hitm, 0);
		assert_int_equal(r.tlb_miss, 0);
		assert_int_equal(r.kernel, 1);
		assert_int_equal(r.cpu, 77);
	}
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct sample_record r = { };

		chunk_data_src(&r, data_src_encode(&flags[i]));
		assert_int_equal(r.op, expected[i].op);
		assert_int_equal(r.hitm, expected[i].hitm);
		assert_int_equal(r.tlb_miss, expected[i].tlb_miss);
	}
}

/* What was added stays as it was, however often the memory is moved. */
static void buffers_grow(void **unused)
{
	struct buffer b = { };
	struct file f;
	char *p;
	int i;

	(void)unused;
	begin();
	buffer_flush(&b, &writer, CHUNK_TASKS, 3, 4, 5);
	for (i = 1; i <= 100; i++) {
		p = buffer_add(&b, i);
		assert_ptr_equal(p, b.data + i * (i - 1) / 2);
		memset(p, i, i);
		assert_int_equal(b.used, i * (i + 1) / 2);
		assert_int_equal(b.records, i);
		assert_true(b.capacity >= b.used);
	}
	for (i = 1; i <= 100; i++)
		for (p = b.data + i * (i - 1) / 2; p < b.data + i * (i + 1) / 2; p++)
			assert_int_equal(*p, i);
	buffer_flush(&b, &writer, CHUNK_TASKS, 3, 4, 5);
	assert_int_equal(b.used, 0);
	assert_int_equal(b.records, 0);
	buffer_flush(&b, &writer, CHUNK_TASKS, 3, 4, 5);
	p = buffer_add(&b, 2);
	assert_ptr_equal(p, b.data);
	memset(p, 'x', 2);
	buffer_flush(&b, &writer, CHUNK_CHAINS, 6, 7, 8);
	end(&f);
	assert_int_equal(f.nr_chunks, 4);
	chunk_is(&f, 1, CHUNK_TASKS, 3, 4, 5, 100, NULL, 5050);
	chunk_is(&f, 2, CHUNK_CHAINS, 6, 7, 8, 1, "xx", 2);
	file_close(&f);
	free(b.data);
}

/* Names are of whole words, with zeros behind them; what was in the memory before is not. */
static void records_of_tasks(void **unused)
{
	static const struct { const char *name; unsigned int bytes; } names[] = {
		{ NULL, 0 }, { "", 8 }, { "a", 8 }, { "sixsix", 8 }, { "sevens7", 8 }, { "eights88", 16 },
		{ "fifteen-fifteen", 16 }, { "sixteen-sixteen6", 24 },
	};
	const struct task_record t = { .delta = 1, .type = TASK_MMAP, .bytes = 999, .flags = 2, .pid = 3, .tid = 4,
				       .other = 5, .start = 6, .length = 7, .offset = 8 };
	struct task_record expected;
	struct buffer b = { };
	size_t i, used = 0;

	(void)unused;
	memset(buffer_add(&b, 4096), 0xee, 4096);
	b.used = b.records = 0;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char name[24] = "";

		assert_int_equal(buffer_add_task(&b, &t, names[i].name), 0);
		expected = t;
		expected.bytes = sizeof(t) + names[i].bytes;
		assert_int_equal(b.used, used + expected.bytes);
		assert_memory_equal(b.data + used, &expected, sizeof(t));
		snprintf(name, sizeof(name), "%s", names[i].name ? names[i].name : "");
		assert_memory_equal(b.data + used + sizeof(t), name, names[i].bytes);
		used = b.used;
	}
	assert_int_equal(b.records, i);
	free(b.data);
}

/* Threads and chains have numbers, each with a record that is written once. */
static void numbers_and_their_records(void **unused)
{
	static const struct thread_record threads[] = { { 0, 10, 11 }, { 1, 11, 10 }, { 2, 10, 12 }, { 3, 13, 12 } };
	static const struct thread_record later[] = { { 4, 20, 20 } };
	const uint64_t frames[3] = { 7, 8, 9 }, others[3] = { 7, 8, 10 };
	/* Number and depth, which are half a word each, and the frames. */
	const uint64_t chains[] = { 1 | 2ULL << 32, 7, 8, 2 | 3ULL << 32, 7, 8, 9, 3 | 3ULL << 32, 7, 8, 10, 4 | 1ULL << 32, 7 };
	const uint64_t later_chains[] = { 5 | 1ULL << 32, 8 };
	struct numbers n = { };
	struct file f;
	int i, k;

	(void)unused;
	begin();
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 4; k++) {
			assert_int_equal(numbers_thread(&n, threads[k].pid, threads[k].tid), k);
			assert_int_equal(numbers_thread(&n, threads[k].pid, threads[k].tid), k);
		}
		assert_int_equal(numbers_chain(&n, frames, 2), 1);
		assert_int_equal(numbers_chain(&n, frames, 3), 2);
		assert_int_equal(numbers_chain(&n, others, 3), 3);
		assert_int_equal(numbers_chain(&n, others, 1), 4);
		assert_int_equal(numbers_chain(&n, others, 2), 1);
		numbers_flush_many(&n, &writer, 100);
		numbers_flush(&n, &writer, 50 + i, 60 + i);
	}
	assert_int_equal(numbers_thread(&n, 20, 20), 4);
	numbers_flush(&n, &writer, 70, 80);
	assert_int_equal(numbers_chain(&n, frames + 1, 1), 5);
	numbers_flush(&n, &writer, 90, 95);
	numbers_free(&n);
	end(&f);
	assert_int_equal(f.nr_chunks, 6);
	chunk_is(&f, 1, CHUNK_THREADS, 0, 50, 60, 4, threads, sizeof(threads));
	chunk_is(&f, 2, CHUNK_CHAINS, 0, 50, 60, 4, chains, sizeof(chains));
	chunk_is(&f, 3, CHUNK_THREADS, 0, 70, 80, 1, later, sizeof(later));
	chunk_is(&f, 4, CHUNK_CHAINS, 0, 90, 95, 1, later_chains, sizeof(later_chains));
	file_close(&f);
}

/* Those of threads alone, and of chains alone, are written once they are more than a MiB. */
static void many_numbers_are_written(void **unused)
{
	const size_t threads = (1 << 20) / sizeof(struct thread_record), chains = (1 << 20) / 16;
	struct numbers n = { };
	struct file f;
	uint64_t frame;
	size_t i;

	(void)unused;
	begin();
	for (i = 0; i < threads; i++) {
		numbers_thread(&n, i, i);
		numbers_flush_many(&n, &writer, i);
	}
	assert_int_equal(n.new_threads.records, threads);
	for (frame = 1; frame <= chains; frame++) {
		numbers_chain(&n, &frame, 1);
		numbers_flush_many(&n, &writer, frame);
	}
	assert_int_equal(n.new_chains.records, chains);
	numbers_thread(&n, i, i);
	numbers_flush_many(&n, &writer, 1234);
	assert_int_equal(n.new_threads.used + n.new_chains.used, 0);
	for (; frame <= 2 * chains + 1; frame++) {
		assert_int_equal(n.new_chains.records, frame - chains - 1);
		numbers_chain(&n, &frame, 1);
		numbers_flush_many(&n, &writer, 5678);
	}
	assert_int_equal(n.new_chains.used, 0);
	numbers_free(&n);
	end(&f);
	assert_int_equal(f.nr_chunks, 5);
	chunk_is(&f, 1, CHUNK_THREADS, 0, 1234, 1234, threads + 1, NULL, (threads + 1) * 12);
	chunk_is(&f, 2, CHUNK_CHAINS, 0, 1234, 1234, chains, NULL, chains * 16);
	chunk_is(&f, 3, CHUNK_CHAINS, 0, 5678, 5678, chains + 1, NULL, (chains + 1) * 16);
	file_close(&f);
}

/* Beyond a number of chains, only instructions have one; beyond the last number, none. */
static void last_numbers(void **unused)
{
	const uint64_t frames[2] = { 7, 8 }, others[2] = { 9, 8 }, last = 10, beyond = 11;
	struct numbers n = { .nr_chains = MAX_CHAINS - 1, .nr_threads = THREAD_NONE - 1 };

	(void)unused;
	assert_int_equal(numbers_chain(&n, frames, 2), MAX_CHAINS);
	assert_int_equal(numbers_chain(&n, others, 2), MAX_CHAINS + 1);
	assert_int_equal(numbers_chain(&n, others, 1), MAX_CHAINS + 1);
	/* Even of one that has a number: what it is called does not depend on when. */
	assert_int_equal(numbers_chain(&n, frames, 2), MAX_CHAINS + 2);
	n.nr_chains = UINT32_MAX - 1;
	assert_int_equal(numbers_chain(&n, &last, 1), UINT32_MAX);
	assert_int_equal(numbers_chain(&n, &beyond, 1), 0);
	assert_int_equal(numbers_chain(&n, &last, 1), UINT32_MAX);
	assert_int_equal(n.new_chains.records, 4);
	assert_int_equal(numbers_thread(&n, 1, 2), THREAD_NONE - 1);
	assert_int_equal(numbers_thread(&n, 1, 3), THREAD_NONE);
	assert_int_equal(numbers_thread(&n, 1, 3), THREAD_NONE);
	assert_false(numbers_moved(&n, 1, 3, 5, 6));
	assert_int_equal(numbers_thread(&n, 1, 2), THREAD_NONE - 1);
	assert_int_equal(n.new_threads.records, 1);
	numbers_free(&n);
}

static void moves_between_control_groups(void **unused)
{
	static const struct { uint32_t pid, tid; uint64_t cgroup, time; bool moved; } samples[] = {
		{ 10, 10, 0, 5, false }, { 10, 10, 7, 100, true }, { 10, 10, 7, 100, false }, { 10, 10, 7, 101, false },
		/* One that is earlier: of another CPU, read later. */
		{ 10, 10, 7, 99, true }, { 10, 10, 7, 99, false }, { 10, 10, 7, 98, true }, { 10, 10, 0, 97, false },
		{ 10, 10, 8, 200, true }, { 10, 10, 7, 200, true }, { 10, 11, 7, 200, true }, { 11, 10, 7, 200, true },
		{ 10, 10, 7, 201, false }, { 10, 11, 7, 201, false },
	};
	struct numbers n = { };
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (numbers_moved(&n, samples[i].pid, samples[i].tid, samples[i].cgroup, samples[i].time) != samples[i].moved)
			fail_msg("sample %zu", i);
	/* The thread ended: another one with its ID is reported anew. */
	numbers_ended(&n, 10, 12);
	numbers_ended(&n, 10, 11);
	assert_false(numbers_moved(&n, 10, 10, 7, 300));
	assert_true(numbers_moved(&n, 10, 11, 7, 300));
	assert_false(numbers_moved(&n, 11, 10, 7, 300));
	numbers_free(&n);
}

static void paths_of_control_groups(void **unused)
{
	static char path_of[MEMPROF_MAX_CGROUP + 2];
	struct numbers n = { };

	(void)unused;
	assert_null(numbers_cgroup(&n, 7));
	assert_string_equal(numbers_name_cgroup(&n, 7, "/a"), "/a");
	assert_string_equal(numbers_name_cgroup(&n, 1ULL << 32 | 7, "/other"), "/other");
	assert_string_equal(numbers_cgroup(&n, 7), "/a");
	/* Its path changes. */
	assert_string_equal(numbers_name_cgroup(&n, 7, "/longer/than/before"), "/longer/than/before");
	assert_string_equal(numbers_cgroup(&n, 7), "/longer/than/before");
	assert_string_equal(numbers_cgroup(&n, 1ULL << 32 | 7), "/other");
	/* To one that takes the memory of that before. */
	assert_string_equal(numbers_name_cgroup(&n, 7, "/longer/than/b"), "/longer/than/b");
	assert_null(numbers_cgroup(&n, 8));
	memset(path_of, 'p', MEMPROF_MAX_CGROUP + 1);
	assert_int_equal(strlen(numbers_name_cgroup(&n, 8, path_of)), MEMPROF_MAX_CGROUP);
	assert_int_equal(MEMPROF_MAX_CGROUP, 4095);
	numbers_free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_of_samples),
		cmocka_unit_test(buffers_grow),
		cmocka_unit_test(records_of_tasks),
		cmocka_unit_test(numbers_and_their_records),
		cmocka_unit_test(many_numbers_are_written),
		cmocka_unit_test(last_numbers),
		cmocka_unit_test(moves_between_control_groups),
		cmocka_unit_test(paths_of_control_groups),
	};

	return cmocka_run_group_tests_name("memprof chunks", tests, data_make_path, data_remove_path);
}
