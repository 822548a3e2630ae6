/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Idle ages: pages by the number of intervals since their last reference. */
#ifndef MEMREF_AGES_H
#define MEMREF_AGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"
#include "events.h"

/* What rows are added up by: those of memref_age, and from AGES_PROCESS on those of memref_vma_age. */
enum age_by { AGES_TOTAL, AGES_CLASS, AGES_CGROUP, AGES_NODE, AGES_PROCESS, AGES_MAPPING, AGES_FILE, NR_AGE_BY };

extern const char * const age_by_names[NR_AGE_BY];
extern const char * const age_class_names[NR_AGE_CLASSES];

/* Bounds what a damaged recording can make us allocate; the others are one. */
#define MAX_AGE_ENTRIES	65536
#define OTHER_AGES	"(others)"

/* Longest name that age_key_name() makes: a process and the name of a mapping. */
#define AGE_KEY_NAME	(MAPPING_NAME + 32)

/**
 * struct age_entry - what histograms are of: a control group, process, mapping or file
 * @key: the id of a control group (0: none, or it is not known) or the pid, the name of the process, and
 *	a path or the name of mappings; all bytes count
 * @index: its number, in the order in which they were seen
 */
struct age_entry {
	struct age_entry_key {
		uint64_t id;
		char comm[16], name[AGE_PATH];
	} key;
	uint32_t index;
	UT_hash_handle hh;
};

/* Pages of a file in the mappings of a process, in one interval. */
struct age_share {
	struct age_share_key {
		uint32_t pid, file;	/* index of the entry */
	} key;
	uint64_t pages[AGE_BUCKETS];
	UT_hash_handle hh;
};

/* A histogram of an interval, of one key: 0, a class, a node, or the index of an entry. */
struct age_sum {
	uint32_t interval, key;
	uint64_t pages[AGE_BUCKETS], again[AGE_BUCKETS];
};

/**
 * struct ages - the histograms of a recording
 * @by: what they are added up by; set before the first event
 * @has_vma: there was a memref_vma_age event
 * @sums: by interval and key
 * @nr_sums: number of @sums
 * @entries: the control groups, processes, mappings or files seen
 * @nr_entries: number of @entries
 */
struct ages {
	enum age_by by;
	bool has_vma;
	struct age_sum *sums;
	size_t nr_sums;
	struct age_entry **entries;
	uint32_t nr_entries;

	/* Private to ages.c. */
	size_t capacity, entry_capacity;
	struct age_entry *by_key;	/* a hash */
	size_t *last;			/* by key: index + 1 of its last sum */
	size_t nr_last;
	struct age_share *shares;	/* a hash, of @share_interval */
	uint32_t share_interval;
};

/* Whether memref_vma_age events are added up, which lack what was referenced again. */
static inline bool ages_of_mappings(enum age_by by)
{
	return by >= AGES_PROCESS;
}

int ages_add(struct ages *a, uint32_t interval, const struct age_row *row);
int ages_add_vma(struct ages *a, uint32_t interval, const struct vma_age_row *row);
void ages_free(struct ages *a);
uint32_t age_from(int bucket);
void age_key_name(const struct ages *a, uint32_t key, char *name, size_t size);
bool ages_is_rest(const struct ages *a, uint32_t key);

#endif
