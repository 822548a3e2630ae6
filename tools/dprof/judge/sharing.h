/* SPDX-License-Identifier: GPL-2.0-only */
/* Copyright (C) 2026 the memscope authors */
/*
 * Cache lines that several CPUs use and one writes, from samples alone: within an
 * object, and between two objects on a line, which the paper left out.
 */
#ifndef DPROF_SHARING_H
#define DPROF_SHARING_H

#include "dprof/model/model.h"

/* Who else uses the line. */
struct sharer {
	uint32_t type, offset;
	uint64_t ip;			/* the last write of it */
	double stores;
	bool other_object;
};

/**
 * struct shared_line - 64 bytes of the objects of a type, all objects added up
 * @key: type, and offset / 64 of what is accessed, as if objects began where lines do
 * @same, @other: samples of CPUs that access what others write, or something else on the
 *	line; of the latter, the chance that others do write it counts as same
 * @samples: their sum
 * @other_object: of @samples, where the writer with the most stores uses another object
 * @lines: distinct lines of memory
 * @last_line: the last of them
 * @misses: by sharing, true and false, as classify() has it
 * @top: the access with most of @misses, or without any, of @samples
 */
struct shared_line {
	struct { uint32_t type, index; } key;
	double same, other;
	uint64_t samples, other_object, lines, last_line;
	double misses[2];
	struct shared_unit *top;
	UT_hash_handle hh;
};

/**
 * struct shared_unit - accesses to a place of a type, all objects added up
 * @key: type and offset where the accesses begin
 * @same, @other: as of a line
 * @claimed_same, @claimed_other: read-modify-writes that took the line from CPUs that read
 *	or wrote the same, or something else on the line
 * @samples: the sum of @same and @other
 * @ip, @ip_samples: the instruction of a CPU with the most samples, and those
 * @misses: by sharing, as classify() has it
 * @verdict, @verdict_misses: the verdict with the most of these, as an index of
 *	struct verdicts, and those
 * @line: that it is of
 */
struct shared_unit {
	struct { uint32_t type, offset; } key;
	double same, other, claimed_same, claimed_other;
	uint64_t samples, ip, ip_samples;
	double misses, verdict_misses;
	size_t verdict;
	struct shared_line *line;
	UT_hash_handle hh;
};

/**
 * struct shared_victim - by whose writes an instruction's accesses suffer
 * @key: type and offset where the accesses begin, and the instruction
 * @same_writer, @other_writer: of what is accessed, and of something else on the line; the
 *	two with the most stores, the first first
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
 * @stores: samples of stores on any line
 * @store_cpu, @several_cpus: the CPU of these, if it is one
 * @writer: instructions on a CPU with the most, the first first
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
