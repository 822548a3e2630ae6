// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Code that runtimes compiled: their map files and jitdumps; and the arenas of their heaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memprof/diagnose/kinds.h"
#include "memprof/memprof.h"
#include "memprof/names/names.h"
#include "memprof_data.h"

#define T(us)	(DATA_START + UINT64_C(1000) * (us))
#define LOAD	((struct sample_record){ .op = 1, .level = LEVEL_RAM, .latency = 200, .pfn = 1 })

/* The recorded machine's files are below this. */
static char root[] = "/tmp/memprof-runtimes.XXXXXX", recording[64];

static const char *below(const char *path)
{
	static char full[128];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return full;
}

static void write_file(const char *path, const void *data, size_t bytes)
{
	FILE *f = fopen(below(path), "w");

	if (!f)
		fail_msg("%s: %s", below(path), strerror(errno));
	assert_int_equal(fwrite(data, 1, bytes, f), bytes);
	fclose(f);
}

static void code_is(const struct jit *j, uint64_t addr, uint64_t time, const char *function, uint64_t in)
{
	struct place place;
	uint64_t at = 0;

	if (!jit_code(j, 10, addr, time, &place, &at)) {
		if (function)
			fail_msg("%#lx at %lu: nothing, not %s", (unsigned long)addr, (unsigned long)time, function);
		return;
	}
	if (!function || strcmp(place.function, function))
		fail_msg("%#lx at %lu: %s, not %s", (unsigned long)addr, (unsigned long)time, place.function,
			 function ? function : "nothing");
	assert_int_equal(at, in);
}

static void functions_of_a_map_file(void **unused)
{
	static const char map[] =
		"7f0000001000 100 Ljava/lang/String;::hashCode\n"
		"7f0000001200 40 interpreter loop\n"
		"no line of a function\n"
		"7f0000001240\n"
		"ffffffffffffffff 100 behind the last address\n"
		/* Compiled again: what was there before is gone. */
		"7f0000001000 80 LApp;::run\n";
	struct jit *j = jit_new(root);

	(void)unused;
	write_file("/tmp/perf-10.map", map, sizeof(map) - 1);
	assert_false(jit_known(j, 10));
	assert_int_equal(jit_add(j, 10, NULL), 0);
	assert_true(jit_known(j, 10));
	code_is(j, 0x7f0000001010, 5, "LApp;::run", 0x10);
	code_is(j, 0x7f0000001090, 5, "Ljava/lang/String;::hashCode", 0x90);
	code_is(j, 0x7f0000001100, 5, NULL, 0);
	code_is(j, 0x7f000000123f, 5, "interpreter loop", 0x3f);
	code_is(j, 0x7f0000001240, 5, NULL, 0);
	code_is(j, 0x7f0000000fff, 5, NULL, 0);
	code_is(j, UINT64_MAX, 5, NULL, 0);
	unlink(below("/tmp/perf-10.map"));
	jit_free(j);
}

struct dump {
	char bytes[4096];
	size_t used;
};

static void put(struct dump *d, const void *data, size_t bytes)
{
	assert_true(d->used + bytes <= sizeof(d->bytes));
	memcpy(d->bytes + d->used, data, bytes);
	d->used += bytes;
}

static void put_header(struct dump *d, uint64_t flags)
{
	const uint32_t words[6] = { 0x4a695444, 1, 40, 62, 0, 10 };
	const uint64_t rest[2] = { 0, flags };

	put(d, words, sizeof(words));
	put(d, rest, sizeof(rest));
}

static void put_head(struct dump *d, uint32_t id, uint32_t bytes, uint64_t time)
{
	const uint32_t words[2] = { id, 16 + bytes };

	put(d, words, sizeof(words));
	put(d, &time, sizeof(time));
}

static void put_load(struct dump *d, uint64_t time, uint64_t addr, uint64_t size, const char *name)
{
	const uint32_t ids[2] = { 10, 10 };
	const uint64_t words[4] = { addr, addr, size, 0 };

	/* Of the code itself 3 bytes, so that the next record is at an odd place. */
	put_head(d, 0, sizeof(ids) + sizeof(words) + strlen(name) + 1 + 3, time);
	put(d, ids, sizeof(ids));
	put(d, words, sizeof(words));
	put(d, name, strlen(name) + 1);
	put(d, "\x90\x90\xc3", 3);
}

static void put_move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	const uint32_t ids[2] = { 10, 10 };
	const uint64_t words[5] = { to, from, to, size, 0 };

	put_head(d, 1, sizeof(ids) + sizeof(words), time);
	put(d, ids, sizeof(ids));
	put(d, words, sizeof(words));
}

static void put_lines(struct dump *d, uint64_t addr, unsigned int line, const char *file)
{
	const uint64_t head[2] = { addr, 2 }, second = addr + 8;
	const uint32_t lines[2][2] = { { line, 0 }, { line + 1, 0 } };

	put_head(d, 2, sizeof(head) + 2 * 16 + strlen(file) + 1 + 2, 0);
	put(d, head, sizeof(head));
	put(d, &addr, 8);
	put(d, lines[0], 8);
	put(d, file, strlen(file) + 1);
	put(d, &second, 8);
	put(d, lines[1], 8);
	put(d, "\xff", 2);
}

static void functions_of_a_jitdump_by_time(void **unused)
{
	struct dump d = { };
	struct place place;
	struct jit *j;
	uint64_t in;

	(void)unused;
	put_header(&d, 0);
	put_lines(&d, 0x1000, 7, "App.java");
	put_load(&d, 100, 0x1000, 0x100, "App::first");
	put_load(&d, 200, 0x1000, 0x80, "App::second");
	put_move(&d, 300, 0x1000, 0x3000, 0x80);
	write_file("/tmp/jit-10.dump", d.bytes, d.used);
	j = jit_new(root);
	assert_int_equal(jit_add(j, 10, "/tmp/jit-10.dump"), 0);
	code_is(j, 0x1010, 150, "App::first", 0x10);
	code_is(j, 0x1010, 250, "App::second", 0x10);
	code_is(j, 0x3010, 350, "App::second", 0x10);
	/* Before all that is known, the first is the best guess. */
	code_is(j, 0x1010, 50, "App::first", 0x10);
	assert_true(jit_code(j, 10, 0x1009, 150, &place, &in));
	assert_string_equal(place.file, "App.java");
	assert_int_equal(place.line, 8);
	assert_true(jit_code(j, 10, 0x1009, 250, &place, &in));
	assert_null(place.file);
	jit_free(j);

	/* Cut off in each place: what is before it is there, and nothing is read behind the end. */
	for (size_t bytes = 0; bytes < d.used; bytes++) {
		write_file("/tmp/jit-10.dump", d.bytes, bytes);
		j = jit_new(root);
		assert_int_equal(jit_add(j, 10, "/tmp/jit-10.dump"), 0);
		if (bytes >= 300)
			code_is(j, 0x1010, 150, "App::first", 0x10);
		jit_free(j);
	}
	/* Times of another clock: the last one counts. */
	d.bytes[32] = 1;
	write_file("/tmp/jit-10.dump", d.bytes, d.used);
	j = jit_new(root);
	assert_int_equal(jit_add(j, 10, "/tmp/jit-10.dump"), 0);
	code_is(j, 0x1010, 150, "App::second", 0x10);
	jit_free(j);
	unlink(below("/tmp/jit-10.dump"));
}

static void which_files_are_jitdumps(void **unused)
{
	(void)unused;
	assert_true(jit_is_dump("/home/me/.debug/jit/java-jit-2/jit-1234.dump"));
	assert_false(jit_is_dump("/home/me/jit-1234.dump.old"));
	assert_false(jit_is_dump("/home/me/jit-x.dump"));
	assert_false(jit_is_dump("jit-1.dump"));
}

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

static int make_root(void **unused)
{
	(void)unused;
	if (!mkdtemp(root) || mkdir(below("/tmp"), 0755))
		return -1;
	snprintf(recording, sizeof(recording), "%s/recording", root);
	return 0;
}

static int remove_root(void **unused)
{
	char command[128];

	(void)unused;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_a_map_file),
		cmocka_unit_test(functions_of_a_jitdump_by_time),
		cmocka_unit_test(which_files_are_jitdumps),
		cmocka_unit_test(frames_and_sites_of_compiled_code),
		cmocka_unit_test(arenas_that_runtimes_map),
		cmocka_unit_test(arenas_of_go),
		cmocka_unit_test(arenas_of_go_with_events),
		cmocka_unit_test(variables_of_a_stripped_program),
	};

	return cmocka_run_group_tests_name("memprof runtimes", tests, make_root, remove_root);
}
