// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memprof: which thread touches which object on which node, and what to do about it. */
#include "lib/verbs.h"
#include "memprof_cli.h"

static const struct verb verbs[] = {
	{ "record", cmd_record, "record a command, a process, or the system" },
	{ "import", cmd_import, "make a recording from the data of other programs" },
	{ "report", cmd_report, "print a view of a recording" },
	{ "diagnose", cmd_diagnose, "find the objects whose placement costs time, and recommend a fix" },
	{ "diff", cmd_diff, "compare two recordings, before and after a change" },
	{ "script", cmd_script, "run a C program over the flows of a recording" },
	{ "plot", cmd_plot, "draw a view of a recording" },
	{ "html", cmd_html, "make a page of the diagnosis and all views" },
	{ "export", cmd_export, "write a recording in the format of other programs" },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("memprof", verbs, argc, argv);
}
