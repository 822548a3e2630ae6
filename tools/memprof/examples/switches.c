// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * The script of Figure 3 of "MemProf" (Lachaize, Lepers, Quema, 2012): the average time
 * between two accesses to an object by distinct threads; what a migration of the object
 * would have to be worth.
 *
 * usage: switches [FILE [OBJECT]]; without OBJECT, the one with most accesses
 */
#include <inttypes.h>
#include <memprof.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	uint64_t last_time = 0, nb_tid_switch = 0, time_per_tid = 0;
	uint32_t o = 0, last_tid = MEMPROF_NO_THREAD;
	struct memprof_access a;
	struct memprof *m;
	char error[256];

	m = memprof_open(argc > 1 ? argv[1] : "memprof.data", NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "switches: %s\n", error);
		return 1;
	}
	for (uint32_t i = 0; i < memprof_nr_objects(m); i++)
		if (memprof_object(m, i)->accesses > memprof_object(m, o)->accesses)
			o = i;
	if (argc > 2)
		o = strtoul(argv[2], NULL, 10);
	memprof_foreach_access(m, memprof_object_flow(m, o), &a) {
		if (a.thread == last_tid)
			continue;
		if (last_tid != MEMPROF_NO_THREAD) {
			nb_tid_switch++;
			time_per_tid += a.time_ns - last_time;
		}
		last_tid = a.thread;
		last_time = a.time_ns;
	}
	if (nb_tid_switch)
		printf("Avg time: %" PRIu64 " ns (%" PRIu64 " switches)\n",
		       time_per_tid / nb_tid_switch, nb_tid_switch);
	memprof_close(m);
	return 0;
}
