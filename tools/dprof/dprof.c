// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* dprof: cache misses by kernel data type. */
#include "lib/verbs.h"
#include "dprof.h"

static const struct verb verbs[] = {
	{ "record", cmd_record, "record a command, or the system, into " DPROF_FILE },
	{ "report", cmd_report, "print a view of a recording" },
	{ "plot", cmd_plot, "draw a view of a recording" },
	{ "diff", cmd_diff, "compare two recordings" },
	{ "layout", cmd_layout, "recommend an order of the fields of a struct" },
	{ "script", cmd_script, "print the events of a recording" },
	{ "merge", cmd_merge, "join several recordings into one" },
	{ "export", cmd_export, "write a recording in the format of other programs" },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("dprof", verbs, argc, argv);
}
