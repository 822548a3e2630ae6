// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof record: which files are rings of preloaded threads, and how long their processes are kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "memprof/record/tests/thread_ring.h"

static void names_of_rings_are_three_numbers(void **unused)
{
	static const struct { const char *name; bool good; } in[] = {
		{ "1.2.3", true }, { "0.0.0", true }, { "10.200.3000", true }, { "1.2", false }, { "1.2.3.4", false },
		{ "1..3", false }, { "1.2.", false }, { "a.2.3", false }, { "1.b.3", false }, { "1.2.c", false },
		{ "1.2.3x", false }, { "1.2.3 ", false }, { ".2.3", false }, { "1,2,3", false }, { "1", false },
		{ "", false },
	};
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_int_equal(is_ring_name(in[i].name), in[i].good);
}

/* 63 characters are kept. */
static void long_names_are_no_rings(void **unused)
{
	char name[128];
	struct ring *ring;
	int length;

	(void)unused;
	begin();
	for (length = 63; length <= 64; length++) {
		memset(name, '1', length);
		name[1] = name[3] = '.';
		name[length] = '\0';
		ring = new_ring(name, 4);
		munmap(ring, bytes_of(4));
		look_for_rings(rings);
		assert_int_equal(HASH_COUNT(rings->table), 1);
		assert_string_equal(rings->table->name + 60, "111");
	}
	end();
}

/* By size, magic and capacity. */
static void files_that_are_not_rings_are_left_alone(void **unused)
{
	static const struct { uint64_t bytes, magic, capacity; bool good; } in[] = {
		{ RING_HEADER + 240, RING_MAGIC, 10, true }, { RING_HEADER + 263, RING_MAGIC, 10, true },
		{ RING_HEADER + 240, RING_MAGIC, 11, false }, { RING_HEADER + 263, RING_MAGIC, 11, false },
		{ RING_HEADER + 264, RING_MAGIC, 11, true }, { RING_HEADER + 240, RING_MAGIC, 9, true },
		{ RING_HEADER + 240, RING_MAGIC, 0, false }, { RING_HEADER + 240, RING_MAGIC + 1, 10, false },
		{ RING_HEADER + 24, RING_MAGIC, 1, true }, { RING_HEADER + 23, RING_MAGIC, 1, false },
		{ RING_HEADER + 240, RING_MAGIC, UINT64_MAX, false }, { RING_HEADER, RING_MAGIC, 1, false },
		/* The library makes none that are larger. */
		{ RING_HEADER + (1UL << 30) + 4096, RING_MAGIC, 10, true },
		{ RING_HEADER + (1UL << 30) + 4097, RING_MAGIC, 10, false },
	};
	struct source_ring *s;
	struct ring *ring;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(in) / sizeof(*in); i++) {
		begin();
		ring = map_ring("42.43.1", in[i].bytes);
		*ring = (struct ring){ .magic = in[i].magic, .pid = 42, .tid = 43, .image = 3, .base = base,
				       .capacity = in[i].capacity, .clock = RING_TSC };
		s = found_ring("42.43.1");
		assert_int_equal(!!s, in[i].good);
		assert_int_equal(recording.streams, in[i].good);
		if (s) {
			assert_int_equal(s->capacity, in[i].capacity);
			assert_int_equal(s->bytes, in[i].bytes);
			assert_int_equal(s->base, base);
			assert_int_equal(s->image, 3);
			assert_int_equal(s->stream, 1);
			assert_true(s->tsc);
			assert_false(s->other_ns);
			assert_null(s->process);
			assert_ptr_equal(found_ring("42.43.1"), s);
			assert_int_equal(recording.streams, 1);
		}
		assert_true(is_there("42.43.1"));
		munmap(ring, in[i].bytes);
		end();
	}
}

/* What another user may put there: a second name of a file, a link, a directory, a pipe. */
static void what_is_no_file_of_its_own_is_no_ring(void **unused)
{
	char path[300], other[300];
	struct ring *ring;

	(void)unused;
	begin();
	ring = new_ring("42.43.1", 4);
	munmap(ring, bytes_of(4));
	name_path(path, sizeof(path), "42.43.1");
	name_path(other, sizeof(other), "second");
	assert_int_equal(link(path, other), 0);
	assert_null(found_ring("42.43.1"));
	ring = new_ring("elsewhere", 4);
	munmap(ring, bytes_of(4));
	name_path(other, sizeof(other), "1.1.1");
	assert_int_equal(symlink("elsewhere", other), 0);
	name_path(other, sizeof(other), "1.1.2");
	assert_int_equal(mkdir(other, 0700), 0);
	name_path(other, sizeof(other), "1.1.3");
	assert_int_equal(mkfifo(other, 0600), 0);
	look_for_rings(rings);
	rings->missed = true;
	look_for_rings(rings);
	assert_int_equal(HASH_COUNT(rings->table), 0);
	assert_int_equal(recording.streams, 0);
	end();
}

/* Of whose events nothing is known but that there was one. */
static void an_empty_file_is_a_thread_without_memory(void **unused)
{
	const struct event_record same = { .type = EVENT_LOST, .size = 1 };
	const struct event_record *e;
	const struct chunk_header *h;
	struct stream_record stream;
	struct written all;
	uint64_t time;

	(void)unused;
	begin();
	recording.streams = 6;
	close(make_file("42.43.1", 0));
	rings_drain(rings, true);
	assert_false(is_there("42.43.1"));
	assert_int_equal(recording.without_ring, 1);
	assert_int_equal(recording.lost[LOST_EVENTS], 1);
	all = written_read(&recording.writer);
	h = written_next(&all, CHUNK_STREAM);
	stream = written_stream(h);
	assert_int_equal(h->stream, 7);
	assert_int_equal(stream.stream, 7);
	assert_int_equal(stream.pid, 42);
	assert_int_equal(stream.tid, 43);
	time = h->base_ns;
	e = next_chunk(&all, 7, time, time, 1);
	event_is(e, same, 0);
	no_chunk(&all);
	end();
}

/* A process is one while it has rings; its image is the latest; owners and namespaces are apart. */
static void processes_go_with_their_last_ring(void **unused)
{
	const struct process_key a = { 1, 2, 3 }, others[] = { { 2, 2, 3 }, { 1, 3, 3 }, { 1, 2, 4 } };
	struct source_process *p, *q[3];
	struct source_ring s = { .image = 5 };
	size_t i;

	(void)unused;
	begin();
	p = process_of(rings, a, 5);
	assert_int_equal(p->image, 5);
	assert_ptr_equal(process_of(rings, a, 4), p);
	assert_int_equal(p->image, 5);
	s.process = p;
	assert_false(is_of_earlier_image(&s));
	assert_ptr_equal(process_of(rings, a, 6), p);
	assert_int_equal(p->image, 6);
	assert_true(is_of_earlier_image(&s));
	s.process = NULL;
	assert_false(is_of_earlier_image(&s));
	assert_int_equal(p->rings, 3);
	for (i = 0; i < 3; i++) {
		q[i] = process_of(rings, others[i], 1);
		assert_int_equal(q[i]->rings, 1);
		assert_int_equal(HASH_COUNT(rings->processes), 2);
		put_process(rings, q[i]);
	}
	put_process(rings, NULL);
	put_process(rings, p);
	put_process(rings, p);
	assert_int_equal(HASH_COUNT(rings->processes), 1);
	put_process(rings, p);
	assert_int_equal(HASH_COUNT(rings->processes), 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_rings_are_three_numbers),
		cmocka_unit_test(long_names_are_no_rings),
		cmocka_unit_test(files_that_are_not_rings_are_left_alone),
		cmocka_unit_test(what_is_no_file_of_its_own_is_no_ring),
		cmocka_unit_test(an_empty_file_is_a_thread_without_memory),
		cmocka_unit_test(processes_go_with_their_last_ring),
	};

	return cmocka_run_group_tests_name("memprof ring files", tests, NULL, NULL);
}
