/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * What a recording says: intervals, groups of physical memory, processes,
 * nodes.  Grows with the number of these, not of events.
 */
#ifndef MEMREF_MODEL_H
#define MEMREF_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "memref/read/events.h"
#include "heat.h"
#include "thp.h"

extern const char * const class_names[NR_CLASSES];

/* What a damaged recording may have. */
#define MAX_NODES 1024
#define MAX_SPANS 65536

#define PAGES_TO_MIB (4096.0 / (1 << 20))

/**
 * struct window - the part of a recording that is looked at
 * @from: seconds since the recording began: intervals that end before are out
 * @to: intervals that begin at or after it are out; 0: none
 * @addr: groups of memory that end before it are out: of physical memory, and
 *	of virtual memory where that is looked at
 * @addr_end: groups that begin at or after it are out; 0: none
 * @pid: the process whose virtual addresses are of interest; 0: any
 */
struct window {
	double from, to;
	uint64_t addr, addr_end;
	uint32_t pid;
};

/* The pages of an interval that are on one node. */
struct node_pages {
	uint64_t pages[NR_CLASSES];
};

/* An interval: its memref_scan, and the sums of its groups. */
struct interval {
	struct scan_row scan;
	uint32_t groups;			/* referenced at all */
	uint32_t class_groups[NR_CLASSES];	/* through each class */
	uint32_t written_groups;
	uint64_t pages[NR_CLASSES];		/* in the window */
	struct node_pages *nodes;		/* nr_nodes of them, or NULL */
	uint32_t nr_nodes;
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

/* A process over the whole recording. */
struct task {
	struct task_key {
		uint32_t pid;
		char comm[16];
	} key;
	uint32_t intervals;			/* in which it referenced memory */
	uint64_t pages, max_pages;		/* sum over the intervals, and most */
	uint64_t written, rss_max;
	UT_hash_handle hh;
};

/* A span of physical memory that belongs to a node. */
struct node_span {
	uint64_t start, end;
	uint32_t node;
};

/* An event whose interval is not complete yet. */
struct pending {
	enum { PENDING_GROUP, PENDING_TASK, PENDING_VIRT } type;
	union {
		struct group_row group;
		struct task_row task;
		struct virt_row virt;
	};
};

struct model {
	char host[256];				/* name and kernel of the machine */
	struct window window;			/* set before the first event */
	struct interval *intervals;
	size_t nr_intervals, room;
	struct group *groups;			/* a hash by phys_addr */
	struct task *tasks;			/* a hash by pid and name */
	struct node_span *spans;		/* disjoint, in the order of addresses */
	size_t nr_spans;
	bool has_node[MAX_NODES];
	uint32_t nr_nodes;			/* highest node + 1; 0: not told */
	struct heat heat;			/* by physical address */
	struct heat virt;			/* by virtual address */
	struct thp thp;				/* of the window's process: virtual memory */
	uint32_t virt_pids[16];			/* the first ones, and the window's */
	uint32_t nr_virt_pids;
	uint64_t lost_events;
	uint64_t missing;			/* intervals without their memref_scan */
	uint64_t outside;			/* intervals that are not in the window */
	uint64_t incomplete;			/* intervals without some of their groups */

	/* Private to model.c. */
	struct pending *pending;
	size_t nr_pending, pending_room;
	uint32_t pending_seq;
	uint32_t last_seq;			/* of the last interval; 0: none */
	int last_kept;				/* it is in the window */
	uint64_t begin_ns, end_ns;		/* of the recording */
};

void model_init(struct model *m);
void model_free(struct model *m);
int model_add_group(struct model *m, const struct group_row *row);
int model_add_node(struct model *m, const struct node_row *row);
int model_add_task(struct model *m, const struct task_row *row);
int model_add_virt(struct model *m, const struct virt_row *row);
int model_add_scan(struct model *m, const struct scan_row *row);
void model_end(struct model *m);

uint64_t interval_pages(const struct interval *i);
double interval_seconds(const struct interval *i);
double interval_time(const struct model *m, size_t i);
double model_seconds(const struct model *m);
int model_has_rss(const struct model *m);
int model_has_writes(const struct model *m);
const char *flush_name(uint32_t flush);
int model_node(const struct model *m, uint64_t phys_addr);

#endif
