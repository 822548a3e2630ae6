// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Memory by the number of intervals since its last reference, over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/gnuplot.h"
#include "memref/model/window.h"
#include "view.h"

/* Columns of a histogram, after those of its interval. */
#define AGE_COLUMNS \
	{ "of", CELL_TEXT, 0, "", "class, control group or node; total: all memory; process: its name and pid; " \
	  "mapping: process and name; file: its memory mapped by the process that has the most of it; " \
	  "(others): there are more than 65536" }, \
	{ "age_0_mib", CELL_REAL, 3, "MiB", "memory referenced in the interval" }, \
	{ "age_1_mib", CELL_REAL, 3, "MiB", "memory not referenced for 1 interval" }, \
	{ "age_2_mib", CELL_REAL, 3, "MiB", "memory not referenced for 2 to 3 intervals" }, \
	{ "age_4_mib", CELL_REAL, 3, "MiB", "memory not referenced for 4 to 7 intervals" }, \
	{ "age_8_mib", CELL_REAL, 3, "MiB", "memory not referenced for 8 to 15 intervals" }, \
	{ "age_16_mib", CELL_REAL, 3, "MiB", "memory not referenced for 16 to 31 intervals" }, \
	{ "age_32_mib", CELL_REAL, 3, "MiB", "memory not referenced for 32 to 63 intervals" }, \
	{ "age_64_mib", CELL_REAL, 3, "MiB", "memory not referenced for 64 to 127 intervals" }, \
	{ "age_128_mib", CELL_REAL, 3, "MiB", "memory not referenced for 128 intervals or more" }, \
	{ "all_mib", CELL_REAL, 3, "MiB", "sum of all ages" }

const struct columns ages_columns = COLUMNS(INTERVAL_COLUMNS, AGE_COLUMNS);

/* @rank: for tables that have it */
static int add_row(const struct model *m, const struct age_sum *s, const char *name, int rank, struct table *t)
{
	const struct interval *v = &m->intervals[s->interval];
	struct cell row[6 + AGE_BUCKETS];
	uint64_t all = 0;
	int b;

	for (b = 0; b < AGE_BUCKETS; b++)
		all += s->pages[b];
	row[0] = (struct cell)INT_CELL(v->scan.seq);
	row[1] = (struct cell)REAL_CELL(interval_time(m, s->interval));
	row[2] = (struct cell)REAL_CELL(interval_seconds(v));
	row[3] = (struct cell)TEXT_CELL(name);
	for (b = 0; b < AGE_BUCKETS; b++)
		row[4 + b] = (struct cell)REAL_CELL(s->pages[b] * PAGES_TO_MIB);
	row[4 + AGE_BUCKETS] = (struct cell)REAL_CELL(all * PAGES_TO_MIB);
	row[5 + AGE_BUCKETS] = (struct cell)INT_CELL(rank);
	return table_add(t, row);
}

int view_ages(struct model *m, struct table *t)
{
	char name[AGE_KEY_NAME];
	size_t i;

	table_init_columns(t, &ages_columns);
	for (i = 0; i < m->ages.nr_sums; i++) {
		age_key_name(&m->ages, m->ages.sums[i].key, name, sizeof(name));
		if (add_row(m, &m->ages.sums[i], name, 0, t))
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

/* Panels of a plot, the last one of all other keys if there are more. */
#define MAX_PANELS	8

static const struct columns panel_columns = COLUMNS(
	INTERVAL_COLUMNS,
	AGE_COLUMNS,
	{ "rank", CELL_INT, 0, "", "1: that whose memory was idle for longest; other has the last" },
);

/* A key over the recording. */
struct key_sum {
	uint32_t key;
	bool rest;		/* the entry OTHER_AGES */
	double idle_time;	/* pages times intervals since their last reference */
	uint64_t pages, idle;	/* of the latter, those not referenced in an interval */
};

struct panels {
	struct key_sum of[MAX_PANELS];
	int nr;
	uint32_t others;	/* keys that the last panel sums, without that of @more */
	bool more;		/* the last panel has the entry OTHER_AGES, too */
	uint8_t *of_key;	/* index of the panel */
};

static int by_idle_time(const void *p, const void *q)
{
	const struct key_sum *a = p, *b = q;

	if (a->rest != b->rest)
		return a->rest ? 1 : -1;
	if (a->idle_time != b->idle_time)
		return a->idle_time > b->idle_time ? -1 : 1;
	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void add_to_key(const struct ages *a, const struct age_sum *s, struct key_sum *k)
{
	int b;

	k->rest = ages_is_rest(a, s->key);
	for (b = 0; b < AGE_BUCKETS; b++) {
		k->idle_time += (double)s->pages[b] * age_from(b);
		k->pages += s->pages[b];
		k->idle += b ? s->pages[b] : 0;
	}
}

/* The keys of the recording by rank, to be freed; NULL without memory. */
static struct key_sum *rank_keys(const struct ages *a, uint32_t *nr)
{
	const uint32_t nr_keys = highest_key(a) + 1;
	struct key_sum *keys = calloc(nr_keys, sizeof(*keys));
	bool *seen = calloc(nr_keys, sizeof(*seen));
	uint32_t key;
	size_t i;

	*nr = 0;
	for (i = 0; keys && seen && i < a->nr_sums; i++) {
		add_to_key(a, &a->sums[i], &keys[a->sums[i].key]);
		seen[a->sums[i].key] = true;
	}
	for (key = 0; keys && seen && key < nr_keys; key++) {
		keys[key].key = key;
		if (seen[key])
			keys[(*nr)++] = keys[key];
	}
	if (keys && seen) {
		qsort(keys, *nr, sizeof(*keys), by_idle_time);
	} else {
		free(keys);
		keys = NULL;
	}
	free(seen);
	return keys;
}

/* Return: 0, or -1 without memory; free @p->of_key. */
static int make_panels(const struct ages *a, struct panels *p)
{
	uint32_t nr, i;
	struct key_sum *keys = rank_keys(a, &nr);
	int own;

	memset(p, 0, sizeof(*p));
	p->of_key = keys ? calloc(highest_key(a) + 1, sizeof(*p->of_key)) : NULL;
	if (!p->of_key) {
		free(keys);
		return -1;
	}
	p->more = nr && keys[nr - 1].rest;
	own = nr > MAX_PANELS ? MAX_PANELS - 1 : nr - p->more;
	p->others = nr - own - p->more;
	p->nr = own + (p->others || p->more);
	for (i = 0; i < nr; i++) {
		const int panel = (int)i < own ? (int)i : own;
		struct key_sum *of = &p->of[panel];

		p->of_key[keys[i].key] = panel;
		of->key = keys[i].key;
		of->pages += keys[i].pages;
		of->idle += keys[i].idle;
	}
	free(keys);
	return 0;
}

static bool is_others(const struct panels *p, int panel)
{
	return panel == p->nr - 1 && (p->others || p->more);
}

/* Add the rows of an interval, whose sums begin at index @i.  Return: 0, or -1 without memory. */
static int add_panels(const struct model *m, const struct panels *p, size_t i, struct table *t)
{
	const struct ages *a = &m->ages;
	const uint32_t interval = a->sums[i].interval;
	struct age_sum rows[MAX_PANELS] = { };
	bool has[MAX_PANELS] = { };
	char name[AGE_KEY_NAME];
	int panel, b;

	for (; i < a->nr_sums && a->sums[i].interval == interval; i++) {
		panel = p->of_key[a->sums[i].key];
		has[panel] = true;
		rows[panel].interval = interval;
		for (b = 0; b < AGE_BUCKETS; b++)
			rows[panel].pages[b] += a->sums[i].pages[b];
	}
	for (panel = 0; panel < p->nr; panel++) {
		age_key_name(a, p->of[panel].key, name, sizeof(name));
		if (is_others(p, panel))
			strcpy(name, "other");
		if (has[panel] && add_row(m, &rows[panel], name, panel + 1, t))
			return -1;
	}
	return 0;
}

/* struct view's @make_plot: a panel for each key of those whose memory was idle for longest. */
int view_age_panels(struct model *m, struct table *t)
{
	const struct ages *a = &m->ages;
	struct panels p;
	size_t i;
	int ret = 0;

	if (a->by == AGES_TOTAL)
		return view_ages(m, t);
	table_init_columns(t, &panel_columns);
	if (make_panels(a, &p))
		return -1;
	for (i = 0; i < a->nr_sums && !ret; i++)
		if (!i || a->sums[i].interval != a->sums[i - 1].interval)
			ret = add_panels(m, &p, i, t);
	free(p.of_key);
	return ret;
}

/* struct view's @legend: the titles of the panels; they have means of all intervals. */
int age_panels_legend(struct model *m, FILE *f)
{
	char name[AGE_KEY_NAME], variable[32], text[96];
	const double mib = PAGES_TO_MIB / m->nr_intervals;
	struct panels p;
	int i;

	if (m->ages.by == AGES_TOTAL)
		return 0;
	if (make_panels(&m->ages, &p))
		return -1;
	fprintf(f, "array named[%d]; ", p.nr);
	for (i = 0; i < p.nr; i++) {
		if (is_others(&p, i))
			snprintf(name, sizeof(name), "%s%u others", p.more ? "more than " : "", p.others);
		else
			age_key_name(&m->ages, p.of[i].key, name, sizeof(name));
		snprintf(text, sizeof(text), ": mean %.1f of %.1f MiB idle", p.of[i].idle * mib, p.of[i].pages * mib);
		snprintf(variable, sizeof(variable), "named[%d]", i + 1);
		if (gnuplot_name(f, variable, name, text))
			break;
	}
	free(p.of_key);
	return i < p.nr ? -1 : 0;
}

#define CURVE_COLUMNS \
	{ "of", CELL_TEXT, 0, "", "class, control group or node; total: all memory" }, \
	{ "age", CELL_INT, 0, "intervals", "at least so many intervals without a reference" }, \
	{ "age_s", CELL_REAL, 3, "s", "the same in time, by the mean length of the intervals" }, \
	{ "reclaimable_mib", CELL_REAL, 3, "MiB", "memory of this age or more, mean of the intervals" }, \
	{ "again_pages_per_s", CELL_REAL, 3, "1/s", "pages of this age or more that were referenced again", \
	  "the recording has no length" }, \
	{ "again_pct_per_interval", CELL_REAL, 3, "%", "the share of such pages that is referenced again in an interval", \
	  "no memory is so old" }

const struct columns curve_columns = COLUMNS(CURVE_COLUMNS,);

static const struct columns curve_rank_columns = COLUMNS(
	CURVE_COLUMNS,
	{ "rank", CELL_INT, 0, "", "1: that whose memory was idle for longest" },
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

/* Memory of at least each age, and how much of it is referenced again.  @rank: of the plot; 0: none. */
static int print_curve(const struct model *m, uint32_t key, int rank, struct table *t)
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
			INT_CELL(rank),
		};

		if (table_add(t, row))
			return -1;
	}
	return 0;
}

int view_curve(struct model *m, struct table *t)
{
	const uint32_t last = highest_key(&m->ages);
	uint32_t key;

	table_init_columns(t, &curve_columns);
	for (key = 0; key <= last; key++)
		if (print_curve(m, key, 0, t))
			return -1;
	return 0;
}

/* Keys of the plot: more lines could not be told apart. */
#define MAX_CURVES	8

/* struct view's @make_plot: those whose memory was idle for longest. */
int view_curve_ranks(struct model *m, struct table *t)
{
	uint32_t nr, i;
	struct key_sum *keys = rank_keys(&m->ages, &nr);
	int ret = keys ? 0 : -1;

	table_init_columns(t, &curve_rank_columns);
	for (i = 0; i < nr && i < MAX_CURVES && !ret; i++)
		ret = print_curve(m, keys[i].key, i + 1, t);
	free(keys);
	return ret;
}

/* struct view's @legend: their names, and how many others there are. */
int curve_legend(struct model *m, FILE *f)
{
	char name[AGE_KEY_NAME], variable[32];
	uint32_t nr, i;
	struct key_sum *keys = rank_keys(&m->ages, &nr);
	int ret = keys ? 0 : -1;

	if (keys)
		fprintf(f, "others=%u; array named[%u]; ", nr > MAX_CURVES ? nr - MAX_CURVES : 0,
			nr < MAX_CURVES ? nr : MAX_CURVES);
	for (i = 0; i < nr && i < MAX_CURVES && !ret; i++) {
		age_key_name(&m->ages, keys[i].key, name, sizeof(name));
		snprintf(variable, sizeof(variable), "named[%u]", i + 1);
		ret = gnuplot_name(f, variable, name, "");
	}
	free(keys);
	return ret;
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
