// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope fleet: memscope-fleet, a program of its own, since it alone needs a query engine. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "memscope.h"
#include "memscope/run/program.h"

int cmd_fleet(int argc, char **argv)
{
	char path[PATH_MAX];

	(void)argc;
	program_path("memscope-fleet", path, sizeof(path));
	argv[0] = "memscope-fleet";
	execvp(path, argv);
	return complain(FAILED, "%s: %s", path, strerror(errno));
}
