/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* The tables of `pagealloc bench report`. */
#ifndef PAGEALLOC_BENCH_VIEWS_H
#define PAGEALLOC_BENCH_VIEWS_H

#include "lib/table.h"
#include "evaluate.h"

#define MAX_COLUMNS 20

/**
 * struct section - a table and its explanation
 * @name: its name, one word
 * @title: its title
 * @meaning: how to read the intervals and other numbers
 * @table: the table
 * @columns: its columns; their names are in @names
 */
struct section {
	const char *name, *title, *meaning;
	struct table table;
	struct column columns[MAX_COLUMNS];
	char names[MAX_COLUMNS][64];
	int nr_columns;
};

/* The user's options for views. */
struct view_options {
	const char *misses;	/* metric of misses; NULL: that of the last cache level */
	double min_diff;	/* percent */
	double cost_ratio;	/* cost of an execution's start per cost of a measurement; 0: unknown */
};

/**
 * struct bench_view - a view
 * @needs: bit mask of the statistics it shows
 * @compares: it compares strategies
 * @sections: maximal number of sections
 * @make: append rows; returns 0, -1 if out of memory, or -2 with @error set
 */
struct bench_view {
	const char *name, *about;
	unsigned int needs;
	int compares;
	int (*make)(struct evaluation *ev, const struct view_options *o, struct section *sections,
		    int *nr, char *error, size_t size);
};

#define MAX_SECTIONS 16

/* The columns of all tables.  Words in capital letters stand for what data decide: a metric, its unit. */
extern const struct columns bench_columns;

extern const struct bench_view bench_views[];
const struct bench_view *bench_view_find(const char *name);

void section_begin(struct section *s, const char *name, const char *title, const char *meaning);
void section_column(struct section *s, enum cell_type type, int digits, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void section_ready(struct section *s);

/* A number, or that it is not known. */
static inline struct cell known(double x)
{
	return x == x && x - x == 0 ? REAL_CELL(x) : NONE_CELL;
}

/* view_rank.c, view_series.c */
int view_ranking(struct evaluation *ev, const struct view_options *o, struct section *sections,
		 int *nr, char *error, size_t size);
int view_mindiff(struct evaluation *ev, const struct view_options *o, struct section *sections,
		 int *nr, char *error, size_t size);
int view_summary(struct evaluation *ev, const struct view_options *o, struct section *sections,
		 int *nr, char *error, size_t size);
int view_correlation(struct evaluation *ev, const struct view_options *o, struct section *sections,
		     int *nr, char *error, size_t size);
int view_checks(struct evaluation *ev, const struct view_options *o, struct section *sections,
		int *nr, char *error, size_t size);

/* Benchmarks of one measurement an execution and of several are counted apart. */
static inline const char *kind(int several)
{
	return several ? "several" : "single";
}

int rank_too_many(const struct evaluation *ev, char *error, size_t size);
double rank_shares(const struct evaluation *ev, enum statistic statistic, int several, double min_pct,
		   double *share, size_t *left_out);
const char *misses_metric(const struct results *r, const char *requested);
void misses_missing(const struct results *r, const char *requested, const char *file, char *error, size_t size);

#endif
