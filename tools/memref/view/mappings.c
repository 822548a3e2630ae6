// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Memory referenced of each mapping: over the recording, and over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cells/utf8.h"
#include "lib/gnuplot.h"
#include "view.h"
#include "memref/model/window.h"

/* Names shown over time; the others are one.  A page has eight colors. */
#define MAX_SHOWN	7

/* A file may have any bytes as its name.  Return: to be freed, or NULL without memory. */
static char *shown_name(const char *name)
{
	char *text = utf8_clean(*name ? name : "(no name)"), *c;

	for (c = text; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == '\177')
			*c = '?';
	return text;
}

static int by_pages(const struct mapping *a, const struct mapping *b)
{
	if (a->pages != b->pages)
		return a->pages > b->pages ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

const struct columns mappings_columns = COLUMNS(
	{ "pid", CELL_INT, 0, "", "process" },
	{ "mapping", CELL_TEXT, 0, "",
	  "name of the mapping, as in /proc/PID/maps: a file, [heap], [stack], [anon:NAME]; [anon]: all memory "
	  "without a name; (no name): its memref_vma event is missing; (others): there are more than 16384" },
	{ "intervals", CELL_INT, 0, "intervals", "intervals in which it was referenced" },
	{ "mean_pages", CELL_REAL, 1, "pages of 4 KiB", "pages referenced, mean of all intervals of the recording" },
	{ "mean_mib", CELL_REAL, 3, "MiB", "the same in MiB" },
	{ "max_mib", CELL_REAL, 3, "MiB", "the most that was referenced in one interval" },
	{ "mean_written_mib", CELL_REAL, 3, "MiB", "memory written, mean of all intervals",
	  "write detection was off" },
	{ "share_pct", CELL_REAL, 2, "%",
	  "its referenced pages, of those of all mappings; shared pages count for each mapping" },
	{ "blocks_2mib", CELL_REAL, 1, "blocks",
	  "aligned blocks of 2 MiB wholly within it with a referenced page, mean of all intervals" },
	{ "wasted_mib", CELL_REAL, 3, "MiB",
	  "memory of these blocks that was not referenced: what huge pages would waste" },
	{ "advice", CELL_TEXT, 0, "",
	  "whether huge pages would pay off for it, and why; for a file, where its file system can have them" },
);

static void advise(const struct model *m, const struct mapping *p, char *advice, size_t size)
{
	const struct thp_amounts amounts = {
		.all = p->whole, .dense = p->dense, .peak_pages = p->process->peak, .intervals = m->nr_intervals,
	};

	if (!*p->key.name || !strcmp(p->key.name, OTHER_MAPPINGS))
		snprintf(advice, size, "unknown: these may be several mappings");
	else if (!p->has_block)
		snprintf(advice, size, "too small: no block of 2 MiB is wholly within it");
	else if (!p->whole.blocks)
		snprintf(advice, size, "not worth it: no block of 2 MiB wholly within it was referenced");
	else
		thp_advise(&amounts, advice, size);
}

static int add_mapping(const struct model *m, const struct mapping *p, uint64_t all, int writes, struct table *t)
{
	const double n = m->nr_intervals;
	char *name = shown_name(p->key.name), advice[256];
	int ret;

	if (!name)
		return -1;
	advise(m, p, advice, sizeof(advice));
	const struct cell row[] = {
		INT_CELL(p->key.pid),
		TEXT_CELL(name),
		INT_CELL(p->intervals),
		REAL_CELL(p->pages / n),
		REAL_CELL(p->pages / n * PAGES_TO_MIB),
		REAL_CELL(p->pages_max * PAGES_TO_MIB),
		writes ? REAL_CELL(p->written / n * PAGES_TO_MIB) : NONE_CELL,
		REAL_CELL(100.0 * p->pages / all),
		REAL_CELL(p->whole.blocks / n),
		REAL_CELL(thp_wasted_mib(p->whole.blocks / n, p->whole.pages / n)),
		TEXT_CELL(advice),
	};

	ret = table_add(t, row);
	free(name);
	return ret;
}

int view_mappings(struct model *m, struct table *t)
{
	const int writes = model_has_writes(m);
	const struct mapping *p;
	uint64_t all = 0;

	table_init_columns(t, &mappings_columns);
	HASH_SORT(m->mappings.all, by_pages);
	for (p = m->mappings.all; p; p = p->hh.next)
		all += p->pages;
	for (p = m->mappings.all; p; p = p->hh.next)
		if (add_mapping(m, p, all, writes, t))
			return -1;
	return 0;
}

const struct columns mapping_times_columns = COLUMNS(
	INTERVAL_COLUMNS,
	{ "mapping", CELL_TEXT, 0, "",
	  "name of the mapping, in all processes; other: all names that are not among the seven referenced most" },
	{ "rank", CELL_INT, 0, "", "1: the name whose pages were referenced most in the recording; other has the last" },
	{ "mib", CELL_REAL, 3, "MiB", "memory referenced in the interval" },
	{ "written_mib", CELL_REAL, 3, "MiB", "memory written in the interval", "write detection was off" },
	{ "below_mib", CELL_REAL, 3, "MiB", "memory of those of smaller rank, for stacked plots" },
);

/* A name in all processes; NULL: the others. */
struct layer {
	const char *name;
	uint64_t pages, written;
};

/* Return: their number. */
static int find_layers(struct mappings *m, struct layer layers[MAX_SHOWN + 1])
{
	const struct mapping_name *n;
	int nr = 0;

	mappings_rank(m);
	for (n = m->names; n && nr <= MAX_SHOWN; n = n->hh.next)
		layers[nr++] = (struct layer){ .name = n->rank < MAX_SHOWN ? n->name : NULL };
	return nr;
}

/* Add the rows of an interval, and begin the next. */
static int add_layers(const struct model *m, uint32_t interval, struct layer *layers, int nr, struct table *t)
{
	const struct interval *v = &m->intervals[interval];
	const int writes = model_has_writes(m);
	uint64_t below = 0;
	int i, ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		char *name = layers[i].name ? shown_name(layers[i].name) : strdup("other");

		if (!name)
			return -1;
		const struct cell row[] = {
			INT_CELL(v->scan.seq),
			REAL_CELL(interval_time(m, interval)),
			REAL_CELL(interval_seconds(v)),
			TEXT_CELL(name),
			INT_CELL(i + 1),
			REAL_CELL(layers[i].pages * PAGES_TO_MIB),
			writes ? REAL_CELL(layers[i].written * PAGES_TO_MIB) : NONE_CELL,
			REAL_CELL(below * PAGES_TO_MIB),
		};

		ret = table_add(t, row);
		free(name);
		below += layers[i].pages;
		layers[i].pages = layers[i].written = 0;
	}
	return ret;
}

int view_mapping_times(struct model *m, struct table *t)
{
	const struct mappings *s = &m->mappings;
	struct layer layers[MAX_SHOWN + 1];
	const int nr = find_layers(&m->mappings, layers);
	uint32_t i, rank;
	size_t n = 0;

	table_init_columns(t, &mapping_times_columns);
	for (i = 0; i < m->nr_intervals; i++) {
		for (; n < s->nr_sums && s->sums[n].interval == i; n++) {
			rank = s->sums[n].name->rank;
			if (rank > MAX_SHOWN)
				rank = MAX_SHOWN;
			layers[rank].pages += s->sums[n].pages;
			layers[rank].written += s->sums[n].written;
		}
		if (add_layers(m, i, layers, nr, t))
			return -1;
	}
	return 0;
}

/**
 * mapping_times_legend() - the names of the view mapping-times for its gnuplot script
 * @m: the model
 * @f: commands that set the array named[], by rank; gnuplot's reader of CSV does not read every name
 *
 * Return: 0, or -1 without memory.
 */
int mapping_times_legend(struct model *m, FILE *f)
{
	struct layer layers[MAX_SHOWN + 1];
	const int nr = find_layers(&m->mappings, layers);
	char variable[32], *name;
	int i, ret = 0;

	fprintf(f, "array named[%d]; ", nr);
	for (i = 0; i < nr && !ret; i++) {
		name = layers[i].name ? shown_name(layers[i].name) : strdup("other");
		snprintf(variable, sizeof(variable), "named[%d]", i + 1);
		ret = name ? gnuplot_name(f, variable, name, "") : -1;
		free(name);
	}
	return ret;
}

/* struct view's @lacks */
int lacks_mappings(const struct model *m, char *error, size_t size)
{
	char window[256];

	if (lacks_virt_pid(m, error, size) || lacks_mapping_names(m, error, size))
		return -1;
	if (m->mappings.nr)
		return 0;
	window_describe(&m->window, window, sizeof(window));
	snprintf(error, size, "no mapping was referenced%s%s", *window ? " " : "", window);
	return -1;
}
