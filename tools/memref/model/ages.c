// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Idle ages: pages by the number of intervals since their last reference. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "ages.h"

_Static_assert(AGE_PATH >= MAPPING_NAME, "an entry has place for a path and for a name");

const char * const age_by_names[NR_AGE_BY] = {
	"total", "class", "cgroup", "node", "process", "mapping", "file"
};
const char * const age_class_names[NR_AGE_CLASSES] = { "kernel", "anon", "file", "page_cache" };

/* The key is hashed with all of its bytes. */
static struct age_entry_key make_key(uint64_t id, const char *comm, const char *name)
{
	struct age_entry_key key = { .id = id };

	memcpy(key.comm, comm, strnlen(comm, sizeof(key.comm) - 1));
	memcpy(key.name, name, strnlen(name, sizeof(key.name) - 1));
	return key;
}

static struct age_entry *look_up(const struct ages *a, const struct age_entry_key *key)
{
	struct age_entry *e;

	HASH_FIND(hh, a->by_key, key, sizeof(*key), e);
	return e;
}

/* The entry, or NULL without memory. */
static struct age_entry *find_entry(struct ages *a, struct age_entry_key key)
{
	struct age_entry *e = look_up(a, &key), **entries;

	if (!e && a->nr_entries >= MAX_AGE_ENTRIES) {
		key = make_key(0, "", OTHER_AGES);
		e = look_up(a, &key);
	}
	if (e)
		return e;
	entries = array_grow(a->entries, a->nr_entries, &a->entry_capacity, sizeof(*entries));
	if (!entries)
		return NULL;
	a->entries = entries;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->key = key;
	e->index = a->nr_entries;
	a->entries[a->nr_entries++] = e;
	HASH_ADD(hh, a->by_key, key, sizeof(e->key), e);
	return e;
}

/* The key of a row, or -1 without memory. */
static int64_t find_key(struct ages *a, const struct age_row *row)
{
	const struct age_entry *e;

	switch (a->by) {
	case AGES_CLASS:
		return row->class;
	case AGES_CGROUP:
		e = find_entry(a, make_key(row->cgroup, "", row->path));
		return e ? (int64_t)e->index : -1;
	case AGES_NODE:
		return row->node;
	default:
		return 0;
	}
}

/* Have a place in @last for a key.  Return 0, or -1 without memory. */
static int note_key(struct ages *a, uint32_t key)
{
	size_t nr = a->nr_last ? a->nr_last : 64;
	size_t *last;

	if (key < a->nr_last)
		return 0;
	while (nr <= key)
		nr *= 2;
	last = realloc(a->last, nr * sizeof(*last));
	if (!last)
		return -1;
	memset(last + a->nr_last, 0, (nr - a->nr_last) * sizeof(*last));
	a->last = last;
	a->nr_last = nr;
	return 0;
}

/* The sum of an interval and key, or NULL without memory. */
static struct age_sum *sum_of(struct ages *a, uint32_t interval, uint32_t key)
{
	struct age_sum *s;

	if (note_key(a, key))
		return NULL;
	if (a->last[key] && a->sums[a->last[key] - 1].interval == interval)
		return &a->sums[a->last[key] - 1];
	s = array_grow(a->sums, a->nr_sums, &a->capacity, sizeof(*s));
	if (!s)
		return NULL;
	a->sums = s;
	s = &a->sums[a->nr_sums++];
	*s = (struct age_sum){ .interval = interval, .key = key };
	a->last[key] = a->nr_sums;
	return s;
}

static void add_pages(uint64_t sum[AGE_BUCKETS], const uint32_t pages[AGE_BUCKETS])
{
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		sum[b] += pages[b];
}

/**
 * ages_add() - add a histogram
 * @a: the ages
 * @interval: index of its interval, not less than those before
 * @row: the memref_age event; without effect where memref_vma_age events are added up, or if it is damaged
 *
 * Return: 0, or -1 without memory.
 */
int ages_add(struct ages *a, uint32_t interval, const struct age_row *row)
{
	int64_t key;
	struct age_sum *s;

	if (ages_of_mappings(a->by) || row->class >= NR_AGE_CLASSES || row->node > UINT16_MAX)
		return 0;
	key = find_key(a, row);
	s = key < 0 ? NULL : sum_of(a, interval, key);
	if (!s)
		return -1;
	add_pages(s->pages, row->pages);
	add_pages(s->again, row->again);
	return 0;
}

static void free_shares(struct ages *a)
{
	struct age_share *s, *next;

	HASH_ITER(hh, a->shares, s, next) {
		HASH_DEL(a->shares, s);
		free(s);
	}
}

/* What a process has of a file in an interval, or NULL without memory. */
static struct age_share *find_share(struct ages *a, uint32_t interval, uint32_t pid, uint32_t file)
{
	const struct age_share_key key = { pid, file };
	struct age_share *s;

	if (interval != a->share_interval)
		free_shares(a);
	a->share_interval = interval;
	HASH_FIND(hh, a->shares, &key, sizeof(key), s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->key = key;
	HASH_ADD(hh, a->shares, key, sizeof(s->key), s);
	return s;
}

static bool has_pages(const uint32_t pages[AGE_BUCKETS])
{
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		if (pages[b])
			return true;
	return false;
}

static uint64_t all_of(const uint64_t pages[AGE_BUCKETS])
{
	uint64_t all = 0;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		all += pages[b];
	return all;
}

/* A path, of which a long one has lost its begin. */
static bool is_path(const char *name)
{
	return *name == '/' || (!strncmp(name, "...", 3) && name[3]);
}

/* Processes share pages of a file: its histogram is that of the process with the most. */
static int add_of_file(struct ages *a, struct age_sum *sum, const struct vma_age_row *row)
{
	struct age_share *s = find_share(a, sum->interval, row->pid, sum->key);

	if (!s)
		return -1;
	add_pages(s->pages, row->file);
	if (all_of(s->pages) > all_of(sum->pages))
		memcpy(sum->pages, s->pages, sizeof(sum->pages));
	return 0;
}

/**
 * ages_add_vma() - add a histogram of a mapping
 * @a: the ages
 * @interval: index of its interval, not less than those before
 * @row: the memref_vma_age event; without effect where memref_age events are added up
 *
 * Return: 0, or -1 without memory.
 */
int ages_add_vma(struct ages *a, uint32_t interval, const struct vma_age_row *row)
{
	const char *name = a->by == AGES_PROCESS ? "" : row->name;
	const bool of_file = a->by == AGES_FILE;
	struct age_entry *e;
	struct age_sum *s;

	if (!ages_of_mappings(a->by) || (of_file && (!is_path(name) || !has_pages(row->file))))
		return 0;
	e = find_entry(a, of_file ? make_key(0, "", name) : make_key(row->pid, row->comm, name));
	s = e ? sum_of(a, interval, e->index) : NULL;
	if (!s)
		return -1;
	if (of_file)
		return add_of_file(a, s, row);
	add_pages(s->pages, row->anon);
	add_pages(s->pages, row->file);
	return 0;
}

/**
 * ages_free() - free what the ages hold
 * @a: the ages
 */
void ages_free(struct ages *a)
{
	uint32_t i;

	free_shares(a);
	HASH_CLEAR(hh, a->by_key);
	for (i = 0; i < a->nr_entries; i++)
		free(a->entries[i]);
	free(a->entries);
	free(a->last);
	free(a->sums);
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

static void cgroup_name(const struct age_entry_key *key, char *name, size_t size)
{
	if (*key->name)
		snprintf(name, size, "%s", key->name);
	else if (key->id)
		snprintf(name, size, "cgroup %" PRIu64, key->id);
	else
		snprintf(name, size, "none");
}

static bool is_rest(const struct age_entry *e)
{
	return !e->key.id && !strcmp(e->key.name, OTHER_AGES);
}

/**
 * ages_is_rest() - whether a sum is of all entries beyond MAX_AGE_ENTRIES
 * @a: the ages
 * @key: of the sum
 *
 * Return: true or false.
 */
bool ages_is_rest(const struct ages *a, uint32_t key)
{
	return key < a->nr_entries && is_rest(a->entries[key]);
}

static void process_name(const struct age_entry *e, char *name, size_t size)
{
	const char *mapping = e->key.name;

	if (is_rest(e))
		snprintf(name, size, "%s", mapping);
	else
		snprintf(name, size, "%s (%u)%s%s", e->key.comm, (uint32_t)e->key.id, *mapping ? " " : "", mapping);
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
		cgroup_name(&a->entries[key]->key, name, size);
		break;
	case AGES_NODE:
		snprintf(name, size, "%u", key);
		break;
	case AGES_PROCESS:
	case AGES_MAPPING:
		process_name(a->entries[key], name, size);
		break;
	case AGES_FILE:
		snprintf(name, size, "%s", a->entries[key]->key.name);
		break;
	default:
		snprintf(name, size, "total");
	}
	/* A path may have any characters; tables make those of mappings valid UTF-8. */
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == '\177' || (!ages_of_mappings(a->by) && *name & 0x80))
			*name = '?';
}
