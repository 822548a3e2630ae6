// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Whether huge pages would pay off (section 6.2 of the paper). */
#include <stdio.h>

#include "view.h"
#include "memref/model/window.h"

/* The second-level TLBs of CPUs since about 2013 hold at least this many translations. */
#define TLB_ENTRIES	1024

/* Pct of the referenced pages that are in blocks more than half referenced. */
#define MANY_DENSE	75
#define FEW_DENSE	25

/* Pct of the blocks' memory that is not referenced. */
#define MUCH_WASTED	50

static struct thp_sum sum_of(const struct thp *h, int from)
{
	struct thp_sum sum = { 0, 0 };
	int i;

	for (i = from; i < THP_STEPS; i++) {
		sum.blocks += h->steps[i].blocks;
		sum.pages += h->steps[i].pages;
	}
	return sum;
}

/** thp_wasted_mib() - unreferenced memory, if each block were a huge page */
double thp_wasted_mib(double blocks, double pages)
{
	return blocks * (THP_SIZE >> 20) - pages * PAGES_TO_MIB;
}

/**
 * thp_advise() - say whether huge pages would pay off, and why
 * @a: what was referenced; at least a page
 * @advice: set to it
 * @size: of @advice
 */
void thp_advise(const struct thp_amounts *a, char *advice, size_t size)
{
	const double blocks = a->all.blocks / a->intervals, pages = a->all.pages / a->intervals;
	const double share = 100.0 * a->dense.pages / a->all.pages;
	const double mib = blocks * (THP_SIZE >> 20), wasted = thp_wasted_mib(blocks, pages);
	const char *verdict = "mixed";

	if (a->peak_pages < TLB_ENTRIES) {
		snprintf(advice, size, "not worth it: at most %llu pages of 4 KiB in an interval; TLBs hold as many",
			 (unsigned long long)a->peak_pages);
		return;
	}
	if (share >= MANY_DENSE && wasted <= mib * MUCH_WASTED / 100)
		verdict = "worth it";
	else if (share < FEW_DENSE)
		verdict = "not worth it";
	snprintf(advice, size, "%s: %.0f %% of the pages are in blocks more than half referenced; "
		 "%.0f TLB entries of 2 MiB for %.0f of 4 KiB; %.1f of %.1f MiB wasted",
		 verdict, share, blocks, pages, wasted, mib);
}

static int add(struct table *t, const char *name, struct thp_sum sum, double n,
	       struct thp_sum all, const char *advice)
{
	const struct cell row[] = {
		TEXT_CELL(name),
		REAL_CELL(sum.blocks / n),
		REAL_CELL(100.0 * sum.blocks / all.blocks),
		REAL_CELL(sum.pages / n),
		REAL_CELL(100.0 * sum.pages / all.pages),
		REAL_CELL(thp_wasted_mib(sum.blocks / n, sum.pages / n)),
		TEXT_CELL(advice),
	};

	return table_add(t, row);
}

const struct columns thp_columns = COLUMNS(
	{ "density_pct", CELL_TEXT, 0, "%",
	  "blocks of 2 MiB, by the share of their 4 KiB pages that was referenced; all: all "
	  "blocks; peak: the interval with the most referenced pages" },
	{ "blocks_2mib", CELL_REAL, 1, "blocks",
	  "blocks with a referenced page, mean of all intervals" },
	{ "share_blocks_pct", CELL_REAL, 1, "%", "these blocks, of all such blocks" },
	{ "pages_4kib", CELL_REAL, 1, "pages of 4 KiB",
	  "referenced pages in these blocks, mean of all intervals" },
	{ "share_pages_pct", CELL_REAL, 1, "%", "these pages, of all referenced ones" },
	{ "wasted_mib", CELL_REAL, 1, "MiB",
	  "memory of these blocks that was not referenced: what huge pages would waste" },
	{ "advice", CELL_TEXT, 0, "",
	  "in the row all: whether huge pages would pay off, and why" },
);

int view_thp(struct model *m, struct table *t)
{
	const struct thp_sum all = sum_of(&m->thp, 0);
	const struct thp_amounts amounts = {
		.all = all, .dense = sum_of(&m->thp, THP_STEPS / 2), .peak_pages = m->thp.peak.pages,
		.intervals = m->nr_intervals,
	};
	const int width = 100 / THP_STEPS;
	char name[16], advice[256];
	int i;

	table_init_columns(t, &thp_columns);
	for (i = 0; i < THP_STEPS; i++) {
		snprintf(name, sizeof(name), "%d-%d", width * i, width * (i + 1));
		if (add(t, name, m->thp.steps[i], m->nr_intervals, all, ""))
			return -1;
	}
	thp_advise(&amounts, advice, sizeof(advice));
	t->nr_summary = 2;
	return add(t, "all", all, m->nr_intervals, all, advice) ||
	       add(t, "peak", m->thp.peak, 1, m->thp.peak, "") ? -1 : 0;
}

int lacks_thp(const struct model *m, char *error, size_t size)
{
	char window[256];
	size_t i;

	if (m->window.pids.nr && lacks_virt_events(m, error, size))
		return -1;
	if (m->window.mapping && lacks_mapping_names(m, error, size))
		return -1;
	for (i = 0; i < m->nr_intervals && !m->window.pids.nr; i++) {
		if (m->intervals[i].scan.group_kb <= THP_SIZE >> 10)
			continue;
		snprintf(error, size, "groups of %u KiB are larger than the 2 MiB of a huge page: "
			 "record with memref record --group-size 2M or smaller",
			 m->intervals[i].scan.group_kb);
		return -1;
	}
	if (m->thp.peak.pages)
		return 0;
	window_describe(&m->window, window, sizeof(window));
	snprintf(error, size, "no user pages were referenced%s%s", *window ? " " : "", window);
	return -1;
}
