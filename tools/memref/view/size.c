// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The memory limits that control groups need. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memref/model/size.h"
#include "size.h"

#define TOO_FEW "too few intervals have its ages"

const struct columns size_columns = COLUMNS(
	{ "cgroup", CELL_TEXT, 0, "", "control group, with those below it" },
	{ "intervals", CELL_INT, 0, "intervals",
	  "intervals that count: of --from and --until, but for the first quarter of the recording, and those behind a lost one" },
	{ "seconds", CELL_REAL, 3, "s", "their length" },
	{ "memory_mib", CELL_REAL, 3, "MiB", "memory charged to it that has ages, mean of the intervals", TOO_FEW },
	{ "low_mib", CELL_REAL, 3, "MiB", "lower end of the 95 % interval of the limit", TOO_FEW },
	{ "estimate_mib", CELL_REAL, 3, "MiB",
	  "the smallest limit of this memory with which there are not more refaults, or not more slowdown, than requested", TOO_FEW },
	{ "high_mib", CELL_REAL, 3, "MiB", "upper end of its 95 % interval", TOO_FEW },
	{ "limit_mib", CELL_REAL, 3, "MiB", "the limit to set: high_mib and --extra", TOO_FEW },
	{ "saved_mib", CELL_REAL, 3, "MiB", "memory above high_mib, mean of the intervals", TOO_FEW },
	{ "refaults_per_s", CELL_REAL, SIGNIFICANT(3), "1/s", "refaults expected with the limit", TOO_FEW },
	{ "slowdown_pct", CELL_REAL, SIGNIFICANT(3), "%",
	  "time that these and the evictions take, of the time of the recording", TOO_FEW },
	{ "evictions_per_s", CELL_REAL, SIGNIFICANT(3), "1/s",
	  "pages evicted for such that are new, expected with the limit", TOO_FEW },
);

/* The mean of the memory, and of that above @limit. */
static void mean_memory(const struct size_step *steps, size_t nr, double limit, double *memory, double *above)
{
	size_t i;

	*memory = *above = 0;
	for (i = 0; i < nr; i++) {
		*memory += steps[i].total / (double)nr;
		*above += fmax(steps[i].total - limit, 0) / nr;
	}
}

static int add_row(const char *name, const struct size_step *steps, size_t nr, const struct size_question *q,
		   struct table *t)
{
	double seconds = 0, memory, above, rate, evictions, taken;
	const struct size_price price = {
		.refault = q->refaults >= 0 ? 1 : q->refault_us,
		.evict = q->refaults >= 0 ? 0 : q->evict_us,
		.allowed = q->refaults >= 0 ? q->refaults : q->slowdown * 1e4,
	};
	const struct size_price times = { .refault = q->refault_us, .evict = q->evict_us };
	struct size size;
	size_t i;

	for (i = 0; i < nr; i++)
		seconds += steps[i].seconds;
	if (nr < SIZE_MIN_STEPS)
		return table_add(t, (struct cell[]){
			TEXT_CELL(name), INT_CELL(nr), REAL_CELL(seconds), NONE_CELL, NONE_CELL, NONE_CELL,
			NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL });
	if (size_limit(steps, nr, &price, &size))
		return -1;
	mean_memory(steps, nr, size.high, &memory, &above);
	rate = size_rate(steps, nr, ceil(size.high), SIZE_ESTIMATE);
	evictions = size_evictions(steps, nr, ceil(size.high));
	taken = size_cost(steps, nr, ceil(size.high), &times);
	return table_add(t, (struct cell[]){
		TEXT_CELL(name), INT_CELL(nr), REAL_CELL(seconds), REAL_CELL(memory * PAGES_TO_MIB),
		REAL_CELL(size.low * PAGES_TO_MIB), REAL_CELL(size.estimate * PAGES_TO_MIB),
		REAL_CELL(size.high * PAGES_TO_MIB),
		REAL_CELL(size.high * PAGES_TO_MIB + q->extra / (double)(1 << 20)),
		REAL_CELL(above * PAGES_TO_MIB), REAL_CELL(rate), REAL_CELL(taken * 1e-4), REAL_CELL(evictions) });
}

static void too_few(const char *group, size_t nr, char *error, size_t size)
{
	snprintf(error, size, "control group %s: %zu intervals with its ages count, besides the first quarter, which is "
		 "left out; at least %d are needed: record for longer, or with a shorter --interval",
		 group, nr, SIZE_MIN_STEPS);
}

/* The row of a group.  Return 0, -1 without memory, or 1 with @error set if there is none. */
static int add_group(const struct model *m, const char *path, const struct size_question *q, struct table *t,
		     char *error, size_t size)
{
	struct size_step *steps;
	char name[AGE_PATH];
	size_t nr, i;
	int ret = 0;

	if (size_steps(m, path, &q->window, &steps, &nr))
		return -1;
	snprintf(name, sizeof(name), "%s", path);
	/* A path may have any characters. */
	for (i = 0; name[i]; i++)
		if (name[i] < ' ' || name[i] > '~')
			name[i] = '?';
	if (q->cgroup && nr < SIZE_MIN_STEPS) {
		too_few(name, nr, error, size);
		ret = 1;
	} else if (add_row(name, steps, nr, q, t)) {
		ret = -1;
	}
	free(steps);
	return ret;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

/* Return 0, or 1 with @error set if none of the rows has an estimate: that with the most intervals is named. */
static int check_rows(const struct table *t, char *error, size_t size)
{
	size_t i, most = 0;

	for (i = 0; i < t->nr_cells; i += t->nr_columns)
		if (t->cells[i + 1].integer > t->cells[most + 1].integer)
			most = i;
	if (!t->nr_cells || t->cells[most + 1].integer >= SIZE_MIN_STEPS)
		return 0;
	too_few(t->cells[most].text, t->cells[most + 1].integer, error, size);
	return 1;
}

/*
 * A row for each path; groups that are gone have none, and one that was made anew has two ids.
 * Return 0, -1 without memory, or 1 with @error set if no group has enough intervals.
 */
static int add_groups(const struct model *m, const struct size_question *q, struct table *t, char *error, size_t size)
{
	const char **paths = calloc(m->ages.nr_entries + 1, sizeof(*paths));
	size_t nr = 0, i;
	int failed = !paths;

	for (i = 0; paths && i < m->ages.nr_entries; i++)
		if (*m->ages.entries[i]->key.name)
			paths[nr++] = m->ages.entries[i]->key.name;
	if (paths)
		qsort(paths, nr, sizeof(*paths), by_path);
	for (i = 0; i < nr && !failed; i++)
		if (!i || strcmp(paths[i], paths[i - 1]))
			failed = add_group(m, paths[i], q, t, NULL, 0);
	free(paths);
	return failed ? -1 : check_rows(t, error, size);
}

static bool has_group(const struct model *m, const char *path)
{
	const size_t n = strcmp(path, "/") ? strlen(path) : 0;
	size_t i;

	for (i = 0; i < m->ages.nr_entries; i++) {
		const char *of = m->ages.entries[i]->key.name;

		if (*of && !strncmp(of, path, n) && (!n || !of[n] || of[n] == '/'))
			return true;
	}
	return false;
}

/**
 * size_table() - the limits of control groups
 * @m: the model, with ages by control group
 * @q: the question
 * @t: the table; free it with table_free()
 * @error: set if there is no answer
 * @size: of @error
 *
 * Return: 0, -1 without memory, or 1 with @error set.
 */
int size_table(const struct model *m, const struct size_question *q, struct table *t, char *error, size_t size)
{
	table_init_columns(t, &size_columns);
	if (!q->cgroup)
		return add_groups(m, q, t, error, size);
	if (!has_group(m, q->cgroup)) {
		snprintf(error, size, "no memory of control group %s has ages: memref report ages --by cgroup lists those "
			 "of the recording", q->cgroup);
		return 1;
	}
	return add_group(m, q->cgroup, q, t, error, size);
}
