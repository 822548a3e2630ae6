// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* perf.data files and comma-separated samples damaged at random: imported, and each view made. */
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
#include "made/perf_file.h"
#include "memprof/view/latency.h"
#include "memprof/diagnose/patterns.h"
#include "memprof/import/sink.h"
#include "memprof/view/view.h"

static int made;
static char recording[64];

static void make_views(void)
{
	struct view_options o = { .object = NO_NUMBER, .thread = NO_NUMBER, .all = true };
	struct memprof_options options = { .size = sizeof(options) };
	struct latencies latencies;
	const struct view *v;
	struct findings found;
	char error[512] = "";
	struct memprof *m = memprof_open(recording, &options, error, sizeof(error));
	struct table t;

	/* What is imported is a recording. */
	assert_non_null(m);
	assert_null(memprof_damage(m));
	patterns_find(m, &found);
	patterns_free(&found);
	assert_int_equal(latencies_find(m, &latencies), 0);
	latencies_free(&latencies);
	for (v = views; v->name; v++) {
		v->make(m, &o, &t);
		table_free(&t);
	}
	memprof_close(m);
}

static void read_perf(void *ctx, char *data, size_t size)
{
	(void)ctx;
	assert_int_equal(ftruncate(made, 0), 0);
	import_perf(mutate_file(data, size), "perf.data", recording);
	if (lseek(made, 0, SEEK_END) > 0)
		make_views();
}

static void read_csv(void *ctx, char *data, size_t size)
{
	const struct csv_options o = { .element = 8, .unit = 1 };

	(void)ctx;
	assert_int_equal(ftruncate(made, 0), 0);
	if (!import_csv(mutate_file(data, size), "samples.csv", recording, &o))
		make_views();
}

static void perf_data(void **unused)
{
	struct mutation m = { .name = "perf.data to import", .read = read_perf };
	struct made_perf *f = made_perf_new();
	uint64_t i;

	(void)unused;
	made_perf_memory(f);
	made_perf_nodes(f, "0", "1");
	made_perf_comm(f, 0, 10, 10, 0, "prog");
	made_perf_map(f, 0, 10, 0x400000, 0x1000, PROT_READ | PROT_EXEC, "/nowhere/prog");
	made_perf_map(f, 500, 10, 0x600000, 0x10000, PROT_READ | PROT_WRITE, "[heap]");
	made_perf_map(f, 600, 10, 0x700000, 0x100000, PROT_READ | PROT_WRITE, "//anon");
	made_perf_fork(f, 700, 10, 11, 10);
	for (i = 0; i < 60; i++)
		made_perf_sample(f, &(struct perf_made){
			.time = 1000 + 10 * i, .ip = 0x400010, .addr = 0x600000 + i % 3 * 0x80000, .weight = 300,
			.data_src = 0x68100142, .phys_addr = 0x1000 + (i << 25), .pid = 10, .tid = 10 + i % 2,
			.cpu = i % 2 });
	m.data = made_perf_bytes(f, PERF_NATIVE, &m.size);
	made_perf_free(f);
	mutate(&m);
	free((void *)m.data);
}

static void comma_separated(void **unused)
{
	static const char text[] =
		"time,pid,tid,cpu,cpu_node,node,address,ip,latency,level,op,object\n"
		"10,1,1,0,0,1,0x1000,0x400000,200,remote memory,load,\"a, b\"\n"
		"20,1,2,1,1,1,0x1040,0x400010,100,memory,load,\"a, b\"\n"
		"30,1,1,0,0,0,0x9000,0x400020,4,L1,store,other\n"
		"40,2,3,0,0,,0x7fff00001000,0x400030,,,store,\n";
	struct mutation m = { .name = "samples to import", .data = text, .size = sizeof(text) - 1, .read = read_csv };

	(void)unused;
	mutate(&m);
}

static int begin(void **unused)
{
	(void)unused;
	made = memfd_create("made", MFD_CLOEXEC);
	snprintf(recording, sizeof(recording), "/proc/self/fd/%d", made);
	/* What is wrong with each is said: ten thousand times. */
	stderr = fopen("/dev/null", "we");
	return made < 0 || !stderr ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_data), cmocka_unit_test(comma_separated),
	};

	return cmocka_run_group_tests_name("mutated imports", tests, begin, NULL);
}
