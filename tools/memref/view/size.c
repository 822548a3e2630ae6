// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* The memory limits that control groups need. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

#define PAGE_BYTES 4096.0
#define TOO_FEW "too few intervals have its ages"

static const struct column columns[] = {
	{ "cgroup", CELL_TEXT, 0, "", "control group, with those below it" },
	{ "intervals", CELL_INT, 0, "intervals",
	  "intervals that count: of --from and --until, but for the first quarter of the recording, and those behind a lost one" },
	{ "seconds", CELL_REAL, 3, "s", "their length" },
	{ "memory_mib", CELL_REAL, 3, "MiB", "memory charged to it that has ages, mean of the intervals", TOO_FEW },
	{ "low_mib", CELL_REAL, 3, "MiB", "lower end of the 95 % interval of the limit", TOO_FEW },
	{ "estimate_mib", CELL_REAL, 3, "MiB",
	  "the smallest limit of this memory with which there are not more refaults, or not more slowdown, than requested", TOO_FEW },
	{ "high_mib", CELL_REAL, 3, "MiB", "upper end of its 95 % interval", TOO_FEW },
	{ "limit_mib", CELL_REAL, 3, "MiB", "the limit to set: high_mib and --extra; with --try, the smallest that was enough", TOO_FEW },
	{ "saved_mib", CELL_REAL, 3, "MiB", "memory above that limit without --extra, mean of the intervals", TOO_FEW },
	{ "refaults_per_s", CELL_REAL, SIGNIFICANT(3), "1/s", "refaults expected with the limit", TOO_FEW },
	{ "slowdown_pct", CELL_REAL, SIGNIFICANT(3), "%",
	  "time that these and the evictions take, of the time of the recording", TOO_FEW },
	{ "evictions_per_s", CELL_REAL, SIGNIFICANT(3), "1/s",
	  "pages evicted for such that are new, expected with the limit", TOO_FEW },
	{ "limit_bytes", CELL_INT, 0, "bytes", "limit_mib in whole pages, as memory.max takes it", TOO_FEW },
	{ "tries", CELL_INT, 0, "limits", "limits that the command ran with" },
	{ "tried_slowdown_pct", CELL_REAL, SIGNIFICANT(3), "%",
	  "how much longer the command took with limit_mib than without a limit, when it ran with it for the last time; "
	  "below 0: less long", "interrupted before it ran once more with this limit" },
	{ "too_small_mib", CELL_REAL, 3, "MiB", "the largest limit that was not enough", "each was enough" },
};

#define NR_COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))
/* So many at the end are of --try. */
#define NR_TRIED 3
const struct columns size_columns = { columns, NR_COLUMNS - NR_TRIED };
const struct columns size_tried_columns = { columns, NR_COLUMNS };

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

/* What limits cost, by what was asked for. */
static struct size_price price_of(const struct size_question *q)
{
	return (struct size_price){
		.refault = q->refaults >= 0 ? 1 : q->refault_us,
		.evict = q->refaults >= 0 ? 0 : q->evict_us,
		.allowed = q->refaults >= 0 ? q->refaults : q->slowdown * 1e4,
	};
}

static double mib(uint64_t bytes)
{
	return bytes / (double)(1 << 20);
}

/* The limit to set, in bytes. */
static uint64_t limit_bytes(const struct size_question *q, const struct size *size)
{
	return q->tried ? q->tried->limit : (uint64_t)(ceil(size->high + q->extra / PAGE_BYTES) * PAGE_BYTES);
}

/* The limit of memory that has ages, in pages. */
static double limit_of(const struct size_question *q, const struct size *size)
{
	if (!q->tried)
		return size->high;
	return q->tried->limit > q->extra ? (q->tried->limit - q->extra) / PAGE_BYTES : 0;
}

static int add_row(const char *name, const struct size_step *steps, size_t nr, const struct size_question *q,
		   struct table *t)
{
	const struct size_price price = price_of(q), times = { .refault = q->refault_us, .evict = q->evict_us };
	double seconds = 0, memory, above, rate, evictions, taken, limit;
	const struct size_tried *tried = q->tried;
	struct size size;
	size_t i;

	for (i = 0; i < nr; i++)
		seconds += steps[i].seconds;
	if (nr < SIZE_MIN_STEPS)
		return table_add(t, (struct cell[]){
			TEXT_CELL(name), INT_CELL(nr), REAL_CELL(seconds), NONE_CELL, NONE_CELL, NONE_CELL,
			NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL, NONE_CELL });
	if (size_limit(steps, nr, &price, &size))
		return -1;
	limit = limit_of(q, &size);
	mean_memory(steps, nr, limit, &memory, &above);
	rate = size_rate(steps, nr, ceil(limit), SIZE_ESTIMATE);
	evictions = size_evictions(steps, nr, ceil(limit));
	taken = size_cost(steps, nr, ceil(limit), &times);
	/* A table without --try has no columns for the last ones. */
	return table_add(t, (struct cell[]){
		TEXT_CELL(name), INT_CELL(nr), REAL_CELL(seconds), REAL_CELL(memory * PAGES_TO_MIB),
		REAL_CELL(size.low * PAGES_TO_MIB), REAL_CELL(size.estimate * PAGES_TO_MIB),
		REAL_CELL(size.high * PAGES_TO_MIB),
		REAL_CELL(tried ? mib(tried->limit) : size.high * PAGES_TO_MIB + mib(q->extra)),
		REAL_CELL(above * PAGES_TO_MIB), REAL_CELL(rate), REAL_CELL(taken * 1e-4), REAL_CELL(evictions),
		INT_CELL(limit_bytes(q, &size)),
		INT_CELL(tried ? tried->nr : 0), tried && !isnan(tried->slowdown) ? REAL_CELL(tried->slowdown) : NONE_CELL,
		tried && tried->too_small ? REAL_CELL(mib(tried->too_small)) : NONE_CELL });
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

/* Return 0, or 1 with @error set if the group has no ages. */
static int check_group(const struct model *m, const char *path, char *error, size_t size)
{
	if (has_group(m, path))
		return 0;
	snprintf(error, size, "no memory of control group %s has ages: memref report ages --by cgroup lists those "
		 "of the recording", path);
	return 1;
}

/**
 * size_of_group() - the limit of one control group
 * @m: the model, with ages by control group
 * @q: the question, with the group
 * @limit: set to it, and its interval
 * @peak: set to the largest memory with ages of an interval, in pages
 * @error: set if there is no answer
 * @size: of @error
 *
 * Return: 0, -1 without memory, or 1 with @error set.
 */
int size_of_group(const struct model *m, const struct size_question *q, struct size *limit, uint64_t *peak,
		  char *error, size_t size)
{
	const struct size_price price = price_of(q);
	struct size_step *steps;
	size_t nr, i;
	int ret = 0;

	if (check_group(m, q->cgroup, error, size))
		return 1;
	if (size_steps(m, q->cgroup, &q->window, &steps, &nr))
		return -1;
	*peak = 0;
	for (i = 0; i < nr; i++)
		if (steps[i].total > *peak)
			*peak = steps[i].total;
	if (nr < SIZE_MIN_STEPS) {
		too_few(q->cgroup, nr, error, size);
		ret = 1;
	} else if (size_limit(steps, nr, &price, limit)) {
		ret = -1;
	}
	free(steps);
	return ret;
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
	table_init_columns(t, q->tried ? &size_tried_columns : &size_columns);
	if (!q->cgroup)
		return add_groups(m, q, t, error, size);
	if (check_group(m, q->cgroup, error, size))
		return 1;
	return add_group(m, q->cgroup, q, t, error, size);
}
