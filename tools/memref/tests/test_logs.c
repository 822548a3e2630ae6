// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref watch's files: bounded, without a gap, whole rows only. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "memref/logs.h"

static char directory[] = "/tmp/test_logs.XXXXXX";

static void empty(void)
{
	DIR *d = opendir(directory);
	struct dirent *e;
	char path[512];

	while ((e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", directory, e->d_name);
		unlink(path);
	}
	closedir(d);
}

/* Names of processes in an interval: up to so many. */
static uint32_t services = 7;

/* An interval of 100 ms: nodes, of which the second comes and goes, processes likewise, a group. */
static void interval(struct logs *l, uint32_t seq)
{
	const uint64_t begin = seq * UINT64_C(100000000);
	struct row row = { .type = ROW_NODE };
	uint32_t n;

	for (n = 0; n < 1 + seq / 100 % 2; n++) {
		row.node = (struct node_row){ .start = (uint64_t)n << 30, .end = (uint64_t)(n + 1) << 30, .seq = seq, .node = n };
		assert_int_equal(logs_add(l, &row), 0);
	}
	for (n = 0; n < 1 + seq % services; n++) {
		row = (struct row){ .type = ROW_TASK, .task = { .seq = seq, .pid = seq + n, .pages = n, .rss = 7 } };
		snprintf(row.task.comm, sizeof(row.task.comm), "p%u", seq + n);
		assert_int_equal(logs_add(l, &row), 0);
	}
	row = (struct row){ .type = ROW_AGE, .age = { .seq = seq, .class = seq % 5, .pages = { [2] = seq }, .path = "/a,b" } };
	assert_int_equal(logs_add(l, &row), 0);
	row = (struct row){ .type = ROW_GROUP, .group = { .seq = seq, .phys_addr = (seq % 2) << 30, .pages = { [USER] = 3 } } };
	assert_int_equal(logs_add(l, &row), 0);
	row = (struct row){ .type = ROW_SCAN, .scan = {
		.seq = seq, .groups = 1, .group_kb = 65536, .rss = 9, .begin_ns = begin, .scan_ns = begin + 99000000,
		.end_ns = begin + 100000000, .pages = { [USER] = 3 },
	} };
	assert_int_equal(logs_add(l, &row), 0);
	assert_int_equal(logs_flush(l, false), 0);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_intervals(const struct dirent *d)
{
	return !!strstr(d->d_name, "Z.intervals.csv");
}

static int is_services(const struct dirent *d)
{
	return !!strstr(d->d_name, "Z.services.csv");
}

static int is_ages(const struct dirent *d)
{
	return !!strstr(d->d_name, "Z.ages.csv");
}

static uint64_t bytes(void)
{
	DIR *d = opendir(directory);
	struct dirent *e;
	uint64_t sum = 0;
	struct stat st;

	while ((e = readdir(d)))
		if (*e->d_name != '.' && !fstatat(dirfd(d), e->d_name, &st, 0))
			sum += st.st_size;
	closedir(d);
	return sum;
}

/* The intervals of all files of a table, up to @last; without a gap but after @gap. */
static void check_table(int (*table)(const struct dirent *d), uint32_t last, uint32_t gap, uint32_t after)
{
	struct dirent **names;
	int i, nr = scandir(directory, &names, table, by_name);
	uint32_t seq, before = 0;
	char path[512], line[512];
	int rows = 0;

	assert_true(nr > 0);
	for (i = 0; i < nr; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		f = fopen(path, "r");
		assert_non_null(fgets(line, sizeof(line), f));
		assert_memory_equal(line, "schema,host,boot,time_ns,interval_ns,seq,", 41);
		while (fgets(line, sizeof(line), f)) {
			char *at = line;
			int c;

			assert_non_null(strchr(line, '\n'));
			for (c = 0; c < 5; c++)
				at = strchr(at, ',') + 1;
			seq = atoi(at);
			/* An interval has rows of nodes, or of services. */
			if (seq == before)
				continue;
			if (before)
				assert_int_equal(seq, before == gap ? after : before + 1);
			before = seq;
			rows++;
		}
		fclose(f);
		free(names[i]);
	}
	free(names);
	assert_int_equal(before, last);
	assert_true(rows > 100);
}

static void check(uint32_t last, uint32_t gap, uint32_t after)
{
	check_table(is_intervals, last, gap, after);
	check_table(is_services, last, gap, after);
	check_table(is_ages, last, gap, after);
}

/* The size of the file that is open, by its name; -1: none. */
static int file_size(const struct logs *l, int i)
{
	char path[512];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", directory, l->log[i].name);
	return l->log[i].fd < 0 ? -1 : stat(path, &st) ? -2 : (int)st.st_size;
}

/* As memref watch -i 10s does in eleven days. */
static void hundred_thousand_intervals(void **state)
{
	struct logs l = { .directory = directory, .file_size = 64 << 10, .keep = 1 << 20 };
	char foreign[64], future[64];
	size_t used = 0;
	uint32_t seq;

	(void)state;
	snprintf(foreign, sizeof(foreign), "%s/20200101T000000.intervals.csv", directory);
	assert_int_equal(close(creat(foreign, 0600)), 0);
	/* Of a clock that was wrong: full. */
	snprintf(future, sizeof(future), "%s/20990101T000000Z.services.csv", directory);
	assert_int_equal(close(creat(future, 0600)), 0);
	assert_int_equal(truncate(future, 1 << 20), 0);
	assert_int_equal(logs_begin(&l), 0);
	for (seq = 1; seq <= 100000; seq++) {
		interval(&l, seq);
		if (seq % 1000)
			continue;
		assert_true(bytes() <= 1 << 20);
		if (seq == 10000)
			used = mallinfo2().uordblks;
		else if (seq > 10000)
			assert_true(mallinfo2().uordblks <= used + 4096);
	}
	assert_int_equal(l.intervals, 100000);
	assert_int_equal(l.unwritten, 0);
	logs_end(&l);
	/* What is kept is most of what may be. */
	assert_true(bytes() > (1 << 20) - (3 * 64 << 10));
	assert_int_equal(access(foreign, F_OK), 0);
	assert_int_equal(access(future, F_OK), -1);
	unlink(foreign);
	check(100000, 0, 0);
	empty();
}

/* A table that grows slowly: the oldest file is the one that it is written to, and stays. */
static void slow_table(void **state)
{
	struct logs l = { .directory = directory, .file_size = 64 << 10, .keep = 256 << 10 };
	uint32_t seq, slow = 0;

	(void)state;
	services = 100;
	assert_int_equal(logs_begin(&l), 0);
	for (seq = 1; seq <= 400; seq++) {
		interval(&l, seq);
		assert_true(bytes() <= 256 << 10);
		assert_int_equal(file_size(&l, 0), l.log[0].fd < 0 ? -1 : (int)l.log[0].written);
		slow += l.log[0].fd >= 0;
	}
	assert_true(slow > 300);
	logs_end(&l);
	services = 7;
	empty();
}

/* No space: intervals are lost, rows are not cut, and it goes on when there is space again. */
static void full(void **state)
{
	struct logs l = { .directory = directory, .file_size = 1 << 20, .keep = 8 << 20 };
	struct rlimit limit, small;
	uint64_t least = UINT64_MAX;
	uint32_t seq;
	int i;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	assert_int_equal(logs_begin(&l), 0);
	for (seq = 1; seq <= 200; seq++)
		interval(&l, seq);
	small = limit;
	/* No table can be continued. */
	for (i = 0; i < NR_LOGS; i++)
		if (l.log[i].written < least)
			least = l.log[i].written;
	small.rlim_cur = least + 10;
	setrlimit(RLIMIT_FSIZE, &small);
	for (; seq <= 300; seq++)
		interval(&l, seq);
	setrlimit(RLIMIT_FSIZE, &limit);
	for (; seq <= 500; seq++)
		interval(&l, seq);
	assert_int_equal(l.unwritten, 100);
	assert_int_equal(l.intervals, 400);
	logs_end(&l);
	check(500, 200, 301);
	empty();
}

/* SIGHUP, and more files in a second than names. */
static void new_files(void **state)
{
	struct logs l = { .directory = directory, .file_size = 1 << 20, .keep = 8 << 20 };
	struct dirent **names;
	uint32_t seq;
	int nr;

	(void)state;
	assert_int_equal(logs_begin(&l), 0);
	for (seq = 1; seq <= 150; seq++) {
		interval(&l, seq);
		if (seq % 50 == 0)
			logs_new_files(&l);
	}
	logs_end(&l);
	nr = scandir(directory, &names, is_intervals, by_name);
	assert_int_equal(nr, 3);
	while (nr)
		free(names[--nr]);
	free(names);
	check(150, 0, 0);
	empty();
}

static void no_directory(void **state)
{
	char file[64], command[80];
	struct logs l = { .directory = file, .file_size = 1 << 20, .keep = 8 << 20 };

	(void)state;
	snprintf(file, sizeof(file), "%s/none/none", directory);
	assert_int_equal(logs_begin(&l), 1);
	logs_end(&l);
	snprintf(file, sizeof(file), "%s/made", directory);
	/* It is made with the first rows. */
	assert_int_equal(logs_begin(&l), 0);
	logs_end(&l);
	assert_int_equal(access(file, F_OK), -1);
	l = (struct logs){ .directory = file, .file_size = 1 << 20, .keep = 8 << 20 };
	assert_int_equal(logs_begin(&l), 0);
	interval(&l, 1);
	logs_end(&l);
	assert_int_equal(l.intervals, 1);
	snprintf(command, sizeof(command), "rm -r %s", file);
	assert_int_equal(system(command), 0);
	l = (struct logs){ .directory = file, .file_size = 1 << 20, .keep = 8 << 20 };
	snprintf(file, sizeof(file), "/dev/null");
	assert_int_equal(logs_begin(&l), 1);
	logs_end(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hundred_thousand_intervals), cmocka_unit_test(slow_table),
		cmocka_unit_test(full), cmocka_unit_test(new_files),
		cmocka_unit_test(no_directory),
	};
	int ret;

	if (!mkdtemp(directory)) {
		perror(directory);
		return 1;
	}
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(directory);
	return ret;
}
