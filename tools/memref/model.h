/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a recording says: intervals, and groups of physical memory.  Grows with
 * the number of intervals and of groups, not of events.
 */
#ifndef MEMREF_MODEL_H
#define MEMREF_MODEL_H

#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

enum class { KERNEL, USER, PAGE_CACHE, NR_CLASSES };

extern const char * const class_names[NR_CLASSES];

/* The flags of memref_scan, Documentation/trace/memref.rst. */
enum {
	SCAN_RECLAIM = 1, SCAN_SKIPPED = 2, SCAN_LATE = 4, SCAN_EXITED = 8,
	SCAN_ON_DEMAND = 16, SCAN_SELECTED = 32,
};

/* A memref_log_data event. */
struct group_row {
	uint64_t phys_addr;
	uint32_t seq;
	uint32_t pages[NR_CLASSES];
	uint32_t written;
};

/* A memref_scan event; times in ns of CLOCK_MONOTONIC. */
struct scan_row {
	uint64_t begin_ns, scan_ns, end_ns;
	uint64_t pages[NR_CLASSES];
	uint64_t ptes, young;
	uint32_t seq, groups, mms, mms_skipped, interval_ms, group_kb, kernel_leaf_kb;
	uint32_t pids, flags, flush, write;
};

/* An interval: its memref_scan, and the sums of its groups. */
struct interval {
	struct scan_row scan;
	uint32_t groups;			/* referenced at all */
	uint32_t class_groups[NR_CLASSES];	/* through each class */
	uint32_t written_groups;
};

/* A group over the whole recording. */
struct group {
	uint64_t phys_addr;
	uint32_t intervals;			/* in which it was referenced */
	uint32_t class_intervals[NR_CLASSES];
	uint32_t written_intervals;
	uint64_t pages[NR_CLASSES];		/* sum over the intervals */
	UT_hash_handle hh;
};

struct model {
	char host[256];				/* name and kernel of the machine */
	struct interval *intervals;
	size_t nr_intervals, room;
	struct group *groups;			/* a hash by phys_addr */
	uint64_t lost_events;
	uint64_t missing;			/* intervals without their memref_scan */
	uint64_t incomplete;			/* intervals without some of their groups */
	struct interval open;			/* rows whose memref_scan is to come */
	int is_open;
	uint32_t last_seq;			/* of the last interval; 0: none */
};

void model_init(struct model *m);
void model_free(struct model *m);
int model_add_group(struct model *m, const struct group_row *row);
int model_add_scan(struct model *m, const struct scan_row *row);
void model_end(struct model *m);

uint64_t interval_pages(const struct interval *i);
double interval_seconds(const struct interval *i);
double interval_time(const struct model *m, size_t i);

#endif
