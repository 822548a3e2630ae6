// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the PMU swmem: samples taken of loops over known buffers.
 *
 *	swmem_check events		what events can ask for; prints TAP
 *	swmem_check secrets		what samples tell an ordinary user of the kernel
 *	swmem_check throttle		ticks of an event that perf throttles
 *	swmem_check all			ticks of CPUs that are idle, and that work again
 *	swmem_check hold FILE		samples all CPUs; writes to FILE after a while
 *	swmem_check syscalls CPU	where short system calls are sampled
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
	/* Where interrupts come matters there, not how many. */
	if (argc == 2 && !strcmp(argv[1], "secrets"))
		return check_secrets();
	if (argc > 1)
		wait_for_timers();
	/* Where CPUs take turns, an NMI takes as long as others have theirs. */
	if (argc > 1 && strcmp(argv[1], "throttle"))
		set_sysctl("perf_cpu_time_max_percent", 0);
	if (argc == 2 && !strcmp(argv[1], "events"))
		return check_events();
	if (argc > 2 && !strcmp(argv[1], "loops"))
		return run_loops(argc - 2, argv + 2);
	if (argc == 2 && !strcmp(argv[1], "throttle"))
		return check_throttle();
	if (argc == 2 && !strcmp(argv[1], "all"))
		return run_all_cpus(argc - 2, argv + 2);
	if (argc == 3 && !strcmp(argv[1], "hold"))
		return run_hold(argc - 2, argv + 2);
	if (argc == 3 && !strcmp(argv[1], "syscalls"))
		return run_syscalls(argc - 2, argv + 2);
	if (argc == 5 && !strcmp(argv[1], "churn"))
		return run_churn(argc - 2, argv + 2);
	fprintf(stderr, "usage: swmem_check events | secrets | throttle | all | hold FILE | syscalls CPU | churn SECONDS SEED PERIOD_NS | loops FILE [irq] [period=NS] [rounds=N] [user|kernel]\n");
	return 2;
}
