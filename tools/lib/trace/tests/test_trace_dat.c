// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * trace.dat files of every version, whole, cut off anywhere and cut out of: the events that
 * were put in come out, in the order of time, and what is not there is said.
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
#include <sys/resource.h>
#include <time.h>
#include <cmocka.h>

#include "lib/trace/child.h"
#include "lib/trace/dat.h"
#include "made/trace_file.h"

#define EVENTS	3000
#define CPUS	3
#define LOST	7

static const char * const versions[] = { "6", "7", "7 compressed" };
static const struct trace_field fields[] = {
	{ "u64", "number", 8, FIELD_NUMBER }, { "u8[]", "data", 1, FIELD_DYNAMIC },
};
static char path[] = "/tmp/memscope-trace-dat.XXXXXX", cut[] = "/tmp/memscope-trace-cut.XXXXXX";

/* Of event I: long ones among short ones, times far apart among close ones. */
static unsigned int size_of(unsigned int i)
{
	return i % 50 ? i % 30 : 1000;
}

static uint64_t time_of(unsigned int i)
{
	return 1000 + 100 * (uint64_t)i + (uint64_t)(i / 1000) * 500000000;
}

static struct trace_file *make(void)
{
	static unsigned char data[1000];
	struct trace_file *t = trace_file_new("made", CPUS);
	const int id = trace_file_define(t, "up", fields, 2);
	unsigned int i;

	memset(data, 0xa5, sizeof(data));
	for (i = 0; i < EVENTS; i++) {
		if (i == EVENTS / 2)
			trace_file_lose(t, i % CPUS, LOST);
		trace_file_add(t, i % CPUS, time_of(i), id, i, (struct trace_value[]){
			{ .number = i }, { .bytes = data, .size = size_of(i) } });
	}
	return t;
}

static void write_bytes(const char *to, const void *bytes, size_t size)
{
	FILE *f = fopen(to, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

/* Checks an event, and returns its number. */
static unsigned int check_event(const struct trace_event *e)
{
	const unsigned char *p = e->data;
	uint64_t number;
	uint32_t where;
	int32_t pid;

	assert_true(e->size >= 20);
	memcpy(&pid, p + 4, 4);
	memcpy(&number, p + 8, 8);
	memcpy(&where, p + 16, 4);
	assert_true(number < EVENTS);
	assert_int_equal(pid, number);
	assert_int_equal(e->ts, time_of(number));
	if (e->cpu >= 0)
		assert_int_equal(e->cpu, number % CPUS);
	assert_int_equal(where, 20 | size_of(number) << 16);
	assert_in_range(e->size, 20 + size_of(number), 23 + size_of(number));
	if (size_of(number))
		assert_int_equal(p[20 + size_of(number) - 1], 0xa5);
	return number;
}

static void whole_files_have_all_events(void **unused)
{
	struct trace_file *t = make();
	unsigned int i, version;

	(void)unused;
	for (version = 0; version < NR_TRACE_VERSIONS; version++) {
		struct trace_event e;
		struct trace_dat d;
		char error[256] = "";

		trace_file_write(t, version, path);
		if (trace_dat_open(&d, path, "made", error, sizeof(error)))
			fail_msg("version %s: %s", versions[version], error);
		assert_string_equal(d.uname, "Linux made up");
		for (i = 0; i < EVENTS; i++) {
			assert_int_equal(trace_dat_next(&d, &e), 1);
			assert_int_equal(check_event(&e), i);
		}
		assert_int_equal(trace_dat_next(&d, &e), 0);
		assert_int_equal(d.bad_offset, 0);
		assert_int_equal(d.lost_events, LOST);
		trace_dat_close(&d);
	}
	trace_file_free(t);
}

/* Each event once, those of a CPU in their order.  Returns how many. */
static unsigned int read_some(const char *from, bool *says)
{
	unsigned int n = 0, seen[CPUS] = { 0 }, number;
	struct trace_event e;
	struct trace_dat d;
	char error[256] = "";

	if (!trace_dat_open(&d, from, "made", error, sizeof(error))) {
		while (trace_dat_next(&d, &e) > 0) {
			number = check_event(&e);
			assert_true(number / CPUS + 1 > seen[number % CPUS]);
			seen[number % CPUS] = number / CPUS + 1;
			n++;
		}
	} else {
		assert_true(*error);
	}
	*says = *error || d.bad_offset;
	trace_dat_close(&d);
	return n;
}

static void files_that_were_cut_off_have_what_is_there(void **unused)
{
	struct trace_file *t = make();
	unsigned int version, n, most;
	size_t size, at;
	bool says;

	(void)unused;
	for (version = 0; version < NR_TRACE_VERSIONS; version++) {
		unsigned char *bytes = trace_file_bytes(t, version, &size);

		for (most = 0, at = 0; at < size; at += 1 + size / 400) {
			write_bytes(path, bytes, at);
			n = read_some(path, &says);
			assert_true(says);
			assert_true(n <= EVENTS);
			if (n > most)
				most = n;
		}
		/* Without its last bytes, nearly all of it is there. */
		write_bytes(path, bytes, size - 1);
		n = read_some(path, &says);
		assert_true(says);
		if (n < EVENTS - 100)
			fail_msg("version %s: %u events without the last byte", versions[version], n);
		free(bytes);
	}
	trace_file_free(t);
}

static void a_span_that_was_cut_out_is_whole(void **unused)
{
	static const unsigned int spans[][2] = { { 0, EVENTS - 1 }, { 100, 200 }, { 999, 1001 }, { 2999, 2999 }, { 1, 1 } };
	struct trace_file *t = make();
	unsigned int version, i, s;

	(void)unused;
	for (version = 0; version < NR_TRACE_VERSIONS; version++)
		for (s = 0; s < sizeof(spans) / sizeof(spans[0]); s++) {
			const unsigned int first = spans[s][0], last = spans[s][1];
			struct trace_event e;
			struct trace_dat d;
			char error[256] = "";
			int fd, ret;

			trace_file_write(t, version, path);
			assert_int_equal(trace_dat_open(&d, path, "made", error, sizeof(error)), 0);
			fd = fileno(fopen(cut, "w"));
			ret = trace_dat_cut(&d, fd, time_of(first) - 1, time_of(last), error, sizeof(error));
			if (ret)
				fail_msg("version %s: %s", versions[version], error);
			trace_dat_close(&d);
			close(fd);
			assert_int_equal(trace_dat_open(&d, cut, "made", error, sizeof(error)), 0);
			for (i = first; i <= last; i++) {
				assert_int_equal(trace_dat_next(&d, &e), 1);
				assert_int_equal(check_event(&e), i);
			}
			assert_int_equal(trace_dat_next(&d, &e), 0);
			assert_int_equal(d.bad_offset, 0);
			assert_int_equal(d.lost_events, first < EVENTS / 2 && last >= EVENTS / 2 ? LOST : 0);
			trace_dat_close(&d);
		}
	trace_file_free(t);
}

/* Where version 7 says where its options are. */
static size_t options_at(enum trace_version version)
{
	return 10 + 2 + 1 + 1 + 4 + (version == TRACE_V7 ? 5 + 1 : 5 + 6);
}

static uint64_t number_at(const unsigned char *bytes, size_t at, size_t size)
{
	uint64_t v = 0;

	memcpy(&v, bytes + at, size);
	return v;
}

/* Opens the bytes, reads all events, cuts all of them out.  Returns how many there are. */
static uint64_t read_and_cut(const void *bytes, size_t size, bool refused)
{
	const clock_t begin = clock();
	char error[256] = "";
	struct rusage usage;
	struct trace_event e;
	struct trace_dat d;
	uint64_t n = 0;
	int fd;

	write_bytes(path, bytes, size);
	assert_int_equal(trace_dat_open(&d, path, "made", error, sizeof(error)), 0);
	while (trace_dat_next(&d, &e) > 0)
		n++;
	trace_dat_close(&d);
	assert_int_equal(trace_dat_open(&d, path, "made", error, sizeof(error)), 0);
	fd = fileno(fopen(cut, "w"));
	assert_int_equal(trace_dat_cut(&d, fd, 0, UINT64_MAX, error, sizeof(error)), refused ? -1 : 0);
	close(fd);
	trace_dat_close(&d);
	assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
#ifndef __SANITIZE_ADDRESS__
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true(usage.ru_maxrss < 512 << 10);
#else
	(void)usage;
#endif
	return n;
}

/* A list of sections of options that has no end. */
static void options_that_lead_to_themselves(void **unused)
{
	struct trace_file *t = make();
	size_t size;
	unsigned char *bytes = trace_file_bytes(t, TRACE_V7, &size);

	(void)unused;
	/* The last option of the file is where the next ones are. */
	memcpy(bytes + size - 8, bytes + options_at(TRACE_V7), 8);
	assert_int_equal(read_and_cut(bytes, size, true), EVENTS);
	free(bytes);
	trace_file_free(t);
}

/* The length of a section that leads back to where it begins. */
static void a_section_before_its_end(void **unused)
{
	const uint64_t back = -16;
	struct trace_file *t = make();
	size_t size;
	unsigned char *bytes = trace_file_bytes(t, TRACE_V7, &size);
	const size_t first = options_at(TRACE_V7) + 8, buffer = first + 16 + number_at(bytes, first + 8, 8);

	(void)unused;
	assert_int_equal(bytes[buffer], 3);
	memcpy(bytes + buffer + 8, &back, 8);
	assert_int_equal(read_and_cut(bytes, size, true), EVENTS);
	free(bytes);
	trace_file_free(t);
}

/* The option that says where each CPU's data are: three numbers of 4, 8 and 8 bytes. */
static unsigned char *buffer_option(unsigned char *bytes, size_t size)
{
	unsigned char *p = bytes + number_at(bytes, options_at(TRACE_V7), 8) + 16;

	for (; p < bytes + size; p += 6 + number_at(p, 2, 4))
		if (p[0] == 3)
			return p + 6 + 8 + 1 + 5 + 4 + 4;
	fail();
	return NULL;
}

static void data_that_all_cpus_claim(void **unused)
{
	struct trace_file *t = make();
	size_t size, i;
	unsigned char *bytes = trace_file_bytes(t, TRACE_V7, &size), *p = buffer_option(bytes, size);
	const uint64_t from = number_at(p, 4, 8), all = size - from;
	uint64_t n;

	(void)unused;
	for (i = 0; i < CPUS; i++) {
		memcpy(p + 20 * i + 4, &from, 8);
		memcpy(p + 20 * i + 12, &all, 8);
	}
	n = read_and_cut(bytes, size, true);
	/* Of one CPU all, of the others none. */
	assert_in_range(n, EVENTS, EVENTS + EVENTS / 2);
	free(bytes);
	trace_file_free(t);
}

/* Each chunk says that it is 64 MiB large, on as many CPUs as have a place in 64 KiB. */
static void chunks_that_claim_memory(void **unused)
{
	const unsigned int cpus = 14;
	const uint32_t claim = 64 << 20;
	struct trace_file *t = trace_file_new("made", cpus);
	const int id = trace_file_define(t, "up", fields, 2);
	unsigned char *bytes;
	size_t size, at;
	unsigned int i;

	(void)unused;
	for (i = 0; i < 10 * cpus; i++)
		trace_file_add(t, i % cpus, 1000 + i, id, i, (struct trace_value[]){
			{ .number = i }, { .bytes = &claim, .size = 4 } });
	bytes = trace_file_bytes(t, TRACE_V7_ZSTD, &size);
	/* CPUs begin on pages: the number of chunks, then sizes. */
	for (at = 4096, i = 0; at + 12 < size && i < cpus; at += 4096, i++) {
		assert_int_equal(number_at(bytes, at, 4), 1);
		memcpy(bytes + at + 8, &claim, 4);
	}
	assert_int_equal(i, cpus);
	assert_int_equal(read_and_cut(bytes, size, true), 0);
	free(bytes);
	trace_file_free(t);
}

static int make_paths(void **unused)
{
	(void)unused;
	return mkstemp(path) < 0 || mkstemp(cut) < 0;
}

static int remove_paths(void **unused)
{
	(void)unused;
	return unlink(path) | unlink(cut);
}

/* For 0.4 s, a child waits or computes, and sends nothing. */
static int wait_or_compute(void *ctx, struct trace_dat *d, FILE *to)
{
	const clock_t begin = clock();

	(void)d;
	if (!*(const bool *)ctx)
		usleep(400000);
	else
		while (clock() - begin < CLOCKS_PER_SEC * 2 / 5)
			;
	trace_child_send(to, 0, "done", 5);
	return 0;
}

static int count(void *ctx, unsigned int kind, const void *what, size_t size)
{
	(void)kind, (void)what, (void)size;
	*(bool *)ctx = true;
	return 0;
}

/* Storage that is slow is no damage; a library that loops is. */
static void slow_storage_is_no_damage(void **unused)
{
	struct trace_file *t = make();
	bool computes;

	(void)unused;
	trace_file_write(t, 0, path);
	trace_child_silence_ms = 100;
	for (computes = false; ; computes = true) {
		bool state = computes;
		struct trace_child c = { .system = "made", .read = wait_or_compute, .take = count, .ctx = &state };
		char error[256];
		const int ret = trace_child_read(path, &c, error, sizeof(error));

		if (computes != !!ret)
			fail_msg("%s: %s", computes ? "computes" : "waits", error);
		if (computes)
			break;
		assert_true(state);
	}
	trace_child_silence_ms = 60000;
	trace_file_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files_have_all_events),
		cmocka_unit_test(files_that_were_cut_off_have_what_is_there),
		cmocka_unit_test(a_span_that_was_cut_out_is_whole),
		cmocka_unit_test(options_that_lead_to_themselves), cmocka_unit_test(a_section_before_its_end),
		cmocka_unit_test(data_that_all_cpus_claim), cmocka_unit_test(chunks_that_claim_memory),
		cmocka_unit_test(slow_storage_is_no_damage),
	};

	return cmocka_run_group_tests_name("trace.dat", tests, make_paths, remove_paths);
}
