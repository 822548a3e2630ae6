// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc stats: show the kernel's counters since boot, or per interval. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"

#define STATS "/sys/kernel/debug/page_hint/stats"
#define MAX_STATS 128

struct stats {
	char text[16384];
	const char *names[MAX_STATS];
	uint64_t values[MAX_STATS];
	int nr;
};

static const struct verb_usage usage = {
	.command = "pagealloc stats", .operands = "[options]",
	.about = "Show the counters of page hints: since boot, or per interval.  Needs root, "
		 "and debugfs at /sys/kernel/debug.",
};

/* Read all counters; each line is a name and a number. */
static int read_stats(struct stats *s)
{
	char *line, *rest, *space, *end;
	int ret = system_read(STATS, s->text, sizeof(s->text));

	if (ret == -ENOENT)
		return complain(FAILED, "%s%s: no such file: the kernel has no page hints, or"
				" debugfs is not mounted", system_root(), STATS);
	if (ret)
		return complain(FAILED, "%s%s: %s", system_root(), STATS, strerror(-ret));
	s->nr = 0;
	for (line = strtok_r(s->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		space = strchr(line, ' ');
		if (!space || s->nr == MAX_STATS)
			return complain(FAILED, "%s%s: %s: not a counter", system_root(), STATS,
					line);
		*space = '\0';
		s->names[s->nr] = line;
		s->values[s->nr] = strtoull(space + 1, &end, 10);
		if (end == space + 1 || *end)
			return complain(FAILED, "%s%s: %s: not a number", system_root(), STATS,
					space + 1);
		s->nr++;
	}
	return OK;
}

static const struct columns counter_columns = COLUMNS(
	{ "counter", CELL_TEXT, 0, "",
	  "counter of the page allocator; see Documentation/admin-guide/mm/page_hints.rst" },
	{ "value", CELL_INT, 0, "", "its value since boot" },
);
static const struct columns interval_columns = COLUMNS(
	{ "interval", CELL_INT, 0, "", "number of the interval, from 1 on" },
	{ "seconds", CELL_REAL, 3, "s", "its length" },
	{ "counter", CELL_TEXT, 0, "",
	  "counter of the page allocator; see Documentation/admin-guide/mm/page_hints.rst" },
	{ "value", CELL_INT, 0, "", "its increase in the interval; 0 if it fell" },
	{ "per_second", CELL_REAL, 1, "1/s", "value / seconds" },
);

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void sleep_s(double s)
{
	struct timespec ts = { .tv_sec = (time_t)s, .tv_nsec = fmod(s, 1) * 1e9 };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static int absolute(struct stats *s, struct table *t)
{
	int i;

	for (i = 0; i < s->nr; i++)
		if (table_add(t, (struct cell[]){ TEXT_CELL(s->names[i]), INT_CELL(s->values[i]) }))
			return complain(FAILED, "no memory left");
	return OK;
}

static int interval(const struct stats *a, const struct stats *b, unsigned long number, double s,
		    struct table *t)
{
	int i;

	if (a->nr != b->nr)
		return complain(FAILED, "%s: the counters changed", STATS);
	for (i = 0; i < b->nr; i++) {
		/* Gauges, such as the number of cached pages, may shrink: show 0. */
		uint64_t gain = b->values[i] > a->values[i] ? b->values[i] - a->values[i] : 0;

		if (table_add(t, (struct cell[]){ INT_CELL(number), REAL_CELL(s),
						  TEXT_CELL(b->names[i]), INT_CELL(gain),
						  REAL_CELL(gain / s) }))
			return complain(FAILED, "no memory left");
	}
	return OK;
}

static int watch(double seconds, unsigned long count, struct table *t)
{
	struct stats *s = calloc(2, sizeof(*s));
	double before = now_s(), now;
	unsigned long i;
	int ret;

	if (!s)
		return complain(FAILED, "no memory left");
	ret = read_stats(&s[0]);
	if (!ret && seconds <= 0)
		ret = absolute(&s[0], t);
	for (i = 1; seconds > 0 && i <= count && !ret; i++) {
		sleep_s(seconds);
		ret = read_stats(&s[i % 2]);
		now = now_s();
		if (!ret)
			ret = interval(&s[(i + 1) % 2], &s[i % 2], i, now - before, t);
		before = now;
	}
	free(s);
	return ret;
}

int cmd_stats(int argc, char **argv)
{
	unsigned long count = 0;
	struct output out = { };
	double seconds = 0;
	const struct opt options[] = {
		/* Require a unit: without one, seconds and ms (as in other tools) are both plausible. */
		OPT_TIME('i', "interval", "TIME", &seconds, NULL, 0.001, 86400,
			 "show increments per interval of this length, with unit: 5s, 500ms"),
		OPT_NUMBER(0, "intervals", "N", &count, 1, OPT_NUMBER_MAX, "number of intervals (default 1)"),
		OPT_CHANGED('n', "count", "--intervals"), OUTPUT_OPTIONS(&out), { }
	};
	struct table table;
	int ret;

	options_parse(&usage, options, argc, argv);
	if (count && seconds <= 0)
		return options_wrong(&usage, "--intervals: only with --interval");
	if (out.explain)
		return output_explain(&out, seconds > 0 ? &interval_columns : &counter_columns);
	if (seconds > 0)
		table_init_columns(&table, &interval_columns);
	else
		table_init_columns(&table, &counter_columns);
	ret = watch(seconds, count ? count : 1, &table);
	if (!ret)
		return output_table(&out, &table, 0);
	table_free(&table);
	return ret;
}
