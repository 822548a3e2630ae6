// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Idle ages: pages by the number of intervals since their last reference. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ages.h"

const char * const age_by_names[NR_AGE_BY] = { "total", "class", "cgroup", "node" };
const char * const age_class_names[NR_AGE_CLASSES] = { "kernel", "anon", "file", "page_cache" };

/* Make room for one more element.  Return 0, or -1 without memory. */
static int grow(void **array, size_t n, size_t *capacity, size_t size)
{
	void *grown;

	if (n < *capacity)
		return 0;
	*capacity = *capacity ? *capacity * 2 : 64;
	grown = realloc(*array, *capacity * size);
	if (!grown)
		return -1;
	*array = grown;
	return 0;
}

/* The index of a row's cgroup, or -1 without memory.  With too many, the others are the first. */
static int64_t find_cgroup(struct ages *a, const struct age_row *row)
{
	uint32_t i;

	for (i = 0; i < a->nr_cgroups; i++)
		if (a->cgroups[i].id == row->cgroup && !strcmp(a->cgroups[i].path, row->path))
			return i;
	if (i == MAX_AGE_CGROUPS)
		return 0;
	if (grow((void **)&a->cgroups, i, &a->cgroup_capacity, sizeof(*a->cgroups)))
		return -1;
	a->cgroups[i].id = row->cgroup;
	snprintf(a->cgroups[i].path, sizeof(a->cgroups[i].path), "%s", row->path);
	a->nr_cgroups++;
	return i;
}

static int64_t find_key(struct ages *a, const struct age_row *row)
{
	switch (a->by) {
	case AGES_CLASS:
		return row->class;
	case AGES_CGROUP:
		return find_cgroup(a, row);
	case AGES_NODE:
		return row->node;
	default:
		return 0;
	}
}

/**
 * ages_add() - add a histogram
 * @a: the ages
 * @interval: index of its interval, not less than those before
 * @row: the memref_age event
 *
 * Return: 0, or -1 without memory.
 */
int ages_add(struct ages *a, uint32_t interval, const struct age_row *row)
{
	int64_t key = find_key(a, row);
	struct age_sum *s = NULL;
	size_t i;
	int b;

	if (key < 0)
		return -1;
	for (i = a->nr_sums; i-- && a->sums[i].interval == interval; ) {
		if (a->sums[i].key != key)
			continue;
		s = &a->sums[i];
		break;
	}
	if (!s) {
		if (grow((void **)&a->sums, a->nr_sums, &a->capacity, sizeof(*s)))
			return -1;
		s = &a->sums[a->nr_sums++];
		memset(s, 0, sizeof(*s));
		s->interval = interval;
		s->key = key;
	}
	for (b = 0; b < AGE_BUCKETS; b++) {
		s->pages[b] += row->pages[b];
		s->again[b] += row->again[b];
	}
	return 0;
}

/**
 * ages_free() - free what the ages hold
 * @a: the ages
 */
void ages_free(struct ages *a)
{
	free(a->sums);
	free(a->cgroups);
}

/**
 * age_from() - the smallest age of a bucket of a histogram
 * @bucket: its index
 *
 * Return: intervals.
 */
uint32_t age_from(int bucket)
{
	return bucket ? 1u << (bucket - 1) : 0;
}

/**
 * age_key_name() - name what a sum is of
 * @a: the ages
 * @key: of the sum
 * @name: set to the name
 * @size: of @name
 */
void age_key_name(const struct ages *a, uint32_t key, char *name, size_t size)
{
	switch (a->by) {
	case AGES_CLASS:
		snprintf(name, size, "%s", key < NR_AGE_CLASSES ? age_class_names[key] : "?");
		break;
	case AGES_CGROUP:
		if (!a->cgroups[key].id)
			snprintf(name, size, "none");
		else if (*a->cgroups[key].path)
			snprintf(name, size, "%s", a->cgroups[key].path);
		else
			snprintf(name, size, "cgroup %" PRIu64, a->cgroups[key].id);
		break;
	case AGES_NODE:
		snprintf(name, size, "%u", key);
		break;
	default:
		snprintf(name, size, "total");
	}
	/* A path may have any characters. */
	for (; *name; name++)
		if (*name < ' ' || *name > '~')
			*name = '?';
}
