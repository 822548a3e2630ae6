// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* perf.data files damaged at random, of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "lib/perf/perf_data.h"
#include "made/mutate.h"
#include "made/perf_file.h"

static struct made_perf *make(void)
{
	const struct perf_event_attr many = {
		.sample_type = (1ULL << 25) - 1 - PERF_SAMPLE_WEIGHT, .sample_id_all = 1,
	};
	const uint64_t id = 9;
	const uint64_t words[] = {
		id, 0x1111, 20 | 21ULL << 32, 12345, 0x2222, id, 0x3333, 6, 0x4444, 77,
		3, PERF_CONTEXT_USER, 0x1111, 0x5555, 12 | 0xabcdULL << 32, 0x6666, 1, 7, 8, 9,
		0, 0, 50, 0x68100142, 0x7777, 0, 0x8888, 0x9999, 4096, 2097152, 5, 0xaaaa,
	};
	struct made_perf *f = made_perf_new();
	uint64_t i;

	made_perf_memory(f);
	made_perf_cgroup(f, 77, "/one/two");
	made_perf_event(f, &many, &id, 1);
	made_perf_names(f, (const char *[]){ "memory", "many" });
	made_perf_nodes(f, "0,2-3", "1");
	for (i = 0; i < 100; i++) {
		made_perf_fork(f, 500 + i, 10, 11, 10);
		made_perf_comm(f, 600 + i, 10, 11, 0, "prog");
		made_perf_map(f, 700 + i, 10, 0x400000, 0x2000, PROT_READ, "/bin/prog");
		made_perf_sample(f, &(struct perf_made){ .time = 1000 + i, .pid = 10, .tid = 10, .cgroup = 77 });
		made_perf_put(f, PERF_RECORD_SAMPLE, 0, words, sizeof(words));
		if (i % 10 == 0)
			made_perf_put(f, 68, 0, NULL, 0);
	}
	return f;
}

static volatile unsigned int touched;

static void touch(const void *data, size_t size)
{
	const unsigned char *p = data;

	if (size)
		touched += p[0] + p[size - 1];
}

static void read_all(void *ctx, char *data, size_t size)
{
	const char *path = mutate_file(data, size);
	struct perf_record r;
	struct perf_data d;
	char error[512] = "";
	int ret;

	(void)ctx;
	if (perf_data_open(&d, path, error, sizeof(error))) {
		/* It names the file. */
		assert_non_null(strstr(error, path));
		perf_data_close(&d);
		return;
	}
	while ((ret = perf_data_next(&d, &r)) > 0) {
		/* All of it is there. */
		if (r.type == PERF_RECORD_SAMPLE) {
			touch(r.sample.chain, r.sample.nr_chain * 8);
			touch(r.sample.raw, r.sample.raw_size);
			assert_non_null(r.event);
			perf_data_node(&d, r.sample.phys_addr);
		} else if (r.type == PERF_RECORD_MMAP2) {
			touch(r.map.name, strlen(r.map.name));
			touch(r.map.build_id, r.map.build_id_size);
		} else if (r.type == PERF_RECORD_COMM) {
			touch(r.comm, strlen(r.comm));
		}
	}
	assert_true(!ret || strstr(d.error, path));
	perf_data_close(&d);
}

static void mutate_kind(enum perf_kind kind, const char *name)
{
	struct mutation m = { .name = name, .read = read_all };
	struct made_perf *f = make();

	m.data = made_perf_bytes(f, kind, &m.size);
	made_perf_free(f);
	mutate(&m);
	free((void *)m.data);
}

static void native(void **unused)
{
	(void)unused;
	mutate_kind(PERF_NATIVE, "perf.data");
}

static void from_a_pipe(void **unused)
{
	(void)unused;
	mutate_kind(PERF_PIPE, "perf.data from a pipe");
}

static void compressed(void **unused)
{
	(void)unused;
	mutate_kind(PERF_ZSTD, "compressed perf.data");
	mutate_kind(PERF_ZSTD2, "compressed perf.data of newer perf");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(native), cmocka_unit_test(from_a_pipe), cmocka_unit_test(compressed),
	};

	return cmocka_run_group_tests_name("mutated perf.data", tests, NULL, NULL);
}
