/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* What `pagealloc bench run` measured: raw.csv files, read and checked. */
#ifndef PAGEALLOC_BENCH_RESULTS_H
#define PAGEALLOC_BENCH_RESULTS_H

#include <stddef.h>
#include <stdint.h>

/* The benchmark whose runs show whether the machine drifts. */
#define CANARY "canary"

/**
 * struct setting - a "# key: value" line
 * @key: its name
 * @value: what it says
 * @file: in which file; of a results_read()
 * @line: where there
 */
struct setting {
	char *key, *value;
	const char *file;
	long line;
};

/**
 * struct metric - what is measured
 * @name: wall_time, L2_misses, ...
 * @unit: s, 1
 * @file: where the unit was first said
 * @line: there
 */
struct metric {
	char *name, *unit;
	const char *file;
	long line;
};

/* The values of a metric in an execution, in the order of the measurements. */
struct series {
	size_t metric;		/* of struct results.metrics */
	double *value;
	size_t nr, room;
};

/**
 * struct execution - a program that was started once
 * @number: within its experiment
 * @boot: of the machine
 * @block: of strategies in random order, within the boot
 * @nr: measurements, those of the warm-up too
 * @warmup: for each measurement, whether a rule dropped it
 * @phase: for each measurement, its serial number in the boot
 * @series: a metric each
 * @complete: it ended
 * @file: where its first row is
 * @line: there
 * @last_line: and its last row
 */
struct execution {
	unsigned int number, boot, block;
	size_t nr, room;
	unsigned char *warmup;
	uint64_t *phase;
	struct series *series;
	size_t nr_series;
	int complete;
	const char *file;
	long line, last_line;
};

/* A program, its configuration, a strategy. */
struct experiment {
	char *benchmark, *config, *strategy;
	struct execution **executions;
	size_t nr, room;
};

/**
 * struct results - files that belong together
 * @experiments: by benchmark, configuration, strategy; executions by number
 * @canary: executions of the canary in the order they ran
 * @nr_incomplete: executions that did not end, which are left out
 * @nr_rows: of measurements, in all files
 * @index: of what is being read
 */
struct results {
	char **files;
	size_t nr_files;
	struct setting *settings;
	size_t nr_settings;
	struct metric *metrics;
	size_t nr_metrics;
	struct experiment *experiments;
	size_t nr_experiments;
	struct experiment canary;
	size_t nr_incomplete, nr_rows;
	struct results_index *index;
};

int results_read(struct results *r, const char *path, char *error, size_t size);
int results_finish(struct results *r, char *error, size_t size);
void results_free(struct results *r);
const char *results_setting(const struct results *r, const char *key);
int results_metric(const struct results *r, const char *name);
const struct series *execution_series(const struct execution *e, size_t metric);

/* row.c: a line of the file */

#define RESULTS_MAGIC	"# memscope-bench 1"
#define RESULTS_HEADER	"suite,benchmark,config,strategy,boot,block,execution,measurement," \
			"warmup,phase,metric,unit,value"

/* A row; texts point into the line.  An end has no measurement. */
struct row {
	char *suite, *benchmark, *config, *strategy, *metric, *unit;
	unsigned int boot, block, execution, measurement, warmup;
	uint64_t phase;
	double value;
	int is_end;
};

int row_parse(char *line, struct row *row, char *error, size_t size);

#endif
