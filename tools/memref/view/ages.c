// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Memory by the number of intervals since its last reference, over time. */
#include <stdio.h>
#include <string.h>

#include "memref/model/window.h"
#include "view.h"

const struct columns ages_columns = COLUMNS(
	INTERVAL_COLUMNS,
	{ "of", CELL_TEXT, 0, "",
	  "class, control group or node; total: all memory; process: its name and pid; mapping: process and name; "
	  "file: its memory mapped by the process that has the most of it; (others): there are more than 65536" },
	{ "age_0_mib", CELL_REAL, 3, "MiB",
	  "memory referenced in the interval" },
	{ "age_1_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 1 interval" },
	{ "age_2_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 2 to 3 intervals" },
	{ "age_4_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 4 to 7 intervals" },
	{ "age_8_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 8 to 15 intervals" },
	{ "age_16_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 16 to 31 intervals" },
	{ "age_32_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 32 to 63 intervals" },
	{ "age_64_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 64 to 127 intervals" },
	{ "age_128_mib", CELL_REAL, 3, "MiB",
	  "memory not referenced for 128 intervals or more" },
	{ "all_mib", CELL_REAL, 3, "MiB", "sum of all ages" },
);

static int add_sum(const struct model *m, const struct age_sum *s, struct table *t)
{
	const struct interval *v = &m->intervals[s->interval];
	char name[AGE_KEY_NAME];
	struct cell row[5 + AGE_BUCKETS];
	uint64_t all = 0;
	int b;

	age_key_name(&m->ages, s->key, name, sizeof(name));
	for (b = 0; b < AGE_BUCKETS; b++)
		all += s->pages[b];
	row[0] = (struct cell)INT_CELL(v->scan.seq);
	row[1] = (struct cell)REAL_CELL(interval_time(m, s->interval));
	row[2] = (struct cell)REAL_CELL(interval_seconds(v));
	row[3] = (struct cell)TEXT_CELL(name);
	for (b = 0; b < AGE_BUCKETS; b++)
		row[4 + b] = (struct cell)REAL_CELL(s->pages[b] * PAGES_TO_MIB);
	row[4 + AGE_BUCKETS] = (struct cell)REAL_CELL(all * PAGES_TO_MIB);
	return table_add(t, row);
}

int view_ages(struct model *m, struct table *t)
{
	size_t i;

	table_init_columns(t, &ages_columns);
	for (i = 0; i < m->ages.nr_sums; i++)
		if (add_sum(m, &m->ages.sums[i], t))
			return -1;
	return 0;
}

const struct columns curve_columns = COLUMNS(
	{ "of", CELL_TEXT, 0, "", "class, control group or node; total: all memory" },
	{ "age", CELL_INT, 0, "intervals", "at least so many intervals without a reference" },
	{ "age_s", CELL_REAL, 3, "s", "the same in time, by the mean length of the intervals" },
	{ "reclaimable_mib", CELL_REAL, 3, "MiB", "memory of this age or more, mean of the intervals" },
	{ "again_pages_per_s", CELL_REAL, 3, "1/s",
	  "pages of this age or more that were referenced again", "the recording has no length" },
	{ "again_pct_per_interval", CELL_REAL, 3, "%",
	  "the share of such pages that is referenced again in an interval", "no memory is so old" },
);

/* The sums of one key over the recording. */
struct curve {
	uint64_t pages[AGE_BUCKETS], again[AGE_BUCKETS];
	double seconds;
	uint32_t intervals;
};

static void add_curve(const struct model *m, uint32_t key, struct curve *c)
{
	size_t i;
	int b;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < m->ages.nr_sums; i++) {
		const struct age_sum *s = &m->ages.sums[i];

		if (s->key != key)
			continue;
		c->intervals++;
		c->seconds += interval_seconds(&m->intervals[s->interval]);
		for (b = 0; b < AGE_BUCKETS; b++) {
			c->pages[b] += s->pages[b];
			c->again[b] += s->again[b];
		}
	}
}

/* Memory of at least each age, and how much of it is referenced again. */
static int print_curve(const struct model *m, uint32_t key, struct table *t)
{
	char name[AGE_KEY_NAME];
	struct curve c;
	uint64_t pages, again;
	int b, above;

	add_curve(m, key, &c);
	age_key_name(&m->ages, key, name, sizeof(name));
	for (b = 1; c.intervals && b < AGE_BUCKETS; b++) {
		pages = again = 0;
		for (above = b; above < AGE_BUCKETS; above++) {
			pages += c.pages[above];
			again += c.again[above];
		}
		const struct cell row[] = {
			TEXT_CELL(name),
			INT_CELL(age_from(b)),
			REAL_CELL(age_from(b) * c.seconds / c.intervals),
			REAL_CELL(pages * PAGES_TO_MIB / c.intervals),
			c.seconds > 0 ? REAL_CELL(again / c.seconds) : NONE_CELL,
			pages ? REAL_CELL(100.0 * again / pages) : NONE_CELL,
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}

static uint32_t highest_key(const struct ages *a)
{
	uint32_t key = 0;
	size_t i;

	for (i = 0; i < a->nr_sums; i++)
		if (a->sums[i].key > key)
			key = a->sums[i].key;
	return key;
}

int view_curve(struct model *m, struct table *t)
{
	const uint32_t last = highest_key(&m->ages);
	uint32_t key;

	table_init_columns(t, &curve_columns);
	for (key = 0; key <= last; key++)
		if (print_curve(m, key, t))
			return -1;
	return 0;
}

int lacks_ages(const struct model *m, char *error, size_t size)
{
	const bool of_mappings = ages_of_mappings(m->ages.by);
	char window[256];

	if (m->ages.nr_sums)
		return 0;
	if (!of_mappings || !m->ages.has_vma) {
		snprintf(error, size, "the recording has no %s events: record with memref record %s",
			 of_mappings ? "memref_vma_age" : "memref_age", of_mappings ? "--mapping-ages" : "--ages");
		return -1;
	}
	window_describe(&m->window, window, sizeof(window));
	snprintf(error, size, "the recording has no idle ages%s%s%s", m->ages.by == AGES_FILE ? " of files" : "",
		 *window ? " " : "", window);
	return -1;
}
