// SPDX-License-Identifier: LGPL-2.1-or-later
// Copyright (C) 2026 the memscope authors
/*
 * Where loads find their data, and where they would with a fix: caches and memory
 * together.  Only loads, since IBS does not say of a store that missed the L1.
 *
 * - A page elsewhere, or a copy of it, is as often in the caches as it was: memory's part
 *   is divided anew, by which of it is remote.
 * - What another node's cache had because it wrote there is in the own L1, once each
 *   thread has lines of its own.
 * - Or, once all threads are on one node, in its caches: as far as these have room.  Of a
 *   process this is asked of each site: its threads use one after the other, and memory that
 *   is asked for what no two threads share fills no room of theirs.
 *
 * A site has room if its loads miss no more often than other nodes write a line between two
 * accesses of it.  Then lines are missed only because they were taken away, and what memory
 * was asked for another node had written back; not more of it than that node still had, for
 * some is asked for the first time.  Else the caches are full: lines taken away make room,
 * which each line from memory fills.
 */
#include <string.h>

#include "patterns.h"

/** answers_add() - count an access by where its data was, if that is known */
void answers_add(uint64_t answers[ANSWERS], const struct memprof_access *a)
{
	if (!a->read)
		return;
	switch (a->level) {
	case MEMPROF_L1:
		answers[ANSWER_L1]++;
		break;
	case MEMPROF_L2:
	case MEMPROF_FILL_BUFFER:
	case MEMPROF_L2_BUFFER:
		answers[ANSWER_L2]++;
		break;
	case MEMPROF_L3:
	case MEMPROF_L3_OR_PEER:
	case MEMPROF_PEER_CACHE:
		answers[ANSWER_L3]++;
		break;
	case MEMPROF_REMOTE_CACHE:
		answers[ANSWER_REMOTE_CACHE]++;
		break;
	case MEMPROF_RAM:
	case MEMPROF_REMOTE_RAM:
	case MEMPROF_MEMORY_SIDE:
	case MEMPROF_PMEM:
	case MEMPROF_CXL:
		answers[a->node >= 0 && a->home >= 0 ? a->node != a->home ? ANSWER_REMOTE : ANSWER_LOCAL :
			a->level == MEMPROF_REMOTE_RAM ? ANSWER_REMOTE : ANSWER_LOCAL]++;
		break;
	default:
		break;
	}
}

/**
 * answers_taken() - how often other nodes have written a line since a node last accessed it
 * @accesses: of a site, by node
 * @writes: of these
 * @nodes: how many
 *
 * For nodes that access any line as often, in no order: between two accesses of a line by
 * one of them come others, and the first that matters is a write or the second of the two.
 *
 * Return: the share of the accesses.
 */
double answers_taken(const uint64_t *accesses, const uint64_t *writes, int nodes)
{
	double all = 0, all_writes = 0, taken = 0, others;
	int i;

	for (i = 0; i < nodes; i++) {
		all += accesses[i];
		all_writes += writes[i];
	}
	for (i = 0; i < nodes; i++) {
		others = all_writes - writes[i];
		if (accesses[i])
			taken += accesses[i] * others / (accesses[i] + others);
	}
	return all ? taken / all : 0;
}

/**
 * answers_capacity() - loads that the node's caches would answer with all threads on it
 * @answers: of a site
 * @taken: how often its lines are taken away, by answers_taken()
 *
 * Return: those that another node's cache answered, or memory.
 */
double answers_capacity(const uint64_t answers[ANSWERS], double taken)
{
	const uint64_t memory = answers[ANSWER_LOCAL] + answers[ANSWER_REMOTE];
	const uint64_t other = answers[ANSWER_REMOTE_CACHE];
	double loads = 0;
	int i;

	for (i = 0; i < ANSWERS; i++)
		loads += answers[i];
	if (other + memory <= taken * loads)
		return other + (memory < other ? memory : other);
	return other > memory ? other - memory : 0;
}

/**
 * answers_with_fix() - where all loads of the recording would find their data
 * @f: of the recording
 * @x: what is fixed; NULL: nothing
 * @pct: shares of the loads
 *
 * Return: whether the source says at all.
 */
bool answers_with_fix(const struct findings *f, const struct finding *x, double pct[ANSWERS])
{
	double to[ANSWERS], all = 0, memory, remote, moved;
	int i;

	for (i = 0; i < ANSWERS; i++) {
		all += f->answers[i];
		pct[i] = f->answers[i];
		to[i] = x ? x->answers[i] : 0;
	}
	if (!all)
		return false;
	if (x && x->fix == FIX_PAD) {
		moved = x->lines * (to[ANSWER_L2] + to[ANSWER_L3] + to[ANSWER_REMOTE_CACHE]);
		pct[ANSWER_L1] += moved;
		for (i = ANSWER_L2; i <= ANSWER_REMOTE_CACHE; i++)
			pct[i] -= x->lines * to[i];
	} else if (x && x->fix != FIX_NONE) {
		memory = to[ANSWER_LOCAL] + to[ANSWER_REMOTE];
		if (x->fix == FIX_PIN_THREADS || x->fix == FIX_PIN_PROCESS) {
			pct[ANSWER_REMOTE_CACHE] -= to[ANSWER_REMOTE_CACHE];
			pct[ANSWER_L3] += x->capacity;
			memory += to[ANSWER_REMOTE_CACHE] - x->capacity;
		}
		remote = memory * x->predicted / (x->accesses ? x->accesses : 1);
		pct[ANSWER_REMOTE] += remote - to[ANSWER_REMOTE];
		pct[ANSWER_LOCAL] += memory - remote - to[ANSWER_LOCAL];
	}
	for (i = 0; i < ANSWERS; i++)
		pct[i] *= 100 / all;
	return true;
}
