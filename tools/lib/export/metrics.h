/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/* Named numbers with a unit, a help text and labels, and their OpenMetrics text. */
#ifndef MEMSCOPE_METRICS_H
#define MEMSCOPE_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/outfile.h"

#define METRIC_LABELS	2

enum metric_unit { UNIT_NONE, UNIT_BYTES, UNIT_SECONDS, UNIT_RATIO, UNIT_CYCLES, NR_UNITS };

/**
 * struct metric - the definition of a number
 * @name: its name, which ends in the unit: memref_working_set_bytes
 * @help: one sentence
 * @unit: its unit
 * @labels: names of the labels that tell its instances apart; NULL: none
 */
struct metric {
	const char *name, *help;
	enum metric_unit unit;
	const char *labels[METRIC_LABELS];
};

/* A value, and the values of the labels of its metric. */
struct metric_value {
	int metric;
	char *labels[METRIC_LABELS];
	double value;
};

/**
 * struct metrics - the values of a set of metrics
 * @list: the metrics, up to one without a name
 * @values: in the order of metrics_add()
 * @no_memory: a value could not be added
 */
struct metrics {
	const struct metric *list;
	struct metric_value *values;
	size_t nr, capacity;
	bool no_memory;
};

void metrics_add(struct metrics *m, int metric, double value, const char *label, const char *label2);
void metrics_add_numbered(struct metrics *m, int metric, double value, unsigned int number, const char *label2);
void metrics_clear(struct metrics *m);
int metrics_print(const struct metrics *m, FILE *out);
int metrics_write(struct metrics *m, struct outfile *out);
const char *metric_unit_name(enum metric_unit unit);

#endif
