// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Recordings of memprof damaged at random: opened, judged, each view made; some exported.  Of
 * every other one the chunks are given the checks that go with them, or damage would be found
 * at once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "made/mutate.h"
#include "memprof/diagnose/patterns.h"
#include "memprof/memprof_cli.h"
#include "memprof/view/view.h"
#include "memprof_data.h"

static char path[] = "/tmp/memprof-mutated.XXXXXX";

static void set_checks(char *data, size_t size)
{
	struct chunk_header h;
	size_t at = sizeof(struct file_header);

	while (at + sizeof(h) <= size) {
		memcpy(&h, data + at, sizeof(h));
		if (h.magic != MEMPROF_CHUNK_MAGIC || h.bytes > size - at - sizeof(h))
			break;
		h.check = XXH3_64bits_withSeed(data + at + sizeof(h), h.bytes,
					       XXH3_64bits(&h, offsetof(struct chunk_header, check)));
		memcpy(data + at, &h, sizeof(h));
		at += sizeof(h) + h.bytes;
	}
}

/* What is exported of it: perf.data, and files with the names of objects. */
static void export(const char *path)
{
	char folder[] = "/dev/shm/memprof-mutated.XXXXXX", output[64], command[80];

	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/perf.data", folder);
	cmd_export(6, (char *[]){ "export", (char *)path, "--to", "perf", "-o", output, NULL });
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

static void count(const struct memprof_access *a, void *arg)
{
	*(size_t *)arg += a->thread != MEMPROF_NO_THREAD;
}

/* As memprof report summary reads it: what is not kept makes no difference to the totals. */
static void count_only(const struct memprof *m, const char *path)
{
	size_t n = 0;
	struct memprof_options options = { .size = sizeof(options), .each = count, .arg = &n, .count_objects = true };
	char error[512];
	struct memprof *counted = memprof_open(path, &options, error, sizeof(error));

	assert_non_null(counted);
	assert_int_equal(n, memprof_nr_accesses(m));
	assert_memory_equal(memprof_totals(counted), memprof_totals(m), sizeof(struct memprof_totals));
	memprof_close(counted);
}

static void read_damaged(void *ctx, char *data, size_t size)
{
	struct view_options o = { .object = NO_NUMBER, .thread = NO_NUMBER };
	struct memprof_options options = { .size = sizeof(options) };
	const struct view *v;
	struct findings found;
	char error[512] = "";
	const char *path;
	struct memprof *m;
	struct table t;
	int *round = ctx;

	if (++*round % 2)
		set_checks(data, size);
	if (*round % 64 == 1)
		export(mutate_file(data, size));
	path = mutate_file(data, size);
	m = memprof_open(path, &options, error, sizeof(error));
	if (!m) {
		assert_true(*error);
		return;
	}
	if (*round % 4 < 2)
		count_only(m, path);
	patterns_find(m, &found);
	patterns_free(&found);
	for (v = views; v->name; v++) {
		o.instances = *round % 4 < 2;
		o.all = *round % 8 < 4;
		v->make(m, &o, &t);
		table_free(&t);
	}
	memprof_close(m);
}

static void mutated(void **unused)
{
	static char data[MUTATE_BYTES];
	int round = 0;
	struct mutation m = { .name = "memprof.data", .data = data, .read = read_damaged, .ctx = &round };
	FILE *f;

	(void)unused;
	f = fopen(path, "r");
	assert_non_null(f);
	m.size = fread(data, 1, sizeof(data), f);
	fclose(f);
	assert_in_range(m.size, 1000, MUTATE_BYTES);
	mutate(&m);
}

/* The merge's windows of time end at the last time that there is. */
static void times_near_the_last_come_to_an_end(void **unused)
{
	static char bytes[MUTATE_BYTES + 1];
	struct data *d = data_new(path);
	size_t size;
	int round;
	FILE *f;

	(void)unused;
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_FORK, .pid = 10, .tid = 10, .other = 1 }, NULL);
	data_sample(d, 0, UINT64_MAX - 5, 10, 10, 0x100000, (struct sample_record){ .op = 1 }, 0x400020);
	data_sample(d, 0, UINT64_MAX - 3, 10, 10, 0x100000, (struct sample_record){ .op = 1 }, 0x400020);
	data_end(d, 1);
	f = fopen(path, "r");
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	alarm(20);
	for (round = 0; round < 8; )
		read_damaged(&round, bytes, size);
	alarm(0);
}

/* A process of two threads, an object, accesses of it by both. */
static int make(void **unused)
{
	const uint64_t frame = 0x400010;
	struct data *d;
	uint32_t s, i;

	(void)unused;
	if (close(mkstemp(path)))
		return -1;
	d = data_new(path);
	data_task(d, DATA_START, &(struct task_record){ .type = TASK_FORK, .pid = 10, .tid = 10, .other = 1 }, NULL);
	data_task(d, DATA_START + 1, &(struct task_record){ .type = TASK_EXEC, .pid = 10, .tid = 10 }, "prog");
	data_task(d, DATA_START + 2, &(struct task_record){ .type = TASK_FORK, .pid = 10, .tid = 11, .other = 10 }, NULL);
	data_task(d, DATA_START + 3, &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x100000,
		  .length = 0x100000, .flags = TASK_WRITABLE }, "[heap]");
	data_task(d, DATA_START + 4, &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x400000,
		  .length = 0x1000, .flags = TASK_EXECUTABLE }, "/nowhere/prog");
	data_task(d, DATA_START + 5, &(struct task_record){ .type = TASK_CGROUP, .pid = 10, .tid = 11 }, "/one/two");
	s = data_stream(d, 10, 10, 10);
	for (i = 0; i < 20; i++) {
		data_chain(d, s, DATA_START + 1000 + 100 * i, 1 + i, &frame, 1);
		data_event(d, s, DATA_START + 1001 + 100 * i, (struct event_record){
			.type = EVENT_ALLOC, .addr = 0x100000 + 4096 * i, .size = 4096, .chain = 1 + i });
	}
	for (i = 0; i < 300; i++)
		data_sample(d, i % 2 * 2, DATA_START + 10000 + 100 * i, 10, 10 + i % 2, 0x100000 + 56 * i,
			    (struct sample_record){ .op = 1 + i % 2, .level = LEVEL_RAM, .latency = 200, .pfn = i }, 0x400020);
	for (i = 0; i < 20; i++)
		data_event(d, s, DATA_START + 50000 + i, (struct event_record){
			.type = EVENT_FREE, .addr = 0x100000 + 4096 * i });
	data_lost(d, DATA_START + 60000, LOST_EVENTS, 3);
	data_task(d, DATA_START + 70000, &(struct task_record){ .type = TASK_EXIT, .pid = 10, .tid = 11 }, NULL);
	data_end(d, 1);
	return 0;
}

static int remove_path(void **unused)
{
	(void)unused;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mutated), cmocka_unit_test(times_near_the_last_come_to_an_end),
	};

	/* What is said of each is not of interest. */
	stderr = fopen("/dev/null", "we");
	return cmocka_run_group_tests_name("mutated recordings of memprof", tests, make, remove_path);
}
