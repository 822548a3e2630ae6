// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* memscope: the front of memref, pagealloc, dprof, memprof and memscope-fleet. */
#include "lib/verbs.h"
#include "memscope.h"

static const struct verb verbs[] = {
	{ "doctor", cmd_doctor, "report what works on this machine, what does not, and what to do" },
	{ "record", cmd_record, "record what a command uses, into one directory with one clock" },
	{ "report", cmd_report, "print a view of each recording, by the tool that made it" },
	{ "diagnose", cmd_diagnose, "report what recordings show, and what to do, in one ranked list" },
	{ "html", cmd_html, "make one page of recordings and their findings" },
	{ "why", cmd_why, "report what a run knows about an address, a process or a control group" },
	{ "fleet", cmd_fleet, "answer questions over the recordings of many hosts", true },
	{ }
};

int main(int argc, char **argv)
{
	return verbs_main("memscope", verbs, argc, argv);
}
