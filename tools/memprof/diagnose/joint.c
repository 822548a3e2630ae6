// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/* What all fixes together would change, and what a fix would change of the time. */
#include "patterns.h"

/* The sites that a process on one node would have local: their fixes are not made beside it. */
static bool is_of(const struct finding *x, const struct finding *split)
{
	if (x == split || x->object == MEMPROF_NO_OBJECT || x->type == MEMPROF_FILE || x->type == MEMPROF_CODE)
		return false;
	return split->pid ? x->pid == split->pid : x->processes > 1;
}

/**
 * joint_find() - the remote accesses that are left with all fixes
 * @f: what was found; sets which fixes are made together
 *
 * Sites share no accesses, so that their gains add up.  A process on one node takes the place of
 * what is advised for its sites, if it gains more than these do together.
 */
void joint_find(struct findings *f)
{
	size_t i, k;

	f->joint = f->remote;
	for (i = 0; i < f->nr; i++)
		f->all[i].joint = f->all[i].fix != FIX_NONE && f->all[i].object != MEMPROF_NO_OBJECT;
	for (i = 0; i < f->nr; i++) {
		struct finding *x = &f->all[i];
		double sites = 0;

		if (x->object != MEMPROF_NO_OBJECT)
			continue;
		for (k = 0; k < f->nr; k++)
			if (f->all[k].joint && is_of(&f->all[k], x))
				sites += f->all[k].remote - f->all[k].predicted;
		x->joint = x->remote - x->predicted > sites;
		for (k = 0; k < f->nr && x->joint; k++)
			if (is_of(&f->all[k], x))
				f->all[k].joint = false;
	}
	for (i = 0; i < f->nr; i++)
		if (f->all[i].joint) {
			f->joint -= f->all[i].remote - f->all[i].predicted;
			f->fixes++;
		}
	if (f->joint < 0)
		f->joint = 0;
}

/**
 * joint_latency() - how much less of the latency of memory a fix leaves
 * @f: what was found
 * @gain: accesses that become local
 *
 * An access that becomes local takes what a local one takes, with the nodes as busy as they are.
 *
 * Return: a share of it, below 0 if it grows; 0 where latencies are not known.
 */
double joint_latency(const struct findings *f, double gain)
{
	const double all = f->latency[0] + f->latency[1];

	if (!f->latencies[0] || !f->latencies[1] || all <= 0)
		return 0;
	/* Of accesses that have a latency, as many as of all. */
	gain *= (double)(f->latencies[0] + f->latencies[1]) / f->accesses;
	return gain * (f->latency[1] / f->latencies[1] - f->latency[0] / f->latencies[0]) / all;
}
