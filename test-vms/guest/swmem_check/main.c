// SPDX-License-Identifier: GPL-2.0-only
// Copyright (C) 2026 the memscope authors
/*
 * Samples by the PMU swmem, for checks outside of the guest.
 *
 *	swmem_check all			ticks of CPUs that are idle, and that work again
 *	swmem_check hold FILE		samples all CPUs; writes to FILE after a while
 *	swmem_check syscalls CPU	where short system calls are sampled
 *	swmem_check loops FILE [option...]
 *		runs the loops between the oracle's marks, writes to FILE
 *			object NAME FIRST LAST
 *			range NAME FIRST-IP LAST-IP OBJECT OP WIDTH
 *			sample CPU IP ADDRESS OP WIDTH kernel|user
 *			lost NUMBER
 *		options: irq period=NS rounds=N user kernel
 *			samples=N	after the rounds, more until there are N
 *			coarse		with the timers that there are, if only of the tick
 */
#include <stdio.h>
#include <string.h>

#include "swmem_check.h"

int main(int argc, char **argv)
{
	/* The loops do after they know that they are to. */
	if (argc > 1 && strcmp(argv[1], "loops"))
		wait_for_timers();
	/* Where CPUs take turns, an NMI takes as long as others have theirs. */
	if (argc > 1)
		set_sysctl("perf_cpu_time_max_percent", 0);
	if (argc > 2 && !strcmp(argv[1], "loops"))
		return run_loops(argc - 2, argv + 2);
	if (argc == 2 && !strcmp(argv[1], "all"))
		return run_all_cpus();
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return run_hold(argc - 2, argv + 2);
	if (argc == 3 && !strcmp(argv[1], "syscalls"))
		return run_syscalls(argc - 2, argv + 2);
	fprintf(stderr, "usage: swmem_check all | hold FILE | syscalls CPU | loops FILE [irq] [period=NS] [rounds=N] [samples=N] [user|kernel] [coarse]\n");
	return 2;
}
