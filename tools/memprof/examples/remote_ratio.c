// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * How many accesses of main memory are remote, by type of object: the first of the
 * generic scripts that section 3.3 of the paper names.
 *
 * usage: remote_ratio [FILE]
 */
#include <memprof.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	size_t memory[MEMPROF_TYPES] = { 0 }, remote[MEMPROF_TYPES] = { 0 };
	struct memprof_access a;
	struct memprof *m;
	char error[256];

	m = memprof_open(argc > 1 ? argv[1] : "memprof.data", NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "remote_ratio: %s\n", error);
		return 1;
	}
	for (uint32_t i = 0; i < memprof_nr_objects(m); i++) {
		enum memprof_type type = memprof_object(m, i)->type;

		memprof_foreach_access(m, memprof_object_flow(m, i), &a) {
			if (!memprof_in_memory(m, &a) || a.node < 0 || a.home < 0)
				continue;
			memory[type]++;
			remote[type] += a.node != a.home;
		}
	}
	for (int type = 0; type < MEMPROF_TYPES; type++)
		if (memory[type])
			printf("%-8s %8zu of %8zu remote (%.1f %%)\n", memprof_type_name(type), remote[type],
			       memory[type], 100.0 * remote[type] / memory[type]);
	memprof_close(m);
	return 0;
}
