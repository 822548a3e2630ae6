/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Results of `pagealloc bench run`: reads and checks raw.csv files. */
#ifndef PAGEALLOC_BENCH_RESULTS_H
#define PAGEALLOC_BENCH_RESULTS_H

#include <stddef.h>
#include <stdint.h>

/* The reference benchmark that detects drift of the machine. */
#define CANARY "canary"

/**
 * struct setting - a "# key: value" line
 * @key: its name
 * @value: its value
 * @file: the file, owned by results_read()
 * @line: line number in @file
 */
struct setting {
	char *key, *value;
	const char *file;
	long line;
};

/**
 * struct metric - a metric
 * @name: wall_time, L2_misses, ...
 * @unit: s, 1
 * @file: the file that first named the unit
 * @line: line number in @file
 */
struct metric {
	char *name, *unit;
	const char *file;
	long line;
};

/* The values of a metric in an execution, in the order of the measurements. */
struct series {
	size_t metric;		/* index in struct results.metrics */
	double *value;
	size_t nr, capacity;
};

/**
 * struct execution - one execution of a program
 * @number: its number within the experiment
 * @boot: number of the boot
 * @block: number of the block, of strategies in random order, within the boot
 * @nr: number of measurements, including warm-up
 * @warmup: for each measurement, whether it is warm-up
 * @phase: for each measurement, its serial number in the boot
 * @series: the values of each metric
 * @complete: the execution has its end row
 * @file: the file of its first row
 * @line: line number of its first row
 * @last_line: line number of its last row
 */
struct execution {
	unsigned int number, boot, block;
	size_t nr, capacity;
	unsigned char *warmup;
	uint64_t *phase;
	struct series *series;
	size_t nr_series;
	int complete;
	const char *file;
	long line, last_line;
};

/* All executions of a program with one configuration and strategy. */
struct experiment {
	char *benchmark, *config, *strategy;
	struct execution **executions;
	size_t nr, capacity;
};

/**
 * struct results - the results of one or several files
 * @experiments: sorted by benchmark, configuration, strategy; executions by number
 * @canary: executions of the canary in the order they ran
 * @nr_incomplete: number of executions without an end row, which are left out
 * @nr_rows: number of measurement rows in all files
 * @index: lookup table while reading
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

/* A row; strings point into the line.  An end row has no measurement. */
struct row {
	char *suite, *benchmark, *config, *strategy, *metric, *unit;
	unsigned int boot, block, execution, measurement, warmup;
	uint64_t phase;
	double value;
	int is_end;
};

int row_parse(char *line, struct row *row, char *error, size_t size);

#endif
