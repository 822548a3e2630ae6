/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The views: each makes a table from a model. */
#ifndef MEMREF_VIEW_H
#define MEMREF_VIEW_H

#include <stdio.h>

#include "lib/table.h"
#include "memref/model/model.h"

/* Classes that memref plot can draw: each one or all in one picture; one; none. */
enum plot { PLOT_NONE, PLOT_ALL, PLOT_ONE, PLOT_NO_CLASS };

/**
 * struct view - a view of a recording
 * @name: its name on the command line
 * @about: what it shows, for --help
 * @columns: its columns
 * @make: fill a table; returns 0, or -1 if out of memory
 * @lacks: NULL, or returns -1 with @error set if the model lacks the view's data
 * @plot: which classes its script in plots/ can draw
 * @needs: VIEW_*: data to collect beside intervals, groups and nodes
 * @make_plot: NULL, or fills the table of the plot, where that is not the view's
 * @legend: NULL, or writes gnuplot commands that set names for the plot's script; returns 0, or -1
 */
struct view {
	const char *name;
	const char *about;
	const struct columns *columns;
	int (*make)(struct model *m, struct table *t);
	int (*lacks)(const struct model *m, char *error, size_t size);
	enum plot plot;
	int needs;
	int (*make_plot)(struct model *m, struct table *t);
	int (*legend)(struct model *m, FILE *f);
};

/*
 * The heat maps, by physical and by virtual address; processes; 2 MiB blocks; idle ages; mappings; how
 * much was referenced again of each age.
 */
enum {
	VIEW_HEAT = 1, VIEW_VIRT = 2, VIEW_TASKS = 4, VIEW_THP = 8, VIEW_AGES = 16, VIEW_MAPPINGS = 32, VIEW_AGAIN = 64
};

/* Columns that several views begin with: of an interval, and of a cell of a heat map. */
#define INTERVAL_COLUMNS \
	{ "seq", CELL_INT, 0, "", "number of the interval, as the kernel counts them" }, \
	{ "time_s", CELL_REAL, 3, "s", "end of the interval, since the recording began" }, \
	{ "interval_s", CELL_REAL, 3, "s", "length of the interval, without the harvest at its end" }
#define SPAN_COLUMNS \
	{ "time_s", CELL_REAL, 3, "s", "end of the cell's intervals, since the recording began" }, \
	{ "interval_s", CELL_REAL, 3, "s", "length of the cell: from the end of the cell before to time_s" }

/* Their columns, beside each. */
extern const struct columns summary_columns, temporal_columns, spatial_columns, wss_columns,
	heatmap_columns, virtual_columns, numa_columns, tasks_columns, thp_columns, ages_columns, curve_columns,
	mappings_columns, mapping_times_columns;

extern const struct view views[];

const struct view *view_find(const char *name);
int view_window(const struct view *v, const struct window *w, char *error, size_t size);
int view_by(const struct view *v, struct window *w, int by, enum age_by otherwise, char *error, size_t size);
int view_make(const struct view *v, struct model *m, struct table *t, char *error, size_t size);
int view_make_plot(const struct view *v, struct model *m, struct table *t, char *error, size_t size);

int view_summary(struct model *m, struct table *t);
int view_temporal(struct model *m, struct table *t);
int view_spatial(struct model *m, struct table *t);
int view_wss(struct model *m, struct table *t);
int view_heatmap(struct model *m, struct table *t);
int view_virtual(struct model *m, struct table *t);
int view_numa(struct model *m, struct table *t);
int view_tasks(struct model *m, struct table *t);
int view_thp(struct model *m, struct table *t);
int view_ages(struct model *m, struct table *t);
int view_age_panels(struct model *m, struct table *t);
int view_curve(struct model *m, struct table *t);
int view_curve_ranks(struct model *m, struct table *t);
int curve_legend(struct model *m, FILE *f);
int view_mappings(struct model *m, struct table *t);
int view_mapping_times(struct model *m, struct table *t);

int verdict_write(struct model *m, FILE *f);

int lacks_groups(const struct model *m, char *error, size_t size);
int lacks_virt(const struct model *m, char *error, size_t size);
int lacks_virt_pid(const struct model *m, char *error, size_t size);
int lacks_virt_events(const struct model *m, char *error, size_t size);
int lacks_nodes(const struct model *m, char *error, size_t size);
int lacks_tasks(const struct model *m, char *error, size_t size);
int lacks_thp(const struct model *m, char *error, size_t size);
int lacks_ages(const struct model *m, char *error, size_t size);
int age_panels_legend(struct model *m, FILE *f);
int mapping_times_legend(struct model *m, FILE *f);

int lacks_mapping_names(const struct model *m, char *error, size_t size);
int lacks_mappings(const struct model *m, char *error, size_t size);

/**
 * struct thp_amounts - what thp_advise() judges
 * @all: blocks of 2 MiB and pages referenced of them, summed over the intervals
 * @dense: of these, blocks more than half referenced
 * @peak_pages: the most pages of an interval
 * @intervals: their number
 */
struct thp_amounts {
	struct thp_sum all, dense;
	uint64_t peak_pages;
	double intervals;
};

void thp_advise(const struct thp_amounts *a, char *advice, size_t size);
double thp_wasted_mib(double blocks, double pages);

/* End and length of a column of a heat map, and the number of its intervals. */
struct heat_span {
	double time, seconds;
	uint32_t intervals;
};

struct heat_span heat_span(const struct model *m, const struct heat *h, uint64_t column);

#endif
