// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc: say where the pages of programs land in physical memory. */
#include "lib/verbs.h"
#include "cli.h"

static const struct verb verbs[] = {
	{ "run", cmd_run, "run a command with a strategy, or as in a recorded layout" },
	{ "set", cmd_set, "set hints of a running process" },
	{ "clear", cmd_clear, "remove them" },
	{ "get", cmd_get, "show them" },
	{ "map", cmd_map, "show where the pages of a process are" },
	{ "verify", cmd_verify, "count the pages that are where the hints say" },
	{ "repair", cmd_repair, "move those that are not" },
	{ "record", cmd_record, "write the layout of a process to a file" },
	{ "colors", cmd_colors, "show the color function" },
	{ "stats", cmd_stats, "show the kernel's counters" },
	{ "doctor", cmd_doctor, "say whether page colors mean anything on this machine" },
	{ "bench", cmd_bench, "measure programs with each strategy" },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("pagealloc", verbs, argc, argv);
}
