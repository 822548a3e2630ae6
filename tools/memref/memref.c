// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memref: record which physical memory is referenced, and look at it. */
#include "lib/verbs.h"
#include "memref.h"

static const struct verb verbs[] = {
	{ "record", cmd_record, "record a command, or the system, into " MEMREF_FILE },
	{ "report", cmd_report, "print a view of a recording" },
	{ "plot", cmd_plot, "draw a view of a recording" },
	{ "diff", cmd_diff, "compare two recordings" },
	{ "size", cmd_size, "estimate the memory limit that control groups need" },
	{ "top", cmd_top, "show what is referenced now" },
	{ "watch", cmd_watch, "keep the figures of each interval, for weeks" },
	{ "html", cmd_html, "make a page of all views of a recording" },
	{ "cut", cmd_cut, "save a part of a recording" },
	{ "export", cmd_export, "write a recording in the format of other programs" },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("memref", verbs, argc, argv);
}
