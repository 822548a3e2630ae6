/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Paths of objects: the accesses to some offsets of an object, from allocation to
 * free, histories with the same instructions and equivalent CPUs added up
 * (section 4.4 of the paper).
 */
#ifndef DPROF_PATHS_H
#define DPROF_PATHS_H

#include "model.h"

/* What is longer is cut off, and said to be. */
#define MAX_HISTORY	65536	/* accesses of an object */
#define MAX_PATH	2048	/* elements, loops folded */
/* A loop in a path has at most so many elements. */
#define MAX_LOOP	16

/**
 * struct element - an access of a path
 * @ip: the instruction
 * @offset, @len: bytes of the object, or of what is beside it
 * @type: index of the type of what is there
 * @seq: of the access in its history, from 1; 0 if it is not told
 * @cpu: 0 where the object was allocated, 1 the next that came, ...
 * @op: OP_LOAD, OP_STORE, both; 0 not known
 * @loop: the last @loop elements, this the last of them, are repeated; 0 no
 * @rank: how many elements before it have the same offset
 * @turns: of the loop, summed over histories
 * @repeats: how often in a row, summed over histories
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
	uint64_t accesses;		/* sum, without loops folded */
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
 * struct trace - a path trace: paths through different offsets put together
 * @type: index of the type
 * @nr, @element: accesses, in their order
 * @count: histories that are in it
 * @frequency: share of the objects of the type that take it
 * @by_pairs: the order of accesses to different offsets was seen in histories of
 *	both; else it is that of average times
 * @end: mean lifetime, ns
 */
struct trace {
	uint32_t type, nr;
	struct element *element;	/* since is the mean; repeats, too */
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
