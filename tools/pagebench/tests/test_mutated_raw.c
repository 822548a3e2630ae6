// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Results that a run goes on with or that counts are joined with, and these counts, damaged at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "made/mutate.h"
#include "pagebench/bench.h"
#include "pagebench/measure/raw.h"

/* A suite of two programs, and what their measurements would be. */
static const char text_of_suite[] =
	"[suite]\nname = made\nexecutions = 2\nmeasurements = 2\n[strategies]\ndefault =\n"
	"[program one]\ncommand = one\n[program two]\ncommand = two\n";

/* A folder of results; their text is in @text. */
static size_t make_raw(struct suite *suite, char *folder, char *text, size_t capacity)
{
	struct measurement m[2];
	struct plan plan;
	struct raw raw;
	size_t i, k;
	ssize_t n;

	assert_int_equal(suite_parse("suite", strdup(text_of_suite), sizeof(text_of_suite) - 1, suite), 0);
	assert_int_equal(plan_make(suite, 0, &plan), 0);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(raw_open(&raw, folder, suite, 0, &plan), 0);
	for (i = 0; i < plan.nr; i++) {
		for (k = 0; k < 2; k++) {
			m[k] = (struct measurement){ .phase = 2 * i + k };
			assert_int_equal(metric_add(&m[k], "wall_time", 1.5), 0);
		}
		assert_int_equal(raw_add(&raw, &plan.entry[i], m, 2), 0);
	}
	n = pread(raw.fd, text, capacity, 0);
	assert_in_range(n, 500, MUTATE_BYTES);
	raw_close(&raw);
	plan_free(&plan);
	return n;
}

struct folder {
	const struct suite *suite;
	char path[64];
	int ret;
};

static void go_on(void *ctx, char *data, size_t size)
{
	struct folder *folder = ctx;
	struct plan plan;
	struct raw raw;
	char path[80];
	FILE *f;

	snprintf(path, sizeof(path), "%s/raw.csv", folder->path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	fclose(f);
	assert_int_equal(plan_make(folder->suite, 0, &plan), 0);
	folder->ret = raw_open(&raw, folder->path, folder->suite, 0, &plan);
	raw_close(&raw);
	plan_free(&plan);
}

static void results_that_go_on(void **unused)
{
	static char text[MUTATE_BYTES];
	struct suite suite;
	struct folder folder = { .suite = &suite, .path = "/dev/shm/memscope-mutated.XXXXXX", .ret = -1 };
	struct mutation m = { .name = "raw.csv to go on with", .data = text, .read = go_on, .ctx = &folder };
	char path[80];

	(void)unused;
	m.size = make_raw(&suite, folder.path, text, sizeof(text));
	go_on(&folder, text, m.size);
	assert_int_equal(folder.ret, 0);
	/* Another header is that of another system. */
	m.keep_to = strstr(text, RAW_HEADER) - text + sizeof(RAW_HEADER);
	mutate(&m);
	snprintf(path, sizeof(path), "rm -rf %s", folder.path);
	assert_int_equal(system(path), 0);
	suite_free(&suite);
}

struct joined {
	char path[64];		/* of what is not damaged */
	int counts, ret;
};

static void join(void *ctx, char *data, size_t size)
{
	const char *damaged = mutate_file(data, size);
	struct joined *j = ctx;

	j->ret = bench_model(9, (char *[]){ "model", (char *)(j->counts ? j->path : damaged),
		(char *)(j->counts ? damaged : j->path), "--boot", "0", "--miss", "L1d=10", "-o", "/dev/null", NULL });
}

static size_t make_counts(char *text, size_t capacity)
{
	size_t n = snprintf(text, capacity, "# cache: L1d:32K\n# cpus: 2\n# who: traced\n"
			    "phase,cache,level,cpu,accesses,misses\n");
	unsigned int i;

	for (i = 0; i < 12; i++)
		n += snprintf(text + n, capacity - n, "%u,instructions,-,0,500,0\n%u,L1d,1,1,100,10\n", i, i);
	return n;
}

static void joined(void **unused)
{
	static char raw[MUTATE_BYTES], counts[MUTATE_BYTES];
	char folder[] = "/dev/shm/memscope-mutated.XXXXXX", path[80];
	struct joined j = { .ret = -1 };
	struct mutation m = { .read = join, .ctx = &j };
	struct suite suite;
	const size_t raw_size = make_raw(&suite, folder, raw, sizeof(raw));
	const size_t counts_size = make_counts(counts, sizeof(counts));
	int fd = memfd_create("whole", MFD_CLOEXEC);

	(void)unused;
	snprintf(path, sizeof(path), "rm -rf %s", folder);
	assert_int_equal(system(path), 0);
	suite_free(&suite);
	snprintf(j.path, sizeof(j.path), "/proc/self/fd/%d", fd);
	for (j.counts = 0; j.counts < 2; j.counts++) {
		const char *whole = j.counts ? raw : counts;
		const size_t whole_size = j.counts ? raw_size : counts_size;

		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, whole, whole_size, 0), whole_size);
		m.name = j.counts ? "counts of modelled caches" : "raw.csv to join with counts";
		m.data = j.counts ? counts : raw;
		m.size = j.counts ? counts_size : raw_size;
		memcpy(raw + sizeof(raw) / 2, m.data, m.size);
		join(&j, raw + sizeof(raw) / 2, m.size);
		assert_int_equal(j.ret, 0);
		mutate(&m);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(results_that_go_on), cmocka_unit_test(joined) };

	/* What is said of each is not of interest. */
	stderr = fopen("/dev/null", "we");
	return cmocka_run_group_tests_name("mutated results and counts", tests, NULL, NULL);
}
