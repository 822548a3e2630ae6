// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The metrics of an interval, for monitoring systems. */
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "metrics.h"

/* Names of processes are of their own choice: only so many become labels. */
#define MAX_NAMES	100

#define PAGE_BYTES	4096.0

enum {
	INTERVAL, WORKING_SET, NODE_WORKING_SET, GROUPS, WRITTEN_GROUPS, RESIDENT, SCAN, ENTRIES_READ,
	ENTRIES_YOUNG, TABLES_READ, TABLES_COLD, PROCESSES_SKIPPED, FLAGS,
	/* Of the recording. */
	INTERVALS, MISSING, INCOMPLETE, LOST_EVENTS, PROCESS_WORKING_SET, HOST,
	/* Of idle ages. */
	AGE, CGROUP_AGE,
};

const struct metric memref_metrics[] = {
	[INTERVAL] = { "memref_interval_seconds", "Length of the last interval.", UNIT_SECONDS },
	[WORKING_SET] = { "memref_working_set_bytes", "Memory referenced in the interval, by class of mapping.",
			  UNIT_BYTES, { "class" } },
	[NODE_WORKING_SET] = { "memref_node_working_set_bytes",
			       "Memory of a NUMA node referenced in the interval, by class of mapping.",
			       UNIT_BYTES, { "node", "class" } },
	[GROUPS] = { "memref_groups", "Groups of memory referenced in the interval, by class of mapping.",
		     UNIT_NONE, { "class" } },
	[WRITTEN_GROUPS] = { "memref_groups_written", "Groups of memory written in the interval." },
	[RESIDENT] = { "memref_resident_bytes", "Resident memory of the sampled processes.", UNIT_BYTES },
	[SCAN] = { "memref_scan_seconds", "Time that the sampler took for the interval.", UNIT_SECONDS },
	[ENTRIES_READ] = { "memref_entries_read", "Page-table entries read at the end of the interval." },
	[ENTRIES_YOUNG] = { "memref_entries_young", "Page-table entries found accessed." },
	[TABLES_READ] = { "memref_tables_read", "Page tables read at the end of the interval." },
	[TABLES_COLD] = { "memref_tables_cold", "Page tables skipped because nothing below was accessed." },
	[PROCESSES_SKIPPED] = { "memref_processes_skipped", "Processes whose page tables could not be read." },
	[FLAGS] = { "memref_interval_flags", "Flags of the interval: see memref(5)." },
	[INTERVALS] = { "memref_intervals", "Intervals of the recording, or since memref watch began." },
	[MISSING] = { "memref_intervals_missing", "Of the intervals, those that are missing." },
	[INCOMPLETE] = { "memref_intervals_incomplete", "Of the intervals, those that lack some of their groups." },
	[LOST_EVENTS] = { "memref_lost_events", "Events that the ring buffer dropped." },
	[PROCESS_WORKING_SET] = { "memref_process_working_set_bytes",
				  "Memory that processes of a name referenced in an interval; of a recording, the mean.",
				  UNIT_BYTES, { "comm" } },
	[HOST] = { "memref_host_info", "The machine of the recording.", UNIT_NONE, { "host" } },
	[AGE] = { "memref_age_bytes", "Memory by the intervals since its last reference, by class.",
		  UNIT_BYTES, { "class", "age" } },
	[CGROUP_AGE] = { "memref_cgroup_age_bytes",
			 "Memory charged to a control group by the intervals since its last reference.",
			 UNIT_BYTES, { "cgroup", "age" } },
	{ }
};

static const char * const age_names[AGE_BUCKETS] = {
	"0", "1", "2-3", "4-7", "8-15", "16-31", "32-63", "64-127", "128-"
};

static void add_ages(struct metrics *out, int metric, const char *of, const uint64_t pages[AGE_BUCKETS])
{
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		metrics_add(out, metric, pages[b] * PAGE_BYTES, of, age_names[b]);
}

/* By class only: it is one of few. */
static void add_ages_of_interval(struct metrics *out, const struct ages *a, uint32_t interval)
{
	char class[32];
	size_t i;

	for (i = 0; a->by == AGES_CLASS && i < a->nr_sums; i++) {
		if (a->sums[i].interval != interval)
			continue;
		age_key_name(a, a->sums[i].key, class, sizeof(class));
		add_ages(out, AGE, class, a->sums[i].pages);
	}
}

static void add_nodes(struct metrics *out, const struct model *m, const struct interval *v)
{
	uint32_t n;
	int c;

	for (n = 0; n < v->nr_nodes; n++)
		for (c = 0; m->has_node[n] && c < NR_CLASSES; c++)
			metrics_add_numbered(out, NODE_WORKING_SET, v->nodes[n].pages[c] * PAGE_BYTES, n,
					     class_names[c]);
}

/**
 * metrics_of_interval() - add the figures of an interval
 * @out: gets them
 * @m: the model
 * @i: index of the interval
 */
void metrics_of_interval(struct metrics *out, const struct model *m, size_t i)
{
	const struct interval *v = &m->intervals[i];
	const struct scan_row *s = &v->scan;
	int c;

	metrics_add(out, INTERVAL, interval_seconds(v), NULL, NULL);
	for (c = 0; c < NR_CLASSES; c++) {
		metrics_add(out, WORKING_SET, v->pages[c] * PAGE_BYTES, class_names[c], NULL);
		metrics_add(out, GROUPS, v->class_groups[c], class_names[c], NULL);
	}
	add_nodes(out, m, v);
	metrics_add(out, WRITTEN_GROUPS, v->written_groups, NULL, NULL);
	if (model_has_rss(m))
		metrics_add(out, RESIDENT, s->rss * PAGE_BYTES, NULL, NULL);
	metrics_add(out, SCAN, s->harvest_ns * 1e-9, NULL, NULL);
	metrics_add(out, ENTRIES_READ, s->ptes, NULL, NULL);
	metrics_add(out, ENTRIES_YOUNG, s->young, NULL, NULL);
	if (s->tables || s->tables_cold) {
		metrics_add(out, TABLES_READ, s->tables, NULL, NULL);
		metrics_add(out, TABLES_COLD, s->tables_cold, NULL, NULL);
	}
	metrics_add(out, PROCESSES_SKIPPED, s->mms_skipped, NULL, NULL);
	metrics_add(out, FLAGS, s->flags, NULL, NULL);
	add_ages_of_interval(out, &m->ages, i);
}

static uint64_t all_ages(const struct age_sum *s)
{
	uint64_t sum = 0;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		sum += s->pages[b];
	return sum;
}

static int by_all_ages(const void *a, const void *b)
{
	const uint64_t x = all_ages(a), y = all_ages(b);

	return x != y ? (x < y) - (x > y) : (int)((const struct age_sum *)a)->key - (int)((const struct age_sum *)b)->key;
}

/**
 * metrics_of_cgroups() - add the idle ages of the largest control groups, and of all others together
 * @out: gets them
 * @a: ages of one interval by control group; their order changes
 */
void metrics_of_cgroups(struct metrics *out, struct ages *a)
{
	uint64_t others[AGE_BUCKETS] = { 0 };
	char path[AGE_KEY_NAME];
	size_t i;
	int b;

	if (a->nr_sums)
		qsort(a->sums, a->nr_sums, sizeof(*a->sums), by_all_ages);
	for (i = 0; i < a->nr_sums; i++) {
		age_key_name(a, a->sums[i].key, path, sizeof(path));
		for (b = 0; i >= MAX_NAMES && b < AGE_BUCKETS; b++)
			others[b] += a->sums[i].pages[b];
		if (i < MAX_NAMES)
			add_ages(out, CGROUP_AGE, path, a->sums[i].pages);
	}
	if (a->nr_sums > MAX_NAMES)
		add_ages(out, CGROUP_AGE, "(others)", others);
}

/* Processes of one name. */
struct name {
	char comm[64];
	double pages;
};

static int by_comm(const void *a, const void *b)
{
	return strcmp(((const struct name *)a)->comm, ((const struct name *)b)->comm);
}

static int by_pages(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->pages != y->pages ? (x->pages < y->pages) - (x->pages > y->pages) : by_comm(a, b);
}

/* Add up the names that are the same once they are valid UTF-8. */
static size_t merge_names(struct name *names, size_t nr)
{
	size_t i, to = 0;

	if (!nr)
		return 0;
	qsort(names, nr, sizeof(*names), by_comm);
	for (i = 1; i < nr; i++) {
		if (strcmp(names[to].comm, names[i].comm))
			names[++to] = names[i];
		else
			names[to].pages += names[i].pages;
	}
	qsort(names, to + 1, sizeof(*names), by_pages);
	return to + 1;
}

/**
 * metrics_of_processes() - add what processes of each name referenced, the mean of all intervals
 * @out: gets them
 * @m: the model, with at least one interval
 */
void metrics_of_processes(struct metrics *out, const struct model *m)
{
	struct name *names = calloc(HASH_COUNT(m->tasks) + 1, sizeof(*names));
	const struct task *k;
	double others = 0;
	size_t nr = 0, i;

	out->no_memory |= !names;
	for (k = m->tasks; names && k; k = k->hh.next) {
		char comm[sizeof(k->key.comm) + 1] = "";

		memcpy(comm, k->key.comm, sizeof(k->key.comm));
		utf8_copy(names[nr].comm, sizeof(names[nr].comm), comm);
		names[nr++].pages = k->pages;
	}
	nr = names ? merge_names(names, nr) : 0;
	for (i = 0; i < nr; i++) {
		if (i < MAX_NAMES)
			metrics_add(out, PROCESS_WORKING_SET, names[i].pages / m->nr_intervals * PAGE_BYTES,
				    names[i].comm, NULL);
		else
			others += names[i].pages;
	}
	if (nr > MAX_NAMES)
		metrics_add(out, PROCESS_WORKING_SET, others / m->nr_intervals * PAGE_BYTES, "(others)", NULL);
	free(names);
}

/**
 * metrics_of_counts() - add what is counted
 * @out: gets it
 * @c: the counts
 */
void metrics_of_counts(struct metrics *out, const struct metrics_counts *c)
{
	metrics_add(out, INTERVALS, c->intervals, NULL, NULL);
	metrics_add(out, MISSING, c->missing, NULL, NULL);
	metrics_add(out, INCOMPLETE, c->incomplete, NULL, NULL);
	metrics_add(out, LOST_EVENTS, c->lost_events, NULL, NULL);
}

/**
 * metrics_of_recording() - add the figures of a whole recording
 * @out: gets them
 * @m: the model, with at least one interval
 */
void metrics_of_recording(struct metrics *out, struct model *m)
{
	metrics_of_counts(out, &(struct metrics_counts){ m->nr_intervals, m->missing, m->incomplete, m->lost_events });
	if (m->tasks)
		metrics_of_processes(out, m);
	metrics_add(out, HOST, 1, m->host, NULL);
}
