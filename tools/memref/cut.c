// SPDX-License-Identifier: GPL-2.0
/* memref cut: save a part of a recording as a recording. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memref.h"
#include "lib/trace/dat.h"

/* Which events belong to the intervals that are wanted. */
struct span {
	double from, to;
	uint64_t begin_ns;		/* of the recording */
	double seconds;			/* its length */
	uint64_t after, until;		/* times of the last event before, and in it */
	uint64_t intervals;		/* in it */
	enum { BEFORE, IN, BEHIND } last;
	uint32_t last_seq;
};

static int take_row(void *ctx, const struct row *row)
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
	/* Groups may come a little after the memref_scan of their interval. */
	if (s->last == BEFORE)
		s->after = row->ts;
	else if (s->last == IN)
		s->until = row->ts;
	return 0;
}

static int find_span(const char *path, struct span *s)
{
	struct reader r = { .row = take_row, .ctx = s };

	if (read_rows(path, &r))
		return FAILED;
	if (!s->intervals)
		return complain(FAILED, "%s: no interval between %g and %g s: it has %.3f s", path,
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
		if (outfile_close(&out, ret))
			ret = -1;
	}
	trace_dat_close(&d);
	return ret ? FAILED : OK;
}

/* Return 0, or -1 if it is no number of seconds. */
static int parse_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	return end == text || *end || !isfinite(*seconds) || *seconds < 0 ? -1 : 0;
}

static void usage(FILE *f)
{
	fputs("usage: memref cut [FILE] [--from S] [--to S] -o OUTPUT\n"
	      "Save the intervals of a span of time of a recording (default trace.dat).\n\n"
	      "      --from S       seconds since the recording began (default 0)\n"
	      "      --to S         (default its end)\n"
	      "  -o, --output FILE  a trace.dat file\n"
	      "      --help\n", f);
}

enum { OPT_FROM = 256, OPT_TO };

int cmd_cut(int argc, char **argv)
{
	static const struct option options[] = {
		{ "from", 1, NULL, OPT_FROM }, { "to", 1, NULL, OPT_TO },
		{ "output", 1, NULL, 'o' }, { "help", 0, NULL, 'h' }, { }
	};
	const char *path, *output = NULL;
	struct span span = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		switch (c) {
		case OPT_FROM:
			if (parse_seconds(optarg, &span.from))
				return complain(USAGE, "--from %s: not a number of seconds", optarg);
			break;
		case OPT_TO:
			if (parse_seconds(optarg, &span.to) || span.to <= 0)
				return complain(USAGE, "--to %s: not a number of seconds", optarg);
			break;
		case 'o':
			output = optarg;
			break;
		case 'h':
			usage(stdout);
			return OK;
		default:
			usage(stderr);
			return USAGE;
		}
	}
	if (!output || argc - optind > 1) {
		usage(stderr);
		return USAGE;
	}
	if (span.to > 0 && span.to <= span.from)
		return complain(USAGE, "--to %g: not behind --from %g", span.to, span.from);
	path = optind < argc ? argv[optind] : "trace.dat";
	return find_span(path, &span) || cut(path, &span, output) ? FAILED : OK;
}
