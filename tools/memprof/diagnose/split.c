// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Processes that are to be on one node each: section 5.5 of "MemProf".  Its Apache had one
 * site of pools, and the table of library calls, which threads of one process shared, but
 * no two processes.
 */
#include <stdlib.h>
#include <string.h>

#include "patterns.h"

#define SPLIT_LARGEST	0.5	/* no site has more of the process's remote accesses */
#define SPLIT_SITES	4
#define SPLIT_SHARE	0.5	/* of remote accesses but stacks', of sites of several processes */

/* Loads of a finding, too, are of the process. */
static void add_answers(uint64_t answers[ANSWERS], double *capacity, const struct finding *x)
{
	int i;

	for (i = 0; i < ANSWERS; i++)
		answers[i] += x->answers[i];
	*capacity += x->capacity;
}

/* Objects of which two nodes have much, together or in turn. */
static bool is_shared(const struct finding *x)
{
	switch (x->pattern) {
	case PATTERN_CONCURRENT_READ:
	case PATTERN_CONCURRENT_WRITE:
	case PATTERN_SATURATED:
	case PATTERN_ALTERNATE:
	case PATTERN_UNCLEAR:
		return x->remote >= PATTERN_MIN_REMOTE && x->nodes > 1;
	default:
		return false;
	}
}

/* The process most of whose remote accesses are of shared objects' sites; 0: none. */
static uint32_t most_shared(const struct findings *f)
{
	uint64_t sum, most = 0;
	uint32_t pid = 0;
	size_t i, k;

	for (i = 0; i < f->nr; i++) {
		if (!is_shared(&f->all[i]) || !f->all[i].pid || f->all[i].pid == pid)
			continue;
		for (sum = k = 0; k < f->nr; k++)
			if (f->all[k].pid == f->all[i].pid && is_shared(&f->all[k]))
				sum += f->all[k].remote;
		if (sum > most) {
			most = sum;
			pid = f->all[i].pid;
		}
	}
	return pid;
}

/*
 * The paper's Apache: no object stands out, many are shared by threads of a process on
 * several nodes.  Whether they have them at once or in turn is not asked: threads that
 * go through the same objects one behind the other look like either.  Then the process
 * is to stay on one node.
 */
static int find_one(struct findings *f)
{
	uint64_t remote = 0, most = 0, accesses = 0, all = 0;
	const uint32_t pid = most_shared(f);
	uint64_t answers[ANSWERS] = { 0 };
	struct finding *split;
	double capacity = 0;
	size_t i, sites = 0;

	for (i = 0; pid && i < f->nr; i++) {
		const struct finding *x = &f->all[i];

		if (x->pid != pid)
			continue;
		/* On one node, all that is remote now is local. */
		accesses += x->accesses;
		all += x->remote;
		add_answers(answers, &capacity, x);
		if (!is_shared(x) || x->type == MEMPROF_FILE || x->type == MEMPROF_CODE)
			continue;
		/* What all stacks are together is no site of its own. */
		if (x->type == MEMPROF_STACK)
			continue;
		sites++;
		remote += x->remote;
		if (x->remote > most)
			most = x->remote;
	}
	if (sites < SPLIT_SITES || most > SPLIT_LARGEST * remote || remote * 2 < all)
		return 0;
	split = findings_add(f);
	if (!split)
		return -1;
	*split = (struct finding){
		.pattern = PATTERN_SPLIT, .fix = FIX_PIN_PROCESS, .object = MEMPROF_NO_OBJECT, .pid = pid,
		.objects = sites, .accesses = accesses, .remote = all, .node = -1,
		.nodes = 2, .same_node = -1, .confidence = (double)remote / all, .capacity = capacity,
	};
	memcpy(split->answers, answers, sizeof(answers));
	return 0;
}

/*
 * Several processes, each of whose threads on several nodes share objects of the same
 * sites: how many sites these are does not matter, for a process is the most that shares
 * one object.  With fewer processes than nodes, the others would have nothing to do.
 */
static int find_many(struct findings *f)
{
	uint64_t shared = 0, accesses = 0, remote = 0, known = f->remote;
	uint64_t answers[ANSWERS] = { 0 };
	double capacity = 0;
	uint32_t sites = 0, processes = 0;
	struct finding *split;
	int nodes = 0;
	size_t i;

	for (i = 0; i < f->nr; i++) {
		const struct finding *x = &f->all[i];

		/* Whose stack it is is not kept: they speak neither for nor against. */
		if (x->type == MEMPROF_STACK)
			known -= x->remote;
		/* Of files and code, there is one for all processes. */
		if (x->processes < 2 || x->type == MEMPROF_FILE || x->type == MEMPROF_CODE)
			continue;
		accesses += x->accesses;
		remote += x->remote;
		add_answers(answers, &capacity, x);
		if (x->type == MEMPROF_STACK || !is_shared(x) || x->processes < (uint32_t)x->nodes)
			continue;
		sites++;
		shared += x->remote;
		if (x->processes > processes)
			processes = x->processes;
		if (x->nodes > nodes)
			nodes = x->nodes;
	}
	if (!sites || shared < SPLIT_SHARE * known)
		return 0;
	split = findings_add(f);
	if (!split)
		return -1;
	*split = (struct finding){
		.pattern = PATTERN_SPLIT, .fix = FIX_PIN_PROCESS, .object = MEMPROF_NO_OBJECT,
		.objects = sites, .processes = processes, .accesses = accesses, .remote = remote,
		.node = -1, .nodes = nodes, .same_node = -1, .confidence = (double)shared / known, .capacity = capacity,
	};
	memcpy(split->answers, answers, sizeof(answers));
	return 0;
}

/**
 * patterns_find_split() - processes that are to be on one node each
 * @f: what was found by sites; gets what was found by processes
 *
 * Return: 0, or -1 without memory.
 */
int patterns_find_split(struct findings *f)
{
	return find_one(f) || find_many(f) ? -1 : 0;
}
