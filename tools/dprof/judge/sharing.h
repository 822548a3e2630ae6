/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Cache lines that several CPUs use and at least one writes, from samples alone: sharing
 * within an object, and between two objects on a line, which the paper does not cover.
 */
#ifndef DPROF_SHARING_H
#define DPROF_SHARING_H

#include "order.h"

/* A writer of a line on another CPU. */
struct sharer {
	uint32_t type, offset;
	uint64_t ip;			/* an instruction that writes there */
	double stores;
	bool other_object;
};

/**
 * struct shared_line - 64 bytes of the objects of a type, summed over all objects
 * @key: type, and offset / 64 of the accessed data, assuming that objects are aligned to lines
 * @same, @other: samples at bytes that other CPUs write, and at other bytes of the line; the
 *	latter count as @same with the probability that other CPUs write them unsampled
 * @samples: sum of @same and @other
 * @known: samples with a level
 * @turns: hand-overs (see model/turns.c): samples at bytes that other CPUs write, and others
 * @order: samples of @lines in the order of time
 * @other_object: samples for which the writer with the most stores uses another object
 * @lines: number of distinct lines of memory
 * @last_line: the last line that was counted
 * @misses: true and false sharing misses by classify()
 * @top: the access with most of @misses, or without misses, of @turns, then of @samples
 */
struct shared_line {
	struct { uint32_t type, index; } key;
	double same, other;
	uint64_t samples, known, other_object, lines, last_line;
	struct order order;
	double misses[2], turns[2];
	struct shared_unit *top;
	UT_hash_handle hh;
};

/**
 * struct shared_unit - accesses to an offset of a type, summed over all objects
 * @key: type, and offset of the accesses' first byte
 * @same, @other: see struct shared_line
 * @claimed_same, @claimed_other: read-modify-writes that invalidated the copies of CPUs that
 *	accessed the same bytes, or only other bytes of the line
 * @samples: sum of @same and @other
 * @turns: hand-overs among them
 * @ip, @ip_samples: the instruction with the most samples of a CPU, and these samples
 * @misses: sharing misses by classify()
 * @verdict, @verdict_misses: index of the struct verdict with the most of @misses, and its
 *	number of misses
 * @line: the line of the accesses
 */
struct shared_unit {
	struct { uint32_t type, offset; } key;
	double same, other, claimed_same, claimed_other;
	uint64_t samples, turns, ip, ip_samples;
	double misses, verdict_misses;
	size_t verdict;
	struct shared_line *line;
	UT_hash_handle hh;
};

/**
 * struct shared_victim - the writers that invalidate the lines of an instruction's accesses
 * @key: type, offset of the accesses' first byte, and the instruction
 * @same_writer, @other_writer: the two writers with the most stores, in descending order: to
 *	the accessed bytes, and to other bytes of the line
 */
struct shared_victim {
	struct { uint32_t type, offset; uint64_t ip; } key;
	struct sharer same_writer[2], other_writer[2];
	UT_hash_handle hh;
};

#define WORD_WRITERS 4

/**
 * struct shared_word - stores to 8 bytes of the objects of a type
 * @key: type, and offset / 8
 * @stores: samples of stores, in all objects
 * @store_cpu, @several_cpus: the CPU of the last such sample; set if there are others, too
 * @writer: instructions and CPUs with the most stores, in descending order
 */
struct shared_word {
	struct { uint32_t type, index; } key;
	uint64_t stores;
	struct { uint64_t ip, stores; int cpu; } writer[WORD_WRITERS];
	int store_cpu;
	bool several_cpus;
	UT_hash_handle hh;
};

struct sharing {
	struct shared_line *lines;
	struct shared_unit *units;
	struct shared_victim *victims;
	struct shared_word *words;
};

int sharing_find(struct model *m, struct sharing *shared);
const struct shared_unit *sharing_of(const struct sharing *shared, uint32_t type, uint32_t offset);
bool sharing_share(const struct shared_unit *unit, double *same);
bool sharing_share_claimed(const struct shared_unit *unit, double *same);
const struct sharer *sharing_writer(const struct sharing *shared, uint32_t type, uint32_t offset,
				    uint64_t ip, bool same);
uint64_t sharing_word_writer(const struct shared_word *word, uint64_t ip);
const struct shared_word *sharing_written(const struct sharing *shared, uint32_t type,
					  uint32_t offset, uint32_t width, bool *same);
int sharing_add_misses(struct sharing *shared, uint32_t type, uint32_t offset, double same,
		       double other, size_t verdict);
void sharing_free(struct sharing *shared);

#endif
