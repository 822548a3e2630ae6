// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Recordings with code that runtimes compiled, and with the arenas of their heaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memprof/diagnose/kinds.h"
#include "memprof/memprof.h"
#include "memprof/names/tests/made_root.h"
#include "memprof_data.h"

#define T(us)	(DATA_START + UINT64_C(1000) * (us))
#define LOAD	((struct sample_record){ .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1 })

/* Below the root. */
static char recording[64];

static void mapped(struct data *d, uint64_t t, uint64_t start, uint64_t bytes, const char *name, uint32_t flags)
{
	data_task(d, t, &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = start,
		  .length = bytes, .flags = flags }, name);
}

static void event(struct data *d, uint32_t stream, uint64_t t, unsigned int type, uint64_t addr, uint64_t bytes,
		  uint32_t chain)
{
	data_event(d, stream, t, (struct event_record){ .type = type, .addr = addr, .size = bytes, .chain = chain });
}

static struct memprof *open_recording(void)
{
	const struct memprof_options options = { .size = sizeof(options), .symbols = root };
	char error[256];
	struct memprof *m = memprof_open(recording, &options, error, sizeof(error));

	if (!m)
		fail_msg("%s", error);
	return m;
}

static struct data *begin(const char *program)
{
	struct data *d = data_new(recording);

	data_task(d, T(0), &(struct task_record){ .type = TASK_EXEC, .pid = 10, .tid = 10 }, "prog");
	mapped(d, T(1), 0x400000, 0x1000, program, TASK_EXECUTABLE);
	return d;
}

/* An access by compiled code, of an object that compiled code had allocated. */
static void frames_and_sites_of_compiled_code(void **unused)
{
	static const char map[] = "20000000 1000 LApp;::fill\n";
	const uint64_t frames[1] = { 0x20000020 };
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	write_file("/tmp/perf-10.map", map, sizeof(map) - 1);
	d = begin("/usr/bin/prog");
	mapped(d, T(2), 0x20000000, 0x10000, "//anon", TASK_EXECUTABLE | TASK_WRITABLE);
	mapped(d, T(2), 0x30000000, 0x10000, "[heap]", TASK_WRITABLE);
	s = data_stream(d, 10, 10, 5);
	data_chain(d, s, T(9), 7, frames, 1);
	event(d, s, T(10), EVENT_ALLOC, 0x30000100, 64, 7);
	data_sample(d, 0, T(20), 10, 10, 0x30000110, LOAD, 0x20000014);
	data_end(d, 1);
	m = open_recording();
	assert_int_equal(memprof_nr_accesses(m), 1);
	memprof_access(m, 0, &a);
	assert_string_equal(memprof_frame(m, a.chain, 0), "LApp;::fill+0x14 ([jit])");
	assert_string_equal(memprof_object_site(m, a.object)->name, "LApp;::fill");
	memprof_close(m);
	unlink(below("/tmp/perf-10.map"));
}

/* A mapping by the runtime is an arena with its range; one by anything else is not. */
static void arenas_that_runtimes_map(void **unused)
{
	const uint64_t by_java[1] = { 0x7000020 }, by_program[1] = { 0x400020 };
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	d = begin("/usr/bin/prog");
	mapped(d, T(2), 0x7000000, 0x10000, "/usr/lib/jvm/lib/server/libjvm.so", TASK_EXECUTABLE);
	s = data_stream(d, 10, 10, 5);
	data_chain(d, s, T(9), 1, by_java, 1);
	data_chain(d, s, T(9), 2, by_program, 1);
	event(d, s, T(10), EVENT_MAP, 0x50000000, 0x100000, 1);
	event(d, s, T(11), EVENT_MAP, 0x60000000, 0x100000, 2);
	event(d, s, T(12), EVENT_MAP, 0x68000000, 0x1000, 1);
	data_sample(d, 0, T(20), 10, 10, 0x50000110, LOAD, 0);
	data_sample(d, 0, T(21), 10, 10, 0x60000110, LOAD, 0);
	data_sample(d, 0, T(22), 10, 10, 0x68000110, LOAD, 0);
	data_end(d, 1);
	m = open_recording();
	memprof_access(m, 0, &a);
	assert_string_equal(memprof_object_site(m, a.object)->name, "[Java arena 0x50000000-0x50100000]");
	/* Its objects are not the program's to allocate elsewhere. */
	assert_int_equal(kind_of(m, a.object), KIND_ARENA);
	assert_int_equal(kind_fix(KIND_ARENA, FIX_ALLOCATE, true), FIX_NONE);
	assert_int_equal(kind_fix(KIND_ARENA, FIX_REPLICATE, false), FIX_NONE);
	assert_int_equal(kind_fix(KIND_ARENA, FIX_INTERLEAVE, true), FIX_INTERLEAVE);
	assert_non_null(strstr(kind_reason(KIND_ARENA), "runtime"));
	memprof_access(m, 1, &a);
	assert_string_equal(memprof_object_site(m, a.object)->name, "+0x1f");
	assert_int_equal(kind_of(m, a.object), KIND_ALLOCATED);
	memprof_access(m, 2, &a);
	assert_string_equal(memprof_object_site(m, a.object)->name, "+0x1f");
	memprof_close(m);
}

/* Go's heap, by address, if the program is Go's. */
static void arenas_of_go(void **unused)
{
	static const char * const programs[] = { "/go", "/c" };
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	char command[512];
	int i;

	(void)unused;
	snprintf(command, sizeof(command), "cd %s && echo 'int main(void){return 0;}' >c.c && gcc -o c c.c && "
		 "objcopy --add-section .go.buildinfo=c.c c go", root);
	assert_int_equal(system(command), 0);
	for (i = 0; i < 2; i++) {
		d = begin(programs[i]);
		mapped(d, T(2), 0xc000000000, 0x8000000, "//anon", TASK_WRITABLE);
		mapped(d, T(2), 0x50000000, 0x8000000, "//anon", TASK_WRITABLE);
		data_sample(d, 0, T(20), 10, 10, 0xc000000110, LOAD, 0);
		data_sample(d, 0, T(21), 10, 10, 0xc000000510, LOAD, 0);
		data_sample(d, 0, T(22), 10, 10, 0xc004000010, LOAD, 0);
		data_sample(d, 0, T(23), 10, 10, 0x50000010, LOAD, 0);
		data_end(d, 1);
		m = open_recording();
		assert_int_equal(memprof_nr_objects(m), i ? 1 : 3);
		memprof_access(m, 1, &a);
		if (!i) {
			assert_string_equal(memprof_object_site(m, a.object)->name, "[Go arena 0xc000000000-0xc004000000]");
			assert_int_equal(memprof_object(m, a.object)->accesses, 2);
			memprof_access(m, 2, &a);
			assert_string_equal(memprof_object_site(m, a.object)->name, "[Go arena 0xc004000000-0xc008000000]");
			memprof_access(m, 3, &a);
		}
		assert_int_equal(memprof_object(m, a.object)->type, MEMPROF_UNKNOWN);
		memprof_close(m);
	}
}

/* Linked with the C library (cgo), what is mapped has events. */
static void arenas_of_go_with_events(void **unused)
{
	const uint64_t frames[1] = { 0x400020 };
	struct memprof_access a;
	struct memprof *m;
	struct data *d;
	uint32_t s;

	(void)unused;
	d = begin("/go");
	s = data_stream(d, 10, 10, 5);
	data_chain(d, s, T(9), 1, frames, 1);
	event(d, s, T(10), EVENT_MAP, 0xc000000000, 0x400000, 1);
	event(d, s, T(11), EVENT_ALLOC, 0x50000010, 0x100000, 1);
	data_sample(d, 0, T(20), 10, 10, 0xc000000110, LOAD, 0);
	data_sample(d, 0, T(21), 10, 10, 0x50000110, LOAD, 0);
	data_end(d, 1);
	m = open_recording();
	memprof_access(m, 0, &a);
	assert_string_equal(memprof_object_site(m, a.object)->name, "[Go arena 0xc000000000-0xc000400000]");
	assert_int_equal(kind_of(m, a.object), KIND_ARENA);
	/* What malloc() gives is no arena. */
	memprof_access(m, 1, &a);
	assert_int_equal(kind_of(m, a.object), KIND_ALLOCATED);
	memprof_close(m);
}

/*
 * Debian's programs have no symbols: variables behind what is mapped of the file are one object of
 * the program's, and what the C library maps behind them is none.
 */
static void variables_of_a_stripped_program(void **unused)
{
	unsigned long offset, vaddr, size;
	uint64_t start, mapped_end, end;
	struct memprof_access a;
	struct memprof *m;
	char command[512];
	struct data *d;
	FILE *f;

	(void)unused;
	snprintf(command, sizeof(command), "cd %s && echo 'char big[1 << 20] = { }, small = 1; int main(void) { return big[5]; }' "
		 ">v.c && gcc -no-pie -s -o v v.c && readelf -lW v | awk '/ LOAD .* RW / { print $2, $3, $6 }'", root);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx %lx %lx", &offset, &vaddr, &size), 3);
	assert_int_equal(pclose(f), 0);
	start = vaddr & ~4095UL;
	mapped_end = start + 4096;
	end = vaddr + size;
	assert_true(end > mapped_end + (1 << 19));
	d = begin("/v");
	data_task(d, T(2), &(struct task_record){ .type = TASK_MMAP, .pid = 10, .tid = 10, .start = start,
		  .length = 4096, .offset = offset & ~4095UL, .flags = TASK_WRITABLE }, "/v");
	/* As if the C library had mapped memory right behind them. */
	mapped(d, T(2), mapped_end, (end - mapped_end + 4095) / 4096 * 4096 + 8192, "//anon", TASK_WRITABLE);
	data_sample(d, 0, T(20), 10, 10, mapped_end + 0x110, LOAD, 0);
	data_sample(d, 0, T(21), 10, 10, end - 1, LOAD, 0);
	data_sample(d, 0, T(22), 10, 10, end + 4096, LOAD, 0);
	data_end(d, 1);
	m = open_recording();
	memprof_access(m, 0, &a);
	assert_string_equal(memprof_object_site(m, a.object)->name, "[v .bss]");
	assert_int_equal(memprof_object(m, a.object)->type, MEMPROF_STATIC);
	assert_int_equal(kind_of(m, a.object), KIND_VARIABLE);
	assert_int_equal(memprof_object(m, a.object)->accesses, 2);
	memprof_access(m, 2, &a);
	assert_int_equal(memprof_object(m, a.object)->type, MEMPROF_UNKNOWN);
	memprof_close(m);
}

static int make_recording(void **unused)
{
	if (make_root(unused))
		return -1;
	snprintf(recording, sizeof(recording), "%s/recording", root);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_and_sites_of_compiled_code),
		cmocka_unit_test(arenas_that_runtimes_map),
		cmocka_unit_test(arenas_of_go),
		cmocka_unit_test(arenas_of_go_with_events),
		cmocka_unit_test(variables_of_a_stripped_program),
	};

	return cmocka_run_group_tests_name("memprof runtimes", tests, make_recording, remove_root);
}
