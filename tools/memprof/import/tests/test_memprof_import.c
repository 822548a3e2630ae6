// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What becomes of imported samples: recordings that can be read, however many CPUs there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "memprof/import/csv.c"
#include "memprof/memprof.h"
#include "memprof/tests/memprof_data.h"

/* Call chains of all CPUs, 34 MB of them, before the first CPU has samples for a chunk. */
static void chains_of_many_cpus_can_be_read(void **unused)
{
	const struct sample_record sample = { .op = 1, .node = NODE_UNKNOWN };
	uint64_t frames[MEMPROF_MAX_DEPTH], n = 0;
	struct sink *s = malloc(sizeof(*s));
	struct memprof_access a;
	struct memprof *m;
	char error[256];
	uint32_t cpu, i;

	(void)unused;
	assert_non_null(s);
	assert_int_equal(sink_open(s, data_path, 1), OK);
	for (i = 0; i < MEMPROF_MAX_DEPTH; i++)
		frames[i] = 0x400000 + i;
	for (i = 0; i < 511; i++)
		for (cpu = 0; cpu < 256; cpu++) {
			frames[MEMPROF_MAX_DEPTH - 1] = 0x500000 + n++;
			sink_sample(s, cpu, 1000 + n, 10, 10, 0, frames, MEMPROF_MAX_DEPTH, &sample);
		}
	assert_int_equal(sink_close(s, json_object()), OK);
	free(s);
	m = memprof_open(data_path, NULL, error, sizeof(error));
	assert_non_null(m);
	assert_null(memprof_damage(m));
	assert_int_equal(memprof_nr_accesses(m), n);
	for (i = 0; i < n; i += 1000) {
		memprof_access(m, i, &a);
		assert_int_equal(memprof_chain(m, a.chain, NULL, 0), MEMPROF_MAX_DEPTH);
	}
	memprof_close(m);
}

/* The file must have as many samples the second time; lines that are not in order are sought in it. */
static void file_that_shrinks(bool late)
{
	const struct csv_options o = { .element = 8, .unit = 1 };
	struct source *s = calloc(1, sizeof(*s));
	struct sink *sink = malloc(sizeof(*sink));
	FILE *f = fopen(data_path, "w");
	int i;

	assert_true(s && sink && f);
	fputs("time,address\n", f);
	for (i = 0; i < 1000; i++)
		fprintf(f, "%d,%d\n", 1000 + (late ? 999 - i : i), i % 10);
	fclose(f);
	s->path = data_path;
	s->options = &o;
	assert_int_equal(open_file(s, data_path), OK);
	assert_int_equal(read_header(s), OK);
	assert_int_equal(look_through(s), OK);
	assert_int_equal(place_objects(s), OK);
	assert_int_equal(s->late, late);
	assert_int_equal(late && put_in_order(s), OK);
	assert_int_equal(sink_open(sink, "/dev/null", 1), OK);
	assert_int_equal(begin_again(s), OK);
	/* Behind a line, so that those before it are whole. */
	assert_int_equal(truncate(data_path, strlen("time,address\n") + 900 * strlen("1000,0\n")), 0);
	assert_int_equal(put_samples(s, sink), FAILED);
	sink_close(sink, NULL);
	free_source(s);
	free(sink);
}

static void files_that_shrink_are_refused(void **unused)
{
	(void)unused;
	file_that_shrinks(false);
	file_that_shrinks(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_of_many_cpus_can_be_read),
		cmocka_unit_test(files_that_shrink_are_refused),
	};

	return cmocka_run_group_tests_name("memprof import", tests, data_make_path, data_remove_path);
}
