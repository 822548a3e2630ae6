/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Paths of objects: the accesses to some offsets of an object, from allocation to free.
 * Histories with the same instructions and equivalent CPUs are summed up in one path
 * (section 4.4 of the paper).
 */
#ifndef DPROF_PATHS_H
#define DPROF_PATHS_H

#include "model.h"

/* Longer histories and paths are truncated, and path.cut is set. */
#define MAX_HISTORY	65536	/* accesses of an object */
#define MAX_PATH	2048	/* elements, after folding of loops */
/* Maximum number of elements in a loop. */
#define MAX_LOOP	16

/**
 * struct element - an access of a path
 * @ip: the instruction
 * @offset, @len: bytes of the object, or of a neighboring object
 * @type: index of the type of the data at @offset
 * @seq: sequence number of the access in its history, from 1; 0: not recorded
 * @cpu: label of the CPU: 0 the one that allocated the object, 1 the next that accessed it, ...
 * @op: OP_LOAD, OP_STORE, or both; 0: not known
 * @loop: number of elements of the loop that ends with this element; 0: no loop ends here
 * @rank: number of elements before this one with the same offset
 * @turns: iterations of the loop, summed over histories
 * @repeats: accesses in a row, summed over histories
 * @since: ns since allocation, summed over histories
 */
struct element {
	uint64_t ip;
	int32_t offset;
	uint32_t type, seq;
	uint16_t cpu, loop, rank;
	uint8_t len, op;
	uint64_t repeats, turns, since;
};

struct path {
	uint32_t type;
	int32_t offset[MAX_WATCHED];
	uint8_t len[MAX_WATCHED], slots;
	uint8_t how;			/* HISTORY_* */
	bool cut;
	uint64_t alloc_ip, free_ip;
	uint16_t free_cpu;
	uint32_t nr;
	struct element *element;
	uint64_t count;			/* histories */
	uint64_t lifetime, blind, size;	/* sums */
	uint64_t accesses;		/* sum, before folding of loops */
	struct path *next_same;		/* same hash */
	uint64_t hash;
	UT_hash_handle hh;
};

int paths_begin(struct model *m, const struct event *e, struct dtype *t);
int paths_access(struct model *m, const struct event *e);
int paths_end(struct model *m, const struct event *e);
int paths_finish(struct model *m);
int paths_retype(struct model *m, const uint32_t *to);
void paths_free(struct model *m);

/**
 * struct trace - a path trace: merged paths of different offsets
 * @type: index of the type
 * @nr, @element: accesses, in order
 * @count: histories of the path that the trace was started with
 * @frequency: share of the type's objects that follow this trace
 * @by_pairs: each pair of offsets was watched together, so histories give the order of
 *	accesses; else mean times give it
 * @end: mean lifetime, ns
 */
struct trace {
	uint32_t type, nr;
	struct element *element;	/* since, repeats and turns are means */
	uint64_t count;
	double frequency, end, accesses, size;
	bool by_pairs;
	uint64_t alloc_ip, free_ip;
	uint16_t free_cpu;
	uint8_t how;
};

struct traces {
	struct trace *trace;
	size_t nr;
};

int traces_make(struct model *m, struct traces *t);
void traces_free(struct traces *t);
bool trace_bounces(const struct trace *t);
void site_tally(struct model *m, uint32_t type, const struct element *e, struct tally *sum);

#endif
