// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Idle ages of processes, mappings and files: events become histograms of each interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "memref/model/model.h"

static struct model m;

static int begin(void **state)
{
	(void)state;
	model_init(&m);
	return 0;
}

static int end(void **state)
{
	(void)state;
	model_free(&m);
	return 0;
}

/* @young pages of age 0, and @old of 128 or more: of files where the name is a path, else anonymous. */
static void vma_age(uint32_t seq, uint32_t pid, const char *comm, const char *name, uint32_t young, uint32_t old)
{
	struct vma_age_row row = { .seq = seq, .pid = pid };
	uint32_t *pages = *name == '[' ? row.anon : row.file;

	pages[0] = young;
	pages[AGE_BUCKETS - 1] = old;
	snprintf(row.comm, sizeof(row.comm), "%s", comm);
	snprintf(row.name, sizeof(row.name), "%s", name);
	assert_int_equal(model_add_vma_age(&m, &row), 0);
}

static void scan(uint32_t seq)
{
	const struct scan_row row = {
		.seq = seq, .begin_ns = seq * 1000000000ULL, .scan_ns = (seq + 1) * 1000000000ULL,
	};

	assert_int_equal(model_add_scan(&m, &row), 0);
}

/* The sum with index @i. */
static void is(size_t i, uint32_t interval, const char *name, uint64_t young, uint64_t old)
{
	char of[AGE_KEY_NAME];

	assert_in_range(i, 0, m.ages.nr_sums - 1);
	age_key_name(&m.ages, m.ages.sums[i].key, of, sizeof(of));
	assert_string_equal(of, name);
	assert_int_equal(m.ages.sums[i].interval, interval);
	assert_int_equal(m.ages.sums[i].pages[0], young);
	assert_int_equal(m.ages.sums[i].pages[1], 0);
	assert_int_equal(m.ages.sums[i].pages[AGE_BUCKETS - 1], old);
	assert_int_equal(m.ages.sums[i].again[AGE_BUCKETS - 1], 0);
}

/* Two intervals of two processes; a library of both comes in several events. */
static void two_intervals(enum age_by by)
{
	m.ages.by = by;
	vma_age(1, 10, "old", "[heap]", 1, 2);
	vma_age(1, 10, "old", "/lib/c", 10, 20);
	vma_age(1, 11, "other", "/lib/c", 25, 0);
	vma_age(1, 10, "old", "/lib/c", 3, 4);
	vma_age(1, 11, "other", "/data", 0, 7);
	scan(1);
	vma_age(2, 11, "other", "/lib/c", 30, 0);
	vma_age(2, 10, "new", "/lib/c", 5, 5);
	vma_age(2, 10, "new", "[heap]", 6, 0);
	scan(2);
	model_end(&m);
	assert_int_equal(m.nr_intervals, 2);
}

static void processes(void **state)
{
	(void)state;
	two_intervals(AGES_PROCESS);
	assert_int_equal(m.ages.nr_sums, 4);
	is(0, 0, "old (10)", 14, 26);
	is(1, 0, "other (11)", 25, 7);
	is(2, 1, "other (11)", 30, 0);
	is(3, 1, "new (10)", 11, 5);
}

static void mappings(void **state)
{
	(void)state;
	two_intervals(AGES_MAPPING);
	assert_int_equal(m.ages.nr_sums, 7);
	is(0, 0, "old (10) [heap]", 1, 2);
	is(1, 0, "old (10) /lib/c", 13, 24);
	is(2, 0, "other (11) /lib/c", 25, 0);
	is(3, 0, "other (11) /data", 0, 7);
	is(4, 1, "other (11) /lib/c", 30, 0);
	is(5, 1, "new (10) /lib/c", 5, 5);
	is(6, 1, "new (10) [heap]", 6, 0);
}

/* Of a file, the pages of the process that has the most of them; that is another in each interval. */
static void files(void **state)
{
	(void)state;
	two_intervals(AGES_FILE);
	assert_int_equal(m.ages.nr_sums, 3);
	is(0, 0, "/lib/c", 13, 24);
	is(1, 0, "/data", 0, 7);
	is(2, 1, "/lib/c", 30, 0);
}

/* Of a private mapping, what was copied is no memory of the file; of a long path, the end is known. */
static void parts(void **state)
{
	struct vma_age_row row = {
		.seq = 1, .pid = 10, .comm = "a", .name = ".../deep/lib", .anon = { 5, 6 }, .file = { [3] = 7 },
	};

	(void)state;
	m.ages.by = AGES_FILE;
	assert_int_equal(model_add_vma_age(&m, &row), 0);
	/* A path that could not be read, and a file of which all was copied. */
	strcpy(row.name, "...");
	assert_int_equal(model_add_vma_age(&m, &row), 0);
	strcpy(row.name, "/data");
	row.file[3] = 0;
	assert_int_equal(model_add_vma_age(&m, &row), 0);
	scan(1);
	assert_int_equal(m.ages.nr_sums, 1);
	assert_string_equal(m.ages.entries[m.ages.sums[0].key]->key.name, ".../deep/lib");
	assert_int_equal(m.ages.sums[0].pages[0], 0);
	assert_int_equal(m.ages.sums[0].pages[3], 7);
}

/* Whoever calls, a damaged event brings no key of any size. */
static void damaged(void **state)
{
	struct age_row row = { .seq = 1, .class = UINT32_MAX, .pages = { 1 } };

	(void)state;
	m.ages.by = AGES_CLASS;
	assert_int_equal(ages_add(&m.ages, 0, &row), 0);
	row.class = 0;
	row.node = UINT32_MAX;
	m.ages.by = AGES_NODE;
	assert_int_equal(ages_add(&m.ages, 0, &row), 0);
	assert_int_equal(m.ages.nr_sums, 0);
}

/* The memref_scan of interval 2 is missing, and that of 4 comes before one of its events. */
static void incomplete(void **state)
{
	static const enum age_by by[] = { AGES_PROCESS, AGES_MAPPING, AGES_FILE };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(by) / sizeof(*by); i++) {
		m.ages.by = by[i];
		vma_age(1, 10, "a", "/lib/c", 1, 0);
		scan(1);
		vma_age(2, 10, "a", "/lib/c", 100, 0);
		vma_age(3, 10, "a", "/lib/c", 3, 0);
		scan(3);
		vma_age(4, 10, "a", "/lib/c", 4, 0);
		scan(4);
		vma_age(4, 10, "a", "/lib/c", 0, 1);
		vma_age(5, 10, "a", "/lib/c", 100, 0);
		model_end(&m);
		assert_int_equal(m.missing, 2);
		assert_int_equal(m.ages.nr_sums, 3);
		assert_int_equal(m.ages.nr_entries, 1);
		assert_int_equal(m.ages.sums[0].pages[0], 1);
		assert_int_equal(m.ages.sums[1].interval, 1);
		assert_int_equal(m.ages.sums[1].pages[0], 3);
		assert_int_equal(m.ages.sums[2].pages[0], 4);
		assert_int_equal(m.ages.sums[2].pages[AGE_BUCKETS - 1], 1);
		model_free(&m);
		model_init(&m);
	}
}

static void windows(void **state)
{
	(void)state;
	m.window.pids = (struct pids){ 1, { 10 } };
	two_intervals(AGES_FILE);
	assert_int_equal(m.ages.nr_sums, 2);
	is(0, 0, "/lib/c", 13, 24);
	is(1, 1, "/lib/c", 5, 5);
	model_free(&m);
	model_init(&m);
	m.window.mapping = "lib";
	two_intervals(AGES_PROCESS);
	assert_int_equal(m.ages.nr_sums, 4);
	is(0, 0, "old (10)", 13, 24);
}

/* Events of one kind do not count where those of the other do. */
static void kinds(void **state)
{
	const struct age_row row = { .seq = 1, .cgroup = 7, .pages = { 5 }, .path = "/web" };
	enum age_by by;

	(void)state;
	for (by = 0; by < NR_AGE_BY; by++) {
		m.ages.by = by;
		assert_int_equal(model_add_age(&m, &row), 0);
		vma_age(1, 10, "a", "/lib/c", 7, 0);
		scan(1);
		assert_int_equal(m.ages.nr_sums, 1);
		assert_int_equal(m.ages.sums[0].pages[0], by >= AGES_PROCESS ? 7 : 5);
		assert_true(m.ages.has_vma);
		model_free(&m);
		model_init(&m);
	}
}

/* A recording cannot have us keep more than so many; all others are one. */
static void bound(void **state)
{
	static const enum age_by by[] = { AGES_CGROUP, AGES_PROCESS, AGES_MAPPING, AGES_FILE };
	struct age_row row = { .seq = 1, .pages = { 1 } };
	char name[32];
	uint32_t i;
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(by) / sizeof(*by); k++) {
		m.ages.by = by[k];
		for (i = 1; i <= MAX_AGE_ENTRIES + 2; i++) {
			snprintf(name, sizeof(name), "/%u", i);
			strcpy(row.path, name);
			row.cgroup = i;
			assert_int_equal(model_add_age(&m, &row), 0);
			vma_age(1, i, "a", name, 1, 0);
		}
		scan(1);
		assert_int_equal(m.ages.nr_entries, MAX_AGE_ENTRIES + 1);
		assert_int_equal(m.ages.nr_sums, MAX_AGE_ENTRIES + 1);
		/* Of the files, one process has but one. */
		is(MAX_AGE_ENTRIES, 0, OTHER_AGES, by[k] == AGES_FILE ? 1 : 2, 0);
		assert_true(ages_is_rest(&m.ages, MAX_AGE_ENTRIES));
		assert_false(ages_is_rest(&m.ages, 0));
		model_free(&m);
		model_init(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(processes, begin, end),
		cmocka_unit_test_setup_teardown(mappings, begin, end),
		cmocka_unit_test_setup_teardown(files, begin, end),
		cmocka_unit_test_setup_teardown(parts, begin, end), cmocka_unit_test_setup_teardown(damaged, begin, end),
		cmocka_unit_test_setup_teardown(incomplete, begin, end),
		cmocka_unit_test_setup_teardown(windows, begin, end),
		cmocka_unit_test_setup_teardown(kinds, begin, end),
		cmocka_unit_test_setup_teardown(bound, begin, end),
	};

	return cmocka_run_group_tests_name("ages", tests, NULL, NULL);
}
