// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Values of metrics, and their OpenMetrics text.
 *
 * The text is also read by parsers of the older Prometheus format, such as that of
 * node_exporter's textfile collector: all metrics are gauges, since the two formats name
 * counters differently, and no value has a time stamp, which that collector refuses.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/complain.h"
#include "lib/cells/utf8.h"
#include "metrics.h"

static void add(struct metrics *m, const struct metric_value *v)
{
	struct metric_value *more;

	if (m->nr == m->capacity) {
		more = reallocarray(m->values, m->capacity ? 2 * m->capacity : 64, sizeof(*more));
		if (!more) {
			m->no_memory = true;
			return;
		}
		m->values = more;
		m->capacity = m->capacity ? 2 * m->capacity : 64;
	}
	m->values[m->nr++] = *v;
}

/**
 * metrics_add() - add a value
 * @m: the metrics; m->no_memory is set on failure
 * @metric: index in m->list
 * @value: the value
 * @label: value of the first label; NULL: the metric has no labels
 * @label2: value of the second label; NULL: the metric has one label
 */
void metrics_add(struct metrics *m, int metric, double value, const char *label, const char *label2)
{
	struct metric_value v = {
		.metric = metric, .value = value,
		.labels = { label ? utf8_clean(label) : NULL, label2 ? utf8_clean(label2) : NULL },
	};
	const size_t before = m->nr;

	m->no_memory |= (label && !v.labels[0]) || (label2 && !v.labels[1]);
	if (!m->no_memory)
		add(m, &v);
	if (m->nr > before)
		return;
	free(v.labels[0]);
	free(v.labels[1]);
}

/** metrics_add_numbered() - as metrics_add(), where the first label is a number */
void metrics_add_numbered(struct metrics *m, int metric, double value, unsigned int number, const char *label2)
{
	char label[16];

	snprintf(label, sizeof(label), "%u", number);
	metrics_add(m, metric, value, label, label2);
}

/** metrics_clear() - remove all values */
void metrics_clear(struct metrics *m)
{
	size_t i;
	int l;

	for (i = 0; i < m->nr; i++)
		for (l = 0; l < METRIC_LABELS; l++)
			free(m->values[i].labels[l]);
	free(m->values);
	m->values = NULL;
	m->nr = m->capacity = 0;
}

/** metric_unit_name() - the name of a unit in OpenMetrics.  Return: "" for none */
const char *metric_unit_name(enum metric_unit unit)
{
	static const char * const names[NR_UNITS] = { "", "bytes", "seconds", "ratio", "cycles" };

	return names[unit];
}

static void print_label(const char *name, const char *value, FILE *out)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			fputs("\\n", out);
		else if ((unsigned char)*value < ' ')
			fputc('?', out);
		else
			fprintf(out, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
	}
	fputc('"', out);
}

static void print_value(const struct metric *metric, const struct metric_value *v, FILE *out)
{
	int l;

	fputs(metric->name, out);
	for (l = 0; l < METRIC_LABELS && metric->labels[l] && v->labels[l]; l++) {
		fputc(l ? ',' : '{', out);
		print_label(metric->labels[l], v->labels[l], out);
	}
	if (l)
		fputc('}', out);
	if (isnan(v->value))
		fputs(" NaN\n", out);
	else
		fprintf(out, v->value == floor(v->value) && fabs(v->value) < 0x1p53 ? " %.0f\n" : " %.9g\n",
			v->value);
}

/**
 * metrics_print() - write the values as OpenMetrics text
 * @m: the metrics
 * @out: the file
 *
 * Return: 0, or -1 if a value could not be added or written.
 */
int metrics_print(const struct metrics *m, FILE *out)
{
	const struct metric *metric;
	bool begun;
	size_t i;

	for (metric = m->list; metric->name; metric++) {
		begun = false;
		for (i = 0; i < m->nr; i++) {
			if (m->values[i].metric != metric - m->list)
				continue;
			if (!begun) {
				fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", metric->name, metric->help,
					metric->name);
				if (metric->unit)
					fprintf(out, "# UNIT %s %s\n", metric->name, metric_unit_name(metric->unit));
			}
			begun = true;
			print_value(metric, &m->values[i], out);
		}
	}
	fputs("# EOF\n", out);
	return m->no_memory || ferror(out) ? -1 : 0;
}

/**
 * metrics_write() - write the values as OpenMetrics text, then remove them and close the file
 * @m: the metrics
 * @out: the file, open
 *
 * Return: OK, or FAILED with a message printed.
 */
int metrics_write(struct metrics *m, struct outfile *out)
{
	const bool no_memory = m->no_memory;
	int failed;

	errno = 0;
	failed = no_memory ? 0 : metrics_print(m, out->f);
	metrics_clear(m);
	if (!no_memory)
		return outfile_close(out, failed);
	outfile_drop(out);
	return complain(FAILED, "no memory left");
}
