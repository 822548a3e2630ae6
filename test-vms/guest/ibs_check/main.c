// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/* ibs_check: checks samples of AMD IBS, as the processor (or its emulation) and
 * the kernel's driver give them, against what the program knows it did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void __attribute__((noreturn)) usage(void)
{
	fputs("usage: ibs_check samples PERIOD [SECONDS]  known instructions, buffers and nodes\n"
	      "       ibs_check hash PERIOD               a hash of all samples of a mixed work\n"
	      "       ibs_check static SAMPLES            where so many loads were served\n"
	      "       ibs_check table                     answers given to isa-ibs-table\n"
	      "       ibs_check load PERIOD               latency of a node, idle and busy\n"
	      "       ibs_check trace PERIOD              caches and their coherence\n"
	      "       ibs_check bounce PERIOD             a line that two CPUs write\n"
	      "       ibs_check silicon [PERIOD]          loads, stores and rep stos, as processors tag them\n"
	      "       ibs_check phys                      a store to each page, its addresses\n"
	      "       ibs_check work MILLIONS [PERIOD]    so many loads, to be timed\n", stderr);
	exit(2);
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t n = strtoull(s, &end, 0);

	if (*end || !n)
		usage();
	return n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc < 2)
		usage();
	if (!strcmp(what, "work") && argc == 3) {
		work(number(argv[2]), 0);
		return 0;
	}
	if (!strcmp(what, "phys") && argc == 2) {
		print_phys();
		return 0;
	}
	if (!strcmp(what, "silicon") && argc == 2) {
		check_silicon(0);
		return 0;
	}
	sampler_prepare();
	if (!strcmp(what, "samples") && (argc == 3 || argc == 4))
		check_samples(number(argv[2]), argc == 4 ? number(argv[3]) : 0);
	else if (!strcmp(what, "hash") && argc == 3)
		check_hash(number(argv[2]));
	else if (!strcmp(what, "static") && argc == 3)
		check_static(number(argv[2]));
	else if (!strcmp(what, "table") && argc == 2)
		check_table();
	else if (!strcmp(what, "load") && argc == 3)
		check_load(number(argv[2]));
	else if (!strcmp(what, "trace") && argc == 3)
		check_trace(number(argv[2]));
	else if (!strcmp(what, "silicon") && argc == 3)
		check_silicon(number(argv[2]));
	else if (!strcmp(what, "work") && argc == 4)
		work(number(argv[2]), number(argv[3]));
	else if (!strcmp(what, "bounce") && argc == 3)
		check_bounce(number(argv[2]));
	else
		usage();
	return 0;
}
