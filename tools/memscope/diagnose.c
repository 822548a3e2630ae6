// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope diagnose: what several recordings show, in one ranked list. */
#include "lib/outfile.h"
#include "memscope/findings/findings.h"
#include "memscope.h"

static const struct verb_usage usage = {
	.command = "memscope diagnose", .operands = "[FILE...] [options]", .max = -1,
	.about = "Report what recordings show, in one list: each finding with its evidence, what to do, and how far to "
		 "trust it.  A directory stands for the recordings in it.",
	.end = "Findings are ranked by their share of the measured quantity; less trustworthy findings rank "
	       "lower.  Without FILE: the recordings in the working directory that have a usual name.",
};

static int print(const struct findings *l, size_t recordings, const struct output *o)
{
	struct outfile out;
	struct table t;
	int ret;

	if (o->format != TABLE_TEXT) {
		ret = findings_table(l, &t);
		return ret ? ret : output_table(o, &t, 0);
	}
	if (outfile_open(&out, o->path))
		return FAILED;
	findings_print(l, recordings, out.f);
	return outfile_close(&out, ferror(out.f));
}

int cmd_diagnose(int argc, char **argv)
{
	struct output output = { };
	unsigned int top = 0;
	const struct opt options[] = {
		OPT_NUMBER('n', "top", "N", &top, 0, UINT32_MAX, "the first N findings; 0: all (default)"),
		OUTPUT_OPTIONS(&output), { }
	};
	const int first = options_parse(&usage, options, argc, argv);
	struct recordings r;
	struct findings l;
	int ret;

	if (output.explain)
		return output_explain(&output, &findings_columns);
	if (recordings_find(&r, argv + first, argc - first))
		return FAILED;
	ret = findings_read(&l, &r);
	if (!ret) {
		if (top && l.nr > top)
			l.nr = top;
		ret = print(&l, r.nr, &output);
		findings_free(&l);
	}
	recordings_free(&r);
	return ret;
}
