// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope-fleet: questions over the recordings of many machines. */
#include "fleet.h"
#include "lib/verbs.h"

static const struct verb verbs[] = {
	{ "create", cmd_create, "make the tables on a ClickHouse server" },
	{ "import", cmd_import, "check columns that hosts sent, and add them to a store or server" },
	{ "report", cmd_report, "answer a question over a store or server" },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("memscope-fleet", verbs, argc, argv);
}
