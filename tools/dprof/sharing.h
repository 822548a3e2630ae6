/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache lines that several CPUs use and one writes, from samples alone: within an
 * object, and between two objects on a line, which the paper left out.
 */
#ifndef DPROF_SHARING_H
#define DPROF_SHARING_H

#include "model.h"

/* Who else uses the line. */
struct sharer {
	uint32_t type, offset;
	uint64_t ip;			/* the last write of it */
	double stores;
	bool other_object;
};

/**
 * struct shared_line - a line of the objects of a type, all objects added up
 * @key: type and line, counted from where the object begins
 * @same, @other: by byte, samples of CPUs that use it while another CPU writes it,
 *	or only other bytes of the line
 * @samples, @misses: those of CPUs that use lines that others write
 * @other_object: of @samples, where the writer uses another object
 * @writer: the two with the most stores, at different offsets; the second may not be
 * @lines: distinct lines of memory
 * @last_line: the last of them
 * @ip: of the user with the most samples
 */
struct shared_line {
	struct { uint32_t type; int32_t index; } key;
	double same[LINE], other[LINE];
	uint64_t samples, misses, other_object, lines, last_line, ip, ip_samples;
	struct sharer writer[2];
	UT_hash_handle hh;
};

/**
 * struct shared_word - the same by 8 bytes of the objects, wherever in a line they are
 * @key: type, and offset / 8
 * @same, @other: as of a line; of bytes that others were not seen to write, the chance
 *	that they do counts as same
 * @line: with the most samples of them; NULL if none is shared
 * @stores, @write_ip: samples of stores on any line, and the instruction of the most
 * @store_cpu, @several_cpus: the CPU of these, if it is one
 */
struct shared_word {
	struct { uint32_t type, index; } key;
	double same, other, most;
	const struct shared_line *line;
	uint64_t stores, write_ip, ip_stores;
	int store_cpu;
	bool several_cpus;
	UT_hash_handle hh;
};

struct sharing {
	struct shared_line *lines;
	struct shared_word *words;
};

int sharing_find(struct model *m, enum level beyond, struct sharing *shared);
const struct shared_line *sharing_of(const struct sharing *shared, uint32_t type, uint32_t offset);
bool sharing_share(const struct sharing *shared, uint32_t type, uint32_t offset, uint32_t width,
		   double *same);
const struct sharer *sharing_writer(const struct shared_line *line, uint32_t offset, uint32_t width,
				    bool same);
const struct shared_word *sharing_written(const struct sharing *shared, uint32_t type,
					  uint32_t offset, uint32_t width, bool *same);
void sharing_free(struct sharing *shared);

#endif
