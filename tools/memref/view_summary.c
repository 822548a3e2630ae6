// SPDX-License-Identifier: GPL-2.0
/* The recording in numbers. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

static const char * const write_names[] = { "off", "anon", "all" };

static int number(struct table *t, const char *item, double value, const char *unit)
{
	const struct cell row[] = { TEXT_CELL(item), REAL_CELL(value), TEXT_CELL(unit) };

	return table_add(t, row);
}

static int count(struct table *t, const char *item, uint64_t value, const char *unit)
{
	const struct cell row[] = { TEXT_CELL(item), INT_CELL(value), TEXT_CELL(unit) };

	return table_add(t, row);
}

static int text(struct table *t, const char *item, const char *value)
{
	const struct cell row[] = { TEXT_CELL(item), TEXT_CELL(value), TEXT_CELL("") };

	return table_add(t, row);
}

/* Minimum, quantiles, mean and maximum of one figure of all intervals. */
static int spread(struct table *t, const char *what, double *values, size_t n,
		  const char *unit)
{
	static const struct { const char *name; double at; } quantiles[] = {
		{ "min", 0 }, { "median", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "max", 1 },
	};
	char item[64];
	size_t q;

	gsl_sort(values, 1, n);
	for (q = 0; q < sizeof(quantiles) / sizeof(quantiles[0]); q++) {
		snprintf(item, sizeof(item), "%s_%s", what, quantiles[q].name);
		if (number(t, item, gsl_stats_quantile_from_sorted_data(values, 1, n,
									quantiles[q].at), unit))
			return -1;
	}
	snprintf(item, sizeof(item), "%s_mean", what);
	return number(t, item, gsl_stats_mean(values, 1, n), unit);
}

int view_summary(struct model *m, struct table *t)
{
	static const struct column columns[] = {
		{ "item", CELL_TEXT, 0 }, { "value", CELL_REAL, 3 }, { "unit", CELL_TEXT, 0 },
	};
	static const struct { uint32_t flag; const char *item; } flags[] = {
		{ SCAN_RECLAIM, "intervals_with_reclaim" },
		{ SCAN_SKIPPED, "intervals_with_skipped_mm" },
		{ SCAN_LATE, "intervals_overrun" },
		{ SCAN_EXITED, "intervals_with_exited_pid" },
		{ SCAN_ON_DEMAND, "intervals_on_demand" },
		{ SCAN_SELECTED, "intervals_of_selected_pids" },
	};
	const struct scan_row *first = &m->intervals[0].scan;
	double *values = malloc(m->nr_intervals * sizeof(*values));
	double scan = 0, all = 0;
	uint64_t young = 0, ptes = 0;
	size_t i, n = m->nr_intervals, f;
	char item[64];
	int bad = 0, c;

	table_init(t, columns, 3);
	if (!values)
		return -1;
	bad |= text(t, "host", m->host);
	bad |= count(t, "interval_configured", first->interval_ms, "ms");
	bad |= count(t, "group_size", first->group_kb, "KiB");
	bad |= count(t, "flush", first->flush, "");
	bad |= text(t, "write_detection", write_names[first->write % 3]);
	bad |= count(t, "kernel_leaf", first->kernel_leaf_kb, "KiB");
	bad |= count(t, "intervals", n, "");
	bad |= count(t, "intervals_incomplete", m->incomplete, "");
	bad |= count(t, "intervals_missing", m->missing, "");
	bad |= count(t, "lost_events", m->lost_events, "");
	for (f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
		uint64_t with = 0;

		for (i = 0; i < n; i++)
			with += !!(m->intervals[i].scan.flags & flags[f].flag);
		bad |= count(t, flags[f].item, with, "");
	}
	for (i = 0; i < n; i++)
		values[i] = interval_seconds(&m->intervals[i]);
	bad |= spread(t, "interval", values, n, "s");
	for (i = 0; i < n; i++)
		values[i] = m->intervals[i].groups;
	bad |= spread(t, "groups", values, n, "groups");
	for (c = 0; c < NR_CLASSES; c++) {
		for (i = 0; i < n; i++)
			values[i] = m->intervals[i].pages[c];
		snprintf(item, sizeof(item), "pages_%s", class_names[c]);
		bad |= spread(t, item, values, n, "pages");
	}
	for (i = 0; i < n; i++)
		values[i] = interval_pages(&m->intervals[i]) * (4096.0 / (1 << 20));
	bad |= spread(t, "wss_total", values, n, "MiB");
	for (i = 0; i < n; i++) {
		const struct scan_row *s = &m->intervals[i].scan;

		values[i] = (s->end_ns - s->scan_ns) * 1e-6;
		scan += values[i] * 1e-3;
		all += interval_seconds(&m->intervals[i]) + values[i] * 1e-3;
		young += s->young;
		ptes += s->ptes;
	}
	bad |= spread(t, "scan", values, n, "ms");
	bad |= number(t, "scan_share", all > 0 ? 100 * scan / all : 0, "pct");
	bad |= count(t, "entries_read", ptes, "entries");
	bad |= count(t, "entries_young", young, "entries");
	bad |= number(t, "scan_per_young_entry", young ? scan * 1e9 / young : 0, "ns");
	free(values);
	return bad ? -1 : 0;
}
