// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* Exports of the figures of intervals: metrics of monitoring systems, counter tracks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "lib/export/pcp.h"
#include "lib/export/perfetto.h"
#include "memref.h"
#include "memref/view/metrics.h"

/**
 * figures_openmetrics() - write the last interval: a monitoring system reads the file now and then
 * @path: the recording
 * @output: the file to write; NULL: standard output
 *
 * Return: OK, or FAILED with a message printed.
 */
int figures_openmetrics(const char *path, const char *output)
{
	struct metrics metrics = { .list = memref_metrics };
	struct outfile out;
	struct model m;
	int damaged = load_recording(path, &(struct window){ .by = AGES_CLASS }, 0, &m), failed = FAILED;

	if (m.nr_intervals && !outfile_open(&out, output)) {
		metrics_of_interval(&metrics, &m, m.nr_intervals - 1);
		metrics_of_recording(&metrics, &m);
		failed = metrics_write(&metrics, &out);
	}
	model_free(&m);
	return failed || damaged ? FAILED : OK;
}

/**
 * figures_pcp() - write an archive of Performance Co-Pilot, a record for each interval, at its end
 * @o: host and time
 * @path: the recording
 * @output: name of the archive
 *
 * Return: OK, or FAILED or USAGE with a message printed.
 */
int figures_pcp(const struct columns_options *o, const char *path, const char *output)
{
	struct metrics metrics = { .list = memref_metrics };
	struct pcp *pcp = NULL;
	struct model m;
	int damaged, failed = FAILED;
	uint64_t offset;
	char host[256];
	size_t i;

	if (pcp_check_output(output))
		return USAGE;
	damaged = load_recording(path, &(struct window){ .by = AGES_CLASS }, 0, &m);
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(m.host, ","), m.host);
	if (m.nr_intervals)
		pcp = pcp_open(output, o->host ? o->host : host, memref_metrics);
	if (pcp) {
		offset = columns_offset(o, path, m.begin_ns, m.intervals[m.nr_intervals - 1].scan.end_ns);
		for (i = 0, failed = OK; !failed && i < m.nr_intervals; i++) {
			metrics_of_interval(&metrics, &m, i);
			failed = pcp_write(pcp, &metrics, m.intervals[i].scan.scan_ns + offset);
		}
		failed = pcp_close(pcp, failed);
	}
	model_free(&m);
	return failed || damaged ? FAILED : OK;
}

/* Counters of a name are a track; its series are the instances of the metric. */
static void print_counters(const struct metrics *metrics, double us, FILE *out)
{
	const struct metric *metric;
	size_t i;
	int n;

	for (metric = metrics->list; metric->name; metric++) {
		for (n = i = 0; i < metrics->nr; i++) {
			const struct metric_value *v = &metrics->values[i];

			if (v->metric != metric - metrics->list)
				continue;
			if (!n++)
				fprintf(out, ",\n{\"name\": \"%s\", \"ph\": \"C\", \"pid\": 1, \"ts\": %.3f, \"args\": {",
					metric->name, us);
			/* Labels of intervals are classes and numbers of nodes. */
			fprintf(out, "%s\"%s%s%s\": %.15g", n > 1 ? ", " : "", v->labels[0] ? v->labels[0] : "value",
				v->labels[1] ? ":" : "", v->labels[1] ? v->labels[1] : "", v->value);
		}
		if (n)
			fputs("}}", out);
	}
}

/**
 * figures_perfetto() - write counter tracks for Perfetto, as trace events in JSON
 * @path: the recording
 * @output: the file to write; NULL: standard output
 *
 * A counter has its value from the begin of the interval on, where the interval is drawn.
 *
 * Return: OK, or FAILED with a message printed.
 */
int figures_perfetto(const char *path, const char *output)
{
	struct metrics metrics = { .list = memref_metrics };
	struct perfetto p;
	struct outfile out;
	struct model m;
	int damaged = load_recording(path, &(struct window){ .by = AGES_CLASS }, 0, &m), failed = FAILED;
	size_t i;

	if (m.nr_intervals && !outfile_open(&out, output)) {
		errno = 0;
		perfetto_begin(&p, out.f, m.host);
		for (i = 0; i < m.nr_intervals && !metrics.no_memory; i++) {
			metrics_of_interval(&metrics, &m, i);
			print_counters(&metrics, m.intervals[i].scan.begin_ns * 1e-3, out.f);
			metrics_clear(&metrics);
		}
		perfetto_end(&p);
		if (metrics.no_memory || p.no_memory) {
			outfile_drop(&out);
			complain(FAILED, "no memory left");
		} else {
			failed = outfile_close(&out, ferror(out.f));
		}
	}
	model_free(&m);
	return failed || damaged ? FAILED : OK;
}
