/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The views: tables built from an analysis. */
#ifndef DPROF_VIEW_H
#define DPROF_VIEW_H

#include "lib/table.h"
#include "dprof/judge/analysis.h"

/* What views show that perf.data has not, or may lack. */
enum {
	SHOWS_TYPES = 1, SHOWS_ALLOCATIONS = 2, SHOWS_HISTORIES = 4, SHOWS_LEVELS = 8, SHOWS_LATENCY = 16,
	SHOWS_CPUS = 32, SHOWS_NODES = 64,
};

/**
 * struct view - a view of a recording
 * @name: on the command line
 * @about: its description in --help
 * @columns: its columns
 * @make: fills a table; returns 0, or -1 without memory
 * @lacks: returns what the recording lacks for the view, or NULL; may be NULL
 * @need: the results that it needs
 * @shows: SHOWS_*: what it shows that perf.data may lack
 * @plot: the program that draws it: a script of plots/, "dot", or NULL
 */
struct view {
	const char *name, *about;
	const struct columns *columns;
	int (*make)(struct analysis *a, struct table *t);
	const char *(*lacks)(const struct analysis *a);
	enum need need;
	unsigned int shows;
	const char *plot;
};

/* Columns of samples that several views have. */
#define ACCESS_COLUMNS \
	{ "loads", CELL_INT, 0, "samples", "samples that load" }, \
	{ "stores", CELL_INT, 0, "samples", "samples that store; a read-modify-write counts in both" }
#define NO_LEVEL "no sample of the row has a level"
#define MISS_COLUMNS \
	{ "misses_l1", CELL_INT, 0, "samples", "accesses whose data were not in the CPU's L1 cache", NO_LEVEL }, \
	{ "misses_l2", CELL_INT, 0, "samples", "accesses whose data were not in its L2 cache either", NO_LEVEL }, \
	{ "misses_l3", CELL_INT, 0, "samples", "accesses whose data were not in its L3 cache either", NO_LEVEL }, \
	{ "peer", CELL_INT, 0, "samples", "accesses whose data were in another CPU's cache", NO_LEVEL }
/* The cells of MISS_COLUMNS, of a tally; known: tally_known() of it. */
#define MISS_CELLS(s, known) \
	(known) ? INT_CELL(tally_misses(s, LEVEL_L1)) : NONE_CELL, \
	(known) ? INT_CELL(tally_misses(s, LEVEL_L2)) : NONE_CELL, \
	(known) ? INT_CELL(tally_misses(s, LEVEL_L3)) : NONE_CELL, \
	(known) ? INT_CELL((s)->level[LEVEL_PEER]) : NONE_CELL
#define MISSES_PCT_COLUMN(whole) \
	{ "misses_pct", CELL_REAL, 2, "%", "misses of the level (--level, default l1), of those of " whole, \
	  "no sample of the recording missed, or has a level" }
#define LATENCY_COLUMN \
	{ "latency_cycles", CELL_REAL, 1, "cycles", "mean latency of the samples that have one", "none has one" }

/* Their columns, beside each. */
extern const struct columns profile_columns, classify_columns, workingset_columns,
	sets_columns, dataflow_columns, paths_columns, sharing_columns, lines_columns, c2c_columns, latency_columns,
	code_columns, structs_columns, callers_columns,
	levels_columns, cpus_columns, nodes_columns;

extern const struct view views[];

const struct view *view_find(const char *name);
void view_note(const struct analysis *a, unsigned int shows, const char *path);
const char *view_word(int n, const char **about);

int view_profile(struct analysis *a, struct table *t);
int view_classify(struct analysis *a, struct table *t);
int view_workingset(struct analysis *a, struct table *t);
int view_sets(struct analysis *a, struct table *t);
int view_dataflow(struct analysis *a, struct table *t);
int view_paths(struct analysis *a, struct table *t);
int view_sharing(struct analysis *a, struct table *t);
int view_lines(struct analysis *a, struct table *t);
int view_c2c(struct analysis *a, struct table *t);
int view_latency(struct analysis *a, struct table *t);
int view_code(struct analysis *a, struct table *t);
int view_structs(struct analysis *a, struct table *t);
int view_callers(struct analysis *a, struct table *t);
int view_levels(struct analysis *a, struct table *t);
int view_cpus(struct analysis *a, struct table *t);
int view_nodes(struct analysis *a, struct table *t);

/* lines.c: of lines that several CPUs use and one writes, a row each. */
int shared_lines(struct analysis *a, struct table *t);

/* Cells and labels that several views share. */
struct cell share_cell(double part, double whole);
struct cell level_cell(const struct tally *t, char *buf, size_t size);
const char *type_label(const struct dtype *t);
void field_label(struct analysis *a, uint32_t type, int64_t offset, char *buf, size_t size);
bool type_bounces(const struct analysis *a, const struct dtype *t);
struct dtype **types_by(struct analysis *a, double (*key)(struct analysis *a, const struct dtype *t),
			uint32_t *nr);

/* dataflow.c: the graph behind the view of that name. */
int dataflow_dot(struct analysis *a, FILE *out);

#define NR(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
