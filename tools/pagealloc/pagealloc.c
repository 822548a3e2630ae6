// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* pagealloc: say where the pages of programs land in physical memory. */
#include "lib/verbs.h"
#include "cli.h"

static const struct verb verbs[] = {
	{ "run", cmd_run, "run a command with a strategy, or as in a recorded layout" },
	{ "set", cmd_set, "set hints of a running process" },
	{ "clear", cmd_clear, "remove hints of a running process" },
	{ "get", cmd_get, "show the hints of a running process" },
	{ "map", cmd_map, "show where the pages of a process are" },
	{ "verify", cmd_verify, "count the pages that match their hints" },
	{ "repair", cmd_repair, "move the pages that do not match their hints" },
	{ "record", cmd_record, "write the layout of a process to a file" },
	{ "colors", cmd_colors, "show the color function" },
	{ "stats", cmd_stats, "show the kernel's counters" },
	{ "doctor", cmd_doctor, "check whether page colors work on this machine" },
	{ "bench", cmd_bench, "measure programs with each strategy" },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("pagealloc", verbs, argc, argv);
}
