// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* What a measurement gives. */
#include <string.h>

#include "metric.h"

/**
 * metric_find() - a metric of a measurement
 *
 * Return: the metric, or NULL.
 */
const struct metric *metric_find(const struct measurement *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->nr; i++)
		if (!strcmp(m->metric[i].name, name))
			return &m->metric[i];
	return NULL;
}

/**
 * metric_add() - add a metric
 * @m: to this; what it has already stays: a program knows its time better
 * @name: its name
 * @value: in the unit of metric_unit()
 *
 * Return: 0, or -1: there is no room, or that is no name.
 */
int metric_add(struct measurement *m, const char *name, double value)
{
	if (metric_find(m, name))
		return 0;
	if (m->nr == MAX_METRICS || !metric_name_ok(name))
		return -1;
	strcpy(m->metric[m->nr].name, name);
	m->metric[m->nr++].value = value;
	return 0;
}

/**
 * metrics_same_own() - does the program name the same metrics in both measurements?
 * @a: a measurement
 * @b: another one
 *
 * Return: 1 if so, else 0.
 */
int metrics_same_own(const struct measurement *a, const struct measurement *b)
{
	const struct metric *found;
	size_t i;

	for (i = 0; i < a->own; i++) {
		found = metric_find(b, a->metric[i].name);
		if (!found || found >= b->metric + b->own)
			return 0;
	}
	return a->own == b->own;
}

/* Drops what @other has not. */
static void keep_common(struct measurement *m, const struct measurement *other)
{
	size_t i, n = 0;

	for (i = 0; i < m->nr; i++)
		if (metric_find(other, m->metric[i].name))
			m->metric[n++] = m->metric[i];
	m->nr = n;
}

/**
 * metrics_keep_common() - drop metrics that were not measured each time, as a counter that did not run once
 * @m: the measurements of an execution, with the same metrics of the program's own
 * @nr: how many, at least one
 *
 * A metric of some measurements of an execution would be none that can be evaluated.
 */
void metrics_keep_common(struct measurement *m, size_t nr)
{
	size_t i;

	for (i = 1; i < nr; i++)
		keep_common(&m[0], &m[i]);
	for (i = 1; i < nr; i++)
		keep_common(&m[i], &m[0]);
}

/**
 * metric_unit() - the unit of a metric
 * @name: times end in _time
 */
const char *metric_unit(const char *name)
{
	size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, "_time") ? "s" : "1";
}

/**
 * metric_name_ok() - may a program name a metric so?
 * @name: letters, digits and _; "end" is the end of an execution
 */
int metric_name_ok(const char *name)
{
	size_t n = strlen(name);

	return n && n < METRIC_NAME_LEN && strcmp(name, "end") &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_") == n;
}
