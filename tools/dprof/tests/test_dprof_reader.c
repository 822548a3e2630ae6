// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: an event whose layout changed is read from recordings of before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "dprof/read/trace.c"
#include "made/recordings.h"

#define COMMON \
	"name: dprof_history\nID: 500\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:u64 id;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 base;\toffset:16;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 ip;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:u32 type;\toffset:32;\tsize:4;\tsigned:0;\n" \
	"\tfield:u32 size;\toffset:36;\tsize:4;\tsigned:0;\n"
#define END	"\nprint fmt: \"id=%llu\", REC->id\n"

static const char fixed[] = COMMON
	"\tfield:s32 offset[4];\toffset:40;\tsize:16;\tsigned:1;\n"
	"\tfield:u8 len[4];\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 slots;\toffset:60;\tsize:1;\tsigned:0;\n" END;
static const char dynamic[] = COMMON
	"\tfield:__data_loc s32[] offset;\toffset:40;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc u8[] len;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 slots;\toffset:48;\tsize:1;\tsigned:0;\n" END;
static const char short_offset[] = COMMON
	"\tfield:s32 offset[2];\toffset:40;\tsize:8;\tsigned:1;\n"
	"\tfield:u8 len[4];\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 slots;\toffset:60;\tsize:1;\tsigned:0;\n" END;

struct common {
	uint16_t id;
	uint8_t flags, preempt_count;
	int32_t pid;
	uint64_t number, base, ip;
	uint32_t type, size;
};

#define COMMON_VALUES	{ .id = 500, .pid = 42, .number = 7, .base = 0x1000, .type = 20, .size = 200 }

static int read_event(const char *format, const void *data, size_t size, struct event *e)
{
	struct trace_event raw = { .data = (void *)data, .size = size, .ts = 5, .cpu = 1 };
	struct tep_handle *tep = tep_alloc();
	struct decoder d;
	char wrong[80];
	int ret = -2;

	assert_non_null(tep);
	assert_int_equal(tep_parse_event(tep, format, strlen(format), "dprof"), 0);
	if (!decoder_init(&d, tep, wrong, sizeof(wrong)))
		ret = decode(&d, &raw, e);
	tep_free(tep);
	return ret;
}

static void check(const struct event *e)
{
	assert_int_equal(e->kind, EVENT_HISTORY);
	assert_int_equal(e->pid, 42);
	assert_int_equal(e->history.id, 7);
	assert_int_equal(e->history.size, 200);
	assert_int_equal(e->history.slots, 3);
	assert_int_equal(e->history.offset[0], 0);
	assert_int_equal(e->history.offset[1], -8);
	assert_int_equal(e->history.offset[2], 64);
	assert_int_equal(e->history.offset[3], 0);
	assert_int_equal(e->history.len[1], 8);
	assert_int_equal(e->history.len[2], 4);
	assert_int_equal(e->history.len[3], 0);
}

static void fixed_arrays(void **state)
{
	struct {
		struct common c;
		int32_t offset[4];
		uint8_t len[4], slots;
	} raw = { COMMON_VALUES, { 0, -8, 64, 0 }, { 8, 8, 4, 0 }, 3 };
	struct event e;

	(void)state;
	assert_int_equal(read_event(fixed, &raw, sizeof(raw), &e), 1);
	check(&e);
	/* The record ends within the array. */
	assert_int_equal(read_event(fixed, &raw, 48, &e), -1);
	/* An array of another fixed length is none that was ever written. */
	assert_int_equal(read_event(short_offset, &raw, sizeof(raw), &e), -2);
}

struct dynamic_raw {
	struct common c;
	uint32_t offset_loc, len_loc;
	uint8_t slots;
	int32_t offset[6];
	uint8_t len[6];
};

/* The tracer's own event: common fields, a number, and so many addresses. */
struct stack_raw {
	uint16_t id;
	uint8_t flags, preempt_count;
	int32_t pid, nr, padding;
	uint64_t frame[CHAIN_FRAMES + 2];
};

static void call_chains(void **state)
{
	struct stack_raw raw = { .id = STACK_ID, .pid = 42, .nr = 2, .frame = { 0xffffffff81000010, 0xffffffff81000020, 9 } };
	struct event e;
	size_t i;

	(void)state;
	assert_int_equal(read_event(dynamic, &raw, offsetof(struct stack_raw, frame) + 16, &e), 1);
	assert_int_equal(e.kind, EVENT_CHAIN);
	assert_int_equal(e.pid, 42);
	assert_int_equal(e.cpu, 1);
	assert_int_equal(e.chain.frames[0], 0xffffffff81000010);
	assert_int_equal(e.chain.frames[1], 0xffffffff81000020);
	assert_int_equal(e.chain.frames[2], 0);
	/* The record ends within the addresses, or before them; it claims too many. */
	assert_int_equal(read_event(dynamic, &raw, offsetof(struct stack_raw, frame) + 15, &e), -1);
	assert_int_equal(read_event(dynamic, &raw, 8, &e), -1);
	raw.nr = -1;
	assert_int_equal(read_event(dynamic, &raw, sizeof(raw), &e), -1);
	raw.nr = 0;
	assert_int_equal(read_event(dynamic, &raw, sizeof(raw), &e), 0);
	/* Of a long one, the inner part. */
	raw.nr = CHAIN_FRAMES + 2;
	for (i = 0; i < CHAIN_FRAMES + 2; i++)
		raw.frame[i] = i + 1;
	assert_int_equal(read_event(dynamic, &raw, sizeof(raw), &e), 1);
	assert_int_equal(e.chain.frames[CHAIN_FRAMES - 1], CHAIN_FRAMES);
}

static uint32_t loc(size_t offset, size_t size)
{
	return size << 16 | offset;
}

static void dynamic_arrays(void **state)
{
	struct dynamic_raw raw = {
		COMMON_VALUES, loc(offsetof(struct dynamic_raw, offset), 12),
		loc(offsetof(struct dynamic_raw, len), 3), 3, { 0, -8, 64, 5, 6, 7 }, { 8, 8, 4, 1, 1, 1 }
	};
	struct event e;

	(void)state;
	/* What is behind the end of the arrays is not theirs. */
	assert_int_equal(read_event(dynamic, &raw, sizeof(raw), &e), 1);
	check(&e);
	/* More places than struct event has: the first ones are read. */
	raw.offset_loc = loc(offsetof(struct dynamic_raw, offset), 24);
	raw.len_loc = loc(offsetof(struct dynamic_raw, len), 6);
	raw.slots = 6;
	assert_int_equal(read_event(dynamic, &raw, sizeof(raw), &e), 1);
	assert_int_equal(e.history.offset[3], 5);
	assert_int_equal(e.history.len[3], 1);
	assert_int_equal(e.history.slots, 6);
	/* An array that ends behind the record. */
	raw.len_loc = loc(sizeof(raw) - 2, 3);
	assert_int_equal(read_event(dynamic, &raw, sizeof(raw), &e), -1);
}

/* Names are behind the event; of one that is too long, the end is kept. */
static void names(void **state)
{
	static const char type[] = "name: dprof_type\nID: 501\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:u32 id;\toffset:8;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 size;\toffset:12;\tsize:4;\tsigned:0;\n"
		"\tfield:u32 line;\toffset:16;\tsize:4;\tsigned:0;\n"
		"\tfield:u8 class;\toffset:20;\tsize:1;\tsigned:0;\n"
		"\tfield:__data_loc char[] cache;\toffset:24;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] func;\toffset:28;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] file;\toffset:32;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] module;\toffset:36;\tsize:4;\tsigned:1;\n"
		"\nprint fmt: \"%u\", REC->id\n";
	struct {
		uint16_t id;
		uint16_t flags;
		int32_t pid;
		uint32_t number, size, line;
		uint8_t class, hole[3];
		uint32_t cache, func, file, module;
		char text[300];
	} raw = { .id = 501, .pid = 9, .number = 33, .size = 256, .line = 12, .class = CLASS_SLAB };
	const uint32_t at = offsetof(typeof(raw), text);
	struct event e;
	int i;

	(void)state;
	memcpy(raw.text, "skbuff", 7);
	for (i = 0; i < 200; i++)
		raw.text[10 + i] = 'a' + i % 26;
	raw.cache = loc(at, 7);
	raw.func = loc(at + 10, 63);
	raw.file = loc(at + 10, 200);
	raw.module = loc(at + 9, 1);
	assert_int_equal(read_event(type, &raw, sizeof(raw), &e), 1);
	assert_int_equal(e.kind, EVENT_TYPE);
	assert_int_equal(e.pid, 9);
	assert_int_equal(e.type.id, 33);
	assert_int_equal(e.type.size, 256);
	assert_int_equal(e.type.line, 12);
	assert_int_equal(e.type.class, CLASS_SLAB);
	assert_string_equal(e.type.cache, "skbuff");
	assert_string_equal(e.type.module, "");
	assert_int_equal(strlen(e.type.func), 63);
	assert_int_equal(e.type.func[0], 'a');
	assert_int_equal(strlen(e.type.file), sizeof(e.type.file) - 1);
	assert_int_equal(e.type.file[0], 'a' + (200 - (sizeof(e.type.file) - 1)) % 26);
	assert_int_equal(e.type.file[sizeof(e.type.file) - 2], 'a' + 199 % 26);
	/* One byte behind the event. */
	raw.file = loc(sizeof(raw) - 5, 6);
	assert_int_equal(read_event(type, &raw, sizeof(raw), &e), -1);
	raw.file = loc(sizeof(raw) - 5, 5);
	assert_int_equal(read_event(type, &raw, sizeof(raw), &e), 1);
	/* Of another event, and of none. */
	raw.id = 502;
	assert_int_equal(read_event(type, &raw, sizeof(raw), &e), 0);
	assert_int_equal(read_event(type, &raw, 1, &e), 0);
}

static int print_event(void *out, const struct event *e)
{
	event_print(e, out);
	return 0;
}

/* What is read of a recording, as text. */
static char *read_all(struct trace_file *t, enum trace_version version)
{
	char path[] = "/dev/shm/dprof-reader.XXXXXX", error[256] = "", *text;
	struct reader r = { .event = print_event };
	size_t size;

	assert_true(close(mkstemp(path)) == 0);
	trace_file_write(t, version, path);
	trace_file_free(t);
	r.ctx = open_memstream(&text, &size);
	assert_int_equal(reader_trace(path, &r, error, sizeof(error)), 0);
	assert_string_equal(error, "");
	fclose(r.ctx);
	unlink(path);
	return text;
}

/* Samples of all kinds that the kernel packs, among allocations: on four CPUs, of three tasks. */
static char *make_samples(void)
{
	static const uint64_t addr[] = { 0xffff888000001008, 0xffffffff82000000, 0x7f0000001000, 0xffffc90000001000 };
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	unsigned int i;

	for (i = 0; i < 400; i++) {
		const uint64_t a = addr[i % 4] + 64 * i, locked = i % 5 == 0;
		const unsigned int op = i % 7 ? 1 + i % 3 : 0;
		const uint64_t phys = i % 4 == 0 ? a - 0xffff888000000000 : i % 4 == 1 ? a - 0xffffffff80000000 : 0;

		if (i % 10 == 3) {
			fprintf(f, "%u %u 7 dprof_alloc base=%u ip=16 type=20 size=64\n", 1000 + 100 * i, i % 3, 64 * i);
			continue;
		}
		fprintf(f, "%u %u %u dprof_sample ip=%#jx addr=%#jx phys=%#jx base=%#jx type=%u offset=%u data_src=%#jx "
			"latency=%u op=%u width=%u source=1 flags=%u cgroup=%#jx\n", 1000 + 100 * i, i % 4, 40 + i % 3,
			(uintmax_t)(i % 6 ? 0xffffffff81000010ULL + i : 0x550000400000ULL + i), (uintmax_t)a, (uintmax_t)phys,
			(uintmax_t)(a - i % 64), i % 9 * 1000, i % 64,
			(uintmax_t)(i % 7 ? 0x648100100 + (i % 11 ? 0 : 0x40) + (op << 1) + (locked << 25) : 0),
			i % 3 ? 0 : i, i % 7 ? op : 1, i % 3 * 8, i % 6 == 0, (uintmax_t)(i / 12 % 4 * 0x100000077));
	}
	fclose(f);
	return text;
}

/* The kernel's two encodings say the same, in the order of time, however late a batch was written. */
static void batches(void **state)
{
	static const unsigned int samples[] = { 1, 2, 7, 64 };
	char *text = make_samples(), *single = read_all(dprof_recording(text), TRACE_V7);
	unsigned int i;
	int version;

	(void)state;
	assert_true(strlen(single) > 40000);
	for (i = 0; i < 4; i++) {
		for (version = 0; version < NR_TRACE_VERSIONS; version++) {
			char *batched = read_all(dprof_batches(text, samples[i]), version);

			assert_string_equal(batched, single);
			free(batched);
		}
	}
	free(single);
	free(text);
}

/* A batch whose last sample is not whole; the others are read. */
static void short_batch(void **state)
{
	const uint32_t words[] = { 1 | 8 << 9 | 20 << 17, 0x81000010, 0x1008, 0xffff8880, 8, 5, 42,
				   1 | 1 << 4 | 20 << 17, 0x81000010, 0x1008, 0xffff8880, 8, 5, 42 };
	const uint32_t group[] = { 1 | 8 << 9 | 20 << 17, 0x81000010, 0x1008, 0xffff8880, 8, 5, 42 | 1U << 31, 77 };
	struct batch b = { .ts = 100, .words = (const unsigned char *)words, .nr = 14, .cpu = 3 };
	struct event e;

	(void)state;
	assert_int_equal(batch_next(&b, &e), 1);
	assert_int_equal(e.ts, 105);
	assert_int_equal(e.cpu, 3);
	assert_int_equal(e.pid, 42);
	assert_true(e.sample.ip == 0xffffffff81000010 && e.sample.base == 0xffff888000001000);
	assert_int_equal(e.sample.data_src, 2);
	assert_int_equal(batch_next(&b, &e), -1);
	b.nr = 1;
	assert_int_equal(batch_next(&b, &e), -1);
	/* Without the group that it is to have. */
	b = (struct batch){ .words = (const unsigned char *)group, .nr = 8, .cpu = 3 };
	assert_int_equal(batch_next(&b, &e), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_arrays),
		cmocka_unit_test(dynamic_arrays), cmocka_unit_test(call_chains),
		cmocka_unit_test(names),
		cmocka_unit_test(batches),
		cmocka_unit_test(short_batch),
	};

	return cmocka_run_group_tests_name("dprof_reader", tests, NULL, NULL);
}
