/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Idle ages: pages by the number of intervals since their last reference. */
#ifndef MEMREF_AGES_H
#define MEMREF_AGES_H

#include <stddef.h>
#include <stdint.h>

#include "memref/read/events.h"

/* What rows are added up by. */
enum age_by { AGES_TOTAL, AGES_CLASS, AGES_CGROUP, AGES_NODE, NR_AGE_BY };

extern const char * const age_by_names[NR_AGE_BY];
extern const char * const age_class_names[NR_AGE_CLASSES];

/* Bounds what a damaged recording can make us allocate. */
#define MAX_AGE_CGROUPS 65536

/* A control group that memory was charged to; id 0: none, or it is not known. */
struct age_cgroup {
	uint64_t id;
	char path[AGE_PATH];
};

/* A histogram of an interval, of one key: 0, a class, a node, or an index of cgroups. */
struct age_sum {
	uint32_t interval, key;
	uint64_t pages[AGE_BUCKETS], again[AGE_BUCKETS];
};

/**
 * struct ages - the histograms of a recording
 * @by: what they are added up by; set before the first event
 * @sums: by interval and key
 * @nr_sums: number of @sums
 * @cgroups: the control groups seen
 * @nr_cgroups: number of @cgroups
 */
struct ages {
	enum age_by by;
	struct age_sum *sums;
	size_t nr_sums;
	struct age_cgroup *cgroups;
	uint32_t nr_cgroups;

	/* Private to ages.c. */
	size_t capacity, cgroup_capacity;
};

int ages_add(struct ages *a, uint32_t interval, const struct age_row *row);
void ages_free(struct ages *a);
uint32_t age_from(int bucket);
void age_key_name(const struct ages *a, uint32_t key, char *name, size_t size);

#endif
