/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * A recording in memory: intervals, groups of physical memory, processes, nodes.
 * Its size grows with the number of these, not with the number of events.
 */
#ifndef MEMREF_MODEL_H
#define MEMREF_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "lib/record/pids.h"
#include "events.h"
#include "ages.h"
#include "heat.h"
#include "mappings.h"
#include "thp.h"

extern const char * const class_names[NR_CLASSES];

/* Limits that keep a damaged recording from exhausting memory. */
#define MAX_NODES 1024
#define MAX_SPANS 65536

#define PAGES_TO_MIB (4096.0 / (1 << 20))

/**
 * struct window - the part of a recording to load
 * @from: exclude intervals that end by this time, in seconds since the recording began
 * @to: exclude intervals that begin at or after this time; 0: no limit
 * @addr: exclude memory that ends at or below this address: groups by their physical
 *	address, memref_virt events by their virtual address
 * @addr_end: exclude memory that begins at or above this address; 0: no limit
 * @pids: exclude memref_virt and memref_vma_age events of other processes; none: exclude none
 * @mapping: exclude these events of mappings whose name does not contain this; NULL: none
 * @by: what idle ages are added up by
 */
struct window {
	double from, to;
	uint64_t addr, addr_end;
	struct pids pids;
	const char *mapping;
	enum age_by by;
};

/* The pages of an interval that are on one node. */
struct node_pages {
	uint64_t pages[NR_CLASSES];
};

/* An interval: its memref_scan, and the sums of its groups. */
struct interval {
	struct scan_row scan;
	uint32_t groups;			/* referenced through any class */
	uint32_t class_groups[NR_CLASSES];	/* referenced through each class */
	uint32_t written_groups;
	uint64_t pages[NR_CLASSES];		/* in the window */
	struct node_pages *nodes;		/* nr_nodes of them, or NULL */
	uint32_t nr_nodes;
};

/* A group over the whole recording. */
struct group {
	uint64_t phys_addr;
	uint32_t intervals;			/* in which the group was referenced */
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
	uint32_t intervals;			/* in which the process referenced memory */
	uint64_t pages, max_pages;		/* sum and maximum over the intervals */
	uint64_t written, rss_max;
	UT_hash_handle hh;
};

/* A span of physical memory that belongs to a node. */
struct node_span {
	uint64_t start, end;
	uint32_t node;
};

/* An event of an interval whose memref_scan has not been read yet. */
struct pending {
	enum { PENDING_GROUP, PENDING_TASK, PENDING_VIRT, PENDING_VMA, PENDING_AGE, PENDING_VMA_AGE } type;
	union {
		struct group_row group;
		struct task_row task;
		struct virt_row virt;
		struct vma_row vma;
		struct age_row age;
		struct vma_age_row vma_age;
	};
};

struct model {
	char host[256];				/* name and kernel of the machine */
	struct window window;			/* set before the first event */
	struct interval *intervals;
	size_t nr_intervals, capacity;
	struct group *groups;			/* a hash by phys_addr */
	struct task *tasks;			/* a hash by pid and name */
	struct node_span *spans;		/* disjoint, in the order of addresses */
	size_t nr_spans;
	bool has_node[MAX_NODES];
	uint32_t nr_nodes;			/* highest node + 1; 0: no memref_node events */
	struct heat heat;			/* by physical address */
	struct heat virt;			/* by virtual address */
	struct thp thp;				/* by virtual address if window.pids are set */
	struct mappings mappings;
	struct ages ages;
	uint32_t virt_pids[16];			/* first processes seen, and of window.pids */
	uint32_t nr_virt_pids;
	uint64_t lost_events;
	uint64_t missing;			/* intervals without their memref_scan */
	uint64_t outside;			/* intervals outside the window */
	uint64_t incomplete;			/* intervals without some of their groups */

	/* Private to model.c. */
	struct pending *pending;
	size_t nr_pending, pending_capacity;
	uint32_t pending_seq;
	uint32_t last_seq;			/* seq of the last interval; 0: none */
	int last_kept;				/* whether the last interval is in the window */
	uint64_t begin_ns, end_ns;		/* begin and end of the recording */
};

void model_init(struct model *m);
void model_free(struct model *m);
int model_add_group(struct model *m, const struct group_row *row);
int model_add_node(struct model *m, const struct node_row *row);
int model_add_task(struct model *m, const struct task_row *row);
int model_add_virt(struct model *m, const struct virt_row *row);
int model_add_vma(struct model *m, const struct vma_row *row);
int model_add_age(struct model *m, const struct age_row *row);
int model_add_vma_age(struct model *m, const struct vma_age_row *row);
int model_add_scan(struct model *m, const struct scan_row *row);
int model_add(struct model *m, const struct row *row);
void model_end(struct model *m);

uint64_t interval_pages(const struct interval *i);
uint64_t node_pages_sum(const struct node_pages *n);
double interval_seconds(const struct interval *i);
bool interval_in_window(const struct model *m, const struct window *w, const struct scan_row *row);
double interval_time(const struct model *m, size_t i);
double model_seconds(const struct model *m);
int model_has_rss(const struct model *m);
int model_has_writes(const struct model *m);
const char *flush_name(uint32_t flush);
int model_node(const struct model *m, uint64_t phys_addr);

#endif
