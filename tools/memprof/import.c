// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof import: make a recording of what other programs recorded. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/options.h"
#include "lib/perf/perf_data.h"
#include "memprof/import/sink.h"
#include "memprof_cli.h"
#include "options.h"

static const struct verb_usage usage = {
	.command = "memprof import", .operands = "FILE [options]", .min = 1, .max = 1,
	.about = "Make a recording from FILE: comma-separated samples with the names of the columns in the "
		 "first line, or a file of perf record.",
};

/* In the order of the words of --time-unit. */
enum { UNITS = 4 };
static const uint64_t unit_ns[UNITS] = { 1, 1000, 1000000, 1000000000 };

/* Takers of the options: OK, or USAGE after saying why. */

static int take_column(const struct opt *o, const char *value)
{
	struct csv_options *csv = o->to;

	if (csv->nr_columns == sizeof(csv->column) / sizeof(csv->column[0]))
		return wrong_usage("--column %s: too many", value);
	csv->column[csv->nr_columns++] = value;
	return OK;
}

/* Return: 0, or -1 with errno set */
static int copy(int from, int to)
{
	static char buffer[1 << 16];
	ssize_t n, done, put;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		for (done = 0; done < n; done += put) {
			put = write(to, buffer + done, n - done);
			if (put < 0)
				return -1;
		}
	return n;
}

/* Files are read twice: what comes through a pipe is kept.  Return: a descriptor, or -1 after saying why */
static int keep_pipe(const char *path)
{
	const int from = open(path, O_RDONLY | O_CLOEXEC);
	int to;

	if (from < 0)
		return complain(-1, "%s: %s", path, strerror(errno));
	to = unnamed_file();
	if (to >= 0 && copy(from, to)) {
		complain(FAILED, "%s: its copy: %s", path, strerror(errno));
		close(to);
		to = -1;
	}
	close(from);
	return to;
}

static int import(const char *path, const char *name, const char *output, const struct csv_options *csv)
{
	const char *given = csv->nr_columns ? "column" : csv->hex ? "hex" : csv->pebs ? "pebs" :
			    csv->unit ? "time-unit" : csv->element ? "element" : NULL;
	struct csv_options with = *csv;

	if (perf_data_is(path))
		return !given ? import_perf(path, name, output) :
		       wrong_usage("--%s: for comma-separated samples, not for perf.data as %s", given, name);
	with.unit = with.unit ? with.unit : 1;
	with.element = with.element ? with.element : 8;
	return import_csv(path, name, output, &with);
}

static int import_pipe(const char *name, const char *output, const struct csv_options *csv)
{
	const int fd = keep_pipe(name);
	char path[64];
	int ret;

	if (fd < 0)
		return FAILED;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = import(path, name, output, csv);
	close(fd);
	return ret;
}

int cmd_import(int argc, char **argv)
{
	struct csv_options csv = { };
	unsigned int unit = UNITS;
	const char *output = DEFAULT_FILE;
	const struct opt options[] = {
		OPT_TEXT('o', "output", "FILE", &output, "the recording (default " DEFAULT_FILE ")"),
		OPT_CALL(0, "column", "NAME=COLUMN", take_column, &csv,
			 "name in FILE of the column that memprof names NAME; without COLUMN, FILE has no such "
			 "column; may be repeated"),
		OPT_TEXT(0, "hex", "NAME,...", &csv.hex, "columns whose numbers are hexadecimal without 0x"),
		OPT_FLAG(0, "pebs", &csv.pebs, "levels are the numbers of Intel's data sources"),
		OPT_WORD(0, "time-unit", "ns|us|ms|s", &unit, "unit of the column time (default ns)"),
		OPT_SIZE(0, "element", "SIZE", &csv.element, 1, 1 << 20,
			 "size in bytes of the elements that the column index counts (default 8)"),
		{ }
	};
	struct stat st;

	argv += options_parse(&usage, options, argc, argv);
	csv.unit = unit < UNITS ? unit_ns[unit] : 0;
	/* As memprof export --to perf. */
	if (!strcmp(output, "-"))
		return options_wrong(&usage, "-o -: a recording is written at two places of a file, and so needs a regular one");
	if (!stat(argv[0], &st) && S_ISFIFO(st.st_mode))
		return import_pipe(argv[0], output, &csv);
	return import(argv[0], argv[0], output, &csv);
}
