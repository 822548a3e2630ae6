// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Which object an access is charged to, and what is not charged to any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/lib/tests/one_process.h"

static void address_is_used_again(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	data_sample(d, 0, T(20), 10, 10, 0x20010, LOAD, 0);
	gone(d, s, T(30), 0x20000);
	data_sample(d, 0, T(35), 10, 10, 0x20010, LOAD, 0);
	alloc(d, s, T(40), 0x20000, 50);
	data_sample(d, 0, T(50), 10, 10, 0x20010, LOAD, 0);
	data_sample(d, 0, T(51), 10, 10, 0x20000 + 50, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	assert_null(memprof_damage(m));
	is_at(m, 0, 0x20000, 10);
	is_unknown(m, 1, "without a live object");
	is_at(m, 2, 0x20000, 40);
	is_unknown(m, 3, "without a live object");
	assert_int_equal(object_of(m, 0)->died_ns, 30000);
	assert_int_equal(object_of(m, 2)->died_ns, UINT64_MAX);
	assert_int_equal(memprof_totals(m)->unknown[0], 2);
	memprof_close(m);
}

static void realloc_moves(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s, s2;

	(void)unused;
	begin(&d, &s);
	s2 = data_stream(d, 10, 11, 5);
	alloc(d, s, T(10), 0x20000, 100);
	/* Another thread has what will be the new place until in the middle of the call. */
	alloc(d, s2, T(11), 0x30000, 64);
	data_event(d, s, T(20), (struct event_record){ .type = EVENT_FREE, .addr = 0x20000,
		   .flags = EVENT_REALLOC, .wait = 10 });
	data_event(d, s, T(20), (struct event_record){ .type = EVENT_ALLOC, .addr = 0x30000, .size = 400,
		   .flags = EVENT_REALLOC, .wait = 10, .chain = 1 });
	data_sample(d, 1, T(21), 10, 11, 0x30010, LOAD, 0);
	gone(d, s2, T(22), 0x30000);
	/* realloc() copies. */
	data_sample(d, 0, T(25), 10, 10, 0x20008, LOAD, 0);
	data_sample(d, 0, T(26), 10, 10, 0x30008, LOAD, 0);
	data_sample(d, 0, T(40), 10, 10, 0x20008, LOAD, 0);
	data_sample(d, 0, T(41), 10, 10, 0x30100, LOAD, 0);
	data_sample(d, 1, T(42), 10, 11, 0x30100, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_at(m, 0, 0x30000, 11);
	is_at(m, 1, 0x20000, 10);
	is_at(m, 2, 0x30000, 20);
	is_unknown(m, 3, "without a live object");
	is_at(m, 4, 0x30000, 20);
	is_at(m, 5, 0x30000, 20);
	assert_int_equal(object_of(m, 0)->size, 64);
	assert_int_equal(object_of(m, 4)->size, 400);
	memprof_close(m);
}

/* How long a call took is rounded up: what it gave may be freed before that is over. */
static void freed_at_once(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s, s2;

	(void)unused;
	begin(&d, &s);
	s2 = data_stream(d, 10, 11, 5);
	data_event(d, s, T(10), (struct event_record){ .type = EVENT_ALLOC, .addr = 0x20000, .size = 392,
		   .flags = EVENT_ZEROED, .wait = 10, .chain = 1 });
	gone(d, s2, T(19), 0x20000);
	/* Of another size: the reader keeps these apart. */
	alloc(d, s2, T(21), 0x20000, 24);
	data_sample(d, 1, T(30), 10, 11, 0x20008, LOAD, 0);
	data_sample(d, 0, T(31), 10, 10, 0x20100, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_at(m, 0, 0x20000, 21);
	assert_int_equal(object_of(m, 0)->size, 24);
	is_unknown(m, 1, "without a live object");
	assert_int_equal(memprof_totals(m)->unmatched_frees, 0);
	memprof_close(m);
}

static void another_thread_just_allocated(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	/* Within the time that a sample may be late: it may be of what was there before. */
	data_sample(d, 0, T(11), 10, 11, 0x20010, LOAD, 0);
	data_sample(d, 0, T(11) + 100, 10, 10, 0x20010, LOAD, 0);
	data_sample(d, 0, T(13), 10, 11, 0x20010, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_unknown(m, 0, "same moment");
	is_at(m, 1, 0x20000, 10);
	is_at(m, 2, 0x20000, 10);
	memprof_close(m);
}

static void child_has_its_own(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s, child;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	data_task(d, T(20), &(struct task_record){ .type = TASK_FORK, .pid = 12, .tid = 12, .other = 10 }, NULL);
	gone(d, s, T(21), 0x20000);
	data_sample(d, 0, T(22), 10, 10, 0x20010, LOAD, 0);
	data_sample(d, 1, T(23), 12, 12, 0x20010, LOAD, 0);
	child = data_stream(d, 12, 12, 6);
	gone(d, child, T(24), 0x20000);
	alloc(d, child, T(25), 0x20000, 30);
	data_sample(d, 1, T(30), 12, 12, 0x20010, LOAD, 0);
	data_task(d, T(40), &(struct task_record){ .type = TASK_EXEC, .pid = 12, .tid = 12 }, "other");
	data_sample(d, 1, T(50), 12, 12, 0x20010, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_unknown(m, 0, "without a live object");
	is_at(m, 1, 0x20000, 10);
	assert_int_equal(object_of(m, 1)->pid, 12);
	assert_true(object_of(m, 1)->inherited);
	is_at(m, 2, 0x20000, 25);
	assert_false(object_of(m, 2)->inherited);
	is_unknown(m, 3, "not mapped");
	memprof_close(m);
}

static void execute(struct data *d, uint64_t t, uint32_t pid, const char *program, uint32_t flags)
{
	data_task(d, t, &(struct task_record){ .type = TASK_FORK, .pid = pid, .tid = pid, .other = 10 }, NULL);
	data_task(d, t, &(struct task_record){ .type = TASK_EXEC, .pid = pid, .tid = pid }, "program");
	data_task(d, t, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = 0x400000,
		  .length = 0x1000, .flags = TASK_EXECUTABLE | flags }, program);
	data_task(d, t, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = 0x10000,
		  .length = 0x100000, .flags = TASK_WRITABLE }, "[heap]");
}

static void load(struct data *d, uint64_t t, uint32_t pid, const char *library)
{
	data_task(d, t, &(struct task_record){ .type = TASK_MMAP, .pid = pid, .tid = pid, .start = 0x700000,
		  .length = 0x1000, .flags = TASK_EXECUTABLE }, library);
}

static void processes_that_did_not_load_the_library_are_named(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	execute(d, T(10), 20, "/bin/fixed", 0);
	execute(d, T(11), 30, "/bin/passwd", TASK_PRIVILEGED);
	execute(d, T(12), 40, "/bin/ls", 0);
	execute(d, T(13), 50, "/bin/cat", 0);
	data_sample(d, 0, T(19), 40, 40, 0x20010, LOAD, 0);
	load(d, T(20), 30, "/lib64/ld-linux-x86-64.so.2");
	load(d, T(20), 40, "/lib64/ld-linux-x86-64.so.2");
	load(d, T(20), 50, "/lib64/ld-linux-x86-64.so.2");
	load(d, T(21), 50, "/lib/memprof/libmemprof-preload.so");
	data_sample(d, 0, T(31), 20, 20, 0x20010, LOAD, 0);
	data_sample(d, 0, T(32), 30, 30, 0x20010, LOAD, 0);
	data_sample(d, 0, T(33), 40, 40, 0x20010, LOAD, 0);
	data_sample(d, 0, T(34), 50, 50, 0x20010, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_unknown(m, 1, "fixed (pid 20) did not load libmemprof-preload.so: it is linked statically");
	is_unknown(m, 2, "passwd (pid 30) did not load libmemprof-preload.so: it has a set-ID bit");
	is_unknown(m, 3, "ls (pid 40) did not load libmemprof-preload.so: LD_PRELOAD was replaced");
	is_unknown(m, 4, "not followed");
	memprof_close(m);
}

static void lost_events_are_not_trusted(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	data_event(d, s, T(20), (struct event_record){ .type = EVENT_LOST, .size = 7 });
	data_sample(d, 0, T(30), 10, 10, 0x20010, LOAD, 0);
	alloc(d, s, T(40), 0x21000, 100);
	data_sample(d, 0, T(50), 10, 10, 0x21010, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_unknown(m, 0, "lost");
	is_at(m, 1, 0x21000, 40);
	assert_int_equal(memprof_totals(m)->lost_events, 7);
	memprof_close(m);
}

static void mappings_of_programs(void **unused)
{
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	data_event(d, s, T(10), (struct event_record){ .type = EVENT_MAP, .addr = 0x700000, .size = 0x10000 });
	/* perf reports it merged with the C library's adjacent mapping. */
	data_task(d, T(11), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x6ff000,
		  .length = 0x12000, .flags = TASK_WRITABLE }, "//anon");
	data_sample(d, 0, T(20), 10, 10, 0x70f000, LOAD, 0);
	data_sample(d, 0, T(21), 10, 10, 0x6ff010, LOAD, 0);
	data_event(d, s, T(30), (struct event_record){ .type = EVENT_UNMAP, .addr = 0x704000, .size = 0x4000 });
	data_sample(d, 0, T(31), 10, 10, 0x705000, LOAD, 0);
	data_sample(d, 0, T(32), 10, 10, 0x708000, LOAD, 0);
	data_task(d, T(33), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x900000,
		  .length = 0x1000 }, "/data/file");
	data_sample(d, 0, T(34), 10, 10, 0x900010, LOAD, 0);
	data_event(d, s, T(35), (struct event_record){ .type = EVENT_STACK, .addr = 0xa00000, .size = 0x8000 });
	data_sample(d, 0, T(36), 10, 10, 0xa00010, LOAD, 0);
	data_sample(d, 0, T(37), 10, 10, 0xffff888000001000, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	is_at(m, 0, 0x700000, 10);
	is_unknown(m, 1, "C library");
	is_unknown(m, 2, "not mapped");
	is_at(m, 3, 0x700000, 10);
	assert_int_equal(object_of(m, 4)->type, MEMPROF_FILE);
	assert_string_equal(object_of(m, 4)->path, "/data/file");
	assert_int_equal(object_of(m, 5)->type, MEMPROF_STACK);
	assert_int_equal(object_of(m, 6)->type, MEMPROF_KERNEL);
	memprof_close(m);
}

/*
 * Threads that allocate, free and move objects at addresses used again and again; each
 * access has to be charged to the object that was there, or be unknown where it was
 * of none.
 */
static void random_lives(void **unused)
{
	enum { PLACES = 200, STEPS = 200000 };
	static struct { uint64_t born; uint64_t size; } place[PLACES];
	static uint64_t expected[STEPS];
	uint64_t state = 7, time = 100, i;
	struct memprof_access a;
	size_t samples = 0, wrong = 0, unknown = 0;
	struct memprof *m;
	uint32_t s[3];
	struct data *d;

	(void)unused;
	begin(&d, &s[0]);
	s[1] = data_stream(d, 10, 11, 5);
	s[2] = data_stream(d, 10, 12, 5);
	for (i = 0; i < STEPS; i++) {
		uint64_t addr;
		int k, t;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		k = (state >> 33) % PLACES;
		t = (state >> 50) % 3;
		addr = 0x20000 + 256 * (uint64_t)k;
		time += 5;
		if (state >> 60 < 6) {
			if (place[k].born) {
				gone(d, s[t], T(time), addr);
				place[k].born = 0;
			} else {
				place[k].size = 1 + (state >> 20) % 256;
				place[k].born = time;
				alloc(d, s[t], T(time), addr, place[k].size);
			}
		} else {
			uint64_t offset = (state >> 10) % 256;

			data_sample(d, t, T(time), 10, 10 + t, addr + offset, LOAD, 0);
			expected[samples++] = place[k].born && offset < place[k].size ? place[k].born * 1000 : 0;
		}
	}
	data_end(d, 1);
	m = open_it();
	assert_int_equal(memprof_nr_accesses(m), samples);
	for (i = 0; i < samples; i++) {
		const struct memprof_object *o;

		memprof_access(m, i, &a);
		o = memprof_object(m, a.object);
		if (o->type == MEMPROF_UNKNOWN)
			unknown++, wrong += expected[i] != 0;
		else
			wrong += o->born_ns != expected[i];
	}
	assert_int_equal(wrong, 0);
	assert_true(unknown > 0 && unknown < samples);
	memprof_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(address_is_used_again),
		cmocka_unit_test(realloc_moves),
		cmocka_unit_test(freed_at_once),
		cmocka_unit_test(another_thread_just_allocated),
		cmocka_unit_test(child_has_its_own),
		cmocka_unit_test(processes_that_did_not_load_the_library_are_named),
		cmocka_unit_test(lost_events_are_not_trusted),
		cmocka_unit_test(mappings_of_programs),
		cmocka_unit_test(random_lives),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
