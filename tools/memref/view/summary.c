// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Summary: settings, intervals, and the distribution of each figure. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

#include "memref/model/flags.h"
#include "view.h"

static double seconds(const struct interval *i, int class)
{
	(void)class;
	return interval_seconds(i);
}

static double groups(const struct interval *i, int class)
{
	(void)class;
	return i->groups;
}

static double pages(const struct interval *i, int class)
{
	return i->pages[class];
}

static double wss_mib(const struct interval *i, int class)
{
	return (class == NR_CLASSES ? interval_pages(i) : i->pages[class]) * PAGES_TO_MIB;
}

static double scan_ms(const struct interval *i, int class)
{
	(void)class;
	return i->scan.harvest_ns * 1e-6;
}

/* Figures of an interval; class NR_CLASSES: the sum of all classes. */
static const struct {
	const char *item;
	double (*figure)(const struct interval *i, int class);
	int class;
	const char *unit;
} figures[] = {
	{ "interval", seconds, 0, "s" },
	{ "groups", groups, 0, "groups" },
	{ "pages_kernel", pages, KERNEL, "pages" },
	{ "pages_user", pages, USER, "pages" },
	{ "pages_page_cache", pages, PAGE_CACHE, "pages" },
	{ "wss_kernel", wss_mib, KERNEL, "MiB" },
	{ "wss_user", wss_mib, USER, "MiB" },
	{ "wss_page_cache", wss_mib, PAGE_CACHE, "MiB" },
	{ "wss_total", wss_mib, NR_CLASSES, "MiB" },
	{ "scan", scan_ms, 0, "ms" },
};

static int add(struct table *t, const char *item, struct cell value, const char *unit)
{
	const struct cell row[] = { TEXT_CELL(item), value, TEXT_CELL(unit) };

	return table_add(t, row);
}

static int add_settings(struct table *t, const struct model *m)
{
	static const char * const write_names[] = { "off", "anon", "all" };
	const struct scan_row *s = &m->intervals[0].scan;
	int bad = 0;

	bad |= add(t, "host", TEXT_CELL(m->host), "");
	bad |= add(t, "interval_configured", INT_CELL(s->interval_ms), "ms");
	bad |= add(t, "group_size", INT_CELL(s->group_kb), "KiB");
	bad |= add(t, "flush", TEXT_CELL(flush_name(s->flush)), "");
	bad |= add(t, "write_detection", TEXT_CELL(write_names[s->write % 3]), "");
	bad |= add(t, "kernel_leaf", INT_CELL(s->kernel_leaf_kb), "KiB");
	bad |= add(t, "cpu_max", s->cpu_max ? INT_CELL(s->cpu_max) : NONE_CELL, "pct");
	bad |= add(t, "parts", INT_CELL(s->parts ? s->parts : 1), "");
	return bad;
}

static int add_intervals(struct table *t, const struct model *m)
{
	const struct flag *flag;
	char item[64];
	uint64_t with;
	size_t i;
	int bad = 0;

	bad |= add(t, "intervals", INT_CELL(m->nr_intervals), "intervals");
	bad |= add(t, "intervals_incomplete", INT_CELL(m->incomplete), "intervals");
	bad |= add(t, "intervals_missing", INT_CELL(m->missing), "intervals");
	bad |= add(t, "lost_events", INT_CELL(m->lost_events), "events");
	for (flag = flags; flag->name; flag++) {
		with = 0;
		for (i = 0; i < m->nr_intervals; i++)
			with += !!(m->intervals[i].scan.flags & flag->bit);
		snprintf(item, sizeof(item), "intervals_%s", flag->name);
		bad |= add(t, item, INT_CELL(with), "intervals");
	}
	return bad;
}

/* Minimum, quantiles, maximum and mean of a figure over the intervals. */
static int add_spread(struct table *t, const char *what, double *values, size_t n,
		      const char *unit)
{
	static const struct { const char *name; double at; } quantiles[] = {
		{ "min", 0 }, { "p25", 0.25 }, { "median", 0.5 }, { "p75", 0.75 },
		{ "p90", 0.9 }, { "p99", 0.99 }, { "max", 1 },
	};
	char item[64];
	size_t q;

	gsl_sort(values, 1, n);
	for (q = 0; q < sizeof(quantiles) / sizeof(quantiles[0]); q++) {
		double value = gsl_stats_quantile_from_sorted_data(values, 1, n, quantiles[q].at);

		snprintf(item, sizeof(item), "%s_%s", what, quantiles[q].name);
		if (add(t, item, REAL_CELL(value), unit))
			return -1;
	}
	snprintf(item, sizeof(item), "%s_mean", what);
	return add(t, item, REAL_CELL(gsl_stats_mean(values, 1, n)), unit);
}

static int add_spreads(struct table *t, const struct model *m)
{
	double *values = malloc(m->nr_intervals * sizeof(*values));
	size_t i, f;
	int bad = !values;

	for (f = 0; !bad && f < sizeof(figures) / sizeof(figures[0]); f++) {
		for (i = 0; i < m->nr_intervals; i++)
			values[i] = figures[f].figure(&m->intervals[i], figures[f].class);
		bad = add_spread(t, figures[f].item, values, m->nr_intervals, figures[f].unit);
	}
	free(values);
	return bad;
}

/* Maximal RSS; older kernels do not record it. */
static int add_rss(struct table *t, const struct model *m)
{
	uint64_t max = 0;
	size_t i;

	for (i = 0; i < m->nr_intervals; i++)
		if (m->intervals[i].scan.rss > max)
			max = m->intervals[i].scan.rss;
	return add(t, "rss_max", max ? REAL_CELL(max * PAGES_TO_MIB) : NONE_CELL, "MiB");
}

static int add_cost(struct table *t, const struct model *m)
{
	uint64_t young = 0, ptes = 0, tables = 0, cold = 0;
	double scan = 0, all = 0;
	int bad = 0, known;
	size_t i;

	for (i = 0; i < m->nr_intervals; i++) {
		const struct scan_row *s = &m->intervals[i].scan;

		scan += s->harvest_ns * 1e-9;
		all += interval_seconds(&m->intervals[i]);
		young += s->young;
		ptes += s->ptes;
		tables += s->tables;
		cold += s->tables_cold;
	}
	all += scan;
	known = tables || cold;
	bad |= add(t, "scan_share", REAL_CELL(all > 0 ? 100 * scan / all : 0), "pct");
	bad |= add(t, "entries_read", INT_CELL(ptes), "entries");
	bad |= add(t, "entries_young", INT_CELL(young), "entries");
	bad |= add(t, "scan_per_young_entry", young ? REAL_CELL(scan * 1e9 / young) : NONE_CELL,
		   "ns");
	bad |= add(t, "tables_read", known ? INT_CELL(tables) : NONE_CELL, "tables");
	bad |= add(t, "tables_cold", known ? INT_CELL(cold) : NONE_CELL, "tables");
	bad |= add(t, "tables_cold_share",
		   known ? REAL_CELL(100.0 * cold / (tables + cold)) : NONE_CELL, "pct");
	return bad;
}

const struct columns summary_columns = COLUMNS(
	{ "item", CELL_TEXT, 0, "",
	  "setting or figure: NAME_min, _p25, _median, _p75, _p90, _p99, _max and _mean are "
	  "over the intervals; intervals_FLAG count intervals with a flag of memref_scan (see "
	  "memref(5))" },
	{ "value", CELL_REAL, 3, "", "its value", "the recording does not have it" },
	{ "unit", CELL_TEXT, 0, "", "unit of the value" },
);

int view_summary(struct model *m, struct table *t)
{
	table_init_columns(t, &summary_columns);
	return add_settings(t, m) || add_intervals(t, m) || add_spreads(t, m) ||
	       add_rss(t, m) || add_cost(t, m) ? -1 : 0;
}
