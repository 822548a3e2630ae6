// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Accesses, flows and objects of a handle: the same if they are kept, streamed, counted, or in a
 * file; and its texts, where several threads use it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memprof/lib/internal.h"
#include "memprof/lib/tests/one_process.h"

/* Frames are named when asked for: of more than were there when the file was opened. */
static void frames_keep_their_names(void **unused)
{
	const unsigned int n = 2000;
	struct memprof_access a;
	const char **names;
	struct memprof *m;
	struct data *d;
	char expected[32];
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
		snprintf(expected, sizeof(expected), "%#x", 0x700000 + 16 * i);
		assert_string_equal(names[i], expected);
	}
	free(names);
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
	m = memprof_open(data_path, &o, error, sizeof(error));
	assert_non_null(m);
	assert_int_equal(reads, 1000);
	assert_int_equal(memprof_nr_accesses(m), 0);
	assert_int_equal(memprof_object(m, 0)->accesses, 1000);
	memprof_close(m);
}

/* The accesses that options.each is called with, compared with those of a handle that keeps them. */
struct seen {
	struct memprof *kept;
	size_t n, wrong, of_heap;
	uint32_t stands_for_all;
};

static void compare(const struct memprof_access *a, void *arg)
{
	const struct memprof_object *o;
	struct seen *t = arg;
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
	struct seen seen = { };
	struct memprof_options o = { .size = sizeof(o), .each = compare, .arg = &seen, .count_objects = true };
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
	seen.kept = open_it();
	all = *memprof_totals(seen.kept);
	assert_int_equal(all.objects, memprof_nr_objects(seen.kept));
	m = memprof_open(data_path, &o, error, sizeof(error));
	assert_non_null(m);
	assert_int_equal(seen.n, memprof_nr_accesses(seen.kept));
	assert_int_equal(seen.wrong, 0);
	assert_in_range(seen.of_heap, OBJECTS, 2 * OBJECTS - 1);
	assert_memory_equal(memprof_totals(m), &all, sizeof(all));
	/* The one that stands for all, the one of what was freed, the kernel. */
	assert_int_equal(memprof_nr_objects(m), 3);
	assert_int_equal(memprof_object(m, seen.stands_for_all)->accesses, seen.of_heap);
	assert_int_equal(memprof_object(m, seen.stands_for_all)->died_ns, UINT64_MAX);
	memprof_close(m);
	memprof_close(seen.kept);
	/* Of no effect if flows are kept. */
	o.each = NULL;
	m = memprof_open(data_path, &o, error, sizeof(error));
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
	m = memprof_open(data_path, &o, error, sizeof(error));
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
	char error[256], *old = getenv("TMPDIR");
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
	little = memprof_open(data_path, &o, error, sizeof(error));
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
	assert_null(memprof_open(data_path, &o, error, sizeof(error)));
	assert_non_null(strstr(error, "/nonexistent"));
	if (old)
		setenv("TMPDIR", old, 1);
	else
		unsetenv("TMPDIR");
}

/* What a runtime writes to /tmp/perf-PID.map, or an ELF file has, may be any bytes. */
static void texts_of_sites_are_one_line_of_utf8(void **unused)
{
	static const struct {
		struct memprof_site site;
		const char *text;
	} cases[] = {
		{ { "s->basis", "f", "/src/csu.c", 455 }, "s->basis (csu.c:455)" },
		{ { "main", "main", "/bin/cat", 0 }, "main (cat)" },
		{ { "[heap]", "", "/bin/cat", 0 }, "[heap]" },
		{ { "f", "f", "", 0 }, "f" },
		{ { "\033[31mred\377\n", "f", "/src/\t\200.js", 7 }, "\357\277\275[31mred\357\277\275  ( \357\277\275.js:7)" },
		{ { "caf\303\251", "f", "\302\233", 0 }, "caf\303\251 (\357\277\275)" },
	};
	char text[64];
	size_t i, size, n;

	(void)unused;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(memprof_site_text(&cases[i].site, text, sizeof(text)), 0);
		assert_string_equal(text, cases[i].text);
		/* A text that is too long is cut between characters. */
		for (size = 0; size < sizeof(text); size++) {
			memset(text, '#', sizeof(text));
			memprof_site_text(&cases[i].site, text, size);
			assert_int_equal(text[size], '#');
			n = size ? strlen(text) : 0;
			assert_true(!size || n < size);
			assert_memory_equal(text, cases[i].text, n);
			assert_true((cases[i].text[n] & 0xc0) != 0x80 || !size);
		}
	}
	assert_int_equal(memprof_site_text(NULL, text, sizeof(text)), -1);
	assert_string_equal(text, "?");
}

/* What a thread asks a handle for that another thread uses. */
struct question {
	struct memprof *m;
	struct memprof_access a;
	void (*ask)(struct question *q);
	const char *answer;
	_Atomic pid_t tid;
	atomic_bool answered;
};

static void ask_cgroup(struct question *q)
{
	q->answer = memprof_cgroup(q->m, q->a.thread, q->a.time_ns);
}

static void ask_code(struct question *q)
{
	struct memprof_code code;

	q->answer = memprof_code(q->m, q->a.chain, 0, &code) ? code.path : "none";
}

static void ask_missing(struct question *q)
{
	memprof_missing_files(q->m, &q->answer);
}

static void *ask(void *arg)
{
	struct question *q = arg;

	q->tid = gettid();
	q->ask(q);
	q->answered = true;
	return NULL;
}

static bool sleeps(pid_t tid)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	/* Nothing is read once it has ended. */
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = '?';
	fclose(f);
	return state == 'S';
}

/* The array of texts is not read while it moves, as it does where names are added. */
static void texts_move_while_others_read(void **unused)
{
	static const struct { void (*ask)(struct question *q); const char *answer; } cases[] = {
		{ ask_cgroup, "/group" }, { ask_code, "/none/prog" }, { ask_missing, "/none/prog" },
	};
	const char **texts, **moving;
	pthread_t thread;
	struct data *d;
	uint32_t s;
	size_t i;

	(void)unused;
	begin(&d, &s);
	data_task(d, T(3), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = 0x700000,
		  .length = 0x10000, .flags = TASK_EXECUTABLE }, "/none/prog");
	data_task(d, T(4), &(struct task_record){ .type = TASK_CGROUP, .pid = 10, .tid = 10 }, "/group");
	alloc(d, s, T(10), 0x20000, 4096);
	data_sample(d, 0, T(20), 10, 10, 0x20000, LOAD, 0x700010);
	data_end(d, 1);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct question q = { .m = open_it(), .ask = cases[i].ask };

		memprof_access(q.m, 0, &q.a);
		moving = calloc(q.m->strings.used, sizeof(*moving));
		assert_non_null(moving);
		for (s = 0; s < q.m->strings.used; s++)
			moving[s] = "moving";
		pthread_mutex_lock(&q.m->lock);
		texts = q.m->strings.text;
		q.m->strings.text = moving;
		assert_int_equal(pthread_create(&thread, NULL, ask, &q), 0);
		while (!q.answered && !(q.tid && sleeps(q.tid)))
			sched_yield();
		q.m->strings.text = texts;
		pthread_mutex_unlock(&q.m->lock);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_string_equal(q.answer ? q.answer : "NULL", cases[i].answer);
		free(moving);
		memprof_close(q.m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_keep_their_names),
		cmocka_unit_test(flows_are_in_order_and_whole),
		cmocka_unit_test(streaming_keeps_no_flows),
		cmocka_unit_test(objects_are_counted),
		cmocka_unit_test(frames_of_accesses),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(texts_of_sites_are_one_line_of_utf8),
		cmocka_unit_test(texts_move_while_others_read),
	};

	return cmocka_run_group_tests(tests, data_make_path, data_remove_path);
}
