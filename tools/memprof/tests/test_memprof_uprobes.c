// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record --allocator: calls and returns in perf's rings become events of objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/uprobes.c"
#include "made/mutate.h"
#include "made_ring.h"

enum { CALL_MALLOC = 1, RETURN_MALLOC, CALL_FREE };

static struct recording recording;
static struct perf_event_mmap_page *ring;
/* A moment ago: what is older than a second is written at once. */
static uint64_t start;

static void add_number(struct uprobes *u, uint64_t id, const struct probe *p, bool returns)
{
	struct number *n = calloc(1, sizeof(*n));

	n->id = id;
	n->probe = p;
	n->returns = returns;
	HASH_ADD(hh, u->numbers, id, sizeof(n->id), n);
}

static struct uprobes *make(bool callchain)
{
	struct uprobes *u;

	memset(&recording, 0, sizeof(recording));
	recording.cgroup = -1;
	recording.request.callchain = callchain;
	recording.writer.fd = open("/dev/null", O_WRONLY);
	u = uprobes_new(&recording);
	u->nr_probes = 2;
	u->probes[0] = (struct probe){ NULL, ALLOC, 0, 1, { 1, 2 } };
	u->probes[1] = (struct probe){ NULL, FREE, 0, 2, { 3, 0 } };
	add_number(u, CALL_MALLOC, &u->probes[0], false);
	add_number(u, RETURN_MALLOC, &u->probes[0], true);
	add_number(u, CALL_FREE, &u->probes[1], false);
	u->nr_cpus = 1;
	u->cpus = calloc(1, sizeof(*u->cpus));
	if (!ring)
		ring = made_ring(RING);
	ring->data_head = ring->data_tail = 0;
	u->cpus->ring = ring;
	start = now_ns() - 100000000;
	return u;
}

static void end(struct uprobes *u)
{
	close(recording.writer.fd);
	u->cpus->ring = NULL;
	uprobes_close(u);
}

/* ABI and registers: ax, cx, dx, si, di, sp; of a call, the return address. */
static void put_call(struct uprobes *u, uint64_t id, uint64_t time, uint64_t result, uint64_t argument,
		     uint64_t stack, uint64_t caller)
{
	const uint64_t body[] = { id, 42 | 43ULL << 32, start + time, 3, 2, result, 0, 0, 0, argument, stack,
				  8, caller, 8 };

	made_record(u->cpus->ring, RING, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body,
		    caller ? sizeof(body) : sizeof(body) - 24);
}

static void an_object_lives_from_its_return_to_its_free(void **unused)
{
	struct uprobes *u = make(false);
	const struct event_record *e;
	struct thread *t;

	(void)unused;
	put_call(u, CALL_MALLOC, 1000, 0, 100, 0x7000, 0x401234);
	put_call(u, RETURN_MALLOC, 1100, 0x5000, 0, 0x7008, 0);
	put_call(u, CALL_FREE, 1200, 0, 0x5000, 0x7000, 0);
	assert_true(uprobes_drain(u, false));
	t = u->threads;
	assert_non_null(t);
	assert_int_equal(t->key, 42ULL << 32 | 43);
	assert_int_equal(t->nr, 4);
	e = t->records;
	assert_int_equal(e[0].type, EVENT_CHAIN);
	assert_int_equal(*(const uint64_t *)&e[1], 0x401234);
	assert_int_equal(e[2].type, EVENT_ALLOC);
	assert_int_equal(e[2].addr, 0x5000);
	assert_int_equal(e[2].size, 100);
	assert_int_equal(e[2].cpu, 3);
	assert_int_equal(t->base_ns + e[2].delta, start + 1100);
	assert_int_equal(e[3].type, EVENT_FREE);
	assert_int_equal(e[3].addr, 0x5000);
	end(u);
}

static void calls_without_an_end_and_returns_without_a_call_are_none(void **unused)
{
	struct uprobes *u = make(false);

	(void)unused;
	put_call(u, RETURN_MALLOC, 1100, 0x5000, 0, 0x7008, 0);
	put_call(u, CALL_MALLOC, 1200, 0, 100, 0x7000, 0x401234);
	/* It failed. */
	put_call(u, RETURN_MALLOC, 1300, 0, 0, 0x7008, 0);
	/* longjmp() left this one: the next is not called by it. */
	put_call(u, CALL_MALLOC, 1400, 0, 100, 0x7000, 0x401234);
	put_call(u, CALL_FREE, 1500, 0, 0x6000, 0x7100, 0);
	uprobes_drain(u, false);
	assert_int_equal(u->threads->records[u->threads->nr - 1].type, EVENT_FREE);
	assert_int_equal(u->threads->records[u->threads->nr - 1].addr, 0x6000);
	end(u);
}

/* new[] jumps to new, which returns to the kernel's trampoline: the caller is new[]'s. */
static void a_jump_is_a_call_of_the_first(void **unused)
{
	struct uprobes *u = make(false);
	const struct event_record *e;

	(void)unused;
	u->nr_probes = 3;
	u->probes[2] = (struct probe){ NULL, ALLOC, 0, 3, { 4, 5 } };
	add_number(u, 4, &u->probes[2], false);
	add_number(u, 5, &u->probes[2], true);
	put_call(u, 4, 1000, 0, 100, 0x7000, 0x401234);
	put_call(u, CALL_MALLOC, 1010, 0, 100, 0x7000, 0x7fffffffe000);
	put_call(u, RETURN_MALLOC, 1100, 0x5000, 0, 0x7008, 0);
	put_call(u, 5, 1110, 0x5000, 0, 0x7008, 0);
	uprobes_drain(u, false);
	assert_int_equal(u->threads->nr, 3);
	e = u->threads->records;
	assert_int_equal(*(const uint64_t *)&e[1], 0x401234);
	assert_int_equal(e[2].type, EVENT_ALLOC);
	assert_int_equal(e[2].addr, 0x5000);
	end(u);
}

static void what_was_lost_is_in_each_thread(void **unused)
{
	const uint64_t lost[] = { 1, 5, 0, 0, 0, 0 };
	struct uprobes *u = make(false);

	(void)unused;
	put_call(u, CALL_FREE, 1200, 0, 0x5000, 0x7000, 0);
	made_record(u->cpus->ring, RING, PERF_RECORD_LOST, 0, lost, sizeof(lost));
	uprobes_drain(u, false);
	assert_int_equal(recording.lost[LOST_EVENTS], 5);
	assert_int_equal(u->threads->records[u->threads->nr - 1].type, EVENT_LOST);
	end(u);
}

/* Compiles functions of these names, and adds what is usual of them. */
static struct uprobes *add_file(const char *names)
{
	char path[] = "/tmp/memprof-uprobes.XXXXXX", command[1024];
	struct uprobes *u = uprobes_new(&recording);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "for f in %s; do echo \"void *$f(void *p) { return p; }\"; done | "
		 "gcc -fno-builtin -fPIC -shared -nostdlib -x c -o %s -", names, path);
	assert_int_equal(system(command), 0);
	assert_int_equal(uprobes_add(u, &(struct allocator){ .file = path }), OK);
	unlink(path);
	return u;
}

static int count(const struct uprobes *u, enum kind kind)
{
	int i, n = 0;

	for (i = 0; i < u->nr_probes; i++)
		n += u->probes[i].kind == kind;
	return n;
}

/* A new is what its caller allocates; a delete that calls free() ends the object there. */
static void operators_of_cplusplus_are_followed(void **unused)
{
	const char *news = "malloc free _Znwm _ZnamSt11align_val_t _ZnwmRKSt9nothrow_t _ZdlPv _ZdaPvm _Zother";
	struct uprobes *u = add_file(news);
	char own[256];

	(void)unused;
	assert_int_equal(count(u, ALLOC), 4);
	assert_int_equal(count(u, FREE), 1);
	uprobes_close(u);
	snprintf(own, sizeof(own), "%s mi_free", news);
	u = add_file(own);
	assert_int_equal(count(u, ALLOC), 4);
	assert_int_equal(count(u, FREE), 3);
	uprobes_close(u);
}

static void drain_damaged(void *ctx, char *data, size_t size)
{
	struct uprobes *u = make(++*(int *)ctx & 1);

	u->cpus->ring->data_head = u->cpus->ring->data_tail = RING - 512;
	made_put(u->cpus->ring, RING, data, size - size % 8);
	uprobes_drain(u, true);
	assert_int_equal(u->cpus->ring->data_tail, u->cpus->ring->data_head);
	end(u);
}

static void mutated(void **unused)
{
	struct uprobes *u = make(false);
	struct mutation m = { .name = "uprobes' records", .read = drain_damaged };
	int rounds = 0, i;

	(void)unused;
	for (i = 0; i < 30; i++) {
		put_call(u, CALL_MALLOC, 1000 + 100 * i, 0, 100, 0x7000, 0x401234);
		put_call(u, RETURN_MALLOC, 1050 + 100 * i, 0x5000 + 16 * i, 0, 0x7008, 0);
		put_call(u, CALL_FREE, 1080 + 100 * i, 0, 0x5000 + 16 * i, 0x7000, 0);
	}
	m.data = (char *)u->cpus->ring + MADE_PAGE;
	m.size = u->cpus->ring->data_head;
	m.ctx = &rounds;
	mutate(&m);
	end(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_object_lives_from_its_return_to_its_free),
		cmocka_unit_test(calls_without_an_end_and_returns_without_a_call_are_none),
		cmocka_unit_test(a_jump_is_a_call_of_the_first), cmocka_unit_test(what_was_lost_is_in_each_thread),
		cmocka_unit_test(operators_of_cplusplus_are_followed), cmocka_unit_test(mutated),
	};

	return cmocka_run_group_tests_name("memprof uprobes", tests, NULL, NULL);
}
