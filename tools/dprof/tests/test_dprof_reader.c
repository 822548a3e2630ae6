// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: an event whose layout changed is read from recordings of before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dprof/read/trace.c"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_arrays),
		cmocka_unit_test(dynamic_arrays),
	};

	return cmocka_run_group_tests_name("dprof_reader", tests, NULL, NULL);
}
