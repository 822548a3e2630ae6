// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* perf.data files of which each byte is known: native, from pipes, compressed; and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "made/perf_file.h"
#include "perf_bytes.h"

#define SAMPLES	300

/* Two CPUs' rings, one read after the other in each round: time goes back at each. */
static struct made_perf *make(void)
{
	struct made_perf *f = made_perf_new();
	uint64_t round, i, cpu;

	made_perf_memory(f);
	made_perf_nodes(f, "0,2-3", "1");
	made_perf_comm(f, 0, 10, 10, 0, "before");
	made_perf_fork(f, 500, 10, 11, 10);
	made_perf_comm(f, 600, 10, 11, PERF_RECORD_MISC_COMM_EXEC, "prog");
	made_perf_map(f, 700, 10, 0x400000, 0x2000, PROT_READ | PROT_EXEC, "/bin/prog");
	for (round = 0; round < 3; round++) {
		for (cpu = 0; cpu < 2; cpu++)
			for (i = 0; i < SAMPLES / 6; i++)
				made_perf_sample(f, &(struct perf_made){
					.time = 1000 + 10 * (round * SAMPLES / 3 + 2 * i + cpu), .ip = 0x400010,
					.addr = 0x100000 + 8 * i, .weight = 30 + i, .data_src = 0x68100142,
					.phys_addr = (cpu ? 0x40000000 : 0) + 4096 * i + 8, .pid = 10,
					.tid = 10 + cpu, .cpu = cpu });
		made_perf_put(f, 68, 0, NULL, 0);
	}
	made_perf_put(f, PERF_RECORD_LOST, 0, (uint64_t[]){ PERF_MADE_ID, 5, 10, 99999, 0, PERF_MADE_ID }, 48);
	return f;
}

static struct perf_data *open_bytes(const void *bytes, size_t size, int expected)
{
	struct perf_data *d = malloc(sizeof(*d));
	char error[512] = "";

	const int ret = perf_data_open(d, mutate_file(bytes, size), error, sizeof(error));

	if (!expected)
		assert_string_equal(error, "");
	assert_int_equal(ret, expected);
	assert_int_equal(!*error, !expected);
	return d;
}

static void check_samples(struct perf_data *d)
{
	uint64_t n = 0, time = 0, lost = 0, others = 0;
	struct perf_record r;
	int ret;

	while ((ret = perf_data_next(d, &r)) > 0) {
		assert_true(r.time >= time);
		time = r.time;
		if (r.type == PERF_RECORD_LOST) {
			lost += r.lost;
			continue;
		}
		if (r.type != PERF_RECORD_SAMPLE) {
			others++;
			continue;
		}
		/* In order of time, they alternate. */
		assert_int_equal(r.time, 1000 + 10 * n);
		assert_int_equal(r.cpu, n % 2);
		assert_int_equal(r.pid, 10);
		assert_int_equal(r.tid, 10 + n % 2);
		assert_int_equal(r.sample.ip, 0x400010);
		assert_int_equal(r.sample.addr, 0x100000 + 8 * (n % 100 / 2));
		assert_int_equal(r.sample.weight, 30 + n % 100 / 2);
		assert_int_equal(r.sample.data_src, 0x68100142);
		assert_int_equal(r.sample.period, 100);
		assert_int_equal(perf_data_node(d, r.sample.phys_addr), n % 2);
		n++;
	}
	assert_string_equal(d->error, "");
	assert_int_equal(ret, 0);
	assert_int_equal(n, SAMPLES);
	assert_int_equal(lost, 5);
	assert_int_equal(others, 4);
	assert_int_equal(d->late, 0);
	assert_int_equal(d->machine.nr_nodes, 2);
	assert_int_equal(d->machine.cpu_node[0], 0);
	assert_int_equal(d->machine.cpu_node[1], 1);
	assert_int_equal(d->machine.cpu_node[3], 0);
	assert_int_equal(perf_data_node(d, 0x7fffffff), 1);
	assert_int_equal(perf_data_node(d, 0x80000000), PERF_NO_NODE);
}

static void each_kind_of_file_has_the_same_records(void **unused)
{
	struct made_perf *f = make();
	struct perf_data *d;
	enum perf_kind kind;
	size_t size;
	void *bytes;

	(void)unused;
	for (kind = 0; kind < PERF_KINDS; kind++) {
		bytes = made_perf_bytes(f, kind, &size);
		d = open_bytes(bytes, size, 0);
		assert_int_equal(d->pipe, kind == PERF_PIPE);
		check_samples(d);
		close_file(d, NULL);
		free(bytes);
	}
	made_perf_free(f);
}

static void a_recording_that_was_not_ended_is_read_to_its_end(void **unused)
{
	struct made_perf *f = make();
	struct perf_data *d;
	struct perf_record r;
	size_t size, n = 0;
	char *bytes = made_perf_bytes(f, PERF_NATIVE, &size);
	const uint64_t zero = 0;

	(void)unused;
	/* perf record writes the size of the data last, and features behind them. */
	memcpy(bytes + 48, &zero, 8);
	memcpy(&size, bytes + 24 + 8, 8);
	size = 104 + 8 + size + 50 * 88 + 500;
	d = open_bytes(bytes, size, 0);
	assert_true(d->unended);
	while (perf_data_next(d, &r) > 0)
		n++;
	assert_in_range(n, 40, 60);
	/* The last record is a part of one. */
	assert_non_null(strstr(d->error, "truncated record at 0x"));
	close_file(d, NULL);
	free(bytes);
	made_perf_free(f);
}

/* What each bit of sample_type adds, each of another length. */
static void each_field_is_where_the_kernel_puts_it(void **unused)
{
	const struct perf_event_attr attr = {
		.sample_type = (1ULL << 25) - 1 - PERF_SAMPLE_WEIGHT,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
		.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX, .sample_regs_user = 5, .sample_regs_intr = 1,
		.sample_id_all = 1,
	};
	const uint64_t id = 9;
	const uint64_t words[] = {
		id, 0x1111, 20 | 21ULL << 32, 12345, 0x2222, id, 0x3333, 6, 0x4444,
		2, 77, 1, 2, 3, 4,				/* a group of two counters */
		3, PERF_CONTEXT_USER, 0x1111, 0x5555,		/* call chain */
		12 | 0xabcdULL << 32, 0x6666,			/* raw: 12 bytes, behind the size */
		1, 0, 7, 8, 9,					/* a branch */
		2, 100, 101,					/* user registers */
		16, 200, 201, 16,				/* user stack */
		50 | 60ULL << 32 | 70ULL << 48,			/* weight */
		0x68100142, 0x7777,
		0,						/* no registers: no abi */
		0x8888, 0x9999, 4096, 2097152,
		5, 0xaaaa,					/* 5 bytes of AUX */
	};
	struct made_perf *f = made_perf_new();
	const struct perf_sample *s;
	struct perf_data *d;
	struct perf_record r;
	size_t size;
	void *bytes;

	(void)unused;
	made_perf_event(f, &attr, &id, 1);
	made_perf_put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, words, sizeof(words));
	made_perf_put(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, words, sizeof(words) - 8);
	bytes = made_perf_bytes(f, PERF_NATIVE, &size);
	d = open_bytes(bytes, size, 0);
	assert_int_equal(perf_data_next(d, &r), 1);
	s = &r.sample;
	assert_int_equal(r.misc, PERF_RECORD_MISC_KERNEL);
	assert_int_equal(r.pid, 20);
	assert_int_equal(r.tid, 21);
	assert_int_equal(r.time, 12345);
	assert_int_equal(r.cpu, 6);
	assert_int_equal(s->ip, 0x1111);
	assert_int_equal(s->addr, 0x2222);
	assert_int_equal(s->stream_id, 0x3333);
	assert_int_equal(s->period, 0x4444);
	assert_int_equal(s->nr_chain, 3);
	assert_int_equal(s->chain[2], 0x5555);
	assert_int_equal(s->raw_size, 12);
	assert_memory_equal(s->raw, (char *)words + 8 * 19 + 4, 12);
	assert_int_equal(s->weight, 50);
	assert_int_equal(s->ins_lat, 60);
	assert_int_equal(s->retire_lat, 70);
	assert_int_equal(s->data_src, 0x68100142);
	assert_int_equal(s->transaction, 0x7777);
	assert_int_equal(s->phys_addr, 0x8888);
	assert_int_equal(s->cgroup, 0x9999);
	assert_int_equal(s->data_page_size, 4096);
	assert_int_equal(s->code_page_size, 2097152);
	/* The second one's AUX data are missing. */
	assert_int_equal(perf_data_next(d, &r), -1);
	assert_non_null(strstr(d->error, "damaged sample at 0x"));
	close_file(d, NULL);
	free(bytes);
	made_perf_free(f);
}

static void what_is_not_read_is_refused_with_a_reason(void **unused)
{
	struct made_perf *f = make();
	const struct perf_event_attr other = { .sample_type = PERF_SAMPLE_IP, .sample_id_all = 1 };
	struct perf_data *d;
	struct perf_record r;
	size_t size;
	char *bytes = made_perf_bytes(f, PERF_NATIVE, &size);

	(void)unused;
	memcpy(bytes, "2ELIFREP", 8);
	d = open_bytes(bytes, size, -1);
	assert_non_null(strstr(d->error, "other byte order"));
	close_file(d, NULL);
	memcpy(bytes, "PERFFILE", 8);
	d = open_bytes(bytes, size, -1);
	assert_non_null(strstr(d->error, "not a perf.data file"));
	close_file(d, NULL);
	free(bytes);
	/* Samples of one event have an id, those of the other do not. */
	made_perf_event(f, &other, NULL, 0);
	bytes = made_perf_bytes(f, PERF_PIPE, &size);
	d = open_bytes(bytes, size, 0);
	assert_int_equal(perf_data_next(d, &r), -1);
	assert_non_null(strstr(d->error, "cannot be told apart"));
	close_file(d, NULL);
	free(bytes);
	made_perf_free(f);
}

/* Without rounds nothing can be given before the end, or before the queue is full. */
static void without_rounds_half_of_a_full_queue_is_given(void **unused)
{
	struct perf_queue *q = perf_queue_new(1 << 20);
	const struct perf_event_header h = { .size = sizeof(h) };
	uint64_t i, last = 0, given = 0, waiting = 0, most = 0, least = UINT64_MAX;
	struct perf_raw raw = { &h, 0 };
	bool late;
	void *done;

	(void)unused;
	for (i = 0; i < 100000; i++) {
		raw = (struct perf_raw){ &h, 1000 + (i ^ 7) };
		assert_int_equal(perf_queue_add(q, &raw, raw.at, &late), 0);
		assert_false(late);
		most = ++waiting > most ? waiting : most;
		while ((done = perf_queue_next(q, &raw))) {
			assert_true(raw.at > last);
			last = raw.at;
			given++;
			waiting--;
			free(done);
		}
		least = i > 20000 && waiting < least ? waiting : least;
	}
	/* A record is counted as its own bytes, 24 in front of them and 32 of the allocator. */
	assert_int_equal(most, (1 << 20) / 64 + 1);
	assert_int_equal(least, (1 << 20) / 64 / 2);
	assert_in_range(waiting, 1, most);
	raw = (struct perf_raw){ &h, 1 };
	assert_int_equal(perf_queue_add(q, &raw, 1, &late), 0);
	assert_true(late);
	perf_queue_free(q);
}

/* What a round ends is given when the next one has. */
static void a_round_gives_what_the_one_before_had(void **unused)
{
	static const uint64_t times[] = { 30, 10, 20, 0, 40, 25, 35, 0, 50, 0 }, expected[] = { 10, 20, 25, 30, 35, 40, 50 };
	struct perf_queue *q = perf_queue_new(1 << 20);
	const struct perf_event_header h = { .size = sizeof(h) };
	struct perf_raw raw;
	size_t i, n = 0;
	bool late;
	void *done;

	(void)unused;
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		raw = (struct perf_raw){ &h, times[i] };
		if (times[i])
			assert_int_equal(perf_queue_add(q, &raw, times[i], &late), 0);
		else
			perf_queue_round(q);
		while ((done = perf_queue_next(q, &raw))) {
			assert_int_equal(raw.at, expected[n++]);
			free(done);
		}
		assert_int_equal(n, i < 7 ? 0 : i < 9 ? 4 : 6);
	}
	perf_queue_finish(q);
	done = perf_queue_next(q, &raw);
	assert_int_equal(raw.at, expected[6]);
	free(done);
	assert_null(perf_queue_next(q, &raw));
	perf_queue_free(q);
}

/* As many events as a file may have, each with an id: not a sort of all ids for each. */
static void a_file_of_many_events_is_opened_at_once(void **unused)
{
	enum { MANY = 60000, EACH = ATTR + 16 };
	const size_t size = 104 + MANY * (8 + EACH);
	char *bytes = calloc(1, size);
	uint64_t header[13] = { 0, 104, EACH, 104 + 8 * MANY, MANY * EACH, size }, i;
	const clock_t begin = clock();
	struct perf_data d;
	char error[512];

	(void)unused;
	assert_non_null(bytes);
	memcpy(header, "PERFILE2", 8);
	memcpy(bytes, header, sizeof(header));
	for (i = 0; i < MANY; i++) {
		const uint64_t id = MANY - i, ids[] = { 104 + 8 * i, 8 };

		memcpy(bytes + 104 + 8 * i, &id, sizeof(id));
		memcpy(bytes + header[3] + EACH * i + ATTR, ids, sizeof(ids));
	}
	assert_int_equal(perf_data_open(&d, mutate_file(bytes, size), error, sizeof(error)), 0);
	assert_int_equal(d.nr_events, MANY);
	assert_ptr_equal(perf_events_by_id(&d, 1), &d.events[MANY - 1]);
	assert_ptr_equal(perf_events_by_id(&d, MANY), &d.events[0]);
	assert_null(perf_events_by_id(&d, MANY + 1));
	assert_in_range((clock() - begin) / CLOCKS_PER_SEC, 0, 5);
	perf_data_close(&d);
	free(bytes);
}

/* A bitmap of 16 MiB whose every other bit is set: 64 million spans of memory, of 24 bytes each. */
static void a_memory_topology_of_millions_of_spans_takes_no_memory(void **unused)
{
	const uint64_t head[] = { 1, 128 << 20, 1, 0, 8 * ((16 << 20) - 64), 8 * ((16 << 20) - 64) };
	struct made_perf *f = made_perf_new();
	char *bytes = malloc(16 << 20), error[256];
	struct rusage before, after;
	struct perf_data d;
	size_t size;
	void *file;

	(void)unused;
	memset(bytes, 0x55, 16 << 20);
	memcpy(bytes, head, sizeof(head));
	made_perf_memory(f);
	made_perf_comm(f, 0, 10, 10, 0, "prog");
	made_perf_feature(f, 22, bytes, 16 << 20);
	file = made_perf_bytes(f, PERF_NATIVE, &size);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(perf_data_open(&d, mutate_file(file, size), error, sizeof(error)), 0);
	getrusage(RUSAGE_SELF, &after);
	/* It is as if it were not there. */
	assert_int_equal(perf_data_node(&d, 0), PERF_NO_NODE);
	assert_in_range(after.ru_maxrss, 0, before.ru_maxrss + (64 << 10));
	perf_data_close(&d);
	made_perf_free(f);
	free(bytes);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_file_has_the_same_records),
		cmocka_unit_test(a_recording_that_was_not_ended_is_read_to_its_end),
		cmocka_unit_test(each_field_is_where_the_kernel_puts_it),
		cmocka_unit_test(what_is_not_read_is_refused_with_a_reason),
		cmocka_unit_test(without_rounds_half_of_a_full_queue_is_given),
		cmocka_unit_test(a_round_gives_what_the_one_before_had),
		cmocka_unit_test(a_file_of_many_events_is_opened_at_once),
		cmocka_unit_test(a_memory_topology_of_millions_of_spans_takes_no_memory),
	};

	return cmocka_run_group_tests_name("perf.data", tests, NULL, NULL);
}
