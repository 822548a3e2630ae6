// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * memprof record: what perf's rings of processes have becomes records of tasks, each field compared;
 * what was there before is read from /proc; control groups of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>

#include "memprof/record/tests/made_sampler.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_in_control_groups),
		cmocka_unit_test(what_was_there_is_a_stream_of_its_own),
		cmocka_unit_test(processes_are_reported),
		cmocka_unit_test(each_field_of_a_mapping_is_in_its_record),
		cmocka_unit_test(programs_with_a_set_id_bit_are_privileged),
		cmocka_unit_test(tasks_begin_and_end),
		cmocka_unit_test(the_group_of_a_thread_ends_with_it),
		cmocka_unit_test(short_tasks_are_left_out),
		cmocka_unit_test(tasks_are_written_in_chunks),
		cmocka_unit_test(mappings_that_were_there_are_found),
	};

	return cmocka_run_group_tests_name("memprof tasks", tests, NULL, NULL);
}
