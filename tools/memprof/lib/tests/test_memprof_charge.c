// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* libmemprof: which object an access is charged to, and what is not charged to any. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memprof/lib/live.h"
#include "memprof/memprof.h"
#include "memprof/tests/memprof_data.h"

static char path[] = "/tmp/memprof-test.XXXXXX";
#define T(us)	(DATA_START + UINT64_C(1000) * (us))
#define LOAD	((struct sample_record){ .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1 })

static struct memprof *open_it(void)
{
	char error[256];
	struct memprof *m = memprof_open(path, NULL, error, sizeof(error));

	if (!m)
		fail_msg("%s", error);
	return m;
}

static void alloc(struct data *d, uint32_t s, uint64_t t, uint64_t addr, uint64_t size)
{
	data_event(d, s, t, (struct event_record){ .type = EVENT_ALLOC, .addr = addr, .size = size,
						   .chain = 1 });
}

static void gone(struct data *d, uint32_t s, uint64_t t, uint64_t addr)
{
	data_event(d, s, t, (struct event_record){ .type = EVENT_FREE, .addr = addr });
}

/* The object of access number i. */
static const struct memprof_object *object_of(struct memprof *m, size_t i)
{
	struct memprof_access a;

	assert_true(i < memprof_nr_accesses(m));
	memprof_access(m, i, &a);
	return memprof_object(m, a.object);
}

static void is_at(struct memprof *m, size_t i, uint64_t addr, uint64_t born_us)
{
	const struct memprof_object *o = object_of(m, i);

	assert_int_equal(o->type, MEMPROF_DYNAMIC);
	assert_int_equal(o->address, addr);
	assert_int_equal(o->born_ns, born_us * 1000);
}

static void is_unknown(struct memprof *m, size_t i, const char *why)
{
	const struct memprof_object *o = object_of(m, i);

	assert_int_equal(o->type, MEMPROF_UNKNOWN);
	if (!strstr(o->symbol, why))
		fail_msg("access %zu: %s, not %s", i, o->symbol, why);
}

static void begin(struct data **d, uint32_t *s)
{
	*d = data_new(path);
	data_task(*d, T(0), &(struct task_record){ .type = TASK_FORK, .pid = 10, .tid = 10, .other = 1 }, NULL);
	data_task(*d, T(1), &(struct task_record){ .type = TASK_EXEC, .pid = 10, .tid = 10 }, "prog");
	data_task(*d, T(2), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x10000,
		  .length = 0x100000, .flags = TASK_WRITABLE }, "[heap]");
	*s = data_stream(*d, 10, 10, 5);
}

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

/* A stream that was silent for longer than a delta holds begins again, with another base. */
static void times_have_a_new_base(void **unused)
{
	const uint64_t words[3] = { [2] = T(5000000) };
	struct event_record base;
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	data_sample(d, 0, T(20), 10, 10, 0x20010, LOAD, 0);
	memcpy(&base, words, sizeof(base));
	base.type = EVENT_BASE;
	data_event(d, s, T(10), base);
	/* From the first event's time on, as the stream writes it; from the base on, as it is. */
	gone(d, s, T(10 + 3), 0x20000);
	alloc(d, s, T(10 + 5), 0x20000, 50);
	data_sample(d, 0, T(5000004), 10, 10, 0x20010, LOAD, 0);
	data_sample(d, 0, T(5000010), 10, 10, 0x20010, LOAD, 0);
	data_end(d, 1);
	m = open_it();
	assert_null(memprof_damage(m));
	is_at(m, 0, 0x20000, 10);
	assert_int_equal(object_of(m, 0)->died_ns, UINT64_C(5000003000));
	is_unknown(m, 1, "without a live object");
	is_at(m, 2, 0x20000, 5000005);
	memprof_close(m);
}

/* Frames are named when asked for: of more than were there when the file was opened. */
static void frames_keep_their_names(void **unused)
{
	const unsigned int n = 2000;
	struct memprof_access a;
	const char **names;
	struct memprof *m;
	struct data *d;
	char want[32];
	unsigned int i;
	uint32_t s;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 100);
	for (i = 0; i < n; i++)
		data_sample(d, 0, T(20 + i), 10, 10, 0x20010, LOAD, 0x700000 + 16 * i);
	data_end(d, 1);
	m = open_it();
	names = calloc(n, sizeof(*names));
	assert_non_null(names);
	assert_int_equal(memprof_nr_accesses(m), n);
	for (i = 0; i < n; i++) {
		memprof_access(m, i, &a);
		names[i] = memprof_frame(m, a.chain, 0);
	}
	for (i = 0; i < n; i++) {
		snprintf(want, sizeof(want), "%#x", 0x700000 + 16 * i);
		assert_string_equal(names[i], want);
	}
	free(names);
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

static void flows_are_in_order_and_whole(void **unused)
{
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	uint64_t last = 0;
	uint32_t s, i;
	size_t n = 0;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 4096);
	for (i = 0; i < 30000; i++)
		data_sample(d, i % 4, T(20) + 100 * i, 10, 10 + i % 3, 0x20000 + i % 4096, LOAD, 0x4000 + i % 7);
	data_end(d, 1);
	m = open_it();
	assert_int_equal(memprof_nr_accesses(m), 30000);
	for (i = 0; i < memprof_nr_objects(m); i++)
		memprof_foreach_access(m, memprof_object_flow(m, i), &a) {
			assert_int_equal(a.object, i);
			assert_true(a.time_ns >= last);
			assert_int_equal(a.node, a.cpu / 2);
			last = a.time_ns;
			n++;
		}
	assert_int_equal(n, 30000);
	for (n = i = 0; i < memprof_nr_threads(m); i++) {
		last = 0;
		memprof_foreach_access(m, memprof_thread_flow(m, i), &a) {
			assert_int_equal(a.thread, i);
			assert_true(a.time_ns >= last);
			last = a.time_ns;
			n++;
		}
	}
	assert_int_equal(n, 30000);
	memprof_close(m);
}

/* Truncated and damaged anywhere: what can be read is, nothing crashes. */
static void damage_is_told(void **unused)
{
	char error[256], *bytes;
	struct memprof *m;
	struct stat st;
	struct data *d;
	uint32_t s, i, seed = 1;
	int fd;

	(void)unused;
	begin(&d, &s);
	for (i = 0; i < 500; i++) {
		alloc(d, s, T(10 + i), 0x20000 + 64 * i, 64);
		data_sample(d, i % 4, T(20 + i), 10, 10, 0x20000 + 64 * i, LOAD, 0);
	}
	data_end(d, 1);
	fd = open(path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	bytes = malloc(st.st_size);
	assert_int_equal(read(fd, bytes, st.st_size), st.st_size);
	for (i = 0; i < 600; i++) {
		size_t at = (seed = seed * 1103515245 + 12345) % st.st_size;
		int cut = i % 2;

		assert_int_equal(pwrite(fd, bytes, st.st_size, 0), st.st_size);
		if (cut)
			assert_int_equal(ftruncate(fd, at), 0);
		else
			assert_int_equal(pwrite(fd, &seed, st.st_size - at < 4 ? 1 : 4, at), st.st_size - at < 4 ? 1 : 4);
		m = memprof_open(path, NULL, error, sizeof(error));
		if (m) {
			assert_true(memprof_nr_accesses(m) <= 500);
			/* Only what the file header says of the clock is not checked. */
			if (at >= sizeof(struct file_header))
				assert_non_null(memprof_damage(m));
		} else {
			assert_true(at < sizeof(struct file_header));
			assert_non_null(strstr(error, path));
		}
		memprof_close(m);
	}
	free(bytes);
	close(fd);
}

/* The map of live objects against one that looks at all of them. */
static void live_map_is_right(void **unused)
{
	enum { N = 400, STEPS = 60000 };
	static struct { uint64_t addr, size; uint32_t live; } all[N];
	static const uint64_t sizes[] = { 1, 8, 40, 300, 5000, 40000, 1 << 20, 40 << 20, UINT64_C(9) << 30 };
	struct live_pool pool;
	struct live_map m;
	uint64_t state = 42;
	int i, step;

	(void)unused;
	assert_int_equal(live_pool_init(&pool), 0);
	live_map_init(&m, &pool);
	for (step = 0; step < STEPS; step++) {
		uint64_t addr, size, want = 0;
		int k;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		k = (state >> 33) % N;
		if (all[k].live) {
			live_remove(&m, all[k].live);
			all[k].live = 0;
			continue;
		}
		size = sizes[(state >> 40) % 9] + (state >> 20) % 9;
		addr = UINT64_C(0x100000000) + (state >> 12) % (UINT64_C(64) << 30) / 16 * 16;
		/* Many small ones close together, too. */
		if (size < 6000)
			addr = 0x1000 + (state >> 12) % 200000 / 16 * 16;
		for (i = 0; i < N; i++)
			if (all[i].live && addr < all[i].addr + all[i].size && all[i].addr < addr + size)
				break;
		if (i < N)
			continue;
		all[k].addr = addr;
		all[k].size = size;
		all[k].live = live_insert(&m, addr, size, NULL, NULL);
		assert_true(all[k].live);
		/* Any address: of an object, or beside one. */
		k = (state >> 45) % N;
		addr = all[k].addr + (all[k].size ? (state >> 3) % (all[k].size + 64) : 0);
		for (i = 0; i < N; i++)
			if (all[i].live && addr >= all[i].addr && addr < all[i].addr + all[i].size)
				want = all[i].live;
		assert_int_equal(live_find(&m, addr), want);
	}
	live_map_free(&m, NULL, NULL);
	assert_int_equal(pool.live, 0);
	live_pool_free(&pool);
}

/*
 * Streams of any pace: bursts, long rests, many at once, one far ahead of others.  Each
 * access is of the object that its thread has just allocated.
 */
static void streams_of_any_pace(void **unused)
{
	enum { STREAMS = 40, RECORDS = 60000 };
	uint64_t now = DATA_START + 1000, last = 0, wrong = 0;
	uint32_t s[STREAMS], k, mode;
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	size_t i, n = 0;

	(void)unused;
	for (mode = 0; mode < 3; mode++) {
		srandom(mode);
		begin(&d, &s[0]);
		for (k = 1; k < STREAMS; k++)
			s[k] = data_stream(d, 10, 10 + k, 5);
		for (i = n = 0; i < RECORDS; i++) {
			/* One at random; a burst of each; or the first has ten thousand at a time. */
			k = mode == 0 ? (size_t)random() % STREAMS : mode == 1 ? i / 3000 % STREAMS :
			    i % 20000 < 10000 ? 0 : (size_t)random() % STREAMS;
			now += mode == 1 && i % 3000 == 0 ? 1000000000 : random() % 3 * (mode == 2 ? 1 : 5000);
			alloc(d, s[k], now, 0x20000 + 0x1000 * k + 64 * (i % 50), 64);
			if (i % 3 == 0) {
				data_sample(d, i % 4, now + 1, 10, 10 + k, 0x20000 + 0x1000 * k + 64 * (i % 50), LOAD, i);
				n++;
			}
			now += 2;
		}
		data_end(d, 1);
		m = open_it();
		assert_int_equal(memprof_nr_accesses(m), n);
		assert_int_equal(memprof_totals(m)->events, RECORDS);
		for (i = last = wrong = 0; i < n; i++) {
			memprof_access(m, i, &a);
			wrong += a.time_ns < last;
			last = a.time_ns;
			/* Allocated 1 ns before. */
			wrong += memprof_object(m, a.object)->born_ns != a.time_ns - 1;
		}
		assert_int_equal(wrong, 0);
		memprof_close(m);
	}
}

/*
 * Streams whose chunks end together, with equal times on both sides of the border: while a
 * stream's last record waits for delivery, its next chunk must not replace the buffer.
 */
static void chunks_end_together(void **unused)
{
	enum { RECORDS = 20000, RUNS = 36 };
	/* Records of a chunk, and how many ns a record is after the one before, at most. */
	static const unsigned int lengths[] = { 1, 2, 3, 10, 100, 1000 }, steps[] = { 1, 2, 1000 };
	static uint64_t born[RECORDS];
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	unsigned int run;
	size_t i;

	(void)unused;
	for (run = 0; run < RUNS; run++) {
		const unsigned int length = lengths[run % 6], step = steps[run / 6 % 3];
		const unsigned int streams = run < RUNS / 2 ? 2 : 5;
		uint64_t now = T(10), wrong = 0;
		uint32_t s[5], k;

		srandom(run);
		begin(&d, &s[0]);
		for (k = 1; k < streams; k++)
			s[k] = data_stream(d, 10, 10 + k, 5);
		for (i = 0; i < RECORDS; i++) {
			if (i % (length * streams) == 0)
				for (k = 0; k < streams; k++)
					data_end_chunk(d, s[k]);
			now += random() % step;
			born[i] = now;
			alloc(d, s[i % streams], now, 0x10000 + 32 * i, 32);
		}
		for (i = 0; i < RECORDS; i++)
			data_sample(d, 0, now + 1000000 + i, 10, 10, 0x10000 + 32 * i, LOAD, 0);
		data_end(d, 1);
		m = open_it();
		assert_null(memprof_damage(m));
		assert_int_equal(memprof_totals(m)->events, RECORDS);
		assert_int_equal(memprof_nr_accesses(m), RECORDS);
		for (i = 0; i < RECORDS; i++) {
			const struct memprof_object *o;

			memprof_access(m, i, &a);
			o = memprof_object(m, a.object);
			wrong += o->type != MEMPROF_DYNAMIC || o->address != 0x10000 + 32 * i ||
				 o->born_ns != born[i] - DATA_START;
		}
		if (wrong)
			fail_msg("%u streams, chunks of %u, steps below %u ns: %lu accesses charged wrongly",
				 streams, length, step, (unsigned long)wrong);
		memprof_close(m);
	}
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
	static uint64_t want[STEPS];
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
			want[samples++] = place[k].born && offset < place[k].size ? place[k].born * 1000 : 0;
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
			unknown++, wrong += want[i] != 0;
		else
			wrong += o->born_ns != want[i];
	}
	assert_int_equal(wrong, 0);
	assert_true(unknown > 0 && unknown < samples);
	memprof_close(m);
}

static void take(const struct memprof_access *a, void *arg)
{
	*(uint64_t *)arg += a->read;
}

static void streaming_keeps_no_flows(void **unused)
{
	uint64_t reads = 0;
	struct memprof_options o = { .size = sizeof(o), .each = take, .arg = &reads };
	struct memprof *m;
	char error[256];
	struct data *d;
	uint32_t s, i;

	(void)unused;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 4096);
	for (i = 0; i < 1000; i++)
		data_sample(d, 0, T(20 + i), 10, 10, 0x20000 + i, LOAD, 0);
	data_end(d, 1);
	m = memprof_open(path, &o, error, sizeof(error));
	assert_non_null(m);
	assert_int_equal(reads, 1000);
	assert_int_equal(memprof_nr_accesses(m), 0);
	assert_int_equal(memprof_object(m, 0)->accesses, 1000);
	memprof_close(m);
}

/* The accesses that options.each is called with, compared with those of a handle that keeps them. */
struct told {
	struct memprof *kept;
	size_t n, wrong, of_heap;
	uint32_t stands_for_all;
};

static void compare(const struct memprof_access *a, void *arg)
{
	const struct memprof_object *o;
	struct told *t = arg;
	struct memprof_access k;

	memprof_access(t->kept, t->n++, &k);
	o = memprof_object(t->kept, k.object);
	t->wrong += a->address != k.address || a->time_ns != k.time_ns || a->thread != k.thread ||
		    a->node != k.node || a->home != k.home;
	if (o->type != MEMPROF_DYNAMIC)
		return;
	t->wrong += a->offset != a->address;
	t->wrong += t->of_heap++ && t->stands_for_all != a->object;
	t->stands_for_all = a->object;
}

/* Objects that are counted, and not kept: the same accesses, and the same totals. */
static void objects_are_counted(void **unused)
{
	enum { OBJECTS = 2000 };
	struct told told = { };
	struct memprof_options o = { .size = sizeof(o), .each = compare, .arg = &told, .count_objects = true };
	struct memprof_totals all;
	struct memprof *m;
	char error[256];
	struct data *d;
	uint32_t s, i;

	(void)unused;
	begin(&d, &s);
	for (i = 0; i < OBJECTS; i++) {
		alloc(d, s, T(10 + 10 * i), 0x20000 + i % 100 * 64, 64);
		data_sample(d, i % 4, T(14 + 10 * i), 10, 10, 0x20000 + i % 100 * 64 + i % 64, LOAD, 0);
		if (i % 3)
			gone(d, s, T(15 + 10 * i), 0x20000 + i % 100 * 64);
		data_sample(d, 0, T(16 + 10 * i), 10, 10, 0x20000 + i % 100 * 64 + 8, LOAD, 0);
	}
	data_sample(d, 0, T(20 + 10 * i), 10, 10, 0xffff888000001000, LOAD, 0);
	data_end(d, 1);
	told.kept = open_it();
	all = *memprof_totals(told.kept);
	assert_int_equal(all.objects, memprof_nr_objects(told.kept));
	m = memprof_open(path, &o, error, sizeof(error));
	assert_non_null(m);
	assert_int_equal(told.n, memprof_nr_accesses(told.kept));
	assert_int_equal(told.wrong, 0);
	assert_in_range(told.of_heap, OBJECTS, 2 * OBJECTS - 1);
	assert_memory_equal(memprof_totals(m), &all, sizeof(all));
	/* The one that stands for all, the one of what was freed, the kernel. */
	assert_int_equal(memprof_nr_objects(m), 3);
	assert_int_equal(memprof_object(m, told.stands_for_all)->accesses, told.of_heap);
	assert_int_equal(memprof_object(m, told.stands_for_all)->died_ns, UINT64_MAX);
	memprof_close(m);
	memprof_close(told.kept);
	/* Of no effect if flows are kept. */
	o.each = NULL;
	m = memprof_open(path, &o, error, sizeof(error));
	assert_non_null(m);
	assert_int_equal(memprof_nr_objects(m), all.objects);
	memprof_close(m);
}

/* A page frame and a TLB are kept where they are asked for; an address always is. */
static void frames_of_accesses(void **unused)
{
	struct memprof_options o = { .size = sizeof(o), .physical = true };
	struct sample_record missed = LOAD, unknown = LOAD;
	struct memprof_access a;
	struct memprof *m;
	char error[256];
	struct data *d;
	uint32_t s, i;

	(void)unused;
	missed.tlb_miss = 1;
	missed.pfn = 0x1234567;
	unknown.pfn = PFN_UNKNOWN;
	begin(&d, &s);
	alloc(d, s, T(10), 0x20000, 8192);
	data_sample(d, 0, T(20), 10, 10, 0x20123, missed, 0);
	data_sample(d, 0, T(21), 10, 10, 0x21008, LOAD, 0);
	data_sample(d, 0, T(22), 10, 10, 0x21010, unknown, 0);
	data_sample(d, 0, T(23), 10, 10, 0x90000, LOAD, 0);
	data_sample(d, 0, T(24), 10, 10, 0xffff888000001000, LOAD, 0);
	data_end(d, 1);
	m = memprof_open(path, &o, error, sizeof(error));
	assert_non_null(m);
	memprof_access(m, 0, &a);
	assert_int_equal(a.address, 0x20123);
	assert_int_equal(a.physical, 0x1234567123);
	assert_true(a.tlb_miss);
	memprof_access(m, 1, &a);
	assert_int_equal(a.address, 0x21008);
	assert_int_equal(a.physical, 0x1008);
	assert_false(a.tlb_miss);
	memprof_access(m, 2, &a);
	assert_int_equal(a.physical, 0);
	/* Of no object, and the kernel's. */
	memprof_access(m, 3, &a);
	assert_int_equal(a.address, 0x90000);
	memprof_access(m, 4, &a);
	assert_int_equal(a.address, 0xffff888000001000);
	i = 0;
	memprof_foreach_access(m, memprof_thread_flow(m, a.thread), &a)
		assert_int_equal(a.tlb_miss, !i++);
	memprof_close(m);
	m = open_it();
	memprof_access(m, 0, &a);
	assert_int_equal(a.address, 0x20123);
	assert_int_equal(a.physical, 0);
	assert_false(a.tlb_miss);
	memprof_close(m);
}

/* What is kept in a file is what would be kept in memory. */
static void little_memory(void **unused)
{
	enum { OBJECTS = 30000 };
	struct memprof_options o = { .size = sizeof(o), .memory = 100000 };
	struct memprof *m, *little;
	char error[256], *had = getenv("TMPDIR");
	struct data *d;
	uint32_t s, i;
	size_t k, n;

	(void)unused;
	begin(&d, &s);
	for (i = 0; i < OBJECTS; i++) {
		alloc(d, s, T(10 + 4 * i), 0x20000 + i % 1000 * 64, 64);
		data_sample(d, i % 4, T(11 + 4 * i), 10, 10, 0x20000 + i % 1000 * 64 + 8, LOAD, 0);
		data_sample(d, i % 4, T(12 + 4 * i), 10, 10, 0x20000 + i % 1000 * 64 + 16, LOAD, 0);
		gone(d, s, T(13 + 4 * i), 0x20000 + i % 1000 * 64);
	}
	data_end(d, 1);
	m = open_it();
	little = memprof_open(path, &o, error, sizeof(error));
	if (!little)
		fail_msg("%s", error);
	assert_int_equal(memprof_nr_accesses(m), 2 * OBJECTS);
	assert_int_equal(memprof_nr_accesses(little), 2 * OBJECTS);
	assert_int_equal(memprof_nr_objects(m), memprof_nr_objects(little));
	for (i = 0; i < memprof_nr_objects(m); i++) {
		struct memprof_access a, b;
		struct memprof_flow f = memprof_object_flow(m, i), g = memprof_object_flow(little, i);

		assert_memory_equal(memprof_object(m, i), memprof_object(little, i),
				    offsetof(struct memprof_object, path));
		for (k = 0, n = memprof_object(m, i)->accesses; k < n; k++) {
			assert_true(memprof_next(m, &f, &a) && memprof_next(little, &g, &b));
			assert_int_equal(a.time_ns, b.time_ns);
			assert_int_equal(a.offset, b.offset);
			assert_int_equal(a.object, b.object);
		}
		assert_string_equal(memprof_object_site(m, i)->name, memprof_object_site(little, i)->name);
	}
	memprof_close(m);
	memprof_close(little);
	setenv("TMPDIR", "/nonexistent", 1);
	assert_null(memprof_open(path, &o, error, sizeof(error)));
	assert_non_null(strstr(error, "/nonexistent"));
	if (had)
		setenv("TMPDIR", had, 1);
	else
		unsetenv("TMPDIR");
}

static void not_a_recording(void **unused)
{
	char error[256];

	(void)unused;
	assert_null(memprof_open("/proc/self/exe", NULL, error, sizeof(error)));
	assert_non_null(strstr(error, "not a recording"));
	assert_null(memprof_open("/nonexistent", NULL, error, sizeof(error)));
	assert_non_null(strstr(error, "/nonexistent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_map_is_right),
		cmocka_unit_test(address_is_used_again),
		cmocka_unit_test(times_have_a_new_base),
		cmocka_unit_test(frames_keep_their_names),
		cmocka_unit_test(realloc_moves),
		cmocka_unit_test(freed_at_once),
		cmocka_unit_test(another_thread_just_allocated),
		cmocka_unit_test(child_has_its_own),
		cmocka_unit_test(processes_that_did_not_load_the_library_are_named),
		cmocka_unit_test(lost_events_are_not_trusted),
		cmocka_unit_test(mappings_of_programs),
		cmocka_unit_test(flows_are_in_order_and_whole),
		cmocka_unit_test(streams_of_any_pace),
		cmocka_unit_test(chunks_end_together),
		cmocka_unit_test(random_lives),
		cmocka_unit_test(streaming_keeps_no_flows),
		cmocka_unit_test(objects_are_counted),
		cmocka_unit_test(frames_of_accesses),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(not_a_recording),
	};
	int fd = mkstemp(path), ret;

	close(fd);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}
