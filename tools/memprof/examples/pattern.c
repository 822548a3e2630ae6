// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Who accesses an object, when and how: each thread's first and last access, reads,
 * writes, and from where.  The paper's script of "access patterns corresponding to a
 * specific object instance".
 *
 * usage: pattern FILE OBJECT
 */
#include <memprof.h>
#include <stdio.h>
#include <stdlib.h>

struct use {
	uint64_t first, last, reads, writes, remote;
};

int main(int argc, char **argv)
{
	const struct memprof_site *site;
	struct memprof_access a;
	struct memprof *m;
	struct use *uses;
	char error[256];
	uint32_t o;

	if (argc < 3) {
		fprintf(stderr, "usage: pattern FILE OBJECT\n");
		return 2;
	}
	m = memprof_open(argv[1], NULL, error, sizeof(error));
	if (!m) {
		fprintf(stderr, "pattern: %s\n", error);
		return 1;
	}
	o = strtoul(argv[2], NULL, 10);
	site = memprof_object_site(m, o);
	uses = calloc(memprof_nr_threads(m) + 1, sizeof(*uses));
	if (!site || !uses) {
		fprintf(stderr, "pattern: no object %u\n", o);
		return 1;
	}
	memprof_foreach_access(m, memprof_object_flow(m, o), &a) {
		struct use *u = &uses[a.thread];

		if (!u->reads && !u->writes)
			u->first = a.time_ns;
		u->last = a.time_ns;
		u->reads += a.read;
		u->writes += a.write;
		u->remote += a.node != a.home;
	}
	printf("%s %s:%u\n", site->name, site->file, site->line);
	for (uint32_t t = 0; t < memprof_nr_threads(m); t++)
		if (uses[t].reads || uses[t].writes)
			printf("tid %u: %.3f to %.3f s, %lu reads, %lu writes, %lu remote\n",
			       memprof_thread(m, t)->tid, uses[t].first / 1e9, uses[t].last / 1e9,
			       (unsigned long)uses[t].reads, (unsigned long)uses[t].writes,
			       (unsigned long)uses[t].remote);
	free(uses);
	memprof_close(m);
	return 0;
}
