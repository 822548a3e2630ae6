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
#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files_have_all_events),
		cmocka_unit_test(files_that_were_cut_off_have_what_is_there),
		cmocka_unit_test(a_span_that_was_cut_out_is_whole),
	};

	return cmocka_run_group_tests_name("trace.dat", tests, make_paths, remove_paths);
}
