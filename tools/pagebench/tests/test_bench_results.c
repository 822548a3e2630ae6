// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* raw.csv files: what is whole is read, whatever else is refused with its place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "pagebench/results/results.h"
#include "bench_data.h"

#define HEAD	RESULTS_MAGIC "\n# suite: s\n# kernel: k\n" RESULTS_HEADER "\n"

static char path[2][64];

static int setup(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "/tmp/memscope-test.XXXXXX");
		close(mkstemp(path[i]));
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path[0]);
	unlink(path[1]);
	return 0;
}

static void spew(const char *to, const char *text, size_t size)
{
	FILE *f = fopen(to, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static int read_files(struct results *r, int nr, char *error, size_t size)
{
	int i;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < nr; i++)
		if (results_read(r, path[i], error, size))
			return -1;
	return results_finish(r, error, size);
}

static char *made_up(const struct bench_data *d, size_t *size)
{
	char *text;
	FILE *f = open_memstream(&text, size);

	bench_data_write(f, d);
	fclose(f);
	return text;
}

static void whole(void **state)
{
	struct bench_data d = BENCH_DATA;
	const struct series *s;
	struct results r;
	char error[512];
	size_t size, i;
	char *text = made_up(&d, &size);

	(void)state;
	spew(path[0], text, size);
	if (read_files(&r, 1, error, sizeof(error)))
		fail_msg("%s", error);
	assert_int_equal(r.nr_experiments, 12);
	assert_int_equal(r.nr_rows, 12 * 10 * 7 * 2 + 10);
	assert_int_equal(r.nr_incomplete, 0);
	assert_int_equal(r.canary.nr, 10);
	assert_string_equal(results_setting(&r, "kernel"), "6.12.0-test");
	assert_string_equal(r.experiments[0].benchmark, "program0");
	assert_string_equal(r.experiments[0].config, "size=1024");
	assert_string_equal(r.experiments[0].strategy, "binhop");
	assert_int_equal(r.experiments[0].nr, 10);
	for (i = 0; i < 10; i++)
		assert_int_equal(r.experiments[0].executions[i]->number, i);
	assert_int_equal(r.experiments[0].executions[9]->boot, 1);
	assert_int_equal(r.experiments[0].executions[9]->nr, 7);
	assert_int_equal(r.experiments[0].executions[9]->warmup[0], 1);
	assert_int_equal(r.experiments[0].executions[9]->warmup[1], 0);
	s = execution_series(r.experiments[0].executions[9], results_metric(&r, "L2_misses"));
	assert_non_null(s);
	assert_int_equal(s->nr, 7);
	assert_int_equal(results_metric(&r, "L3_misses"), -1);
	results_free(&r);
	free(text);
}

#define ROW(execution, measurement, value) \
	"s,b,c,default,0,0," #execution "," #measurement ",0,1" #measurement ",wall_time,s," #value "\n"
#define END(execution, value)	"s,b,c,default,0,0," #execution ",,,,end,1," #value "\n"

/* What did not end is left out; done again, it counts once. */
static void incomplete(void **state)
{
	static const char text[] = HEAD
		ROW(0, 0, 1) ROW(0, 1, 2) END(0, 2)
		ROW(1, 0, 3)				/* interrupted, and again */
		ROW(1, 0, 4) ROW(1, 1, 5) END(1, 2)
		ROW(2, 0, 6)				/* again in another boot */
		"s,b,c,default,1,0,2,0,0,0,wall_time,s,7\n" "s,b,c,default,1,0,2,,,,end,1,1\n"
		ROW(3, 0, 8);
	struct results r;
	char error[512];

	(void)state;
	spew(path[0], text, strlen(text));
	if (read_files(&r, 1, error, sizeof(error)))
		fail_msg("%s", error);
	assert_int_equal(r.nr_incomplete, 3);
	assert_int_equal(r.experiments[0].nr, 3);
	assert_true(execution_series(r.experiments[0].executions[1], 0)->value[0] == 4);
	assert_true(execution_series(r.experiments[0].executions[2], 0)->value[0] == 7);
	results_free(&r);
}

/* Metrics that come later, from the cache model, and quotes. */
static void joined(void **state)
{
	static const char text[] = HEAD
		ROW(0, 0, 1) ROW(0, 1, 2) END(0, 2)
		"# note: from the model\n"
		"s,b,c,default,0,0,0,0,0,10,L2_misses,1,100\n"
		"s,b,c,default,0,0,0,1,0,11,L2_misses,1,200\n"
		"s,\"b\"\"x\",\"n=1,m=2\",default,0,0,0,0,0,5,wall_time,s,1e-3\n"
		"s,\"b\"\"x\",\"n=1,m=2\",default,0,0,0,0,0,5,end,1,1\n";
	struct results r;
	char error[512];

	(void)state;
	spew(path[0], text, strlen(text));
	if (read_files(&r, 1, error, sizeof(error)))
		fail_msg("%s", error);
	assert_true(execution_series(r.experiments[0].executions[0], 1)->value[1] == 200);
	assert_string_equal(r.experiments[1].benchmark, "b\"x");
	assert_string_equal(r.experiments[1].config, "n=1,m=2");
	results_free(&r);
}

/* Several files are one; the order of the files is no matter. */
static void merged(void **state)
{
	static const char a[] = HEAD ROW(0, 0, 1) END(0, 1);
	static const char b[] = RESULTS_MAGIC "\n# suite: s\n# kernel: k\n# seed: 9\n" RESULTS_HEADER "\n"
		"s,b,c,default,1,0,1,0,0,0,wall_time,s,2\n" "s,b,c,default,1,0,1,,,,end,1,1\n";
	struct results r;
	char error[512];
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		spew(path[i], a, strlen(a));
		spew(path[!i], b, strlen(b));
		if (read_files(&r, 2, error, sizeof(error)))
			fail_msg("%s", error);
		assert_int_equal(r.experiments[0].nr, 2);
		assert_true(execution_series(r.experiments[0].executions[0], 0)->value[0] == 1);
		results_free(&r);
	}
}

static void refused(void **state)
{
	static const struct { const char *a, *b, *says; } cases[] = {
		{ "", NULL, ":1: empty" },
		{ RESULTS_MAGIC "\n# suite: s\n# kernel: k\n# begin: empty\n" RESULTS_HEADER "\n" ROW(0, 0, 1) END(0, 1),
		  HEAD "s,b,c,default,1,0,1,0,0,0,wall_time,s,2\n", ": mixed: no line \"# begin: ...\", in " },
		{ "hello\n", NULL, ":1: not a file of results" },
		{ "# memscope-bench 2\n", NULL, ":1: not a file of results, or of another version" },
		{ RESULTS_MAGIC "\n", NULL, ":2: truncated: no names" },
		{ RESULTS_MAGIC "\n# suite: s\n" RESULTS_HEADER "\n", NULL, ":3: no line \"# kernel" },
		{ RESULTS_MAGIC "\n# suite\n", NULL, ":2: not \"# key: value\"" },
		{ RESULTS_MAGIC "\n# suite: s\nsuite,value\n", NULL, ":3: other columns" },
		{ HEAD, NULL, ": no execution that ended (0 did not)" },
		{ HEAD ROW(0, 0, 1), NULL, ": no execution that ended (1 did not)" },
		{ HEAD "s,b,c,default,0,0,0,0,0,10,wall_time,s,0.12", NULL, ":5: truncated" },
		{ HEAD "s,b,c,default\n", NULL, ":5: not the 13 fields" },
		{ HEAD "s,b,c,default,0,0,0,0,0,10,wall_time,s,1,2\n", NULL, ":5: more than 13" },
		{ HEAD "s,b,c,\"default,0,0,0,0,0,10,wall_time,s,1\n", NULL, ":5: more than 13" },
		{ HEAD "s,b,c,de\"fault,0,0,0,0,0,10,wall_time,s,1\n", NULL, ":5: more than 13" },
		{ HEAD "s,b,c,\x01,0,0,0,0,0,10,wall_time,s,1\n", NULL, ":5: damaged: a byte of value 1" },
		{ HEAD "s,,c,default,0,0,0,0,0,10,wall_time,s,1\n", NULL, ":5: no benchmark" },
		{ HEAD "s,b,c,default,0,0,0,0,0,10,wall_time,,1\n", NULL, ":5: no unit" },
		{ HEAD "s,b,c,default,x,0,0,0,0,10,wall_time,s,1\n", NULL, ":5: boot x: not a number" },
		{ HEAD "s,b,c,default,0,-1,0,0,0,10,wall_time,s,1\n", NULL, ":5: block -1: not" },
		{ HEAD "s,b,c,default,0,0,99999999999,0,0,10,wall_time,s,1\n", NULL, ":5: execution 999" },
		{ HEAD "s,b,c,default,0,0,0,,0,10,wall_time,s,1\n", NULL, ":5: measurement (empty)" },
		{ HEAD "s,b,c,default,0,0,0,0,2,10,wall_time,s,1\n", NULL, ":5: warmup 2: not 0 or 1" },
		{ HEAD ROW(0, 0, nan), NULL, ":5: value nan: not a number" },
		{ HEAD ROW(0, 0, inf), NULL, ":5: value inf: not" },
		{ HEAD ROW(0, 0, 0x10), NULL, ":5: value 0x10: not" },
		{ HEAD ROW(0, 0, 1e999), NULL, ":5: value 1e999: not" },
		{ HEAD ROW(0, 0, -1), NULL, ":5: value -1: not" },
		{ HEAD ROW(0, 0, 1s), NULL, ":5: value 1s: not" },
		{ HEAD ROW(0, 0, ), NULL, ":5: value (empty): not" },
		{ HEAD "t,b,c,default,0,0,0,0,0,10,wall_time,s,1\n", NULL, ":5: mixed: a row of suite t" },
		{ HEAD ROW(0, 0, 1) "s,b,c,default,0,0,0,1,0,11,wall_time,ms,1\n", NULL,
		  ":6: mixed: wall_time in ms" },
		{ HEAD ROW(0, 0, 1) "# kernel: other\n", NULL, ":6: mixed: kernel is other" },
		{ HEAD ROW(0, 0, 1) HEAD, NULL, ":6: a second file begins here" },
		{ HEAD ROW(0, 0, 1) ROW(0, 2, 1), NULL, ":6: execution 0: measurement 2 of wall_time where measurement 1 is missing" },
		{ HEAD ROW(0, 1, 1), NULL, ":5: execution 0: measurement 1 of wall_time where" },
		{ HEAD ROW(0, 0, 1) ROW(0, 1, 1) ROW(0, 1, 1), NULL, ":7: measurement 1 of execution 0 twice" },
		{ HEAD ROW(0, 0, 1) END(0, 2), NULL, ":6: execution 0 ends after 2 measurements, 1 are" },
		{ HEAD END(0, 0), NULL, ":5: execution 0 ends after 0" },
		{ HEAD ROW(0, 0, 1) END(0, 1) END(0, 1), NULL, ":7: execution 0 ends a second time" },
		{ HEAD ROW(0, 0, 1) END(0, 1) ROW(0, 1, 1), NULL, ":7: execution 0 goes on after its end" },
		{ HEAD ROW(0, 0, 1) END(0, 1) ROW(0, 0, 1), NULL, ":7: measurement 0 of execution 0 twice" },
		{ HEAD ROW(0, 0, 1) END(0, 1) "s,b,c,default,1,0,0,0,0,0,wall_time,s,1\ns,b,c,default,1,0,0,,,,end,1,1\n",
		  NULL, ":7: execution 0 of b c default twice" },
		{ HEAD ROW(0, 0, 1) "s,b,c,default,0,0,0,0,1,10,L2_misses,1,1\n", NULL,
		  ":6: measurement 0: warmup or phase" },
		{ HEAD ROW(0, 0, 1) "s,b,c,default,0,0,0,0,0,99,L2_misses,1,1\n", NULL,
		  ":6: measurement 0: warmup or phase" },
		{ HEAD ROW(0, 0, 1) "s,b,c,default,0,0,0,0,0,10,L2_misses,1,1\n" ROW(0, 1, 1) END(0, 2), NULL,
		  ":8: execution 0 has 2 measurements, but 1 of L2_misses" },
		{ HEAD ROW(0, 0, 1) END(0, 1), HEAD ROW(0, 0, 1) END(0, 1), "twice: it is in" },
		{ HEAD ROW(0, 0, 1) END(0, 1), HEAD ROW(1, 0, 1) END(1, 1), ":5: boot 0 is in" },
		{ HEAD ROW(0, 0, 1) END(0, 1),
		  RESULTS_MAGIC "\n# suite: s\n# kernel: l\n" RESULTS_HEADER "\n", ":3: mixed: kernel is l, in" },
		{ HEAD ROW(0, 0, 1) END(0, 1),
		  RESULTS_MAGIC "\n# suite: t\n# kernel: k\n" RESULTS_HEADER "\n", ":2: mixed: suite is t, in" },
		{ HEAD ROW(0, 0, 1) END(0, 1), HEAD "s,b,c,default,0,0,1,0,0,1,wall_time,us,1\n",
		  ":5: mixed: wall_time in us" },
	};
	struct results r;
	char error[512];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *in = cases[i].b ? path[1] : path[0];

		*error = '\0';
		spew(path[0], cases[i].a, strlen(cases[i].a));
		if (cases[i].b)
			spew(path[1], cases[i].b, strlen(cases[i].b));
		if (!read_files(&r, cases[i].b ? 2 : 1, error, sizeof(error)))
			fail_msg("case %zu is not refused, should be: %s", i, cases[i].says);
		results_free(&r);
		if (!strstr(error, cases[i].says))
			fail_msg("case %zu: says '%s', not '%s'", i, error, cases[i].says);
		if (strncmp(error, in, strlen(in)) && strncmp(error, path[0], strlen(path[0])))
			fail_msg("case %zu: names no file: %s", i, error);
	}
}

static void no_file(void **state)
{
	struct results r = { };
	char error[512], line[6000];

	(void)state;
	assert_int_equal(results_read(&r, "/nonexistent", error, sizeof(error)), -1);
	assert_string_equal(error, "/nonexistent: No such file or directory");
	assert_int_equal(results_read(&r, "/tmp", error, sizeof(error)), -1);
	assert_string_equal(error, "/tmp/raw.csv: No such file or directory");
	assert_int_equal(results_read(&r, "/dev/zero", error, sizeof(error)), -1);
	assert_string_equal(error, "/dev/zero:1: damaged: a byte of value 0");
	memset(line, 'x', sizeof(line));
	spew(path[0], line, sizeof(line));
	assert_int_equal(results_read(&r, path[0], error, sizeof(error)), -1);
	assert_non_null(strstr(error, ":1: damaged: longer than"));
	results_free(&r);
}

/* Cut anywhere, a file is refused or has the executions that ended before. */
static void truncated(void **state)
{
	struct bench_data d = BENCH_DATA;
	struct results r;
	char error[512];
	size_t size, at;
	char *text;

	(void)state;
	d.benchmarks = 1;
	d.n = 2;
	d.m = 2;
	text = made_up(&d, &size);
	for (at = 0; at < size; at++) {
		size_t ends = 0, found = 0, i;
		char *p;

		for (p = text; (p = memmem(p, text + at - p, ",end,1,", 7)); p++)
			ends++;
		spew(path[0], text, at);
		if (!read_files(&r, 1, error, sizeof(error))) {
			for (i = 0; i < r.nr_experiments; i++)
				found += r.experiments[i].nr;
			assert_int_equal(text[at - 1], '\n');
			assert_int_equal(found, ends);
		} else {
			assert_true(!ends || text[at - 1] != '\n');
		}
		results_free(&r);
	}
	free(text);
}

static void mutate(char *text, size_t *size, unsigned int *seed)
{
	static const char bytes[] = "0123456789,,\"\n\n-+.e#\0\xff end";
	size_t at = rand_r(seed) % *size, length = rand_r(seed) % 80, to;

	switch (rand_r(seed) % 5) {
	case 0:
		text[at] ^= 1 << rand_r(seed) % 8;
		break;
	case 1:
		text[at] = bytes[rand_r(seed) % (sizeof(bytes) - 1)];
		break;
	case 2: /* lose a piece */
		length = length > *size - at ? *size - at : length;
		memmove(text + at, text + at + length, *size - at - length);
		*size -= length;
		break;
	case 3: /* a piece over another */
		to = rand_r(seed) % *size;
		length = length > *size - at ? *size - at : length;
		length = length > *size - to ? *size - to : length;
		memmove(text + to, text + at, length);
		break;
	default:
		*size = at + 1;
	}
}

/* Damaged in random ways: no crash, and what is read is whole. */
static void fuzz(void **state)
{
	const char *user = getenv("MEMSCOPE_SEED"), *times = getenv("MEMSCOPE_FUZZ");
	unsigned int seed = user ? strtoul(user, NULL, 10) : 1, i, j, k;
	unsigned int nr = times ? strtoul(times, NULL, 10) : 3000, fine = 0;
	struct bench_data d = BENCH_DATA;
	char error[512], *text, *copy;
	struct results r;
	size_t size, now;

	(void)state;
	d.benchmarks = 1;
	d.n = 2;
	d.m = 3;
	text = made_up(&d, &size);
	copy = malloc(size);
	for (i = 0; i < nr; i++) {
		memcpy(copy, text, size);
		now = size;
		for (j = rand_r(&seed) % 4 + 1; j && now; j--)
			mutate(copy, &now, &seed);
		spew(path[0], copy, now);
		*error = '\0';
		if (read_files(&r, 1, error, sizeof(error))) {
			assert_true(!strncmp(error, path[0], strlen(path[0])));
			assert_null(strchr(error, '\n'));
			results_free(&r);
			continue;
		}
		fine++;
		for (j = 0; j < r.nr_experiments; j++) {
			for (k = 0; k < r.experiments[j].nr; k++) {
				const struct execution *e = r.experiments[j].executions[k];
				size_t s, v;

				assert_true(e->complete && e->nr);
				for (s = 0; s < e->nr_series; s++) {
					assert_int_equal(e->series[s].nr, e->nr);
					for (v = 0; v < e->nr; v++)
						assert_true(isfinite(e->series[s].value[v]));
				}
			}
		}
		results_free(&r);
	}
	print_message("# seed %s: %u files, %u of them could be read\n", user ? user : "1", nr, fine);
	/* A changed digit of a value cannot be detected. */
	assert_true(fine < nr / 2);
	free(copy);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole), cmocka_unit_test(incomplete), cmocka_unit_test(joined),
		cmocka_unit_test(merged), cmocka_unit_test(refused), cmocka_unit_test(no_file),
		cmocka_unit_test(truncated), cmocka_unit_test(fuzz),
	};

	return cmocka_run_group_tests_name("bench_results", tests, setup, teardown);
}
