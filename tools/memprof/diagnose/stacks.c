// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Stacks of a process are one object; an access of it by a thread is of that thread's stack,
 * but for what it hands to others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"

#define MAX_NAMED	4	/* threads that advice names */

/**
 * stacks_find() - the threads whose stacks are elsewhere
 * @m: the recording
 * @object: stacks of a process
 * @threads: gets those with remote accesses, the most first; to be freed
 *
 * Return: how many, or -1 without memory.
 */
int stacks_find(struct memprof *m, uint32_t object, struct stack **threads)
{
	struct stack *all = calloc(memprof_nr_threads(m) + 1, sizeof(*all)), *s, x;
	struct memprof_access a;
	int i, k, n = 0;

	*threads = all;
	if (!all)
		return -1;
	memprof_foreach_access(m, memprof_object_flow(m, object), &a) {
		if (!patterns_count(m, &a))
			continue;
		s = &all[a.thread];
		s->thread = a.thread;
		s->accesses++;
		s->remote += memprof_is_remote(&a);
		s->to[a.home]++;
	}
	for (i = 0; i < (int)memprof_nr_threads(m); i++) {
		if (!all[i].remote)
			continue;
		x = all[i];
		for (k = 1; k < MAX_NODES; k++)
			if (x.to[k] > x.to[x.node])
				x.node = k;
		for (k = n++; k && all[k - 1].remote < x.remote; k--)
			all[k] = all[k - 1];
		all[k] = x;
	}
	return n;
}

/** stacks_left() - remote accesses of stacks that are left with each thread on its stack's node; -1: no memory */
double stacks_left(struct memprof *m, uint32_t object)
{
	struct stack *all;
	const int n = stacks_find(m, object, &all);
	double left = 0;
	int i;

	for (i = 0; i < n; i++)
		left += all[i].accesses - all[i].to[all[i].node];
	free(all);
	return n < 0 ? -1 : left;
}

/** stacks_text() - which threads to run on which node */
void stacks_text(struct memprof *m, uint32_t object, char *text, size_t size)
{
	struct stack *all;
	const int n = stacks_find(m, object, &all);
	size_t used;
	int i;

	/* A new thread's stack begins on its maker's node: where all threads were made by one, so are all stacks. */
	used = snprintf(text, size, "run each thread where its stack is (numa_run_on_node() as the first thing "
			"it does, and not moved later), or keep it on a node and move its stack there (mbind(2) "
			"with MPOL_MF_MOVE)");
	for (i = 0; i < n && i < MAX_NAMED && used < size; i++) {
		const struct memprof_thread *t = memprof_thread(m, all[i].thread);

		used += snprintf(text + used, size - used, "%s thread %u (%.32s) on node %d: %lu of its %lu are remote",
				 i ? ";" : ":", t->tid, t->name, all[i].node, (unsigned long)all[i].remote,
				 (unsigned long)all[i].accesses);
	}
	if (n > MAX_NAMED && used < size)
		snprintf(text + used, size - used, "; and %d others", n - MAX_NAMED);
	free(all);
}
