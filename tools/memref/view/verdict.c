// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What a recording shows, in sentences. */
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

static int working_set(const struct model *m, FILE *f)
{
	double *mib = malloc(m->nr_intervals * sizeof(*mib));
	size_t i, busiest = 0;
	uint64_t rss = 0;

	if (!mib)
		return -1;
	for (i = 0; i < m->nr_intervals; i++) {
		mib[i] = interval_pages(&m->intervals[i]) * PAGES_TO_MIB;
		if (mib[i] > mib[busiest])
			busiest = i;
		if (m->intervals[i].scan.rss > rss)
			rss = m->intervals[i].scan.rss;
	}
	fprintf(f, "Working set: at most %.1f MiB are referenced in an interval (the one that ends at %.2f s)", mib[busiest],
		interval_time(m, busiest));
	gsl_sort(mib, 1, m->nr_intervals);
	fprintf(f, ", %.1f MiB or less in half of the intervals", gsl_stats_median_from_sorted_data(mib, 1, m->nr_intervals));
	if (rss)
		fprintf(f, "; %.1f MiB are resident at most", rss * PAGES_TO_MIB);
	fputs(".\n", f);
	free(mib);
	return 0;
}

static void classes(const struct model *m, FILE *f)
{
	double pages[NR_CLASSES] = { 0 }, all = 0;
	size_t i;
	int c;

	for (i = 0; i < m->nr_intervals; i++)
		for (c = 0; c < NR_CLASSES; c++)
			pages[c] += m->intervals[i].pages[c];
	for (c = 0; c < NR_CLASSES; c++)
		all += pages[c];
	if (all > 0)
		fprintf(f, "Of the references, %.0f %% are of processes, %.0f %% of the page cache by read() and write(), "
			"%.0f %% of the kernel.\n", 100 * pages[USER] / all, 100 * pages[PAGE_CACHE] / all, 100 * pages[KERNEL] / all);
}

/* The text of a view's cell in the first row whose first cell is @first, or in the first row. */
static int cell_of(struct model *m, const char *name, const char *first, const char *column, char *text, size_t size)
{
	char lacks[512];
	struct table t;
	int ret = view_make(view_find(name), m, &t, lacks, sizeof(lacks)), c = 0;
	size_t i;

	*text = '\0';
	while (!ret && c < t.nr_columns - 1 && strcmp(t.columns[c].name, column))
		c++;
	for (i = 0; !ret && i < t.nr_cells && !*text; i += t.nr_columns)
		if (!first || !strcmp(t.cells[i].text, first))
			snprintf(text, size, "%s", t.cells[i + c].text);
	table_free(&t);
	return ret < 0 ? -1 : 0;
}

static int huge_pages(struct model *m, FILE *f)
{
	char advice[512];

	if (cell_of(m, "thp", "all", "advice", advice, sizeof(advice)))
		return -1;
	if (*advice)
		fprintf(f, "Huge pages: %s.\n", advice);
	return 0;
}

static int busiest_process(struct model *m, FILE *f)
{
	const struct task *k, *most = NULL;
	char comm[512];
	double all = 0;

	for (k = m->tasks; k; k = k->hh.next) {
		all += k->pages;
		if (!most || k->pages > most->pages)
			most = k;
	}
	if (!most || all <= 0)
		return 0;
	if (cell_of(m, "tasks", NULL, "comm", comm, sizeof(comm)))
		return -1;
	fprintf(f, "Of the processes, %s (%u) references most: %.0f %%, %.1f MiB in the mean interval.\n", comm, most->key.pid,
		100 * most->pages / all, most->pages * PAGES_TO_MIB / m->nr_intervals);
	return 0;
}

static void observed(const struct model *m, FILE *f)
{
	const double end = interval_time(m, m->nr_intervals - 1);
	double sum = 0;
	size_t i;

	for (i = 0; i < m->nr_intervals; i++)
		sum += interval_seconds(&m->intervals[i]);
	if (end > 0)
		fprintf(f, "The %zu intervals cover %.0f %% of the %.2f s; the rest are harvests, and intervals that are missing.\n",
			m->nr_intervals, 100 * sum / end, end);
}

/**
 * verdict_write() - write what a recording shows, a sentence a line
 * @m: a model with at least one interval
 * @f: output
 *
 * Return: 0, or -1 if out of memory.
 */
int verdict_write(struct model *m, FILE *f)
{
	if (working_set(m, f))
		return -1;
	classes(m, f);
	if (busiest_process(m, f) || huge_pages(m, f))
		return -1;
	observed(m, f);
	return 0;
}
