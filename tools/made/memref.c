// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * A recording of memref made up: two nodes with 64 MiB each, three processes, one of which
 * is followed in its virtual memory.  What is referenced depends on nothing but the interval.
 */
#include <string.h>

#include "recordings.h"

#define GROUP_KB	1024
#define NR_GROUPS	128
#define MS		1000000ULL
#define NR(x)		(sizeof(x) / sizeof((x)[0]))

#define U64(n)		{ "u64", n, 8, FIELD_NUMBER }
#define U32(n)		{ "u32", n, 4, FIELD_NUMBER }

static const struct trace_field group_fields[] = {
	U64("phys_addr"), U32("seq"), U32("kernel"), U32("user"), U32("page_cache"),
	{ "char", "rw", 1, FIELD_NUMBER },
};
static const struct trace_field batch_fields[] = {
	U32("seq"), U32("group_kb"), U64("first"), { "u8[]", "data", 1, FIELD_DYNAMIC },
};
static const struct trace_field node_fields[] = { U64("start"), U64("end"), U32("seq"), U32("node") };
static const struct trace_field task_fields[] = {
	U64("pages"), U64("written"), U64("rss"), U32("seq"), U32("pid"), { "char[16]", "comm", 16, FIELD_BYTES },
};
static const struct trace_field virt_fields[] = { U64("addr"), U32("seq"), U32("pid"), U32("pages"), U32("written") };
static const struct trace_field vma_fields[] = {
	U64("start"), U64("end"), U32("seq"), U32("pid"), { "char[]", "name", 1, FIELD_DYNAMIC },
};
static const struct trace_field vma_age_fields[] = {
	U64("start"), U64("end"), U32("seq"), U32("pid"), { "char[16]", "comm", 16, FIELD_BYTES },
	{ "u32[9]", "anon", 36, FIELD_BYTES }, { "u32[9]", "file", 36, FIELD_BYTES },
	{ "char[]", "name", 1, FIELD_DYNAMIC },
};
static const struct trace_field scan_fields[] = {
	U64("begin_ns"), U64("scan_ns"), U64("end_ns"), U64("kernel"), U64("user"), U64("page_cache"),
	U64("ptes"), U64("young"), U64("tables"), U64("tables_cold"), U64("rss"), U32("seq"), U32("groups"),
	U32("mms"), U32("mms_skipped"), U32("interval_ms"), U32("group_kb"), U32("kernel_leaf_kb"), U32("pids"),
	U32("flags"), U32("flush"), U32("write"), U32("cpu_max"), U32("parts"), U64("harvest_ns"),
};

struct ids {
	int group, batch, node, task, virt, vma, vma_age, scan;
};

#define N(x)	{ .number = (x) }

static void add_nodes(struct trace_file *t, const struct ids *ids, uint32_t seq, uint64_t ts)
{
	uint32_t node;

	for (node = 0; node < 2; node++)
		trace_file_add(t, 0, ts, ids->node, 0, (struct trace_value[]){
			N((uint64_t)node << 26), N((uint64_t)(node + 1) << 26), N(seq), N(node) });
}

/* Half of the groups in odd intervals by themselves; else in one batch. */
static uint32_t add_groups(struct trace_file *t, const struct ids *ids, uint32_t seq, uint64_t ts,
			   uint64_t sums[3])
{
	unsigned char data[8 * NR_GROUPS], *p = data;
	uint32_t i, n = 0, left_out = 0;

	for (i = 0; i < NR_GROUPS; i++, left_out++) {
		const uint32_t kernel = i % 7 == seq % 7 ? 3 : 0, user = (i + seq) % 3 ? 0 : 1 + i;

		if (!kernel && !user)
			continue;
		n++;
		sums[0] += kernel;
		sums[1] += user;
		if (seq % 2) {
			trace_file_add(t, 0, ts + i, ids->group, 0, (struct trace_value[]){
				N((uint64_t)i * GROUP_KB << 10), N(seq), N(kernel), N(user), N(0), N(i % 2) });
			continue;
		}
		*p++ = (left_out < 15 ? left_out : 15) << 4 | (i % 2) << 3 | (kernel ? 1 : 0) | (user ? 2 : 0);
		if (left_out >= 15)
			*p++ = left_out - 15;
		if (kernel)
			*p++ = kernel;
		if (user > 127)
			*p++ = 128 | (user & 127);
		if (user)
			*p++ = user > 127 ? user >> 7 : user;
		left_out = -1;
	}
	if (p > data)
		trace_file_add(t, 0, ts, ids->batch, 0, (struct trace_value[]){
			N(seq), N(GROUP_KB), N(0), { .bytes = data, .size = p - data } });
	return n;
}

static void add_tasks(struct trace_file *t, const struct ids *ids, uint32_t seq, uint64_t ts)
{
	static const char names[3][16] = { "database", "idle", "b\374ro" };
	static const char * const mappings[4] = { "[heap]", "/usr/lib/libm\374ll.so", "[anon:a cache]", "/a \",b\\n" };
	uint32_t i;

	for (i = 0; i < 3; i++)
		trace_file_add(t, 1, ts + i, ids->task, 0, (struct trace_value[]){
			N(1000 * i + seq), N(i * seq), N(5000), N(seq), N(100 + i),
			{ .bytes = names[i], .size = 16 } });
	/* Each is a mapping; where two are one piece, its pages count twice. */
	for (i = 0; i < 4; i++) {
		const uint64_t piece = i * seq % 16, addr = 0x7f0000000000ULL + (piece << 21);

		trace_file_add(t, 1, ts + 3 + i, ids->vma, 0, (struct trace_value[]){
			N(addr), N(addr + (2 << 20)), N(seq), N(100),
			{ .bytes = mappings[piece % 4], .size = strlen(mappings[piece % 4]) + 1 } });
		trace_file_add(t, 1, ts + 3 + i, ids->virt, 0, (struct trace_value[]){
			N(addr), N(seq), N(100), N(seq % 512), N(i) });
	}
}

/* The pages of two processes, by age: a heap, and a file that both have. */
static void add_ages(struct trace_file *t, const struct ids *ids, uint32_t seq, uint64_t ts)
{
	static const char * const mappings[2] = { "[heap]", "/usr/lib/libm\374ll.so" };
	uint32_t i, pages[2][9] = { { 0 } };

	for (i = 0; i < 4; i++) {
		pages[i % 2][seq % 9] += 100 + i;
		trace_file_add(t, 1, ts + i, ids->vma_age, 0, (struct trace_value[]){
			N(0x7f0000000000ULL), N(0x7f0000400000ULL), N(seq), N(100 + i / 2),
			{ .bytes = i < 2 ? "database\0\0\0\0\0\0\0" : "idle\0\0\0\0\0\0\0\0\0\0\0", .size = 16 },
			{ .bytes = pages[0], .size = sizeof(pages[0]) }, { .bytes = pages[1], .size = sizeof(pages[1]) },
			{ .bytes = mappings[i % 2], .size = strlen(mappings[i % 2]) + 1 } });
	}
}

/** memref_recording() - so many intervals of 100 ms */
struct trace_file *memref_recording(unsigned int intervals)
{
	struct trace_file *t = trace_file_new("memref", 2);
	const struct ids ids = {
		trace_file_define(t, "memref_log_data", group_fields, NR(group_fields)),
		trace_file_define(t, "memref_batch", batch_fields, NR(batch_fields)),
		trace_file_define(t, "memref_node", node_fields, NR(node_fields)),
		trace_file_define(t, "memref_task", task_fields, NR(task_fields)),
		trace_file_define(t, "memref_virt", virt_fields, NR(virt_fields)),
		trace_file_define(t, "memref_vma", vma_fields, NR(vma_fields)),
		trace_file_define(t, "memref_vma_age", vma_age_fields, NR(vma_age_fields)),
		trace_file_define(t, "memref_scan", scan_fields, NR(scan_fields)),
	};
	uint32_t seq, groups;

	for (seq = 1; seq <= intervals; seq++) {
		const uint64_t end = 100 * MS * seq, begin = end - 100 * MS;
		uint64_t sums[3] = { 0 };

		add_nodes(t, &ids, seq, end + 1000);
		groups = add_groups(t, &ids, seq, end + 2000, sums);
		add_tasks(t, &ids, seq, end + 3000);
		add_ages(t, &ids, seq, end + 3500);
		trace_file_add(t, 0, end + 4000, ids.scan, 0, (struct trace_value[]){
			N(begin), N(end), N(end + MS), N(sums[0]), N(sums[1]), N(sums[2]), N(10000), N(sums[1]),
			N(20), N(5), N(15000), N(seq), N(groups), N(3), N(0), N(100), N(GROUP_KB), N(2048), N(1),
			N(32), N(1), N(1), N(0), N(1), N(MS) });
	}
	return t;
}
