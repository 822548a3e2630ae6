// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: an event whose layout changed is read from recordings of before and after. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
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

#define COUNT(a)	(sizeof(a) / sizeof(*(a)))

/* Words of a batch, one sample after another, and these as text: all fields of each. */
static void words_of_batches(void **state)
{
	enum { USER = 4, LOCKED = 8, IP_HIGH = 16, DIRECT = 32, HAS_PHYS = 64, HAS_SRC = 128, HAS_LATENCY = 256 };
	static const struct {
		uint32_t words[40];
		unsigned int nr;
		const char *samples;
	} cases[] = {
		{ { 1 | 8 << 9 | 20 << 17, 0x81000010, 0x1008, 0xffff8880, 8, 5, 42 }, 7,
		  "1005 3 42 dprof_sample ip=0xffffffff81000010 addr=0xffff888000001008 phys=0x0 base=0xffff888000001000 "
		  "type=20 offset=8 data_src=0x2 latency=0 op=1 width=8 source=2 flags=0\n0" },
		{ { 2 | USER | 255 << 9 | 32767U << 17, 0x81000010, 0, 0, 0, 0, 0x7fffffff }, 7,
		  "1000 3 2147483647 dprof_sample ip=0xffffffff81000010 addr=0x0 phys=0x0 base=0x0 "
		  "type=32767 offset=0 data_src=0x4 latency=0 op=2 width=255 source=2 flags=1\n0" },
		{ { 3 | LOCKED, 1, 2, 3, 1, UINT32_MAX, 0 }, 7,
		  "4294968295 3 0 dprof_sample ip=0xffffffff00000001 addr=0x300000002 phys=0x0 base=0x300000001 "
		  "type=0 offset=1 data_src=0x2000006 latency=0 op=3 width=0 source=2 flags=0\n0" },
		{ { IP_HIGH, 1, 2, 3, 0, 0, 0, 0x55 }, 8,
		  "1000 3 0 dprof_sample ip=0x5500000001 addr=0x300000002 phys=0x0 base=0x300000002 "
		  "type=0 offset=0 data_src=0x0 latency=0 op=0 width=0 source=2 flags=0\n0" },
		{ { DIRECT, 1, 0x4000, 3, 0, 0, 0 }, 7,
		  "1000 3 0 dprof_sample ip=0xffffffff00000001 addr=0x300004000 phys=0x200001000 base=0x300004000 "
		  "type=0 offset=0 data_src=0x0 latency=0 op=0 width=0 source=2 flags=0\n0" },
		{ { HAS_PHYS, 1, 2, 3, 0, 0, 0, 0x77, 0x66 }, 9,
		  "1000 3 0 dprof_sample ip=0xffffffff00000001 addr=0x300000002 phys=0x6600000077 base=0x300000002 "
		  "type=0 offset=0 data_src=0x0 latency=0 op=0 width=0 source=2 flags=0\n0" },
		{ { HAS_LATENCY, 1, 2, 3, 0, 0, 0, 99 }, 8,
		  "1000 3 0 dprof_sample ip=0xffffffff00000001 addr=0x300000002 phys=0x0 base=0x300000002 "
		  "type=0 offset=0 data_src=0x0 latency=99 op=0 width=0 source=2 flags=0\n0" },
		/* The data source and the group stay as they were; all words at once. */
		{ { 1 | LOCKED | IP_HIGH | HAS_PHYS | HAS_SRC | HAS_LATENCY, 1, 2, 3, 0, 1, 1U << 31 | 7, 0xa, 0xb, 0xc, 0xd0, 0xe, 0xf,
		    0x10, 0x11, 2, 1, 2, 3, 0, 2, 8, HAS_SRC, 1, 2, 3, 0, 3, 9, 0x100, 0, 0, 4, 5, 6, 0, 4, 1U << 31, 0, 0 }, 40,
		  "1001 3 7 dprof_sample ip=0xa00000001 addr=0x300000002 phys=0xc0000000b base=0x300000002 "
		  "type=0 offset=0 data_src=0xe020000d2 latency=15 op=1 width=0 source=2 flags=0 cgroup=0x1100000010\n"
		  "1002 3 8 dprof_sample ip=0xffffffff00000001 addr=0x300000002 phys=0x0 base=0x300000002 "
		  "type=0 offset=0 data_src=0xe000000d4 latency=0 op=2 width=0 source=2 flags=0 cgroup=0x1100000010\n"
		  "1003 3 9 dprof_sample ip=0xffffffff00000001 addr=0x300000002 phys=0x0 base=0x300000002 "
		  "type=0 offset=0 data_src=0x100 latency=0 op=0 width=0 source=2 flags=0 cgroup=0x1100000010\n"
		  "1004 3 0 dprof_sample ip=0xffffffff00000004 addr=0x600000005 phys=0x0 base=0x600000005 "
		  "type=0 offset=0 data_src=0x100 latency=0 op=0 width=0 source=2 flags=0\n0" },
		/* A word less than a sample has. */
		{ { IP_HIGH }, 7, "-1" }, { { HAS_PHYS }, 8, "-1" }, { { HAS_SRC }, 8, "-1" }, { { HAS_LATENCY }, 7, "-1" },
		{ { 0, 0, 0, 0, 0, 0, 1U << 31 }, 8, "-1" }, { { 0 }, 6, "-1" }, { { 0 }, 0, "0" },
		{ { IP_HIGH | HAS_PHYS | HAS_SRC | HAS_LATENCY, 0, 0, 0, 0, 0, 1U << 31 }, 14, "-1" },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		/* Of a block of exactly this size, not aligned: sanitizers see what is read behind it. */
		unsigned char *words = malloc(4 * cases[i].nr + 1);
		struct batch b = { .ts = 1000, .linear = 0x100003000, .words = words + 1, .nr = cases[i].nr, .cpu = 3,
				   .source = 2 };
		struct event e;
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		int ret;

		memcpy(words + 1, cases[i].words, 4 * cases[i].nr);
		while (memset(&e, 0x55, sizeof(e)), (ret = batch_next(&b, &e)) > 0) {
			assert_int_equal(e.kind, EVENT_SAMPLE);
			event_print(&e, f);
		}
		fprintf(f, "%d", ret);
		fclose(f);
		assert_string_equal(text, cases[i].samples);
		free(text);
		free(words);
	}
}

static char sent_text[1 << 17];

static void keep_sent(void *ctx, const struct event *e)
{
	(void)ctx;
	sprintf(sent_text + strlen(sent_text), "%ju:%d ", (uintmax_t)e->ts, e->pid);
}

static void add_waiting(struct waiting *w, uint64_t ts, int pid)
{
	struct event e = { .kind = EVENT_FREE, .ts = ts, .pid = pid, .free = { 1, 2, 3 } };

	assert_int_equal(waiting_add(w, &e), 0);
}

static void waiting_in_order(void **state)
{
	struct waiting w = { .send = keep_sent };
	unsigned int i;

	(void)state;
	*sent_text = '\0';
	waiting_send(&w, UINT64_MAX);
	assert_string_equal(sent_text, "");
	add_waiting(&w, 20, 1);
	assert_int_equal(w.first, 20);
	add_waiting(&w, 10, 2);
	assert_int_equal(w.first, 10);
	add_waiting(&w, 10, 3);
	add_waiting(&w, 30, 4);
	add_waiting(&w, 10, 5);
	assert_int_equal(w.first, 10);
	waiting_send(&w, 9);
	assert_string_equal(sent_text, "");
	assert_int_equal(w.first, 10);
	waiting_send(&w, 10);
	assert_string_equal(sent_text, "10:2 10:3 10:5 ");
	assert_int_equal(w.first, 20);
	assert_int_equal(w.nr, 2);
	add_waiting(&w, 20, 6);
	waiting_send(&w, 29);
	assert_string_equal(sent_text, "10:2 10:3 10:5 20:1 20:6 ");
	assert_int_equal(w.first, 30);
	waiting_send(&w, 30);
	assert_int_equal(w.first, UINT64_MAX);
	assert_int_equal(w.nr, 0);
	/* One comes after all were sent: it is the first. */
	add_waiting(&w, 5, 7);
	assert_int_equal(w.first, 5);
	*sent_text = '\0';
	waiting_send(&w, UINT64_MAX);
	assert_string_equal(sent_text, "5:7 ");
	/* Many of the same time. */
	for (i = 0; i < 5000; i++)
		add_waiting(&w, 3, i);
	*sent_text = '\0';
	waiting_send(&w, 3);
	assert_memory_equal(sent_text, "3:0 3:1 3:2 ", 12);
	assert_string_equal(sent_text + strlen(sent_text) - 14, "3:4998 3:4999 ");
	waiting_free(&w);
}

/* When what waits is sent: all without a lag, else what is before the lag, and rarely. */
static void lags(void **state)
{
	static const struct { uint64_t lag, now; const char *sent; } cases[] = {
		{ 0, 0, "100:1 150:2 151:3 " }, { 50, 200, "" }, { 50, 201, "100:1 150:2 " }, { 50, 202, "100:1 150:2 151:3 " },
		{ 25, 125, "" }, { 25, 150, "" }, { 25, 151, "100:1 " }, { 100, 100, "" }, { 300, 200, "" },
		{ 300, 100000, "100:1 150:2 151:3 " }, { 1, 101, "" }, { 1, 102, "" }, { 1, 103, "100:1 " },
		{ 100, 300, "" }, { 100, 301, "100:1 150:2 151:3 " },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct waiting w = { .send = keep_sent, .lag = cases[i].lag };
		const struct trace_event raw = { .ts = cases[i].now };

		*sent_text = '\0';
		send_waiting(&w, &raw);
		add_waiting(&w, 151, 3);
		add_waiting(&w, 100, 1);
		add_waiting(&w, 150, 2);
		send_waiting(&w, &raw);
		if (strcmp(sent_text, cases[i].sent))
			fail_msg("lag %ju, now %ju: %s", (uintmax_t)cases[i].lag, (uintmax_t)cases[i].now, sent_text);
		waiting_free(&w);
	}
}

#define BATCH_FORMAT(age, linear, cpu, source, words)					\
	"name: dprof_samples\nID: 600\nformat:\n"					\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"		\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"			\
	"\tfield:" age "\tsigned:0;\n\tfield:" linear "\tsigned:0;\n\tfield:" cpu	\
	"\tsigned:0;\n\tfield:" source "\tsigned:0;\n\tfield:" words "\tsigned:0;\n"	\
	"\nprint fmt: \"%llu\", REC->age\n"
#define AGE	"u64 age;\toffset:8;\tsize:8;"
#define LINEAR	"u64 linear;\toffset:16;\tsize:8;"
#define CPU	"u32 cpu;\toffset:24;\tsize:4;"
#define SOURCE	"u8 source;\toffset:32;\tsize:1;"
#define WORDS	"__data_loc u32[] words;\toffset:28;\tsize:4;"

static int init_decoder(const char *format, struct decoder *d, struct tep_handle **tep, char *wrong, size_t size)
{
	*tep = tep_alloc();
	assert_int_equal(tep_parse_event(*tep, format, strlen(format), "dprof"), 0);
	return decoder_init(d, *tep, wrong, size);
}

static void formats_of_batches(void **state)
{
	static const struct { const char *format, *wrong; } formats[] = {
		{ BATCH_FORMAT(AGE, LINEAR, CPU, SOURCE, WORDS), NULL },
		{ BATCH_FORMAT("u64 old;\toffset:8;\tsize:8;", LINEAR, CPU, SOURCE, WORDS), "dprof_samples.age" },
		{ BATCH_FORMAT("u32 age;\toffset:8;\tsize:4;", LINEAR, CPU, SOURCE, WORDS), "dprof_samples.age" },
		{ BATCH_FORMAT(AGE, "u32 linear;\toffset:16;\tsize:4;", CPU, SOURCE, WORDS), "dprof_samples.linear" },
		{ BATCH_FORMAT(AGE, LINEAR, "u64 cpu;\toffset:24;\tsize:8;", SOURCE, WORDS), "dprof_samples.cpu" },
		{ BATCH_FORMAT(AGE, LINEAR, CPU, "u16 source;\toffset:32;\tsize:2;", WORDS), "dprof_samples.source" },
		{ BATCH_FORMAT(AGE, LINEAR, CPU, SOURCE, "u32 words;\toffset:28;\tsize:4;"), "dprof_samples.words" },
		{ BATCH_FORMAT("__data_loc u64[] age;\toffset:8;\tsize:8;", LINEAR, CPU, SOURCE, WORDS), "dprof_samples.age" },
		{ BATCH_FORMAT(AGE, LINEAR, CPU, SOURCE, "__data_loc u32[] words;\toffset:28;\tsize:8;"), "dprof_samples.words" },
	};
	struct tep_handle *tep;
	struct decoder d;
	char wrong[80];
	unsigned int i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		assert_int_equal(init_decoder(formats[i].format, &d, &tep, wrong, sizeof(wrong)), formats[i].wrong ? -1 : 0);
		if (formats[i].wrong)
			assert_string_equal(wrong, formats[i].wrong);
		else
			assert_int_equal(d.batch_id, 600);
		tep_free(tep);
	}
	/* Without the event. */
	assert_int_equal(init_decoder(fixed, &d, &tep, wrong, sizeof(wrong)), 0);
	assert_int_equal(d.batch_id, -1);
	tep_free(tep);
}

/* The event of a batch: what is before its samples. */
static void heads_of_batches(void **state)
{
	struct __attribute__((packed)) head {
		uint16_t id, flags;
		uint32_t pid;
		uint64_t age, linear;
		uint32_t cpu, words;
		uint8_t source, text[15];
	};
	static const struct {
		uint64_t ts, age;
		uint32_t cpu, words, size;
		int id, ret, nr;
	} cases[] = {
		{ 1000, 10, 3, 33 | 8 << 16, 48, 600, 1, 2 }, { 1000, 10, 3, 33 | 8 << 16, 48, 601, 0, 0 },
		{ 1000, 10, 3, 33 | 8 << 16, 41, 600, 1, 2 }, { 1000, 10, 3, 33 | 8 << 16, 40, 600, -1, 0 },
		{ 1000, 10, 3, 33 | 7 << 16, 48, 600, -1, 0 }, { 1000, 10, 3, 33 | 9 << 16, 48, 600, -1, 0 },
		{ 1000, 10, 3, 33 | 6 << 16, 48, 600, -1, 0 }, { 1000, 10, 3, 33, 48, 600, 1, 0 },
		{ 1000, 1000, 3, 33 | 4 << 16, 48, 600, 1, 1 }, { 1000, 1001, 3, 33 | 4 << 16, 48, 600, -1, 0 },
		{ UINT64_MAX, 600000000000, 3, 33 | 4 << 16, 48, 600, 1, 1 },
		{ UINT64_MAX, 600000000001, 3, 33 | 4 << 16, 48, 600, -1, 0 },
		{ 1000, 10, INT32_MAX, 33 | 4 << 16, 48, 600, 1, 1 },
		{ 1000, 10, 1U + INT32_MAX, 33 | 4 << 16, 48, 600, -1, 0 },
		/* Ends before its last field, the source. */
		{ 1000, 10, 3, 33, 33, 600, 1, 0 }, { 1000, 10, 3, 32, 32, 600, -1, 0 }, { 1000, 10, 3, 2, 2, 600, -1, 0 },
		{ 1000, 10, 3, 1, 1, 600, 0, 0 }, { 1000, 10, 3, 0, 31, 600, -1, 0 }, { 1000, 10, 3, 0, 15, 600, -1, 0 },
	};
	struct tep_handle *tep;
	struct decoder d;
	char wrong[80];
	unsigned int i;

	(void)state;
	assert_int_equal(init_decoder(BATCH_FORMAT(AGE, LINEAR, CPU, SOURCE, WORDS), &d, &tep, wrong, sizeof(wrong)), 0);
	for (i = 0; i < COUNT(cases); i++) {
		const struct head head = { .id = cases[i].id, .age = cases[i].age, .linear = 0x1122334455667788,
					   .cpu = cases[i].cpu, .words = cases[i].words, .source = 2 };
		unsigned char *data = malloc(cases[i].size);
		const struct trace_event raw = { .ts = cases[i].ts, .data = data, .size = cases[i].size };
		struct batch b = { .nr = 77 };

		memcpy(data, &head, cases[i].size);
		if (begin_batch(&d, &raw, &b) != cases[i].ret)
			fail_msg("batch %u", i);
		if (cases[i].ret > 0) {
			assert_int_equal(b.ts, cases[i].ts - cases[i].age);
			assert_int_equal(b.linear, 0x1122334455667788);
			assert_int_equal(b.cpu, cases[i].cpu);
			assert_int_equal(b.source, 2);
			assert_int_equal(b.nr, cases[i].nr);
			assert_ptr_equal(b.words, data + (cases[i].words & 0xffff));
			assert_true(!b.data_src && !b.cgroup);
		} else {
			assert_int_equal(b.nr, 77);
		}
		free(data);
	}
	tep_free(tep);
}

/* Symbols are sent in whole lines, of as many bytes as a message has. */
static void symbols_by_line(void **state)
{
	static const struct {
		int lengths[4];			/* of lines, with their ends */
		int no_end;			/* the last one has none */
		int pieces[4];
	} cases[] = {
		{ { 10 }, 0, { 10 } }, { { 10 }, 1, { 0 } }, { { 10, 20 }, 1, { 10 } }, { { 4096 }, 0, { 4096 } },
		{ { 4097 }, 0, { 0 } }, { { 4095, 1 }, 0, { 4096 } }, { { 4095, 2 }, 0, { 4095, 2 } },
		{ { 4096, 4096, 5 }, 0, { 4096, 4096, 5 } }, { { 2000, 2000, 2000, 97 }, 0, { 4000, 2097 } },
		{ { 5, 5000, 6 }, 0, { 5 } },
	};
	unsigned int i, k;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct trace_dat d = { .version = 6, .symbols = 3, .fd = memfd_create("symbols", 0) };
		static char text[20000];
		uint32_t size = 0;
		struct { uint32_t kind, size; } header;
		char *out, *p;
		size_t out_size;
		FILE *f = open_memstream(&out, &out_size);

		for (k = 0; k < 4 && cases[i].lengths[k]; k++) {
			memset(text + 7 + size, 'a' + k, cases[i].lengths[k]);
			size += cases[i].lengths[k];
			text[7 + size - 1] = '\n';
		}
		if (cases[i].no_end)
			text[7 + size - 1] = 'z';
		memcpy(text + 3, &size, 4);
		assert_int_equal(write(d.fd, text, 7 + size), 7 + size);
		d.size = 7 + size;
		send_symbols(f, &d);
		fclose(f);
		close(d.fd);
		for (p = out, size = 0, k = 0; p < out + out_size; p += sizeof(header) + header.size, k++) {
			memcpy(&header, p, sizeof(header));
			assert_int_equal(header.size, cases[i].pieces[k]);
			assert_memory_equal(p + sizeof(header), text + 7 + size, header.size);
			size += header.size;
		}
		if (k < 4)
			assert_int_equal(cases[i].pieces[k], 0);
		free(out);
	}
}

/* Chains of all lengths up to where they are too long; records without all of one. */
static void lengths_of_chains(void **state)
{
	const size_t head = offsetof(struct stack_raw, frame);
	struct stack_raw *raw = calloc(1, head + 8 * 1026);
	struct event e;
	int i;

	(void)state;
	*raw = (struct stack_raw){ .id = STACK_ID, .pid = 42 };
	for (i = 0; i < 1026; i++)
		memcpy((char *)raw + head + 8 * i, &(uint64_t){ i + 1 }, 8);
	for (i = 1; i <= 1025; i += i < 45 ? 1 : 979 / 2) {
		raw->nr = i;
		assert_int_equal(read_event(dynamic, raw, head + 8 * i, &e), i <= 1024 ? 1 : -1);
		if (i > 1024)
			continue;
		assert_int_equal(e.chain.frames[(i < CHAIN_FRAMES ? i : CHAIN_FRAMES) - 1], i < CHAIN_FRAMES ? i : CHAIN_FRAMES);
		assert_int_equal(i < CHAIN_FRAMES ? e.chain.frames[i] : 0, 0);
		assert_int_equal(e.ts, 5);
		assert_int_equal(read_event(dynamic, raw, head + 8 * i - 1, &e), -1);
	}
	raw->nr = 1024;
	assert_int_equal(read_event(dynamic, raw, head + 8 * 1024, &e), 1);
	raw->nr = 1025;
	assert_int_equal(read_event(dynamic, raw, head + 8 * 1025, &e), -1);
	raw->nr = 0;
	assert_int_equal(read_event(dynamic, raw, head, &e), 0);
	assert_int_equal(read_event(dynamic, raw, head - 1, &e), -1);
	/* Of two bytes, another event; of one, none. */
	assert_int_equal(read_event(dynamic, raw, 2, &e), -1);
	assert_int_equal(read_event(dynamic, raw, 1, &e), 0);
	free(raw);
}

/* A field that older recordings lack is 0; another that is missing is refused. */
#define ACCESS(id)									\
	"name: dprof_access\nID: 502\nformat:\n"					\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"		\
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"			\
	"\tfield:u64 " id ";\toffset:8;\tsize:8;\tsigned:0;\n"				\
	"\tfield:u64 ip;\toffset:16;\tsize:8;\tsigned:0;\n"				\
	"\tfield:u64 since;\toffset:24;\tsize:8;\tsigned:0;\n"				\
	"\tfield:u32 type;\toffset:32;\tsize:4;\tsigned:0;\n"				\
	"\tfield:s32 offset;\toffset:36;\tsize:4;\tsigned:1;\n"				\
	"\tfield:u8 len;\toffset:40;\tsize:1;\tsigned:0;\n"				\
	"\tfield:u8 op;\toffset:41;\tsize:1;\tsigned:0;\n\nprint fmt: \"%u\", REC->op\n"

static void fields_that_are_missing(void **state)
{
	unsigned char raw[42] = { 502 & 255, 502 >> 8, 0, 0, 9, 0, 0, 0, 1 };
	struct event e;

	(void)state;
	raw[41] = 2;
	assert_int_equal(read_event(ACCESS("id"), raw, sizeof(raw), &e), 1);
	assert_int_equal(e.kind, EVENT_ACCESS);
	assert_true(e.pid == 9 && e.access.id == 1 && e.access.op == 2 && !e.access.seq);
	assert_int_equal(read_event(ACCESS("id"), raw, sizeof(raw) - 1, &e), -1);
	assert_int_equal(read_event(ACCESS("number"), raw, sizeof(raw), &e), -2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_arrays),
		cmocka_unit_test(dynamic_arrays), cmocka_unit_test(call_chains),
		cmocka_unit_test(names),
		cmocka_unit_test(batches),
		cmocka_unit_test(short_batch), cmocka_unit_test(words_of_batches),
		cmocka_unit_test(waiting_in_order), cmocka_unit_test(lags), cmocka_unit_test(formats_of_batches),
		cmocka_unit_test(heads_of_batches), cmocka_unit_test(symbols_by_line),
		cmocka_unit_test(lengths_of_chains), cmocka_unit_test(fields_that_are_missing),
	};

	return cmocka_run_group_tests_name("dprof_reader", tests, NULL, NULL);
}
