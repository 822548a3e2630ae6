// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref cut: write a time span of a recording as a new recording. */
#include <stdlib.h>
#include <string.h>

#include "lib/options.h"
#include "memref.h"
#include "memref/model/window.h"
#include "lib/trace/dat.h"

/* The requested time span, and the events of its intervals. */
struct span {
	double from, to;
	uint64_t begin_ns;		/* of the recording */
	double seconds;			/* its length */
	uint64_t after, until;		/* times of the last event before it, and in it */
	uint64_t intervals;		/* in it */
	enum { BEFORE, IN, BEHIND } last;
	uint32_t last_seq;
};

static int handle_row(void *ctx, const struct row *row)
{
	const struct scan_row *scan = &row->scan;
	struct span *s = ctx;
	double begin;

	if (row->type == ROW_SCAN) {
		if (!s->begin_ns)
			s->begin_ns = scan->begin_ns;
		begin = (scan->begin_ns - s->begin_ns) * 1e-9;
		s->seconds = (scan->scan_ns - s->begin_ns) * 1e-9;
		s->last = s->seconds <= s->from ? BEFORE :
			  s->to > 0 && begin >= s->to ? BEHIND : IN;
		s->last_seq = scan->seq;
		s->intervals += s->last == IN;
	} else if (row_seq(row) != s->last_seq) {
		return 0;
	}
	/* Clocks differ between CPUs: groups may follow the memref_scan of their interval. */
	if (s->last == BEFORE)
		s->after = row->ts;
	else if (s->last == IN)
		s->until = row->ts;
	return 0;
}

static int find_span(const char *path, struct span *s)
{
	struct reader r = { .row = handle_row, .ctx = s };

	if (read_rows(path, &r))
		return FAILED;
	if (!s->intervals)
		return complain(FAILED, "%s: no interval between %g and %g s: the recording lasts %.3f s", path,
				s->from, s->to > 0 ? s->to : s->seconds, s->seconds);
	return OK;
}

static int cut(const char *path, const struct span *s, const char *output)
{
	struct outfile out;
	struct trace_dat d;
	char error[256];
	int ret;

	ret = trace_dat_open(&d, path, "memref", error, sizeof(error));
	if (ret) {
		complain(FAILED, "%s: %s", path, error);
	} else if (outfile_open(&out, output)) {
		ret = -1;
	} else {
		ret = trace_dat_cut(&d, fileno(out.f), s->after, s->until, error, sizeof(error));
		if (ret)
			complain(FAILED, "%s: %s", path, error);
		if (outfile_end(&out, ret))
			ret = -1;
	}
	trace_dat_close(&d);
	return ret ? FAILED : OK;
}

static const struct verb_usage usage = {
	.command = "memref cut", .operands = "[FILE] -o OUTPUT [options]",
	.about = "Copy a time span of a recording (" DEFAULT_INPUT ") into a new recording.", .max = 1,
};

int cmd_cut(int argc, char **argv)
{
	const char *path, *output = NULL;
	struct span span = { 0 };
	const struct opt options[] = {
		OPT_TIME(0, "from", "TIME", &span.from, "s", 0, 1e9,
			 "start of the span in the recording (default 0; 5s, 300ms; seconds without unit)"),
		OPT_TIME(0, "until", "TIME", &span.to, "s", SHORTEST, 1e9,
			 "end of the span (seconds without unit; default: the recording's end)"),
		OPT_TEXT('o', "output", "OUTPUT", &output, "the new recording"),
		OPT_RENAMED(0, "to", "until"), { }
	};

	argv += options_parse(&usage, options, argc, argv);
	if (!output)
		return options_wrong(&usage, "-o OUTPUT is missing");
	if (window_check(&(struct window){ .from = span.from, .to = span.to }))
		return USAGE;
	path = recording_path(argv[0]);
	if (!path)
		return FAILED;
	return find_span(path, &span) || cut(path, &span, output) ? FAILED : OK;
}
