// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the PMU swmem: samples taken of loops over known buffers.
 *
 *	swmem_check events		what events can ask for; prints TAP
 *	swmem_check churn SECONDS SEED PERIOD_NS
 *		samples everything while tasks map, unmap, fork, exec and exit
 *	swmem_check loops FILE [option...]
 *		runs the loops between the oracle's marks, writes to FILE
 *			object NAME FIRST LAST
 *			range NAME FIRST-IP LAST-IP OBJECT OP WIDTH
 *			sample CPU IP ADDRESS OP WIDTH kernel|user
 *			lost NUMBER
 *		options: irq period=NS rounds=N user kernel
 *			samples=N	after the rounds, more until there are N
 */
#include <stdio.h>
#include <string.h>

#include "swmem_check.h"

int main(int argc, char **argv)
{
	/* What churn executes. */
	if (argc == 2 && !strcmp(argv[1], "idle"))
		return 0;
	if (argc > 1)
		wait_for_timers();
	if (argc == 2 && !strcmp(argv[1], "events"))
		return check_events();
	if (argc > 2 && !strcmp(argv[1], "loops"))
		return run_loops(argc - 2, argv + 2);
	if (argc == 5 && !strcmp(argv[1], "churn"))
		return run_churn(argc - 2, argv + 2);
	fprintf(stderr, "usage: swmem_check events | churn SECONDS SEED PERIOD_NS | loops FILE [irq] [period=NS] [rounds=N] [user|kernel]\n");
	return 2;
}
