// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof's text and its events damaged at random: read, and each view made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "dprof/dprof.h"
#include "dprof/read/trace.c"
#include "dprof/view/view.h"
#include "made/mutate.h"
#include "made/perf_file.h"
#include "made/recordings.h"

/* Objects of two types on two CPUs, allocated, watched, sampled and freed. */
static char *make_text(void)
{
	const unsigned long heap = 0xffff888000100000;
	unsigned long now = 1000000000;
	unsigned int i, k;
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fputs("# dprof events 1\nhost made, up\nsymbol ffffffff81000000 t alloc_it\nsymbol ffffffff81001000 t use_it\n", f);
	for (i = 20; i < 22; i++)
		fprintf(f, "%lu 0 1 dprof_type id=%u class=1 size=128 cache=c%u func=alloc_it file=a.c line=%u module=\n",
			now, i, i, i);
	fprintf(f, "%lu 0 1 dprof_cgroup id=7 path=/one/two\n%lu 0 1 dprof_cgroup id=8 path=/three\n", now, now);
	for (i = 1; i < 12; i++) {
		const unsigned long base = heap + 128 * i;

		now += 1000;
		fprintf(f, "%lu 0 1 dprof_alloc base=0x%lx ip=0xffffffff81000009 type=%u size=128\n"
			"%lu 0 1 dprof_history id=%u base=0x%lx type=%u size=128 ip=0xffffffff81000009 "
			"offset=0,8,0,0 len=8,8,0,0 slots=2\n", now, base, 20 + i % 2, now, i, base, 20 + i % 2);
		for (k = 1; k < 4; k++) {
			now += 100;
			fprintf(f, "%lu %u 1 dprof_access id=%u ip=0xffffffff8100100%u since=%u type=%u offset=%u len=8 op=%u\n"
				"%lu %u 1 dprof_sample ip=0xffffffff8100100%u addr=0x%lx phys=0x0 base=0x%lx type=%u "
				"offset=%u data_src=0x600800002 latency=150 op=1 width=8 source=1 flags=0 cgroup=%u\n"
				"%lu %u 1 dprof_chain frames=0xffffffff81001010,0xffffffff8100000%u\n",
				now, k % 2, i, k, 100 * k, 20 + i % 2, k % 2 * 8, 1 + k % 2,
				now, k % 2, k, base + k % 2 * 8, base, 20 + i % 2, k % 2 * 8, 7 + i % 3, now, k % 2, k);
		}
		fprintf(f, "%lu 1 1 dprof_history_end id=%u ip=0xffffffff81004004 lifetime=3000 blind=0 accesses=3 lost=0 how=0\n"
			"%lu 1 1 dprof_free base=0x%lx ip=0xffffffff81004004 type=%u\n", now, i, now, base, 20 + i % 2);
	}
	fclose(f);
	return text;
}

/* perf.data, and files with the names of types. */
static void export(const char *path)
{
	char folder[] = "/dev/shm/dprof-mutated.XXXXXX", output[64], command[80];

	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/perf.data", folder);
	cmd_export(6, (char *[]){ "export", (char *)path, "--to", "perf", "-o", output, NULL });
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	assert_int_equal(system(command), 0);
}

/* Each view in its turn; of some, what is exported. */
static void report(void *events, char *data, size_t size)
{
	const char *path = mutate_file(data, size);
	static const struct view *view = views;
	static unsigned int exports;
	struct analysis a;
	struct table t;

	if (view == views && exports++ % 8 == 0)
		export(path);
	analysis_init(&a);
	analysis_load(&a, path, view->need);
	*(uint64_t *)events = a.m.events;
	if (a.m.events && !(view->lacks && view->lacks(&a))) {
		view->make(&a, &t);
		table_free(&t);
	}
	analysis_free(&a);
	if (!(++view)->name)
		view = views;
}

static void text(void **unused)
{
	char *good = make_text();
	uint64_t events;
	const struct mutation m = {
		.name = "dprof's text", .data = good, .size = strlen(good), .read = report, .ctx = &events };
	char *copy = strdup(good);

	(void)unused;
	report(&events, copy, m.size);
	assert_int_equal(events, 2 + 2 + 11 * 13);
	free(copy);
	mutate(&m);
	free(good);
}

/* What perf recorded: two processes, memory that they share, a kernel and a module of it. */
static void perf_data(void **unused)
{
	struct made_perf *f = made_perf_new();
	uint64_t events, i;
	struct mutation m = { .name = "perf.data to dprof", .read = report, .ctx = &events };

	(void)unused;
	made_perf_memory(f);
	made_perf_nodes(f, "0", "1");
	made_perf_map(f, 0, -1, 0xffffffff81000000, 0x2000000, PROT_EXEC, "[kernel.kallsyms]_text");
	made_perf_map(f, 0, -1, 0xffffffffc0000000, 0x4000, PROT_EXEC, "[netmod]");
	made_perf_comm(f, 0, 10, 10, 0, "prog");
	made_perf_map(f, 0, 10, 0x400000, 0x1000, PROT_READ | PROT_EXEC, "/bin/true");
	made_perf_map(f, 500, 10, 0x600000, 0x10000, PROT_READ | PROT_WRITE, "[heap]");
	made_perf_fork(f, 700, 11, 11, 10);
	made_perf_mapping(f, 800, 11, &(struct perf_made_map){ 0x680000, 0x90000, 0x1000, PROT_READ, MAP_SHARED, "/dev/shm/q" });
	for (i = 0; i < 60; i++)
		made_perf_sample(f, &(struct perf_made){
			.time = 1000 + 10 * i, .ip = i % 4 ? 0x400010 : 0xffffffffc0000010,
			.addr = i % 5 ? 0x600000 + i % 3 * 0x80000 : 0xffffffff82000010 + i, .weight = 300,
			.data_src = i % 2 ? 0x68100142 : 0x144, .phys_addr = 0x1000 + (i << 25), .pid = 10 + i % 2,
			.tid = 10 + i % 2, .cpu = i % 2, .misc = i % 4 && i % 5 ? 2 : 1 });
	made_perf_comm(f, 2000, 11, 11, PERF_RECORD_MISC_COMM_EXEC, "next");
	made_perf_sample(f, &(struct perf_made){ .time = 2001, .ip = 0x400010, .addr = 0x600040, .data_src = 0x142,
						 .pid = 11, .tid = 11 });
	m.data = made_perf_bytes(f, PERF_NATIVE, &m.size);
	made_perf_free(f);
	mutate(&m);
	free((void *)m.data);
}

static void add_event(void *m, const struct event *e)
{
	model_add(m, e);
}

/* Records one after another: a size, and so many bytes. */
static void decode_all(void *decoder, char *data, size_t size)
{
	struct waiting waiting = { .lag = 10, .send = add_event };
	struct trace_dat file = { 0 };
	struct model m;
	uint16_t length;
	size_t at;

	model_init(&m);
	for (at = 0; at + 2 <= size; at += 2 + length) {
		struct trace_event raw = { .ts = at, .cpu = at % 3 };
		void *copy;

		memcpy(&length, data + at, 2);
		if (length > size - at - 2)
			break;
		copy = malloc(length ? length : 1);
		memcpy(copy, data + at + 2, length);
		raw.data = copy;
		raw.size = length;
		waiting.ctx = &m;
		assert_int_equal(take_raw(decoder, &file, &raw, &waiting), 0);
		free(copy);
	}
	waiting_send(&waiting, UINT64_MAX);
	waiting_free(&waiting);
	model_end(&m);
	model_free(&m);
}

/* A call chain as the tracer writes it, behind each event of dprof. */
static size_t add_chain(char *data)
{
	const struct {
		uint16_t size, id, flags;
		int32_t pid, nr, padding;
		uint64_t frame[3];
	} __attribute__((packed)) chain = {
		STACK_FRAMES + 24, STACK_ID, 0, 1, 3, 0, { 0xffffffff81001010, 0xffffffff81000001, 0xffffffff81000002 } };

	memcpy(data, &chain, sizeof(chain));
	return sizeof(chain);
}

static void mutate_events(const char *name, unsigned int batched)
{
	static char data[MUTATE_BYTES];
	struct decoder decoder;
	struct mutation m = { .name = name, .data = data, .read = decode_all, .ctx = &decoder };
	char *good = make_text(), error[256];
	struct trace_file *made = batched ? dprof_batches(good, batched) : dprof_recording(good);
	struct trace_event e;
	struct trace_dat d;
	size_t size;
	void *bytes = trace_file_bytes(made, TRACE_V7, &size);

	assert_int_equal(trace_dat_open(&d, mutate_file(bytes, size), "dprof", error, sizeof(error)), 0);
	assert_int_equal(decoder_init(&decoder, d.tep, error, sizeof(error)), 0);
	while (trace_dat_next(&d, &e) > 0 && m.size + 2 + e.size + 64 < sizeof(data)) {
		const uint16_t length = e.size;

		memcpy(data + m.size, &length, 2);
		memcpy(data + m.size + 2, e.data, e.size);
		m.size += 2 + e.size;
		m.size += add_chain(data + m.size);
	}
	assert_true(m.size > 2048);
	mutate(&m);
	trace_dat_close(&d);
	trace_file_free(made);
	free(bytes);
	free(good);
}

static void events(void **unused)
{
	(void)unused;
	mutate_events("dprof's events", 0);
}

static void batches(void **unused)
{
	(void)unused;
	mutate_events("dprof's batches", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(text), cmocka_unit_test(events), cmocka_unit_test(batches),
					    cmocka_unit_test(perf_data) };

	/* What is said of each is not of interest. */
	stderr = fopen("/dev/null", "w");
	return cmocka_run_group_tests_name("mutated recordings of dprof", tests, NULL, NULL);
}
