/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The events of the trace system memref: see Documentation/trace/memref.rst. */
#ifndef MEMREF_EVENTS_H
#define MEMREF_EVENTS_H

#include <stdint.h>

enum class { KERNEL, USER, PAGE_CACHE, NR_CLASSES };

/* Flags of memref_scan. */
enum {
	SCAN_RECLAIM = 1, SCAN_SKIPPED = 2, SCAN_LATE = 4, SCAN_EXITED = 8,
	SCAN_ON_DEMAND = 16, SCAN_SELECTED = 32, SCAN_STRETCHED = 64, SCAN_DAMON = 128,
	SCAN_CLEARED = 256, SCAN_MOVED = 512, SCAN_HOTPLUG = 1024,
	SCAN_FAULT_AROUND = 2048, SCAN_VMA_AGES_PART = 4096,
};

/* A memref_log_data event, or a group of a memref_batch. */
struct group_row {
	uint64_t phys_addr;
	uint32_t seq;
	uint32_t pages[NR_CLASSES];
	uint32_t written;
};

/* A memref_node event: physical addresses from start to below end belong to node. */
struct node_row {
	uint64_t start, end;
	uint32_t seq, node;
};

/* A memref_task event: the pages that a process referenced. */
struct task_row {
	uint64_t pages, written, rss;
	uint32_t seq, pid;
	char comm[16];
};

/* A memref_virt event: 2 MiB of a process's virtual memory, from addr on.  @worker: the thread that wrote it. */
#define VIRT_BLOCK	(2 << 20)

struct virt_row {
	uint64_t addr;
	uint32_t seq, pid, pages, written, worker;
};

/*
 * A memref_vma event: a mapping of a process.  The memref_virt events that the same thread writes up to its
 * next of these, and whose addresses are within it, are of it.
 */
#define MAPPING_NAME	128	/* longer ones are cut */

struct vma_row {
	uint64_t start, end;
	uint32_t seq, pid, worker;
	char name[MAPPING_NAME];
};

/*
 * A memref_age event: pages by the intervals since their last reference, and those
 * referenced in the interval by their age before.  Ages of the buckets: 0, 1, from 2 on,
 * from 4 on, and so on to 128.
 */
#define AGE_BUCKETS	9
#define AGE_PATH	128	/* of a control group; longer ones are cut */

enum age_class { AGE_KERNEL, AGE_ANON, AGE_FILE, AGE_CACHE, NR_AGE_CLASSES };

struct age_row {
	uint64_t cgroup;
	uint32_t seq, node, class;
	uint32_t pages[AGE_BUCKETS], again[AGE_BUCKETS];
	char path[AGE_PATH];
};

/*
 * A memref_vma_age event: pages in the page tables of a process from start to end, by the intervals
 * since their last reference; anonymous memory, and others.  A mapping may come in several.
 */
struct vma_age_row {
	uint64_t start, end;
	uint32_t seq, pid;
	char comm[16];
	uint32_t anon[AGE_BUCKETS], file[AGE_BUCKETS];
	char name[MAPPING_NAME];
};

/* A memref_scan event; times in ns of CLOCK_MONOTONIC.  @parts is 0, for 1, of kernels without memref/parts. */
struct scan_row {
	uint64_t begin_ns, scan_ns, end_ns;
	uint64_t pages[NR_CLASSES];
	uint64_t ptes, young, tables, tables_cold, rss, harvest_ns;
	uint32_t seq, groups, mms, mms_skipped, interval_ms, group_kb, kernel_leaf_kb;
	uint32_t pids, flags, flush, write, cpu_max, parts;
};

enum row_type { ROW_GROUP, ROW_NODE, ROW_TASK, ROW_VIRT, ROW_VMA, ROW_AGE, ROW_VMA_AGE, ROW_SCAN };

/* An event, or a group of a memref_batch event; ts is in the trace's clock. */
struct row {
	enum row_type type;
	uint64_t ts;
	union {
		struct group_row group;
		struct node_row node;
		struct task_row task;
		struct virt_row virt;
		struct vma_row vma;
		struct age_row age;
		struct vma_age_row vma_age;
		struct scan_row scan;
	};
};

static inline uint32_t row_seq(const struct row *row)
{
	switch (row->type) {
	case ROW_GROUP: return row->group.seq;
	case ROW_NODE: return row->node.seq;
	case ROW_TASK: return row->task.seq;
	case ROW_VIRT: return row->virt.seq;
	case ROW_VMA: return row->vma.seq;
	case ROW_AGE: return row->age.seq;
	case ROW_VMA_AGE: return row->vma_age.seq;
	case ROW_SCAN: return row->scan.seq;
	}
	return 0;
}

#endif
